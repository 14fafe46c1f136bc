//! Strategy: the lowest or highest allowed number.
//!
//! Must not know: other strategies.
//!
//! It changes what was asked for, so it is applied without a question only if the tool's own rules
//! permit it.

use serde_json::{Number, Value};

use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;

/// Whole numbers up to this are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An end of the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Min,
    Max,
}

pub(super) fn ideas(spot: &Spot<'_>, end: End) -> Vec<Idea> {
    let Some(now) = spot.value().and_then(Value::as_f64) else {
        return Vec::new();
    };
    let is_whole = match spot.place.get("type").and_then(Value::as_str) {
        Some(named) => named == "integer",
        None => spot.value().is_some_and(|value| value.is_i64() || value.is_u64()),
    };
    let step = spot
        .place
        .get("multipleOf")
        .and_then(Value::as_f64)
        .filter(|step| *step > 0.0)
        .or(is_whole.then_some(1.0));
    if spot.keyword == "multipleOf" {
        return multiples(spot, now, step, is_whole);
    }
    let Some((bound, exclusive)) = bound(spot, end) else {
        return Vec::new();
    };
    let beyond = match end {
        End::Min => now < bound || (exclusive && now <= bound),
        End::Max => now > bound || (exclusive && now >= bound),
    };
    let to = nearest(bound, exclusive, step, end);
    let Some(to) = to.filter(|_| beyond).and_then(|to| number(to, is_whole)) else {
        return Vec::new();
    };
    let why = match end {
        End::Min => "the lowest value that is allowed",
        End::Max => "the highest value that is allowed",
    };
    vec![Idea::of(spot, to, Certainty::Changed, why)]
}

/// Returns the bound that the schema names or, if it names none, the one in the tool's error text.
fn bound(spot: &Spot<'_>, end: End) -> Option<(f64, bool)> {
    let (inclusive, exclusive) = match end {
        End::Min => ("minimum", "exclusiveMinimum"),
        End::Max => ("maximum", "exclusiveMaximum"),
    };
    let named = |keyword: &str| spot.place.get(keyword).and_then(Value::as_f64);
    match (named(inclusive), named(exclusive)) {
        (Some(one), Some(other)) => {
            let strict = match end {
                End::Min => other >= one,
                End::Max => other <= one,
            };
            Some(if strict { (other, true) } else { (one, false) })
        }
        (Some(one), None) => Some((one, false)),
        (None, Some(other)) => Some((other, true)),
        (None, None) => {
            let text = spot
                .captures
                .iter()
                .find_map(|text| text.trim().parse::<f64>().ok())?;
            text.is_finite().then_some((text, false))
        }
    }
}

/// Returns the allowed value nearest to a bound, or `None` if there is no nearest one.
fn nearest(bound: f64, exclusive: bool, step: Option<f64>, end: End) -> Option<f64> {
    let Some(step) = step else {
        return (!exclusive).then_some(bound);
    };
    let steps = match end {
        End::Min => (bound / step).ceil(),
        End::Max => (bound / step).floor(),
    };
    let at = steps * step;
    // The bound itself is excluded: go one step further.
    let on_bound = exclusive && (at - bound).abs() < f64::EPSILON * bound.abs().max(1.0);
    Some(match (on_bound, end) {
        (false, _) => at,
        (true, End::Min) => (steps + 1.0) * step,
        (true, End::Max) => (steps - 1.0) * step,
    })
}

/// Returns the multiples on both sides.
fn multiples(spot: &Spot<'_>, now: f64, step: Option<f64>, is_whole: bool) -> Vec<Idea> {
    let Some(step) = step else {
        return Vec::new();
    };
    let steps = now / step;
    [steps.floor(), steps.ceil()]
        .into_iter()
        .filter_map(|steps| number(steps * step, is_whole))
        .map(|to| Idea::of(spot, to, Certainty::Changed, "the nearest multiple on this side"))
        .collect()
}

/// Formats a number as JSON in the parameter's type.
fn number(value: f64, is_whole: bool) -> Option<Value> {
    if !value.is_finite() {
        return None;
    }
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Some(Value::from(value as i64));
    }
    // 0.1 * 3 should be 0.3.
    let short: f64 = format!("{value:.12}").parse().ok()?;
    let exact = if (short - value).abs() < f64::EPSILON {
        short
    } else {
        value
    };
    (!is_whole)
        .then(|| Number::from_f64(exact))
        .flatten()
        .map(Value::Number)
}
