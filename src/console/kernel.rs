//! Verbs, keys, the model and what is open: it does not know which surfaces there are.
//!
//! Must not know: a surface, a verb.

pub mod availability;
pub mod context;
pub(crate) mod decide;
pub mod dialog;
pub mod draw;
pub(crate) mod executions;
pub mod files;
pub mod first_decision;
pub mod graph;
pub mod halted;
pub mod hints;
pub(crate) mod input;
pub mod inspector;
pub mod keymap;
pub(crate) mod kind;
pub mod listing;
pub mod log;
pub mod model;
pub(crate) mod mouse;
pub mod msg;
pub mod pane;
pub mod prompt;
pub(crate) mod prompts;
pub mod queue;
pub mod refresh;
pub mod registry;
pub(crate) mod renamed;
pub(crate) mod replay;
pub mod rows;
pub(crate) mod seen;
pub(crate) mod selection;
pub mod sheet;
pub mod show;
pub mod stack;
pub mod status_line;
pub mod surface;
pub(crate) mod synonyms;
pub(crate) mod verb;
pub(crate) mod views;
pub(crate) mod visibility;
