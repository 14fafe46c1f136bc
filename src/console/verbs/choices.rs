//! Opens the choices of the selected queue entry.
//!
//! Must not know: what a choice does.

use super::availability::live;
use super::selection::status;
use super::{Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::inspector::Subject;
use crate::console::model::screen::Pane;
use crate::console::update::choices::choices;
use crate::domain::call::Status;

/// The verb `decide`.
pub const VERB: Verb = Verb {
    name: "decide",
    keys: &["enter"],
    contexts: &[Context::Queue],
    doc: "open the choices of a repeated effect, an unknown outcome or a broken stream",
    hint: "choices",
    effect: Effect::Opens,
    decides: true,
    care: Care::Careful,
    available: |model| live(model, has_choices(model)),
    run: |model, _| choices(model),
    ..Verb::BASE
};

/// True for an entry that a key alone does not decide.
fn has_choices(model: &Model) -> bool {
    let waits = model.screen.lead == Pane::Queue && model.queue.current().is_some();
    let broken = matches!(model.inspector.subject, Some(Subject::Broken(_)));
    waits
        && (broken
            || matches!(
                status(model),
                Some(Status::Consent(_) | Status::OutcomeUnknown(_))
            ))
}
