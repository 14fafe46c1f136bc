//! Time bars of a row: waiting, running, or requesting the model.
//!
//! Must not know: how a bar is drawn.
//!
//! Times come from the journal. An open bar lasts until now; without a clock it lasts until its
//! newest event.

use overrule_domain::call::{Call, Decision, Outcome};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::turn::Turn;

/// Kind of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BarKind {
    /// Waited for its inputs.
    Blocked,
    /// Approved, and waiting to run.
    Queued,
    /// A request to the model.
    Asked,
    /// Ran.
    Ran,
    /// Waited for the operator.
    Waited,
    /// Ran and failed.
    Failed,
    /// A single point in time.
    Moment,
}

/// A period of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Its kind.
    pub kind: BarKind,
    /// UTC milliseconds.
    pub from: i64,
    /// UTC milliseconds; now or the newest event for an open bar.
    pub to: i64,
    /// True while it lasts.
    pub open: bool,
}

impl Bar {
    /// Extends an open bar until now. It never ends before its newest event.
    fn last_until(&mut self, now: Option<i64>) {
        if self.open {
            self.to = now.map_or(self.to, |now| self.to.max(now));
        }
    }
}

/// Maximum number of members of a row that are included, from each end.
pub const MOST: usize = 64;

/// Bars of a row's nodes, in drawing order. Open bars last until `now`.
pub fn of_row(state: &State, now: Option<i64>, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Bar> {
    let mut bars = Vec::new();
    for id in nodes {
        of_node(state, id, &mut bars);
    }
    for bar in &mut bars {
        bar.last_until(now);
    }
    bars.sort_by_key(|bar| (bar.kind, bar.from));
    bars
}

/// Bar of the open request of a turn.
pub fn of_request(state: &State, now: Option<i64>, turn: &Turn) -> Option<Bar> {
    let mut bar = request(state, turn)?;
    bar.last_until(now);
    Some(bar)
}

fn request(state: &State, turn: &Turn) -> Option<Bar> {
    let asked = turn.asked > 0;
    asked.then(|| bar(state, BarKind::Asked, turn.asked_at, Some(turn.ended_at)))?
}

fn of_node(state: &State, id: NodeId, bars: &mut Vec<Bar>) {
    let Some(node) = state.node(id) else { return };
    match id.kind {
        NodeKind::Call => {
            if let Some(call) = state.calls.get(&id) {
                of_call(state, call, node.born(), bars);
            }
        }
        NodeKind::Prompt | NodeKind::Intervention => {
            bars.extend(bar(state, BarKind::Moment, node.born(), Some(node.born())));
        }
        // A result belongs to its call; text of the model belongs to its request.
        NodeKind::Observation | NodeKind::Thought | NodeKind::Answer | NodeKind::Repair => {}
    }
    let turn = state.turn_of(id);
    if let Some(turn) = turn.filter(|turn| turn.nodes.first() == Some(&id)) {
        bars.extend(request(state, turn));
    }
}

fn of_call(state: &State, call: &Call, born: Seq, bars: &mut Vec<Bar>) {
    let settled = call.status.is_settled();
    // A superseded call waited until the edit.
    let left = EffectiveStatus::of_call(state, call).was_left();
    let over = left
        .then(|| effective_status::replaced_at(state, call.id))
        .flatten();
    let first = call.attempts.first().map(|attempt| attempt.intent);
    let decided = |after: Seq| {
        let all = call
            .decisions
            .iter()
            .map(|(_, seq, decision)| (*seq, &**decision));
        all.filter(|(seq, _)| *seq > after).min_by_key(|(seq, _)| *seq)
    };
    match call.ready {
        None if settled => {}
        None => bars.extend(bar(state, BarKind::Blocked, born, over)),
        Some(ready) => {
            // A call that became ready again had other bars before.
            let waited_from = if first.is_some_and(|first| first < ready) {
                ready
            } else {
                born
            };
            bars.extend(bar(state, BarKind::Blocked, waited_from, Some(ready)));
            let decision = decided(ready);
            let asks = match decision {
                Some((seq, decision)) => was_asked(state, seq, decision),
                None => call.status.needs_operator(),
            };
            let doing = if asks { BarKind::Waited } else { BarKind::Queued };
            let answer = decision.map(|(seq, _)| seq);
            if answer.is_some() || !settled {
                bars.extend(bar(state, doing, ready, answer.or(over)));
            }
            let next = call.attempts.iter().map(|attempt| attempt.intent);
            if let Some(answer) = answer {
                let start = next.filter(|intent| *intent > answer).min();
                if start.is_some() || !settled {
                    bars.extend(bar(state, BarKind::Queued, answer, start.or(over)));
                }
            }
        }
    }
    for attempt in &call.attempts {
        let entry = state.ledger.get(&attempt.intent);
        let failed = match entry.map(|entry| &entry.outcome) {
            Some(LedgerOutcome::Known(Outcome::Ok { .. }) | LedgerOutcome::Running) => false,
            Some(_) => true,
            None => attempt.outcome.as_ref().is_some_and(|outcome| !outcome.is_ok()),
        };
        let doing = if failed { BarKind::Failed } else { BarKind::Ran };
        let end = entry.and_then(|entry| entry.ended);
        let continues = entry.is_some_and(|entry| entry.outcome == LedgerOutcome::Running);
        let mut ran = bar(state, doing, attempt.intent, end);
        if let Some(ran) = &mut ran
            && end.is_none()
            && !continues
        {
            ran.to = ran.from + i64::try_from(attempt.ms.unwrap_or(0)).unwrap_or(0);
            ran.open = false;
        }
        bars.extend(ran);
    }
}

/// True if the operator was asked and decided.
fn was_asked(state: &State, seq: Seq, decision: &Decision) -> bool {
    match decision {
        Decision::Auto { .. } | Decision::Deny { .. } | Decision::Edited | Decision::Carry { .. } => false,
        // Without an operator, or without a question, a recorded result is reused immediately.
        Decision::Reuse { .. } => !state.operator.unasked.contains(&seq),
        _ => true,
    }
}

/// A bar between two events; none if the first one's time is unknown.
fn bar(state: &State, doing: BarKind, from: Seq, to: Option<Seq>) -> Option<Bar> {
    let from = state.recorded_at(from)?;
    let end = to
        .filter(|seq| *seq > Seq(0))
        .and_then(|seq| state.recorded_at(seq));
    let to = end
        .or_else(|| state.tally.times.last().map(|(_, at)| *at))
        .unwrap_or(from);
    Some(Bar {
        kind: doing,
        from,
        to: to.max(from),
        open: end.is_none(),
    })
}
