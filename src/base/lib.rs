//! Pure leaves that every crate may use.
//!
//! Must not know: runs, tools, files, the network.
//!
//! - [`text`]: safe display of untrusted text.
//! - [`canon`]: tokens of JSON text, canonical JSON, hashes.
//! - [`script`]: the calls of tools in a program that a tool runs.
//! - [`shell_line`]: the commands of a shell line.
//! - [`known_tool`]: the arguments of common tools.
//! - [`agent_plan`]: the steps of a plan that an agent keeps.
//! - [`runs_later`]: the files that other programs run by themselves.
//! - [`git_settings`]: whether settings of a repository name a program.
//! - [`document`]: reads TOML text, with a place for every value and every error.

pub mod agent_plan;
pub mod canon;
pub mod document;
pub mod git_settings;
pub mod known_tool;
pub mod runs_later;
pub mod script;
pub mod shell_line;
pub mod text;
