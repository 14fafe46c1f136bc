//! Sends an HTTP request.
//!
//! Must not know: other tools, who allowed it.

mod failures;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, TRANSFER_ENCODING,
};
use reqwest::{Client, Method, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use self::failures::{broken, by_status, causes, unsent};
use super::common::{arguments, spec, text_outcome};
use super::read_file::SNIFFED;
use crate::errors::{refused, shown, untouched};
use crate::output::{Bounded, BoundedText};
use crate::tool::{Job, Spec, Tool, Writes};
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule_domain::event::run::EffectBy;

/// Default time limit in seconds.
const TIME: u64 = 30;
/// Maximum number of redirects.
const HOPS: usize = 10;
/// Maximum number of bytes received of a body; the rest is left with the server.
const BODY: u64 = 32 * 1024 * 1024;

/// The `http_request` tool.
pub(crate) struct HttpRequest {
    spec: Spec,
    client: Arc<OnceLock<Result<Client, String>>>,
    proxy: bool,
}

impl HttpRequest {
    /// Creates the tool with or without the system's proxy settings.
    pub(crate) fn new(proxy: bool) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "method": {
                    "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
                    "description": "HTTP method."
                },
                "url": {
                    "type": "string",
                    "format": "uri",
                    "pattern": "^[hH][tT][tT][pP][sS]?://",
                    "description": "Full address, starting with http:// or https://."
                },
                "headers": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "description": "Headers to send, by name."
                },
                "body": {
                    "type": "string",
                    "description": "Exact body to send. Set a content-type header with it."
                },
                "timeout_s": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 600,
                    "default": TIME,
                    "description": "Time limit in seconds."
                }
            },
            "required": ["method", "url"],
            "additionalProperties": false
        });
        let mut spec = spec(
            "http_request",
            "Send an HTTP request and return the body of the response as text. Follows up to ten redirects on \
             the same server only. A status of 400 or above is a failure with the body.",
            &schema,
            EffectClass::Unknown,
        );
        spec.card.effect_by = Some(by_method());
        spec.card.tags.push("external".to_owned());
        spec.facts.show_difference = true;
        Self {
            spec,
            client: Arc::default(),
            proxy,
        }
    }
}

/// Returns the effect classes of the methods that HTTP defines as safe or idempotent (RFC 9110, 9.2). A POST or PATCH
/// can do anything.
fn by_method() -> EffectBy {
    let class = |method: &str, effect| (method.to_owned(), effect);
    EffectBy {
        param: "method".into(),
        classes: BTreeMap::from([
            class("GET", EffectClass::Read),
            class("HEAD", EffectClass::Read),
            class("PUT", EffectClass::Idempotent),
            class("DELETE", EffectClass::Idempotent),
        ]),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    method: String,
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    timeout_s: Option<u64>,
}

impl Tool for HttpRequest {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn writes(&self, _args: &Value) -> Writes {
        Writes::Nothing
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (client, proxy) = (self.client.clone(), self.proxy);
        Box::pin(async move {
            let client = match client.get_or_init(|| build(proxy)) {
                Ok(client) => client.clone(),
                Err(why) => return Outcome::err(internal(why)),
            };
            request(&job, &client).await.unwrap_or_else(Outcome::err)
        })
    }
}

fn build(proxy: bool) -> Result<Client, String> {
    // Fails only if a provider is installed already, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::none());
    if !proxy {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| causes(&error))
}

fn internal(why: &str) -> ToolError {
    refused(
        ErrorClass::Internal,
        format!("no requests can be sent: {}", shown(why)),
        "set-up of the HTTP client",
        "check the certificates of this machine",
    )
}

/// A request on its way through redirects.
struct Trip {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<String>,
    hops: Vec<String>,
}

async fn request(job: &Job, client: &Client) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    let seconds = args.timeout_s.unwrap_or(TIME);
    let mut trip = Trip::of(args)?;
    if job.cancel.is_cancelled() {
        return Ok(untouched());
    }
    let begun = Instant::now();
    tokio::select! {
        biased;
        () = job.cancel.cancelled() => Ok(Outcome::Cancelled { executed: true }),
        done = trip.go(client, begun) => done,
        () = tokio::time::sleep(Duration::from_secs(seconds)) => Err(ToolError {
            class: ErrorClass::Transient,
            message: format!("no complete answer from `{}` within {seconds} s", shown(trip_host(job))),
            evidence: format!("time limit of {seconds} s"),
            hint: Some("the request may have arrived; give a larger timeout_s if it is safe to repeat".to_owned()),
            partial: None,
            executed: true,
            retry_after_ms: None,
        }),
    }
}

fn trip_host(job: &Job) -> &str {
    job.args.get("url").and_then(Value::as_str).unwrap_or_default()
}

impl Trip {
    fn of(args: Args) -> Result<Self, ToolError> {
        let method = Method::from_bytes(args.method.as_bytes())
            .map_err(|_| param(format!("`{}` is not a method", shown(&args.method))))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &args.headers {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| param(format!("`{}` is not the name of a header", shown(name))))?;
            let value = HeaderValue::from_str(value).map_err(|_| {
                param(format!(
                    "the value of the header `{name}` holds characters that none may hold"
                ))
            })?;
            headers.append(name, value);
        }
        let url = Url::parse(&args.url)
            .map_err(|error| param(format!("`{}` is not an address: {error}", shown(&args.url))))?;
        check(&url)?;
        Ok(Self {
            method,
            url,
            headers,
            body: args.body,
            hops: Vec::new(),
        })
    }

    async fn go(&mut self, client: &Client, begun: Instant) -> Result<Outcome, ToolError> {
        loop {
            let mut builder = client
                .request(self.method.clone(), self.url.clone())
                .headers(self.headers.clone());
            if let Some(body) = &self.body {
                builder = builder.body(body.clone());
            }
            let first = self.hops.is_empty();
            let response = builder
                .send()
                .await
                .map_err(|error| unsent(&self.url, &error, first))?;
            match self.next(&response)? {
                Some(url) => self.follow(response.status(), url)?,
                None => return self.receive(response, begun).await,
            }
        }
    }

    /// Returns where a response redirects the request.
    fn next(&self, response: &Response) -> Result<Option<Url>, ToolError> {
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(location) = response.headers().get(LOCATION) else {
            return Ok(None);
        };
        let location = String::from_utf8_lossy(location.as_bytes());
        let url = self.url.join(&location).map_err(|_| ToolError {
            executed: true,
            ..param(format!(
                "the server redirects to `{}`, which is not an address",
                shown(&location)
            ))
        })?;
        Ok(Some(url))
    }

    fn follow(&mut self, status: StatusCode, url: Url) -> Result<(), ToolError> {
        check(&url).map_err(|error| ToolError {
            message: format!("redirected: {}", error.message),
            executed: true,
            ..error
        })?;
        if !same_server(&self.url, &url) {
            return Err(ToolError {
                class: ErrorClass::Business,
                message: format!(
                    "`{}` redirects to another server, `{}`, which was not asked",
                    shown(self.url.as_str()),
                    shown(url.as_str())
                ),
                evidence: format!("HTTP {}, Location", status.as_u16()),
                hint: Some("to send a request to that server, make a new call".to_owned()),
                partial: None,
                executed: true,
                retry_after_ms: None,
            });
        }
        if self.hops.len() == HOPS {
            return Err(ToolError {
                class: ErrorClass::Business,
                message: format!(
                    "more than {HOPS} redirects, the last to `{}`",
                    shown(url.as_str())
                ),
                evidence: "limit of redirects".to_owned(),
                hint: Some("request the final address directly".to_owned()),
                partial: Some(json!(self.hops).to_string().into()),
                executed: true,
                retry_after_ms: None,
            });
        }
        let turns_get = status == StatusCode::SEE_OTHER && self.method != Method::HEAD
            || matches!(status.as_u16(), 301 | 302) && self.method == Method::POST;
        if turns_get {
            self.method = Method::GET;
            self.body = None;
            for name in [CONTENT_TYPE, CONTENT_LENGTH, TRANSFER_ENCODING] {
                self.headers.remove(name);
            }
        }
        self.hops.push(url.to_string());
        self.url = url;
        Ok(())
    }

    async fn receive(&self, response: Response, begun: Instant) -> Result<Outcome, ToolError> {
        let status = response.status();
        let headers = response.headers().clone();
        let mut body = Bounded::default();
        let mut binary = false;
        let mut rest = false;
        let mut stream = response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| broken(&self.url, &error))?;
            if body.total() < SNIFFED as u64 {
                binary |= chunk.iter().take(SNIFFED).any(|byte| *byte == 0);
            }
            body.push(&chunk);
            if body.total() > BODY {
                rest = true;
                break;
            }
        }
        let stored = body.finish();
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let meta = json!({
            "status": status.as_u16(),
            "headers": some(&headers),
            "bytes": stored.total,
            "ms": ms,
            "truncated": rest || stored.discarded > 0,
            "redirects": self.hops
        });
        let (text, discarded) = text_of(&stored, binary, &headers);
        if status.as_u16() < 400 {
            return Ok(text_outcome(&text, &meta, discarded));
        }
        let mut error = by_status(status, &headers, &self.url, &text);
        // The first server may have had an effect before it redirected.
        error.executed |= !self.hops.is_empty();
        Err(error)
    }
}

/// Returns true if both addresses are of one server. An approval covers one server: secrets and body go to no
/// other. An upgrade from http to https on the same host is the same server.
pub(super) fn same_server(from: &Url, to: &Url) -> bool {
    let ports = |url: &Url| url.port_or_known_default();
    let upgraded = from.scheme() == "http"
        && to.scheme() == "https"
        && (ports(from), ports(to)) == (Some(80), Some(443));
    let same = from.scheme() == to.scheme() && ports(from) == ports(to);
    from.host() == to.host() && (same || upgraded)
}

fn text_of(stored: &BoundedText, binary: bool, headers: &HeaderMap) -> (String, u64) {
    if !binary {
        return (stored.text.clone(), stored.discarded);
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let text = format!(
        "[binary body, {}, {} bytes, not shown]",
        shown(kind.unwrap_or("of no declared type")),
        stored.total
    );
    (text, stored.total)
}

fn param(message: String) -> ToolError {
    refused(
        ErrorClass::Param,
        message,
        "read by the tool",
        "correct the argument",
    )
}

fn check(url: &Url) -> Result<(), ToolError> {
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        return Ok(());
    }
    Err(refused(
        ErrorClass::Param,
        format!("`{}` is not an http or https address", shown(url.as_str())),
        "scheme of the address",
        "use http or https; read files with read_file",
    ))
}

/// Returns the headers that matter to a reader of the body; cookies and the like are left out.
fn some(headers: &HeaderMap) -> Value {
    let names = [
        "content-type",
        "content-length",
        "etag",
        "last-modified",
        "location",
        "retry-after",
    ];
    let found = names.iter().filter_map(|name| {
        let value = headers.get(*name)?;
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        Some(((*name).to_owned(), Value::from(value)))
    });
    Value::Object(found.collect())
}
