//! Reads a file line by line in bounded memory.
//!
//! Must not know: what the lines contain.

use std::io::{self, BufRead, Read as _};

use super::line::MAX_LINE;

/// How one line ended, without its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineEnd {
    /// True if the line ended with a line break.
    pub(super) ended: bool,
    /// True if the line was too long to be stored.
    pub(super) long: bool,
    /// Offset of the byte after the line and its line break.
    pub(super) end: u64,
}

/// The lines of a reader.
pub(super) struct Lines<R> {
    reader: R,
    at: u64,
}

impl<R: BufRead> Lines<R> {
    /// Starts at the current position of the reader, which counts as offset 0.
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, at: 0 }
    }

    /// Appends the next line to `bytes`, without its line break.
    pub(super) fn next(&mut self, bytes: &mut Vec<u8>) -> io::Result<Option<LineEnd>> {
        let before = bytes.len();
        let limit = MAX_LINE as u64 + 1;
        let mut read = self.reader.by_ref().take(limit).read_until(b'\n', bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.at += read as u64;
        let mut ended = bytes.last() == Some(&b'\n');
        let long = !ended && bytes.len() - before > MAX_LINE;
        let mut skipped = Vec::new();
        while long && !ended && read > 0 {
            skipped.clear();
            read = self
                .reader
                .by_ref()
                .take(1 << 16)
                .read_until(b'\n', &mut skipped)?;
            self.at += read as u64;
            ended = skipped.last() == Some(&b'\n');
        }
        if !long && ended {
            bytes.pop();
        }
        let end = self.at;
        Ok(Some(LineEnd { ended, long, end }))
    }
}
