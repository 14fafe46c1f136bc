//! What opens on top of the panes: a file or a folder for each.
//!
//! Must not know: how keys are read, how a frame is drawn.

pub mod attention;
pub mod branches;
pub mod broken;
pub mod bulk;
pub mod classify;
pub mod compare;
pub mod consent;
pub mod definitions;
pub mod editor;
pub mod effects;
pub mod fork;
pub mod help;
pub mod impact;
pub mod leave;
pub mod line;
pub mod list;
pub mod outcome;
pub mod page;
pub mod review;
pub mod rule;
pub mod rules;
pub mod staged_edits;
pub mod stop;
