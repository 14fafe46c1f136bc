//! Strategy: the same text without surrounding blanks or stray marks.
//!
//! Must not know: other strategies.

use serde_json::Value;

use super::strategy::{Idea, Spot};
use overrule_domain::repair::Certainty;

/// Maximum length of a text that is cleaned up.
const MOST: usize = 4096;

pub(super) fn ideas(spot: &Spot<'_>) -> Vec<Idea> {
    let Some(text) = spot.text().filter(|text| text.len() <= MOST) else {
        return Vec::new();
    };
    let mut ideas: Vec<Idea> = Vec::new();
    let mut offer = |to: String, certainty, why: &str| {
        let idea = Idea::of(spot, Value::String(to), certainty, why);
        if !ideas.iter().any(|one| one.edits == idea.edits) {
            ideas.push(idea);
        }
    };
    let bare = text.trim();
    offer(
        bare.to_owned(),
        Certainty::Exact,
        "the same text without blanks around it",
    );
    if let Some(uuid) = uuid(bare) {
        offer(uuid, Certainty::Exact, "the same UUID in its usual form");
    }
    let unwrapped = unwrapped(bare);
    offer(
        unwrapped.to_owned(),
        Certainty::Guess,
        "the text inside of the quotes",
    );
    offer(
        unwrapped.trim_start_matches("mailto:").to_owned(),
        Certainty::Guess,
        "the address alone",
    );
    // A text that names a format, such as `email`, says nothing of capitals.
    let is_format = spot.keyword.is_empty() && !spot.captures.is_empty();
    if is_format && spot.place.get("pattern").is_none() {
        return ideas;
    }
    offer(
        unwrapped.to_uppercase(),
        Certainty::Guess,
        "the same text in capitals",
    );
    offer(
        unwrapped.to_lowercase(),
        Certainty::Guess,
        "the same text in small letters",
    );
    ideas
}

fn unwrapped(text: &str) -> &str {
    for (open, close) in [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>')] {
        let inner = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner {
            return inner.trim();
        }
    }
    text
}

fn uuid(text: &str) -> Option<String> {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(text);
    uuid::Uuid::try_parse(text)
        .ok()
        .map(|uuid| uuid.hyphenated().to_string())
}
