//! Decisions: what was on screen long enough and whole may be decided, nothing else.
//!
//! Must not know: keys, how a command travels.

use std::sync::Arc;

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
use crate::domain::call::{Digest, Status};
use crate::domain::command::{CallCommand, Command, ConsentChoice, RunCommand};
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{NodeId, NodeKind, Rev};
use crate::domain::state::Mode;
use crate::domain::tags;

use super::input::By;

/// The node that verbs are about: what the inspector shows.
pub(super) fn subject(model: &Model) -> Option<NodeId> {
    match model.inspector.subject? {
        Subject::Pick(Pick::Node(id)) => Some(id),
        _ => None,
    }
}

/// The question that the decision frame asks about what the inspector shows.
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
            // What is repaired has no bytes that could be let run: it only has to be seen.
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

/// Whether anything can be decided here at all.
pub(super) fn can_decide(model: &Model) -> Result<(), String> {
    can_show(model)?;
    if halted::is(model) {
        return Err(halted::why(model));
    }
    Ok(())
}

/// Whether a question is asked here at all, and there is room for it.
fn can_show(model: &Model) -> Result<(), String> {
    if model.settings.is_recorded() {
        return Err("this is a recorded run: nothing can be decided in it".to_owned());
    }
    if !model.screen.can_decide() {
        return Err(
            "the screen is too small to show what is decided: at least 40 columns and 10 rows".to_owned(),
        );
    }
    Ok(())
}

/// Whether a question may be decided now: it was on screen for long enough, uncovered.
pub(super) fn armed<'m>(
    model: &'m Model,
    question: &Question,
    by: By,
    at: u64,
) -> Result<&'m VisibleQuestion, String> {
    can_decide(model)?;
    looked_at(model, question, by, at)
}

/// The same for what only ends something: that needs no record, and a halted run may go on for long.
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
        return Err(format!("not counted: it has to be on screen for {wait} ms first"));
    }
    Ok(shown)
}

/// Why a key of what can be decided here would be refused now, for when it comes or for what was on screen; none where
/// it counts. The keys that are offered look like it.
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

/// What is said of a key that came right after a paste.
pub(super) const AFTER_PASTE: &str = "it came right after a paste";

/// True where the verb only stops the run, or holds it: nothing follows from a key too many.
pub(super) fn stops(model: &Model, verb: Verb) -> bool {
    match verb {
        Verb::Run(RunVerb::Emergency | RunVerb::StopNow | RunVerb::StopTurn) => true,
        Verb::Run(RunVerb::Pause) => !matches!(model.run.state.mode, Mode::Paused(_) | Mode::Stopped(_)),
        Verb::Run(RunVerb::Restrict) => model.run.state.restricted.is_none(),
        _ => false,
    }
}

/// Whether a decision about what is asked here counts at a time.
fn counts(model: &Model, verb: Decide, at: u64) -> Result<(), String> {
    if let Some(overlay) = model.overlays.last() {
        return match (verb, overlay, on_top(model, at)?) {
            (Decide::RunAgain | Decide::DidNot, Overlay::Dialog(dialog), Some(shown)) => {
                all_read(unread(shown, &dialog.doc)?)
            }
            (Decide::AllNow | Decide::Accept, _, Some(shown)) if !shown.is_read() => {
                Err("not all of it was on screen yet".to_owned())
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

/// What is asked on top, if it may be decided at a time; none where nothing is asked that has to be looked at.
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
        bytes => Err(format!("{bytes} bytes not on screen yet")),
    }
}

/// Why nothing counts that was not on screen, and how it comes there.
fn not_shown(model: &Model) -> String {
    let before = "what you decide about is not on screen yet";
    let doc = match model.overlays.last() {
        Some(overlay) => overlay.doc(),
        None => Some(&model.inspector.doc),
    };
    if doc.is_some_and(Doc::is_waiting) {
        return format!("{before}: it is long and still being laid out");
    }
    if model.overlays.is_empty() && model.screen.places.inspector.is_none() {
        let key = model.settings.keymap.first("inspector");
        return format!("{before}: {key} shows it");
    }
    format!("{before}: look at it first")
}

/// Carries out a decision verb.
pub(super) fn decide(model: &mut Model, verb: Decide, by: By, at: u64, out: &mut Vec<Out>) {
    let done = match verb {
        Decide::Approve => approve(model, false, by, at, out),
        Decide::ApproveUnread => approve(model, true, by, at, out),
        Decide::Reject => reject(model, by, at),
        Decide::Open => choices(model),
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

/// Sends a command about a call, remembering what was on screen for it.
pub(super) fn send(model: &mut Model, command: Command, call: Option<NodeId>, out: &mut Vec<Out>) {
    // Whoever decides on the selected call goes on to the next one once it waits no more.
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

/// Shows a waiting entry in the queue, where it can be decided.
pub(super) fn go_to_queue(model: &mut Model, call: NodeId) -> bool {
    let Some(requested) = model.queue.entry_of(call) else {
        return false;
    };
    model.queue.settle();
    model.queue.selected = Some(requested);
    model.screen.focus(Pane::Queue);
    if model.screen.is_single() {
        // The list alone does not show what is decided.
        model.screen.focus(Pane::Inspector);
    }
    model.inspector.choose(Tab::Arguments, Pane::Queue);
    true
}

/// A call that waits, about which keys decide here; from the graph the keys only lead to it.
pub(super) fn waiting(model: &mut Model) -> Result<(NodeId, Rev, Option<Digest>, Question), String> {
    if model.screen.lead == Pane::Queue && model.queue.current().is_none() {
        let gone = model.queue.selected.is_some();
        model.queue.settle();
        return Err(if gone {
            "that entry no longer waits; look at the next one".to_owned()
        } else {
            idle(model)
        });
    }
    if let Some(Subject::Broken(turn)) = model.inspector.subject {
        return Err(format!(
            "the stream of {turn} broke: {} shows the choices",
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
    if model.screen.lead == Pane::Graph || model.inspector.tab != Tab::Arguments {
        // No second press would help there.
        can_decide(model)?;
        if go_to_queue(model, id) {
            return Err(format!(
                "{id} is in front of you now: press the key again to decide"
            ));
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
            "no waiting call is selected; {count} wait: {} goes to the next one",
            model.settings.keymap.first("next-pending")
        ),
    }
}

fn approve(model: &mut Model, unread_too: bool, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, rev, digest, question) = waiting(model)?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    if tags::asks_operator(&model.run.state, call) {
        let key = model.settings.keymap.first("answer");
        return Err(format!(
            "{call} asks you something, and nothing is let run: {key} answers it"
        ));
    }
    if std::mem::take(&mut model.arming.no_list) && unread_too {
        let key = model.settings.keymap.first("approve-unread");
        return Err(format!(
            "there was no list, and nothing was approved: {key} once more lets {call} run by itself"
        ));
    }
    let shown = armed(model, &question, by, at)?;
    let unread = unread(shown, &model.inspector.doc)?;
    if unread > 0 && !unread_too {
        return Err(format!(
            "{unread} bytes not on screen yet: {}, {} approves unread",
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

/// Bytes of what would run that were not on screen.
pub(super) fn unread(shown: &VisibleQuestion, doc: &Doc) -> Result<u64, String> {
    let (pager, _) = doc.decided().ok_or("its arguments are not on screen")?;
    if pager.rows() != shown.rows {
        // Rows of a layout that no frame has shown yet are no rows of the one before.
        return Err("it was just laid out anew: look at it again".to_owned());
    }
    let missing = shown.read.misses(shown.rows);
    Ok(missing.iter().map(|rows| pager.bytes_in(rows)).sum())
}

/// Asks for the name of the tool before something runs that cannot be undone.
pub(super) fn ask_word(model: &mut Model, purpose: LinePurpose, call: NodeId, tool: &str) {
    let tool = crate::text::visible(tool);
    let title = format!("{call} cannot be undone: type `{tool}` to let it run");
    prompts::line(model, purpose, &title, "");
}

/// The tool of a call that cannot be undone.
pub(super) fn irreversible(model: &Model, call: NodeId) -> Option<Arc<str>> {
    tags::confirmation(&model.run.state, call).cloned()
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
        word,
    });
    model.queue.leaving = model.queue.selected;
    send(model, command, Some(call), out);
    // It is not decided before that is written down.
    model.set_status(format!("approve {call}: sent"));
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
                &format!("refuse {call}: what is the model told?"),
                "",
            );
        }
        return Ok(());
    }
    if let Some(id) = subject(model)
        && id.kind == NodeKind::Answer
    {
        if model.settings.is_recorded() {
            return Err("this is a recorded run".to_owned());
        }
        let title = format!("refuse {id}: what should the model do instead?");
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
        let question = question(model).ok_or("nothing is selected")?;
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
            &format!("refuse {call} {rev}: what is the model told?"),
            "",
        );
        return Ok(());
    }
    let (call, rev, _, question) = waiting(model)?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    armed(model, &question, by, at)?;
    prompts::line(
        model,
        LinePurpose::Reject { call, rev },
        &format!("refuse {call} {rev}: what is the model told?"),
        "",
    );
    Ok(())
}
