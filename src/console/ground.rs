//! Keys, columns, colours, long texts, fields, layouts, the terminal.
//!
//! Must not know: a run, what is on the screen.

pub mod columns;
pub mod diff;
pub mod doc;
pub mod field;
pub mod json;
pub mod key;
pub mod layout;
pub mod markdown;
pub mod motion;
pub mod pager;
pub mod paint;
pub mod seek;
pub mod sgr;
pub mod symbols;
pub mod term_msg;
pub mod terminal;
pub mod theme;
pub mod tint;
pub mod work;
