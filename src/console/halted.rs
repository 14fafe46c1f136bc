//! What still does something in a run that is halted: nothing can be recorded any more, so nothing is decided or changed.
//! What only looks goes on, and so does what ends something that is under way.
//!
//! The status line, help, the palette and the keys themselves all ask here. Must not know: why a run halts, how
//! anything is done.

use super::commands::{Decide, RunVerb, Verb};
use super::model::Model;
use super::model::graph::Pick;
use super::model::inspector::Subject;
use super::model::overlay::Overlay;
use crate::domain::call::Status;
use crate::domain::effective_status::EffectiveStatus;

/// What is said of the queue.
pub const NOTHING: &str = "halted: nothing can be decided";

/// True for a run that worked here and does no more. Of one that is only read, what ends is the reading.
pub fn is(model: &Model) -> bool {
    model.run.halted.is_some() && !model.settings.is_recorded()
}

/// Why a verb is refused, whatever it is about; none where it still does something.
pub fn refuses(model: &Model, verb: Verb) -> Option<String> {
    let refused = is(model) && verb.must_be_recorded() && !(verb.ends() && has_what_it_ends(model, verb));
    refused.then(|| why(model))
}

/// Why nothing counts any more, in one row of the narrowest screen on which something can be decided.
pub fn why(model: &Model) -> String {
    let words = "halted, nothing is recorded";
    let key = model.settings.keymap.first("why-waiting");
    if model.overlays.is_empty() && !key.is_empty() {
        format!("{words}: {key} says why")
    } else {
        // What is open does not hear that key.
        words.to_owned()
    }
}

/// Words of the run without the reason of the halt behind them: the line of the halt, its page and the log have it.
pub fn short(model: &Model, words: &str) -> Option<String> {
    let why = model.run.halted.as_ref()?;
    let words = words.strip_suffix(why.as_str())?.strip_suffix(": ")?;
    let key = model.settings.keymap.first("why-waiting");
    if model.overlays.is_empty() && !key.is_empty() {
        return Some(format!("{words}; {key} says why"));
    }
    Some(words.to_owned())
}

/// Why what is typed on top cannot be finished any more, and how it is kept; none where it can.
pub fn typed(model: &Model) -> Option<String> {
    if !is(model) {
        return None;
    }
    let key = |name| model.settings.keymap.first(name);
    match model.overlays.last()? {
        Overlay::Editor(editor) => {
            let collect = if editor.is_no_edit() {
                String::new()
            } else {
                format!(", {} collects it", key("collect"))
            };
            Some(format!(
                "halted: the text stays, but cannot be sent; {} copies it, {} opens it in $EDITOR, where it can be \
                 saved{collect}",
                key("copy-selected"),
                key("external")
            ))
        }
        Overlay::Line(line) if line.purpose.must_be_recorded() => Some(format!(
            "halted: this stays, but cannot be sent; {} copies it",
            key("copy-selected")
        )),
        _ => None,
    }
}

/// Whether something is under way that the verb ends.
fn has_what_it_ends(model: &Model, verb: Verb) -> bool {
    match verb {
        Verb::Decide(Decide::Cancel) => {
            let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
                return false;
            };
            let id = id.call();
            let effective = EffectiveStatus::of(&model.run.state, id);
            let runs = matches!(effective, Some(EffectiveStatus::Active(Status::Running(_))));
            runs && model.run.running().any(|one| one == id)
        }
        Verb::Run(RunVerb::StopTurn) => model.run.streams(),
        _ => model.run.is_busy(),
    }
}
