//! Observes the bytes that are sent and received, for a recorder.
//!
//! Must not know: who listens, providers.

use std::fmt;
use std::sync::Arc;

/// The direction of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The body of a request. Never its headers: they contain keys.
    Sent,
    /// The body of a response, as it arrives.
    Received,
}

/// The function that observes.
type Listener = dyn Fn(Way, &[u8]) + Send + Sync;

/// An observer of one request, or none.
#[derive(Clone, Default)]
pub struct Tap(Option<Arc<Listener>>);

impl Tap {
    /// Creates a tap with an observer.
    pub fn new(listener: impl Fn(Way, &[u8]) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Passes bytes to the observer.
    pub fn note(&self, way: Way, bytes: &[u8]) {
        if let Some(listener) = &self.0 {
            listener(way, bytes);
        }
    }
}

/// Replaces a secret in bytes that come in pieces. A possible beginning of the secret is passed on
/// only when the rest has arrived.
pub struct Without<'s> {
    secret: &'s [u8],
    held: Vec<u8>,
}

impl<'s> Without<'s> {
    /// Replaces this secret; an empty one is nowhere.
    pub const fn new(secret: &'s [u8]) -> Self {
        Self {
            secret,
            held: Vec::new(),
        }
    }

    /// Takes the next bytes; returns what may be passed on.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(self.held.len());
        let mut at = 0;
        while let Some(rest) = self.held.get(at..).filter(|rest| !rest.is_empty()) {
            if self.secret.is_empty()
                || !self
                    .secret
                    .starts_with(&rest[..rest.len().min(self.secret.len())])
            {
                out.push(rest[0]);
                at += 1;
            } else if rest.len() < self.secret.len() {
                break;
            } else {
                out.extend_from_slice(REPLACED);
                at += self.secret.len();
            }
        }
        self.held.drain(..at);
        out
    }

    /// Returns the rest: the secret did not follow.
    pub fn end(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

/// Replacement for a secret.
const REPLACED: &[u8] = b"[the API key]";

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Tap" } else { "no tap" })
    }
}

#[cfg(test)]
mod tests {
    use super::Without;

    #[test]
    fn a_secret_is_replaced_wherever_the_pieces_are_torn() {
        let text = b"data: sk-sk-1234 sk-12 \xff sk-1234sk-123";
        let want = b"data: sk-[the API key] sk-12 \xff [the API key]sk-123";
        for size in 1..=text.len() {
            let mut without = Without::new(b"sk-1234");
            let mut out: Vec<u8> = text.chunks(size).flat_map(|piece| without.feed(piece)).collect();
            out.extend(without.end());
            assert_eq!(out, want, "{size}");
        }
        let mut none = Without::new(b"");
        assert_eq!(none.feed(text), text);
    }
}
