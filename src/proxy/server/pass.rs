//! Passes on a reply that no run reads, as far as it has no call: nobody would decide about the call.
//!
//! Must not know: how a call is decided, how a run records the request.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use hyper::{HeaderMap, Method, StatusCode, header};

use super::Server;
use super::answers::{BodyError, Sent, plain, respond};
use crate::alarms::Alarms;
use crate::events::{Cutter, Form};
use crate::unread::{HAS_CALL, LEADS_PAST, Unread};
use crate::{body_calls, conversation, headers};
use overrule_base::text::visible;
use overrule_model::http::compression::{Decompressor, MAX_REPLY};
use overrule_model::http::unpacker;

impl Server {
    /// Passes a request and its reply on.
    pub(super) async fn pass(&self, method: Method, path: &str, headers: &HeaderMap, body: Bytes) -> Sent {
        let wire = conversation::wire_of(path).or(conversation::history_of(path));
        let upstream = match self.setup.upstreams.of_request(wire, headers) {
            Ok(upstream) => upstream,
            Err(error) => {
                // A query may hold a key.
                let path = visible(path.split('?').next().unwrap_or_default());
                tracing::warn!(%method, path, %error, "refused a request");
                return plain(StatusCode::BAD_REQUEST, &error.to_string());
            }
        };
        let head = headers::for_model(headers);
        let sent = upstream.send(method.clone(), path, head, body).await;
        match sent {
            Ok(response) => self.hand_on(&method, path, response).await,
            Err(error) => plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        }
    }

    /// Hands on a reply to this request as it comes, until it has a call. A reply that begins with one is refused.
    pub(super) async fn hand_on(&self, method: &Method, path: &str, response: reqwest::Response) -> Sent {
        let (status, mut head) = (response.status(), headers::for_agent(response.headers()));
        if self.setup.pass_unknown || conversation::lists_history(path) {
            let body = response
                .bytes_stream()
                .map_err(|error| BodyError::from(error.without_url()));
            let body = StreamBody::new(body.map_ok(Frame::data));
            return respond(status, head, body.boxed_unsync());
        }
        let refuse = |why: &str| {
            let unread = Unread::new(method, path, why);
            self.setup.alarms.raise(&unread.alarm());
            plain(StatusCode::BAD_GATEWAY, &unread.answer())
        };
        if status.is_redirection() && head.contains_key(header::LOCATION) {
            return refuse(LEADS_PAST);
        }
        let unpacker = match unpacker(&response, MAX_REPLY) {
            Ok(unpacker) => unpacker,
            Err(error) => return refuse(&error.to_string()),
        };
        head.remove(header::CONTENT_ENCODING);
        let mut rest = Rest {
            response,
            unpacker,
            cutter: Cutter::new(Form::Whole),
            has_ended: false,
            alarms: self.setup.alarms.clone(),
            alarm: Unread::new(method, path, HAS_CALL).alarm(),
        };
        let first = match rest.next().await {
            Ok(first) => first,
            Err(Failed::HasCall) => return refuse(HAS_CALL),
            Err(Failed::Broken(why)) => return plain(StatusCode::BAD_GATEWAY, &why),
        };
        let rest = futures_util::stream::unfold(Some(rest), |rest| async move {
            let mut rest = rest?;
            match rest.next().await {
                Ok(Some(bytes)) => Some((Ok(bytes), Some(rest))),
                Ok(None) => None,
                Err(failed) => Some((Err(rest.cut(failed)), None)),
            }
        });
        let body = futures_util::stream::iter(first.map(Ok)).chain(rest);
        respond(
            status,
            head,
            StreamBody::new(body.map_ok(Frame::data)).boxed_unsync(),
        )
    }
}

/// What is left of a reply.
struct Rest {
    response: reqwest::Response,
    unpacker: Decompressor,
    cutter: Cutter,
    has_ended: bool,
    alarms: Alarms,
    /// What the operator must see if it has a call.
    alarm: String,
}

/// Why nothing more of a reply passes.
enum Failed {
    HasCall,
    Broken(String),
}

impl Rest {
    /// Returns the next bytes that the agent may have; none at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Failed> {
        while !self.has_ended {
            let piece = self.response.chunk().await;
            let piece = piece.map_err(|error| Failed::Broken(error.without_url().to_string()))?;
            self.has_ended = piece.is_none();
            let plain = match &piece {
                Some(piece) => self.unpacker.feed(piece),
                None => std::mem::take(&mut self.unpacker).end(),
            };
            let plain = plain.map_err(|error| Failed::Broken(error.to_string()))?;
            let events = self.cutter.feed(&plain);
            let mut events = events.map_err(|error| Failed::Broken(error.to_string()))?;
            if self.has_ended {
                events.extend(self.cutter.end_of_body());
            }
            if events.iter().any(body_calls::may_have) {
                return Err(Failed::HasCall);
            }
            let bytes: Vec<u8> = events.into_iter().flat_map(|event| event.bytes).collect();
            if !bytes.is_empty() {
                return Ok(Some(bytes.into()));
            }
        }
        Ok(None)
    }

    /// The agent has the beginning: the connection is to break.
    fn cut(&self, failed: Failed) -> BodyError {
        match failed {
            Failed::HasCall => {
                self.alarms.raise(&self.alarm);
                HAS_CALL.into()
            }
            Failed::Broken(why) => why.into(),
        }
    }
}
