//! Removes the parts of a text that differ each time a command runs.
//!
//! Must not know: what the text came from.
//!
//! These parts are ids, addresses, temporary paths, process ids, ports, dates, times and durations.
//! One pass over the bytes. The text may be JSON: an escape such as `\n` separates words.

mod clock;

use std::borrow::Cow;

/// Shortest and longest run of hexadecimal digits that is taken for an id.
const ID: std::ops::RangeInclusive<usize> = 6..=39;
/// Most bytes between a word such as `id` and what it names.
const BETWEEN: usize = 6;
/// What the word before a number says about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    /// An id: hexadecimal digits.
    Id,
    /// A process or a port: a number.
    Number,
}

/// Returns the text without the parts that differ each time; the whole text if nothing else is in it.
pub(super) fn stable(text: &str) -> Cow<'_, [u8]> {
    let mut scan = Scan {
        text: text.as_bytes(),
        out: Vec::new(),
        consumed: 0,
        named: None,
    };
    scan.all();
    if scan.consumed == 0 {
        return Cow::Borrowed(text.as_bytes());
    }
    let rest = scan.text.get(scan.consumed..).unwrap_or_default();
    scan.out.extend_from_slice(rest);
    let claims = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    if without_escapes(&scan.out).any(|byte| claims(&byte)) {
        Cow::Owned(scan.out)
    } else {
        Cow::Borrowed(text.as_bytes())
    }
}

/// Iterates over the bytes that are not part of an escape.
fn without_escapes(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while text.get(at) == Some(&b'\\') {
            at += escape(text, at);
        }
        at += 1;
        text.get(at - 1).copied()
    })
}

/// Returns the length of the escape at a place.
fn escape(text: &[u8], at: usize) -> usize {
    if text.get(at + 1) == Some(&b'u') { 6 } else { 2 }
}

struct Scan<'t> {
    text: &'t [u8],
    out: Vec<u8>,
    /// Everything before this place is in `out` or left out.
    consumed: usize,
    /// What the last word says about a number after it, and where that word ends.
    named: Option<(Names, usize)>,
}

/// Kinds of bytes, for a word as the union of its bytes.
const DIGIT: u8 = 1;
const HEX: u8 = 2;
const LETTER: u8 = 4;
const fn kinds() -> [u8; 256] {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' | b'A'..=b'F' => HEX,
            b'g'..=b'z' | b'G'..=b'Z' | 128..=255 => LETTER,
            _ => 0,
        };
        byte += 1;
    }
    all
}
static KINDS: [u8; 256] = kinds();

impl Scan<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or_default()
    }

    fn piece(&self, from: usize, to: usize) -> &[u8] {
        self.text.get(from..to).unwrap_or_default()
    }

    fn kind(&self, at: usize) -> u8 {
        KINDS[usize::from(self.byte(at))]
    }

    /// Returns true if there is no letter or digit.
    fn is_end(&self, at: usize) -> bool {
        self.kind(at) == 0
    }

    fn all(&mut self) {
        let text = self.text;
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            if KINDS[usize::from(*byte)] == 0 {
                at += if *byte == b'\\' { escape(text, at) } else { 1 };
                continue;
            }
            let (mut length, mut kinds) = (0, 0);
            for byte in text.get(at..).unwrap_or_default() {
                let kind = KINDS[usize::from(*byte)];
                if kind == 0 {
                    break;
                }
                kinds |= kind;
                length += 1;
            }
            let end = at + length;
            let gone = if kinds & DIGIT == 0 {
                self.letters(at, end, kinds)
            } else {
                self.digits(at, end, kinds)
            };
            at = match gone {
                Some((from, to)) => {
                    self.leave_out(from, to);
                    to
                }
                None => end,
            };
        }
    }

    fn leave_out(&mut self, from: usize, to: usize) {
        if self.consumed == 0 {
            self.out.reserve(self.text.len());
        }
        let before = self.text.get(self.consumed..from).unwrap_or_default();
        self.out.extend_from_slice(before);
        self.consumed = to;
    }

    /// A word without digits: a month, a day, the root of temporary files, or a name of what follows.
    fn letters(&mut self, at: usize, end: usize, kinds: u8) -> Option<(usize, usize)> {
        let word = self.piece(at, end);
        let first = *word.first()?;
        if first.is_ascii_uppercase() && (3..=9).contains(&word.len()) {
            let date = if clock::is_month(word) {
                self.month(end)
            } else if clock::is_day(word) {
                self.day(end)
            } else {
                None
            };
            if let Some(to) = date {
                return Some((at, to));
            }
        }
        if matches!(first, b't' | b'v' | b'p' | b'd')
            && self.byte(at.wrapping_sub(1)) == b'/'
            && let Some(to) = self.temporary(at)
        {
            return Some((at - 1, to));
        }
        if kinds == HEX && word.len() >= *ID.start() {
            if let Some(to) = self.uuid(at, end) {
                return Some((at, to));
            }
            if word.len() <= *ID.end() && self.names(at) == Some(Names::Id) {
                return Some((at, end));
            }
        }
        if let Some(names) = names(word) {
            self.named = Some((names, end));
        }
        None
    }

    /// A word with digits.
    fn digits(&self, at: usize, end: usize, kinds: u8) -> Option<(usize, usize)> {
        let length = end - at;
        if kinds & LETTER == 0 && length >= *ID.start() {
            if let Some(to) = self.uuid(at, end) {
                return Some((at, to));
            }
            let is_id = kinds & HEX != 0 || self.names(at) == Some(Names::Id);
            if is_id && length <= *ID.end() {
                return Some((at, end));
            }
        }
        if !self.byte(at).is_ascii_digit() {
            return None;
        }
        if kinds != DIGIT {
            if self.byte(at + 1) == b'x' {
                let hex = self.piece(at + 2, end).iter().all(u8::is_ascii_hexdigit);
                return (hex && ID.contains(&(length - 2))).then_some((at, end));
            }
            let found = if length >= 13 { self.date(at) } else { None };
            return found.or_else(|| self.duration(at)).map(|to| (at, to));
        }
        let after = self.byte(end + 1);
        let found = match self.byte(end) {
            b':' if length <= 2 && after.is_ascii_digit() => self.time(at),
            b'.' if after.is_ascii_digit() => self.date(at).or_else(|| self.duration(at)),
            b'-' | b'/' if length <= 4 && after.is_ascii_digit() => self.date(at),
            b' ' | b'-' if length <= 2 && after.is_ascii_uppercase() => self.date(at),
            b' ' if KINDS[usize::from(after)] > DIGIT => self.duration(at),
            _ => None,
        };
        if let Some(to) = found {
            return Some((at, to));
        }
        let gone = self.is_epoch(at, end) || self.is_process_or_port(at, end);
        gone.then_some((at, end))
    }

    /// What the word right before a place says about it.
    fn names(&self, at: usize) -> Option<Names> {
        let (names, end) = self.named?;
        if end + BETWEEN < at {
            return None;
        }
        let between = self.piece(end, at);
        let joins = |byte: &u8| {
            matches!(
                byte,
                b' ' | b':' | b'=' | b'#' | b'"' | b'\'' | b'(' | b'[' | b'-' | b'_' | b'\\'
            )
        };
        between.iter().all(joins).then_some(names)
    }

    fn is_process_or_port(&self, at: usize, end: usize) -> bool {
        if self.names(at) == Some(Names::Number) {
            return end - at <= 10;
        }
        match self.byte(at.wrapping_sub(1)) {
            // `thread 'main' (4711) panicked`: the id that the system gave the thread.
            b'(' => self.piece(end, end + 10) == b") panicked",
            b':' if (4..=5).contains(&(end - at)) => {
                let before = self.piece(at.saturating_sub(10), at);
                let local = [&b"localhost:"[..], b"127.0.0.1:", b"0.0.0.0:", b"[::1]:"];
                local.iter().any(|host| before.ends_with(host))
            }
            _ => false,
        }
    }

    /// Seconds or milliseconds since 1970, from 2001 to 2033.
    fn is_epoch(&self, at: usize, end: usize) -> bool {
        matches!(end - at, 10 | 13 | 16 | 19)
            && self.byte(at) == b'1'
            && self.byte(at.wrapping_sub(1)) != b'.'
    }

    /// A UUID whose first part is the word.
    fn uuid(&self, at: usize, first: usize) -> Option<usize> {
        if first - at != 8 || self.byte(first) != b'-' {
            return None;
        }
        let mut end = at;
        for (part, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
            if part > 0 {
                if self.byte(end) != b'-' {
                    return None;
                }
                end += 1;
            }
            let digits = self.piece(end, end + length);
            if digits.len() != length || !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            end += length;
        }
        self.is_end(end).then_some(end)
    }

    /// Returns the end of a temporary path whose first component begins at a place, its file name excepted where that has
    /// an extension and is not what is temporary.
    fn temporary(&self, at: usize) -> Option<usize> {
        const ROOTS: [&[u8]; 6] = [
            b"tmp/",
            b"var/tmp/",
            b"var/folders/",
            b"private/tmp/",
            b"private/var/",
            b"dev/shm/",
        ];
        let begins = at < 2
            || matches!(self.byte(at - 2), byte if KINDS[usize::from(byte)] == 0 && !matches!(byte, b'.' | b'/' | b'~' | b'_' | b'-'));
        // The letter of an escape such as `\n` may come right before the path.
        let begins = begins || (at >= 3 && self.byte(at - 3) == b'\\');
        let root = ROOTS
            .iter()
            .find(|root| self.piece(at, at + root.len()) == **root)?;
        if !begins {
            return None;
        }
        let from = at + root.len();
        let mut end = from;
        let (mut first, mut last) = (None, from);
        while !matches!(
            self.byte(end),
            0..=b' '
                | b'"'
                | b'\''
                | b'`'
                | b'\\'
                | b')'
                | b']'
                | b'}'
                | b'>'
                | b'<'
                | b','
                | b';'
                | b':'
                | b'|'
        ) {
            if self.byte(end) == b'/' {
                first.get_or_insert(end);
                last = end;
            }
            end += 1;
        }
        let name = self.piece(last, end);
        let has_extension = || {
            let mut parts = name.rsplitn(2, |byte| *byte == b'.');
            let extension = parts.next().unwrap_or_default();
            parts.next().is_some_and(|stem| stem.len() > 1)
                && !extension.is_empty()
                && extension.iter().all(u8::is_ascii_alphanumeric)
        };
        Some(if first.is_some() && has_extension() {
            last
        } else {
            end
        })
    }
}

/// What a word says about a number after it.
fn names(word: &[u8]) -> Option<Names> {
    let [first, rest @ ..] = word else { return None };
    if word.eq_ignore_ascii_case(b"pgid") {
        return Some(Names::Number);
    }
    // `requestId` and the like.
    if matches!(rest, [_, .., b'I', b'd' | b'D']) {
        return Some(Names::Id);
    }
    if !matches!(
        first | 0x20,
        b'i' | b'u' | b'g' | b'c' | b'r' | b't' | b's' | b'n' | b'p'
    ) || word.len() > 11
    {
        return None;
    }
    let mut small = [0; 11];
    for (small, byte) in small.iter_mut().zip(word) {
        *small = byte | 0x20;
    }
    match small.get(..word.len())? {
        b"id" | b"ids" | b"uid" | b"req" | b"uuid" | b"guid" | b"span" | b"chunk" | b"trace" | b"nonce"
        | b"request" | b"session" | b"correlation" | b"transaction" => Some(Names::Id),
        b"pid" | b"tid" | b"pids" | b"ppid" | b"port" | b"process" => Some(Names::Number),
        _ => None,
    }
}
