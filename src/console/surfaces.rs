//! What receives keys: the panes, and what opens on top of them. A file or a folder for each.
//!
//! Must not know: how keys are read, how a frame is drawn.

pub mod attention;
pub mod branch_pane;
pub mod branches;
pub mod broken;
pub mod budget;
pub mod bulk;
pub mod changes;
pub mod classify;
pub mod compare;
pub mod consent;
pub mod definitions;
pub mod documents;
pub mod editor;
pub mod effects;
pub mod fork;
pub mod graph;
pub mod health;
pub mod help;
pub mod impact;
pub mod inspector;
pub mod leave;
pub mod line;
pub mod list;
pub mod log;
pub mod next_task;
pub mod outcome;
pub mod page;
pub mod queue;
pub mod ready_rules;
pub mod restore;
pub mod review;
pub mod rule;
pub mod rules;
pub mod sandbox;
pub mod staged_edits;
pub mod state;
pub mod stop;
pub mod tools;
