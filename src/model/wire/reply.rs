//! The state of one reply that every format has: parts, counts, the reason to stop, errors.
//!
//! Must not know: the frames of a format, sockets, when to ask again.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::misplaced_call;
use super::parts::{Parts, Rest};
use crate::fault::{self, Refusal};
use crate::frame::{self, Object};
use crate::show::{sample, visible};
use crate::torn::{Joiner, Piece};
use crate::{Chunk, MAX_PARTS, usage};
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};

/// Maximum bytes buffered by a stream, the same as for a whole response.
const MAX_HELD: usize = 16 << 20;

/// Finish reasons of an incomplete reply: asking again may help.
const CUT: &[&str] = &[
    "abort",
    "aborted",
    "cancelled",
    "canceled",
    "insufficient_system_resource",
    "interrupted",
    "network_error",
    "timeout",
];

/// Where a call is not made.
const OTHER_MEMBER: &str = "a member that holds no calls";

/// Decodes one reply. It takes the frames of a stream, or a whole reply as one frame.
pub trait Decoder: Send {
    /// Returns the state of the reply.
    fn reply(&self) -> &Reply;

    /// Returns the state of the reply, to end it.
    fn reply_mut(&mut self) -> &mut Reply;

    /// Decodes one frame that is an object and no error. `name` is the event's name, `data` the frame's JSON text.
    fn object(
        &mut self,
        name: &str,
        data: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault>;

    /// Decodes what was held back until the end of the stream.
    fn release(&mut self, _out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        Ok(())
    }

    /// Ends the body.
    fn eof(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if !self.reply().ended() {
            self.release(out)?;
        }
        self.reply_mut().eof(out)
    }

    /// Returns true if a whole reply may be a list of frames.
    fn takes_lists(&self) -> bool {
        false
    }

    /// Decodes one frame, given the event's name and data.
    fn frame(&mut self, name: &str, data: &str, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let data = data.trim();
        if self.reply().ended() || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.release(out)?;
            return self.reply_mut().end(out);
        }
        let data = if Object::read(data).is_some() {
            Cow::Borrowed(data)
        } else {
            // Numbers that JSON lacks occur in members that are never read.
            frame::without_odd_numbers(data).map_or(Cow::Borrowed(data), Cow::Owned)
        };
        let data: &str = &data;
        let Some(frame) = Object::read(data) else {
            if name == "error" {
                return Err(self.reply_mut().refused(&Refusal::read(None, data)));
            }
            return self.reply_mut().not_an_object(data, out);
        };
        if let Some(refusal) = fault::in_frame(name, &frame, data) {
            return Err(self.reply_mut().refused(&refusal));
        }
        self.object(name, data, &frame, out)?;
        self.reply().check_limits()
    }
}

/// One reply.
#[derive(Debug, Default)]
pub struct Reply {
    /// Its parts.
    pub parts: Parts,
    /// The tool that was called where no call is made, and where that was.
    pub misplaced: Option<(String, &'static str)>,
    /// The reason to stop.
    pub finish: Option<Stop>,
    /// The reason to stop of a reply that may have frames after it.
    last_stop: Option<Stop>,
    /// The server's error, if it reported one.
    refusal_of_request: Option<Refusal>,
    refusal: String,
    joiner: Joiner,
    /// True if the model refused in plain text.
    refused_in_words: bool,
    usage: Option<Usage>,
    /// Unknown keys that were already passed on.
    strange: BTreeSet<String>,
    /// Total bytes of these keys, of the refusal, and of what waits for the end of the stream.
    held: usize,
    ended: bool,
}

impl Reply {
    /// Returns true once the end mark was read; nothing after it counts.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Returns true once the reason to stop was read; the end of the body may still be missing.
    pub fn finished(&self) -> bool {
        self.finish.is_some() || self.last_stop.is_some()
    }

    /// Returns the server's error, if the stream reported one.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal_of_request.as_ref()
    }

    /// Ends the body.
    pub fn eof(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if self.ended {
            return Ok(());
        }
        if self.finished() {
            return self.end(out);
        }
        self.parts.flush(out);
        Err(truncated(
            "the stream ended in the middle of the answer: there was neither a finish reason nor an end mark"
                .to_owned(),
        ))
    }

    /// The end mark, or the end of the body after a reason to stop. After a mark without a reason, a call that may lack
    /// a part of its arguments is cut.
    pub fn end(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        self.ended = true;
        if let Some(stop) = self.last_stop.take() {
            self.stop(stop, out);
        }
        self.parts.flush(out);
        let given = self.finish.take();
        let (stop, rest) = match given {
            Some(stop) => {
                let rest = rest(&stop);
                (stop, rest)
            }
            None if !self.parts.calls_are_whole() => {
                return Err(truncated(
                    "the server sent its end mark in the middle of a call, without saying why it stopped"
                        .to_owned(),
                ));
            }
            None if self.parts.has_calls() => (Stop::Calls, Rest::Whole),
            None => (Stop::End, Rest::Whole),
        };
        if let Stop::Other(word) = &stop
            && CUT.contains(&&*word.to_ascii_lowercase())
        {
            return Err(truncated(format!(
                "the server stopped in the middle of the answer and says `{word}`"
            )));
        }
        self.parts.seal_rest(rest, out);
        self.refusal.extend(self.joiner.end());
        if !self.refusal.is_empty() {
            let words = std::mem::take(&mut self.refusal);
            out.push(Chunk::Refused { words });
        }
        let stop = self.checked_stop(stop);
        self.finish = Some(stop.clone());
        out.push(Chunk::Finish(stop));
        Ok(())
    }

    /// What a reason to stop means, seen with the rest of the reply.
    fn checked_stop(&self, stop: Stop) -> Stop {
        let has_calls = self.parts.has_calls();
        match stop {
            Stop::End if self.refused_in_words => Stop::Refusal,
            Stop::End | Stop::Calls if !has_calls && self.misplaced.is_some() => {
                let (tool, place) = self.misplaced.clone().unwrap_or_default();
                Stop::BadCall(format!("the model called `{}` in {place}", visible(&tool)).into())
            }
            Stop::Calls if !has_calls => {
                Stop::BadCall("the server says that the model called a tool, and sent no call".into())
            }
            stop => stop,
        }
    }

    /// Passes on other JSON as unknown. Data that is not JSON may have been a piece of an argument, so the
    /// stream is not trusted any further.
    pub fn not_an_object(&mut self, data: &str, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok() {
            out.push(Chunk::Unknown { raw: data.to_owned() });
            return Ok(());
        }
        self.parts.flush(out);
        Err(StreamFault {
            kind: StreamFaultKind::Garbage,
            message: format!("a frame of the stream is not JSON: {}", sample(data)),
            retry_after_ms: None,
        })
    }

    /// Fails if the reply became longer than what is waited for.
    pub fn check_limits(&self) -> Result<(), StreamFault> {
        if self.parts.too_many() {
            return Err(truncated(format!(
                "the reply has more than {MAX_PARTS} blocks: it was cut off there"
            )));
        }
        if self.held + self.parts.held() > MAX_HELD {
            return Err(StreamFault {
                kind: StreamFaultKind::Garbage,
                message: format!(
                    "the stream has more than {} MiB of names, refusals, opaque blocks and other choices; this is not an answer to wait for",
                    MAX_HELD >> 20
                ),
                retry_after_ms: None,
            });
        }
        Ok(())
    }

    /// Counts data that waits for the end of the stream.
    pub fn hold(&mut self, raw: &str) {
        self.held += raw.len();
    }

    /// Adds to what the model says in refusing.
    pub fn refuse(&mut self, piece: &Piece<'_>) {
        let words = self.joiner.push(piece);
        self.refusal.push_str(&words);
        self.refused_in_words |= !piece.is_empty();
        self.held += words.len();
    }

    /// Stops for this reason, unless another was given. Parts that are complete for it are sealed.
    pub fn stop(&mut self, stop: Stop, out: &mut Vec<Chunk>) {
        if self.finish.is_some() {
            return;
        }
        self.parts.flush(out);
        // Text stays open where it may be asked for again.
        if !matches!(stop, Stop::Other(_)) {
            self.parts.seal_rest(rest(&stop), out);
        }
        self.finish = Some(stop);
    }

    /// Stops for this reason at the end of the body: more frames may come. The newest reason counts.
    pub fn stop_at_end(&mut self, stop: Stop) {
        self.last_stop = Some(stop);
    }

    /// Discards that reason: more frames came.
    pub fn continue_reply(&mut self) {
        self.last_stop = None;
    }

    /// Stores the server's error, and returns the fault.
    pub fn refused(&mut self, refusal: &Refusal) -> StreamFault {
        self.refusal_of_request = Some(refusal.clone());
        refusal.fault_in_answer()
    }

    /// Passes on unknown data. A call in it is not made, and the reply is no answer either.
    pub fn unknown(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        if let Some(tool) = misplaced_call::find(raw) {
            self.misplaced.get_or_insert((tool, OTHER_MEMBER));
        }
        out.push(Chunk::Unknown { raw: raw.to_owned() });
    }

    /// Reads token counts, and passes them on if they grew.
    pub fn usage(&mut self, counts: Option<&Object<'_>>, out: &mut Vec<Chunk>) {
        let Some(counts) = counts else { return };
        let before = self.usage.unwrap_or_default();
        let usage = usage::join(before, usage::read(counts));
        if usage != before {
            self.usage = Some(usage);
            out.push(Chunk::Usage(usage));
        }
    }

    /// Passes on each unknown key with a significant value, once per stream.
    pub fn unknown_keys(&mut self, place: &str, object: &Object<'_>, known: &[&str], out: &mut Vec<Chunk>) {
        for (key, value) in object.entries() {
            if !known.contains(&key)
                && !frame::is_empty(value)
                && self.strange.insert(format!("{place}{key}"))
            {
                self.held += key.len();
                let key = serde_json::Value::from(key);
                self.unknown(&format!("{{{key}:{value}}}"), out);
            }
        }
    }
}

/// Which open parts are complete where the model stopped so.
pub fn rest(stop: &Stop) -> Rest {
    match stop {
        Stop::End | Stop::Calls | Stop::Accepted => Rest::Meant,
        Stop::Length => Rest::Whole,
        Stop::Filter | Stop::Refusal | Stop::Pause | Stop::OwnWork | Stop::BadCall(_) | Stop::Other(_) => {
            Rest::Texts
        }
    }
}

fn truncated(message: String) -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message,
        retry_after_ms: None,
    }
}
