//! Cuts a response body into events, each with its exact bytes.
//!
//! Must not know: what an event means, who receives it.

use serde_json::Value;

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
#[derive(Debug, Clone, PartialEq)]
pub struct RawEvent {
    /// Its bytes, with the empty line that ends it.
    pub bytes: Vec<u8>,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its data, if that is JSON.
    pub data: Option<Value>,
    /// How the body is divided.
    pub form: Form,
}

impl RawEvent {
    fn read(bytes: Vec<u8>, form: Form) -> Self {
        let text = String::from_utf8_lossy(&bytes);
        let (mut name, mut data) = (String::new(), String::new());
        if form == Form::Stream {
            for line in text.split(['\n', '\r']) {
                let line = line.trim_start_matches('\u{FEFF}');
                let value = |key: &str| {
                    let rest = line.strip_prefix(key)?.strip_prefix(':')?;
                    Some(rest.strip_prefix(' ').unwrap_or(rest))
                };
                if let Some(value) = value("event") {
                    value.clone_into(&mut name);
                } else if let Some(value) = value("data") {
                    if !data.is_empty() {
                        data.push('\n');
                    }
                    data.push_str(value);
                }
            }
        } else {
            data = text.into_owned();
        }
        let data = serde_json::from_str(data.trim()).ok();
        Self {
            bytes,
            name,
            data,
            form,
        }
    }

    /// The type of the data of an event, as two formats name it.
    pub fn kind(&self) -> &str {
        let kind = self.data.as_ref().and_then(|data| data["type"].as_str());
        kind.unwrap_or(&self.name)
    }

    /// Returns the bytes of the event with other data.
    pub fn with(&self, data: &Value) -> Vec<u8> {
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
                format!("{name}data: {data}{end}{end}").into_bytes()
            }
            Form::Lines => format!("{data}\n").into_bytes(),
            Form::Whole => data.to_string().into_bytes(),
        }
    }
}

/// Returns the bytes of a new event of a stream.
pub fn event(name: &str, data: &Value) -> Vec<u8> {
    if name.is_empty() {
        return format!("data: {data}\n\n").into_bytes();
    }
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// An event is longer than anything worth waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the model sent an event of more than {LONGEST} bytes")]
pub struct TooLong;

/// Cuts a body.
#[derive(Debug)]
pub struct Cutter {
    form: Form,
    buffer: Vec<u8>,
}

impl Cutter {
    /// Begins a body.
    pub const fn new(form: Form) -> Self {
        Self {
            form,
            buffer: Vec::new(),
        }
    }

    /// Takes the next bytes; returns the events that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawEvent>, TooLong> {
        let mut from = self.buffer.len().saturating_sub(3);
        self.buffer.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.end(from) {
            let rest = self.buffer.split_off(end);
            let bytes = std::mem::replace(&mut self.buffer, rest);
            events.push(RawEvent::read(bytes, self.form));
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
        (!rest.is_empty()).then(|| RawEvent::read(rest, self.form))
    }

    /// Where the first event ends.
    fn end(&self, from: usize) -> Option<usize> {
        let bytes = &self.buffer;
        match self.form {
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
            prop_assert_eq!(events[2].data.as_ref().unwrap()["x"].as_i64(), Some(1));
        }
    }

    #[test]
    fn an_event_keeps_its_name_and_its_line_ends() {
        let mut cutter = Cutter::new(Form::Stream);
        let events = cutter.feed(b"event: a\r\ndata: {\"x\":1}\r\n\r\n").unwrap();
        let other = serde_json::json!({"x": 2});
        assert_eq!(events[0].with(&other), b"event: a\r\ndata: {\"x\":2}\r\n\r\n");
        let mut lines = Cutter::new(Form::Lines);
        let events = lines.feed(b"{\"a\":1}\n{\"a\":2}\n{").unwrap();
        assert_eq!(events.len(), 2);
        assert_eq!(events[1].with(&other), b"{\"x\":2}\n");
        assert_eq!(lines.end_of_body().unwrap().bytes, b"{");
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut cutter = Cutter::new(Form::Stream);
        assert_eq!(cutter.feed(&vec![b'x'; LONGEST + 1]), Err(TooLong));
    }
}
