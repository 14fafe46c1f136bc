//! Decides which commands still work in a halted run.
//!
//! Must not know: why a run halts, how commands are carried out.
//!
//! A halted run records nothing, so it accepts no decisions or changes. Viewing still works, and so
//! does ending running work. The status line, help, the palette and the keys all ask here.

use super::commands::{Decide, RunVerb, Verb};
use super::model::Model;
use super::model::graph::Pick;
use super::model::inspector::Subject;
use super::model::overlay::Overlay;
use crate::domain::call::Status;
use crate::domain::effective_status::EffectiveStatus;

/// Message for the queue.
pub const NOTHING: &str = "halted: nothing can be decided";

/// True for a live run that halted. A run that is only read cannot halt.
pub fn is(model: &Model) -> bool {
    model.run.halted.is_some() && !model.settings.is_recorded()
}

/// Why a verb is refused, regardless of its target; none if it still works.
pub fn refuses(model: &Model, verb: Verb) -> Option<String> {
    let refused = is(model) && verb.must_be_recorded() && !(verb.ends() && has_what_it_ends(model, verb));
    refused.then(|| why(model))
}

/// Why commands are refused, in one row of the narrowest screen with room for decisions.
pub fn why(model: &Model) -> String {
    let words = "halted, nothing recorded";
    let key = model.settings.keymap.first("why-waiting");
    if model.overlays.is_empty() && !key.is_empty() {
        format!("{words}: {key} shows why")
    } else {
        // The open overlay does not accept that key.
        words.to_owned()
    }
}

/// A message of the run without the reason of the halt, which the banner, the page and the log
/// contain.
pub fn short(model: &Model, words: &str) -> Option<String> {
    let why = model.run.halted.as_ref()?;
    let words = words.strip_suffix(why.as_str())?.strip_suffix(": ")?;
    let key = model.settings.keymap.first("why-waiting");
    if model.overlays.is_empty() && !key.is_empty() {
        return Some(format!("{words}; {key} shows why"));
    }
    Some(words.to_owned())
}

/// Why the typed text cannot be sent any more, and how to save it; none if it can.
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
                format!(", {} stages it", key("stage"))
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

/// Whether something is running that the verb ends.
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
