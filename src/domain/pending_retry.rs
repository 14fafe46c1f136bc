//! Requests that are made again by themselves: what a turn of which nothing came waits for until then.
//! Read off the state, so the console and `overrule queue` say the same.
//!
//! Must not know: clocks, who is told, how a request is sent.

use super::advance::ask::retry_after;
use super::breaker::{self, Breaker, Phase, Scope};
use super::id::{NodeId, TurnId};
use super::ladder::{Delay, span};
use super::state::{Mode, State};
use super::thread;
use super::turn::{Stream, StreamFault, Turn};

/// A turn that is asked again without anybody's word, and what that waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRetry<'s> {
    /// The turn.
    pub turn: TurnId,
    /// What was wrong with the request before, in the words of [`label`](super::turn::StreamFaultKind::label).
    pub fault: &'s str,
    /// What is waited for.
    pub until: Until<'s>,
}

/// What a request waits for that is made again by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until<'s> {
    /// For time to pass.
    Time(&'s Delay),
    /// For the breaker of the model's endpoint.
    Breaker(Scope, &'s Breaker),
    /// For a paused run to go on.
    Pause,
    /// For an edit that is being made and may change what is asked.
    Edit,
    /// For an earlier turn, in which something goes on.
    Turn(TurnId),
    /// For nothing: it follows at once.
    Now,
}

/// The blocks of a turn that arrived whole and count.
pub fn blocks<'s>(state: &'s State, turn: &'s Turn) -> impl Iterator<Item = NodeId> + 's {
    let counts = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    turn.nodes.iter().copied().filter(counts)
}

/// True where something came of a turn that can be kept: a block that arrived whole, or what was said of an open one.
pub fn has_arrived(state: &State, turn: TurnId) -> bool {
    state.turns.get(&turn).is_some_and(|turn| {
        let text = || turn.more.open.as_ref().and_then(|open| open.model_text());
        blocks(state, turn).next().is_some() || text().is_some()
    })
}

/// True for a turn whose stream broke and that is asked again by itself, now or later.
pub fn by_itself(state: &State, turn: &Turn) -> bool {
    match &turn.stream {
        Stream::Broken(fault) => retry_after(state, turn, fault).is_some(),
        Stream::Open | Stream::Closed(_) | Stream::Aborted(_) => false,
    }
}

/// The turns that count whose stream broke.
pub fn broken(state: &State) -> impl Iterator<Item = (&Turn, &StreamFault)> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter(|turn| turn.is_active())
        .filter_map(|turn| match &turn.stream {
            Stream::Broken(fault) => Some((turn, fault)),
            Stream::Open | Stream::Closed(_) | Stream::Aborted(_) => None,
        })
}

/// Those of them that are left to the operator: nothing is asked again by itself.
pub fn left(state: &State) -> impl Iterator<Item = (&Turn, &StreamFault)> {
    broken(state).filter(|(turn, _)| !by_itself(state, turn))
}

/// What a turn waits for that is asked again by itself; none for any other, and once something came of it.
pub fn of<'s>(state: &'s State, turn: &'s Turn) -> Option<PendingRetry<'s>> {
    let again = |fault, until| {
        Some(PendingRetry {
            turn: turn.id,
            fault,
            until,
        })
    };
    match &turn.stream {
        Stream::Broken(fault) if by_itself(state, turn) => again(fault.kind.label(), next(state, turn)),
        Stream::Open | Stream::Broken(_) | Stream::Closed(_) | Stream::Aborted(_) => None,
    }
}

/// The same for all turns that count.
pub fn all(state: &State) -> impl Iterator<Item = PendingRetry<'_>> {
    broken(state).filter_map(|(turn, _)| of(state, turn))
}

fn next<'s>(state: &'s State, turn: &'s Turn) -> Until<'s> {
    if let Some(before) = thread::open_before(state, turn) {
        return Until::Turn(before);
    }
    if state.limit_reached.is_some() || (!matches!(state.mode, Mode::Running) && !state.step) {
        return Until::Pause;
    }
    if thread::waits_for_editor(state, turn.thread) {
        return Until::Edit;
    }
    if let Some(held) = turn.more.held.as_ref().filter(|held| held.left_ms > 0) {
        return Until::Time(held);
    }
    let scope = breaker::endpoint(state);
    let shut = scope.and_then(|scope| Some((state.breakers.get(&scope)?, scope)));
    match shut {
        Some((breaker, scope)) if !breaker.admits() => Until::Breaker(scope, breaker),
        _ => Until::Now,
    }
}

impl PendingRetry<'_> {
    /// Milliseconds that are left at a moment, where it is known how many.
    pub fn left(&self, now: i64) -> Option<u64> {
        match &self.until {
            Until::Time(held) => Some(held.left(now)),
            Until::Breaker(_, breaker) => left_of(breaker, now),
            Until::Pause | Until::Edit | Until::Turn(_) | Until::Now => None,
        }
    }

    /// True for a wait of at least so many milliseconds, or one of which nobody knows how long it is.
    pub fn is_long(&self, ms: u64) -> bool {
        match &self.until {
            Until::Time(held) => held.left_ms >= ms,
            Until::Now => false,
            Until::Breaker(..) | Until::Pause | Until::Edit | Until::Turn(_) => true,
        }
    }

    /// It in words: `turn 3 is asked again in 24 s (rate limit, 2 of 4)`. Without a moment, how long the whole wait is. Names
    /// the endpoint as it was configured: pass it through `visible()`.
    pub fn describe(&self, now: Option<i64>) -> String {
        let (turn, fault) = (self.turn, self.fault);
        match &self.until {
            Until::Time(held) => {
                let tries = held.tries.map(|(no, of)| format!(", {no} of {of}"));
                let tries = tries.unwrap_or_default();
                let when = match now.map(|now| held.left(now)) {
                    Some(0) => "now".to_owned(),
                    Some(ms) => format!("in {}", span(ms)),
                    None => format!("after {}", span(held.left_ms)),
                };
                format!("{turn} is asked again {when} ({fault}{tries})")
            }
            Until::Breaker(scope, breaker) => {
                let when = match now.and_then(|now| left_of(breaker, now)) {
                    Some(0) => "now".to_owned(),
                    Some(ms) => format!("in {}", span(ms)),
                    None => "later".to_owned(),
                };
                let word = breaker.phase.label();
                format!("{turn} is asked again {when} ({fault}): breaker {word}, {scope}")
            }
            Until::Pause => format!("{turn} is asked again when the run goes on ({fault})"),
            Until::Edit => format!("{turn} is asked again after the edit ({fault})"),
            Until::Turn(before) => format!("{turn} is asked again after {before} ({fault})"),
            Until::Now => format!("{turn} is asked again now ({fault})"),
        }
    }
}

/// Milliseconds until a breaker lets something through by time; none where it waits for something else.
fn left_of(breaker: &Breaker, now: i64) -> Option<u64> {
    (breaker.phase == Phase::Open).then(|| u64::try_from(breaker.until.saturating_sub(now)).unwrap_or(0))
}
