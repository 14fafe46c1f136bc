//! Builds the responses of the server.
//!
//! Must not know: requests, conversations.

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};

use super::MAX_BODY;
use crate::response_body::BodyReader;
use crate::run::FAILED;

pub(super) type BodyError = Box<dyn std::error::Error + Send + Sync>;
pub(super) type Sent = Response<UnsyncBoxBody<Bytes, BodyError>>;

/// The answer to a request above the limit.
pub(super) fn too_large() -> Sent {
    let most = MAX_BODY >> 20;
    plain(
        StatusCode::PAYLOAD_TOO_LARGE,
        &format!(
            "the request has more than the {most} MB that the proxy reads; hint: let the agent shorten its history"
        ),
    )
}

/// The body of a response that a run writes.
pub(super) fn stream(body: BodyReader) -> UnsyncBoxBody<Bytes, BodyError> {
    let body = futures_util::stream::unfold(body, |body| async move {
        body.next().await.map(|piece| (piece, body))
    });
    let body = body
        .map_ok(Frame::data)
        .map_err(|error| BodyError::from(error.to_string()));
    BodyExt::boxed_unsync(StreamBody::new(body))
}

pub(super) fn respond(status: StatusCode, headers: HeaderMap, body: UnsyncBoxBody<Bytes, BodyError>) -> Sent {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

pub(super) fn plain(status: StatusCode, words: &str) -> Sent {
    let body = serde_json::json!({"error": {"type": "proxy_error", "message": words}}).to_string();
    let body = Full::new(Bytes::from(body))
        .map_err(|never| match never {})
        .boxed_unsync();
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    respond(status, headers, body)
}

/// The answer to a request that needs a conversation whose task failed.
pub(super) fn failed() -> Sent {
    plain(StatusCode::BAD_GATEWAY, FAILED)
}
