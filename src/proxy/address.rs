//! The address under which an agent finds the proxy: loopback, and a token in the first part of the path.
//!
//! Must not know: requests, sockets.

use std::fmt;
use std::net::SocketAddr;

use overrule_base::canon;
use overrule_engine::ids;

/// The header with the token, for an agent that would name its address in its arguments.
pub const HEADER: &str = "x-overrule-token";
/// The part of the path before the token.
const PREFIX: &str = "/s/";
/// Bytes of a token.
const TOKEN: usize = 16;

/// A word without which nothing is served. Never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Makes a random token.
    pub fn random() -> Self {
        Self(ids::secret())
    }

    /// Takes a token that was chosen elsewhere. Returns `None` for one that is too short or cannot be part of a path.
    pub fn given(text: &str) -> Option<Self> {
        let is_plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        (text.len() >= TOKEN && is_plain).then(|| Self(text.to_owned()))
    }

    /// Returns the base URL of the proxy for an agent.
    pub fn base(&self, at: SocketAddr) -> String {
        format!("http://{at}{PREFIX}{}", self.0)
    }

    /// Returns the path of a request without the token, with its query; `None` without the right token.
    pub fn strip<'p>(&self, path_and_query: &'p str) -> Option<&'p str> {
        let rest = path_and_query.strip_prefix(PREFIX)?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (token, path) = rest.split_at_checked(end)?;
        self.is(token).then_some(path)
    }

    /// True for the token, in a header of a request.
    pub fn is(&self, text: &str) -> bool {
        hash(text) == hash(&self.0)
    }

    /// Replaces the token in a text that is shown.
    pub fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "<token>")
    }
}

/// The hash of a token. Hashes are compared, so that the time says nothing about it.
fn hash(text: &str) -> String {
    canon::hash("overrule proxy token v1", &[text.as_bytes()])
}

/// Splits the base URL of the proxy: its address, and the token in it.
pub fn parts(base: &str) -> Option<(&str, &str)> {
    base.split_once(PREFIX)
}

/// Returns true if the `Host` header names this address. Anything else comes from a page that was made to point here.
pub fn is_host(host: Option<&str>, at: SocketAddr) -> bool {
    let Some(host) = host else { return false };
    let port = at.port();
    host == at.to_string() || host == format!("localhost:{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_only_with_the_whole_token() {
        let token = Token::given("0123456789abcdef").unwrap();
        assert_eq!(
            token.strip("/s/0123456789abcdef/v1/messages?beta=true"),
            Some("/v1/messages?beta=true")
        );
        assert_eq!(token.strip("/s/0123456789abcdef"), Some(""));
        assert!(token.is("0123456789abcdef") && !token.is("0123456789abcde") && !token.is(""));
        let base = token.base("127.0.0.1:80".parse().unwrap());
        assert_eq!(parts(&base), Some(("http://127.0.0.1:80", "0123456789abcdef")));
        for wrong in [
            "/v1/messages",
            "/s/0123456789abcde/v1",
            "/s/0123456789abcdeff/v1",
            "/s//v1",
            "/S/0123456789abcdef/v1",
            "http://127.0.0.1/s/0123456789abcdef/v1",
        ] {
            assert_eq!(token.strip(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tokens_are_random_never_shown_and_long_enough() {
        let (one, two) = (Token::random(), Token::random());
        assert_ne!(one, two);
        let base = one.base("127.0.0.1:80".parse().unwrap());
        let word = base.rsplit('/').next().unwrap();
        assert_eq!(word.len(), 32);
        assert!(!format!("{one:?}").contains(word));
        assert_eq!(one.hidden_in(&base), "http://127.0.0.1:80/s/<token>");
        assert!(Token::given("short").is_none());
        assert!(Token::given("0123456789abcdef/../x").is_none());
    }

    #[test]
    fn only_the_own_address_is_a_host() {
        let at: SocketAddr = "127.0.0.1:4000".parse().unwrap();
        assert!(is_host(Some("127.0.0.1:4000"), at) && is_host(Some("localhost:4000"), at));
        for wrong in [
            "evil.example",
            "evil.example:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "",
        ] {
            assert!(!is_host(Some(wrong), at), "{wrong}");
        }
        assert!(!is_host(None, at));
    }
}
