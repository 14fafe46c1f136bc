//! Dates, times and durations in a text.
//!
//! Must not know: what is done with them.

use super::{HEX, LETTER, Scan};

/// Time zones that may follow a time.
const ZONES: [&str; 16] = [
    "UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST", "PDT", "MST", "MDT", "CST", "CDT", "BST", "IST", "JST",
    "WET",
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

impl Scan<'_> {
    /// Reads digits; returns their value and their end.
    pub(super) fn number(&self, at: usize, lengths: std::ops::RangeInclusive<usize>) -> Option<(u32, usize)> {
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
    pub(super) fn date(&self, at: usize) -> Option<usize> {
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
        while self.byte(end).is_ascii_alphabetic() {
            end += 1;
        }
        end
    }

    /// The day after the name of a month, with what belongs to it.
    pub(super) fn month(&self, end: usize) -> Option<usize> {
        let mut from = end;
        while matches!(self.byte(from), b' ' | b'.' | b'-') && from < end + 3 {
            from += 1;
        }
        let (day, to) = self.number(from, 1..=2)?;
        let is_day = from > end && (1..=31).contains(&day) && self.is_end(to);
        is_day.then(|| self.year_after(self.time_after(self.year_after(to))))
    }

    /// The date after the name of a day.
    pub(super) fn day(&self, end: usize) -> Option<usize> {
        let mut from = end;
        while matches!(self.byte(from), b' ' | b',') && from < end + 2 {
            from += 1;
        }
        let word = self.word_end(from);
        if word > from {
            let is_month = is_in(&MONTHS, self.piece(from, word));
            return if is_month { self.month(word) } else { None };
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

    pub(super) fn time(&self, at: usize) -> Option<usize> {
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
    pub(super) fn duration(&self, at: usize) -> Option<usize> {
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
        (is_unit(unit) && (from == end || unit.len() > 1 || unit == b"s")).then_some(to)
    }
}

/// True for a unit of a duration.
fn is_unit(unit: &[u8]) -> bool {
    matches!(
        unit,
        b"s" | b"m"
            | b"h"
            | b"d"
            | b"ns"
            | b"us"
            | b"\xc2\xb5s"
            | b"\xce\xbcs"
            | b"ms"
            | b"sec"
            | b"secs"
            | b"min"
            | b"mins"
            | b"hr"
            | b"hrs"
            | b"second"
            | b"seconds"
            | b"minute"
            | b"minutes"
            | b"hour"
            | b"hours"
            | b"day"
            | b"days"
            | b"msec"
            | b"usec"
            | b"nsec"
    )
}

/// True for a name, or its first three letters.
fn is_in(names: &[&str], word: &[u8]) -> bool {
    let is = |name: &&str| {
        let name = name.as_bytes();
        name.first() == word.first() && (name == word || name.get(..3) == Some(word))
    };
    names.iter().any(is)
}

/// True for the name of a month.
pub(super) fn is_month(word: &[u8]) -> bool {
    is_in(&MONTHS, word)
}

/// True for the name of a day.
pub(super) fn is_day(word: &[u8]) -> bool {
    is_in(&DAYS, word)
}
