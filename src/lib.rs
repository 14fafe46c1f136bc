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
//! - [`sandbox`]: confines the children of a run.
//! - [`files`]: finds which files of a workspace changed, saves their contents, restores them.
//! - [`tools`]: runs one call.
//! - [`engine`]: the one loop that connects them.
//! - [`proxy`]: supervises an agent that another program runs.
//! - [`control`]: lets a second process command a running session.
//! - [`present`]: the views of a run, for every drawing of it. Pure.
//! - [`console`]: the screen. [`export`]: the graph in other forms.
//! - [`config`]: settings. [`cli`]: the composition root.

#[cfg(not(unix))]
compile_error!("overrule runs on Linux and macOS: it needs process groups, file locks and a Unix terminal");

pub use overrule_base::{canon, document, known_tool, shell_line, text};
pub use overrule_cli as cli;
pub use overrule_config as config;
pub use overrule_console as console;
pub use overrule_console::export;
pub use overrule_control as control;
pub use overrule_domain as domain;
pub use overrule_engine as engine;
pub use overrule_files as files;
pub use overrule_journal as journal;
pub use overrule_model as model;
pub use overrule_policy as policy;
pub use overrule_present as present;
pub use overrule_proxy as proxy;
pub use overrule_regular_file as regular_file;
pub use overrule_resilience as resilience;
pub use overrule_sandbox as sandbox;
pub use overrule_schema as schema;
pub use overrule_tools as tools;
