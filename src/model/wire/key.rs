//! Keys of servers, and the environment variables that hold them.
//!
//! Must not know: how a format sends a key.

use secrecy::SecretString;

/// A key, and how it is sent.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// The key.
    pub secret: SecretString,
    /// True for a token that is sent as `Authorization: Bearer` whatever the format's own header is.
    pub is_token: bool,
}

impl From<SecretString> for ApiKey {
    fn from(secret: SecretString) -> Self {
        let is_token = false;
        Self { secret, is_token }
    }
}

/// An environment variable with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyVariable {
    /// Its name.
    pub name: &'static str,
    /// The variable with the base URL that the key belongs to.
    pub base_url: &'static str,
    /// True if the key is a token.
    pub is_token: bool,
}
