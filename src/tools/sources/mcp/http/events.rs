//! Splits a stream of bytes into server-sent events, tolerantly (HTML standard, "server-sent events").
//!
//! Must not know: what an event says.
//!
//! Unknown fields are skipped, bytes that are not UTF-8 become U+FFFD, and the last event needs no end.

use std::collections::VecDeque;

use sse_stream::Sse;

/// Maximum number of bytes of one event.
pub(super) const MOST: usize = 16 << 20;

/// An event is longer than [`MOST`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Takes the bytes of a stream and gives its events.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    event: Sse,
    size: usize,
    after_return: bool,
    ready: VecDeque<Sse>,
}

impl Events {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        for byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(),
                _ => {
                    self.size += 1;
                    self.line.push(*byte);
                }
            }
            if self.size > MOST {
                return Err(TooLong);
            }
        }
        Ok(())
    }

    /// Returns the next whole event.
    pub(super) fn pop(&mut self) -> Option<Sse> {
        self.ready.pop_front()
    }

    /// Ends the stream: what there is of an event is one.
    pub(super) fn end(&mut self) {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_event();
    }

    fn end_event(&mut self) {
        self.size = 0;
        let event = std::mem::take(&mut self.event);
        if event.data.is_some() || event.id.is_some() || event.retry.is_some() {
            self.ready.push_back(event);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}');
        if line.is_empty() {
            self.end_event();
            return;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => {
                let data = self.event.data.get_or_insert_default();
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            "event" => self.event.event = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" => self.event.retry = value.trim().parse().ok(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(chunks: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        let mut found = Vec::new();
        for chunk in chunks {
            events.push(chunk).unwrap();
        }
        events.end();
        while let Some(event) = events.pop() {
            found.push(event.data.unwrap_or_default());
        }
        found
    }

    #[test]
    fn events_are_read_as_servers_write_them() {
        let table: &[(&[&[u8]], &[&str])] = &[
            (&[b"data: a\n\ndata:b\n\n"], &["a", "b"]),
            (&[b"event: message\r\nid: 1\r\ndata: a\r", b"\n\r\n"], &["a"]),
            (&[b": comment\nnonsense\nfield: x\ndata: a\n\n"], &["a"]),
            (&[b"retry: soon\ndata: a\n\n"], &["a"]),
            (&[b"data: a\ndata: b\n\n"], &["a\nb"]),
            (
                &[b"\xef\xbb\xbfdata: \xc3", b"\xa9 \xff\n\n"],
                &["\u{e9} \u{fffd}"],
            ),
            (&[b"data: no end"], &["no end"]),
            (&[b"event: ping\n\n\n"], &[]),
        ];
        for (chunks, expected) in table {
            assert_eq!(data(chunks), *expected, "{chunks:?}");
        }
    }

    #[test]
    fn an_event_is_bounded_and_many_short_ones_are_not() {
        let mut events = Events::default();
        let chunk = [b"data: ".to_vec(), vec![b'x'; 1 << 20], b"\n\n".to_vec()].concat();
        for _ in 0..20 {
            events.push(&chunk).unwrap();
        }
        let endless = vec![b'x'; MOST + 1];
        assert_eq!(events.push(&endless), Err(TooLong));
    }
}
