//! Strategy: a date or time in the required notation, read by fixed rules.
//!
//! Must not know: other strategies.
//!
//! Two different readings are a question; a date that is not in the calendar is not read.

mod read;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use serde_json::Value;

use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;
use read::{Reading, day, moment, time};

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let Some(text) = spot.text().map(str::trim).filter(|text| text.len() <= read::MOST) else {
        return Vec::new();
    };
    let format = spot.place.get("format").and_then(Value::as_str);
    match format {
        Some("date-time") => date_time(spot, text),
        Some("time") => clock(spot, text),
        Some("date") => date(spot, text),
        // A pattern, or the tool's message: the value may be required in one of several notations.
        None if spot.keyword == "pattern" => {
            let mut ideas = date(spot, text);
            ideas.extend(plain_clock(spot, text));
            ideas
        }
        None if spot.keyword.is_empty() => date(spot, text),
        _ => Vec::new(),
    }
}

fn idea(spot: &Spot<'_>, to: String, certainty: Certainty, why: &str) -> Idea {
    Idea::of(spot, Value::String(to), certainty, why)
}

/// Returns the readings of a text as a day, each an idea.
fn days(text: &str, today: Option<Date>) -> Vec<(Date, Certainty, &'static str)> {
    if let Some(date) = today.and_then(|today| read::relative(text, today)) {
        return vec![(date, Certainty::Changed, "counted from the day of the call")];
    }
    match day(text) {
        Reading::One(date) => vec![(date, Certainty::Exact, "the same day, written year first")],
        Reading::Likely(date) => vec![(date, Certainty::Guess, "the same day, in this century")],
        Reading::Several(dates) => dates
            .into_iter()
            .map(|date| (date, Certainty::Changed, "one of the days that it can mean"))
            .collect(),
        Reading::None => Vec::new(),
    }
}

fn date(spot: &Spot<'_>, text: &str) -> Vec<Idea> {
    let mut found: Vec<Idea> = days(text, spot.today)
        .into_iter()
        .map(|(date, certainty, why)| idea(spot, date.to_string(), certainty, why))
        .collect();
    if found.is_empty()
        && let Some(moment) = moment(text)
    {
        // Dropping midnight loses nothing; any other time of day would be lost.
        let midnight = moment.time() == Time::midnight();
        let certainty = if midnight {
            Certainty::Exact
        } else {
            Certainty::Changed
        };
        found.push(idea(
            spot,
            moment.date().to_string(),
            certainty,
            "the day alone, without the time",
        ));
    }
    found
}

fn date_time(spot: &Spot<'_>, text: &str) -> Vec<Idea> {
    let usual = |to: String| {
        vec![idea(
            spot,
            to,
            Certainty::Exact,
            "the same time in its usual form",
        )]
    };
    if let Ok(at) = text.parse::<Timestamp>() {
        // The UTC offset of the text is part of its meaning.
        let pieces = jiff::fmt::temporal::Pieces::parse(text).ok();
        return usual(on_clock(at, pieces.and_then(|pieces| pieces.to_numeric_offset())));
    }
    if let Ok(at) = jiff::fmt::rfc2822::parse(text) {
        return usual(on_clock(at.timestamp(), Some(at.offset())));
    }
    let utc = |at: DateTime| format!("{}Z", at.strftime("%Y-%m-%dT%H:%M:%S"));
    if let Some(at) = moment(text) {
        return vec![idea(
            spot,
            utc(at),
            Certainty::Changed,
            "taken as universal time: it names no zone",
        )];
    }
    days(text, spot.today)
        .into_iter()
        .map(|(date, ..)| {
            let at = date.to_datetime(Time::midnight());
            idea(
                spot,
                utc(at),
                Certainty::Changed,
                "the beginning of that day in universal time",
            )
        })
        .collect()
}

/// Formats a time with the UTC offset of the original.
fn on_clock(at: Timestamp, offset: Option<Offset>) -> String {
    match offset.filter(|offset| *offset != Offset::UTC) {
        Some(offset) => at.display_with_offset(offset).to_string(),
        None => at.to_string(),
    }
}

fn clock(spot: &Spot<'_>, text: &str) -> Vec<Idea> {
    let Some(time) = time(text) else {
        return Vec::new();
    };
    let to = format!("{}Z", time.strftime("%H:%M:%S"));
    vec![idea(
        spot,
        to,
        Certainty::Changed,
        "taken as universal time: it names no zone",
    )]
}

/// Reads a time of day without a zone, in the notations that patterns ask for.
fn plain_clock(spot: &Spot<'_>, text: &str) -> Vec<Idea> {
    let Some(time) = time(text) else {
        return Vec::new();
    };
    let mut spellings = vec![time.strftime("%H:%M:%S").to_string()];
    if time.second() == 0 {
        spellings.insert(0, time.strftime("%H:%M").to_string());
    }
    spellings
        .into_iter()
        .map(|to| idea(spot, to, Certainty::Exact, "the same time on a 24 hour clock"))
        .collect()
}
