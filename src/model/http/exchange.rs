//! Keeps raw exchanges with a server, and answers requests from kept ones.
//!
//! Must not know: files, sockets, wire formats.
//!
//! An exchange has no header of a request, because keys are there.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::frame::Object;
use crate::wire::{Options, Wire};
use overrule_base::text::visible;
use overrule_domain::turn::{StreamFault, StreamFaultKind};

/// Version of the form of recordings.
const VERSION: u32 = 1;
/// Characters that are shown of each text where two requests differ.
const SHOWN: usize = 40;
/// A member that differs from session to session, and means nothing to the reply.
const OF_SESSION: &str = "prompt_cache_key";

/// A function that keeps an exchange when it is over.
pub type Keep = Arc<dyn Fn(&Exchange) + Send + Sync>;

/// One request and its response, as far as one was received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The body of the request.
    pub sent: String,
    /// The status of the response; absent if none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The headers of the response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    #[serde(default, skip_serializing_if = "Received::is_empty")]
    pub received: Received,
    /// Why the exchange was not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<StreamFault>,
}

/// Bytes of a body: text where they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Received {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl Default for Received {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Received {
    fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Received {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Bytes(error.into_bytes()), Self::Text)
    }
}

/// Collects one exchange, and hands it over when dropped.
pub(super) struct Recorder {
    keep: Option<Keep>,
    exchange: Exchange,
    bytes: Vec<u8>,
}

impl Recorder {
    /// Begins with a request. Until the end is recorded, the exchange counts as stopped.
    pub(super) fn begin(keep: Option<Keep>, sent: &str) -> Self {
        let sent = if keep.is_some() {
            sent.to_owned()
        } else {
            String::new()
        };
        Self {
            keep,
            exchange: Exchange {
                sent,
                status: None,
                headers: Vec::new(),
                received: Received::default(),
                fault: Some(StreamFault {
                    kind: StreamFaultKind::Truncated,
                    message: "the request was stopped here".to_owned(),
                    retry_after_ms: None,
                }),
            },
            bytes: Vec::new(),
        }
    }

    /// Records the head of the response.
    pub(super) fn head(&mut self, status: u16, headers: impl Iterator<Item = (String, String)>) {
        if self.keep.is_some() {
            self.exchange.status = Some(status);
            self.exchange.headers = headers.collect();
        }
    }

    /// Records a piece of the body.
    pub(super) fn piece(&mut self, bytes: &[u8]) {
        if self.keep.is_some() {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Records the end: a fault of the connection, or none.
    pub(super) fn end(&mut self, fault: Option<&StreamFault>) {
        self.exchange.fault = fault.cloned();
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(keep) = &self.keep {
            self.exchange.received = std::mem::take(&mut self.bytes).into();
            keep(&self.exchange);
        }
    }
}

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Version of its form.
    pub recording: u32,
    /// The wire format.
    pub wire: Wire,
    /// The base URL that was asked.
    pub base_url: String,
    /// The model that was asked.
    pub model: String,
    /// The name of its entry in the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What was asked of it.
    #[serde(default, skip_serializing_if = "Options::is_none")]
    pub options: Options,
}

impl Head {
    /// Creates the first line of a recording of this model.
    pub fn new(wire: Wire, base_url: &str, model: &str) -> Self {
        Self {
            recording: VERSION,
            wire,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            entry: None,
            options: Options::NONE,
        }
    }
}

/// Why a text is no recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The first line is none of a recording.
    #[error("line 1 is not the beginning of a recording; make one with `overrule run --record FILE`")]
    Head,
    /// It was made by a later version.
    #[error("it has form {0}, and this version knows form {VERSION}; use the version that made it")]
    Version(u32),
    /// A line is no exchange.
    #[error("line {line} is not an exchange: {why}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
}

/// Kept exchanges. Each one answers one request.
#[derive(Debug)]
pub struct Recording {
    exchanges: Mutex<Vec<(Exchange, bool)>>,
}

impl Recording {
    /// Reads a recording: a line for its head, and one for each exchange.
    pub fn parse(text: &str) -> Result<(Head, Self), Error> {
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().map_or("", |(_, line)| line);
        let head: Head = serde_json::from_str(first).map_err(|_| Error::Head)?;
        if head.recording != VERSION {
            return Err(Error::Version(head.recording));
        }
        let exchange = |(at, line): (usize, &str)| {
            let exchange = serde_json::from_str(line).map_err(|error| Error::Line {
                line: at + 1,
                why: visible(&error.to_string()),
            })?;
            Ok((exchange, false))
        };
        let exchanges = lines.map(exchange).collect::<Result<_, _>>()?;
        Ok((
            head,
            Self {
                exchanges: Mutex::new(exchanges),
            },
        ))
    }

    /// Takes the first unused exchange with this request. Without one, says how the request differs.
    pub fn take(&self, sent: &str) -> Result<Exchange, StreamFault> {
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = comparable(sent);
        let same = exchanges
            .iter_mut()
            .find(|(exchange, used)| !used && comparable(&exchange.sent) == asked);
        if let Some((exchange, used)) = same {
            *used = true;
            return Ok(exchange.clone());
        }
        let unused = exchanges.iter().enumerate().filter(|(_, (_, used))| !used);
        let nearest = unused
            .map(|(at, (exchange, _))| {
                let recorded = comparable(&exchange.sent);
                (common(&recorded, &asked), at, recorded)
            })
            .max_by_key(|(common, at, _)| (*common, std::cmp::Reverse(*at)));
        let message = match nearest {
            None => format!(
                "cannot answer from the recording: all its {} requests were already made",
                exchanges.len()
            ),
            Some((common, at, recorded)) => format!(
                "cannot answer from the recording: this request differs from its request {} at byte {common}: recorded \
                 `{}`, asked `{}`",
                at + 1,
                piece(&recorded, common),
                piece(&asked, common),
            ),
        };
        Err(StreamFault {
            kind: StreamFaultKind::Request,
            message,
            retry_after_ms: None,
        })
    }
}

/// Returns a request without what only its session has.
fn comparable(sent: &str) -> String {
    if !sent.contains(OF_SESSION) {
        return sent.to_owned();
    }
    let Some(object) = Object::read(sent) else {
        return sent.to_owned();
    };
    let members = object.entries().filter(|(key, _)| *key != OF_SESSION);
    let members = members.map(|(key, raw)| format!("{}:{raw}", serde_json::Value::from(key)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Returns the number of bytes at the beginning that are equal, at most up to the beginning of a character.
fn common(one: &str, other: &str) -> usize {
    let equal = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=equal)
        .rev()
        .find(|at| one.is_char_boundary(*at) && other.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Returns a piece of a text from a place on, safe to show.
fn piece(text: &str, at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    if rest.is_empty() {
        return "the end".to_owned();
    }
    let head: String = rest.chars().take(SHOWN).collect();
    let more = if head.len() < rest.len() { "…" } else { "" };
    format!("{}{more}", visible(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(sent: &[&str]) -> Recording {
        let head = Head::new(Wire::default(), "http://h/v1", "m");
        let mut text = serde_json::to_string(&head).unwrap();
        for (at, sent) in sent.iter().enumerate() {
            let exchange = Exchange {
                sent: (*sent).to_owned(),
                status: Some(200),
                headers: Vec::new(),
                received: format!("reply {at}").into_bytes().into(),
                fault: None,
            };
            text.push('\n');
            text.push_str(&serde_json::to_string(&exchange).unwrap());
        }
        Recording::parse(&text).unwrap().1
    }

    #[test]
    fn each_exchange_answers_one_equal_request() {
        let recording = recording(&["{\"a\":1}", "{\"b\":1}", "{\"a\":1}"]);
        let body = |found: Result<Exchange, StreamFault>| found.map(|one| one.received.bytes().to_vec());
        assert_eq!(body(recording.take("{\"b\":1}")).unwrap(), b"reply 1");
        assert_eq!(body(recording.take("{\"a\":1}")).unwrap(), b"reply 0");
        assert_eq!(body(recording.take("{\"a\":1}")).unwrap(), b"reply 2");
        let fault = recording.take("{\"a\":1}").unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Request);
        assert!(fault.message.contains("all its 3 requests"), "{}", fault.message);
    }

    #[test]
    fn a_different_request_is_refused_with_its_first_difference() {
        let recording = recording(&["{\"m\":\"one\u{1b}\"}", "{\"m\":\"käse\"}"]);
        let fault = recording.take("{\"m\":\"kös\"}").unwrap_err();
        assert_eq!(
            fault.message,
            "cannot answer from the recording: this request differs from its request 2 at byte 7: recorded `äse\"}`, \
             asked `ös\"}`"
        );
        // Nothing was used up.
        assert!(recording.take("{\"m\":\"käse\"}").is_ok());
        let fault = recording.take("{\"m\":\"one\"}").unwrap_err();
        assert!(!fault.message.contains('\u{1b}'), "{}", fault.message);
    }

    #[test]
    fn the_key_of_a_cache_makes_no_difference() {
        let recording = recording(&[r#"{"a":1,"prompt_cache_key":"one","b":[]}"#]);
        assert!(
            recording
                .take(r#"{"a":1,"prompt_cache_key":"two","b":[1]}"#)
                .is_err()
        );
        assert!(
            recording
                .take(r#"{"a":1,"prompt_cache_key":"two","b":[]}"#)
                .is_ok()
        );
    }

    #[test]
    fn what_is_no_recording_is_refused_with_its_line() {
        let head = serde_json::to_string(&Head::new(Wire::default(), "u", "m")).unwrap();
        assert_eq!(Recording::parse("").unwrap_err(), Error::Head);
        assert_eq!(Recording::parse("{}").unwrap_err(), Error::Head);
        let later = head.replace("\"recording\":1", "\"recording\":2");
        assert_eq!(Recording::parse(&later).unwrap_err(), Error::Version(2));
        let broken = format!("{head}\n\n{{\"sent\":1}}");
        assert!(matches!(
            Recording::parse(&broken).unwrap_err(),
            Error::Line { line: 3, .. }
        ));
    }

    #[test]
    fn bytes_that_are_no_text_come_back_as_they_were() {
        let received = Received::from(vec![0xff, 0, b'a']);
        let text = serde_json::to_string(&received).unwrap();
        assert_eq!(serde_json::from_str::<Received>(&text).unwrap(), received);
        let received = Received::from("data: ä\r\n\n".as_bytes().to_vec());
        let text = serde_json::to_string(&received).unwrap();
        assert_eq!(
            serde_json::from_str::<Received>(&text).unwrap().bytes(),
            "data: ä\r\n\n".as_bytes()
        );
    }
}
