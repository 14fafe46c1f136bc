//! Decisions: allowed only about what was on screen whole and for long enough.
//!
//! Must not know: keys, how a command travels.

use std::sync::Arc;
use std::time::Duration;

use super::choices::{broken, choices, consent, did_not, did_not_finish, happened, leave, reuse};
use super::executions;
use super::{bulk, prompts, repair, rules};
use crate::console::commands::{Decide, EditVerb, RunVerb, Verb, View};
use crate::console::doc::Doc;
use crate::console::model::arming::{Question, VisibleQuestion};
use crate::console::model::graph::Pick;
use crate::console::model::inspector::{Subject, Tab};
use crate::console::model::overlay::{LinePurpose, Overlay};
use crate::console::model::queue::QueueEntry;
use crate::console::model::run::SentCommand;
use crate::console::model::screen::Pane;
use crate::console::model::{Model, idle};
use crate::console::msg::Out;
use crate::console::{halted, hints};
use crate::domain::call::{Digest, Shown, Status};
use crate::domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{NodeId, NodeKind, Rev};
use crate::domain::state::Mode;
use crate::domain::tags;

use super::input::By;

/// The node that verbs apply to: the one in the inspector.
pub(super) fn subject(model: &Model) -> Option<NodeId> {
    match model.inspector.subject? {
        Subject::Pick(Pick::Node(id)) => Some(id),
        _ => None,
    }
}

/// The question of the decision frame about the node in the inspector.
pub(super) fn question(model: &Model) -> Option<Question> {
    let state = &model.run.state;
    match model.inspector.subject? {
        Subject::Broken(turn) => Some(Question::Turn {
            turn,
            request: state.turns.get(&turn)?.asked,
        }),
        Subject::Pick(Pick::Node(id)) => {
            let call = state.call(id)?;
            let rev = state.node(call.id)?.rev();
            let status = call.status.base_label();
            // A call in repair has no bytes to approve: it only has to be seen.
            let decides =
                EffectiveStatus::of_call(state, call).asks() && !matches!(call.status, Status::Repairing(_));
            if model.inspector.tab == Tab::Arguments && decides {
                Some(Question::Call {
                    call: call.id,
                    rev,
                    digest: call.digest.clone(),
                    status,
                })
            } else {
                Some(Question::Seen {
                    call: call.id,
                    rev,
                    status,
                })
            }
        }
        Subject::Pick(Pick::Live(..)) => None,
    }
}

/// Refuses every decision in a recorded or halted run, or on a small screen.
pub(super) fn can_decide(model: &Model) -> Result<(), String> {
    can_show(model)?;
    if halted::is(model) {
        return Err(halted::why(model));
    }
    Ok(())
}

/// Refuses every question in a recorded run, or on a small screen.
fn can_show(model: &Model) -> Result<(), String> {
    if model.settings.is_recorded() {
        return Err("Cannot decide: this run is recorded".to_owned());
    }
    if !model.screen.can_decide() {
        return Err("Cannot decide: the screen is smaller than 40 columns and 10 rows".to_owned());
    }
    Ok(())
}

/// The visible question, if it was on screen for long enough and uncovered; else a refusal.
pub(super) fn armed<'m>(
    model: &'m Model,
    question: &Question,
    by: By,
    at: u64,
) -> Result<&'m VisibleQuestion, String> {
    can_decide(model)?;
    looked_at(model, question, by, at)
}

/// Like `armed`, for verbs that only end something: they need no record, so a halted run allows
/// them.
pub(super) fn looked_at<'m>(
    model: &'m Model,
    question: &Question,
    by: By,
    at: u64,
) -> Result<&'m VisibleQuestion, String> {
    can_show(model)?;
    model.run.still_asks(question)?;
    let wait = model.settings.arming_ms;
    let on_top = !model.overlays.is_empty();
    let shown = model
        .arming
        .find(question, on_top)
        .ok_or_else(|| not_shown(model))?;
    let covered = if on_top {
        model.arming.overlay_covered
    } else {
        model.arming.covered
    };
    let until = match (by, covered) {
        (By::Palette, Some(covered)) => covered,
        (By::Key, Some(_)) => shown.since,
        _ => at,
    };
    if !shown.is_armed(until, wait) {
        return Err(format!(
            "Ignored: shown for less than {} s. Press again",
            Duration::from_millis(wait).as_secs_f64()
        ));
    }
    Ok(shown)
}

/// Why a key would be refused now, for its time or for what was on screen; `None` if it would
/// be accepted. The hints show such keys as refused.
pub fn refusal(model: &Model, verb: Verb) -> Option<String> {
    let at = model.arming.now;
    if model.keys.is_after_paste(at) && verb.waits_after_paste() && !stops(model, verb) {
        return Some(AFTER_PASTE.to_owned());
    }
    let why = match verb {
        Verb::Decide(verb) if verb.must_be_armed() => counts(model, verb, at),
        Verb::Edit(EditVerb::Commit) => on_top(model, at).map(drop),
        Verb::Run(RunVerb::LeaveWait | RunVerb::LeaveCancel) => super::drive::leaves(model, By::Key, at),
        Verb::View(View::Quit) if !model.overlays.is_empty() => super::drive::leaves(model, By::Key, at),
        _ => Ok(()),
    };
    why.err()
}

/// Why a key right after a paste is ignored.
pub(super) const AFTER_PASTE: &str = "right after a paste";

/// True if the verb only stops, pauses or restricts the run: an extra press does no harm.
pub(super) fn stops(model: &Model, verb: Verb) -> bool {
    match verb {
        Verb::Run(RunVerb::Emergency | RunVerb::StopNow | RunVerb::StopTurn) => true,
        Verb::Run(RunVerb::Pause) => !matches!(model.run.state.mode, Mode::Paused(_) | Mode::Stopped(_)),
        Verb::Run(RunVerb::Restrict) => model.run.state.restricted.is_none(),
        _ => false,
    }
}

/// Refuses a decision about the open question that would be ignored at a time.
fn counts(model: &Model, verb: Decide, at: u64) -> Result<(), String> {
    if let Some(overlay) = model.overlays.last() {
        return match (verb, overlay, on_top(model, at)?) {
            (Decide::RunAgain | Decide::DidNot, Overlay::Dialog(dialog), Some(shown)) => {
                all_read(unread(shown, &dialog.doc)?)
            }
            (Decide::AllNow | Decide::Accept, _, Some(shown)) if !shown.is_read() => {
                Err("Not all of it was on screen yet".to_owned())
            }
            _ => Ok(()),
        };
    }
    let Some(question) = question(model) else {
        return Ok(());
    };
    if verb == Decide::Cancel {
        return looked_at(model, &question, By::Key, at).map(drop);
    }
    let shown = armed(model, &question, By::Key, at)?;
    match (verb, &question) {
        (Decide::Approve, Question::Call { .. }) => all_read(unread(shown, &model.inspector.doc)?),
        _ => Ok(()),
    }
}

/// The question on top, if it may be decided at a time; `None` if nothing there must be read.
fn on_top(model: &Model, at: u64) -> Result<Option<&VisibleQuestion>, String> {
    let asks = matches!(
        model.overlays.last(),
        Some(Overlay::Review(_) | Overlay::Bulk(_) | Overlay::Rule(_) | Overlay::Dialog(_))
    );
    match super::visibility::visibility(model).1 {
        Some(view) => armed(model, &view.question, By::Key, at).map(Some),
        None if asks => Err(not_shown(model)),
        None => Ok(None),
    }
}

fn all_read(unread: u64) -> Result<(), String> {
    match unread {
        0 => Ok(()),
        bytes => Err(format!("{bytes} bytes unread")),
    }
}

/// Why a decision about something not on screen is refused, and how to show it.
fn not_shown(model: &Model) -> String {
    let before = "Cannot decide: not on screen yet";
    let doc = match model.overlays.last() {
        Some(overlay) => overlay.doc(),
        None => Some(&model.inspector.doc),
    };
    if doc.is_some_and(Doc::is_waiting) {
        return format!("{before}, loading…");
    }
    if model.overlays.is_empty() && model.screen.places.inspector.is_none() {
        let key = model.settings.keymap.first("inspector");
        return format!("{before}. {key} shows it");
    }
    format!("{before}. Read it first")
}

/// Carries out a decision verb.
pub(super) fn decide(model: &mut Model, verb: Decide, by: By, at: u64, out: &mut Vec<Out>) {
    let done = match verb {
        Decide::Approve => approve(model, false, by, at, out),
        Decide::ApproveUnread => approve(model, true, by, at, out),
        Decide::Reject => reject(model, by, at),
        Decide::Open => open_waiting(model, by, at, out),
        Decide::All => bulk::list(model),
        Decide::AllNow => bulk::approve(model, by, at, out),
        Decide::Always => rules::always(model, by, at),
        Decide::Rule => rules::write(model),
        Decide::Accept => rules::accept(model, by, at, out),
        Decide::Rules => rules::list(model),
        Decide::DropRule => rules::drop_rule(model, out),
        Decide::Retry => executions::retry(model, by, at, out),
        Decide::RunNow => executions::run_now(model, by, at, out),
        Decide::ChooseRepair => repair::choose(model, by, at),
        Decide::SkipRepair => repair::skip(model, by, at, out),
        Decide::Cancel => executions::cancel(model, by, at, out),
        Decide::Reuse => reuse(model, by, at, out),
        Decide::RunAgain => consent(model, ConsentChoice::RunAgain, by, at, out),
        Decide::Happened => happened(model, by, at),
        Decide::DidNot => did_not(model, by, at, out),
        Decide::DidNotFinish => did_not_finish(model, by, at, out),
        Decide::Leave => leave(model, by, at),
        Decide::AskAgain => broken(
            model,
            |turn, request| RunCommand::AskAgain { turn, request },
            by,
            at,
            out,
        ),
        Decide::Keep => broken(
            model,
            |turn, request| RunCommand::KeepArrived { turn, request },
            by,
            at,
            out,
        ),
    };
    if let Err(why) = done {
        model.complain(why);
    }
}

/// Opens what the selected waiting call needs: its answer, its repairs, its choices, or the decision to read. A row
/// that does not wait is opened in the inspector.
fn open_waiting(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    if let Some(Subject::Broken(_)) = model.inspector.subject {
        return choices(model);
    }
    let selected = subject(model).map(NodeId::call);
    let call = selected.and_then(|id| model.run.state.call(id));
    let Some((id, status)) = call
        .filter(|call| model.run.waits(call).is_ok())
        .map(|call| (call.id, call.status.clone()))
    else {
        super::views::focus(model, Pane::Inspector);
        return Ok(());
    };
    if tags::asks_operator(&model.run.state, id) {
        super::edits::edit(model, EditVerb::Answer, by, at, out);
        return Ok(());
    }
    if model.screen.lead != Pane::Queue {
        go_to_queue(model, id);
        // The question is that of the queue, which the last frame did not show.
        super::refresh::prepare(model);
    }
    match status {
        Status::AwaitingApproval => {
            super::views::focus(model, Pane::Inspector);
            model.inspector.choose(Tab::Arguments, Pane::Queue);
            Ok(())
        }
        Status::Repairing(_) => repair::choose(model, by, at),
        _ => choices(model),
    }
}

/// Sends a command about a call and remembers what was on screen for it.
pub(super) fn send(model: &mut Model, command: Command, call: Option<NodeId>, out: &mut Vec<Out>) {
    // After a decision on the selected call, the cursor moves on once the call no longer waits.
    if let (Some(id), Some(QueueEntry::Call { call, .. })) = (call, model.queue.selected)
        && id == call
    {
        model.queue.leaving = model.queue.selected;
    }
    let shown = call.and_then(|id| {
        let rev = model.run.state.node(id)?.rev();
        Some((id, rev, model.run.shown_args(id)?))
    });
    model.run.sent = Some(SentCommand {
        command: command.clone(),
        shown,
        line: None,
    });
    out.push(Out::Command(command));
}

/// Selects a waiting call in the queue, where it can be decided; false if it is not there.
pub(super) fn go_to_queue(model: &mut Model, call: NodeId) -> bool {
    let Some(requested) = model.queue.entry_of(call) else {
        return false;
    };
    model.queue.settle();
    model.queue.selected = Some(requested);
    model.screen.focus(Pane::Queue);
    if model.screen.is_single() {
        // The queue alone does not show the arguments.
        model.screen.focus(Pane::Inspector);
    }
    model.inspector.choose(Tab::Arguments, Pane::Queue);
    true
}

/// The selected waiting call, if the command of this name decides here; from the graph it only
/// goes to the queue.
pub(super) fn waiting(
    model: &mut Model,
    name: &str,
) -> Result<(NodeId, Rev, Option<Digest>, Question), String> {
    if model.screen.lead == Pane::Queue && model.queue.current().is_none() {
        let gone = model.queue.selected.is_some();
        model.queue.settle();
        return Err(if gone {
            "That entry no longer waits. Look at the next one".to_owned()
        } else {
            idle(model)
        });
    }
    if let Some(Subject::Broken(turn)) = model.inspector.subject {
        return Err(format!(
            "The stream of {turn} broke. {} shows the choices",
            model.settings.keymap.first("decide")
        ));
    }
    let id = subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call);
    let Some((id, call)) = id.and_then(|id| Some((id, model.run.state.call(id)?))) else {
        return Err(nothing_here(model));
    };
    model.run.waits(call)?;
    let digest = call.digest.clone();
    let awaits = call.status == Status::AwaitingApproval;
    if model.screen.lead == Pane::Graph || model.inspector.tab != Tab::Arguments {
        // A second press would not help here.
        can_decide(model)?;
        if go_to_queue(model, id) {
            let key = model.settings.keymap.first(name);
            let what = match name {
                "approve" | "approve-unread" if awaits => "approve",
                "reject" if awaits => "reject",
                _ => "decide",
            };
            return Err(format!("Now on {id}. Press {key} again to {what}"));
        }
        return Err(format!("{id} is not in the queue"));
    }
    let rev = model
        .run
        .state
        .node(id)
        .map(crate::domain::node::Node::rev)
        .unwrap_or_default();
    let question = question(model).ok_or_else(|| nothing_here(model))?;
    Ok((id, rev, digest, question))
}

fn nothing_here(model: &Model) -> String {
    match model.waiting() {
        0 => idle(model),
        count => format!(
            "No waiting call selected, {count} wait. {} goes to the next one",
            model.settings.keymap.first("next-pending")
        ),
    }
}

fn approve(model: &mut Model, unread_too: bool, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let name = if unread_too { "approve-unread" } else { "approve" };
    let (call, rev, digest, question) = waiting(model, name)?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    if tags::asks_operator(&model.run.state, call) {
        let key = model.settings.keymap.first("answer");
        return Err(format!(
            "Cannot approve {call}: it asks you a question. {key} answers it"
        ));
    }
    if std::mem::take(&mut model.arming.no_list) && unread_too {
        let key = model.settings.keymap.first("approve-unread");
        return Err(format!(
            "Nothing approved: there was no list. {key} again approves {call} alone"
        ));
    }
    let shown = armed(model, &question, by, at)?;
    let unread = unread(shown, &model.inspector.doc)?;
    if unread > 0 && !unread_too {
        return Err(format!(
            "{unread} bytes unread. {}, {} approves unread",
            hints::reads_on(model, shown),
            model.settings.keymap.first("approve-unread"),
        ));
    }
    let Some(digest) = digest else {
        return Err(format!("{call} is not ready yet"));
    };
    if let Some(tool) = irreversible(model, call) {
        let purpose = LinePurpose::Irreversible {
            call,
            rev,
            digest,
            unread,
            again: false,
        };
        ask_word(model, purpose, call, &tool);
        return Ok(());
    }
    approved(model, (call, rev, digest), unread, None, out);
    Ok(())
}

/// Bytes of the arguments that were not on screen yet.
pub(super) fn unread(shown: &VisibleQuestion, doc: &Doc) -> Result<u64, String> {
    let all = doc.decided_len().ok_or("Its arguments are not on screen")?;
    if all != shown.rows || doc.stamp() != shown.stamp {
        // No frame has shown the new layout yet: rows read in the old one do not apply.
        return Err("The layout just changed. Read it again".to_owned());
    }
    let missing = shown.read.misses(shown.rows);
    Ok(missing.iter().map(|rows| doc.decided_bytes(rows)).sum())
}

/// Asks for the name of the tool before a call runs that cannot be undone.
pub(super) fn ask_word(model: &mut Model, purpose: LinePurpose, call: NodeId, tool: &str) {
    let tool = crate::text::visible(tool);
    let title = format!("{call} cannot be undone: type `{tool}` to run it");
    prompts::line(model, purpose, &title, "");
}

/// The tool of a call that cannot be undone.
pub(super) fn irreversible(model: &Model, call: NodeId) -> Option<Arc<str>> {
    tags::confirmation(&model.run.state, call).cloned()
}

/// The form in which a call is shown in the inspector.
fn shown_form(model: &Model, call: NodeId) -> Option<Shown> {
    let shown = model.inspector.doc.shown_form();
    let shown = shown.filter(|_| subject(model).map(NodeId::call) == Some(call))?;
    Some(shown.first.clone())
}

/// Sends an approval.
pub(super) fn approved(
    model: &mut Model,
    (call, rev, digest): (NodeId, Rev, Digest),
    unread: u64,
    word: Option<Arc<str>>,
    out: &mut Vec<Out>,
) {
    let command = Command::Call(CallCommand::Approve {
        call,
        rev,
        digest,
        unread,
        shown: shown_form(model, call),
        word,
    });
    model.queue.leaving = model.queue.selected;
    send(model, command, Some(call), out);
    // The call is decided only once that is recorded.
    model.set_status(format!("Sent: approve {call}"));
}

fn reject(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    if let Some(Overlay::Dialog(dialog)) = model.overlays.last() {
        let question = dialog.question.clone();
        armed(model, &question, by, at)?;
        if let Question::Call {
            call,
            rev,
            digest: Some(digest),
            ..
        } = question
        {
            model.overlays.pop();
            let purpose = LinePurpose::RefuseEffect { call, rev, digest };
            prompts::line(
                model,
                purpose,
                &format!("reject {call}: what should the model know?"),
                "",
            );
        }
        return Ok(());
    }
    if let Some(id) = subject(model)
        && id.kind == NodeKind::Answer
    {
        if model.settings.is_recorded() {
            return Err("Cannot reject: this run is recorded".to_owned());
        }
        let title = format!("reject {id}: what should the model do instead?");
        prompts::line(
            model,
            LinePurpose::RejectAnswer(id, model.run.state.node(id).map(crate::domain::node::Node::rev)),
            &title,
            "",
        );
        return Ok(());
    }
    let blocked = subject(model).map(NodeId::call).filter(|id| {
        model
            .run
            .state
            .call(*id)
            .is_some_and(|call| call.status == Status::Blocked)
    });
    if let Some(call) = blocked {
        let question = question(model).ok_or("Nothing selected")?;
        armed(model, &question, by, at)?;
        let rev = model
            .run
            .state
            .node(call)
            .map(crate::domain::node::Node::rev)
            .unwrap_or_default();
        prompts::line(
            model,
            LinePurpose::Reject { call, rev },
            &format!("reject {call} {rev}: what should the model know?"),
            "",
        );
        return Ok(());
    }
    let (call, rev, _, question) = waiting(model, "reject")?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    armed(model, &question, by, at)?;
    prompts::line(
        model,
        LinePurpose::Reject { call, rev },
        &format!("reject {call} {rev}: what should the model know?"),
        "",
    );
    Ok(())
}
