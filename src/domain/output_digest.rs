//! Digest of an output: equal for outputs that differ only in ids, times and similar parts.
//!
//! Must not know: what is concluded from equal digests.

mod stable;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::call::{ErrorClass, Outcome, ToolError};
use overrule_base::canon;

/// Version of the rules by which parts of an output are left out. Digests of different versions are not compared.
const VERSION: u32 = 1;

/// Maximum length in bytes of a text with parts left out; a longer one is hashed whole.
const LONGEST: usize = 1024 * 1024;

/// Digest of an output, with the version of its rules. Written as `1:89ab…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputDigest {
    version: u32,
    hash: u64,
}

impl OutputDigest {
    /// Returns the digest of an output; `None` for an execution that was cancelled.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let hash = match outcome {
            Outcome::Ok { value, exit, .. } => hash("ok", exit.unwrap_or_default(), value, ""),
            Outcome::Err(error) => match recorded_exit(error) {
                Some(code) => hash("ok", code, error.partial.as_deref().unwrap_or("\"\""), ""),
                None => hash(
                    error.class.label(),
                    0,
                    &error.message,
                    error.partial.as_deref().unwrap_or_default(),
                ),
            },
            Outcome::Cancelled { .. } => return None,
        };
        Some(Self {
            version: VERSION,
            hash,
        })
    }

    /// Returns the digest as a number, if it was made by the rules of this program.
    pub const fn current(self) -> Option<u64> {
        if self.version == VERSION {
            Some(self.hash)
        } else {
            None
        }
    }
}

/// Returns the exit code of a command whose end an older program recorded as a failure. It is a result.
pub fn recorded_exit(error: &ToolError) -> Option<i32> {
    if error.class != ErrorClass::Business {
        return None;
    }
    let code = error.evidence.strip_prefix("exit status ")?.parse().ok()?;
    (error.message == format!("exit {code}")).then_some(code)
}

fn hash(kind: &str, code: i32, content: &str, more: &str) -> u64 {
    let (content, more) = (stable(content), stable(more));
    let parts: [&[u8]; 4] = [kind.as_bytes(), &code.to_le_bytes(), &content, &more];
    let short = canon::short_hash("overrule output v1", &parts);
    let mut first = [0_u8; 8];
    for (first, byte) in first.iter_mut().zip(short) {
        *first = byte;
    }
    u64::from_le_bytes(first)
}

fn stable(text: &str) -> std::borrow::Cow<'_, [u8]> {
    if text.len() > LONGEST {
        return text.as_bytes().into();
    }
    stable::stable(text)
}

impl fmt::Display for OutputDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}", self.version, self.hash)
    }
}

impl Serialize for OutputDigest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for OutputDigest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        let read = |text: &str| {
            let (version, hash) = text.split_once(':')?;
            Some(Self {
                version: version.parse().ok()?,
                hash: u64::from_str_radix(hash, 16).ok()?,
            })
        };
        read(&text).ok_or_else(|| {
            serde::de::Error::custom("a digest of an output is written as `1:0123456789abcdef`")
        })
    }
}
