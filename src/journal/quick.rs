//! The quick way through a record that is written as this program writes it: its parts found by their places and
//! its event read where it stands, without a copy. It knows no errors: what it does not take goes the thorough way
//! (`line`), which says what is wrong or finds nothing to be. Must not know: files, the record before.

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::line::{self, Link};
use super::payload;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::Event;
use crate::domain::id::Seq;

/// Spelling of a run's id.
pub(super) type Run = [u8; 36];

/// A record that is intact in itself.
#[derive(Debug)]
pub(super) struct Quick {
    /// The link that it names: that of the record before.
    pub(super) prev: Link,
    /// The run that it names, as written; whether it is one is known once it is compared.
    pub(super) run: Run,
    /// What it holds.
    pub(super) envelope: Envelope,
}

/// The record of an intact line; none where only the thorough way can tell.
pub(super) fn record(line: &[u8]) -> Option<Quick> {
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
    if payload::is_named(body) {
        return None;
    }
    let envelope = Envelope {
        v: FORMAT,
        seq: Seq(seq),
        at,
        mono,
        actor,
        cause,
        more,
        event: event(kind, body)?,
    };
    Some(Quick { prev, run, envelope })
}

/// What is left of a line.
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

    /// A number as it is written: digits, no zero before them, and not so many that they could be too large.
    fn number(&mut self) -> Option<u64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let text = self.take(digits)?;
        let plain = (1..=18).contains(&digits) && (digits == 1 || !text.starts_with('0'));
        plain.then(|| {
            text.bytes()
                .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))
        })
    }

    /// Whoever has no name of their own.
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

/// The event of a type and a body, which has to be one JSON value.
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

/// A value of a tagged type whose tag stands elsewhere.
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

/// The tag, and then the content.
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
