//! Keeps back a reply from its first undecided call on, and gives out what the agent may have.
//!
//! Must not know: sockets, who decides.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::body_calls;
use super::events::{Form, RawEvent};
use super::reading::ReadEvent;
use super::release::{Calls, Changes, Release, calls, with_content};
use overrule_domain::turn::Stop;
use overrule_model::Chunk;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{ReplyHead, ReplyPart, ReplyParts};

/// An event that the agent does not have.
struct Waiting {
    event: RawEvent,
    /// The calls that it has a part of; none where that is not known.
    calls: Option<Vec<usize>>,
    /// The same as the decoder says.
    decoded: Vec<usize>,
    chunks: Vec<Chunk>,
}

/// How often the model is asked for what follows within one reply. Then the agent gets the call under a name that no tool has.
const MOST_ROUNDS: u32 = 8;

/// The reply to one request, as far as it is here.
pub struct HeldReply {
    wire: Wire,
    calls: Box<dyn Calls>,
    form: Form,
    queue: VecDeque<Waiting>,
    decided: BTreeMap<usize, Release>,
    changes: Changes,
    /// Calls that began so far.
    known: usize,
    /// Calls whose beginning the decoder found in what the agent has.
    begun: usize,
    /// The parts of which the agent has something.
    passed: BTreeSet<u32>,
    has_ended: bool,
    /// True for a reply that began here, before the model's: its form does not change.
    has_own_beginning: bool,
    /// True once the rest can be written neither from its events nor in another way.
    is_unwritable: bool,
    /// Everything that was given out, without heartbeats.
    shown: Vec<u8>,
    /// The calls that were given out, also in part.
    given: BTreeSet<usize>,
    /// True from a hidden call on: the rest is made of what was decoded.
    is_made: bool,
    /// True while the model is to say what follows, as the agent does not learn of its calls.
    is_continued: bool,
    /// How often the model said what follows.
    rounds: u32,
    /// The words of continued replies that the agent does not have.
    words: Vec<ReplyPart>,
    /// The newest reply of the model in one piece, as JSON text.
    whole: Option<String>,
}

impl HeldReply {
    /// Begins a reply that was asked for in this form.
    pub fn new(wire: Wire, form: Form) -> Self {
        Self {
            wire,
            calls: calls(wire),
            form,
            queue: VecDeque::new(),
            decided: BTreeMap::new(),
            changes: Changes::new(),
            known: 0,
            begun: 0,
            rounds: 0,
            passed: BTreeSet::new(),
            has_ended: false,
            has_own_beginning: false,
            is_unwritable: false,
            shown: Vec::new(),
            given: BTreeSet::new(),
            is_made: false,
            is_continued: false,
            words: Vec::new(),
            whole: None,
        }
    }

    /// Begins the reply before the model's. Returns its first bytes.
    pub fn begin(&mut self, head: &ReplyHead) -> Vec<u8> {
        self.has_own_beginning = true;
        if self.form == Form::Whole {
            return Vec::new();
        }
        let empty = self.wire.agent_side().whole(head, &ReplyParts::of(&[]));
        let begun = self.calls.opening(&empty);
        self.shown.extend_from_slice(&begun);
        begun
    }

    /// Takes an event.
    pub fn push(&mut self, read: ReadEvent) {
        if self.has_ended {
            return;
        }
        let ReadEvent {
            event,
            calls: decoded,
            chunks,
            has_misplaced_call,
        } = read;
        // An event of another form than that of the beginning is written from its content.
        let is_other = self.has_own_beginning && event.form != self.form;
        if !is_other {
            self.form = event.form;
        }
        self.known = decoded.iter().map(|call| call + 1).fold(self.known, usize::max);
        let is_clear = !event.is_unread && !has_misplaced_call && !is_other && !self.is_made;
        let calls = self.calls.of(&event, &decoded).filter(|_| is_clear);
        // The agent may find a call where the decoder found none, or read another one of two members.
        let calls = calls.filter(|calls| !body_calls::is_read_in_part(&event, calls.len()));
        self.queue.push_back(Waiting {
            event,
            calls,
            decoded,
            chunks,
        });
    }

    /// The model has sent everything.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Decides a call, once.
    pub fn decide(&mut self, call: usize, release: Release) {
        if self.decided.contains_key(&call) {
            return;
        }
        if let Release::Changed { tool, args } = &release {
            self.changes.insert(call, (tool.clone(), args.clone()));
        }
        self.decided.insert(call, release);
    }

    /// True if the model may be asked for what follows again: one that repeats a call that must not run would never end.
    pub const fn may_continue(&self) -> bool {
        self.rounds < MOST_ROUNDS
    }

    /// True once a call is decided.
    pub fn is_decided(&self, call: usize) -> bool {
        self.decided.contains_key(&call)
    }

    fn is_hidden(&self, call: usize) -> bool {
        self.decided.get(&call) == Some(&Release::Hidden)
    }

    fn are_decided(&self, calls: impl IntoIterator<Item = usize>) -> bool {
        calls.into_iter().all(|call| self.is_decided(call))
    }

    /// Returns the bytes that the agent may have now.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(bytes) = self.next() {
            out.extend(bytes);
        }
        self.shown.extend_from_slice(&out);
        out
    }

    /// The bytes of the next event; none where it waits.
    fn next(&mut self) -> Option<Vec<u8>> {
        let front = self.queue.front()?;
        if self.is_unwritable {
            return None;
        }
        let Some(calls) = front.calls.clone() else {
            return self.rest();
        };
        if !self.are_decided(calls.iter().copied()) || self.is_kept_open(front) {
            return None;
        }
        if calls.iter().any(|call| self.is_hidden(*call)) {
            self.is_made = true;
            return self.rest();
        }
        let Some(bytes) = self.calls.written(&front.event, &calls, &self.changes) else {
            return self.rest();
        };
        self.note_passed(calls);
        Some(bytes)
    }

    /// The agent has the front event.
    fn note_passed(&mut self, calls: Vec<usize>) {
        if let Some(passed) = self.queue.pop_front() {
            self.given.extend(calls);
            self.begun += begun(&passed.chunks);
            self.passed.extend(passed.chunks.iter().filter_map(part));
        }
    }

    /// The end of a text that waited for the next event: nothing extends the text any more.
    fn kept(&mut self) -> Vec<u8> {
        let front = self.queue.front();
        let Some(Waiting {
            event,
            calls: Some(calls),
            ..
        }) = front.filter(|front| self.calls.ends_words(&front.event))
        else {
            return Vec::new();
        };
        let calls = calls.clone();
        if !self.are_decided(calls.iter().copied()) {
            return Vec::new();
        }
        let bytes = self
            .calls
            .written(event, &calls, &self.changes)
            .unwrap_or_default();
        self.note_passed(calls);
        self.shown.extend_from_slice(&bytes);
        bytes
    }

    /// The end of a text waits for the next event, so that a heartbeat can extend the text.
    fn is_kept_open(&self, front: &Waiting) -> bool {
        self.calls.ends_words(&front.event)
            && match self.queue.get(1) {
                None => !self.has_ended,
                Some(Waiting {
                    calls: Some(calls), ..
                }) => !self.are_decided(calls.iter().copied()),
                // The rest is written once everything is decided.
                Some(_) => !self.has_ended || !self.are_decided(0..self.known),
            }
    }

    /// The rest of a reply whose events cannot be written, made of what was decoded: once everything is decided.
    fn rest(&mut self) -> Option<Vec<u8>> {
        if !self.has_ended || !self.are_decided(0..self.known) {
            return None;
        }
        let mut left = self.queue.iter().flat_map(|one| &one.decoded);
        if left.any(|call| self.given.contains(call)) {
            self.is_unwritable = true;
            return None;
        }
        if self.form == Form::Whole && (0..self.known).any(|call| self.is_hidden(call)) {
            self.is_made = true;
        }
        let is_whole = |one: &&Waiting| one.event.form == Form::Whole;
        let whole = self.queue.iter().find(is_whole).map(|one| one.event.data.clone());
        self.whole = whole.or(self.whole.take());
        let mut parts = ReplyParts::of(&self.rest_of_chunks());
        // A call is announced late where its name may still grow: the agent may have it.
        let mut number = self.begun;
        parts.parts.retain_mut(|part| {
            let call = match part {
                ReplyPart::Call(call) => call,
                ReplyPart::Words(words) => {
                    words.opaque = words.opaque.as_deref().and_then(body_calls::removed_from);
                    return true;
                }
            };
            let own = number;
            number += 1;
            if let Some((tool, args)) = self.changes.get(&own) {
                self.calls.change(call, tool, args);
            }
            call.is_sealed = true;
            !self.is_hidden(own) && self.given.insert(own)
        });
        if self.given.is_empty() && (0..self.known).any(|call| self.is_hidden(call)) {
            self.words.append(&mut parts.parts);
            self.is_continued = true;
            return None;
        }
        parts.parts.splice(0..0, self.words.drain(..));
        // A call that is not made is not in it.
        if matches!(parts.stop, None | Some(Stop::BadCall(_))) {
            parts.stop = Some(if self.known > 0 { Stop::Calls } else { Stop::End });
        }
        let whole = self.wire.agent_side().whole(&head(), &parts);
        Some(self.closing(&whole))
    }

    /// Takes the pieces that the agent does not have, and that can follow what it has.
    fn rest_of_chunks(&mut self) -> Vec<Chunk> {
        let chunks = self.queue.drain(..).flat_map(|one| one.chunks);
        chunks.filter(|chunk| is_new(chunk, &self.passed)).collect()
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        match self.form {
            Form::Whole => match self.whole.take().filter(|_| self.is_made) {
                Some(own) => with_content(&own, whole).into_bytes(),
                None => whole.as_bytes().to_vec(),
            },
            Form::Stream | Form::Lines => self.calls.closing(whole),
        }
    }

    /// True while the model is to say what follows: the agent does not learn of the calls of its reply.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// The model begins another reply, which continues this one.
    pub fn go_on(&mut self) {
        (self.is_continued, self.has_ended) = (false, false);
        self.rounds = self.rounds.saturating_add(1);
        (self.known, self.begun) = (0, 0);
        self.decided.clear();
        self.changes.clear();
        self.passed.clear();
        self.has_own_beginning = true;
    }

    /// Returns an event that keeps the agent waiting. Nothing where a byte would break what was sent.
    pub fn heartbeat(&mut self) -> Vec<u8> {
        match self.form {
            Form::Whole => b" ".to_vec(),
            Form::Stream | Form::Lines => self.calls.heartbeat(),
        }
    }

    /// Ends the reply here with what is in another one, a whole reply of the format: what the agent does not have is dropped.
    pub fn close(&mut self, whole: &str) -> Vec<u8> {
        let kept = self.kept();
        self.queue.clear();
        self.has_ended = true;
        self.is_continued = false;
        let end = self.closing(whole);
        self.shown.extend_from_slice(&end);
        [kept, end].concat()
    }

    /// Ends the reply with an error: one line of JSON text, an object with the member `error`.
    pub fn fail(&mut self, error: &str) -> Vec<u8> {
        self.queue.clear();
        self.has_ended = true;
        self.is_continued = false;
        match self.form {
            Form::Whole => error.as_bytes().to_vec(),
            Form::Stream | Form::Lines => self.calls.failure(error),
        }
    }

    /// Ends the reply here as the model did, without the calls that the agent does not have.
    pub fn close_without_calls(&mut self) -> Vec<u8> {
        let kept = self.kept();
        let mut parts = ReplyParts::of(&self.rest_of_chunks());
        parts.parts.retain(|part| matches!(part, ReplyPart::Words(_)));
        let whole = self.wire.agent_side().whole(&head(), &parts);
        [kept, self.close(&whole)].concat()
    }

    /// True while something waits for a decision.
    pub fn is_waiting(&self) -> bool {
        !self.queue.is_empty() || self.is_continued
    }

    /// True once the agent has everything.
    pub fn is_done(&self) -> bool {
        self.has_ended && self.queue.is_empty() && !self.is_continued
    }

    /// True if the rest of the reply cannot be written: the agent has a part of a call whose rest is not clear.
    pub fn is_unwritable(&self) -> bool {
        self.is_unwritable
    }

    /// Calls that began so far.
    pub fn count(&self) -> usize {
        self.known
    }

    /// The calls that were given out so far, also in part.
    pub fn given(&self) -> impl Iterator<Item = usize> {
        self.given.iter().copied()
    }

    /// Everything that was given out so far, without heartbeats.
    pub fn shown(&self) -> &[u8] {
        &self.shown
    }
}

/// The number of calls that begin in these chunks.
fn begun(chunks: &[Chunk]) -> usize {
    let begun = chunks.iter().filter(|chunk| matches!(chunk, Chunk::Call { .. }));
    begun.count()
}

/// The part that a chunk is of.
const fn part(chunk: &Chunk) -> Option<u32> {
    match chunk {
        Chunk::Text { part, .. }
        | Chunk::Reasoning { part, .. }
        | Chunk::WasReasoning { part }
        | Chunk::Call { part, .. }
        | Chunk::Args { part, .. }
        | Chunk::Sealed { part, .. } => Some(*part),
        _ => None,
    }
}

/// True for what can follow the parts that the agent has. A text goes on in another part; a thought does not, as its
/// signature is about all of it.
fn is_new(chunk: &Chunk, passed: &BTreeSet<u32>) -> bool {
    matches!(chunk, Chunk::Text { .. }) || part(chunk).is_none_or(|part| !passed.contains(&part))
}

/// What the rest of a reply says about itself, where nothing of it is known any more.
fn head() -> ReplyHead {
    ReplyHead {
        id: "overrule".to_owned(),
        ..ReplyHead::default()
    }
}
