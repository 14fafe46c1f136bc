//! The terminal console: shows the state and collects the operator's input.
//!
//! Must not know: engine, providers, tools, journal bytes.

pub mod app;
pub mod approval_stats;
pub mod bulk_exclusion;
pub mod call_group;
pub mod cards;
pub mod columns;
pub mod context;
pub mod dialog;
pub mod diff;
pub mod doc;
pub mod edit_result;
pub mod effects;
pub mod event_text;
pub mod export;
pub mod field;
pub mod files;
pub mod frames;
pub mod halted;
pub mod hints;
pub mod json;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod link;
pub mod listing;
pub mod loops;
pub mod model;
pub mod motion;
pub mod msg;
pub mod pager;
pub mod pane;
pub mod panes;
pub mod prompt;
pub mod readable;
pub mod refusal;
pub mod registry;
pub mod replay;
pub mod scope;
pub mod sgr;
pub mod sheet;
pub mod stack;
pub mod status_line;
pub mod summary;
pub mod surface;
pub mod surfaces;
pub mod symbols;
pub mod tabs;
pub mod terminal;
#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
pub mod testing;
pub mod theme;
pub mod tint;
pub mod update;
pub mod verbs;
pub mod view;
pub mod work;
