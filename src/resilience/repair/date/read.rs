//! Reads dates and times from text: all possible readings, never only a likely one.
//!
//! Must not know: what they are for.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

/// Maximum length in bytes of a text that is read.
pub(super) const MOST: usize = 64;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// What a text can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// One day.
    One(Date),
    /// One day, if a two-digit year belongs to this century.
    Likely(Date),
    /// One of these.
    Several(Vec<Date>),
    /// No day.
    None,
}

enum Part {
    Number { value: i16, digits: usize },
    Month(i16),
    Weekday(usize),
}

/// Reads a day without a time.
pub(super) fn day(text: &str) -> Reading {
    let Some(parts) = parts(text) else {
        return Reading::None;
    };
    let weekday = parts.iter().find_map(|part| match part {
        Part::Weekday(day) => Some(*day),
        _ => None,
    });
    let month = parts.iter().find_map(|part| match part {
        Part::Month(month) => Some(*month),
        _ => None,
    });
    let numbers: Vec<(i16, usize)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Number { value, digits } => Some((*value, *digits)),
            _ => None,
        })
        .collect();
    let words = parts.len() - numbers.len();
    if words != usize::from(weekday.is_some()) + usize::from(month.is_some()) {
        return Reading::None;
    }
    let (candidates, century) = match month {
        Some(month) => with_month(month, &numbers),
        None => in_numbers(&numbers),
    };
    let mut days: Vec<Date> = Vec::new();
    for (year, month, day) in candidates {
        let (Ok(month), Ok(day)) = (i8::try_from(month), i8::try_from(day)) else {
            continue;
        };
        let Ok(date) = Date::new(year, month, day) else {
            continue;
        };
        let named = date.weekday().to_monday_zero_offset();
        let fits = weekday.is_none_or(|requested| usize::try_from(named) == Ok(requested));
        if fits && !days.contains(&date) {
            days.push(date);
        }
    }
    match days[..] {
        [] => Reading::None,
        [one] if century => Reading::Likely(one),
        [one] => Reading::One(one),
        _ => Reading::Several(days),
    }
}

type Candidates = (Vec<(i16, i16, i16)>, bool);

fn with_month(month: i16, numbers: &[(i16, usize)]) -> Candidates {
    match *numbers {
        [(year, 4), (day, 1 | 2)] | [(day, 1 | 2), (year, 4)] => (vec![(year, month, day)], false),
        [(first, 1 | 2), (second, 1 | 2)] => {
            let all = vec![(2000 + second, month, first), (2000 + first, month, second)];
            (all, true)
        }
        _ => (Vec::new(), false),
    }
}

fn in_numbers(numbers: &[(i16, usize)]) -> Candidates {
    match *numbers {
        [(year, 4), (month, 1 | 2), (day, 1 | 2)] => (vec![(year, month, day)], false),
        [(first, 1 | 2), (second, 1 | 2), (year, 4)] => {
            (vec![(year, second, first), (year, first, second)], false)
        }
        [(first, 1 | 2), (second, 1 | 2), (third, 1 | 2)] => (
            vec![
                (2000 + third, second, first),
                (2000 + third, first, second),
                (2000 + first, second, third),
            ],
            true,
        ),
        _ => (Vec::new(), false),
    }
}

/// Splits the text into numbers and names with permitted separators; returns `None` if it contains anything
/// else.
fn parts(text: &str) -> Option<Vec<Part>> {
    if let Some(packed) = packed(text) {
        return Some(packed);
    }
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        if digits > 0 {
            let (number, after) = rest.split_at(digits);
            parts.push(Part::Number {
                value: number.parse().ok().filter(|_| digits <= 4)?,
                digits,
            });
            rest = ordinal(after);
        } else if letters > 0 {
            let (word, after) = rest.split_at(letters);
            if !word.eq_ignore_ascii_case("of") {
                parts.push(named(word)?);
            }
            rest = after;
        } else {
            let mut after = rest.chars();
            matches!(after.next()?, ' ' | ',' | '.' | '/' | '-' | '_').then_some(())?;
            rest = after.as_str();
        }
        if parts.len() > 4 {
            return None;
        }
    }
    Some(parts)
}

/// Reads a compact date such as `20241026`.
fn packed(text: &str) -> Option<Vec<Part>> {
    let text = text.trim();
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |from: usize, to: usize| {
        Some(Part::Number {
            value: text.get(from..to)?.parse().ok()?,
            digits: to - from,
        })
    };
    Some(vec![number(0, 4)?, number(4, 6)?, number(6, 8)?])
}

fn ordinal(rest: &str) -> &str {
    let lower = rest.get(..2).map(str::to_ascii_lowercase);
    let after = rest.get(2..).unwrap_or_default();
    let ends = !after.starts_with(|next: char| next.is_ascii_alphanumeric());
    match lower.as_deref() {
        Some("st" | "nd" | "rd" | "th") if ends => after,
        _ => rest,
    }
}

fn named(word: &str) -> Option<Part> {
    let word = word.to_ascii_lowercase();
    let among = |names: &[&str]| {
        names
            .iter()
            .position(|name| *name == word || (word.len() >= 3 && word.len() <= 4 && name.starts_with(&word)))
    };
    if let Some(month) = among(&MONTHS) {
        return Some(Part::Month(i16::try_from(month).ok()? + 1));
    }
    among(&WEEKDAYS).map(Part::Weekday)
}

/// Reads a day that is named relative to today.
pub(super) fn relative(text: &str, today: Date) -> Option<Date> {
    let days = match text.trim().to_ascii_lowercase().as_str() {
        "today" => 0,
        "tomorrow" => 1,
        "yesterday" => -1,
        "day after tomorrow" | "the day after tomorrow" => 2,
        _ => return None,
    };
    today.checked_add(days.days()).ok()
}

/// Reads a day and time that have only one reading; the flag says that the text named the zone UTC.
pub(super) fn moment(text: &str) -> Option<(DateTime, bool)> {
    let (bare, utc) = match text.strip_suffix(['Z', 'z']) {
        Some(bare) => (bare, true),
        None => (text, false),
    };
    if let Ok(at) = bare.parse::<DateTime>().map(|at| (at, utc)) {
        // A date alone is no point in time.
        return bare.contains(':').then_some(at);
    }
    bare.match_indices([' ', 'T', ',']).find_map(|(cut, _)| {
        let (date, clock) = (bare.get(..cut)?, bare.get(cut + 1..)?);
        let Reading::One(date) = day(date) else {
            return None;
        };
        Some((date.to_datetime(time(clock)?), utc))
    })
}

/// Reads a time of day on a 12-hour or 24-hour clock.
pub(super) fn time(text: &str) -> Option<Time> {
    let text = text.trim().to_ascii_lowercase();
    let (clock, half) = match text.strip_suffix("am").or_else(|| text.strip_suffix("a.m.")) {
        Some(clock) => (clock, Some(0)),
        None => match text.strip_suffix("pm").or_else(|| text.strip_suffix("p.m.")) {
            Some(clock) => (clock, Some(12)),
            None => (text.as_str(), None),
        },
    };
    let numbers: Vec<i8> = clock
        .trim()
        .split(':')
        .map(|part| {
            (part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok())
        })
        .map(Option::flatten)
        .collect::<Option<_>>()?;
    let (hour, minute, second) = match (numbers.as_slice(), half) {
        ([hour], Some(_)) => (*hour, 0, 0),
        ([hour, minute], _) => (*hour, *minute, 0),
        ([hour, minute, second], _) => (*hour, *minute, *second),
        _ => return None,
    };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    Time::new(hour, minute, second, 0).ok()
}
