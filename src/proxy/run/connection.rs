//! The connection on which an agent waits for its reply. A reply can begin before the model is asked.
//!
//! Must not know: formats, how a decision is made.

use std::time::Duration;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::incoming::{Head, Pending};
use super::state::RunState;
use super::synthetic_reply::{content_type, head, text};
use crate::events::Form;
use crate::held::HeldReply;
use crate::overlay;
use crate::response_body::BodyWriter;
use overrule_base::text::visible_head;
use overrule_domain::call::{Call, Status};
use overrule_domain::state::{Mode, State};
use overrule_domain::thread::{self, ROOT};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{ReplyHead, encode_whole};

/// Maximum characters of an error that is no JSON text.
const MAX_ERROR: usize = 300;

/// The connection on which the agent waits for its reply.
pub(super) struct Connection {
    progress: Progress,
    out: BodyWriter,
}

/// How often an agent that waits gets an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beats {
    /// If its reply is streamed.
    pub(super) streamed: Duration,
    /// If it is in one piece.
    pub(super) whole: Duration,
}

impl Beats {
    pub(super) const fn every(self, form: Form) -> Duration {
        match form {
            Form::Whole => self.whole,
            Form::Stream | Form::Lines => self.streamed,
        }
    }
}

/// What the agent has of its reply.
enum Progress {
    /// Nothing.
    Nothing(oneshot::Sender<Head>),
    /// The head, and the beginning of a reply that the model has not begun.
    Begun(Box<HeldReply>),
}

/// A reply that continues on its connection.
pub(super) struct OpenReply {
    pub(super) held: HeldReply,
    pub(super) head: (StatusCode, HeaderMap),
    pub(super) out: BodyWriter,
}

impl Connection {
    pub(super) fn new(head: oneshot::Sender<Head>, out: BodyWriter) -> Self {
        let progress = Progress::Nothing(head);
        Self { progress, out }
    }

    /// True once the agent hung up.
    pub(super) fn is_closed(&self) -> bool {
        match &self.progress {
            Progress::Nothing(head) => head.is_closed(),
            Progress::Begun(_) => self.out.is_gone(),
        }
    }

    /// Begins the reply with this head, unless it has begun.
    pub(super) fn begin(self, (wire, form): (Wire, Form), head: Head) -> OpenReply {
        let Head { status, headers } = head;
        match self.progress {
            Progress::Nothing(begin) => {
                let head = (status, headers.clone());
                // An error means that the agent has gone.
                begin.send(Head { status, headers }).unwrap_or_default();
                OpenReply {
                    held: HeldReply::new(wire, form),
                    head,
                    out: self.out,
                }
            }
            Progress::Begun(held) => OpenReply {
                held: *held,
                head: (StatusCode::OK, content_type(form)),
                out: self.out,
            },
        }
    }

    /// Begins a reply that the model has not begun.
    fn begin_early(&mut self, (wire, form): (Wire, Form), head: &ReplyHead) {
        let mut held = HeldReply::new(wire, form);
        let bytes = held.begin(head);
        let progress = Progress::Begun(Box::new(held));
        if let Progress::Nothing(begin) = std::mem::replace(&mut self.progress, progress) {
            let (status, headers) = (StatusCode::OK, content_type(form));
            // An error means that the agent has gone.
            begin.send(Head { status, headers }).unwrap_or_default();
            self.out.write(&bytes);
        }
    }

    /// Sends a heartbeat in a reply that has begun. Returns false where none has.
    fn beat(&mut self) -> bool {
        let Progress::Begun(held) = &mut self.progress else {
            return false;
        };
        self.out.write(&held.heartbeat());
        true
    }

    /// Answers with a whole response. In a reply that has begun, a status other than success becomes an error of the format.
    pub(super) fn answer(self, head: Head, body: &[u8]) {
        match self.progress {
            Progress::Nothing(begin) => {
                // An error means that the agent has gone.
                begin.send(head).unwrap_or_default();
                self.out.write(body);
            }
            Progress::Begun(mut held) => _ = self.out.write(&held.fail(&error(head.status, body))),
        }
    }

    /// Answers with an error of the proxy's own.
    pub(super) fn refuse(self, status: StatusCode, words: &str) {
        let (headers, body) = own_response(words);
        self.answer(Head { status, headers }, &body);
    }

    /// Answers with these words as those of the model. `whole` is the body for an agent that has nothing yet.
    pub(super) fn end_with_text(self, (wire, form): (Wire, Form), words: &str, whole: &str) {
        match self.progress {
            Progress::Nothing(_) => {
                let (status, headers) = (StatusCode::OK, content_type(form));
                self.answer(Head { status, headers }, whole.as_bytes());
            }
            Progress::Begun(mut held) => {
                let end = held.close(&encode_whole(wire, &head(), &text(words)));
                self.out.write(&end);
            }
        }
    }
}

fn own_error(words: &str) -> String {
    json!({"error": {"type": "proxy_error", "message": words}}).to_string()
}

/// Headers and body of an error of the proxy's own.
pub(super) fn own_response(words: &str) -> (HeaderMap, Vec<u8>) {
    (content_type(Form::Whole), own_error(words).into_bytes())
}

/// The body of an error as one line of JSON text: an object with the member `error`.
pub(super) fn error(status: StatusCode, body: &[u8]) -> String {
    let read = serde_json::from_slice::<Value>(body).unwrap_or_default();
    // One format sends a list of one.
    let read = read.get(0).unwrap_or(&read);
    if read.get("error").is_some_and(|error| !error.is_null()) {
        return read.to_string();
    }
    let words = visible_head(&String::from_utf8_lossy(body), MAX_ERROR);
    own_error(&format!("HTTP {}: {words}", status.as_u16()))
}

/// True if the model is asked only after the operator did something.
fn waits_for_operator(state: &State) -> bool {
    let is_unclear = |call: &Call| {
        let is_active = state.nodes.get(&call.id).is_some_and(|node| node.active);
        is_active && matches!(call.status, Status::OutcomeUnknown(_))
    };
    matches!(state.mode, Mode::Paused(_))
        || state.tally.limit_reached.is_some()
        || thread::waits_for_editor(state, ROOT)
        || state.calls.values().any(is_unclear)
}

impl Pending {
    /// True if a heartbeat is due; the next one is due later.
    fn is_due(&mut self, now: Instant, beats: Beats) -> bool {
        let is_due = self.beat_at.is_some_and(|at| at <= now);
        if is_due {
            self.beat_at = Some(now + beats.every(self.incoming.form()));
        }
        is_due
    }
}

impl RunState {
    /// Sends the heartbeats that are due to agents that wait for a reply. If the model is not asked before the operator acts,
    /// the reply begins here.
    pub(super) fn beat_waiting(&mut self, now: Instant) {
        let beats = self.beats;
        if let Some(asked) = self.asked.as_mut()
            && asked.is_due(now, beats)
        {
            asked.connection.beat();
        }
        if let Some(pending) = self.pending.as_mut()
            && pending.is_due(now, beats)
            && !pending.connection.beat()
            && waits_for_operator(&self.state)
        {
            let head = ReplyHead {
                id: overlay::reply_id(&self.state),
                model: pending.incoming.request.model.clone().unwrap_or_default(),
                created: self.state.origin.begun_at / 1000,
            };
            let form = (pending.incoming.wire, pending.incoming.form());
            pending.connection.begin_early(form, &head);
        }
    }
}
