//! Describes requests that are retried without a decision, and what each of them waits for.
//!
//! Must not know: clocks, who shows it, how a request is sent.
//!
//! Computed from the state, so the console and `overrule queue` agree.

use super::breaker::of_run;
use super::breaker::{Breaker, Phase, Scope};
use super::id::TurnId;
use super::ladder::{Delay, span};
use super::retry_wait::{blocks, retry_after};
use super::state::{Mode, State};
use super::thread;
use super::turn::{Stream, StreamFault, Turn};

/// A turn that is retried without a decision, and what the retry waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRetry<'s> {
    /// The turn.
    pub turn: TurnId,
    /// The fault of the request before, as its [`label`](super::turn::StreamFaultKind::label).
    pub fault: &'s str,
    /// What the retry waits for.
    pub until: Until<'s>,
    /// UTC milliseconds until which it is retried; none for a retry that time does not limit.
    pub ends: Option<i64>,
}

/// What a retry waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until<'s> {
    /// A delay.
    Time(&'s Delay),
    /// The breaker of the model's endpoint.
    Breaker(Scope, &'s Breaker),
    /// The end of a pause.
    Pause,
    /// An open edit that may change the request.
    Edit,
    /// An earlier unfinished turn.
    Turn(TurnId),
    /// Nothing: it follows immediately.
    Now,
}

/// True if a turn has something to keep: a complete block, or the text of an open one.
pub fn has_arrived(state: &State, turn: TurnId) -> bool {
    state.turns.get(&turn).is_some_and(|turn| {
        let text = || turn.more.open.as_ref().and_then(|open| open.model_text());
        blocks(state, turn).next().is_some() || text().is_some()
    })
}

/// True for a turn whose stream broke and that is retried without a decision, now or later.
pub fn by_itself(state: &State, turn: &Turn) -> bool {
    match &turn.stream {
        Stream::Broken(fault) => retry_after(state, turn, fault).is_some(),
        Stream::Open | Stream::Closed(_) | Stream::Aborted(_) => false,
    }
}

/// The active turns whose stream broke.
pub fn broken(state: &State) -> impl Iterator<Item = (&Turn, &StreamFault)> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter(|turn| turn.is_active())
        .filter_map(|turn| match &turn.stream {
            Stream::Broken(fault) => Some((turn, fault)),
            Stream::Open | Stream::Closed(_) | Stream::Aborted(_) => None,
        })
}

/// The broken turns that are left to the operator.
pub fn left(state: &State) -> impl Iterator<Item = (&Turn, &StreamFault)> {
    broken(state).filter(|(turn, _)| !by_itself(state, turn))
}

/// What the retry of a turn waits for; none for a turn without a retry, and after one.
pub fn of<'s>(state: &'s State, turn: &'s Turn) -> Option<PendingRetry<'s>> {
    let outage = turn.more.outage.filter(|_| match &turn.stream {
        Stream::Broken(fault) => fault.kind.is_outage(),
        Stream::Open | Stream::Closed(_) | Stream::Aborted(_) => false,
    });
    let ends = outage.map(|outage| {
        let wait = i64::try_from(state.model_wait_ms()).unwrap_or(i64::MAX);
        outage.since.saturating_add(wait)
    });
    let again = |fault, until| {
        Some(PendingRetry {
            turn: turn.id,
            fault,
            until,
            ends,
        })
    };
    match &turn.stream {
        Stream::Broken(fault) if by_itself(state, turn) => again(fault.kind.label(), next(state, turn)),
        Stream::Open | Stream::Broken(_) | Stream::Closed(_) | Stream::Aborted(_) => None,
    }
}

/// The retries of all active turns.
pub fn all(state: &State) -> impl Iterator<Item = PendingRetry<'_>> {
    broken(state).filter_map(|(turn, _)| of(state, turn))
}

fn next<'s>(state: &'s State, turn: &'s Turn) -> Until<'s> {
    if let Some(before) = thread::open_before(state, turn) {
        return Until::Turn(before);
    }
    if state.tally.limit_reached.is_some() || (!matches!(state.mode, Mode::Running) && !state.settings.step) {
        return Until::Pause;
    }
    if thread::waits_for_editor(state, turn.thread) {
        return Until::Edit;
    }
    if let Some(held) = turn.more.held.as_ref().filter(|held| held.left_ms > 0) {
        return Until::Time(held);
    }
    let scope = of_run::endpoint(state);
    let shut = scope.and_then(|scope| Some((state.learned.breakers.get(&scope)?, scope)));
    match shut {
        Some((breaker, scope)) if !breaker.admits() => Until::Breaker(scope, breaker),
        _ => Until::Now,
    }
}

impl PendingRetry<'_> {
    /// Milliseconds left at `now`, if known.
    pub fn left(&self, now: i64) -> Option<u64> {
        match &self.until {
            Until::Time(held) => Some(held.left(now)),
            Until::Breaker(_, breaker) => left_of(breaker, now),
            Until::Pause | Until::Edit | Until::Turn(_) | Until::Now => None,
        }
    }

    /// True for a wait of at least `ms` milliseconds, or of unknown length.
    pub fn is_long(&self, ms: u64) -> bool {
        match &self.until {
            Until::Time(held) => held.left_ms >= ms,
            Until::Now => false,
            Until::Breaker(..) | Until::Pause | Until::Edit | Until::Turn(_) => true,
        }
    }

    /// Describes the retry: `turn 3 is asked again in 24 s (rate limit, 8 min left)`. Without `now` it
    /// gives the length of the whole wait. Contains the configured endpoint: pass it through
    /// `visible()`.
    pub fn describe(&self, now: Option<i64>) -> String {
        let (turn, fault) = (self.turn, self.fault);
        let left = now.zip(self.ends).map(|(now, ends)| {
            let left = u64::try_from(ends.saturating_sub(now)).unwrap_or(0);
            // A server may ask for more time than is left.
            let left = left.max(self.left(now).unwrap_or(0));
            format!(", {} left", span(left))
        });
        let left = left.unwrap_or_default();
        match &self.until {
            Until::Time(held) => {
                let when = match now.map(|now| held.left(now)) {
                    Some(0) => "now".to_owned(),
                    Some(ms) => format!("in {}", span(ms)),
                    None => format!("after {}", span(held.left_ms)),
                };
                format!("{turn} is asked again {when} ({fault}{left})")
            }
            Until::Breaker(scope, breaker) => {
                let when = match now.and_then(|now| left_of(breaker, now)) {
                    Some(0) => "now".to_owned(),
                    Some(ms) => format!("in {}", span(ms)),
                    None => "later".to_owned(),
                };
                let word = breaker.phase.label();
                format!("{turn} is asked again {when} ({fault}{left}): breaker {word}, {scope}")
            }
            Until::Pause => format!("{turn} is asked again when the run resumes ({fault})"),
            Until::Edit => format!("{turn} is asked again after the edit ({fault})"),
            Until::Turn(before) => format!("{turn} is asked again after {before} ({fault})"),
            Until::Now => format!("{turn} is asked again now ({fault})"),
        }
    }
}

/// Milliseconds until an open breaker admits something; none if it does not wait for time.
fn left_of(breaker: &Breaker, now: i64) -> Option<u64> {
    (breaker.phase == Phase::Open).then(|| u64::try_from(breaker.until.saturating_sub(now)).unwrap_or(0))
}
