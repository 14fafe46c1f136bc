//! The screen: shows state, collects intent. Must not know: engine, providers, tools, journal bytes.

pub mod aftermath;
pub mod alike;
pub mod app;
pub mod asked;
pub mod columns;
pub mod commands;
pub mod diff;
pub mod doc;
pub mod field;
pub mod files;
pub mod frames;
pub mod hints;
pub mod json;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod link;
pub mod loops;
pub mod model;
pub mod msg;
pub mod pager;
pub mod rows;
pub mod said;
pub mod scope;
pub mod sgr;
pub mod summary;
pub mod symbols;
pub mod tabs;
pub mod terminal;
#[cfg(test)]
pub(crate) mod testing;
pub mod theme;
pub mod tint;
pub mod update;
pub mod view;
pub mod words;
