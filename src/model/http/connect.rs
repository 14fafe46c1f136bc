//! Creates HTTP clients, and asks a server for its models.
//!
//! Must not know: conversations.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};

use crate::model::frame::Object;
use crate::model::show::excerpt;
use crate::model::wire::{ApiKey, Wire};
use crate::text::shown_address;

/// Maximum bytes of a list of models.
const MAX_MODELS: usize = 4 * 1024 * 1024;

/// Why a client could not be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The base URL is unusable.
    #[error("the base URL `{url}` cannot be used: {why}; it looks like http://127.0.0.1:11434/v1")]
    BaseUrl {
        /// The URL as given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The key contains characters that are not allowed in a header.
    #[error(
        "the API key holds characters that cannot be sent in a header; check it for line breaks and blanks"
    )]
    Key,
    /// The HTTP client could not be created.
    #[error("failed to set up HTTPS: {why}; are the system's CA certificates installed?")]
    Tls {
        /// The library's message.
        why: String,
    },
}

/// Installs the cryptography provider of all TLS connections, once per process.
fn install_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that a provider is installed already, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Creates an HTTP client for this URL that sends the headers of the format, and the key, with every request.
pub fn http_client(
    url: &Url,
    wire: Wire,
    key: Option<&ApiKey>,
    connect: Duration,
) -> Result<reqwest::Client, Error> {
    install_provider();
    let mut headers = HeaderMap::new();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("text/event-stream, application/json"),
    );
    for (name, value) in wire.headers(key) {
        let mut value = HeaderValue::from_str(&value).map_err(|_| Error::Key)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .connect_timeout(connect)
        // A redirect would repeat the request, and the key with it, elsewhere.
        .redirect(Policy::none());
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // No certificates are needed, so a system without any is no reason to fail.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::Tls { why: chain(&error) })
}

/// Creates an HTTP client for this URL that adds nothing to a request and changes nothing of a response.
pub fn pass_through(url: &Url, connect: Duration) -> Result<reqwest::Client, Error> {
    install_provider();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(connect)
        .redirect(Policy::none())
        .no_gzip();
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::Tls { why: chain(&error) })
}

/// Returns the names of a server's models, or `None` if it does not answer the question.
pub(in crate::model) async fn models(
    base_url: &str,
    wire: Wire,
    key: Option<&ApiKey>,
    wait: Duration,
) -> Option<Vec<String>> {
    let url = endpoint(base_url, wire.models_path()).ok()?;
    let http = http_client(&url, wire, key, wait).ok()?;
    tokio::time::timeout(wait, async {
        let mut response = http.get(url).send().await.ok()?;
        if response.status() != StatusCode::OK {
            return None;
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.ok()? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > MAX_MODELS {
                return None;
            }
        }
        let text = String::from_utf8(bytes).ok()?;
        names(&text)
    })
    .await
    .ok()
    .flatten()
}

/// Returns the names in a list of models: `{"data": [{"id": …}]}` or `{"models": [{"name": …}]}`.
fn names(text: &str) -> Option<Vec<String>> {
    let object = Object::read(text)?;
    let (list, member) = [("data", "id"), ("models", "name")]
        .into_iter()
        .find(|(list, _)| object.get(list).is_some())?;
    let name = |raw: &str| {
        let name = Object::read(raw)?.filled(member)?.into_owned();
        Some(name.strip_prefix("models/").map(str::to_owned).unwrap_or(name))
    };
    Some(object.array(list).into_iter().filter_map(name).collect())
}

/// Returns the URL of a path under a base URL. What the base URL already has of the path is not repeated.
pub fn endpoint(base_url: &str, name: &str) -> Result<Url, Error> {
    let bad = |why: &str| Error::BaseUrl {
        url: shown_address(base_url),
        why: why.to_owned(),
    };
    let mut url = Url::parse(base_url.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("only http and https are possible"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::BaseUrl {
            url: url.host_str().unwrap_or_default().to_owned(),
            why: "it holds a user name or password".to_owned(),
        });
    }
    let base = url.path().trim_end_matches('/');
    let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
    let begun = ends
        .filter_map(|end| name.get(..end))
        .rfind(|begun| base.ends_with(begun));
    let base = begun
        .and_then(|begun| base.strip_suffix(begun))
        .unwrap_or(base)
        .to_owned();
    url.set_path(&format!("{base}{}", name.split('?').next().unwrap_or_default()));
    url.set_query(name.split_once('?').map(|(_, query)| query));
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// Describes an error with its causes, without the URL, which is already in the message.
pub fn chain(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        words.push(inner.to_string());
        cause = inner.source();
    }
    words.dedup();
    if words.is_empty() {
        words.push("no reason given".to_owned());
    }
    excerpt(&words.join(": "))
}
