//! The body of a request: text whose bytes are shared, not copied.
//!
//! Must not know: what is in it.

use std::fmt;
use std::ops::{Deref, Range};

use bytes::Bytes;

/// The body of a request. It is UTF-8: that was checked when it was read. To take it as one text takes the time of another
/// check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body(Bytes);

impl Body {
    /// Bytes that were checked.
    pub(super) const fn new(checked: Bytes) -> Self {
        Self(checked)
    }

    /// Returns a piece of the text; none where it does not begin and end between characters.
    pub fn get(&self, span: Range<usize>) -> Option<&str> {
        std::str::from_utf8(self.0.get(span)?).ok()
    }

    /// Returns the bytes.
    pub const fn bytes(&self) -> &Bytes {
        &self.0
    }
}

impl Deref for Body {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}
