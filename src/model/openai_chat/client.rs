//! Sends a request over HTTP and turns the answer into chunks while it arrives.
//!
//! Nothing is tried twice here: whether to ask again is a recorded decision of the engine. Must not
//! know: the graph, the journal, approvals.

#[cfg(test)]
mod tests;

use std::sync::Once;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::body::Body;
use super::frame::Object;
use super::{encode, error, retry};
use crate::domain::turn::{StreamFault, StreamFaultKind};
use crate::model::show::{excerpt, visible};
use crate::model::{Chunk, Model, Request};

/// Most bytes of an error's body that are read.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// Most bytes of a list of models.
const MAX_MODELS: usize = 4 * 1024 * 1024;

/// How long the client waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the next byte, the first one included.
    pub silence: Duration,
    /// For the end mark, once the server said why it stopped.
    pub farewell: Duration,
    /// For the body of an error.
    pub error_body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(300),
            farewell: Duration::from_secs(10),
            error_body: Duration::from_secs(10),
        }
    }
}

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The base URL cannot be used.
    #[error("the base URL `{url}` cannot be used: {why}; it looks like http://127.0.0.1:11434/v1")]
    BaseUrl {
        /// As given.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// The key holds characters that no header can.
    #[error(
        "the API key holds characters that cannot be sent in a header; check it for line breaks and blanks"
    )]
    Key,
    /// The HTTP client could not be made.
    #[error("failed to set up HTTPS: {why}; are the system's CA certificates installed?")]
    Tls {
        /// What the library says.
        why: String,
    },
}

/// A server that speaks Chat Completions.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    url: Url,
    model: String,
    key: Option<SecretString>,
    patience: Patience,
}

impl Client {
    /// A client for the server at `base_url` (up to and without `/chat/completions`).
    pub fn new(
        base_url: &str,
        model: &str,
        key: Option<SecretString>,
        patience: Patience,
    ) -> Result<Self, Error> {
        let url = endpoint(base_url, "/chat/completions")?;
        let http = http_client(&url, key.as_ref(), patience.connect)?;
        Ok(Self {
            http,
            url,
            model: model.to_owned(),
            key,
            patience,
        })
    }

    async fn converse(&self, request: Request, chunks: &mpsc::Sender<Chunk>) -> Result<(), StreamFault> {
        let body = encode::body(&self.model, &request);
        let send = self
            .http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send();
        let response = match tokio::time::timeout(self.patience.silence, send).await {
            Err(_) => return Err(self.silent()),
            Ok(Err(error)) => return Err(self.broken(&error)),
            Ok(Ok(response)) => response,
        };
        if response.status() != StatusCode::OK {
            return Err(self.refused(response).await);
        }
        self.read(response, chunks).await
    }

    async fn read(&self, mut response: Response, chunks: &mpsc::Sender<Chunk>) -> Result<(), StreamFault> {
        let mut body = Body::default();
        let mut out = Vec::new();
        loop {
            let wait = if body.finished() {
                self.patience.farewell
            } else {
                self.patience.silence
            };
            let (result, over) = match tokio::time::timeout(wait, response.chunk()).await {
                Ok(Ok(Some(bytes))) => (body.feed(&bytes, &mut out), body.ended()),
                Ok(Ok(None)) => (body.end(&mut out), true),
                // Whatever happens to the connection after the answer was finished harms nothing.
                Err(_) | Ok(Err(_)) if body.finished() => (body.end(&mut out), true),
                Err(_) => (Err(self.silent()), true),
                Ok(Err(error)) => (Err(self.broken(&error)), true),
            };
            for chunk in out.drain(..) {
                chunks.send(chunk).await.map_err(|_| cancelled())?;
            }
            result.map_err(|fault| StreamFault {
                message: self.without_key(fault.message),
                ..fault
            })?;
            if over {
                return Ok(());
            }
        }
    }

    /// A status other than 200, with the server's own words.
    async fn refused(&self, mut response: Response) -> StreamFault {
        let status = response.status();
        let retry_after_ms = retry::after(response.headers());
        let location = response
            .headers()
            .get(LOCATION)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let mut bytes = Vec::new();
        let read = async {
            while let Ok(Some(piece)) = response.chunk().await {
                let room = MAX_ERROR_BODY.saturating_sub(bytes.len());
                bytes.extend(piece.iter().take(room));
                if bytes.len() >= MAX_ERROR_BODY {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(self.patience.error_body, read).await;
        let body = String::from_utf8_lossy(&bytes);
        let words = Object::read(&body)
            .and_then(|object| error::words(&object))
            .unwrap_or_else(|| body.into_owned());
        let kind = error::of_status(u64::from(status.as_u16()));
        let mut message = format!("{} answered {status}", self.place());
        if !words.trim().is_empty() {
            message.push_str(": ");
            message.push_str(&excerpt(&self.without_key(words)));
        }
        if let Some(location) = location {
            message.push_str("; it redirects, which is not followed, to ");
            message.push_str(&excerpt(&location));
        }
        message.push_str(match (kind, status.as_u16()) {
            (StreamFaultKind::Auth, _) => "; check the API key",
            (_, 404) => "; check the base URL and the model's name",
            (_, 300..=399) => "; put the right address into the base URL",
            _ => "",
        });
        StreamFault {
            kind,
            message,
            retry_after_ms,
        }
    }

    fn broken(&self, error: &reqwest::Error) -> StreamFault {
        let (kind, what) = if error.is_timeout() {
            (StreamFaultKind::Timeout, "no connection in time to")
        } else if error.is_connect() {
            (StreamFaultKind::Network, "failed to connect to")
        } else if error.is_decode() && !error.is_body() {
            (
                StreamFaultKind::Network,
                "the answer broke off or could not be unpacked, from",
            )
        } else {
            (StreamFaultKind::Network, "the connection broke to")
        };
        StreamFault {
            kind,
            message: format!("{what} {}: {}", self.place(), self.without_key(chain(error))),
            retry_after_ms: None,
        }
    }

    fn silent(&self) -> StreamFault {
        StreamFault {
            kind: StreamFaultKind::Timeout,
            message: format!(
                "{} said nothing for {} s",
                self.place(),
                self.patience.silence.as_secs_f32()
            ),
            retry_after_ms: None,
        }
    }

    /// Host and port, for people.
    fn place(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        visible(&match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    /// Some servers repeat the key that they refuse.
    fn without_key(&self, text: String) -> String {
        match &self.key {
            Some(key) if key.expose_secret().len() >= 4 => text.replace(key.expose_secret(), "[the API key]"),
            _ => text,
        }
    }
}

impl Model for Client {
    fn name(&self) -> String {
        format!("{} at {}", visible(&self.model), self.place())
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            // Whichever ends first, the other is dropped, and the connection with it.
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                result = self.converse(request, &chunks) => result,
            }
        })
    }
}

/// Chooses the cryptography of every TLS connection, once for the process.
fn install_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody installed one before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// An HTTP client with the key in every request, for this address.
fn http_client(url: &Url, key: Option<&SecretString>, connect: Duration) -> Result<reqwest::Client, Error> {
    install_provider();
    let mut headers = HeaderMap::new();
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("text/event-stream, application/json"),
    );
    if let Some(key) = key {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())).map_err(|_| Error::Key)?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .connect_timeout(connect)
        // A redirect would repeat the request as something else, and the key with it.
        .redirect(Policy::none());
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // No certificates are needed, so a system without any must not stop us.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::Tls { why: chain(&error) })
}

/// The names of the models that a server offers; none where it does not answer the question.
pub(in crate::model) async fn models(
    base_url: &str,
    key: Option<&SecretString>,
    wait: Duration,
) -> Option<Vec<String>> {
    let url = endpoint(base_url, "/models").ok()?;
    let http = http_client(&url, key, wait).ok()?;
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
        let list = Object::read(&text)?;
        list.get("data")?;
        let name = |raw: &str| Some(Object::read(raw)?.filled("id")?.into_owned());
        Some(list.array("data").into_iter().filter_map(name).collect())
    })
    .await
    .ok()
    .flatten()
}

/// The address of an endpoint under a base URL.
fn endpoint(base_url: &str, name: &str) -> Result<Url, Error> {
    let bad = |why: &str| Error::BaseUrl {
        url: visible(base_url),
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
    let path = url
        .path()
        .trim_end_matches('/')
        .trim_end_matches("/chat/completions")
        .to_owned();
    url.set_path(&format!("{path}{name}"));
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// An error with its causes, without the address, which stands in the message already.
fn chain(error: &reqwest::Error) -> String {
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

fn cancelled() -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message: "the request was stopped here".to_owned(),
        retry_after_ms: None,
    }
}
