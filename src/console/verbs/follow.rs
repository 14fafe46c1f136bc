//! Follows the row under the cursor of a pane at the bottom.
//!
//! Must not know: what a pane shows.

use std::sync::Arc;

use super::{jumps, limits, loops, reset_breaker};
use crate::kernel::availability::{carry_out, of, offered};
use crate::kernel::context::on;
use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::rows::Explained;
use crate::kernel::verb::{Availability, Press, Rank, Verb};
use crate::run::event_text;
use crate::run::refusal::Refusal;
use crate::run::target::{NameHash, Target};
use crate::surfaces;
use crate::surfaces::branches;
use crate::surfaces::documents;
use crate::surfaces::page::Page;

/// The verb `follow-event`.
pub const FOLLOW_EVENT: Verb = Verb {
    name: "follow-event",
    keys: &["enter"],
    contexts: &[on(Pane::LOG.id())],
    doc: "go to the node of the line, or read a line without a node in full",
    hint: "go there",
    label,
    rank: |_| Rank::Leads,
    available: leads_somewhere,
    run: follow,
    ..Verb::BASE
};

/// The verb `only-decisions`.
pub const ONLY_DECISIONS: Verb = Verb {
    name: "only-decisions",
    keys: &["space"],
    contexts: &[on(Pane::LOG.id())],
    doc: "show only decisions, edits and problems in the log, or everything again",
    hint: "decisions only",
    label: |model| model.log.decisions.then_some("all lines"),
    // It shows the hidden log lines again.
    rank: |model| Rank::leads_if(model.log.decisions),
    run: |model, _| {
        model.log.decisions = !model.log.decisions;
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `follow-writer`.
pub const FOLLOW_WRITER: Verb = Verb {
    name: "follow-writer",
    keys: &["enter"],
    contexts: &[on(surfaces::state::PANE.id())],
    doc: "go to the call that wrote the value of the row",
    hint: "go to writer",
    ..FOLLOW_EVENT
};

/// The verb `follow-cost`.
pub const FOLLOW_COST: Verb = Verb {
    name: "follow-cost",
    keys: &["enter"],
    contexts: &[on(surfaces::budget::PANE.id())],
    doc: "change the limits, or go to the request or the sub-agent's call",
    hint: "change or go there",
    ..FOLLOW_EVENT
};

/// The verb `explain-weight`.
pub const EXPLAIN_WEIGHT: Verb = Verb {
    name: "explain-weight",
    keys: &["enter"],
    contexts: &[on(surfaces::health::PANE.id())],
    doc: "list or hide every change of the weight, go to the execution, or ask to mute the detector or reset the breaker",
    hint: "why, or go there",
    ..FOLLOW_EVENT
};

/// Label for the row under the cursor, if the key does not jump there.
fn label(model: &Model) -> Option<&'static str> {
    let focus = model.screen.focus;
    match model.followed() {
        Target::Nothing if focus == Pane::LOG => Some("read it"),
        Target::Breaker(_) => Some("reset it (asks first)"),
        Target::Detector(detector) => {
            let muted = model.run.state.learned.escape.muted.contains(&detector);
            Some(if muted {
                "unmute it (asks first)"
            } else {
                "mute it (asks first)"
            })
        }
        Target::Weight(named) => {
            let one = model.run.weight(named);
            let open = one.zip(model.lower.explained.as_ref());
            let is_open = open.is_some_and(|(one, (tool, kind))| one.tool == **tool && one.kind == **kind);
            Some(if is_open { "hide why" } else { "list why" })
        }
        Target::Limits => Some("change the limits"),
        Target::Node(_) if [surfaces::health::PANE, surfaces::budget::PANE].contains(&focus) => {
            Some("go there")
        }
        _ => None,
    }
}

fn leads_somewhere(model: &Model) -> Availability {
    match model.followed() {
        // A log line without a node can be read in full.
        Target::Nothing => offered(model.screen.focus == Pane::LOG && model.log.selected().is_some()),
        Target::Branch(_) => offered(model.run.state.epoch.0 > 0),
        Target::Node(_) | Target::Weight(_) => Availability::Offered,
        Target::Server(_) | Target::Edit(_) | Target::Effect(_) | Target::Rule(_) | Target::Changed(_) => {
            Availability::NotOffered
        }
        Target::Limits => of(model, &limits::VERB),
        Target::Breaker(_) => of(model, &reset_breaker::VERB),
        Target::Detector(_) => of(model, &loops::MUTE_LOOPS),
    }
}

/// Opens the subject of the row under the cursor.
fn follow(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    let nowhere = || Refusal::new("This row leads nowhere");
    match model.followed() {
        Target::Nothing => {
            let words = noted(model).ok_or_else(nowhere)?;
            model
                .stack
                .push(Page::new("log", move |maker, _| documents::note(maker, &words)));
        }
        Target::Node(id) => jumps::go(model, id)?,
        Target::Branch(epoch) => branches::verbs::list_at(model, epoch)?,
        Target::Weight(named) => explain(model, named),
        Target::Breaker(named) => {
            let mut scopes = model.run.state.learned.breakers.keys();
            let scope = scopes.find(|scope| NameHash::breaker(scope) == named);
            let scope = scope
                .map(ToString::to_string)
                .ok_or_else(|| Refusal::removed("breaker"))?;
            reset_breaker::ask(model, &scope);
        }
        Target::Detector(detector) => loops::mute(model, detector.name()),
        Target::Limits => return carry_out(model, &limits::VERB, press),
        Target::Server(_) | Target::Edit(_) | Target::Effect(_) | Target::Rule(_) | Target::Changed(_) => {
            return Err(nowhere());
        }
    }
    Ok(())
}

/// The whole log line under the cursor: a narrow pane shows only its beginning.
fn noted(model: &Model) -> Option<String> {
    let line = (model.screen.focus == Pane::LOG).then(|| model.log.selected())??;
    Some(match line {
        Line::Event(envelope) => event_text::of(envelope),
        Line::Note(words) | Line::Problem(words) => words.clone(),
    })
}

/// Lists the changes of a weight, or hides them again.
fn explain(model: &mut Model, named: NameHash) {
    let row = model.run.weight(named);
    let requested: Explained = row.map(|row| (Arc::from(row.tool), Arc::from(row.kind)));
    let open = &mut model.lower.explained;
    *open = if *open == requested { None } else { requested };
    model.lower.forget(surfaces::health::PANE);
}
