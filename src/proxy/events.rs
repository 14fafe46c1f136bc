//! Cuts a response body into events, each with its exact bytes.
//!
//! Must not know: what an event means, who receives it.

use std::borrow::Cow;

use overrule_model::frame::{self, Object};
use overrule_model::sse;

/// Maximum bytes of one event.
const LONGEST: usize = 16 << 20;

/// How a body is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Server-sent events.
    Stream,
    /// One JSON text a line.
    Lines,
    /// One JSON text.
    Whole,
}

/// One event of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    /// Its bytes, with the empty line that ends it.
    pub bytes: Vec<u8>,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its data, if that is one JSON text; else empty. Numbers that JSON lacks are `null` here.
    pub data: String,
    /// How the body is divided.
    pub form: Form,
    /// True if it has something that was not read.
    pub is_unread: bool,
}

impl RawEvent {
    /// An event without bytes.
    pub const fn empty(form: Form) -> Self {
        Self {
            bytes: Vec::new(),
            name: String::new(),
            data: String::new(),
            form,
            is_unread: false,
        }
    }

    fn read(bytes: Vec<u8>, form: Form) -> Self {
        let mut event = Self {
            bytes,
            ..Self::empty(form)
        };
        let text = if form == Form::Stream {
            let mut events = Vec::new();
            let mut decoder = sse::Decoder::new();
            let is_read = decoder.feed(&event.bytes, &mut events).is_ok();
            decoder.end(&mut events);
            event.is_unread = !is_read || events.len() > 1 || events.is_empty() && !is_comment(&event.bytes);
            let only = events.pop().filter(|_| events.is_empty()).unwrap_or_default();
            event.name = only.name;
            only.data
        } else {
            String::from_utf8_lossy(&event.bytes).into_owned()
        };
        let text = text.trim();
        if is_json(text) {
            text.clone_into(&mut event.data);
        } else if let Some(other) = frame::without_odd_numbers(text).filter(|text| is_json(text)) {
            event.data = other;
        } else if !text.is_empty() && text != "[DONE]" {
            event.is_unread = true;
        }
        event
    }

    /// The members of its data, if that is an object.
    pub fn object(&self) -> Option<Object<'_>> {
        Object::read(&self.data)
    }

    /// The type of the data of an event, as two formats name it.
    pub fn kind(&self) -> Cow<'_, str> {
        let kind = frame::member(&self.data, "type").and_then(frame::string);
        kind.unwrap_or(Cow::Borrowed(&self.name))
    }

    /// Returns the bytes of the event with other data.
    pub fn with(&self, data: &str) -> Vec<u8> {
        match self.form {
            Form::Stream => {
                let end = if self.bytes.ends_with(b"\r\n\r\n") {
                    "\r\n"
                } else {
                    "\n"
                };
                let name = if self.name.is_empty() {
                    String::new()
                } else {
                    format!("event: {}{end}", self.name)
                };
                format!("{name}data: {}{end}{end}", one_line(data)).into_bytes()
            }
            Form::Lines => format!("{}\n", one_line(data)).into_bytes(),
            Form::Whole => data.as_bytes().to_vec(),
        }
    }
}

/// JSON text on one line. A line break in JSON text is always between its values.
fn one_line(json: &str) -> String {
    json.replace(['\r', '\n'], " ")
}

fn is_json(text: &str) -> bool {
    !text.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// True for bytes of which a reader of events takes nothing: comments, and fields other than data.
fn is_comment(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{FEFF}').split(['\n', '\r']);
    lines.all(|line| {
        let field = line.split(':').next().unwrap_or_default();
        let is_name = |field: &str| {
            field
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        match field {
            "" | "event" | "id" | "retry" | "data" => true,
            other => line.contains(':') && is_name(other) && !other.eq_ignore_ascii_case("data"),
        }
    })
}

/// Returns the bytes of a new event of a stream.
pub fn event(name: &str, data: &str) -> Vec<u8> {
    if name.is_empty() {
        return format!("data: {data}\n\n").into_bytes();
    }
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// An event is longer than anything worth waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the model sent an event of more than {LONGEST} bytes")]
pub struct TooLong;

/// Cuts a body. Its first significant byte says how it is divided, whatever was asked for.
#[derive(Debug)]
pub struct Cutter {
    expected: Form,
    form: Option<Form>,
    buffer: Vec<u8>,
}

impl Cutter {
    /// Begins a body that was asked for in this form.
    pub const fn new(expected: Form) -> Self {
        Self {
            expected,
            form: None,
            buffer: Vec::new(),
        }
    }

    /// Returns how the body is divided, as far as that is known.
    pub fn form(&self) -> Form {
        self.form.unwrap_or(self.expected)
    }

    /// Takes the next bytes; returns the events that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawEvent>, TooLong> {
        let mut from = self.buffer.len().saturating_sub(3);
        self.buffer.extend_from_slice(bytes);
        if self.form.is_none() {
            from = 0;
            self.form = self.found();
        }
        let mut events = Vec::new();
        let Some(form) = self.form else {
            return Ok(events);
        };
        while let Some(end) = self.end(form, from) {
            let rest = self.buffer.split_off(end);
            let bytes = std::mem::replace(&mut self.buffer, rest);
            events.push(RawEvent::read(bytes, form));
            from = 0;
        }
        if self.buffer.len() > LONGEST {
            return Err(TooLong);
        }
        Ok(events)
    }

    /// Ends the body; returns what was left as an event.
    pub fn end_of_body(&mut self) -> Option<RawEvent> {
        let rest = std::mem::take(&mut self.buffer);
        (!rest.is_empty()).then(|| RawEvent::read(rest, self.form()))
    }

    /// How the body is divided, once it has begun. What is neither a stream nor JSON is not divided.
    fn found(&self) -> Option<Form> {
        let first = self.buffer.iter().find(|byte| !byte.is_ascii_whitespace())?;
        Some(match first {
            b'{' | b'[' if self.expected == Form::Lines => Form::Lines,
            b':' | b'a'..=b'z' | 0xEF => Form::Stream,
            _ => Form::Whole,
        })
    }

    /// Where the first event ends.
    fn end(&self, form: Form, from: usize) -> Option<usize> {
        let bytes = &self.buffer;
        match form {
            Form::Whole => None,
            Form::Lines => {
                let at = bytes.iter().skip(from).position(|byte| *byte == b'\n')?;
                Some(from + at + 1)
            }
            Form::Stream => (from..bytes.len()).find_map(|at| {
                let rest = bytes.get(at..)?;
                let ends = [&b"\r\n\r\n"[..], b"\n\n", b"\r\r"];
                ends.iter()
                    .find(|end| rest.starts_with(end))
                    .map(|end| at + end.len())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str = ": hello\n\nevent: a\ndata: {\"type\":\"b\"}\n\ndata: {\r\ndata: \"x\": 1}\r\n\r\ndata: [DONE]\n\ndata: cut";

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn every_byte_comes_out_once_however_a_body_is_torn(size in 1_usize..40) {
            let mut cutter = Cutter::new(Form::Stream);
            let mut events = Vec::new();
            for piece in STREAM.as_bytes().chunks(size) {
                events.extend(cutter.feed(piece).unwrap());
            }
            events.extend(cutter.end_of_body());
            let bytes: Vec<u8> = events.iter().flat_map(|event| event.bytes.clone()).collect();
            prop_assert_eq!(bytes, STREAM.as_bytes());
            prop_assert_eq!(events.len(), 5);
            prop_assert_eq!(events[1].kind(), "b");
            prop_assert_eq!(events[2].object().unwrap().number("x"), Some(1));
            let unread: Vec<bool> = events.iter().map(|event| event.is_unread).collect();
            prop_assert_eq!(unread, [false, false, false, false, true]);
        }
    }

    #[test]
    fn an_event_keeps_its_name_and_its_line_ends() {
        let mut cutter = Cutter::new(Form::Stream);
        let events = cutter.feed(b"event: a\r\ndata: {\"x\":1}\r\n\r\n").unwrap();
        let other = "{\"x\":\n2}";
        assert_eq!(events[0].with(other), b"event: a\r\ndata: {\"x\": 2}\r\n\r\n");
        let mut lines = Cutter::new(Form::Lines);
        let events = lines.feed(b"{\"a\":1}\n{\"a\":2}\n{").unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(events[1].with("{\"x\":2}"), b"{\"x\":2}\n");
        assert_eq!(lines.end_of_body().unwrap().bytes, b"{");
    }

    #[test]
    fn the_first_byte_says_how_a_body_is_divided() {
        let cases: [(Form, &[u8], Form, usize); 8] = [
            (Form::Stream, b"data: 1\n\ndata: 2\n\n", Form::Stream, 2),
            (Form::Stream, b" \n{\"a\":\n\n1}", Form::Whole, 0),
            (Form::Stream, b"[{\"a\":1},\n\n{\"a\":1}]", Form::Whole, 0),
            (Form::Lines, b"data: 1\n\ndata: 2\n\n", Form::Stream, 2),
            (Form::Lines, b"{}\n{}\n", Form::Lines, 2),
            (Form::Whole, b"data: 1\n\n", Form::Stream, 1),
            (Form::Whole, b"{\n\n}", Form::Whole, 0),
            // Compressed, or a page.
            (Form::Stream, b"\x1f\x8b\n\nx\n\n", Form::Whole, 0),
        ];
        for (expected, bytes, form, count) in cases {
            let mut cutter = Cutter::new(expected);
            let mut events = Vec::new();
            for byte in bytes {
                events.extend(cutter.feed(&[*byte]).unwrap());
            }
            let text = String::from_utf8_lossy(bytes);
            assert_eq!((events.len(), cutter.form()), (count, form), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_marked_and_comments_are_not() {
        let read = |text: &str| RawEvent::read(text.as_bytes().to_vec(), Form::Stream);
        for quiet in [
            ": x\n\n",
            "\n\n",
            "id: 1\nretry: 2\n\n",
            "data:\n\n",
            "event: ping\n\n",
            "foo: 1\nx-y:2\n\n",
            "data: [DONE]\n\n",
        ] {
            assert!(!read(quiet).is_unread, "{quiet}");
        }
        for odd in [
            "data: x\n\n",
            "oops\n\n",
            "Data: {}\n\n",
            "{\"a\":1}\n\n",
            "<html>\n\n",
            "data: {}\n\r\ndata: {}\n\n",
        ] {
            assert!(read(odd).is_unread, "{odd}");
        }
        assert_eq!(read("data: {\"a\":NaN}\n\n").data, "{\"a\":null}");
        let deep = format!("data: {}{}\n\n", "[".repeat(300), "]".repeat(300));
        assert!(!read(&deep).is_unread && !read(&deep).data.is_empty());
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut cutter = Cutter::new(Form::Stream);
        assert_eq!(cutter.feed(&vec![b'x'; LONGEST + 1]), Err(TooLong));
    }
}
