//! Finds the end of the body of a request.
//!
//! Must not know: what a body holds, where it goes.

/// Maximum bytes of the line before a chunk, and of a line after the last one.
const MAX_LINE: usize = 4 << 10;
/// Maximum digits of the size of a chunk.
const MAX_DIGITS: usize = 15;

/// A body that is malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body of the request is malformed")]
pub(super) struct BodyError;

/// What of a body is still to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// This many bytes.
    Sized(u64),
    /// The line with the size of a chunk, of which this is known.
    Size(Vec<u8>),
    /// This many bytes of a chunk, with the line break after it.
    Chunk(u64),
    /// The lines after the last chunk; the last line is known so far.
    Trailer(Vec<u8>),
}

impl Body {
    /// No body.
    pub(super) const NONE: Self = Self::Sized(0);
    /// A chunked body.
    pub(super) const CHUNKED: Self = Self::Size(Vec::new());

    /// Takes the next bytes, and returns how many of them belong to the body.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, BodyError> {
        let mut taken = 0;
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            let step = match self {
                Self::Sized(0) => break,
                Self::Sized(left) | Self::Chunk(left) => {
                    let length = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    *left -= length as u64;
                    length
                }
                Self::Size(line) | Self::Trailer(line) => add_line(line, rest)?,
            };
            taken += step;
            self.advance()?;
        }
        Ok(taken)
    }

    /// Goes on to the next part where one is complete.
    fn advance(&mut self) -> Result<(), BodyError> {
        *self = match self {
            Self::Chunk(0) => Self::CHUNKED,
            Self::Size(line) if line.ends_with(b"\n") => match size(line)? {
                0 => Self::Trailer(Vec::new()),
                size => Self::Chunk(size + 2),
            },
            Self::Trailer(line) if line == b"\r\n" => Self::NONE,
            Self::Trailer(line) if line.ends_with(b"\n") => Self::Trailer(Vec::new()),
            _ => return Ok(()),
        };
        Ok(())
    }
}

/// Adds bytes to a line up to its end. Returns how many.
fn add_line(line: &mut Vec<u8>, bytes: &[u8]) -> Result<usize, BodyError> {
    let length = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |at| at + 1);
    line.extend_from_slice(bytes.get(..length).unwrap_or_default());
    let (text, ended) = match line.strip_suffix(b"\n") {
        Some(text) => (text, true),
        None => (line.as_slice(), false),
    };
    // A carriage return stands before the line feed and nowhere else.
    let text = match text.strip_suffix(b"\r") {
        Some(text) => text,
        None if ended => return Err(BodyError),
        None => text,
    };
    if text.len() > MAX_LINE || text.contains(&b'\r') {
        return Err(BodyError);
    }
    Ok(length)
}

/// Reads the size of a chunk. Extensions after it count as nothing.
fn size(line: &[u8]) -> Result<u64, BodyError> {
    let digits = line
        .split(|byte| matches!(byte, b';' | b'\r'))
        .next()
        .unwrap_or_default();
    let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits)
        .ok()
        .filter(|text| is_hex && text.len() <= MAX_DIGITS);
    text.and_then(|text| u64::from_str_radix(text, 16).ok())
        .ok_or(BodyError)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left after these bytes, and how many belong to the body: the same in one piece and byte by byte.
    fn taken(body: &Body, bytes: &[u8]) -> Result<(usize, bool), BodyError> {
        let mut whole = body.clone();
        let count = whole.take(bytes);
        let mut parts = body.clone();
        let mut sum = Ok(0);
        for byte in bytes {
            sum = sum.and_then(|sum| Ok(sum + parts.take(&[*byte])?));
        }
        assert_eq!(count, sum, "{}", String::from_utf8_lossy(bytes));
        Ok((count?, whole == Body::NONE))
    }

    #[test]
    fn a_sized_body_ends_after_its_size() {
        assert_eq!(taken(&Body::Sized(3), b"abcGET"), Ok((3, true)));
        assert_eq!(taken(&Body::Sized(9), b"abc"), Ok((3, false)));
        assert_eq!(taken(&Body::NONE, b"GET"), Ok((0, true)));
    }

    #[test]
    fn a_chunked_body_ends_after_its_last_line() {
        for (body, is_end) in [
            ("0\r\n\r\n", true),
            ("3\r\nabc\r\n0\r\n\r\n", true),
            ("A;ext=\"0\"\r\n0\r\n\r\nGET /\r\n0\r\n\r\n", true),
            ("0\r\nX: y\r\n\r\n", true),
            ("000\r\n\r\n", true),
            ("3\r\nabc\r\n", false),
            ("0\r\n", false),
            ("0\r\nX: y\r\n", false),
        ] {
            assert_eq!(
                taken(&Body::CHUNKED, body.as_bytes()),
                Ok((body.len(), is_end)),
                "{body}"
            );
            if is_end {
                let more = format!("{body}GET http://other/ HTTP/1.1\r\n\r\n");
                assert_eq!(
                    taken(&Body::CHUNKED, more.as_bytes()),
                    Ok((body.len(), true)),
                    "{body}"
                );
            }
        }
    }

    #[test]
    fn a_malformed_chunk_is_refused() {
        for body in [
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "+1\r\n",
            " 1\r\n",
            "1 \r\n",
            "0x1\r\n",
            "1\n",
            "1\rx\r\n",
            "0\r\nX: y\n",
            "1000000000000000\r\n",
            "ffffffffffffffffffff\r\n",
        ] {
            assert_eq!(taken(&Body::CHUNKED, body.as_bytes()), Err(BodyError), "{body:?}");
        }
        let long = "0".repeat(MAX_LINE + 2);
        assert_eq!(taken(&Body::CHUNKED, long.as_bytes()), Err(BodyError));
    }
}
