//! Leaves out of a text what differs each time a command runs: ids, addresses, temporary paths, process ids, ports, dates,
//! times and durations.
//!
//! One pass over the bytes. The text may be JSON: an escape such as `\n` separates words. Must not know: what the
//! text came from.

use std::borrow::Cow;

/// Shortest and longest run of hexadecimal digits that is taken for an id.
const ID: std::ops::RangeInclusive<usize> = 6..=39;
/// Most bytes between a word such as `id` and what it names.
const BETWEEN: usize = 6;
/// Time zones that may follow a time.
const ZONES: [&str; 16] = [
    "UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST", "PDT", "MST", "MDT", "CST", "CDT", "BST", "IST", "JST",
    "WET",
];
/// Units of durations that may follow a number directly.
const UNITS: [&str; 26] = [
    "ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "sec", "secs", "min", "mins", "hr", "hrs", "second",
    "seconds", "minute", "minutes", "hour", "hours", "day", "days", "msec", "usec", "nsec",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

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
        kept: 0,
        named: None,
    };
    scan.all();
    if scan.kept == 0 {
        return Cow::Borrowed(text.as_bytes());
    }
    let rest = scan.text.get(scan.kept..).unwrap_or_default();
    scan.out.extend_from_slice(rest);
    let says = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    if without_escapes(&scan.out).any(|byte| says(&byte)) {
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
    kept: usize,
    /// What the newest word says about a number after it, and where that word ends.
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

    /// True where no letter or digit stands.
    fn is_end(&self, at: usize) -> bool {
        self.kind(at) == 0
    }

    fn all(&mut self) {
        let mut at = 0;
        while let Some(byte) = self.text.get(at) {
            if KINDS[usize::from(*byte)] == 0 {
                at += if *byte == b'\\' { escape(self.text, at) } else { 1 };
                continue;
            }
            let (mut end, mut kinds) = (at, 0);
            while let Some(byte) = self.text.get(end) {
                let kind = KINDS[usize::from(*byte)];
                if kind == 0 {
                    break;
                }
                kinds |= kind;
                end += 1;
            }
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
        if self.kept == 0 {
            self.out.reserve(self.text.len());
        }
        let before = self.text.get(self.kept..from).unwrap_or_default();
        self.out.extend_from_slice(before);
        self.kept = to;
    }

    /// A word without digits: a month, a day, the root of temporary files, or a name of what follows.
    fn letters(&mut self, at: usize, end: usize, kinds: u8) -> Option<(usize, usize)> {
        let word = self.piece(at, end);
        let first = *word.first()?;
        if first.is_ascii_uppercase() && word.len() <= 9 && word.len() >= 3 {
            let date = self
                .month(at, end)
                .or_else(|| self.day(end).filter(|_| is_in(&DAYS, word)));
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
        if kinds == HEX {
            if let Some(to) = self.uuid(at) {
                return Some((at, to));
            }
            if ID.contains(&(end - at)) && self.names(at) == Some(Names::Id) {
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
        if kinds & LETTER == 0 {
            if let Some(to) = self.uuid(at) {
                return Some((at, to));
            }
            let is_id = kinds & HEX != 0 || self.names(at) == Some(Names::Id);
            if is_id && ID.contains(&length) && self.duration(at).is_none() {
                return Some((at, end));
            }
        }
        if self.piece(at, at + 2) == b"0x" && self.piece(at + 2, end).iter().all(u8::is_ascii_hexdigit) {
            return ID.contains(&(length - 2)).then_some((at, end));
        }
        if let Some(to) = self
            .date(at)
            .or_else(|| self.time(at))
            .or_else(|| self.duration(at))
        {
            return Some((at, to));
        }
        if kinds != DIGIT {
            return None;
        }
        let gone = self.is_epoch(at, end) || self.is_process_or_port(at, end);
        gone.then_some((at, end))
    }

    /// What the word right before a place says about it.
    fn names(&self, at: usize) -> Option<Names> {
        let (names, end) = self.named?;
        let between = self.piece(end, at);
        let joins = |byte: &u8| {
            matches!(
                byte,
                b' ' | b':' | b'=' | b'#' | b'"' | b'\'' | b'(' | b'[' | b'-' | b'_' | b'\\'
            )
        };
        (end <= at && between.len() <= BETWEEN && between.iter().all(joins)).then_some(names)
    }

    fn is_process_or_port(&self, at: usize, end: usize) -> bool {
        if self.names(at) == Some(Names::Number) {
            return end - at <= 10;
        }
        // `thread 'main' (4711) panicked`: the id that the system gave the thread.
        if self.byte(at.wrapping_sub(1)) == b'(' && self.piece(end, end + 10) == b") panicked" {
            return true;
        }
        let before = self.piece(at.saturating_sub(10), at);
        let is_local = [&b"localhost:"[..], b"127.0.0.1:", b"0.0.0.0:", b"[::1]:"];
        (4..=5).contains(&(end - at)) && is_local.iter().any(|host| before.ends_with(host))
    }

    /// Seconds or milliseconds since 1970, from 2001 to 2033.
    fn is_epoch(&self, at: usize, end: usize) -> bool {
        matches!(end - at, 10 | 13 | 16 | 19)
            && self.byte(at) == b'1'
            && self.byte(at.wrapping_sub(1)) != b'.'
    }

    fn uuid(&self, at: usize) -> Option<usize> {
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
        // Right behind an escape such as `\n` its letter stands.
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

    /// Reads digits; returns their value and their end.
    fn number(&self, at: usize, lengths: std::ops::RangeInclusive<usize>) -> Option<(u32, usize)> {
        let mut end = at;
        let mut value = 0_u32;
        while self.byte(end).is_ascii_digit() {
            value = value
                .saturating_mul(10)
                .saturating_add(u32::from(self.byte(end) - b'0'));
            end += 1;
        }
        lengths.contains(&(end - at)).then_some((value, end))
    }

    /// A date at a place, with the time and the year after it.
    fn date(&self, at: usize) -> Option<usize> {
        let (first, end) = self.number(at, 1..=8)?;
        let length = end - at;
        // 20261126T003335Z
        if length == 8 && self.byte(end) == b'T' {
            let (_, end) = self.number(end + 1, 4..=6)?;
            let end = if self.byte(end) == b'Z' { end + 1 } else { end };
            return self.is_end(end).then_some(end);
        }
        let sign = self.byte(end);
        if matches!(sign, b'-' | b'/' | b'.') {
            let (second, end) = self.number(end + 1, 1..=2)?;
            if self.byte(end) != sign {
                return None;
            }
            let (third, end) = self.number(end + 1, 1..=4)?;
            let year = if length == 4 { first } else { third };
            let other = if length == 4 { third } else { first };
            let is_date =
                (1970..2100).contains(&year) && (1..=31).contains(&second) && (1..=31).contains(&other);
            let ends = self.is_end(end) || self.byte(end) == b'T';
            return (is_date && ends).then(|| self.time_after(end));
        }
        // 26 Nov 2026
        if length <= 2 && matches!(sign, b' ' | b'-') && (1..=31).contains(&first) {
            let month = end + 1;
            let after = self.word_end(month);
            if is_in(&MONTHS, self.piece(month, after)) {
                return Some(self.time_after(self.year_after(after)));
            }
        }
        None
    }

    fn word_end(&self, at: usize) -> usize {
        let mut end = at;
        while matches!(self.byte(end), b'a'..=b'z' | b'A'..=b'Z') {
            end += 1;
        }
        end
    }

    /// `Nov 26`, with what belongs to it.
    fn month(&self, at: usize, end: usize) -> Option<usize> {
        if !is_in(&MONTHS, self.piece(at, end)) {
            return None;
        }
        let mut from = end;
        while matches!(self.byte(from), b' ' | b'.' | b'-') && from < end + 3 {
            from += 1;
        }
        let (day, to) = self.number(from, 1..=2)?;
        let is_day = from > end && (1..=31).contains(&day) && self.is_end(to);
        is_day.then(|| self.year_after(self.time_after(self.year_after(to))))
    }

    /// The date after the name of a day.
    fn day(&self, end: usize) -> Option<usize> {
        let mut from = end;
        while matches!(self.byte(from), b' ' | b',') && from < end + 2 {
            from += 1;
        }
        let word = self.word_end(from);
        if word > from {
            return self.month(from, word);
        }
        self.date(from)
    }

    fn year_after(&self, at: usize) -> usize {
        let mut from = at;
        while matches!(self.byte(from), b' ' | b',' | b'-') && from < at + 2 {
            from += 1;
        }
        match self.number(from, 4..=4) {
            Some((year, end)) if from > at && (1970..2100).contains(&year) && self.is_end(end) => end,
            _ => at,
        }
    }

    /// The end of a time after a date; minutes are enough.
    fn time_after(&self, at: usize) -> usize {
        let mut from = at;
        while matches!(self.byte(from), b' ' | b'T' | b'_' | b',') && from < at + 2 {
            from += 1;
        }
        if from == at {
            at
        } else {
            self.clock(from, false).unwrap_or(at)
        }
    }

    fn time(&self, at: usize) -> Option<usize> {
        let before = self.byte(at.wrapping_sub(1));
        if matches!(before, b':' | b'.') {
            return None;
        }
        self.clock(at, true)
    }

    /// `00:33:35.123 UTC`, or without seconds where `exact` is false or `am` or `pm` follows.
    fn clock(&self, at: usize, exact: bool) -> Option<usize> {
        let (hours, end) = self.number(at, 1..=2)?;
        let (minutes, mut end) = self.number(end + 1, 2..=2).filter(|_| self.byte(end) == b':')?;
        let mut seconds = None;
        if self.byte(end) == b':'
            && let Some((value, to)) = self.number(end + 1, 2..=2)
        {
            (seconds, end) = (Some(value), to);
            if matches!(self.byte(end), b'.' | b',') && self.byte(end + 1).is_ascii_digit() {
                (_, end) = self.number(end + 1, 1..=9)?;
            }
        }
        let half = self.piece(end, end + 3).trim_ascii_start();
        let is_half = [b"AM", b"PM", b"am", b"pm"]
            .iter()
            .any(|one| half.starts_with(*one));
        if hours > 24
            || minutes > 59
            || seconds.is_some_and(|value| value > 60)
            || (exact && seconds.is_none() && !is_half)
        {
            return None;
        }
        if is_half {
            end = self.word_end(end + usize::from(self.byte(end) == b' '));
        }
        let end = self.zone_after(end);
        self.is_end(end).then_some(end)
    }

    fn zone_after(&self, at: usize) -> usize {
        if self.byte(at) == b'Z' && self.is_end(at + 1) {
            return at + 1;
        }
        let from = at + usize::from(self.byte(at) == b' ');
        if matches!(self.byte(from), b'+' | b'-')
            && let Some((_, end)) = self.number(from + 1, 2..=4)
        {
            let minutes = self.number(end + 1, 2..=2).filter(|_| self.byte(end) == b':');
            return minutes.map_or(end, |(_, end)| end);
        }
        let end = self.word_end(from);
        let word = self.piece(from, end);
        if end > from && ZONES.iter().any(|zone| zone.as_bytes() == word) {
            end
        } else {
            at
        }
    }

    /// `0.53s`, `12 ms`, `1m23s`, `1h 2m`.
    fn duration(&self, at: usize) -> Option<usize> {
        if self.byte(at.wrapping_sub(1)) == b'.' {
            return None;
        }
        let mut end = self.amount(at)?;
        // Further parts, in the same word or after a blank.
        loop {
            let from = end + usize::from(self.byte(end) == b' ');
            match self.amount(from).filter(|_| self.byte(from).is_ascii_digit()) {
                Some(to) => end = to,
                None => break,
            }
        }
        self.is_end(end).then_some(end)
    }

    /// A number with its unit.
    fn amount(&self, at: usize) -> Option<usize> {
        let (_, mut end) = self.number(at, 1..=12)?;
        if self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit() {
            (_, end) = self.number(end + 1, 1..=12)?;
        }
        let from = end + usize::from(self.byte(end) == b' ');
        let mut to = from;
        while self.kind(to) & (HEX | LETTER) != 0 && to < from + 8 {
            to += 1;
        }
        let unit = self.piece(from, to);
        // A single letter after a blank is no unit, seconds excepted.
        let is_unit = UNITS.iter().any(|one| one.as_bytes() == unit);
        (is_unit && (from == end || unit.len() > 1 || unit == b"s")).then_some(to)
    }
}

/// True for a name, or its first three letters.
fn is_in(names: &[&str], word: &[u8]) -> bool {
    let is = |name: &&str| name.as_bytes() == word || name.as_bytes().get(..3) == Some(word);
    names.iter().any(|name| is(name))
}

/// What a word says about a number after it.
fn names(word: &[u8]) -> Option<Names> {
    const IDS: [&str; 14] = [
        "id",
        "ids",
        "uid",
        "uuid",
        "guid",
        "chunk",
        "request",
        "req",
        "trace",
        "span",
        "session",
        "correlation",
        "transaction",
        "nonce",
    ];
    const NUMBERS: [&str; 6] = ["pid", "pids", "ppid", "tid", "process", "port"];
    if word.len() > 11 || word.len() < 2 {
        // `requestId` and the like.
        return (word.ends_with(b"Id") || word.ends_with(b"ID")).then_some(Names::Id);
    }
    let is = |name: &&str| name.len() == word.len() && name.as_bytes().eq_ignore_ascii_case(word);
    match word.first()?.to_ascii_lowercase() {
        b'i' | b'u' | b'g' | b'c' | b'r' | b't' | b's' | b'n' | b'p' => {}
        _ => return word.ends_with(b"Id").then_some(Names::Id),
    }
    if NUMBERS.iter().any(|name| is(name)) {
        return Some(Names::Number);
    }
    (IDS.iter().any(|name| is(name)) || word.ends_with(b"Id") || word.ends_with(b"ID")).then_some(Names::Id)
}
