//! Key hints: the command table filtered by the selection and the state of the run.
//!
//! Must not know: how a hint is drawn.

use super::columns::Columns as _;
use super::commands::{self, About, Context, Decide, EditVerb, Jump, ReplayVerb, RunVerb, Verb, View};
use super::halted;
use super::model::Model;
use super::model::arming::{Question, VisibleQuestion};
use super::model::graph::Pick;
use super::model::inspector::{Subject, Tab};
use super::model::listing::{Item, Kind};
use super::model::lower::Target;
use super::model::overlay::{Overlay, Whose};
use super::model::screen::Pane;
use super::tabs::fits;
use crate::console::update::{cancelled, refusal, unknown_outcome};
use crate::domain::branch;
use crate::domain::bulk::plain;
use crate::domain::call::{Call, Status};
use crate::domain::decide::edit::may_keep_later;
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{Epoch, NodeKind};
use crate::domain::pending_retry;
use crate::domain::state::{LedgerEntry, Mode};
use crate::domain::tags::asks_operator;
use crate::domain::template::{compensate_of, probe_entry, probe_of};
use crate::resilience::attention::standstill;

/// Screens with fewer columns get the short labels of a dialog.
const NARROW: u16 = 60;

/// A key and its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub key: String,
    /// What it does.
    pub word: &'static str,
    /// True for a decision.
    pub decides: bool,
    /// True if the key would be refused now: its question was too short on screen, or is partly
    /// unread.
    pub refused: bool,
    /// True for hints that every width keeps: help, and the way out of a text.
    pub stays: bool,
    /// True for the main key of the focused pane at the bottom, and for the way to a decision or
    /// answer. It comes first.
    pub leads: bool,
}

/// Context of the next key.
pub fn context(model: &Model) -> Context {
    match model.overlays.last() {
        Some(overlay) => overlay.context(),
        None => model.screen.focus.context(),
    }
}

/// Describes the key that shows unread rows.
pub fn reads_on(model: &Model, shown: &VisibleQuestion) -> String {
    let key = |name| model.settings.keymap.first(name);
    if shown.is_left_above() {
        format!("{} goes back", key("page-up"))
    } else {
        format!("{} shows more", key("page-down"))
    }
}

/// Hints for the keys that work now, the most important first.
pub fn hints(model: &Model) -> Vec<Hint> {
    let mut all = worded(model, model.screen.width < NARROW);
    // A narrow dialog shows all of its answers, with short labels if needed.
    if matches!(
        context(model),
        Context::Consent | Context::UnknownOutcome | Context::Broken
    ) {
        let answers = all.iter().filter(|(verb, _)| answers(*verb));
        let needed: usize = answers
            .map(|(_, hint)| hint.key.columns() + hint.word.columns() + 3)
            .sum();
        if needed >= usize::from(model.screen.width) {
            all = worded(model, true);
        }
    }
    // Only if there is room left.
    let is_seldom = |verb: &Verb| matches!(verb, Verb::Decide(Decide::Always | Decide::Rule));
    all.sort_by_key(|(verb, _)| is_seldom(verb));
    all.into_iter().map(|(_, hint)| hint).collect()
}

/// True for an answer to the question of a dialog.
const fn answers(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Decide(_)
            | Verb::Edit(EditVerb::Probe)
            | Verb::Run(RunVerb::Emergency)
            | Verb::View(View::Close)
    )
}

/// The hints with their verbs; with short labels if `brief`.
fn worded(model: &Model, brief: bool) -> Vec<(Verb, Hint)> {
    let here = context(model);
    commands::entries()
        .filter(|entry| !entry.hint.is_empty())
        .filter(|entry| {
            entry
                .contexts
                .iter()
                .any(|context| here.reach().contains(context))
        })
        .filter(|entry| model.settings.is_replay() || !entry.contexts.contains(&Context::Replay))
        .filter(|entry| applies(model, entry.verb))
        .filter_map(|entry| {
            let key = model.settings.keymap.first(entry.name);
            let word = specific_label(model, entry.verb, brief).unwrap_or(entry.hint);
            let hint = Hint {
                key,
                word,
                decides: matches!(entry.verb, Verb::Decide(_)),
                refused: refusal(model, entry.verb).is_some(),
                // A halted run continues only in another process.
                leads: entry.verb == Verb::View(View::Quit) && halted::is(model)
                    || matches!(entry.verb, Verb::View(View::Follow | View::Pane(Pane::Inspector)))
                    || matches!(entry.verb, Verb::Edit(EditVerb::Answer)) && is_question(model)
                    // The only key that continues the run.
                    || matches!(entry.verb, Verb::Decide(Decide::Cancel)) && did_not_finish(model)
                    // Before the key that gives up.
                    || matches!(
                        entry.verb,
                        Verb::Decide(Decide::ChooseRepair) | Verb::Text(commands::TextVerb::Copy)
                    )
                    || entry.contexts.contains(&Context::BranchPane) && here == Context::BranchPane
                    || matches!(entry.verb, Verb::Replay(ReplayVerb::ForkWrite | ReplayVerb::ForkResume))
                    // It shows the hidden log lines again.
                    || entry.verb == Verb::View(View::Decisions) && model.log.decisions,
                stays: match entry.verb {
                    // In a question, its answers come first.
                    Verb::View(View::Help) => here.reach().contains(&Context::Panes),
                    Verb::Text(commands::TextVerb::Cancel) => true,
                    Verb::View(View::Close) => matches!(
                        here,
                        Context::Review
                            | Context::StagedEdits
                            | Context::Branches
                            | Context::Compare
                            | Context::Effects
                    ),
                    _ => false,
                },
            };
            (!hint.key.is_empty()).then_some((entry.verb, hint))
        })
        .collect()
}

/// A label that fits better than that of the table.
fn specific_label(model: &Model, verb: Verb, brief: bool) -> Option<&'static str> {
    if let (Verb::Edit(EditVerb::KeepLater), Some(Overlay::Review(review))) = (verb, model.overlays.last())
        && review.keeps_later()
    {
        return Some("supersede later ones");
    }
    match verb {
        Verb::View(View::Decisions) if model.log.decisions => return Some("all lines"),
        Verb::Decide(Decide::Cancel) if did_not_finish(model) => return Some("did not finish: continue"),
        Verb::Edit(EditVerb::CompareAll) if compares_all(model) => return Some("only what differs"),
        Verb::Edit(EditVerb::EffectsAll) if lists_all_effects(model) => {
            return Some("needs attention only");
        }
        Verb::View(View::Follow) => {
            if let Some(word) = followed(model) {
                return Some(word);
            }
        }
        _ => {}
    }
    if brief && let Some(short) = short(verb) {
        return Some(short);
    }
    if verb == Verb::View(View::Colours) {
        match model.inspector.doc.shown_form() {
            Some(shown) if shown.exact => return Some("readable"),
            None if model.inspector.bytes => return Some("colours"),
            _ => {}
        }
    }
    match (verb, &model.run.state.mode) {
        (Verb::Run(RunVerb::Pause), Mode::Paused(_) | Mode::Stopped(_)) => Some("resume"),
        _ => None,
    }
}

/// True if the selected call was cancelled and its outcome is unknown.
fn did_not_finish(model: &Model) -> bool {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return false;
    };
    cancelled(model, id.call()).is_some()
}

/// True if a comparison lists equal nodes too.
fn compares_all(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Listing(list)) if matches!(list.kind, Kind::Compare { all: true, .. }))
}

/// True where the whole ledger is listed.
fn lists_all_effects(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Listing(list)) if matches!(list.kind, Kind::Effects { all: Some(true), .. }))
}

/// Label of `enter` for the row under the cursor, if it does not jump there.
fn followed(model: &Model) -> Option<&'static str> {
    match (model.followed(), model.screen.focus) {
        (Target::Nothing, Pane::Log) => Some("read it"),
        (Target::Breaker(_), _) => Some("reset it (asks first)"),
        (Target::Detector(detector), _) => {
            let muted = model.run.state.escape.muted.contains(&detector);
            Some(if muted {
                "unmute it (asks first)"
            } else {
                "mute it (asks first)"
            })
        }
        (Target::Weight(named), _) => {
            let one = model.run.weight(named);
            let open = one.zip(model.lower.explained.as_ref());
            let is_open = open.is_some_and(|(one, (tool, kind))| one.tool == **tool && one.kind == **kind);
            Some(if is_open { "hide why" } else { "list why" })
        }
        (Target::Limits, _) => Some("change the limits"),
        (Target::Node(_), Pane::Health | Pane::Budget) => Some("go there"),
        _ => None,
    }
}

/// Short labels for the answers of a dialog.
const fn short(verb: Verb) -> Option<&'static str> {
    match verb {
        Verb::Decide(Decide::Reuse) => Some("reuse"),
        Verb::Decide(Decide::RunAgain) => Some("run again"),
        Verb::Decide(Decide::Happened) => Some("happened"),
        Verb::Decide(Decide::DidNot) => Some("did not: run"),
        Verb::Decide(Decide::DidNotFinish) => Some("not finished"),
        Verb::Decide(Decide::Leave) => Some("abandon"),
        Verb::Edit(EditVerb::Probe) => Some("look"),
        Verb::Decide(Decide::Keep) => Some("keep it"),
        _ => None,
    }
}

/// Whether a verb can act now.
pub fn applies(model: &Model, verb: Verb) -> bool {
    let state = &model.run.state;
    let live = !model.settings.is_recorded();
    let subject = match model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => Some(id),
        _ => None,
    };
    // Superseded and suspended nodes cannot be decided or edited.
    let status = match subject.and_then(|id| EffectiveStatus::of(state, id.call())) {
        Some(EffectiveStatus::Active(status)) => Some(status),
        _ => None,
    };
    let counts = subject.filter(|id| state.node(*id).is_some_and(|node| node.active));
    if verb.about() != About::Nothing && (model.folded(verb).is_some() || !is_visible(model)) {
        return false;
    }
    // A key that would be refused is not offered.
    if halted::refuses(model, verb).is_some() {
        return false;
    }
    match verb {
        Verb::Decide(verb) => {
            let refused = verb.must_be_armed() && !model.screen.can_decide();
            live && !refused && decides(model, verb, status, counts.map(|id| id.kind))
        }
        Verb::Edit(verb) => live && edits(model, verb, status, (subject.map(|id| id.kind), counts.is_some())),
        Verb::Run(verb) => {
            live && match verb {
                RunVerb::Pause => !matches!(state.mode, Mode::Finished(_)),
                RunVerb::SetWeight | RunVerb::ResetWeights => {
                    matches!(model.followed(), Target::Weight(_))
                }
                RunVerb::Step => matches!(state.mode, Mode::Paused(_)),
                RunVerb::StopTurn => model.run.streams() || pending_retry::all(state).next().is_some(),
                // In a halted run it is one of the few actions left. Elsewhere there are better
                // ones.
                RunVerb::Emergency => halted::is(model) || !model.overlays.is_empty(),
                // No wait needed if nothing runs.
                RunVerb::LeaveWait | RunVerb::LeaveCancel => model.run.is_busy(),
                _ => true,
            }
        }
        Verb::Fix(fix) => live && standstill(state).is_some_and(|need| fits(fix, &need.cause)),
        Verb::Jump(Jump::Pending) => model.queue.waiting() > 0 && !halted::is(model),
        Verb::Text(commands::TextVerb::Commit) => halted::typed(model).is_none(),
        // Usually one of many keys of a text; here it saves the text.
        Verb::Text(commands::TextVerb::Copy) => halted::typed(model).is_some(),
        Verb::Text(commands::TextVerb::Form) => {
            matches!(model.overlays.last(), Some(Overlay::Editor(editor)) if editor.purpose.is_value())
        }
        Verb::Text(commands::TextVerb::NextFault) => {
            matches!(model.overlays.last(), Some(Overlay::Editor(editor)) if editor.marks.iter().any(Option::is_some))
        }
        Verb::View(View::Pane(Pane::Inspector)) => is_hidden(model) && model.queue.current().is_some(),
        Verb::View(View::Palette) => model.overlays.is_empty(),
        Verb::View(View::NextTab) => !model.screen.focus.is_lower(),
        Verb::View(View::Colours) => match model.inspector.doc.shown_form() {
            Some(shown) => !shown.forced,
            None => model.inspector.doc.has_colours(),
        },
        Verb::View(View::Follow) => match model.followed() {
            // A log line without a node can be read in full.
            Target::Nothing => model.screen.focus == Pane::Log && model.log.selected().is_some(),
            Target::Branch(_) => state.epoch.0 > 0,
            Target::Node(_) | Target::Weight(_) => true,
            Target::Limits | Target::Breaker(_) | Target::Detector(_) => live && !halted::is(model),
        },
        Verb::Replay(ReplayVerb::ForkWrite | ReplayVerb::ForkResume) => {
            matches!(model.overlays.last(), Some(Overlay::Fork(view)) if view.can_be_written().is_some())
        }
        Verb::Graph(_) | Verb::Jump(_) | Verb::Move(_) | Verb::Replay(_) | Verb::Text(_) | Verb::View(_) => {
            true
        }
    }
}

fn decides(model: &Model, verb: Decide, status: Option<&Status>, kind: Option<NodeKind>) -> bool {
    match (model.overlays.last(), verb) {
        (Some(Overlay::Dialog(dialog)), verb) => {
            let held = match (&dialog.question, verb) {
                // Nothing to keep.
                (Question::Turn { turn, .. }, Decide::Keep) => {
                    !pending_retry::has_arrived(&model.run.state, *turn)
                }
                (Question::Call { call, .. }, Decide::DidNot) => model.run.outlived(*call).runs().is_some(),
                (Question::Call { call, .. }, Decide::DidNotFinish) => cancelled(model, *call).is_none(),
                _ => false,
            };
            return !held && model.run.still_asks(&dialog.question).is_ok();
        }
        (Some(Overlay::Bulk(bulk)), Decide::All) => return bulk.is_dated(),
        (Some(Overlay::Bulk(bulk)), Decide::AllNow) => return bulk.approvable().next().is_some(),
        (Some(Overlay::Listing(_)), Decide::Happened) => return unknown_outcome(model).is_some(),
        (Some(Overlay::Listing(_)), Decide::DidNot) => {
            let runs =
                |entry: &LedgerEntry| model.run.outlived_of(entry.call, entry.attempt).runs().is_some();
            return unknown_outcome(model).is_some_and(|entry| !runs(entry));
        }
        (Some(_), _) => return true,
        (None, _) => {}
    }
    let waits = model.screen.lead == Pane::Queue && model.queue.current().is_some();
    let broken = matches!(model.inspector.subject, Some(Subject::Broken(_)));
    // A key that decides about visible content is useless without it.
    let shown = model.screen.places.inspector.is_some();
    match verb {
        // In the graph, the first press shows the call and the second one decides.
        Decide::Approve => {
            status == Some(&Status::AwaitingApproval) && !is_hidden(model) && !is_question(model)
        }
        Decide::Reject => match status {
            Some(Status::AwaitingApproval) => !is_hidden(model),
            status => (shown && status == Some(&Status::Blocked)) || kind == Some(NodeKind::Answer),
        },
        Decide::Always => {
            let subject = match model.inspector.subject {
                Some(Subject::Pick(Pick::Node(id))) => model.run.state.node(id.call()),
                _ => None,
            };
            let may = subject.is_some_and(|node| plain(&model.run.state, node));
            status == Some(&Status::AwaitingApproval) && may && !is_hidden(model)
        }
        Decide::Rule => kind == Some(NodeKind::Call) || kind == Some(NodeKind::Observation),
        Decide::Open => {
            waits && (broken || matches!(status, Some(Status::Consent(_) | Status::OutcomeUnknown(_))))
        }
        Decide::Retry | Decide::RunNow | Decide::ChooseRepair | Decide::SkipRepair | Decide::Cancel
            if !shown =>
        {
            false
        }
        Decide::Retry => status.is_some_and(Status::is_settled),
        Decide::RunNow => status == Some(&Status::Scheduled),
        Decide::ChooseRepair => offers(model),
        Decide::SkipRepair => matches!(status, Some(Status::Repairing(_))),
        Decide::Cancel => match status {
            Some(Status::OutcomeUnknown(_)) => did_not_finish(model),
            status => matches!(
                status,
                Some(Status::Running(_) | Status::Queued | Status::Scheduled)
            ),
        },
        _ => true,
    }
}

/// True if the target of the keys is on screen: in the inspector, or under the cursor that it
/// follows.
fn is_visible(model: &Model) -> bool {
    let places = &model.screen.places;
    !model.overlays.is_empty() || places.inspector.is_some() || places.of(model.screen.lead).is_some()
}

/// True if only the queue is visible: its calls are not shown, so no key decides.
fn is_hidden(model: &Model) -> bool {
    model.screen.lead == Pane::Queue
        && model.inspector.tab == Tab::Arguments
        && model.screen.places.inspector.is_none()
}

/// True for a question to the operator.
fn is_question(model: &Model) -> bool {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return false;
    };
    let call = model.run.state.call(id);
    call.is_some_and(|call| {
        call.status == Status::AwaitingApproval && asks_operator(&model.run.state, call.id)
    })
}

/// Whether the row under the cursor of the branch pane is a branch that satisfies `is`.
fn on_branch(model: &Model, is: impl Fn(Epoch) -> bool) -> bool {
    matches!(model.followed(), Target::Branch(epoch) if is(epoch))
}

fn edits(
    model: &Model,
    verb: EditVerb,
    status: Option<&Status>,
    (kind, counts): (Option<NodeKind>, bool),
) -> bool {
    match (model.overlays.last(), verb) {
        (Some(Overlay::Editor(editor)), EditVerb::Stage) => return !editor.is_no_edit(),
        (Some(Overlay::Review(review)), EditVerb::Stage) => {
            return review.whose != Whose::AllStaged && !review.edits().is_empty();
        }
        // An impossible action is not offered.
        (Some(Overlay::Review(review)), EditVerb::Commit) => return review.known().is_ok(),
        (Some(Overlay::Review(review)), EditVerb::Reason) => {
            return review.known().is_ok() && !review.edits().is_empty();
        }
        (Some(Overlay::Review(review)), EditVerb::KeepLater) => {
            let falls = review.known().is_ok_and(|plan| !plan.turns.is_empty());
            let may = review.edits().iter().all(|edit| may_keep_later(edit).is_ok());
            return !review.edits().is_empty() && ((falls && may) || review.keeps_later());
        }
        (Some(Overlay::Dialog(dialog)), EditVerb::Probe) => {
            let is_active = model.run.still_asks(&dialog.question).is_ok();
            return is_active
                && matches!(&dialog.question, Question::Call { call, .. } if probe_of(&model.run.state, *call).is_ok());
        }
        (Some(Overlay::Listing(list)), EditVerb::Probe) => {
            return matches!(list.selected, Some(Item::Effect(seq)) if probe_entry(&model.run.state, seq).is_ok());
        }
        (Some(Overlay::Listing(list)), EditVerb::Revert) => {
            return matches!(list.selected, Some(Item::Effect(seq)) if compensate_of(&model.run.state, seq).is_ok());
        }
        (Some(_), _) => return true,
        (None, _) => {}
    }
    let state = &model.run.state;
    match verb {
        EditVerb::Undo => crate::domain::branch::undo_target(state).is_some(),
        EditVerb::Redo => crate::domain::branch::redo_target(state).is_some(),
        EditVerb::Branches | EditVerb::BranchMark => state.epoch.0 > 0,
        EditVerb::BranchSwitch | EditVerb::BranchCompare => {
            on_branch(model, |epoch| epoch != branch::current(state))
        }
        EditVerb::BranchCopy => on_branch(model, |epoch| epoch != branch::current(state)) && kind.is_some(),
        EditVerb::BranchName => on_branch(model, |epoch| epoch.0 > 0),
        EditVerb::StagedEdits | EditVerb::StagedPreview => !model.staged_edits.is_empty(),
        EditVerb::Node => {
            counts && kind.is_some_and(|kind| !matches!(kind, NodeKind::Repair | NodeKind::Intervention))
        }
        EditVerb::Replace => status.is_some(),
        EditVerb::Answer => status.is_some_and(|status| {
            !matches!(status, Status::Succeeded | Status::Exited(_) | Status::Failed(_))
        }),
        EditVerb::Observation => matches!(
            status,
            Some(Status::Succeeded | Status::Exited(_) | Status::Failed(_))
        ),
        EditVerb::Unpin => match model.inspector.subject {
            Some(Subject::Pick(Pick::Node(id))) => model
                .run
                .state
                .node(id.observation())
                .is_some_and(|node| node.pinned),
            _ => false,
        },
        _ => true,
    }
}

/// Whether the selected call has an offered repair.
fn offers(model: &Model) -> bool {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return false;
    };
    let call = model.run.state.call(id.call());
    call.and_then(Call::offered)
        .is_some_and(|offered| !offered.is_empty())
}
