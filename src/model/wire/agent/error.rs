//! Says where and why the body of a request cannot be read.
//!
//! Must not know: formats.

use crate::show::excerpt;
use overrule_base::canon::Oddity;

/// Why the body of a request cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It is not UTF-8.
    #[error("cannot read the request: it is not UTF-8 (byte {at})")]
    NoText {
        /// Byte offset of the first wrong byte.
        at: usize,
    },
    /// It is not JSON, or too deep.
    #[error("cannot read the request: {0}")]
    NoJson(Oddity),
    /// A value is missing, of another kind than the format has there, or ambiguous.
    #[error("cannot read the request: {reason} (byte {at}, at {path})")]
    Shape {
        /// JSON pointer of the value, safe to show.
        path: String,
        /// Byte offset of the value.
        at: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl RequestError {
    /// An error at a place.
    pub(super) fn shape(path: &str, at: usize, reason: impl Into<String>) -> Self {
        let path = if path.is_empty() {
            "the top".to_owned()
        } else {
            excerpt(path)
        };
        Self::Shape {
            path,
            at,
            reason: reason.into(),
        }
    }
}
