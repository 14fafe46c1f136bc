//! Supervises an LLM agent from a terminal.
//!
//! The operator sees the live reasoning graph and can overrule any step. Only the steps that
//! depended on it run again.
//!
//! The map, from the inside out:
//! - [`text`], [`canon`], [`schema`], [`shell_line`], [`known_tool`]: pure leaves; safe display, canonical JSON and hashes,
//!   JSON Schema, the commands of a shell line, the arguments of common tools.
//! - [`domain`]: what a run is. Pure.
//! - [`policy`]: which call is allowed, asked about or denied, and why. Pure.
//! - [`resilience`]: what to do when tools fail. Pure.
//! - [`document`]: reads TOML text, with a place for every value and every error.
//! - [`regular_file`]: opens and reads files, and never waits for one.
//! - [`journal`]: events on disk.
//! - [`model`]: talks to one provider.
//! - [`tools`]: runs one call.
//! - [`engine`]: the one loop that connects them.
//! - [`proxy`]: supervises an agent that another program runs.
//! - [`control`]: lets a second process command a running session.
//! - [`present`]: the views of a run, for every drawing of it. Pure.
//! - [`console`]: the screen. [`export`]: the graph in other forms.
//! - [`config`]: settings. [`cli`]: the composition root.

#[cfg(not(unix))]
compile_error!("overrule runs on Linux and macOS: it needs process groups, file locks and a Unix terminal");

pub mod canon;
pub mod cli;
pub mod config;
pub mod console;
pub mod control;
pub mod document;
pub mod domain;
pub mod engine;
pub mod export;
pub mod journal;
pub mod known_tool;
pub mod model;
pub mod policy;
pub mod present;
pub mod proxy;
pub mod regular_file;
pub mod resilience;
pub mod schema;
pub mod shell_line;
pub mod text;
pub mod tools;
