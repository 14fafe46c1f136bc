//! What comes from the run: folded, logged, and matched with what was asked.
//!
//! Nothing that arrives takes the focus or moves a cursor. Must not know: how a run works.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{bulk, done, ledger, stage};
use crate::console::event_text;
use crate::console::halted;
use crate::console::link::Update;
use crate::console::model::listing::Kind;
use crate::console::model::log::Line;
use crate::console::model::overlay::{LinePrompt, Overlay, Page, PageContent};
use crate::console::model::run::SentCommand;
use crate::console::model::{IDLE, Message, Model};
use crate::console::msg::Out;
use crate::domain::command::{CallCommand, Command, EditCommand, RunCommand};
use crate::domain::envelope::Envelope;
use crate::domain::event::{EditEvent, Event};
use crate::domain::refusal::{Refusal, RefusalKind};

/// Takes in an update.
pub(super) fn take(model: &mut Model, update: Update, out: &mut Vec<Out>) {
    match update {
        Update::Snapshot(state) => {
            let is_first = !model.run.arrived;
            model.run.replace(*state);
            model.graph.invalidate();
            if is_first {
                ledger::of_before(model);
            }
        }
        Update::Past(events) => model.log.replace(events),
        Update::Event(envelope) => event(model, envelope, out),
        Update::Live(live) => {
            if let Some(now) = model.utc() {
                model.run.last_activity.note(live.turn, now);
            }
            model.run.stream(live);
        }
        Update::Sent { turn, request, found } => super::lazy_load::sent(model, turn, request, found),
        Update::Replaces { look, found } => super::lazy_load::replaces(model, &look, found),
        Update::Outlives { process, left } => super::lazy_load::outlives(model, process, left),
        Update::Taken(command) => taken(model, &command),
        Update::Refused { command, refusal } => refused(model, &command, &refusal, out),
        Update::Notice(words) => {
            model.notify(&words);
            model.log.add(Line::Note(words));
        }
        Update::At(at) => {
            model.run.playing = at.speed.is_some();
            model.run.at = Some(at);
        }
        Update::ForkPreview(found) => super::fork::set_preview(model, found),
        Update::Forked {
            session,
            resume: resumes,
        } => super::fork::written(model, session, resumes, out),
        Update::Halted(why) => {
            model
                .log
                .add(Line::Problem(format!("halted, nothing more begins: {why}")));
            model.run.halted = Some(why);
            halts(model);
        }
        Update::Ended => model.run.ended = true,
    }
}

/// What was made of a run that went on is made anew: what runs is told otherwise now, and keys that are refused are not
/// named any more. An answer that came before the reason is told without it: the line of the halt has that.
fn halts(model: &mut Model) {
    model.inspector.made = None;
    for overlay in &mut model.overlays {
        match overlay {
            Overlay::Page(page) => page.made = None,
            Overlay::Review(review) => review.made = None,
            Overlay::Dialog(dialog) => dialog.made = None,
            _ => {}
        }
    }
    if let Some(short) = halted::short(model, &model.message.text) {
        model.message.text = short;
    }
}

/// What an operator knew before something happened.
struct Before {
    /// How much waited for them.
    waits: usize,
    /// Whether the run stood still.
    stuck: bool,
}

impl Before {
    fn of(model: &Model) -> Self {
        Self {
            waits: model.run.asking(),
            stuck: model.run.stuck().is_some(),
        }
    }
}

fn event(model: &mut Model, envelope: Arc<Envelope>, out: &mut Vec<Out>) {
    let before = Before::of(model);
    if model.run.take(&envelope) {
        happened(model, envelope, &before, out);
    }
}

/// Tells what hangs on the run of an event that was folded.
fn happened(model: &mut Model, envelope: Arc<Envelope>, before: &Before, out: &mut Vec<Out>) {
    if let Some((expected, got)) = model.run.gap.take() {
        model.log.add(Line::Problem(format!(
            "events {expected} to {} did not arrive here; the picture may be incomplete",
            got.saturating_sub(1)
        )));
    }
    if matches!(envelope.event, Event::Edit(EditEvent::Committed { .. })) {
        // A commit, whoever made it, lets go what it makes and what it ends; more may count again than did.
        model.run.overtaken = model.run.committing;
        stage::hold_again(model, out);
    }
    let waits = model.run.asking();
    if waits > 0 && model.message.text == IDLE {
        model.message = Message::default();
    }
    if waits > before.waits && before.waits == 0 {
        out.push(Out::Alert(format!("{waits} waiting for you")));
    }
    // A run that stands still calls for the operator like a call that waits; the words are the console's own.
    if waits == before.waits && !before.stuck && model.run.stuck().is_some() {
        out.push(Out::Alert("the run waits for you".to_owned()));
    }
    if let Event::Edit(EditEvent::CorrectionsLost { nodes }) = &envelope.event {
        model.notify(&event_text::lost(nodes));
    }
    model.log.add(Line::Event(envelope));
}

/// True for a command that is made in something open, which it closes.
const fn closes(command: &Command) -> bool {
    matches!(
        command,
        Command::Edit(
            EditCommand::Commit { .. }
                | EditCommand::Undo { .. }
                | EditCommand::Redo { .. }
                | EditCommand::Switch { .. }
        ) | Command::Run(RunCommand::AskAgain { .. } | RunCommand::AddRule { .. })
            | Command::Call(CallCommand::Answer { .. } | CallCommand::Resolve { .. })
    )
}

/// True for the preview that a command was sent from.
fn was_sent_from(overlay: &Overlay, command: &Command) -> bool {
    match overlay {
        Overlay::Review(review) => review.sent.as_ref() == Some(command),
        Overlay::Rule(view) => view.sent.as_ref() == Some(command),
        _ => false,
    }
}

/// A command of this console's was carried out: closes what it was made in. What another hand commits
/// meanwhile closes nothing.
fn taken(model: &mut Model, command: &Command) {
    let mut line = None;
    if model
        .run
        .sent
        .as_ref()
        .is_some_and(|sent| sent.command == *command)
    {
        line = model.run.sent.take().and_then(|sent| sent.line);
    }
    if let Command::Edit(EditCommand::Commit { edits, .. }) = command {
        model.staged_edits.committed(edits);
    }
    if !bulk::answered(model, command, None)
        && let Some(words) = done::describe(model, command, line.as_deref())
    {
        model.set_status(words);
    }
    if !closes(command) {
        return;
    }
    (model.run.committing, model.run.overtaken) = (false, false);
    let switched = !matches!(command, Command::Edit(EditCommand::Commit { .. }));
    // What is read about keys over it meanwhile stays until it is closed.
    let help = model
        .overlays
        .pop_if(|overlay| matches!(overlay, Overlay::Page(page) if page.is_help()));
    let mut all = model.overlays.iter();
    if let Some(at) = all.rposition(|overlay| was_sent_from(overlay, command)) {
        let below = at.checked_sub(1);
        let below = below.filter(|below| matches!(model.overlays.get(*below), Some(Overlay::Editor(_))));
        model.overlays.drain(below.unwrap_or(at)..=at);
    } else if matches!(model.overlays.last(), Some(Overlay::Editor(editor)) if editor.sent) {
        model.overlays.pop();
    }
    let staged = model.staged_edits.is_empty();
    let is_moot = |overlay: &Overlay| match overlay {
        Overlay::Listing(list) => match list.kind {
            Kind::StagedEdits => staged,
            Kind::Branches { .. } | Kind::Compare { .. } => switched,
            // What was put in to take an effect back is in the graph.
            Kind::Effects { .. } => true,
            Kind::Rules => false,
        },
        _ => false,
    };
    while model.overlays.last().is_some_and(is_moot) {
        model.overlays.pop();
    }
    model.overlays.extend(help);
}

/// Words that came to nothing are not lost: the line is open again, or they are in the log where something else is.
fn give_back(model: &mut Model, line: LinePrompt, free: bool) {
    if free {
        model.overlays.push(Overlay::Line(line));
        return;
    }
    let words = line.field.text();
    if !words.trim().is_empty() {
        model.log.add(Line::Note(format!("what was typed: {words}")));
    }
}

/// A command was not carried out: says which and why, and what changed since it was shown. What another
/// command was made in stays as it is.
fn refused(model: &mut Model, command: &Command, refusal: &Refusal, out: &mut Vec<Out>) {
    if closes(command) {
        model.run.committing = false;
        if std::mem::take(&mut model.run.overtaken) {
            stage::hold_again(model, out);
        }
        model.staged_edits.sending = None;
        for overlay in &mut model.overlays {
            match overlay {
                Overlay::Editor(editor) => editor.sent = false,
                Overlay::Review(review) => review.made = None,
                Overlay::Rule(view) => view.made = None,
                _ => {}
            }
        }
    }
    let own = |sent: &mut SentCommand| sent.command == *command;
    let sent = model.run.sent.take_if(own);
    if sent.is_some() {
        model.queue.leaving = None;
    }
    let what = event_text::command(command);
    let mut words = refusal.message.clone();
    for fault in refusal.faults.iter().take(3) {
        let _ = write!(words, "; {} {}", fault.path, fault.message);
    }
    if refusal.kind == RefusalKind::Journal || model.run.halted.is_some() {
        model.run.was_cut(command);
    }
    let brief = halted::short(model, &words);
    if bulk::answered(model, command, Some(brief.as_deref().unwrap_or(&words))) {
        return;
    }
    // What could not be written was not looked at; it may even stand.
    let (output, noted) = match refusal.kind {
        RefusalKind::Journal => (format!("{what}: {words}"), format!("{what}: {words}")),
        _ => (
            format!("{what} was refused: {words}"),
            format!("refused: {what}: {words}"),
        ),
    };
    model.log.add(Line::Problem(noted));
    let (shown, line) = sent.map_or((None, None), |sent| (sent.shown, sent.line));
    let free = model.overlays.is_empty();
    if let Some(line) = line {
        give_back(model, *line, free);
    }
    if refusal.kind == RefusalKind::Changed
        && let Some((call, rev, old)) = shown
        && let Some(new) = model.run.shown_args(call).filter(|new| *new != old)
        && free
    {
        // The operator has just pressed the key: this answers it.
        let now = model
            .run
            .state
            .node(call)
            .map(crate::domain::node::Node::rev)
            .unwrap_or_default();
        let texts = [old, new].map(|args| crate::console::json::pretty(&args).into());
        let title = format!("refused: {call} changed from {rev} to {now} since it was shown");
        model
            .overlays
            .push(Overlay::Page(Page::new(title, PageContent::Difference(texts))));
    }
    let short = halted::short(model, &output);
    model.complain(short.unwrap_or(output));
}
