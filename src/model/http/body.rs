//! Reads a response body: an event stream, a whole JSON response, or something else.
//!
//! Must not know: sockets, headers.
//!
//! A server that does not stream sends JSON. The first byte determines the form, because content
//! types lie.

use crate::Chunk;
use crate::fault::Refusal;
use crate::frame;
use crate::show::sample as sample_of;
use crate::sse;
use crate::torn::json_text;
use crate::wire::{Decoder, Wire};
use overrule_domain::turn::{StreamFault, StreamFaultKind};

/// Maximum bytes of a body that must be complete before it can be read.
const MAX_WHOLE: usize = 16 * 1024 * 1024;
/// The byte-order mark with which a body may begin.
const MARK: &[u8] = "\u{FEFF}".as_bytes();
/// Number of bytes of an unknown body that are kept for the message.
const SAMPLE: usize = 4096;

/// Decodes one body.
pub struct Body {
    shape: Shape,
    /// What came of a byte-order mark; `None` once the body has begun.
    mark: Option<Vec<u8>>,
    /// True if each line is a JSON text of its own.
    is_lines: bool,
    buffer: Vec<u8>,
    stream: sse::Decoder,
    /// True if a JSON text keeps bytes that are no UTF-8.
    keeps_bytes: bool,
    decoder: Box<dyn Decoder>,
    frames: u64,
    /// Bytes of the lines that were read.
    read: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Shape {
    /// Only whitespace so far.
    #[default]
    Unknown,
    Stream,
    Json,
    Foreign,
}

impl Body {
    /// Creates a reader of a reply to an agent, which may offer tools that a run does not.
    pub fn of_agent(wire: Wire) -> Self {
        let mut body = Self {
            // The agent reads a byte that is no UTF-8 as a replacement character.
            stream: sse::Decoder::new(),
            keeps_bytes: false,
            ..Self::new(wire)
        };
        if let Some(decoder) = wire.agent_side().decoder() {
            body.decoder = decoder;
        }
        body
    }

    /// Creates a reader of a reply in this format.
    pub fn new(wire: Wire) -> Self {
        Self {
            shape: Shape::default(),
            mark: Some(Vec::new()),
            is_lines: wire.is_lines(),
            buffer: Vec::new(),
            stream: sse::Decoder::keeping_bytes(),
            keeps_bytes: true,
            decoder: wire.decoder(),
            frames: 0,
            read: 0,
        }
    }

    /// Returns true once nothing more needs to be read.
    pub fn ended(&self) -> bool {
        self.decoder.reply().ended()
    }

    /// Returns true once the server has sent its finish reason.
    pub fn finished(&self) -> bool {
        self.decoder.reply().finished()
    }

    /// Returns the calls that the bytes since the last look have a part of, numbered from 0 in the order in which calls
    /// began.
    pub fn take_touched(&mut self) -> Vec<usize> {
        self.decoder.reply_mut().parts.take_touched()
    }

    /// Returns true once there was a call that is not made.
    pub fn has_misplaced_call(&self) -> bool {
        self.decoder.reply().misplaced.is_some()
    }

    /// Returns true once the server sent a call in two versions: it is not known which of them the agent takes.
    pub fn contradicts(&self) -> bool {
        self.decoder.reply().parts.contradicts()
    }

    /// Returns the error that the body reported, if any.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.decoder.reply().refusal()
    }

    /// Number of bytes of the part that is not complete yet: it may be content. Comments do not count.
    pub fn open_bytes(&self) -> u64 {
        match self.shape {
            Shape::Unknown | Shape::Stream => self.stream.open_bytes(),
            Shape::Json => self.buffer.len() as u64,
            Shape::Foreign => 0,
        }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        match self.mark.take() {
            None => self.take(bytes, out),
            Some(mut begun) => {
                begun.extend_from_slice(bytes);
                if begun.len() < MARK.len() && MARK.starts_with(&begun) {
                    self.mark = Some(begun);
                    return Ok(());
                }
                let rest = begun.strip_prefix(MARK).unwrap_or(&begun);
                self.take(rest, out)
            }
        }
    }

    /// Takes bytes behind the byte-order mark.
    fn take(&mut self, bytes: &[u8], out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if self.shape == Shape::Unknown {
            self.shape = shape(bytes);
        }
        match self.shape {
            Shape::Unknown | Shape::Stream => {
                if self.frames == 0 {
                    self.keep_sample(bytes);
                }
                self.events(bytes, out)
            }
            Shape::Foreign => {
                self.keep_sample(bytes);
                Ok(())
            }
            Shape::Json => {
                if self.buffer.len() + bytes.len() > MAX_WHOLE {
                    return Err(garbage(format!(
                        "the answer is one JSON text of more than {MAX_WHOLE} bytes"
                    )));
                }
                if !self.is_lines {
                    self.buffer.extend_from_slice(bytes);
                    return Ok(());
                }
                self.lines(bytes, out)
            }
        }
    }

    /// Ends the body.
    pub fn end(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        match self.shape {
            Shape::Unknown | Shape::Stream => self.last_events(out),
            Shape::Json => {
                let text = String::from_utf8_lossy(&self.buffer);
                // A line cut in the middle is no sign of garbage: the missing end is reported anyway.
                if self.read == 0 || is_json(&text) {
                    for frame in frames(&*self.decoder, &text) {
                        self.decoder.frame("", frame, out)?;
                    }
                }
                self.decoder.eof(out)
            }
            Shape::Foreign => Err(self.foreign()),
        }
    }

    /// Decodes the lines that these bytes complete.
    fn lines(&mut self, bytes: &[u8], out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.buffer.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.buffer);
                self.read += line.len() as u64;
                let text = if self.keeps_bytes {
                    json_text(&line)
                } else {
                    String::from_utf8_lossy(&line)
                };
                self.decoder.frame("", &text, out)?;
            }
        }
        Ok(())
    }

    fn keep_sample(&mut self, bytes: &[u8]) {
        let room = SAMPLE.saturating_sub(self.buffer.len());
        self.buffer.extend(bytes.iter().take(room));
    }

    fn foreign(&self) -> StreamFault {
        let sample = String::from_utf8_lossy(&self.buffer);
        garbage(format!(
            "the server answered with a page or text instead of a stream; check the base URL. It begins: {}",
            sample_of(&sample)
        ))
    }

    fn events(&mut self, bytes: &[u8], out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let mut events = Vec::new();
        let read = self.stream.feed(bytes, &mut events);
        for event in events {
            self.frames += 1;
            self.decoder.frame(&event.name, &event.data, out)?;
        }
        read.map_err(|error| garbage(error.to_string()))
    }

    fn last_events(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let mut events = Vec::new();
        self.stream.end(&mut events);
        for event in events {
            self.frames += 1;
            // An event cut in the middle is no sign of garbage: the missing end is reported anyway.
            if event.whole || event.data.trim() == "[DONE]" || is_json(&event.data) {
                self.decoder.frame(&event.name, &event.data, out)?;
            }
        }
        if self.frames == 0 {
            let sample = String::from_utf8_lossy(&self.buffer);
            let fields = ["", "data", "event", "id", "retry", "error"];
            // The last line may be cut in the middle of a field's name.
            let known = |line: &str| match line.split_once(':') {
                Some((field, _)) => fields.contains(&field),
                None => fields.iter().any(|field| field.starts_with(line)),
            };
            if !sample
                .trim_start_matches('\u{FEFF}')
                .split(['\r', '\n'])
                .all(known)
            {
                return Err(self.foreign());
            }
            return Err(StreamFault {
                kind: StreamFaultKind::Truncated,
                message: "the server ended its answer without saying anything".to_owned(),
                retry_after_ms: None,
            });
        }
        self.decoder.eof(out)
    }
}

/// The frames in a whole body: some formats send a list of them.
fn frames<'t>(decoder: &dyn Decoder, text: &'t str) -> Vec<&'t str> {
    let text = text.trim();
    if decoder.takes_lists() && text.starts_with('[') && is_json(text) {
        frame::array(text)
    } else {
        vec![text]
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Determines the shape by the first significant byte.
fn shape(bytes: &[u8]) -> Shape {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Shape::Unknown,
        Some(b'{' | b'[') => Shape::Json,
        Some(b':' | b'a'..=b'z') => Shape::Stream,
        Some(_) => Shape::Foreign,
    }
}

fn garbage(message: String) -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Garbage,
        message,
        retry_after_ms: None,
    }
}
