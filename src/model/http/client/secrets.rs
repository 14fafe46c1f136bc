//! Hides the secrets of a request in texts.
//!
//! Must not know: requests.

use super::super::access::Access;
use crate::tap::Without;

/// Replaces all secrets in bytes that come in pieces.
pub(super) struct Secrets<'s>(Vec<Without<'s>>);

impl<'s> Secrets<'s> {
    pub(super) fn of(access: &'s Access) -> Self {
        Self(
            access
                .secrets()
                .map(|secret| Without::new(secret.as_bytes()))
                .collect(),
        )
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.0
            .iter_mut()
            .fold(bytes.to_vec(), |bytes, without| without.feed(&bytes))
    }

    pub(super) fn end(&mut self) -> Vec<u8> {
        self.0.iter_mut().fold(Vec::new(), |rest, without| {
            let mut out = without.feed(&rest);
            out.extend(without.end());
            out
        })
    }
}
