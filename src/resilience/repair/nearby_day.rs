//! Strategy: a nearby day if there was nothing on the requested one.
//!
//! Must not know: other strategies.
//!
//! Always a question.

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::Value;

use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;

/// Offsets in days that are offered.
const DAYS: [i64; 4] = [1, -1, 2, -2];

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let Some(day) = spot
        .text()
        .filter(|text| text.len() == 10)
        .and_then(|text| text.parse::<Date>().ok())
    else {
        return Vec::new();
    };
    DAYS.iter()
        .filter_map(|days| Some((days, day.checked_add(days.days()).ok()?)))
        .map(|(days, other)| {
            let count = if days.abs() == 1 { "a day" } else { "two days" };
            let side = if *days > 0 { "later" } else { "earlier" };
            let why = format!("{count} {side}");
            Idea::of(spot, Value::String(other.to_string()), Certainty::Changed, why)
        })
        .collect()
}
