//! Reads the replies of a server as they come.
//!
//! Must not know: what the messages mean.

use std::collections::VecDeque;

use futures_util::stream::{BoxStream, StreamExt as _};
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::super::events::Events;
use super::{Client, Fault, answers, event};
use crate::sources::mcp::reader::{TOO_LONG, UNREADABLE};

/// The reply that a stream of events brings.
pub(super) struct Replies {
    pub(super) client: Client,
    pub(super) bytes: BoxStream<'static, reqwest::Result<Vec<u8>>>,
    pub(super) events: Events,
    pub(super) ready: VecDeque<Sse>,
    /// The request that the stream answers; `None` for the stream of the session, and after the answer.
    pub(super) id: Option<RequestId>,
    /// True once an event had an id: the library asks for the rest of a stream that ends.
    pub(super) can_resume: bool,
    pub(super) ended: bool,
}

impl Replies {
    pub(super) async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.ended {
                return None;
            }
            match self.bytes.next().await {
                Some(Ok(chunk)) if self.events.push(&chunk).is_err() => {
                    self.end(TOO_LONG, &Fault::TooLong.to_string());
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    self.events.end();
                    self.ended = true;
                }
            }
            while let Some(event) = self.events.pop() {
                self.take(event);
            }
            if self.ended && !self.can_resume {
                self.end(UNREADABLE, "the answer broke off");
            }
        }
    }

    /// Ends the stream, and the request that it should have answered.
    pub(super) fn end(&mut self, code: i32, words: &str) {
        self.ended = true;
        let ended = self.client.ended(self.id.take().as_ref(), code, words);
        self.ready.extend(ended.as_ref().map(event));
    }

    /// Repairs the messages of an event. The name of an event does not count if it carries one.
    pub(super) fn take(&mut self, mut whole: Sse) {
        self.can_resume |= whole.id.as_ref().is_some_and(|id| !id.is_empty());
        let data = whole.data.take().unwrap_or_default();
        let messages = if data.trim().is_empty() {
            Vec::new()
        } else {
            self.client.messages(data.as_bytes())
        };
        if let Some(id) = &self.id
            && messages.iter().any(|message| answers(Some(message), id))
        {
            self.id = None;
        }
        // What the event says about the stream comes first.
        whole.event = None;
        if whole.id.is_some() || whole.retry.is_some() {
            self.ready.push_back(whole);
        }
        self.ready.extend(messages.iter().map(event));
    }
}
