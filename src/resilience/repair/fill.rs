//! Strategy: give a missing parameter the value that the schema itself names.
//!
//! Must not know: other strategies.

use serde_json::Value;

use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    if spot.value().is_some() {
        return Vec::new();
    }
    let only = || match spot
        .place
        .get("enum")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        Some([one]) => Some(one),
        _ => spot.place.get("const"),
    };
    if let Some(one) = only() {
        let why = "the only value that is allowed";
        return vec![Idea::of(spot, one.clone(), Certainty::Exact, why)];
    }
    let default = spot.place.get("default").filter(|value| !value.is_null());
    default
        .map(|value| {
            Idea::of(
                spot,
                value.clone(),
                Certainty::Exact,
                "the default that the tool names",
            )
        })
        .into_iter()
        .collect()
}
