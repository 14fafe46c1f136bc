//! Keeps the head and tail of an output; converts bytes to text and marks invalid UTF-8.
//!
//! Must not know: what produced the bytes.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Number of bytes kept of the beginning of an output.
pub const HEAD: usize = 256 * 1024;
/// Number of bytes kept of the end of an output.
pub const TAIL: usize = 256 * 1024;

/// A growing output in bounded memory.
#[derive(Debug)]
pub struct Bounded {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    keep_head: usize,
    keep_tail: usize,
    total: u64,
}

/// A finished output as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedText {
    /// The text; a line says how much was left out, if anything.
    pub text: String,
    /// Number of bytes received.
    pub total: u64,
    /// Number of bytes received that are not in the text.
    pub discarded: u64,
    /// Number of bytes that are not UTF-8; each appears in the text as `⟨0x9b⟩`.
    pub invalid: u64,
}

impl Default for Bounded {
    fn default() -> Self {
        Self::new(HEAD, TAIL)
    }
}

impl Bounded {
    /// Creates an output that keeps this many bytes at each end.
    pub fn new(keep_head: usize, keep_tail: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            keep_head,
            keep_tail,
            total: 0,
        }
    }

    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.keep_head.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = rest
            .get(rest.len().saturating_sub(self.keep_tail)..)
            .unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep_tail);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// Returns the number of bytes received so far.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the kept end of the output; all of it if the beginning is not kept.
    pub fn kept_tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// Returns true if nothing had to be left out.
    pub fn is_whole(&self) -> bool {
        self.total == (self.head.len() + self.tail.len()) as u64
    }

    /// Converts the output to text.
    pub fn finish(mut self) -> BoundedText {
        let whole = self.is_whole();
        let tail: &[u8] = self.tail.make_contiguous();
        if whole {
            self.head.extend_from_slice(tail);
            let (text, invalid) = marked(&self.head);
            return BoundedText {
                text,
                total: self.total,
                discarded: 0,
                invalid,
            };
        }
        // A character that was cut in two is left out entirely.
        let head = whole_end(&self.head);
        let tail = whole_start(tail);
        let discarded = self.total - (head.len() + tail.len()) as u64;
        let (mut text, invalid_head) = marked(head);
        let (end, invalid_tail) = marked(tail);
        let _ = write!(text, "\n[… {discarded} bytes left out …]\n");
        text.push_str(&end);
        BoundedText {
            text,
            total: self.total,
            discarded,
            invalid: invalid_head + invalid_tail,
        }
    }
}

/// Passes on an output in whole characters: the beginning of a torn one waits for its rest.
#[derive(Debug, Default)]
pub struct WholeChars {
    held: Vec<u8>,
}

impl WholeChars {
    /// Returns the bytes that can be passed on now.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let whole = whole_end(&all).len();
        self.held = all.split_off(whole);
        all
    }
}

/// Converts bytes to text; each byte that is not UTF-8 becomes `⟨0x9b⟩` and is counted.
pub fn marked(bytes: &[u8]) -> (String, u64) {
    let mut text = String::with_capacity(bytes.len());
    let mut invalid = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "⟨0x{byte:02x}⟩");
            invalid += 1;
        }
    }
    (text, invalid)
}

/// Encodes a text as a JSON string, the form in which text tools return their value.
pub fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the bytes without a character at the end that is not whole.
fn whole_end(bytes: &[u8]) -> &[u8] {
    // Only the last three bytes can be the beginning of a character.
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let Some(byte) = bytes.get(at) else { break };
        let needs = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            0x80..=0xbf => continue,
            _ => break,
        };
        if needs > back {
            return bytes.get(..at).unwrap_or(bytes);
        }
        break;
    }
    bytes
}

/// Returns the bytes without the rest of a character at the beginning.
pub fn whole_start(bytes: &[u8]) -> &[u8] {
    let strays = bytes
        .iter()
        .take(3)
        .take_while(|byte| matches!(byte, 0x80..=0xbf))
        .count();
    bytes.get(strays..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounded(head: usize, tail: usize, chunks: &[&[u8]]) -> BoundedText {
        let mut bounded = Bounded::new(head, tail);
        for chunk in chunks {
            bounded.push(chunk);
        }
        bounded.finish()
    }

    #[test]
    fn head_and_tail_stay_and_the_middle_is_counted() {
        assert_eq!(bounded(3, 3, &[b"abcdef"]).text, "abcdef");
        let cut = bounded(3, 3, &[b"ab", b"cdefgh", b"ij"]);
        assert_eq!(cut.text, "abc\n[… 4 bytes left out …]\nhij");
        assert_eq!((cut.total, cut.discarded, cut.invalid), (10, 4, 0));
        assert_eq!(bounded(0, 2, &[b"abcdef"]).text, "\n[… 4 bytes left out …]\nef");
    }

    #[test]
    fn a_cut_never_halves_a_character_and_odd_bytes_are_marked() {
        let cut = bounded(4, 4, &["aéé€éé".as_bytes()]);
        assert_eq!(cut.text, "aé\n[… 5 bytes left out …]\néé");
        assert_eq!(cut.invalid, 0);
        // A mark that is copied into an editor stays recognizable: no text has that byte.
        let refused = overrule_base::text::parse_visible(&marked(b"a\xff").0);
        let byte = overrule_base::text::Error::Byte { at: 1, byte: 0xff };
        assert_eq!(refused, Err(byte));
        assert_eq!(marked(b"a\xffb\xc3"), ("a⟨0xff⟩b⟨0xc3⟩".to_owned(), 2));
    }

    #[test]
    fn a_torn_character_waits_for_its_rest() {
        let mut whole = WholeChars::default();
        let bytes = "aé€😀b".as_bytes();
        let mut seen = Vec::new();
        for byte in bytes {
            let now = whole.take(&[*byte]);
            assert!(std::str::from_utf8(&now).is_ok(), "{now:?}");
            seen.extend(now);
        }
        assert_eq!(seen, bytes);
        // What is no beginning of a character is not held back.
        assert_eq!(whole.take(b"x\xff"), b"x\xff");
    }

    #[test]
    fn memory_is_bounded() {
        let mut bounded = Bounded::default();
        let chunk = vec![b'y'; 1 << 20];
        for _ in 0..200 {
            bounded.push(&chunk);
        }
        assert_eq!(bounded.total(), 200 << 20);
        assert!(bounded.head.capacity() + bounded.tail.capacity() < 4 * (HEAD + TAIL));
        let stored = bounded.finish();
        assert_eq!(stored.discarded, (200 << 20) - (HEAD + TAIL) as u64);
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        /// However the bytes are split, the result is the same, and nothing is lost uncounted.
        #[test]
        fn pieces_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1_usize..40) {
            let whole = bounded(20, 15, &[&bytes]);
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(&whole, &bounded(20, 15, &pieces));
            prop_assert_eq!(whole.total, bytes.len() as u64);
            prop_assert!(bytes.len() > 35 || whole.discarded == 0);
        }
    }
}
