//! Observes what goes over the wire, byte by byte, for whoever keeps it. Must not know: who listens,
//! providers.

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

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Tap" } else { "no tap" })
    }
}
