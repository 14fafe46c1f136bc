//! Writes the notices for one request: reading calls only, open breakers, a budget near its end.
//!
//! Must not know: when a breaker changes, when a request is made, wire formats.
//!
//! They are recorded with the request, so that they can always be shown.

use std::sync::Arc;

use crate::breaker::of_run;
use crate::breaker::{Breaker, Phase, Scope};
use crate::escape::awaiting;
use crate::files;
use crate::id::ThreadId;
use crate::state::State;
use crate::thread;

/// Open breakers named in one notice.
const BREAKERS: usize = 3;
/// Tenths of a budget above which the model gets a notice.
const NEAR: u64 = 9;

const RESTRICTED: &str = "The run is restricted to reading calls until the operator lifts the restriction. \
     Propose only reading calls, or answer with what you have.";
const LIFTED: &str =
    "The operator lifted the restriction to reading calls: you may propose other calls again.";

/// The notices of a request that is made now.
pub(super) fn all(state: &State, thread: ThreadId) -> Vec<Arc<str>> {
    let mut all: Vec<String> = Vec::new();
    all.extend(of_restriction(state, thread).map(str::to_owned));
    let open = state
        .learned
        .breakers
        .iter()
        .filter(|(_, one)| one.phase == Phase::Open);
    let known = thread::tools(state, thread);
    all.extend(
        open.filter(|(scope, _)| match scope {
            Scope::Tool(name) => known.iter().any(|card| card.name == *name),
            Scope::Server(_) => true,
            Scope::Model(_) => false,
        })
        .map(|(scope, breaker)| of_breaker(state, thread, (scope, breaker)))
        .take(BREAKERS),
    );
    all.extend(of_restores(state, thread));
    all.extend(of_failures(state, thread));
    all.extend(of_tokens(state));
    all.extend(of_price(state));
    all.into_iter().map(Arc::from).collect()
}

/// The restriction to reading calls while it holds; once after it, that it was lifted.
fn of_restriction(state: &State, thread: ThreadId) -> Option<&'static str> {
    if state.settings.restricted.is_some() {
        return Some(RESTRICTED);
    }
    let mut turns = state.turns_of(thread).rev();
    let last = turns.find(|turn| turn.is_active() && turn.asked > 0)?;
    let turn_settled = last.more.notices.iter().any(|one| **one == *RESTRICTED);
    turn_settled.then_some(LIFTED)
}

/// Restores since the thread was last asked.
fn of_restores(state: &State, thread: ThreadId) -> Vec<String> {
    if state.operator.files.restores.is_empty() {
        return Vec::new();
    }
    // Words of a person are turns, too.
    let turns = state.turns_of(thread).filter(|turn| turn.asked > 0);
    let asked = turns.map(|turn| turn.asked_at).max();
    asked.map_or_else(Vec::new, |asked| files::notices_since(state, asked))
}

fn of_breaker(state: &State, thread: ThreadId, (scope, breaker): (&Scope, &Breaker)) -> String {
    let what = of_run::named(scope).replacen('t', "T", 1);
    let when = of_run::next_probe(state, breaker);
    let others = match of_run::instead(state, thread, breaker).as_slice() {
        [] => "Continue without it if you can.".to_owned(),
        tools => format!("Use {} instead.", tools.join(" or ")),
    };
    format!("{what} keeps failing ({}); {when}. {others}", breaker.why)
}

/// A tool that kept failing in the newest turns.
fn of_failures(state: &State, thread: ThreadId) -> Option<String> {
    let (turn, finding) = state.learned.escape.warned.get(&thread)?;
    let mut asked = state
        .turns_of(thread)
        .rev()
        .filter(|one| one.is_active() && one.asked > 0);
    if asked.next()?.id != *turn {
        return None;
    }
    if awaiting::is_awaiting(state, finding) {
        return Some(format!(
            "{}. If you wait for something, wait longer before you look again, or do something else meanwhile.",
            finding.describe()
        ));
    }
    if !finding.detector.is_informational() {
        return None;
    }
    Some(format!(
        "{}. Find out why before you call it again, or continue without it.",
        finding.describe()
    ))
}

fn of_tokens(state: &State) -> Option<String> {
    let most = state.settings.limits.tokens?;
    let (used, about) = (state.tally.usage.total(), state.tally.usage.about());
    near(used, most).then(|| {
        format!("{about}{used} of the {most} tokens that this run may use are used. Finish your work soon.")
    })
}

fn of_price(state: &State) -> Option<String> {
    let most = state.settings.limits.price?;
    let price = state.started.as_ref()?.price.as_ref()?;
    let spent = state.tally.spent.of(&price.currency);
    near(spent, most).then(|| {
        let (spent, most) = (price.money(spent), price.money(most));
        format!("{spent} of the {most} that this run may cost are spent. Finish your work soon.")
    })
}

fn near(used: u64, most: u64) -> bool {
    u128::from(used) * 10 >= u128::from(most) * u128::from(NEAR)
}
