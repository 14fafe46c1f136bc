//! Defines what a client needs to reach a server besides its address: key, headers, proxy, authorities.
//!
//! Must not know: requests, where the values were set.

use secrecy::{ExposeSecret as _, SecretString};

use super::Authorities;
use crate::wire::ApiKey;

/// Minimum length in bytes of a key that is searched for in a server's text.
const SHORTEST: usize = 4;
/// The same for a header, which may be an ordinary word.
const SHORTEST_HEADER: usize = 12;
/// Replacement for a secret.
pub const REPLACED: &str = "[the API key]";

/// Key, headers, proxy and authorities of a server.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The key.
    pub key: Option<ApiKey>,
    /// Further headers. Their values may be secrets.
    pub headers: Vec<(String, SecretString)>,
    /// The proxy.
    pub proxy: Proxy,
    /// Authorities that are trusted in addition to those of the system.
    pub authorities: Authorities,
}

/// How requests go to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// As the environment says; to this machine always directly.
    #[default]
    Environment,
    /// Directly.
    None,
    /// By this proxy.
    Url(String),
}

impl From<Option<ApiKey>> for Access {
    fn from(key: Option<ApiKey>) -> Self {
        Self {
            key,
            ..Self::default()
        }
    }
}

impl Access {
    /// Iterates over the texts that no message may show.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let key = self.key.iter().map(|key| key.secret.expose_secret());
        let headers = self.headers.iter().map(|(_, value)| value.expose_secret());
        key.filter(|text| text.len() >= SHORTEST)
            .chain(headers.filter(|text| text.len() >= SHORTEST_HEADER))
    }

    /// Removes the secrets from a text: some servers repeat the key that they refuse.
    pub fn without_secrets(&self, text: String) -> String {
        self.secrets()
            .fold(text, |text, secret| text.replace(secret, REPLACED))
    }
}
