//! Decides what follows the last turn: an answer ends the run, anything else asks the model.
//!
//! Must not know: wire formats.
//!
//! Respects the limits. Suspended turns are restored or superseded here.

use std::sync::Arc;

use super::output::{self, AnswerCheck};
use super::{correction, delegate, escape, warn};
use crate::advice::Advice;
use crate::branch::recall::recorded_reply;
use crate::breaker::{self, Breaker};
use crate::decide::reduce::reduce_by_rule;
use crate::draft::Draft;
use crate::escape::open_step;
use crate::event::run::Reduction;
use crate::event::{Event, RunEvent, TurnEvent, WeightEvent};
use crate::id::{Epoch, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use crate::invalidation;
use crate::pending_retry;
use crate::reduction::{self, summary};
use crate::repair::Passing;
use crate::state::{Mode, State};
use crate::thread;
use crate::transcript::build::{self, Piece};
use crate::transcript::hash::{context_hash, context_hash_of, request_hash};
use crate::turn::{Activity, Stop, Stream, StreamFault, StreamFaultKind, Turn};

/// First delay in milliseconds; doubles with each retry.
const FIRST_DELAY_MS: u64 = 1_000;
/// The longest delay in milliseconds.
const LONGEST_DELAY_MS: u64 = 60_000;
/// The longest wait in milliseconds that a server may ask for, beyond the time for which a model is waited for.
const LONGEST_ASKED_MS: u64 = 3_600_000;
/// Retries of a reply that is cut off each time.
const CUT_RETRIES: u32 = 4;
/// First delay in milliseconds after a reply that was cut off; doubles with each.
const FIRST_CUT_DELAY_MS: u64 = 200;

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
        || allowed && reduce_by_rule(draft, thread)
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
        || limited(draft)
        || reduced(draft, thread)
    {
        return;
    }
    if offered(draft, advice, thread) {
        return;
    }
    let turn = draft.turn();
    let after = Some(last.id);
    let event = requested_with(draft.state, (turn, thread, after), 1, context);
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
    let hash = request_hash(state, last.thread, context, is_last(state, last.thread, true));
    let Some((turn, of)) = recorded_reply(state, last, &hash) else {
        return false;
    };
    draft.turn_event(TurnEvent::Revived { turn, of });
    true
}

/// True unless the breaker of the model's endpoint is open.
fn reachable(state: &State) -> bool {
    let breaker = breaker::endpoint(state).and_then(|scope| state.learned.breakers.get(&scope));
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
        let Some(wait_ms) = retry_after(draft.state, turn, fault) else {
            continue;
        };
        match &turn.more.held {
            None if wait_ms > 0 => {
                let outage = turn.more.outage;
                let (no, of) = match fault.kind {
                    StreamFaultKind::Truncated => (outage.map_or(1, |outage| outage.cut), CUT_RETRIES),
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
        if limited(draft) {
            return true;
        }
        let events = request_again(draft.state, *id);
        draft.events.extend(events);
        return true;
    }
    false
}

/// Milliseconds to wait before the retry of a broken turn; none leaves it to the operator.
pub fn retry_after(state: &State, turn: &Turn, fault: &StreamFault) -> Option<u64> {
    if fault.kind == StreamFaultKind::Crash {
        return Some(0);
    }
    if fault.kind == StreamFaultKind::Empty {
        return (turn.asked < 2).then_some(0);
    }
    let nothing_whole = pending_retry::blocks(state, turn).next().is_none();
    if !fault.kind.is_transient() || !nothing_whole {
        return None;
    }
    // A turn that came back from another branch begins anew.
    let outage = turn.more.outage;
    let salt = u64::from(turn.id.0);
    if fault.kind == StreamFaultKind::Truncated {
        return wait_after_cut(outage.map_or(1, |outage| outage.cut), salt);
    }
    let (broke, lasted) = outage.map_or((1, 0), |outage| (outage.broke, outage.lasted(outage.until)));
    // A wait that is scheduled is part of the outage: nothing but its end follows it.
    let is_scheduled = turn.more.held.is_some();
    let lasted = if is_scheduled { 0 } else { lasted };
    let left = state.model_wait_ms().saturating_sub(lasted);
    wait_before(broke, salt, (fault.retry_after_ms, left))
}

/// Retries of a question beside the conversation, and the milliseconds before the `no`-th of them; none after the last.
pub(crate) fn wait_beside(state: &State, no: u32, salt: u64, passing: Passing) -> Option<(u32, u64)> {
    let time = state.model_wait_ms();
    let (of, wait_ms) = if passing.is_cut {
        (CUT_RETRIES, wait_after_cut(no, salt)?)
    } else {
        (
            retries_in(time),
            wait_before(no, salt, (passing.retry_after_ms, time))?,
        )
    };
    (no <= of).then_some((of, wait_ms))
}

/// Retries of a question beside the conversation for which there is time.
fn retries_in(wait_ms: u64) -> u32 {
    let waits = (1..).scan(0_u64, |sum, no| {
        *sum = sum.saturating_add(delay(no));
        (*sum <= wait_ms).then_some(no)
    });
    waits.last().unwrap_or(0)
}

/// Milliseconds before the `no`-th retry, without jitter.
fn delay(no: u32) -> u64 {
    doubled(FIRST_DELAY_MS, no).min(LONGEST_DELAY_MS)
}

fn doubled(first: u64, no: u32) -> u64 {
    first.saturating_mul(1 << (no.saturating_sub(1)).min(16))
}

/// Milliseconds before the `no`-th retry of a reply that was cut off; none after the last. A server that answers is there:
/// it is not waited for.
fn wait_after_cut(no: u32, of: u64) -> Option<u64> {
    (no <= CUT_RETRIES).then(|| jittered(doubled(FIRST_CUT_DELAY_MS, no), no, of))
}

/// Milliseconds before the `no`-th retry of a broken request. `asked` is the wait that the server requests: it may be longer
/// than what is left of the time, up to an hour. None if no time is left, or if the server asks for more.
fn wait_before(no: u32, of: u64, (asked, left): (Option<u64>, u64)) -> Option<u64> {
    if left == 0 {
        return None;
    }
    match asked {
        Some(asked) => (asked <= left.max(LONGEST_ASKED_MS)).then_some(asked.max(FIRST_DELAY_MS.min(left))),
        None => Some(jittered(delay(no), no, of).min(left)),
    }
}

fn jittered(base: u64, no: u32, of: u64) -> u64 {
    // Up to a fifth more or less, so that many runs do not retry together. A function of the
    // request, so that a replay agrees.
    let spread = base / 5;
    let draw = of
        .wrapping_mul(2_654_435_761)
        .wrapping_add(u64::from(no) * 40_503);
    base - spread + draw % (2 * spread + 1)
}

/// Returns the events of a new request for a turn.
pub fn request_again(state: &State, id: TurnId) -> Vec<Event> {
    let Some(turn) = state.turns.get(&id) else {
        return Vec::new();
    };
    let before = state
        .threads
        .turns
        .get(&turn.thread)
        .and_then(|line| line.get(..turn.pos as usize));
    let counts = |id: &&TurnId| {
        let turn = state.turns.get(id);
        turn.is_some_and(|turn| !matches!(turn.activity, Activity::Superseded(_)))
    };
    let after = before
        .and_then(|before| before.iter().rev().find(counts))
        .copied();
    vec![Event::Turn(requested(
        state,
        (id, turn.thread, after),
        turn.asked.saturating_add(1),
    ))]
}

/// Returns the event of a request made from the current branch.
pub fn requested(
    state: &State,
    (turn, thread, after): (TurnId, ThreadId, Option<TurnId>),
    request: u32,
) -> TurnEvent {
    let known = state.turns.contains_key(&turn).then_some(turn);
    let context = context_hash(state, thread, known);
    requested_with(state, (turn, thread, after), request, context)
}

fn requested_with(
    state: &State,
    (turn, thread, after): (TurnId, ThreadId, Option<TurnId>),
    request: u32,
    context: Arc<str>,
) -> TurnEvent {
    let known = state.turns.contains_key(&turn).then_some(turn);
    let last = is_last(state, thread, known.is_none());
    let hash = request_hash(state, thread, &context, last);
    TurnEvent::Requested {
        turn,
        thread,
        after,
        request,
        last,
        new: new_since(state, thread, known),
        context,
        hash,
        // The last request carries only its own instruction: answer without tools.
        notices: if last {
            Vec::new()
        } else {
            warn::warnings(state, thread)
        },
    }
}

/// True if a request of a thread would be the last one allowed for the run or the sub-agent.
fn is_last(state: &State, thread: ThreadId, is_new: bool) -> bool {
    let of_run = state
        .settings
        .limits
        .turns
        .is_some_and(|most| state.tally.requests.saturating_add(1) >= most);
    let used = thread::turns_used(state, thread) + u32::from(is_new);
    let child = state.threads.children.get(&thread);
    of_run || child.is_some_and(|child| used >= child.max_turns)
}

/// Nodes of the context that the request before this one did not have, with their revisions.
fn new_since(state: &State, thread: ThreadId, before: Option<TurnId>) -> Vec<(NodeId, Rev)> {
    let end = before
        .and_then(|id| state.turns.get(&id))
        .map_or(u32::MAX, |turn| turn.pos);
    let since = state
        .turns_of(thread)
        .filter(|turn| turn.pos < end && turn.asked > 0)
        .map(|turn| turn.asked_at)
        .max()
        .unwrap_or(Seq(0));
    let mut ids: Vec<NodeId> = Vec::new();
    for piece in build::outline(state, thread, before, build::TurnScope::Active) {
        match piece {
            Piece::User(node) => ids.push(node.id),
            Piece::Assistant(text, calls) => {
                ids.extend(text.iter().map(|text| text.node));
                ids.extend(calls.iter().map(|call| call.id));
            }
            Piece::Result(call) => ids.push(call.id.observation()),
            Piece::Note(..) => {}
        }
    }
    ids.into_iter()
        .filter_map(|id| state.nodes.get(&id))
        .filter(|node| node.now().event > since)
        .map(|node| (node.id, node.rev()))
        .collect()
}

/// Restores suspended turns if their requests would be the same, and supersedes them otherwise.
/// True if it decided something.
fn held_turns(draft: &mut Draft<'_>, last: &Turn) -> bool {
    let held: Vec<&Turn> = draft
        .state
        .turns_of(last.thread)
        .filter(|turn| matches!(turn.activity, Activity::Suspended(_)))
        .collect();
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

/// Records a reached limit. True if no further request may be made.
pub(super) fn limited(draft: &mut Draft<'_>) -> bool {
    match limit(draft.state) {
        Some((which, message)) => {
            draft.run(RunEvent::LimitReached { which, message });
            true
        }
        None => false,
    }
}

/// Makes a request shorter that is too long, or stops before it. True if no request may be made now.
fn reduced(draft: &mut Draft<'_>, thread: ThreadId) -> bool {
    let state = draft.state;
    let open = summary::open(state);
    if open.is_some_and(|asked| asked.thread == thread) {
        return true;
    }
    let Some(limit) = state.settings.limits.context else {
        return false;
    };
    let Some(most) = limit.tokens else {
        return false;
    };
    let tokens = reduction::tokens(state, thread);
    if tokens <= most {
        return false;
    }
    let plan = reduction::plan(state, thread, most, limit.by);
    let after = reduction::last_before(state, thread, None);
    let failed = summary::failure(state, thread, after).cloned();
    if reduction::may_reduce(state, &limit) {
        // A summary that failed is not asked for again, and not without a request that is left.
        let may_ask = failed.is_none() && none_left(state).is_none();
        if !plan.is_empty() && limit.by != Reduction::Summarize {
            reduction::commit(draft, after, &plan, Some(reduction::RULE));
            return true;
        }
        if !plan.is_empty() && open.is_some() {
            return true;
        }
        if !plan.is_empty() && may_ask {
            summary::ask(draft, thread, after, &plan, Some(reduction::RULE));
            return true;
        }
        // There is nothing to shorten, and it may still fit.
        if plan.is_empty() && limit.window.is_some_and(|window| tokens < window) {
            return false;
        }
    }
    let what = match failed {
        Some(why) => format!("there is no summary: {why}"),
        None if plan.is_empty() => plan.why_empty().to_owned(),
        None => plan.describe(),
    };
    let window = limit.window.map(|window| format!(" (window {window})"));
    draft.run(RunEvent::LimitReached {
        which: reduction::LIMIT.into(),
        message: format!(
            "the next request has about {tokens} tokens, {most} allowed{}; {what}",
            window.unwrap_or_default()
        ),
    });
    true
}

/// Explains why the model may not be asked about the arguments of a call: the last request is for
/// the answer.
pub(crate) fn no_request_for(state: &State) -> Option<Arc<str>> {
    if state.tally.limit_reached.is_some() {
        return Some("the budget is used up".into());
    }
    none_left(state)
}

/// Explains why no request but the last one, or none at all, is left.
pub(crate) fn none_left(state: &State) -> Option<Arc<str>> {
    if let Some((which, message)) = limit(state) {
        return Some(format!("no request is left ({which}: {message})").into());
    }
    let last = state
        .settings
        .limits
        .turns
        .is_some_and(|most| state.tally.requests.saturating_add(1) >= most);
    last.then(|| "the only request that is left is for the answer".into())
}

/// The limit that forbids another request.
fn limit(state: &State) -> Option<(String, String)> {
    if let Some(most) = state.settings.limits.turns
        && state.tally.requests >= most
    {
        return Some((
            "turns".into(),
            format!("{} requests made, {most} allowed", state.tally.requests),
        ));
    }
    let (used, about) = (state.tally.usage.total(), state.tally.usage.about());
    if let Some(most) = state.settings.limits.tokens
        && used >= most
    {
        return Some((
            "tokens".into(),
            format!("{about}{used} tokens used, {most} allowed"),
        ));
    }
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    if let (Some(most), Some(price)) = (state.settings.limits.price, price) {
        let spent = state.tally.spent.of(&price.currency);
        if spent >= most {
            let (spent, most) = (price.money(spent), price.money(most));
            return Some(("price".into(), format!("{spent} spent, {most} allowed")));
        }
    }
    None
}

/// True for a turn that ended as a whole message.
pub fn is_whole(turn: &Turn) -> bool {
    matches!(&turn.stream, Stream::Closed(stop) if Stop::is_whole(stop))
}
