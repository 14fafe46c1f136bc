//! Reads dates and times from text: all possible readings, never only a likely one.
//!
//! Must not know: what they are for.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime;

/// Maximum length in bytes of a text that is read.
pub(super) const MOST: usize = 64;

/// Notations of a day in the order in which their readings are offered. The parts of the text are
/// joined with `-`, names first.
const DAYS: [&str; 11] = [
    "%b-%d-%Y", "%b-%Y-%d", "%b-%d-%y", "%b-%y-%d", "%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y",
    "%m-%d-%y", "%y-%m-%d", "%Y%m%d",
];

/// Notations of a time of day.
const TIMES: [&str; 5] = ["%H:%M", "%H:%M:%S", "%I:%M%n%p", "%I:%M:%S%n%p", "%I%n%p"];

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

/// Reads a day without a time.
pub(super) fn day(text: &str) -> Reading {
    let Some(parts) = parts(text) else {
        return Reading::None;
    };
    let names_year = parts.split('-').any(|part| matches!(part.len(), 4 | 8));
    let mut days: Vec<Date> = Vec::new();
    let formats = DAYS
        .into_iter()
        .filter(|format| format.contains("%Y") == names_year);
    for date in formats.filter_map(|format| day_in(format, &parts)) {
        if !days.contains(&date) {
            days.push(date);
        }
    }
    match days[..] {
        [] => Reading::None,
        [one] if names_year => Reading::One(one),
        [one] => Reading::Likely(one),
        _ => Reading::Several(days),
    }
}

/// Reads a day in one notation, with or without its weekday. A year of two digits is in this
/// century.
fn day_in(format: &str, parts: &str) -> Option<Date> {
    let read = strtime::parse(format, parts)
        .or_else(|_| strtime::parse(format!("%a-{format}"), parts))
        .ok()?;
    let year = match read.year()? {
        last @ 1900..2000 if format.contains("%y") => last + 100,
        year => year,
    };
    let date = Date::new(year, read.month()?, read.day()?).ok()?;
    let fits = read.weekday().is_none_or(|named| named == date.weekday());
    fits.then_some(date)
}

/// Joins the parts of a text with `-`: a weekday, a month, then the numbers. Returns `None` if the
/// text contains anything else.
fn parts(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let mut parts: Vec<(u8, &str)> = Vec::new();
    let mut follows_number = false;
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_lowercase());
    let mut all = text
        .as_bytes()
        .chunk_by(|one, next| kind(one) == kind(next))
        .peekable();
    while let Some(part) = all.next() {
        let part = std::str::from_utf8(part).ok()?;
        let before_number = all
            .peek()
            .is_some_and(|next| next.first().is_some_and(u8::is_ascii_digit));
        let is_number = part.starts_with(|first: char| first.is_ascii_digit());
        match part {
            _ if is_number => parts.push((2, part)),
            "of" => {}
            "st" | "nd" | "rd" | "th" if follows_number && !before_number => {}
            _ if part.trim_matches([' ', ',', '.', '/', '-', '_']).is_empty() => {}
            word => parts.push(short(word)?),
        }
        follows_number = is_number;
    }
    parts.sort_by_key(|(place, _)| *place);
    let parts: Vec<&str> = parts.into_iter().map(|(_, part)| part).collect();
    Some(parts.join("-"))
}

/// Returns the place of a weekday or month among the parts, and its short name.
fn short(word: &str) -> Option<(u8, &str)> {
    let short = word.get(..3)?;
    [(0, "%a", "%A"), (1, "%b", "%B")]
        .into_iter()
        .find_map(|(place, format, whole)| {
            let name = strtime::parse(format, short).ok()?.to_string(whole).ok()?;
            let name = name.to_ascii_lowercase();
            (name == word || (word.len() <= 4 && name.starts_with(word))).then_some((place, short))
        })
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

/// Reads a day and time that have only one reading.
pub(super) fn moment(text: &str) -> Option<DateTime> {
    let bare = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    if let Ok(at) = bare.parse::<DateTime>() {
        // A date alone is no point in time.
        return bare.contains(':').then_some(at);
    }
    bare.match_indices([' ', 'T', ',']).find_map(|(cut, _)| {
        let (date, clock) = (bare.get(..cut)?, bare.get(cut + 1..)?);
        let Reading::One(date) = day(date) else {
            return None;
        };
        Some(date.to_datetime(time(clock)?))
    })
}

/// Reads a time of day on a 12-hour or 24-hour clock.
pub(super) fn time(text: &str) -> Option<Time> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.replace("a.m.", "am").replace("p.m.", "pm");
    // A leap second would become another one.
    let is_leap = text.contains(":60");
    let mut times = TIMES
        .into_iter()
        .filter_map(|format| Time::strptime(format, &text).ok());
    times.next().filter(|_| !is_leap)
}
