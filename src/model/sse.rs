//! Decodes event streams from bytes, following the WHATWG definition of server-sent events.
//!
//! Must not know: sockets, what the data means.
//!
//! Bytes go in as they arrive, in pieces of any size, and whole events come out, the same however
//! the stream is split. Written here because byte-order marks, bare carriage returns and broken
//! UTF-8 all occur and must neither lose events nor stop the stream.

#[cfg(test)]
mod tests;

use super::torn::json_text;

/// Maximum bytes of one event.
pub const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Its name; empty if the stream gave none.
    pub name: String,
    /// Its data lines, joined by line feeds.
    pub data: String,
    /// False if the stream ended before the empty line that ends an event.
    pub whole: bool,
}

/// Why a stream cannot be read any further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An event is too long.
    #[error("an event of the stream is longer than {limit} bytes; this is not an answer to wait for")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
}

/// Converts bytes to events.
#[derive(Debug)]
pub struct Decoder {
    /// The unfinished line.
    line: Vec<u8>,
    /// The data of the unfinished event, each line followed by a line feed.
    data: String,
    name: String,
    /// Progress through a possible byte-order mark.
    mark: Mark,
    /// True if the last byte was a carriage return, so that a line feed now belongs to it.
    after_return: bool,
    limit: usize,
    broken: bool,
    /// True if JSON data keeps bytes that are no UTF-8.
    keeps_bytes: bool,
}

/// Progress through a byte-order mark at the start of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Possible(u8),
    Past,
}

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// Creates a decoder at the start of a stream.
    pub fn new() -> Self {
        Self::with_limit(MAX_EVENT)
    }

    /// Creates a decoder that fails at events of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            name: String::new(),
            mark: Mark::Possible(0),
            after_return: false,
            limit,
            broken: false,
            keeps_bytes: false,
        }
    }

    /// Creates a decoder that keeps bytes of JSON data that are no UTF-8 as escapes (see `json_text`).
    pub fn keeping_bytes() -> Self {
        Self {
            keeps_bytes: true,
            ..Self::new()
        }
    }

    /// Number of bytes of the event that is not complete yet: comments and other lines that only keep a connection
    /// open do not count.
    pub fn open_bytes(&self) -> u64 {
        let line = if self.line.starts_with(b"data:") {
            self.line.len()
        } else {
            0
        };
        (self.data.len() + line) as u64
    }

    /// Takes the next bytes and appends the events that they completed. After an error nothing more is read.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Result<(), Error> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.broken {
            if let Mark::Possible(seen) = self.mark {
                rest = self.past_mark(seen, rest);
                continue;
            }
            if self.after_return {
                self.after_return = false;
                if let Some((b'\n', tail)) = rest.split_first() {
                    rest = tail;
                    continue;
                }
            }
            let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
            let (text, tail) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.data.len() + text.len() > self.limit {
                break;
            }
            self.line.extend_from_slice(text);
            let Some((&ending, tail)) = tail.split_first() else {
                return Ok(());
            };
            self.after_return = ending == b'\r';
            rest = tail;
            self.end_line(out);
        }
        if rest.is_empty() && !self.broken {
            return Ok(());
        }
        self.broken = true;
        self.line = Vec::new();
        self.data = String::new();
        Err(Error::TooLong { limit: self.limit })
    }

    /// Ends the stream. An unfinished event is passed on, marked as incomplete: the definition says to
    /// discard it, but servers often omit the last empty line, and parsing shows whether the data is
    /// complete.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if let Mark::Possible(seen) = self.mark {
            self.line.extend(BOM.iter().take(usize::from(seen)));
            self.mark = Mark::Past;
        }
        if !self.line.is_empty() {
            self.field(out);
            self.line.clear();
        }
        if !self.data.is_empty() {
            self.dispatch(false, out);
        }
    }

    /// Matches the byte-order mark, which may itself be split, and returns the bytes after it.
    fn past_mark<'b>(&mut self, seen: u8, bytes: &'b [u8]) -> &'b [u8] {
        let requested = BOM.get(usize::from(seen)).copied();
        match bytes.split_first() {
            Some((&byte, tail)) if Some(byte) == requested => {
                self.mark = if seen + 1 == 3 {
                    Mark::Past
                } else {
                    Mark::Possible(seen + 1)
                };
                tail
            }
            _ => {
                self.line.extend(BOM.iter().take(usize::from(seen)));
                self.mark = Mark::Past;
                bytes
            }
        }
    }

    fn end_line(&mut self, out: &mut Vec<Event>) {
        if self.line.is_empty() {
            if self.data.is_empty() {
                self.name.clear();
            } else {
                self.dispatch(true, out);
            }
        } else {
            self.field(out);
            self.line.clear();
        }
    }

    /// Reads the line as one field; broken UTF-8 becomes replacement characters.
    fn field(&mut self, out: &mut Vec<Event>) {
        if self.line.starts_with(b"error:") && !self.data.is_empty() {
            self.dispatch(true, out);
        }
        let colon = self.line.iter().position(|&byte| byte == b':');
        let (field, value) = self.line.split_at(colon.unwrap_or(self.line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                let is_json = value.trim_ascii_start().starts_with(b"{");
                self.data.push_str(&if self.keeps_bytes && is_json {
                    json_text(value)
                } else {
                    String::from_utf8_lossy(value)
                });
                self.data.push('\n');
            }
            // No such field is defined, but llama.cpp sent its errors this way, directly followed
            // by the end mark. It is an event of that name.
            b"error" => {
                self.data.push_str(&String::from_utf8_lossy(value));
                self.data.push('\n');
                "error".clone_into(&mut self.name);
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // An empty field name marks a comment; `id` and `retry` mean nothing to a single request.
            _ => {}
        }
    }

    fn dispatch(&mut self, whole: bool, out: &mut Vec<Event>) {
        let mut data = std::mem::take(&mut self.data);
        data.pop();
        let name = std::mem::take(&mut self.name);
        out.push(Event { name, data, whole });
    }
}
