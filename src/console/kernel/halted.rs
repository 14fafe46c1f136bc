//! Decides which commands still work in a halted run.
//!
//! Must not know: why a run halts, how commands are carried out.
//!
//! A halted run records nothing, so it accepts no decisions or changes. Viewing still works, and so
//! does ending running work: what a verb does to the run is a part of its value.

use super::model::Model;
use crate::run::refusal::Refusal;

/// Why commands are refused, in one row of the narrowest screen with room for decisions.
pub fn why(model: &Model) -> Refusal {
    let key = model.settings.keymap.first("why-waiting");
    // A surface on top does not accept that key.
    let works = model.stack.is_empty() && !key.is_empty();
    let shows = if works {
        format!(": {key} shows why")
    } else {
        String::new()
    };
    Refusal::new(format!("halted, nothing recorded{shows}"))
}

/// A message of the run without the reason of the halt, which the banner, the page and the log
/// contain.
pub fn short(model: &Model, words: &str) -> Option<String> {
    let why = model.run.halted.as_ref()?;
    let words = words.strip_suffix(why.as_str())?.strip_suffix(": ")?;
    let key = model.settings.keymap.first("why-waiting");
    if model.stack.is_empty() && !key.is_empty() {
        return Some(format!("{words}; {key} shows why"));
    }
    Some(words.to_owned())
}

/// Why the typed text cannot be sent any more, and how to save it; none if it can.
pub fn typed(model: &Model) -> Option<Refusal> {
    if !model.is_halted() {
        return None;
    }
    model.stack.last()?.unsendable(&model.settings.keymap)
}
