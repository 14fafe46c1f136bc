//! Decisions: allowed only about what was on screen whole and for long enough.
//!
//! Must not know: keys, how a command travels.

use std::sync::Arc;

use super::prompts;
use crate::ground::doc::Doc;
use crate::kernel::graph::{Form, Pick};
use crate::kernel::hints;
use crate::kernel::inspector::{Subject, Tab};
use crate::kernel::model::arming::VisibleQuestion;
use crate::kernel::model::{Model, idle};
use crate::kernel::msg::Out;
use crate::kernel::pane::Pane;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::queue::QueueEntry;
use crate::run::part::SentCommand;
use crate::run::question::Question;
use crate::run::refusal::{ARGUMENTS_UNSEEN, Refusal};
use overrule_domain::call::{Digest, Shown, Status};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::{NodeId, NodeKind, Rev};
use overrule_domain::tags;

use crate::kernel::verb::{By, Moment};

/// The node that verbs apply to: the one in the inspector.
pub(crate) fn subject(model: &Model) -> Option<NodeId> {
    match model.inspector.subject? {
        Subject::Pick(Pick::Node(id)) => Some(id),
        _ => None,
    }
}

/// The question of the decision frame about the node in the inspector.
pub(crate) fn question(model: &Model) -> Option<Question> {
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

/// Refuses every question on a small screen.
pub(crate) fn ensure_room(model: &Model) -> Result<(), Refusal> {
    if model.screen.can_decide() {
        Ok(())
    } else {
        Err(Refusal::new(
            "Cannot decide: the screen is smaller than 40 columns and 10 rows",
        ))
    }
}

/// The visible question, if it was on screen for long enough and uncovered; else a refusal.
pub(crate) fn armed<'m>(
    model: &'m Model,
    question: &Question,
    moment: Moment,
) -> Result<&'m VisibleQuestion, Refusal> {
    ensure_room(model)?;
    model.run.still_asks(question)?;
    let wait = model.settings.arming_ms;
    let shown = shown(model, question).ok_or_else(|| not_shown(model))?;
    let covered = if model.stack.is_empty() {
        model.arming.covered
    } else {
        model.arming.top_covered
    };
    let until = match (moment.by, covered) {
        (By::Palette, Some(covered)) => covered,
        (By::Key, Some(_)) => shown.since,
        _ => moment.at,
    };
    if !shown.is_armed(until, wait) {
        return Err(Refusal::unseen(too_soon(
            question,
            until.saturating_sub(shown.since),
        )));
    }
    Ok(shown)
}

/// Why a key counts for nothing that came so long after its question.
fn too_soon(question: &Question, shown_ms: u64) -> String {
    let what = match question {
        Question::Call { call, .. } | Question::Seen { call, .. } => call.to_string(),
        _ => "this".to_owned(),
    };
    let tenths = shown_ms / 100;
    format!(
        "Ignored: {what} was on screen for {}.{} s. Press again",
        tenths / 10,
        tenths % 10
    )
}

/// What the last frame showed of a question: on the topmost surface, or in the uncovered decision frame.
pub(crate) fn shown<'m>(model: &'m Model, question: &Question) -> Option<&'m VisibleQuestion> {
    model.arming.find(question, !model.stack.is_empty())
}

/// Why a decision about something not on screen is refused, and how to show it.
pub(crate) fn not_shown(model: &Model) -> Refusal {
    let doc = if model.stack.is_empty() {
        Some(&model.inspector.doc)
    } else {
        model.stack.doc()
    };
    let next = if doc.is_some_and(Doc::is_waiting) {
        ", loading…".to_owned()
    } else if model.stack.is_empty() && model.screen.places.inspector.is_none() {
        format!(". {} shows it", model.settings.keymap.first("inspector"))
    } else {
        ". Read it first".to_owned()
    };
    Refusal::unseen(format!("Cannot decide: not on screen yet{next}"))
}

/// Sends a command about a call and remembers what was on screen for it.
pub(crate) fn send(model: &mut Model, command: Command, call: Option<NodeId>, out: &mut Vec<Out>) {
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
    });
    model.stack.sent_line = None;
    out.push(Out::Command(command));
}

/// Sends a command, and another one once the first was carried out.
pub(crate) fn send_both(model: &mut Model, first: Command, then: Option<Command>, out: &mut Vec<Out>) {
    model.run.then.extend(then.map(|then| (first.clone(), then)));
    send(model, first, None, out);
}

/// Selects a waiting call where it can be decided: in the graph if it has a row there, else in the queue. False if it does
/// not wait.
pub(crate) fn go_to_waiting(model: &mut Model, call: NodeId) -> bool {
    let Some(requested) = model.queue.entry_of(call) else {
        return false;
    };
    let has_row = model
        .graph
        .rows
        .of(call)
        .is_some_and(|row| row.key == call && row.count == 1);
    if model.screen.lead == Pane::GRAPH && has_row && model.graph.form != Form::Map {
        model.graph.join(Pick::Node(call));
        if model.screen.focus != Pane::GRAPH {
            model.screen.focus(Pane::GRAPH);
        }
        if model.screen.places.inspector.is_none() {
            // The graph alone does not show what is decided.
            model.screen.focus(Pane::INSPECTOR);
        }
        model.inspector.ask();
        return true;
    }
    model.queue.settle();
    model.queue.selected = Some(requested);
    model.screen.focus(Pane::QUEUE);
    if model.screen.is_single() {
        // The queue alone does not show the arguments.
        model.screen.focus(Pane::INSPECTOR);
    }
    model.inspector.ask();
    true
}

/// True where a key on a waiting call does not decide it yet, but shows what it decides.
pub(crate) fn is_elsewhere(model: &Model) -> bool {
    model.inspector.tab != Tab::Arguments
        || model.stack.is_empty()
            && model.screen.lead == Pane::GRAPH
            && model.screen.places.inspector.is_none()
}

/// The question about the selected call that awaits approval, where a key decides it.
pub(crate) fn asks_approval(model: &Model) -> Option<Question> {
    let call = model.run.state.call(subject(model)?.call())?;
    let waits = EffectiveStatus::of_call(&model.run.state, call).asks();
    let decides = waits && call.status == Status::AwaitingApproval && !is_elsewhere(model);
    decides.then(|| question(model)).flatten()
}

/// The selected waiting call, if the command of this name decides here; from the graph it only
/// goes to the queue.
pub(crate) fn waiting(model: &mut Model, name: &str) -> Result<(NodeId, Rev, Option<Digest>), Refusal> {
    if model.screen.lead == Pane::QUEUE && model.queue.current().is_none() {
        let gone = model.queue.selected.is_some();
        model.queue.settle();
        return Err(if gone {
            Refusal::new("That entry no longer waits. Look at the next one")
        } else {
            Refusal::new(idle(model))
        });
    }
    if let Some(Subject::Broken(turn)) = model.inspector.subject {
        let keys = model.settings.keymap.first("decide");
        return Err(Refusal::broken(turn, &keys));
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
    if is_elsewhere(model) {
        // A second press would not help here.
        ensure_room(model)?;
        if go_to_waiting(model, id) {
            let key = model.settings.keymap.first(name);
            let next = match name {
                "approve" | "approve-unread" if awaits => " to approve",
                "reject" if awaits => " to reject",
                _ => " to decide",
            };
            return Err(now_shown(id, &key, next));
        }
        return Err(Refusal::new(format!("{id} is not in the queue")));
    }
    let rev = model
        .run
        .state
        .node(id)
        .map(overrule_domain::node::Node::rev)
        .unwrap_or_default();
    question(model).ok_or_else(|| nothing_here(model))?;
    Ok((id, rev, digest))
}

fn nothing_here(model: &Model) -> Refusal {
    match model.waiting() {
        0 => Refusal::new(idle(model)),
        count => Refusal::new(format!(
            "No waiting call selected, {count} wait. {} goes to the next one",
            model.settings.keymap.first("next-pending")
        )),
    }
}

/// Says that a question is on screen only now. `next` is what another press does, as a clause.
pub(crate) fn now_shown(call: NodeId, key: &str, next: &str) -> Refusal {
    Refusal::confirmation(format!("Now on {call}. Press {key} again{next}"))
}

/// Bytes of the arguments that were not on screen yet.
pub(crate) fn unread(shown: &VisibleQuestion, doc: &Doc) -> Result<u64, Refusal> {
    let all = doc
        .decided_len()
        .ok_or_else(|| Refusal::unseen(ARGUMENTS_UNSEEN))?;
    if all != shown.rows || doc.stamp() != shown.stamp {
        // No frame has shown the new layout yet: rows read in the old one do not apply.
        return Err(Refusal::unseen("The layout just changed. Read it again"));
    }
    let missing = shown.read.misses(shown.rows);
    Ok(missing.iter().map(|rows| doc.decided_bytes(rows)).sum())
}

/// Refuses until the arguments of a call were on screen to their end. `otherwise` names another way.
pub(crate) fn read_to_end(
    model: &Model,
    shown: &VisibleQuestion,
    doc: &Doc,
    otherwise: &str,
) -> Result<(), Refusal> {
    match unread(shown, doc)? {
        0 => Ok(()),
        bytes => Err(Refusal::unseen(format!(
            "{bytes} bytes unread. {}{otherwise}",
            hints::reads_on(model, shown.is_left_above())
        ))),
    }
}

/// Asks for the word that confirms a call before it runs; `then` takes the word.
pub(crate) fn ask_word(
    model: &mut Model,
    act: &'static str,
    (call, word): (NodeId, &str),
    then: impl Fn(&mut Model, Arc<str>, &mut Vec<Out>) + Send + Sync + 'static,
) {
    let word = overrule_base::text::visible(word);
    let title = match tags::confirmation(&model.run.state, call) {
        Some(tags::Confirmation::Definitions { server, .. }) => {
            let server = overrule_base::text::visible(server);
            format!("the tools of {server} changed: type {word} to approve {call} alone")
        }
        _ => format!("type {word} to approve {call}"),
    };
    let prompt = Prompt::new((act, Style::CONFIRMS), title, "", move |model, text, out| {
        let needed = confirmation(model, call).filter(|needed| **needed == text);
        let Some(word) = needed else {
            return Err(not_confirmed(model, call).to_owned());
        };
        then(model, word, out);
        Ok(())
    });
    prompts::ask(model, prompt);
}

/// The refusal of another word than the one that confirms a call.
fn not_confirmed(model: &Model, call: NodeId) -> &'static str {
    match tags::confirmation(&model.run.state, call) {
        Some(tags::Confirmation::Definitions { .. }) => {
            "Nothing approved: that is not the hash of the definitions"
        }
        _ => "Nothing approved: that is not the name of the tool",
    }
}

/// The word that confirms a call: the name of a tool that cannot be undone, or the hash of changed definitions.
pub(crate) fn confirmation(model: &Model, call: NodeId) -> Option<Arc<str>> {
    let needed = tags::confirmation(&model.run.state, call)?;
    Some(Arc::from(needed.word()))
}

/// The form in which a call is shown in the inspector.
pub(crate) fn shown_form(model: &Model, call: NodeId) -> Option<Shown> {
    let shown = model.inspector.doc.shown_form();
    let shown = shown.filter(|_| subject(model).map(NodeId::call) == Some(call))?;
    Some(shown.first.clone())
}

/// Sends an approval.
pub(crate) fn approved(
    model: &mut Model,
    (call, rev, digest): (NodeId, Rev, Digest),
    (unread, shown): (u64, Option<Shown>),
    word: Option<Arc<str>>,
    out: &mut Vec<Out>,
) {
    let command = Command::Call(CallCommand::Approve {
        call,
        rev,
        digest,
        unread,
        shown,
        word,
    });
    model.queue.leaving = model.queue.selected;
    send(model, command, Some(call), out);
    // The call is decided only once that is recorded.
    model.set_status(format!("Sent: approve {call}"));
}
