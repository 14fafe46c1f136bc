//! Sits between an agent and its model, so that a person supervises an agent that knows nothing of it.
//!
//! Must not know: screens, flags, how a session is stored, how a call is decided.
//!
//! - [`server`] receives the requests of agents; [`upstreams`] says which model's server each goes to.
//! - [`run::AgentRun`] is the handle to one conversation, which a task owns: to the engine it is a model ([`model::AgentModel`]) and a set of tools
//!   ([`tool::AgentTool`]). A call runs with the agent: it is released to it, and its result comes with the next request.
//! - `newest_requests` reads of each request what the one before did not have; [`history`] compares histories by hashes.
//! - [`reading`] cuts a reply into events and decodes them; [`held`] keeps back the bytes of a reply from an undecided call on; [`release`] writes a decided one.
//! - [`rejection`] says whether an agent gets a rejected call under another name, or not at all.
//! - [`overlay`] changes what the model sees of the agent's history: masked calls and corrected results.

pub mod address;
pub mod agents;
pub mod alarms;
mod body_calls;
mod body_tools;
mod by_agent;
pub mod catalogue;
pub mod client;
mod compression;
pub mod conversation;
mod error;
pub mod events;
mod headers;
pub mod held;
pub mod history;
mod json_facts;
pub mod model;
mod newest_requests;
pub mod overlay;
mod path;
mod placement;
pub mod reading;
pub mod rejection;
pub mod release;
mod request_body;
pub mod response_body;
pub mod resumed;
pub mod run;
mod secrets;
pub mod server;
mod side_reply;
mod side_request;
mod socket;
pub mod sub_agent;
mod sub_agent_task;
pub mod tool;
mod unread;
pub mod upstream;
pub mod upstreams;

#[cfg(test)]
mod tests;

pub use error::Error;
