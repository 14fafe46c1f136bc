//! Pure model of a run: nodes, events, decisions, invalidation.
//!
//! Must not know: any provider, how events are stored, how anything is shown.
//!
//! No clock, no randomness, no file, no network, no task, no terminal. A run is a fold of its
//! events: `decide` turns a command or a report into events, `advance` finds what follows by
//! itself, `apply` applies an event to the state, `effects` lists requests to the outside world.

pub mod active;
pub mod advance;
pub mod advice;
mod affected_nodes;
pub mod agent;
pub mod apply;
pub mod approval_stats;
pub mod approver;
pub mod auto_approved;
pub mod badge;
pub mod branch;
pub mod breaker;
mod budget;
pub mod bulk;
pub mod call;
pub mod changes;
pub mod command;
pub mod context_prefix;
pub mod correction;
pub mod decide;
pub mod delegate;
pub mod draft;
pub mod effect;
pub mod effective_status;
pub mod effects;
pub mod envelope;
pub mod escape;
pub mod event;
pub mod files;
pub mod fork;
pub mod graph;
pub mod history;
mod holds;
pub mod id;
pub mod input;
mod invalidation;
pub mod ladder;
pub mod ledger;
pub mod lineage;
pub mod live;
pub mod node;
mod node_set;
pub mod orphan_process;
pub mod output;
pub mod output_digest;
mod overflow;
pub mod pending_retry;
pub mod price;
pub mod ready;
pub mod recheck;
pub mod reduction;
pub mod reference;
pub mod refusal;
mod regenerate;
pub mod repair;
pub mod repair_stats;
pub mod repair_trace;
pub mod repeat;
mod request;
pub mod restrict;
pub mod result_source;
pub mod retry_wait;
mod revision;
pub mod rule;
pub mod salvage;
pub mod sandbox;
pub mod server_question;
pub mod setting_change;
pub mod state;
mod stop;
pub mod tags;
pub mod template;
pub mod thread;
pub mod tool_change;
pub mod transcript;
pub mod trial;
pub mod turn;
pub mod unresolved;
pub mod weight;
pub mod why;
