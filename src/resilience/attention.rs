//! Explains why a run needs a person now, which calls it concerns, and what was tried.
//!
//! Must not know: who is notified, how.
//!
//! Derived from the state, so the screen and external notifications say the same. Contains
//! untrusted text: pass it through `overrule_base::text` before showing it.

mod branch;

pub use branch::{Branch, leave};

use std::sync::Arc;

use overrule_domain::breaker::Phase;
use overrule_domain::call::{Call, Decision, Outcome, Status};
use overrule_domain::escape::pause::waits_for_operator;
use overrule_domain::escape::{Incident, LoopStep, Step, StepOutcome, args_hash};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::ladder::{Round, Stage, shut};
use overrule_domain::node::Node;
use overrule_domain::pending_retry::{self, Until};
use overrule_domain::reduction;
use overrule_domain::state::{Mode, State};
use overrule_domain::thread;
use overrule_domain::turn::{Stream, Turn};

/// Maximum number of calls that are listed, and of lines for each call.
const MOST: usize = 8;
/// Maximum number of nodes of a turn that are searched for the repetition, because this is asked in every
/// frame.
const LOOKED_AT: usize = 64;
/// Maximum number of characters of an error message in a line.
const MESSAGE: usize = 200;

/// Why a person is needed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttentionReason {
    /// A restore of files was interrupted: nothing is launched before a person decides about it.
    Restore(NodeId),
    /// A loop continued until the run was stopped.
    Stopped,
    /// The run is in a loop; this incident waits for a person.
    Loop(u32),
    /// A limit was reached.
    Limit,
    /// The stream of a turn broke and is not requested again automatically.
    Stream(TurnId),
    /// A person has to choose among repairs.
    Repair,
    /// Calls wait for a decision.
    Calls,
    /// Everything that is left waits for a breaker.
    Breaker,
    /// Everything that is left waits for an uncommitted edit.
    Edit,
    /// The operator paused or stopped the run.
    Own,
}

impl AttentionReason {
    /// Returns its name, for programs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Restore(_) => "restore",
            Self::Stopped => "stopped",
            Self::Loop(_) => "loop",
            Self::Limit => "limit",
            Self::Stream(_) => "stream",
            Self::Repair => "repair",
            Self::Calls => "calls",
            Self::Breaker => "breaker",
            Self::Edit => "edit",
            Self::Own => "own",
        }
    }
}

/// A run that does not continue without a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    /// The cause.
    pub cause: AttentionReason,
    /// The cause as a sentence.
    pub reason: String,
    /// The calls that it concerns, the most urgent first.
    pub calls: Vec<NodeId>,
}

/// Returns why the run needs a person now. `None` while it works, once it has its answer, and if
/// the operator stopped it.
pub fn need(state: &State) -> Option<Attention> {
    if let Some(need) = restore(state) {
        return Some(need);
    }
    match &state.mode {
        Mode::Finished(_) => None,
        Mode::Stopped(reason) => {
            let ended = |one: &&Incident| one.steps.last().is_some_and(|step| step.kind == LoopStep::Stop);
            let incident = state.learned.escape.incidents.last().filter(ended)?;
            reason.starts_with("loop ").then(|| Attention {
                cause: AttentionReason::Stopped,
                reason: format!("the run was stopped: {reason}"),
                calls: calls_of(state, incident),
            })
        }
        Mode::Paused(_) => paused(state),
        Mode::Running => broken(state).or_else(|| calls(state)).or_else(|| held(state)),
    }
}

/// Returns why nothing continues: why a person is needed, or which action of the operator stops the
/// run. The latter sends no notification, but is shown on request.
pub fn standstill(state: &State) -> Option<Attention> {
    need(state).or_else(|| match &state.mode {
        Mode::Running => edited(state),
        Mode::Paused(why) => Some(own(state, "paused: nothing is started", why)),
        Mode::Stopped(why) => Some(own(state, "stopped", why)),
        Mode::Finished(_) => None,
    })
}

fn own(state: &State, how: &str, why: &str) -> Attention {
    Attention {
        cause: AttentionReason::Own,
        reason: format!("the run is {how} ({why})"),
        calls: waiting(state).iter().map(|call| call.id).collect(),
    }
}

/// Returns the calls that a repetition concerns, newest first: those of the newest turn that repeat
/// it, then the calls by which it was found. Superseded calls are included only if there are no
/// others.
pub fn calls_of(state: &State, incident: &Incident) -> Vec<NodeId> {
    let finding = &incident.finding;
    let counts = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    let similar = |id: &NodeId| {
        let Some((tool, args)) = state.nodes.get(id).and_then(Node::as_call) else {
            return false;
        };
        let same_args =
            |known: &Option<Arc<str>>| known.as_ref().is_none_or(|known| *known == args_hash(args));
        let signatures = &finding.signatures;
        signatures
            .iter()
            .any(|one| one.tool == *tool && same_args(&one.args))
    };
    let newest = state.turns_of(finding.thread).rev().find(|turn| turn.is_active());
    let since = newest
        .into_iter()
        .flat_map(|turn| turn.nodes.iter().rev().take(LOOKED_AT));
    let mut calls: Vec<NodeId> = since
        .filter(|id| id.kind == NodeKind::Call && counts(id) && similar(id))
        .copied()
        .collect();
    for id in finding.nodes.iter().rev().filter(|id| counts(id)) {
        if !calls.contains(id) {
            calls.push(*id);
        }
    }
    if calls.is_empty() {
        calls.extend(finding.nodes.iter().rev());
    }
    calls
}

fn restore(state: &State) -> Option<Attention> {
    let record = state.operator.files.open().filter(|record| record.interrupted)?;
    let restore = record.started.restore;
    let paths = match record.started.steps.0.len() {
        1 => "1 path".to_owned(),
        count => format!("{count} paths"),
    };
    Some(Attention {
        cause: AttentionReason::Restore(restore),
        reason: format!("the restore {restore} of {paths} was interrupted"),
        calls: Vec::new(),
    })
}

fn paused(state: &State) -> Option<Attention> {
    if let Some((which, message)) = &state.tally.limit_reached {
        return Some(Attention {
            cause: AttentionReason::Limit,
            reason: format!("the limit of {which} is reached: {message}"),
            calls: Vec::new(),
        });
    }
    let mut incidents = state.learned.escape.incidents.iter().rev();
    let incident = incidents.find(|one| waits_for_operator(state, one))?;
    Some(Attention {
        cause: AttentionReason::Loop(incident.no),
        reason: format!("possible loop: {}", incident.finding.describe()),
        calls: calls_of(state, incident),
    })
}

fn broken(state: &State) -> Option<Attention> {
    let (turn, fault) = pending_retry::left(state).next()?;
    Some(Attention {
        cause: AttentionReason::Stream(turn.id),
        reason: format!("{} {}", turn.id, fault.describe()),
        calls: Vec::new(),
    })
}

/// Returns the calls that wait for a decision, in order.
fn waiting(state: &State) -> Vec<&Call> {
    let asks = |call: &&Call| {
        let counts = state
            .turn_of(call.id)
            .is_some_and(|turn| thread::acts(state, turn));
        let mut decisions = call.decisions.iter().map(|(_, _, decision)| &**decision);
        let over = |decision: &Decision| matches!(decision, Decision::Expire { .. });
        counts && call.status.needs_operator() && !decisions.any(over)
    };
    state.queue().filter(asks).collect()
}

fn calls(state: &State) -> Option<Attention> {
    let waiting = waiting(state);
    let first = waiting.first()?;
    let choosing = waiting
        .iter()
        .all(|call| call.status == Status::Repairing(Stage::Choosing));
    let (cause, what) = if choosing {
        (AttentionReason::Repair, "a repair to be chosen")
    } else {
        (AttentionReason::Calls, "your decision")
    };
    let name = named(state, first.id);
    let reason = match waiting.len() {
        1 => format!("{name} waits for {what} ({})", first.status.base_label()),
        count => format!("{name} and {} more wait for {what}", count - 1),
    };
    Some(Attention {
        cause,
        reason,
        calls: waiting.iter().map(|call| call.id).collect(),
    })
}

/// Returns the need if nothing runs or is requested and what is left waits for a breaker.
fn held(state: &State) -> Option<Attention> {
    let agenda = &state.agenda;
    if works(state) || agenda.queued.is_empty() {
        return None;
    }
    let mut held = Vec::new();
    let mut why = None;
    for id in &agenda.queued {
        let (scope, breaker) = shut(state, state.calls.get(id)?)?;
        if breaker.phase != Phase::Open {
            return None;
        }
        held.push(*id);
        why.get_or_insert_with(|| format!("the breaker of {scope} is open ({})", breaker.why));
    }
    Some(Attention {
        cause: AttentionReason::Breaker,
        reason: format!("{}: nothing else is left to do", why?),
        calls: held,
    })
}

/// Returns true if something continues by itself.
fn works(state: &State) -> bool {
    let asking = |turn: &Turn| turn.stream == Stream::Open && turn.asked > 0;
    let agenda = &state.agenda;
    let open = agenda.open.iter().filter_map(|id| state.turns.get(id));
    let runs = !agenda.running.is_empty() || !agenda.delayed.is_empty() || !agenda.repairing.is_empty();
    let sums_up = reduction::summary::open(state).is_some();
    runs || sums_up || open.into_iter().any(asking)
}

/// Returns the need if nothing runs or is requested and what is left waits for an uncommitted edit.
fn edited(state: &State) -> Option<Attention> {
    let edit = *state.operator.editing.keys().next()?;
    if works(state) {
        return None;
    }
    let held = |id: &&NodeId| thread::is_held(state, **id);
    let calls: Vec<NodeId> = state.agenda.queued.iter().filter(held).copied().collect();
    // The model is asked only once every turn is settled. A broken turn is asked again only after
    // the edit.
    let asks = || {
        let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
        let held = |turn: &Turn| pending_retry::of(state, turn).is_some_and(|one| one.until == Until::Edit);
        open.filter(|turn| turn.is_active()).all(held) && thread::waits_for_editor(state, thread::ROOT)
    };
    let reason = match calls.as_slice() {
        [] if !asks() => return None,
        [] => format!("the model is not asked before the edit of {edit} is committed or discarded"),
        [call] => format!(
            "{} waits for the edit of {edit}, which is not committed",
            named(state, *call)
        ),
        [call, more @ ..] => format!(
            "{} and {} more wait for edits that are not committed, the first of {edit}",
            named(state, *call),
            more.len()
        ),
    };
    Some(Attention {
        cause: AttentionReason::Edit,
        reason,
        calls,
    })
}

/// Formats a call as its number and tool.
fn named(state: &State, id: NodeId) -> String {
    let tool = state.nodes.get(&id).and_then(Node::as_call).map(|(tool, _)| tool);
    tool.map_or_else(|| id.to_string(), |tool| format!("{id} {tool}"))
}

/// Returns what was tried so far about a need, one line each, oldest first.
pub fn attempts(state: &State, need: &Attention) -> Vec<String> {
    let mut lines = Vec::new();
    if let AttentionReason::Loop(no) = need.cause
        && let Some(incident) = state.learned.escape.incident(no)
    {
        lines.extend(incident.steps.iter().map(step));
        return lines;
    }
    match &need.cause {
        AttentionReason::Stopped => {
            let incident = state.learned.escape.incidents.last();
            lines.extend(incident.into_iter().flat_map(|one| &one.steps).map(step));
        }
        AttentionReason::Limit => lines.push(format!("the model was asked {}", times(state.tally.requests))),
        AttentionReason::Stream(turn) => {
            let asked = state.turns.get(turn).map_or(0, |turn| turn.asked);
            lines.push(format!("{turn} was asked for {}", times(asked)));
        }
        AttentionReason::Breaker => {
            let open = state
                .learned
                .breakers
                .iter()
                .filter(|(_, one)| one.phase == Phase::Open);
            lines
                .extend(open.map(|(scope, one)| format!("{scope} opened {}: {}", times(one.trips), one.why)));
        }
        AttentionReason::Restore(_)
        | AttentionReason::Loop(_)
        | AttentionReason::Repair
        | AttentionReason::Calls
        | AttentionReason::Edit
        | AttentionReason::Own => {}
    }
    if need.cause != AttentionReason::Stopped {
        for call in need.calls.iter().take(MOST).filter_map(|id| state.calls.get(id)) {
            lines.extend(of_call(call));
        }
    }
    lines
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

fn step(step: &Step) -> String {
    let source = step.outcome.map_or("no outcome yet", StepOutcome::label);
    format!("{} {}: {source}", step.node, step.kind.describe())
}

/// Returns the newest few executions and rounds of repair of a call.
fn of_call(call: &Call) -> Vec<String> {
    let id = call.id;
    let ran = call.attempts.iter().map(|one| {
        let source = match &one.outcome {
            None => "outcome unknown".to_owned(),
            Some(Outcome::Ok { exit: Some(code), .. }) => format!("exit {code}"),
            Some(Outcome::Ok { .. }) => "ok".to_owned(),
            Some(Outcome::Err(error)) => {
                let message: String = error.message.chars().take(MESSAGE).collect();
                format!("{}: {message}", error.class.ending())
            }
            Some(Outcome::Cancelled { .. }) => "cancelled".to_owned(),
        };
        (one.intent, format!("{id} {} {}: {source}", one.rev, one.no))
    });
    let rounds = call
        .failure
        .repairs
        .iter()
        .map(|round| (round.seq, format!("{id} {}", repaired(round))));
    let mut all: Vec<_> = ran.chain(rounds).collect();
    all.sort_by_key(|(seq, _)| *seq);
    let from = all.len().saturating_sub(MOST);
    all.into_iter().skip(from).map(|(_, line)| line).collect()
}

fn repaired(round: &Round) -> String {
    let (no, of) = (round.no, round.of);
    if !round.changes.is_empty() {
        let changes: Vec<&str> = round.changes.iter().map(|one| &*one.why).collect();
        return format!("repair {no} of {of}: {}", changes.join("; "));
    }
    if let Some(why) = &round.gave_up {
        return format!("repair {no} of {of} gave up: {why}");
    }
    match round.options.len() {
        0 => format!("repair {no} of {of} is running"),
        count => format!("repair {no} of {of}: {count} to choose from"),
    }
}
