//! Creates HTTP clients, and asks a server for its models.
//!
//! Must not know: conversations.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use secrecy::ExposeSecret as _;

use super::access::{Access, Proxy};
use super::authorities::Authorities;
use super::compression::{self, Decompressor};
use crate::frame::Object;
use crate::show::{excerpt, visible};
use crate::wire::Wire;
use overrule_base::text::shown_address;

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
    /// A header cannot be sent.
    #[error("the header `{name}` of the model cannot be sent; check its name and its value in the settings")]
    Header {
        /// Its name, safe to show.
        name: String,
    },
    /// The proxy is unusable.
    #[error("the proxy `{url}` cannot be used; it looks like http://127.0.0.1:3128")]
    Proxy {
        /// The address, safe to show.
        url: String,
    },
    /// The HTTP client could not be created.
    #[error("failed to set up HTTPS: {why}; are the system's CA certificates installed?")]
    Tls {
        /// The library's message.
        why: String,
    },
}

/// Installs the cryptography provider of all TLS connections, once per process.
pub(super) fn install_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that a provider is installed already, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Creates an HTTP client for this URL. It sends the headers of the format, the key and the further headers with every
/// request.
pub fn http_client(
    url: &Url,
    wire: Wire,
    access: &Access,
    connect: Duration,
) -> Result<reqwest::Client, Error> {
    install_provider();
    let mut headers = HeaderMap::new();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("text/event-stream, application/json"),
    );
    for (name, value) in wire.headers(access.key.as_ref()) {
        let mut value = HeaderValue::from_str(&value).map_err(|_| Error::Key)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, value) in &access.headers {
        let bad = || Error::Header { name: visible(name) };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .connect_timeout(connect)
        // A redirect would repeat the request, and the key with it, elsewhere.
        .redirect(Policy::none())
        // A compressed stream would come late; one that comes all the same is unpacked.
        .no_gzip();
    match &access.proxy {
        Proxy::Url(proxy) => {
            let bad = |_| Error::Proxy {
                url: shown_address(proxy),
            };
            builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(bad)?);
        }
        Proxy::None => builder = builder.no_proxy(),
        Proxy::Environment if is_loopback(url) => builder = builder.no_proxy(),
        Proxy::Environment => {}
    }
    if url.scheme() == "http" {
        // No certificates are needed, so a system without any is no reason to fail.
        builder = builder.tls_certs_only([]);
    } else {
        builder = access.authorities.trusted_by(builder);
    }
    builder.build().map_err(|error| Error::Tls { why: chain(&error) })
}

/// Creates an HTTP client for this URL that adds nothing to a request and changes nothing of a response.
pub fn pass_through(
    url: &Url,
    connect: Duration,
    authorities: &Authorities,
) -> Result<reqwest::Client, Error> {
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
    } else {
        builder = authorities.trusted_by(builder);
    }
    builder.build().map_err(|error| Error::Tls { why: chain(&error) })
}

/// Returns the names of a server's models, or why it does not say them.
pub(crate) async fn models(
    base_url: &str,
    wire: Wire,
    access: &Access,
    wait: Duration,
) -> Result<Vec<String>, String> {
    let url = endpoint(base_url, wire.models_path()).map_err(|error| error.to_string())?;
    let http = http_client(&url, wire, access, wait).map_err(|error| error.to_string())?;
    let broken = |error: reqwest::Error| {
        let what = if error.is_connect() {
            "no connection"
        } else {
            "the connection broke"
        };
        format!("{what}: {}", access.without_secrets(chain(&error)))
    };
    let asked = async {
        let mut response = http.get(url).send().await.map_err(broken)?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(format!("it answered {status}"));
        }
        let mut bytes = Vec::new();
        let mut unpacker = unpacker(&response, MAX_MODELS).map_err(|error| error.to_string())?;
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            bytes.extend(unpacker.feed(&piece).map_err(|error| error.to_string())?);
            if bytes.len() > MAX_MODELS {
                return Err("its answer is too long".to_owned());
            }
        }
        bytes.extend(unpacker.end().map_err(|error| error.to_string())?);
        let names = String::from_utf8(bytes).ok().and_then(|text| names(&text));
        names.ok_or_else(|| "its answer is no list of models".to_owned())
    };
    let late = |_| format!("no answer within {} s", wait.as_secs_f32());
    tokio::time::timeout(wait, asked).await.map_err(late)?
}

/// Returns what unpacks the body of a response, to at most `most` bytes.
pub fn unpacker(response: &reqwest::Response, most: usize) -> Result<Decompressor, compression::Error> {
    let codings = response.headers().get_all(CONTENT_ENCODING).iter();
    let codings: Vec<_> = codings
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    Decompressor::new(&codings.join(","), most)
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

/// Returns true for the address of a proxy that a client can use.
pub fn is_usable_proxy(address: &str) -> bool {
    reqwest::Proxy::all(address).is_ok()
}

/// Returns true for an address of this machine.
pub fn is_loopback(url: &Url) -> bool {
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
