//! Reads TOML text into types by `serde`; every error names file, line, column, key and cure.
//!
//! Must not know: what the keys mean, where the text comes from.

mod explain;
mod many;
mod place;
mod read;
mod values;

pub use explain::{near, wrong};
pub use many::{Pairs, Text, Texts};
pub use place::{At, Error, Place, Source};
pub use read::Document;
pub use values::{Field, Json, checked, decimal, parsed, strings, texts, whole};
