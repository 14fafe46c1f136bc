//! Applies updates from the run: folds and logs events, matches replies with commands.
//!
//! Must not know: how a run works.
//!
//! No update takes the focus or moves a cursor. The answer opens the transcript where the run is followed.

use std::fmt::Write as _;
use std::sync::Arc;

use super::done;
use crate::ground::json;
use crate::kernel::decide::send;
use crate::kernel::graph::Form;
use crate::kernel::halted;
use crate::kernel::log::Line;
use crate::kernel::model::{Message, Model, QUEUE_EMPTY};
use crate::kernel::msg::Out;
use crate::kernel::pane::Pane;
use crate::kernel::prompt::Prompt;
use crate::run::event_text;
use crate::run::link::{Alarm, Conversation, Update};
use crate::run::part::{LookResult, SentCommand};
use crate::surfaces::bulk::approve;
use crate::surfaces::documents;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::effects::ledger;
use crate::surfaces::fork::written;
use crate::surfaces::help::HelpPage;
use crate::surfaces::next_task::NextTask;
use crate::surfaces::page::Page;
use crate::surfaces::staged_edits::hold;
use crate::surfaces::tools;
use crate::verbs::{jumps, lazy_load};
use overrule_domain::call::Decision;
use overrule_domain::command::{CallCommand, Command, EditCommand, FilesCommand, RunCommand};
use overrule_domain::envelope::Envelope;
use overrule_domain::escape::open_step;
use overrule_domain::event::{CallEvent, EditEvent, Event, FilesEvent, RunEvent};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::Node;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::Mode;

/// Applies an update.
pub(crate) fn take(model: &mut Model, update: Update, out: &mut Vec<Out>) {
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
            model.run.pace.note(live.turn, live.bytes, model.arming.now);
            model.run.stream(live);
        }
        Update::Sent {
            turn,
            request,
            found,
            body,
        } => lazy_load::sent(model, (turn, request), found, body),
        Update::Replaces { look, found, base } => {
            let found = LookResult {
                replaced: found,
                base,
            };
            lazy_load::replaces(model, &look, found);
        }
        Update::Files(found) => {
            if model.run.files.take(found) {
                lazy_load::decisions_changed(model);
            }
        }
        Update::OrphanFound { process, left } => lazy_load::orphan_found(model, process, left),
        Update::Conversations { agent, others } => {
            model.run.agent = Some(agent);
            conversations(model, others, out);
        }
        Update::Alarms(alarms) => self::alarms(model, alarms, out),
        Update::Repository(found) => model.run.repository = found,
        Update::Servers(servers) => {
            model.run.servers = servers;
            model.lower.forget(tools::PANE);
            // Its question may be an old one now.
            if let Some(surface) = model.stack.last_mut() {
                surface.renew();
            }
        }
        Update::Outputs(outputs) => {
            model.run.outputs = outputs;
            // Only the text of a running call changes.
            if model.is_running_inspected() {
                model.inspector.made = None;
            }
        }
        Update::Taken(command) => taken(model, &command, out),
        Update::Refused { command, refusal } => refused(model, &command, &refusal, out),
        Update::Notice(words) => {
            model.notify(&words);
            model.log.add(Line::Note(words));
        }
        Update::At(at) => {
            model.run.playing = at.speed.is_some();
            model.run.at = Some(at);
            if model.run.jump == Some(at.event) {
                model.run.jump = None;
                if let Some(envelope) = model.log.newest(1).pop() {
                    jumps::land_on_event(model, &envelope.event);
                }
            }
        }
        Update::Marks(marks) => model.run.marks = marks,
        Update::ForkPreview(found) => written::set_preview(model, found),
        Update::Forked {
            session,
            resume: resumes,
        } => written::written(model, session, resumes, out),
        Update::Halted(why) => {
            model
                .log
                .add(Line::Problem(format!("halted, nothing new starts: {why}")));
            model.run.halted = Some(why);
            halts(model);
        }
        Update::Ended => model.run.ended = true,
    }
}

/// Takes in the other conversations, and alerts if one begins to wait for the operator.
fn conversations(model: &mut Model, others: Arc<[Conversation]>, out: &mut Vec<Out>) {
    let waits = |all: &[Conversation]| all.iter().map(|one| one.waiting).sum::<usize>();
    if waits(&others) > 0 && waits(&model.run.others) == 0 {
        out.push(Out::Alert("another conversation waits for you".to_owned()));
    }
    model.run.others = others;
}

/// Takes in the alarms: a new one is logged and alerts. One that was taken back is gone.
fn alarms(model: &mut Model, alarms: Arc<[Alarm]>, out: &mut Vec<Out>) {
    let is_new = |alarm: &&Alarm| !alarm.is_seen && !model.run.alarms.contains(alarm);
    let new: Vec<String> = alarms
        .iter()
        .filter(is_new)
        .map(|one| one.words.clone())
        .collect();
    if !new.is_empty() {
        out.push(Out::Alert("alarm of the proxy".to_owned()));
    }
    for words in new {
        model.log.add(Line::Problem(format!("alarm: {words}")));
    }
    model.run.alarms = alarms;
    // The page with them is another one now.
    if let Some(surface) = model.stack.last_mut() {
        surface.renew();
    }
}

/// Invalidates texts from before the halt: running calls have other texts now, and refused keys
/// have none. Cuts the reason from a shown reply, because the line of the halt has it.
fn halts(model: &mut Model) {
    model.inspector.made = None;
    for surface in model.stack.iter_mut() {
        surface.renew();
    }
    if let Some(short) = halted::short(model, &model.message.text) {
        model.message.text = short;
    }
}

/// What the operator knew before an event.
struct Before {
    /// The number of waiting entries.
    waits: usize,
    /// Whether the run needed attention.
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

/// Logs an event that was folded, and reports what follows from it.
fn happened(model: &mut Model, envelope: Arc<Envelope>, before: &Before, out: &mut Vec<Out>) {
    if let Some((expected, got)) = model.run.gap.take() {
        model.log.add(Line::Problem(format!(
            "events {expected} to {} did not arrive; the screen may be incomplete",
            got.saturating_sub(1)
        )));
    }
    if matches!(envelope.event, Event::Edit(EditEvent::Committed { .. })) {
        // A commit from any console releases the nodes that it makes or ends. Other nodes may be active again.
        model.run.overtaken = model.run.committing;
        hold::hold_again(model, out);
    }
    let waits = model.run.asking();
    // An empty queue is no news any more.
    if waits > 0 && model.message.text == QUEUE_EMPTY {
        model.message = Message::default();
    }
    if waits > before.waits && before.waits == 0 {
        out.push(Out::Alert(format!("{waits} to decide")));
    }
    // A run that needs attention alerts like a waiting call. The text has no words of the model.
    if waits == before.waits && !before.stuck && model.run.stuck().is_some() {
        out.push(Out::Alert("the run waits for you".to_owned()));
    }
    if let Event::Edit(EditEvent::CorrectionsLost { nodes }) = &envelope.event {
        model.notify(&event_text::lost(nodes));
    }
    if let Event::Call(CallEvent::Decided { call, decision, .. }) = &envelope.event
        && let Decision::Deny { rule, .. } = decision
        && open_step::is_guard(rule)
    {
        // A rule or preset may allow it.
        let key = model.settings.keymap.first("loops");
        model.notify(&format!(
            "{call} is refused because it repeats a loop. {key} shows the loop"
        ));
    }
    if let Event::Files(event @ FilesEvent::Restored { .. }) = &envelope.event {
        model.notify(&capitalized(&event_text::files(event)));
    }
    if let Event::Run(RunEvent::HistoryRewritten(rewriting)) = &envelope.event {
        model.notify(&event_text::rewritten(rewriting));
    }
    if let Event::Run(RunEvent::Finished { answer, .. }) = &envelope.event {
        answered(model, *answer);
    } else if !matches!(model.run.state.mode, Mode::Finished(_)) {
        model.graph.leave_answer();
    }
    model.log.add(Line::Event(envelope));
}

fn capitalized(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}

/// Announces the answer of a live run, with the way to all of it.
fn answered(model: &mut Model, answer: NodeId) {
    if model.settings.is_recorded() {
        return;
    }
    let key = |name| model.settings.keymap.first(name);
    let graph = &mut model.graph;
    let follows = model.screen.focus == Pane::GRAPH && !graph.pinned && model.stack.is_empty();
    if follows && matches!(graph.form, Form::Lanes | Form::Transcript) {
        // Who follows the run reads it.
        graph.read_answer();
        model.set_status(format!("The agent answered ({answer})"));
        return;
    }
    let mut keys = Vec::new();
    if model.screen.focus != Pane::GRAPH {
        keys.push(key("graph"));
    }
    if model.graph.pinned {
        keys.push(key("bottom"));
    }
    keys.push(key("decide"));
    let way = keys.join(" then ");
    model.set_status(format!(
        "The agent answered ({answer}). {way} shows the whole answer"
    ));
}

/// True for a command that closes the surface it was sent from.
const fn closes(command: &Command) -> bool {
    matches!(
        command,
        Command::Edit(
            EditCommand::Commit { .. }
                | EditCommand::Undo { .. }
                | EditCommand::Redo { .. }
                | EditCommand::Switch { .. }
        ) | Command::Run(
            RunCommand::AskAgain { .. } | RunCommand::AddRule { .. } | RunCommand::SetPolicy { .. }
        ) | Command::Call(CallCommand::Answer { .. } | CallCommand::Resolve { .. })
    )
}

/// Handles the reply that a command of this console was carried out: closes the surface it was
/// sent from. A commit from elsewhere closes nothing.
fn taken(model: &mut Model, sent: &Command, out: &mut Vec<Out>) {
    // A restore that goes with a command changes nothing of what follows.
    let command = sent.plain();
    let is_last = model.run.sent.take_if(|last| last.command == *sent).is_some();
    let line = model.stack.sent_line.take_if(|_| is_last);
    if let Command::Edit(EditCommand::Commit { edits, .. }) = command {
        model.staged_edits.committed(edits);
    }
    if !approve::answered(model, command, None)
        && let Some(words) = done::describe(model, sent, line.as_ref())
    {
        model.set_status(words);
    }
    if !closes(command) {
        // A list of choices closes with the one that was taken.
        let list = model.stack.iter().rposition(|surface| surface.has_sent(sent));
        if let Some(at) = list {
            model.stack.close_range(at..=at);
        }
        let follows = model.run.then.iter().position(|(first, _)| first == sent);
        if let Some(at) = follows {
            let (_, then) = model.run.then.remove(at);
            send(model, then, None, out);
        }
        return;
    }
    (model.run.committing, model.run.overtaken) = (false, false);
    // An open help page stays until the operator closes it.
    let help = model.stack.pop_if(|_: &HelpPage| true);
    let source = model.stack.iter().rposition(|surface| surface.has_sent(sent));
    if let Some(at) = source {
        let below = at.checked_sub(1);
        let is_text =
            |at: &usize| model.stack.at::<Editor>(*at).is_some() || model.stack.at::<NextTask>(*at).is_some();
        let below = below.filter(is_text);
        model.stack.close_range(below.unwrap_or(at)..=at);
    } else {
        model.stack.pop_if(|editor: &Editor| editor.sent);
    }
    let is_moot = |model: &Model| model.stack.last().is_some_and(|top| top.is_moot(model, command));
    while is_moot(model) {
        model.stack.pop();
    }
    if let Some(help) = help {
        model.stack.put(help);
    }
}

/// Keeps the text of a refused command: opens its line again, or logs it if something else is
/// open.
fn give_back(model: &mut Model, line: Prompt, free: bool) {
    if free {
        model.stack.push(line);
        return;
    }
    let words = line.field.text();
    if !words.trim().is_empty() {
        model.log.add(Line::Note(format!("what was typed: {words}")));
    }
}

/// Shows how the arguments of a call changed since a revision.
fn show_changed(model: &mut Model, (call, rev): (NodeId, Rev), texts: [Arc<str>; 2]) {
    let now = model.run.state.node(call).map(Node::rev).unwrap_or_default();
    let texts = texts.map(|args| json::pretty(&args).into());
    let title = format!(
        "refused: {call} changed from revision {} to {} since it was shown",
        rev.0, now.0
    );
    let page = Page::new(title, move |maker, _| documents::diff_texts(maker, &texts));
    model.stack.push(page);
}

/// True for a restore that was refused because its plan is another one now than it was when it was shown.
fn is_other_plan(command: &Command, refusal: &Refusal) -> bool {
    let digest = match command {
        Command::Files(
            FilesCommand::Restore { choice, .. }
            | FilesCommand::RestoreBranch { choice, .. }
            | FilesCommand::UndoRestore { choice, .. }
            | FilesCommand::With { choice, .. },
        ) => &choice.digest,
        _ => return false,
    };
    refusal.kind == RefusalKind::Changed && refusal.message.contains(digest.short())
}

/// Handles a refusal: shows the command, the reason and what changed since it was shown. Surfaces
/// of other commands stay as they are.
fn refused(model: &mut Model, command: &Command, refusal: &Refusal, out: &mut Vec<Out>) {
    let source = model.stack.iter_mut().find(|surface| surface.has_sent(command));
    if let Some(source) = source.filter(|_| !closes(command.plain())) {
        source.refused();
    }
    if closes(command.plain()) {
        model.run.committing = false;
        if std::mem::take(&mut model.run.overtaken) {
            hold::hold_again(model, out);
        }
        model.staged_edits.sending = None;
        for surface in model.stack.iter_mut() {
            surface.refused();
        }
    }
    model.run.then.retain(|(first, _)| first != command);
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
    if approve::answered(model, command, Some(brief.as_deref().unwrap_or(&words))) {
        return;
    }
    // The journal failed: the command was not checked, and may even be recorded.
    let (output, noted) = match refusal.kind {
        RefusalKind::Journal => (format!("{what}: {words}"), format!("{what}: {words}")),
        _ => (
            format!("{what} was refused: {words}"),
            format!("refused: {what}: {words}"),
        ),
    };
    model.log.add(Line::Problem(noted));
    let line = model.stack.sent_line.take().filter(|_| sent.is_some());
    let shown = sent.and_then(|sent| sent.shown);
    let free = model.stack.is_empty();
    if let Some(line) = line {
        give_back(model, line, free);
    }
    if refusal.kind == RefusalKind::Changed
        && let Some((call, rev, old)) = shown
        && let Some(new) = model.run.shown_args(call).filter(|new| *new != old)
        && free
    {
        // The operator has just pressed the key: the page is the reply.
        show_changed(model, (call, rev), [old, new]);
    }
    if is_other_plan(command, refusal) {
        // The log has the digests.
        model.complain("Cannot restore: the files or the run changed. Review the new preview");
        return;
    }
    let short = halted::short(model, &output);
    model.complain(short.unwrap_or(output));
}
