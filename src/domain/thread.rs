//! Threads: the root's line of turns, and one for the sub-agent of each delegated call.
//!
//! Must not know: why a call was delegated, who decides.
//!
//! A sub-agent's thread belongs to one execution of its call. If that call is suspended or
//! superseded, so is the whole thread.

mod child;

use std::sync::Arc;

use super::advice::Advice;
use super::call::{Call, Status};
use super::event::run::ToolCard;
use super::id::{NodeId, NodeKind, Seq, ThreadId, TurnId};
use super::node::{Content, Node};
use super::state::State;
use super::turn::{Activity, Producer, Turn};

pub use child::Child;

/// The thread that a run begins with.
pub const ROOT: ThreadId = ThreadId(0);
/// Sub-agents below the root: one of the last level cannot delegate.
pub const DEEPEST: u32 = 3;

/// The thread of a turn that a node stands in; the root's where that is not known.
pub fn of(state: &State, node: NodeId) -> ThreadId {
    state.turn_of(node).map_or(ROOT, |turn| turn.thread)
}

/// Returns the sub-agent of the current execution of a call.
pub fn child_of<'s>(state: &'s State, call: &Call) -> Option<&'s Child> {
    let threads = call.attempts.iter().rev().filter_map(|attempt| attempt.thread);
    threads
        .filter_map(|thread| state.threads.children.get(&thread))
        .find(|child| is_active(state, child))
}

/// Returns the sub-agents of all executions of a call, if they have active turns.
fn children_of<'s>(state: &'s State, call: &'s Call) -> impl Iterator<Item = &'s Child> {
    let threads = call.attempts.iter().filter_map(|attempt| attempt.thread);
    threads
        .filter(|thread| state.agenda.children.contains(thread))
        .filter_map(|thread| state.threads.children.get(&thread))
}

/// Returns true if the execution that a sub-agent works for is the current one: it is running, or
/// its result is the call's.
pub fn is_active(state: &State, child: &Child) -> bool {
    let (Some(node), Some(call)) = (state.nodes.get(&child.call), state.calls.get(&child.call)) else {
        return false;
    };
    let gave = |node: &Node| matches!(&node.now().content, Content::Observation { attempt, .. } if *attempt == child.attempt);
    let counts = match &call.status {
        Status::Running(attempt) => *attempt == child.attempt,
        Status::Succeeded | Status::Exited(_) | Status::Failed(_) => {
            state.observation(child.call).is_some_and(gave)
        }
        _ => false,
    };
    node.active && node.rev() == child.rev && counts
}

/// Returns whether a turn is active, considering everything that it depends on.
pub fn activity(state: &State, turn: &Turn) -> Activity {
    let mut found = turn.activity;
    let mut thread = turn.thread;
    while let Some(child) = state.threads.children.get(&thread) {
        if matches!(found, Activity::Superseded(_)) {
            break;
        }
        let above = match state.turn_of(child.call) {
            Some(above) if is_active(state, child) => above.activity,
            _ => Activity::Superseded(Seq(0)),
        };
        if above != Activity::Active {
            found = above;
        }
        thread = child.parent;
    }
    found
}

/// Returns true if a turn and everything that it depends on are active.
pub fn acts(state: &State, turn: &Turn) -> bool {
    turn.is_active() && (turn.thread == ROOT || activity(state, turn) == Activity::Active)
}

/// Returns true if a call may act: its turn is active and not suspended, and so is every turn it depends
/// on.
pub fn call_acts(state: &State, call: NodeId) -> bool {
    state.turn_of(call).is_some_and(|turn| acts(state, turn))
}

/// The threads that have something to do: the root, and sub-agents at work in turns that are not
/// suspended.
pub fn at_work(state: &State) -> impl Iterator<Item = ThreadId> {
    let working = state.agenda.delegates.iter().filter_map(|id| {
        let call = state.calls.get(id)?;
        let acts = state.turn_of(*id).is_some_and(|turn| acts(state, turn));
        acts.then(|| child_of(state, call).map(|child| child.thread))?
    });
    std::iter::once(ROOT).chain(working)
}

/// The delegated calls that a thread works for, the nearest first.
pub fn above(state: &State, thread: ThreadId) -> impl Iterator<Item = &Child> {
    std::iter::successors(state.threads.children.get(&thread), |child| {
        state.threads.children.get(&child.parent)
    })
}

/// The delegated calls that a node works for, the outermost first.
pub fn path(state: &State, node: NodeId) -> Vec<NodeId> {
    let mut path: Vec<NodeId> = above(state, of(state, node)).map(|child| child.call).collect();
    path.reverse();
    path
}

/// A node by its id, with the calls before it that its sub-agent works for: `c4 > c9`.
pub fn named(state: &State, node: NodeId) -> String {
    let above = path(state, node);
    let ids = above.into_iter().chain(std::iter::once(node));
    ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" > ")
}

/// Sub-agents between the root and a thread, its own counted.
pub fn depth(state: &State, thread: ThreadId) -> u32 {
    state.threads.children.get(&thread).map_or(0, |child| child.depth)
}

/// A result above a thread that a person wrote: nothing that the sub-agent does can change it.
pub fn pinned_above(state: &State, thread: ThreadId) -> Option<NodeId> {
    above(state, thread)
        .map(|child| child.call.observation())
        .find(|id| state.nodes.get(id).is_some_and(|node| node.active && node.pinned))
}

/// Returns true if an open editor suspends a call, or a delegated call above it.
pub fn is_held(state: &State, call: NodeId) -> bool {
    let held = &state.operator.held;
    !held.is_empty()
        && (held.contains(&call) || above(state, of(state, call)).any(|child| held.contains(&child.call)))
}

/// Returns true if an open editor suspends the next request of a thread: the edit may change its
/// context, or end it.
pub fn waits_for_editor(state: &State, thread: ThreadId) -> bool {
    let inside = |editing: &NodeId| {
        let edited = of(state, *editing);
        edited == thread || above(state, edited).any(|child| child.parent == thread)
    };
    let held = |child: &Child| state.operator.held.contains(&child.call);
    state.operator.editing.keys().any(inside) || above(state, thread).any(held)
}

/// Returns an earlier turn of the thread that has not ended: the model cannot be asked before its
/// results are known.
pub fn open_before(state: &State, turn: &Turn) -> Option<TurnId> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter(|one| one.is_active() && one.thread == turn.thread && one.pos < turn.pos)
        .min_by_key(|one| one.pos)
        .map(|one| one.id)
}

/// Number of whole replies of the model before a place of a thread, without superseded ones. A turn split at a thought is not
/// whole: the next one continues it. Those in the known prefix of the context are counted already.
pub fn replies_before(state: &State, thread: ThreadId, place: usize) -> u32 {
    let line = state.threads.turns.get(&thread).map_or(&[][..], Vec::as_slice);
    let known = state.threads.context_prefixes.get(&thread);
    let known = known.filter(|known| known.end as usize <= place);
    let (from, before) = known.map_or((0, 0), |known| (known.end as usize, known.replies));
    let rest = line.get(from..place).unwrap_or_default().iter();
    let whole = rest
        .filter_map(|id| state.turns.get(id))
        .filter(|turn| turn.reply > 0 && !turn.split && !matches!(turn.activity, Activity::Superseded(_)));
    u32::try_from(whole.count()).map_or(u32::MAX, |rest| before.saturating_add(rest))
}

/// The suspended turns of a thread, in order. A known prefix of the context without one is not read.
pub fn suspended(state: &State, thread: ThreadId) -> Vec<&Turn> {
    let known = state.threads.context_prefixes.get(&thread);
    let first = known
        .filter(|known| !known.has_suspended)
        .map_or(0, |known| known.end);
    let newest = state.turns_of(thread).rev().take_while(|turn| turn.pos >= first);
    let mut held: Vec<&Turn> = newest
        .filter(|turn| matches!(turn.activity, Activity::Suspended(_)))
        .collect();
    held.reverse();
    held
}

/// Number of active and suspended turns that a thread's model was asked for.
pub fn turns_used(state: &State, thread: ThreadId) -> u32 {
    let model = |turn: &&Turn| turn.producer == Producer::Model;
    state.turns_of(thread).filter(model).count() as u32
}

/// The kind of task that a call is made for, by the newest text of its thread that names one.
pub fn task(state: &State, advice: &dyn Advice, call: &Node) -> Option<Arc<str>> {
    let turn = state.turns.get(&call.turn)?;
    task_until(state, advice, turn.thread, turn.pos)
}

/// The kind of task that the next request of a thread is made for.
pub fn task_of(state: &State, advice: &dyn Advice, thread: ThreadId) -> Option<Arc<str>> {
    task_until(state, advice, thread, u32::MAX)
}

fn task_until(state: &State, advice: &dyn Advice, thread: ThreadId, pos: u32) -> Option<Arc<str>> {
    // What the model streams holds no prompts, and may be long.
    let spoken = |turn: &&Turn| turn.pos <= pos && turn.producer != Producer::Model;
    let nodes = state
        .turns_of(thread)
        .rev()
        .filter(spoken)
        .flat_map(|turn| turn.nodes.iter().rev());
    let prompts = nodes
        .filter(|id| id.kind == NodeKind::Prompt)
        .filter_map(|id| state.nodes.get(id));
    prompts
        .filter(|node| node.active)
        .find_map(|node| advice.task(node.text()))
}

/// The tools that a thread is given, in order, whatever they have done.
pub fn given(state: &State, thread: ThreadId) -> Vec<ToolCard> {
    let all = state.started.as_ref().map_or(&[][..], |started| &started.tools);
    match state.threads.children.get(&thread) {
        None => all.to_vec(),
        Some(child) => all
            .iter()
            .filter(|card| child.tools.contains(&card.name))
            .cloned()
            .collect(),
    }
}

/// The tools that a thread's model is offered, in order: those that keep failing come last, with a
/// note.
pub fn tools(state: &State, thread: ThreadId) -> Vec<ToolCard> {
    let mut tools = given(state, thread);
    for one in state.learned.weights.offers.get(&thread).into_iter().flatten() {
        let Some(at) = tools.iter().position(|card| card.name == one.tool) else {
            continue;
        };
        let mut card = tools.remove(at);
        if let Some(note) = &one.note {
            card.description = Arc::from(format!("{} {note}", card.description));
        }
        if !one.hidden {
            tools.push(card);
        }
    }
    tools
}

/// Returns the system text of a thread's model.
pub fn system(state: &State, thread: ThreadId) -> Arc<str> {
    let Some(started) = &state.started else {
        return Arc::from("");
    };
    if thread == ROOT {
        return started.system.clone();
    }
    Arc::from(format!("{}\n\n{SUB_AGENT}", started.system))
}

const SUB_AGENT: &str = "\
You are a sub-agent: another agent gave you the task below, and your answer in plain text is what it \
gets. It sees nothing else of your work, and you see nothing of its work but what stands in the task: \
your references reach your own calls only. Answer completely and to the point.";

/// Everything below calls through their sub-agents: active turns, and their nodes.
pub fn under(state: &State, calls: impl IntoIterator<Item = NodeId>) -> (Vec<TurnId>, Vec<NodeId>) {
    let (mut turns, mut nodes) = (Vec::new(), Vec::new());
    if state.agenda.children.is_empty() {
        return (turns, nodes);
    }
    let mut open: Vec<NodeId> = calls.into_iter().filter(|id| id.kind == NodeKind::Call).collect();
    while let Some(call) = open.pop().and_then(|id| state.calls.get(&id)) {
        for child in children_of(state, call) {
            for turn in state.turns_of(child.thread) {
                turns.push(turn.id);
                nodes.extend(turn.nodes.iter().copied());
                open.extend(turn.nodes.iter().filter(|id| id.kind == NodeKind::Call));
            }
        }
    }
    (turns, nodes)
}
