//! The beginning of a hash of a hash that the record names, kept for each turn of a long run to tell whether two are the
//! same.
//!
//! With 128 bits, 2^64 of them have to be tried for two that are taken for one another. What somebody agrees to keeps its
//! whole hash. Must not know: what was hashed.

use std::fmt;

use crate::canon;

/// Equal for equal texts, and for no others that anybody will find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// That of a text.
    pub fn of(text: &str) -> Self {
        Self(canon::short_hash("overrule fingerprint v1", &[text.as_bytes()]))
    }

    /// Its bytes.
    pub(super) const fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// The one of these bytes.
    pub(super) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_and_others_have_another() {
        let texts = ["", "a", "b", "ab", &"0".repeat(64), &"f".repeat(64)];
        for (no, one) in texts.iter().enumerate() {
            for (other_no, other) in texts.iter().enumerate() {
                let same = Fingerprint::of(one) == Fingerprint::of(other);
                assert_eq!(same, no == other_no, "{one} and {other}");
            }
        }
    }

    #[test]
    fn it_is_the_same_in_every_process() {
        let print = format!("{:?}", Fingerprint::of("a request"));
        assert_eq!(print, "88b346f84b8384168fbbd714d3a7adea");
    }
}
