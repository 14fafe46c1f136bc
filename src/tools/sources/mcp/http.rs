//! Reaches a server over Streamable HTTP.
//!
//! Must not know: what the messages mean.

mod client;
mod events;

use std::collections::HashMap;
use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;

pub(super) use client::{Client, Fault};

use super::reader::Reader;
use super::redaction::Redaction;
use super::setup::{BearerToken, Secrets};
use crate::child::Environment;
use crate::operator_program::Program;
use overrule_base::text::visible;

/// What to do where a server wants a log-in.
pub(super) const LOG_IN: &str = "the server wants a log-in: set token_env or token_cmd for it in your configuration \
                                 file, or an Authorization header; OAuth is not supported yet";
/// Time limit of the command that prints a token.
const TOKEN: Duration = Duration::from_secs(10);
/// Longest token in bytes.
const LONGEST: usize = 64 * 1024;
/// Maximum number of attempts in a row, a second apart, to continue a stream that ended.
const RESUMES: usize = 3;
/// Maximum number of times that a message is sent on to another address of its server.
const REDIRECTS: usize = 5;

/// Builds a connection. The error says why there is none.
pub(super) async fn transport(
    (url, headers, token): (&str, &Secrets, Option<&BearerToken>),
    environment: &Environment,
    redaction: &Redaction,
    (reader, gone): (Arc<Reader>, CancellationToken),
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let mut named = HashMap::new();
    for (name, value) in headers {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("`{}` is not the name of a header", visible(name)))?;
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| format!("the value of the header `{}` is not valid", visible(name)))?;
        value.set_sensitive(true);
        named.insert(key, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(named)
        // A call is not sent again in a new session, whose tools were not read.
        .reinit_on_expired_session(false);
    let mut resumes = FixedInterval::default();
    resumes.max_times = Some(RESUMES);
    config.retry_config = Arc::new(resumes);
    if let Some(token) = token {
        let token = read(token, environment).await?;
        redaction.add(&token);
        config = config.auth_header(token);
    }
    let client = Client::new(client(url)?, reader, gone);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

async fn read(token: &BearerToken, environment: &Environment) -> Result<String, String> {
    match token {
        BearerToken::Value(token) => Ok(token.expose_secret().to_owned()),
        BearerToken::Command(command) => {
            let program = Program {
                command: command.clone(),
                limit: TOKEN,
                cwd: Path::new(OsStr::new("/")).to_owned(),
                environment: environment.clone(),
                // It is the setting of a server, which a workspace may make.
                mark: crate::child::unmarked,
            };
            let printed = program.run("", LONGEST).await;
            let printed = printed.map_err(|why| format!("cannot get its token: {why}"))?;
            Ok(printed.trim().to_owned())
        }
    }
}

fn client(url: &str) -> Result<reqwest::Client, String> {
    // Fails only if a provider is installed already, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder();
    if is_here(url) {
        // A proxy of the system has another loopback address.
        builder = builder.no_proxy();
    }
    builder
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::custom(|attempt| {
            // A message and its keys go to no other server, and the method stays.
            let stays = matches!(attempt.status().as_u16(), 307 | 308)
                && attempt.previous().len() <= REDIRECTS
                && attempt.previous().first().map(reqwest::Url::origin) == Some(attempt.url().origin());
            if stays { attempt.follow() } else { attempt.stop() }
        }))
        .build()
        .map_err(|error| format!("no requests can be sent: {error}"))
}

/// True for an address of this machine.
fn is_here(url: &str) -> bool {
    let url = reqwest::Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
    let number = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = number
        .parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    is_loopback || host == "localhost" || host.ends_with(".localhost")
}

/// Finds the failure of a transport in the causes of an error.
pub(super) fn cause<T: Error + 'static>(error: &DynamicTransportError) -> Option<&T> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// Finds why a message over HTTP has no reply.
pub(super) fn fault(error: &DynamicTransportError) -> Option<&Fault> {
    match cause::<StreamableHttpError<Fault>>(error)? {
        StreamableHttpError::Client(fault) => Some(fault),
        _ => None,
    }
}

/// Returns true if the server no longer knows the session, or accepts no connection.
pub(super) fn is_lost(error: &DynamicTransportError) -> bool {
    matches!(
        cause::<StreamableHttpError<Fault>>(error),
        Some(StreamableHttpError::SessionExpired)
    ) || matches!(fault(error), Some(Fault::Request(error)) if error.is_connect())
}

/// Returns true for a refusal that would be the same at the next attempt.
pub(super) fn is_final(error: &DynamicTransportError) -> bool {
    match fault(error) {
        Some(Fault::Redirect { .. } | Fault::TooLong) => true,
        Some(Fault::Status { status, .. }) => {
            status.is_client_error() && !matches!(status.as_u16(), 408 | 409 | 423 | 425 | 429)
        }
        Some(Fault::Request(error)) => error.is_builder(),
        _ => false,
    }
}

/// Says what went wrong with a transport. The address and the words of the server are left out: filled in variables may
/// be keys, and a server may repeat its address.
pub(super) fn words(error: &DynamicTransportError) -> String {
    if let Some(error) = cause::<StreamableHttpError<Fault>>(error) {
        return of_http(error);
    }
    match cause::<std::io::Error>(error) {
        Some(error) => error.to_string(),
        None => "the connection failed".to_owned(),
    }
}

fn of_http(error: &StreamableHttpError<Fault>) -> String {
    match error {
        StreamableHttpError::Client(Fault::Request(error)) => of_request(error),
        StreamableHttpError::Client(fault) => fault.to_string() + of_fault(fault),
        StreamableHttpError::SessionExpired => "the server ended the session".to_owned(),
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => LOG_IN.to_owned(),
        StreamableHttpError::UnexpectedServerResponse(_) | StreamableHttpError::Deserialize(_) => {
            "the answer is no message of the protocol".to_owned()
        }
        StreamableHttpError::Sse(_) | StreamableHttpError::UnexpectedEndOfStream => {
            "the answer broke off".to_owned()
        }
        StreamableHttpError::Io(error) => error.to_string(),
        _ => "the connection failed".to_owned(),
    }
}

/// Returns what can be done about a refusal.
fn of_fault(fault: &Fault) -> &'static str {
    match fault {
        Fault::Status { status, .. } => match status.as_u16() {
            404 | 405 | 410 => ": the address is not that of a server over Streamable HTTP; correct `url`",
            _ => "",
        },
        _ => "",
    }
}

/// Says why a request failed, with its innermost cause, which has no address.
fn of_request(error: &reqwest::Error) -> String {
    let what = if error.is_timeout() {
        "time limit of a connection"
    } else if error.is_connect() {
        "no connection"
    } else if error.is_builder() {
        "the address is not valid"
    } else {
        "the request failed"
    };
    let mut innermost = None;
    let mut cause = error.source();
    while let Some(error) = cause {
        innermost = Some(error);
        cause = error.source();
    }
    innermost.map_or_else(|| what.to_owned(), |error| format!("{what}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_is_asked_about_this_machine() {
        for (url, here) in [
            ("http://localhost:3000/mcp", true),
            ("http://127.0.0.1/", true),
            ("http://127.8.9.1:80/", true),
            ("http://[::1]:3000/mcp", true),
            ("http://mcp.localhost/", true),
            ("https://docs.example/mcp", false),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_here(url), here, "{url}");
        }
    }
}
