//! Typed settings from defaults, files, environment and flags, with the origin of every value.
//!
//! Must not know: engine internals, the screen, how a model is called.

pub mod approver;
pub mod bounds;
pub mod checks;
pub mod danger;
pub mod declared;
pub mod dot_mcp;
pub mod env;
pub mod error;
pub mod expand;
pub mod files;
pub mod flags;
pub mod hosts;
pub mod keep;
pub mod key;
pub mod keymap;
pub mod layers;
pub mod load;
pub mod model;
pub mod notify;
pub mod price;
pub mod price_list;
pub mod routing;
pub mod sandbox;
mod server;
mod server_secrets;
pub mod servers;
pub mod settings;
pub mod tools;
pub mod tracking;
pub mod trust;
pub mod written;

#[cfg(test)]
mod tests;

pub use env::Env;
pub use error::Error;
pub use flags::Flags;
pub use key::{Key, KeyOf};
pub use load::{OWN, Trust, default_sessions, load};
pub use overrule_base::document::{At, Place};
pub use routing::RoutingSettings;
pub use sandbox::SandboxSettings;
pub use settings::{Ambiguous, Glyphs, ModelEntry, Origin, Setting, Settings, Why};
pub use tracking::FileSettings;
