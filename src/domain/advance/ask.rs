//! Decides what follows the last turn: an answer ends the run, anything else asks the model.
//!
//! Must not know: wire formats.
//!
//! Respects the limits. Suspended turns are restored or superseded here.

use super::output::{self, AnswerCheck};
use super::{correction, delegate, escape, reduce};
use crate::advice::Advice;
use crate::branch::recall::recorded_reply;
use crate::breaker::Breaker;
use crate::breaker::of_run;
use crate::budget;
use crate::draft::Draft;
use crate::escape::open_step;
use crate::event::{Event, RunEvent, TurnEvent, WeightEvent};
use crate::id::{Epoch, NodeId, NodeKind, ThreadId};
use crate::invalidation;
use crate::request;
use crate::retry_wait;
use crate::state::{Mode, State};
use crate::thread;
use crate::transcript::build::{self};
use crate::transcript::hash::{context_hash, context_hash_of, request_hash};
use crate::turn::{Activity, Stream, StreamFaultKind, Turn};

/// Each thread continues by itself as soon as its own turns have ended.
pub(super) fn ask(draft: &mut Draft<'_>, advice: &dyn Advice) {
    for thread in thread::at_work(draft.state) {
        resume(draft, advice, thread);
        if !draft.events.is_empty() {
            return;
        }
    }
}

fn resume(draft: &mut Draft<'_>, advice: &dyn Advice, thread: ThreadId) {
    // The open edit would supersede the answer to a request made now.
    let allowed = !thread::waits_for_editor(draft.state, thread)
        && draft.state.tally.limit_reached.is_none()
        && reachable(draft.state)
        && match draft.state.mode {
            Mode::Running => true,
            Mode::Paused(_) => draft.state.settings.step,
            Mode::Stopped(_) | Mode::Finished(_) => false,
        };
    if retry_broken(draft, thread, allowed)
        || allowed && reduce::by_rule(draft, thread)
        || !all_settled(draft.state, thread)
    {
        return;
    }
    let Some(last) = draft.state.turns_of(thread).rfind(|turn| turn.is_active()) else {
        return;
    };
    if held_turns(draft, last) {
        return;
    }
    let child = draft.state.threads.children.get(&thread);
    let mut answer = answer_of(draft.state, last);
    if let Some(id) = answer.filter(|_| child.is_none()) {
        match output::check_answer(draft, advice, last, id) {
            AnswerCheck::Accepted => {}
            AnswerCheck::Back => answer = None,
            AnswerCheck::Noted => return,
        }
    }
    if (allowed || answer.is_some()) && escape::look(draft, advice, thread, answer.is_some()) {
        return;
    }
    if let Some(answer) = answer {
        if let Some(child) = child {
            delegate::answered(draft, child, answer);
            return;
        }
        correction::report_lost(draft, None);
        let failed = crate::transcript::result::errors(draft.state, &last.nodes);
        draft.run(RunEvent::Finished { answer, failed });
        return;
    }
    if !allowed {
        return;
    }
    // Read the whole context once, for the recorded reply and for the request.
    let context = context_hash(draft.state, thread, None);
    if reuse_reply(draft, last, &context)
        || child.is_some_and(|child| delegate::spent(draft, child))
        || budget::limited(draft)
        || reduce::reduced(draft, thread)
    {
        return;
    }
    if offered(draft, advice, thread) {
        return;
    }
    let turn = draft.turn();
    let after = Some(last.id);
    let event = request::requested_with(draft.state, (turn, thread, after), 1, context);
    draft.turn_event(event);
}

/// True if the next request must offer other tools than the one before. The offer is recorded
/// first.
fn offered(draft: &mut Draft<'_>, advice: &dyn Advice, thread: ThreadId) -> bool {
    let state = draft.state;
    let task = thread::task_of(state, advice, thread);
    let tools = advice.offer(task.as_deref(), &thread::given(state, thread));
    let now = state
        .learned
        .weights
        .offers
        .get(&thread)
        .map_or(&[][..], Vec::as_slice);
    if tools == now {
        return false;
    }
    draft
        .events
        .push(Event::Weight(WeightEvent::Offered { thread, tools }));
    true
}

/// Reuses the recorded reply to an equal request after an edit. The first request of a thread is
/// always made.
fn reuse_reply(draft: &mut Draft<'_>, last: &Turn, context: &str) -> bool {
    let state = draft.state;
    let was_asked = |turn: &Turn| turn.is_active() && turn.asked > 0;
    let target = state
        .started
        .as_ref()
        .is_some_and(|started| started.reuse.replies);
    // The recorded reply was made without the notice that is due now.
    let target = target && !open_step::has_notice(state, last.thread);
    if !target || state.epoch == Epoch(0) || !state.turns_of(last.thread).any(was_asked) {
        return false;
    }
    let hash = request_hash(
        state,
        last.thread,
        context,
        request::is_last(state, last.thread, true),
    );
    let Some((turn, of)) = recorded_reply(state, last, &hash) else {
        return false;
    };
    draft.turn_event(TurnEvent::Revived { turn, of });
    true
}

/// True unless the breaker of the model's endpoint is open.
fn reachable(state: &State) -> bool {
    let breaker = of_run::endpoint(state).and_then(|scope| state.learned.breakers.get(&scope));
    breaker.is_none_or(Breaker::admits)
}

fn all_settled(state: &State, thread: ThreadId) -> bool {
    state.agenda.open.iter().all(|id| {
        state
            .turns
            .get(id)
            .is_none_or(|turn| turn.thread != thread || matches!(turn.activity, Activity::Suspended(_)))
    })
}

fn answer_of(state: &State, turn: &Turn) -> Option<NodeId> {
    turn.nodes
        .iter()
        .rev()
        .find(|id| id.kind == NodeKind::Answer && state.nodes.get(id).is_some_and(|node| node.active))
        .copied()
}

/// Retries broken turns that need no decision: cut by a crash, empty once, or a passing fault
/// before a complete block. A wait is recorded before its request, so that an unsent request does
/// not count.
fn retry_broken(draft: &mut Draft<'_>, thread: ThreadId, allowed: bool) -> bool {
    if matches!(draft.state.mode, Mode::Stopped(_) | Mode::Finished(_)) {
        return false;
    }
    for id in &draft.state.agenda.open {
        let here = |turn: &&Turn| turn.thread == thread && turn.is_active();
        let Some(turn) = draft.state.turns.get(id).filter(here) else {
            continue;
        };
        if output::rewritten(draft, turn) {
            return true;
        }
        let Stream::Broken(fault) = &turn.stream else {
            continue;
        };
        let Some(wait_ms) = retry_wait::retry_after(draft.state, turn, fault) else {
            continue;
        };
        match &turn.more.held {
            None if wait_ms > 0 => {
                let outage = turn.more.outage;
                let (no, of) = match fault.kind {
                    StreamFaultKind::Truncated => {
                        (outage.map_or(1, |outage| outage.cut), retry_wait::CUT_RETRIES)
                    }
                    // Time is the limit.
                    _ => (outage.map_or(turn.asked, |outage| outage.broke), 0),
                };
                draft.turn_event(TurnEvent::RetryScheduled {
                    turn: *id,
                    no,
                    of,
                    wait_ms,
                    why: fault.kind.label().into(),
                });
                return true;
            }
            Some(held) if held.left_ms > 0 => continue,
            _ => {}
        }
        // An edit that kept later turns may have reopened an earlier one.
        if !allowed || thread::open_before(draft.state, turn).is_some() {
            continue;
        }
        if budget::limited(draft) {
            return true;
        }
        let events = request::request_again(draft.state, *id);
        draft.events.extend(events);
        return true;
    }
    false
}

/// Restores suspended turns if their requests would be the same, and supersedes them otherwise.
/// True if it decided something.
fn held_turns(draft: &mut Draft<'_>, last: &Turn) -> bool {
    let held = thread::suspended(draft.state, last.thread);
    if held.is_empty() {
        return false;
    }
    // Inserted turns read nothing: the first request decides for all turns after it.
    let same = held
        .iter()
        .find(|turn| turn.context.is_some() && !turn.drifted)
        .is_none_or(|first| {
            let condition = build::TurnScope::WithHeld;
            let now = context_hash_of(draft.state, first.thread, Some(first.id), condition);
            first.context.as_ref() == Some(&now)
        });
    if same {
        // Turns after an unfinished turn wait for it.
        let open = held.iter().position(|turn| !turn.settled);
        let status = open.map_or(held.len(), |open| open + 1);
        let turns = held.iter().take(status).map(|turn| turn.id).collect();
        draft.turn_event(TurnEvent::Restored { turns });
    } else {
        let turns = held.iter().map(|turn| turn.id).collect();
        invalidation::supersede_turns(draft, turns);
    }
    true
}
