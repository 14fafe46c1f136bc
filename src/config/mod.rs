//! Typed settings from defaults, files, environment and flags, with the origin of every value.
//!
//! Must not know: engine internals, the screen, how a model is called.

pub mod approver;
pub mod bounds;
pub mod checks;
pub mod danger;
pub mod env;
pub mod error;
pub mod files;
pub mod flags;
pub mod keep;
pub mod key;
pub mod keymap;
pub mod layers;
pub mod load;
pub mod notify;
pub mod price;
pub mod routing;
mod server;
pub mod settings;
pub mod tools;
pub mod written;

#[cfg(test)]
mod tests;

pub use crate::document::{At, Place};
pub use env::Env;
pub use error::Error;
pub use flags::Flags;
pub use key::{Key, KeyOf};
pub use load::{OWN, Trust, load};
pub use routing::RoutingSettings;
pub use settings::{Ambiguous, Glyphs, Origin, Setting, Settings, Why};
