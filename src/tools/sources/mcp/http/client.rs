//! Sends messages to a server over HTTP and reads its replies tolerantly.
//!
//! Must not know: what the messages mean, sessions beyond their header.

mod replies;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio_util::sync::CancellationToken;

use self::replies::Replies;
use super::events::{Events, MOST};
use crate::sources::mcp::reader::{NO_CODE, Reader, Received, UNREADABLE};
use crate::sources::mcp::sending;
use overrule_resilience::wait::asked;

/// Header of a session.
const SESSION: &str = "mcp-session-id";
/// Header of the last event that was received.
const LAST_EVENT: &str = "last-event-id";
/// Media types of a reply.
const ACCEPTED: &str = "text/event-stream, application/json";
/// Bytes read of the body of a refusal.
const REFUSAL: usize = 64 * 1024;

/// Why a message has no reply.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum Fault {
    /// The request failed, or its reply broke off.
    #[error("the request failed")]
    Request(#[from] reqwest::Error),
    /// The server refused it.
    #[error("HTTP {}", status.as_u16())]
    Status {
        /// The status.
        status: StatusCode,
        /// Milliseconds until it may be sent again, if the server says so.
        retry_after_ms: Option<u64>,
    },
    /// The server is somewhere else.
    #[error("HTTP {}: it sends on to {to}, {why}", status.as_u16())]
    Redirect {
        /// The status.
        status: StatusCode,
        /// The other address, without its query.
        to: String,
        /// Why it is not followed.
        why: &'static str,
    },
    /// The reply is longer than allowed.
    #[error("the answer is longer than {} MiB", MOST >> 20)]
    TooLong,
    /// The reply is no message.
    #[error("the answer is no message of the protocol ({0})")]
    NoMessage(String),
    /// The request was taken, but nothing will bring its answer.
    #[error("the server took the request and gives no way to receive its answer")]
    NoAnswer,
}

type Error = StreamableHttpError<Fault>;
type Headers = HashMap<HeaderName, HeaderValue>;
type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The client of one connection.
#[derive(Clone)]
pub(in super::super) struct Client {
    http: reqwest::Client,
    reader: Arc<Reader>,
    /// Cancelled once the server does not accept connections any more.
    gone: CancellationToken,
}

impl Client {
    pub(super) fn new(http: reqwest::Client, reader: Arc<Reader>, gone: CancellationToken) -> Self {
        Self { http, reader, gone }
    }

    fn request(
        &self,
        (method, uri): (Method, &str),
        session: Option<&str>,
        token: Option<String>,
        own: Headers,
    ) -> Result<RequestBuilder, Error> {
        let mut headers = HeaderMap::new();
        headers.extend(own);
        headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
        let invalid = |_| Error::Client(Fault::NoMessage("a header cannot be sent".to_owned()));
        if let Some(session) = session {
            let value = HeaderValue::from_str(session).map_err(invalid)?;
            headers.insert(HeaderName::from_static(SESSION), value);
        }
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(invalid)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(self.http.request(method, uri).headers(headers))
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        let sent = request.send().await;
        sent.map_err(|error| Error::Client(Fault::Request(error)))
    }

    /// Returns the messages of a text for the library.
    fn messages(&self, bytes: &[u8]) -> Vec<ServerJsonRpcMessage> {
        let received = self.reader.read(bytes).into_iter();
        let messages = received.filter_map(|received| match received {
            Received::Message(message) => Some(*message),
            // Over HTTP it proves nothing about the other requests.
            Received::NeverSent(_) => None,
        });
        messages.collect()
    }

    /// Returns the messages of a body that is not marked as a stream of events. It may be one.
    fn in_body(&self, body: &[u8]) -> Vec<ServerJsonRpcMessage> {
        let starts = ["data:", "event:", "id:", ":"];
        if !starts
            .iter()
            .any(|start| body.trim_ascii_start().starts_with(start.as_bytes()))
        {
            return self.messages(body);
        }
        let mut events = Events::default();
        // A body is not longer than an event may be.
        let _ = events.push(body);
        events.end();
        std::iter::from_fn(|| events.pop())
            .flat_map(|event| self.messages(event.data.unwrap_or_default().as_bytes()))
            .collect()
    }

    /// Ends a request by an error of this program.
    fn ended(&self, id: Option<&RequestId>, code: i32, words: &str) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.reader.end(id?, code, words)
    }

    /// Reads the events of a reply. If it ends without the answer to its request, that ends too, unless it can be resumed.
    fn events(&self, response: Response, id: Option<RequestId>) -> EventStream {
        let state = Replies {
            client: self.clone(),
            bytes: response
                .bytes_stream()
                .map(|chunk| chunk.map(|bytes| bytes.to_vec()))
                .boxed(),
            events: Events::default(),
            ready: VecDeque::new(),
            id,
            can_resume: false,
            ended: false,
        };
        stream::unfold(state, |mut state| async move {
            let event = state.next().await?;
            Some((event, state))
        })
        .boxed()
    }

    async fn posted(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        had_session: bool,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let id = match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let status = response.status();
        if !status.is_success() {
            return self.refused(response, message, had_session).await;
        }
        let session = header(response.headers(), &HeaderName::from_static(SESSION));
        let Some(id) = id else {
            // Nothing in the reply to a notification counts.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // Without a session there is no other stream.
            return if had_session {
                Ok(StreamableHttpPostResponse::Accepted)
            } else {
                Err(Error::Client(Fault::NoAnswer))
            };
        }
        let kind = header(response.headers(), &CONTENT_TYPE).unwrap_or_default();
        if kind.to_ascii_lowercase().contains("event-stream") {
            let events = self.events(response, Some(id));
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let body = body(response, MOST).await.map_err(Error::Client)?;
        let mut messages = self.in_body(&body);
        if messages.len() == 1 && answers(messages.first(), &id) {
            let answer = messages.pop().ok_or(Error::UnexpectedEndOfStream)?;
            return Ok(StreamableHttpPostResponse::Json(answer, session));
        }
        if !messages.iter().any(|one| answers(Some(one), &id)) {
            let words = format!("content type {}", if kind.is_empty() { "missing" } else { &kind });
            let fault = Fault::NoMessage(overrule_base::text::visible_head(&words, 100));
            messages.extend(self.ended(Some(&id), UNREADABLE, &fault.to_string()));
        }
        let events = messages.iter().map(|message| Ok(event(message)));
        let events: Vec<_> = events.collect();
        Ok(StreamableHttpPostResponse::Sse(
            stream::iter(events).boxed(),
            session,
        ))
    }

    /// A reply with another status than success. Errors of the protocol in it count.
    async fn refused(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        had_session: bool,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let (status, headers) = (response.status(), response.headers().clone());
        if let Some(error) = log_in(status, &headers) {
            return Err(error);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(Error::SessionExpired);
        }
        if status.is_redirection() {
            return Err(Error::Client(redirected(&response)));
        }
        let JsonRpcMessage::Request(request) = message else {
            // A server that refuses a notification may take requests all the same.
            self.reader
                .note(format!("a notification was refused: HTTP {}", status.as_u16()));
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_));
        let body = body(response, REFUSAL).await.unwrap_or_default();
        // A page of HTML is no message; only the error that the body says is taken from it.
        let mut messages = match body.trim_ascii_start().first() {
            Some(b'{' | b'[') => self.messages(&body),
            _ => Vec::new(),
        };
        let error = messages
            .iter()
            .position(|one| answers(Some(one), &request.id) && is_of_protocol(one));
        if let Some(at) = error
            && status != StatusCode::TOO_MANY_REQUESTS
        {
            return Ok(StreamableHttpPostResponse::Json(messages.swap_remove(at), None));
        }
        if is_probe {
            let words = format!("HTTP {}", status.as_u16());
            let answer = self
                .ended(Some(&request.id), ErrorCode::METHOD_NOT_FOUND.0, &words)
                .or_else(|| messages.pop());
            return answer
                .map(|answer| StreamableHttpPostResponse::Json(answer, None))
                .ok_or_else(|| Error::Client(refusal(status, &headers)));
        }
        Err(Error::Client(refusal(status, &headers)))
    }
}

/// True for the answer to a request.
fn answers(message: Option<&ServerJsonRpcMessage>, id: &RequestId) -> bool {
    match message {
        Some(JsonRpcMessage::Response(response)) => response.id == *id,
        Some(JsonRpcMessage::Error(error)) => error.id.as_ref() == Some(id),
        _ => false,
    }
}

/// True for an error with a code: other programs on the way answer in JSON, too.
const fn is_of_protocol(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Error(error) if error.error.code.0 != NO_CODE)
}

fn event(message: &ServerJsonRpcMessage) -> Sse {
    Sse::default().data(serde_json::to_string(message).unwrap_or_default())
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

/// Returns what a refusal says, if it wants a log-in.
fn log_in(status: StatusCode, headers: &HeaderMap) -> Option<Error> {
    let challenge = header(headers, &WWW_AUTHENTICATE);
    match (status, challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => Some(Error::AuthRequired(AuthRequiredError::new(
            challenge.unwrap_or_default(),
        ))),
        (StatusCode::FORBIDDEN, Some(challenge)) => Some(Error::InsufficientScope(
            InsufficientScopeError::new(challenge, None),
        )),
        _ => None,
    }
}

fn refusal(status: StatusCode, headers: &HeaderMap) -> Fault {
    Fault::Status {
        status,
        retry_after_ms: asked(|name| headers.get(name)?.to_str().ok())
            .filter(|_| headers.contains_key(RETRY_AFTER)),
    }
}

/// Describes a redirect that is not followed.
fn redirected(response: &Response) -> Fault {
    let (status, from) = (response.status(), response.url());
    let to = header(response.headers(), &LOCATION).and_then(|to| from.join(&to).ok());
    let why = match &to {
        None => "which is no address",
        Some(to) if to.origin() != from.origin() => "another server; write that address if you trust it",
        Some(_) if matches!(status.as_u16(), 307 | 308) => "again and again",
        Some(_) => "where the message would not arrive; write that address",
    };
    let to = to.map_or_else(String::new, |to| place(&to));
    Fault::Redirect { status, to, why }
}

/// Returns an address without its query and user, which can hold keys.
fn place(url: &Url) -> String {
    let place = format!("{}{}", url.origin().ascii_serialization(), url.path());
    overrule_base::text::visible_head(&place, 200)
}

/// Reads a body of at most this many bytes.
async fn body(response: Response, most: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = bytes.next().await {
        let chunk = chunk?;
        if body.len() + chunk.len() > most {
            return Err(Fault::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

impl StreamableHttpClient for Client {
    type Error = Fault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        self.reader.sent(&message);
        let text = sending::text(&message)?;
        let session = session_id.as_deref();
        let request = self.request((Method::POST, &uri), session, auth_header, custom_headers)?;
        let request = request.header(CONTENT_TYPE, "application/json").body(text);
        let reply = async {
            let response = self.send(request).await?;
            self.posted(response, &message, session_id.is_some()).await
        };
        let Some(until) = self.reader.probe_ends() else {
            return reply.await;
        };
        tokio::select! {
            reply = reply => reply,
            () = tokio::time::sleep_until(until) => {
                let answer = self.reader.give_up_probe().ok_or(Error::UnexpectedEndOfStream)?;
                Ok(StreamableHttpPostResponse::Json(answer, None))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Error> {
        let request = self.request(
            (Method::DELETE, &uri),
            Some(&session_id),
            auth_header,
            custom_headers,
        )?;
        self.send(request).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<EventStream, Error> {
        let session = session_id.as_deref();
        let mut request = self.request((Method::GET, &uri), session, auth_header, custom_headers)?;
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let response = self.send(request).await.inspect_err(|error| {
            if matches!(error, Error::Client(Fault::Request(cause)) if cause.is_connect()) {
                self.gone.cancel();
            }
        })?;
        let status = response.status();
        if let Some(error) = log_in(status, response.headers()) {
            return Err(error);
        }
        let kind = header(response.headers(), &CONTENT_TYPE).unwrap_or_default();
        if !status.is_success() || !kind.to_ascii_lowercase().contains("event-stream") {
            // Whatever it answers, there is no stream to be had.
            return Err(Error::ServerDoesNotSupportSse);
        }
        Ok(self.events(response, None))
    }
}
