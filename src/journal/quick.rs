//! The fast path for a record in the form that this program writes: its parts are found by position and its
//! event is parsed in place, without a copy.
//!
//! It reports no errors: whatever it does not accept goes through the thorough path (`line`), which reports
//! the fault or accepts the record. Must not know: files, the record before.

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::line::{self, Link};
use super::payload;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::Event;
use crate::domain::id::Seq;

/// A run's id as it is written.
pub(super) type Run = [u8; 36];

/// A record that is intact in itself.
#[derive(Debug)]
pub(super) struct Quick {
    /// The link to the record before.
    pub(super) prev: Link,
    /// The run's id as written; comparing it shows whether it is valid.
    pub(super) run: Run,
    /// The envelope.
    pub(super) envelope: Envelope,
}

/// The parts of an intact line; the body is still text.
#[derive(Debug)]
pub(super) struct Header<'a> {
    /// Position, from 1.
    pub(super) seq: u64,
    /// The link to the record before.
    pub(super) prev: Link,
    /// UTC time in milliseconds since 1970.
    pub(super) at: i64,
    mono: u64,
    /// The run's id as written.
    pub(super) run: Run,
    actor: Actor,
    cause: Seq,
    /// Whether the next record belongs to the same decision.
    pub(super) more: bool,
    /// `family.name` of the event.
    pub(super) kind: &'a str,
    /// The event's body.
    pub(super) body: &'a str,
}

/// Reads the record of an intact line, or returns `None` if only the thorough path can decide.
pub(super) fn record(line: &[u8]) -> Option<Quick> {
    let header = header(line)?;
    if payload::is_named(header.body) {
        return None;
    }
    let (prev, run) = (header.prev, header.run);
    let envelope = Envelope {
        v: FORMAT,
        seq: Seq(header.seq),
        at: header.at,
        mono: header.mono,
        actor: header.actor,
        cause: header.cause,
        more: header.more,
        event: event(header.kind, header.body)?,
    };
    Some(Quick { prev, run, envelope })
}

/// Finds the parts of an intact line, or returns `None` if only the thorough path can. The body is not looked at.
pub(super) fn header(line: &[u8]) -> Option<Header<'_>> {
    let text = std::str::from_utf8(line).ok()?;
    let mut rest = Rest(line::covered(text)?);
    rest.word("{\"v\":1,\"seq\":")?;
    let seq = rest.number()?;
    rest.word(",\"prev\":\"")?;
    let prev = Link::spelt(rest.take(32)?)?;
    rest.word("\",\"at\":")?;
    let at = i64::try_from(rest.number()?).ok()?;
    rest.word(",\"mono\":")?;
    let mono = rest.number()?;
    rest.word(",\"run\":\"")?;
    let run = Run::try_from(rest.take(36)?.as_bytes()).ok()?;
    rest.word("\",\"actor\":")?;
    let actor = rest.actor()?;
    rest.word(",\"cause\":")?;
    let cause = Seq(rest.number()?);
    let more = rest.word(line::MORE).is_some();
    rest.word(",\"type\":\"")?;
    let (kind, behind) = rest.0.split_once('"')?;
    let body = behind.strip_prefix(",\"body\":")?;
    Some(Header {
        seq,
        prev,
        at,
        mono,
        run,
        actor,
        cause,
        more,
        kind,
        body,
    })
}

/// The unread rest of a line.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn word(&mut self, word: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(word)?;
        Some(())
    }

    fn take(&mut self, bytes: usize) -> Option<&'a str> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a number as this program writes it: digits without leading zeros, too few to overflow.
    fn number(&mut self) -> Option<u64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let text = self.take(digits)?;
        let plain = (1..=18).contains(&digits) && (digits == 1 || !text.starts_with('0'));
        plain.then(|| {
            text.bytes()
                .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))
        })
    }

    /// Reads an actor that has no name of its own.
    fn actor(&mut self) -> Option<Actor> {
        let known = [
            ("\"engine\"", Actor::Engine),
            ("\"tool\"", Actor::Tool),
            ("\"model\"", Actor::Model),
        ];
        known
            .into_iter()
            .find_map(|(word, actor)| self.word(word).map(|()| actor))
    }
}

/// Reads an event from its type and a body that must be exactly one JSON value.
fn event(kind: &str, body: &str) -> Option<Event> {
    let (family, name) = kind.split_once('.')?;
    let mut body = serde_json::Deserializer::from_str(body);
    let content = Tagged {
        tag: name,
        content: &mut body,
    };
    let event = Event::deserialize(Tagged { tag: family, content }).ok()?;
    body.end().ok()?;
    Some(event)
}

/// A value of an adjacently tagged type whose tag comes from elsewhere.
struct Tagged<'a, C> {
    tag: &'a str,
    content: C,
}

impl<'de, C: Deserializer<'de>> Deserializer<'de> for Tagged<'_, C> {
    type Error = C::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, C::Error> {
        visitor.visit_seq(Pair {
            tag: Some(self.tag),
            content: Some(self.content),
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Yields the tag, then the content.
struct Pair<'a, C> {
    tag: Option<&'a str>,
    content: Option<C>,
}

impl<'de, C: Deserializer<'de>> SeqAccess<'de> for Pair<'_, C> {
    type Error = C::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, C::Error> {
        if let Some(tag) = self.tag.take() {
            return seed.deserialize(tag.into_deserializer()).map(Some);
        }
        self.content
            .take()
            .map(|content| seed.deserialize(content))
            .transpose()
    }
}
