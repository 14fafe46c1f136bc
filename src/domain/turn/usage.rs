//! Tokens of a request.
//!
//! Must not know: prices, wire formats.

use serde::{Deserialize, Serialize};

/// Bytes of a token in an estimate.
pub const BYTES_PER_TOKEN: u64 = 4;

/// Tokens as the provider counted them; an absent count is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Of those, served from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Of those sent, written into the provider's cache for five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Of those sent, written into the provider's cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
    /// Received, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Of those, reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// True if the program estimated a count that the provider did not send.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_estimated: bool,
}

impl Usage {
    /// Tokens sent and received.
    pub fn total(self) -> u64 {
        self.input.unwrap_or(0).saturating_add(self.output.unwrap_or(0))
    }

    /// Returns the prefix of a number of tokens: `about ` if any of them are estimated.
    pub fn about(self) -> &'static str {
        if self.is_estimated { "about " } else { "" }
    }

    /// Fills in estimates for the counts that the provider did not send, from bytes.
    #[must_use]
    pub fn or_estimated(self, sent_bytes: u64, received_bytes: u64) -> Self {
        let is_whole = self.input.is_some() && self.output.is_some();
        let tokens = |bytes: u64| Some(bytes / BYTES_PER_TOKEN);
        Self {
            input: self.input.or(tokens(sent_bytes)),
            output: self.output.or(tokens(received_bytes)),
            is_estimated: self.is_estimated || !is_whole,
            ..self
        }
    }

    /// Sum of two; a count is known if one side knows it.
    pub fn plus(self, other: Self) -> Self {
        let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self {
            input: add(self.input, other.input),
            cached: add(self.cached, other.cached),
            cache_write: add(self.cache_write, other.cache_write),
            cache_write_1h: add(self.cache_write_1h, other.cache_write_1h),
            output: add(self.output, other.output),
            reasoning: add(self.reasoning, other.reasoning),
            is_estimated: self.is_estimated || other.is_estimated,
        }
    }
}
