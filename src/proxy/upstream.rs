//! Sends an agent's requests to its model, and nowhere else.
//!
//! Must not know: what is in a request, who decides.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::HeaderMap;
use reqwest::Url;

use super::Error;
use overrule_base::text::shown_address;
use overrule_model::http::{Authorities, is_loopback, pass_through};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(15);

/// The model's server.
#[derive(Debug)]
pub struct Upstream {
    /// Made for the first request.
    http: OnceLock<Result<reqwest::Client, String>>,
    base: Url,
    /// Authorities that are trusted in addition to those of the system.
    authorities: Authorities,
    /// Another server, for requests with this header.
    other: Option<(&'static str, Box<Self>)>,
}

/// Why a request was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The path leads elsewhere.
    #[error("the path of the request leads out of the model's address")]
    Elsewhere,
    /// No HTTP client.
    #[error("cannot set up HTTPS to the model: {0}")]
    Client(String),
    /// The server was not reached, or broke the connection.
    #[error("the model's server cannot be reached: {0}")]
    Network(String),
}

impl Upstream {
    /// Takes the base URL of the model's server, and the authorities that are trusted in addition to those of the system.
    pub fn new(url: &str, authorities: &Authorities) -> Result<Self, Error> {
        let wrong = |why: String| Error::Upstream {
            url: shown_address(url),
            why,
        };
        let base = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong("it needs http:// or https:// and a host".to_owned()));
        }
        if base.query().is_some() || base.fragment().is_some() || !base.username().is_empty() {
            return Err(wrong(
                "it must be an address alone, without a name, a query or a fragment".to_owned(),
            ));
        }
        let authorities = authorities.clone();
        let (http, other) = (OnceLock::new(), None);
        Ok(Self {
            http,
            base,
            authorities,
            other,
        })
    }

    /// Makes the HTTP client, so that its failure is told before the first request.
    pub fn open(&self) -> Result<(), Error> {
        self.http()
            .map(|_| ())
            .map_err(|why| Error::Client(why.to_owned()))
    }

    fn http(&self) -> Result<&reqwest::Client, &str> {
        let made = || pass_through(&self.base, CONNECT, &self.authorities).map_err(|error| error.to_string());
        self.http.get_or_init(made).as_ref().map_err(String::as_str)
    }

    /// Sends requests with this header to another server: an agent has a log-in for each.
    pub fn with_other(
        mut self,
        header: &'static str,
        url: &str,
        authorities: &Authorities,
    ) -> Result<Self, Error> {
        self.other = Some((header, Box::new(Self::new(url, authorities)?)));
        Ok(self)
    }

    /// The server for a request with these headers.
    pub(super) fn for_request(&self, headers: &HeaderMap) -> &Self {
        let other = self.other.as_ref();
        other
            .filter(|(header, _)| headers.contains_key(*header))
            .map_or(self, |(_, other)| other)
    }

    /// Returns the address for people.
    pub fn shown(&self) -> String {
        shown_address(self.base.as_str())
    }

    /// Returns true if both addresses are of one server.
    pub fn is_same_server(&self, other: &Self) -> bool {
        self.base.origin() == other.base.origin()
    }

    /// Returns the URL of a path of the agent; `None` if that is not below the base.
    fn url(&self, path: &str) -> Option<Url> {
        if !(path.is_empty() || path.starts_with(['/', '?'])) {
            return None;
        }
        let base = self.base.as_str().trim_end_matches('/');
        let path = without_version(self.base.path(), path);
        let url = Url::parse(&format!("{base}{path}")).ok()?;
        let rest = url.path().strip_prefix(self.base.path().trim_end_matches('/'));
        let below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        (url.origin() == self.base.origin() && url.username().is_empty() && below).then_some(url)
    }

    /// Sends a request; headers and body as they are.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<reqwest::Response, SendError> {
        let server = self.for_request(&headers);
        let url = server.url(path).ok_or(SendError::Elsewhere)?;
        let http = server.http().map_err(|why| SendError::Client(why.to_owned()))?;
        let mut request = http.request(method, url).headers(headers);
        if !body.is_empty() {
            request = request.body(body);
        }
        // The URL of the error would show nothing that is not known, but a query may hold a key.
        request
            .send()
            .await
            .map_err(|error| SendError::Network(chain(&error.without_url())))
    }
}

/// Returns true for an address of this machine with this port.
pub fn leads_to(url: &str, at: SocketAddr) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let is_here = is_loopback(&url) || matches!(url.host_str(), Some("0.0.0.0" | "[::]"));
        is_here && url.port_or_known_default() == Some(at.port())
    })
}

/// Returns a path without the version that a base ends with, too: some agents add it themselves.
fn without_version<'p>(base: &str, path: &'p str) -> &'p str {
    let last = base.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let rest = path.strip_prefix('/').and_then(|path| path.strip_prefix(last));
    match rest {
        Some(rest) if is_version && (rest.is_empty() || rest.starts_with(['/', '?'])) => rest,
        _ => path,
    }
}

/// An error with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(one) = cause {
        text = format!("{text}: {one}");
        cause = one.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream_at(url: &str) -> Result<Upstream, Error> {
        Upstream::new(url, &Authorities::default())
    }

    #[test]
    fn no_path_leads_to_another_server() {
        let upstream = upstream_at("http://127.0.0.1:9/v1").unwrap();
        let url = |path: &str| upstream.url(path).map(|url| url.to_string());
        assert_eq!(
            url("/chat/completions?x=1").as_deref(),
            Some("http://127.0.0.1:9/v1/chat/completions?x=1")
        );
        assert_eq!(url("").as_deref(), Some("http://127.0.0.1:9/v1"));
        for wrong in [
            "@evil.example/",
            ".evil.example/",
            ":80/x",
            "/../../x",
            "/%2e%2e/x",
            "evil",
        ] {
            assert_eq!(url(wrong), None, "{wrong}");
        }
        let named = upstream_at("http://127.0.0.1:9/team-a/").unwrap();
        assert!(named.url("/x").is_some() && named.url("?x").is_some() && named.url("").is_some());
        for wrong in ["/../team-ab/x", "/../team-a-b", "/../x", "/%2e%2e/team-ab"] {
            assert_eq!(named.url(wrong), None, "{wrong}");
        }
        let odd = url("//evil.example/x").unwrap();
        assert!(odd.starts_with("http://127.0.0.1:9/v1//evil"), "{odd}");
    }

    #[test]
    fn a_version_in_the_base_and_in_the_path_is_there_once() {
        let base = "https://a.example";
        for (upstream, path, expected) in [
            ("/v1", "/v1/messages?beta=true", "/v1/messages?beta=true"),
            ("/v1/", "/v1/chat/completions", "/v1/chat/completions"),
            ("/v1", "/messages", "/v1/messages"),
            ("/v1", "/v1", "/v1"),
            ("/v1", "/v1beta/models", "/v1/v1beta/models"),
            (
                "/v1beta",
                "/v1beta/models/m:generateContent",
                "/v1beta/models/m:generateContent",
            ),
            ("/api/v1", "/v1/responses", "/api/v1/responses"),
            ("/team", "/team/x", "/team/team/x"),
            ("/vertex", "/vertex/x", "/vertex/vertex/x"),
            ("", "/v1/messages", "/v1/messages"),
        ] {
            let found = upstream_at(&format!("{base}{upstream}"))
                .unwrap()
                .url(path)
                .unwrap();
            assert_eq!(found.as_str(), format!("{base}{expected}"), "{upstream} {path}");
        }
    }

    #[test]
    fn a_header_leads_to_the_other_server_and_nothing_else_does() {
        let both = upstream_at("https://one.example/v1").unwrap();
        let both = both
            .with_other(
                "chatgpt-account-id",
                "https://two.example/codex",
                &Authorities::default(),
            )
            .unwrap();
        let url = |headers: &HeaderMap| both.for_request(headers).url("/responses").unwrap().to_string();
        let mut headers = HeaderMap::new();
        headers.insert(
            "authorization",
            hyper::header::HeaderValue::from_static("Bearer k"),
        );
        assert_eq!(url(&headers), "https://one.example/v1/responses");
        headers.insert("chatgpt-account-id", hyper::header::HeaderValue::from_static("a"));
        assert_eq!(url(&headers), "https://two.example/codex/responses");
        assert!(
            upstream_at("https://a.example")
                .unwrap()
                .with_other("x", "ftp://b", &Authorities::default())
                .is_err()
        );
    }

    #[test]
    fn the_own_address_is_recognised_in_each_spelling() {
        let at: SocketAddr = "127.0.0.1:8484".parse().unwrap();
        for (url, expected) in [
            ("http://127.0.0.1:8484/s/0123456789abcdef", true),
            ("http://localhost:8484", true),
            ("http://[::1]:8484/v1", true),
            ("http://127.0.0.2:8484", true),
            ("http://0.0.0.0:8484", true),
            ("http://[::]:8484", true),
            ("http://127.0.0.1:8485", false),
            ("http://127.0.0.1", false),
            ("https://api.example:8484", false),
            ("127.0.0.1:8484", false),
            ("", false),
        ] {
            assert_eq!(leads_to(url, at), expected, "{url}");
        }
    }

    #[test]
    fn an_address_with_a_key_or_without_a_host_is_refused() {
        for wrong in [
            "",
            "api.example",
            "ftp://a.example",
            "http://k@a.example",
            "https://a.example/?key=1",
        ] {
            assert!(upstream_at(wrong).is_err(), "{wrong}");
        }
        let error = upstream_at("http://secret:word@a.example")
            .unwrap_err()
            .to_string();
        assert!(!error.contains("word"), "{error}");
    }
}
