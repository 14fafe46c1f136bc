//! Decides which call is allowed, asked about or denied, and why.
//!
//! Must not know: who asks, how a verdict is shown, where files are.
//!
//! Pure.
//!
//! A policy is a preset and a list of rules with their origin. Every matching rule counts, whatever
//! its origin: deny is above ask, and ask is above allow. A preset's own "ask" holds only if no
//! rule allows the call.

pub mod backtest;
mod commands;
pub mod danger;
mod edit;
pub mod evaluate;
pub mod expiry;
mod inner_calls;
mod line_places;
mod literal;
pub mod matcher;
pub mod parse;
mod place;
pub mod preset;
pub mod read_only;
pub mod ready_rules;
mod reason;
mod reversible;
pub mod rule;
pub mod session;
mod settings_written;
pub mod shell;
mod toml_text;
mod withheld;

#[cfg(test)]
mod tests;

pub use danger::{Danger, DangerKind, DangerMark};
pub use evaluate::{Moment, Notice, Policy};
pub use expiry::headless;
pub use matcher::Subject;
pub use overrule_domain::sandbox::Placement;
pub use place::{Links, Reads};
pub use preset::Preset;
pub use reversible::{Cause, FileFacts};
pub use rule::{Origin, Rule};
pub use withheld::Withheld;
