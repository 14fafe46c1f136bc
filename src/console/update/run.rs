//! What comes from the run: folded, logged, and matched with what was asked.
//!
//! Nothing that arrives takes the focus or moves a cursor. Must not know: how a run works.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{collect, views};
use crate::console::diff;
use crate::console::link::Update;
use crate::console::model::Model;
use crate::console::model::listing::Kind;
use crate::console::model::log::Line;
use crate::console::model::overlay::{Overlay, Page, PageContent};
use crate::console::msg::Out;
use crate::domain::command::{CallCommand, Command, EditCommand, RunCommand};
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use crate::domain::refusal::{Refusal, RefusalKind};

/// Takes in an update.
pub(super) fn take(model: &mut Model, update: Update, out: &mut Vec<Out>) {
    match update {
        Update::Snapshot(state) => {
            let is_first = !model.run.arrived;
            model.run.replace(*state);
            model.graph.stale = true;
            if is_first {
                views::orphans_of_before(model);
            }
        }
        Update::Event(envelope) => event(model, envelope, out),
        Update::Live(live) => model.run.stream(live),
        Update::Refused(refusal) => refused(model, &refusal),
        Update::Notice(words) => {
            model.say(words.clone());
            model.log.add(Line::Note(words));
        }
        Update::Halted(why) => {
            model
                .log
                .add(Line::Trouble(format!("halted, nothing runs any more: {why}")));
            model.run.halted = Some(why);
        }
        Update::Ended => model.run.ended = true,
    }
}

fn event(model: &mut Model, envelope: Arc<Envelope>, out: &mut Vec<Out>) {
    let waited = model.run.state.queue().count() + model.run.broken().count();
    if !model.run.take(&envelope) {
        return;
    }
    if let Some((expected, got)) = model.run.gap.take() {
        model.log.add(Line::Trouble(format!(
            "events {expected} to {} did not arrive here; the picture may be incomplete",
            got.saturating_sub(1)
        )));
    }
    // What an edit does reaches back; everything else happens in open turns.
    model.graph.stale |= matches!(
        envelope.event,
        Event::Edit(_)
            | Event::Turn(
                TurnEvent::Suspended { .. } | TurnEvent::Restored { .. } | TurnEvent::Superseded { .. }
            )
    );
    if matches!(envelope.actor, Actor::Operator(_)) {
        answered(model, &envelope.event);
    }
    if matches!(envelope.event, Event::Edit(EditEvent::Committed { .. })) {
        // A commit, whoever made it, lets everything go.
        collect::hold_again(model, out);
    }
    let waits = model.run.state.queue().count() + model.run.broken().count();
    if waits > waited && waited == 0 && model.settings.alerts {
        out.push(Out::Alert(format!("{waits} waiting for you")));
    }
    model.log.add(Line::Event(envelope));
}

/// An event of the operator's: closes the editor whose text it is.
fn answered(model: &mut Model, event: &Event) {
    let Some(sent) = &model.run.sent else { return };
    let done = match (&sent.command, event) {
        (
            Command::Edit(EditCommand::Commit { .. }),
            Event::Edit(EditEvent::Committed { .. } | EditEvent::Revised { .. }),
        )
        | (
            Command::Edit(EditCommand::Undo { .. } | EditCommand::Redo { .. } | EditCommand::Switch { .. })
            | Command::Run(RunCommand::AskAgain { .. }),
            Event::Edit(EditEvent::Committed { .. }),
        ) => true,
        (
            Command::Call(CallCommand::Answer { call, .. }),
            Event::Call(CallEvent::Given { call: given, .. }),
        )
        | (
            Command::Call(CallCommand::Resolve { call, .. }),
            Event::Call(CallEvent::Resolved { call: given, .. }),
        ) => call == given,
        _ => false,
    };
    if !done {
        return;
    }
    let sent = model.run.sent.take().map(|sent| sent.command);
    model.run.committing = false;
    let switched = !matches!(sent, Some(Command::Edit(EditCommand::Commit { .. })));
    if let Some(Command::Edit(EditCommand::Commit { edits, .. })) = sent {
        model.collected.committed(&edits);
    }
    if matches!(model.overlays.last(), Some(Overlay::Review(_))) {
        model.overlays.pop();
        if matches!(model.overlays.last(), Some(Overlay::Editor(_))) {
            model.overlays.pop();
        }
    } else if matches!(model.overlays.last(), Some(Overlay::Editor(editor)) if editor.sent) {
        model.overlays.pop();
    }
    let collected = model.collected.is_empty();
    let is_moot = |overlay: &Overlay| match overlay {
        Overlay::Listing(list) => match list.kind {
            Kind::Collected { .. } => collected,
            Kind::Branches { .. } | Kind::Compare { .. } => switched,
            // What was put in to take an effect back is in the graph.
            Kind::Effects => true,
        },
        _ => false,
    };
    while model.overlays.last().is_some_and(is_moot) {
        model.overlays.pop();
    }
}

/// A command was not carried out: says so, and what changed since it was shown.
fn refused(model: &mut Model, refusal: &Refusal) {
    model.run.committing = false;
    model.collected.sending = None;
    for overlay in &mut model.overlays {
        match overlay {
            Overlay::Editor(editor) => editor.sent = false,
            Overlay::Review(review) => review.made = None,
            _ => {}
        }
    }
    model.queue.leaving = None;
    let mut words = refusal.message.clone();
    for fault in refusal.faults.iter().take(3) {
        let _ = write!(words, "; {} {}", fault.path, fault.message);
    }
    model.log.add(Line::Trouble(format!("refused: {words}")));
    let shown = model.run.sent.take().and_then(|sent| sent.shown);
    if refusal.kind == RefusalKind::Changed
        && let Some((call, rev, old)) = shown
        && let Some(new) = model.run.shown_args(call).filter(|new| *new != old)
        && model.overlays.is_empty()
    {
        // The operator has just pressed the key: this answers it.
        let now = model
            .run
            .state
            .node(call)
            .map(crate::domain::node::Node::rev)
            .unwrap_or_default();
        let lines = diff::lines(
            &crate::console::json::pretty(&old),
            &crate::console::json::pretty(&new),
        );
        let title = format!("refused: {call} changed from {rev} to {now} since it was shown");
        model
            .overlays
            .push(Overlay::Page(Page::new(title, PageContent::Difference(lines))));
    }
    model.complain(words);
}
