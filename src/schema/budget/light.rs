//! Bounds the cost of a check by the size of the text alone, for schemas where that is enough.
//!
//! Must not know: what a check visits in detail.

use serde_json::Value;

use super::{DIVIDED, MISSING, SAME_BYTES, most};

/// Keywords whose cost depends on texts or on other keywords, and those that lead to other schemas.
pub(super) const COSTLY: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "unevaluatedProperties",
    "unevaluatedItems",
    "pattern",
    "patternProperties",
    "propertyNames",
    "format",
    "contentEncoding",
    "contentMediaType",
    "uniqueItems",
];

/// Maximum visits of a check for each value in a text; none if what a check costs depends on more than their number.
pub(crate) fn visits_of_a_value(root: &Value) -> Option<u64> {
    match root {
        Value::Object(members) => {
            if members.keys().any(|word| COSTLY.contains(&word.as_str())) {
                return None;
            }
            let factor = members.get("multipleOf").map_or(0, |_| DIVIDED);
            let inner = members.values().map(visits_of_a_value);
            inner.sum::<Option<u64>>().map(|inner| 1 + factor + inner)
        }
        Value::Array(items) => items.iter().map(visits_of_a_value).sum(),
        // As a name that is missing, or one of several allowed texts.
        Value::String(text) => Some(MISSING + text.len() as u64 / SAME_BYTES),
        _ => Some(MISSING),
    }
}

/// Returns true if a check with this number of visits for each value is within the limits for every text of `bytes` bytes. A text has
/// at most one value in two bytes: each but the first has a separator or a bracket.
pub(crate) fn is_light(visits: u64, bytes: usize) -> bool {
    let values = bytes as u64 / 2 + 1;
    visits.saturating_mul(values) <= most(bytes)
}
