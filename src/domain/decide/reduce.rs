//! Decides how a request that is too long becomes shorter.
//!
//! Must not know: how a reduction is planned.

use crate::budget;
use crate::draft::Draft;
use crate::event::run::Reduction;
use crate::event::{EditEvent, RunEvent};
use crate::id::{Seq, ThreadId, TurnId};
use crate::reduction::{self, ReductionPlan, summary};
use crate::refusal::{Refusal, RefusalKind};
use crate::repair::{Passing, Reply};
use crate::request::request_again;
use crate::retry_wait::wait_beside;
use crate::state::{Mode, State};
use crate::thread;
use crate::transcript::hash::context_hash;
use crate::trial::try_out;
use crate::turn::{Turn, Usage};

/// Makes the request of the thread that is too long shorter, and continues the thread.
pub(super) fn reduce(draft: &mut Draft<'_>, by: Reduction) -> Result<(), Refusal> {
    let state = draft.state;
    let refused = reduction::refused(state);
    let Some(thread) = refused.map(|turn| turn.thread).or_else(|| too_long(state)) else {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!("cannot {}: no request is too long", verb(by)),
        ));
    };
    let plan = reduction::plan(state, thread, most(state, thread, refused), by);
    if plan.is_empty() {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!("cannot {}: {}; hint: {}", verb(by), plan.why_empty(), instead(by)),
        ));
    }
    let after = reduction::last_before(state, thread, refused);
    if by == Reduction::Summarize {
        return summarize(draft, (thread, after), &plan);
    }
    reduction::commit(draft, after, &plan, None);
    lift_limit(draft);
    if let Some(turn) = refused {
        ask_reduced(draft, turn.id);
    }
    Ok(())
}

/// The thread whose next request is above the limit.
fn too_long(state: &State) -> Option<ThreadId> {
    let most = state.settings.limits.context?.tokens?;
    let mut threads = thread::at_work(state);
    threads.find(|thread| reduction::tokens(state, *thread) > most)
}

/// The tokens that the next request may have. A server knows its window better than any estimate.
fn most(state: &State, thread: ThreadId, refused: Option<&Turn>) -> u64 {
    match state.settings.limits.context.and_then(|limit| limit.tokens) {
        Some(tokens) if refused.is_none() => tokens,
        _ => {
            let now = reduction::tokens(state, thread);
            now - now / 4
        }
    }
}

/// Asks the model for the summary; the run waits for it.
fn summarize(
    draft: &mut Draft<'_>,
    (thread, after): (ThreadId, Option<TurnId>),
    plan: &ReductionPlan,
) -> Result<(), Refusal> {
    let state = draft.state;
    let refuse = |why: String| {
        Err(Refusal::new(
            RefusalKind::Status,
            format!("cannot summarize: {why}"),
        ))
    };
    if summary::open(state).is_some() {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "cannot summarize: the model is already asked for a summary",
        ));
    }
    let is_at_limit = state
        .tally
        .limit_reached
        .as_ref()
        .is_some_and(|(which, _)| which == reduction::LIMIT);
    if !is_at_limit && state.mode != Mode::Running {
        return refuse("the run is paused or stopped; hint: resume it first".into());
    }
    if let Some(why) = budget::none_left(state) {
        return refuse(format!(
            "{why}; hint: raise the limit, or use {}",
            Reduction::DropTurns.label()
        ));
    }
    lift_limit(draft);
    summary::ask(draft, thread, after, plan, None);
    Ok(())
}

/// Takes in the summary, or why there is none, and asks again for a refused turn.
pub(super) fn summary_answered(
    draft: &mut Draft<'_>,
    set: Seq,
    (reply, passing): (&Reply, Option<Passing>),
    usage: Usage,
) {
    let state = draft.state;
    let Some(asked) = state.operator.summaries.get(&set) else {
        return;
    };
    if let (Some(passing), Reply::Failed { why }, None) = (passing, reply, &asked.failed)
        && summary::is_current(state, asked)
        && budget::no_request_for(state).is_none()
        && let no = asked.broke + 1
        && let Some((of, wait_ms)) = wait_beside(state, no, set.0, passing)
    {
        draft.edit(EditEvent::SummaryBroke {
            set,
            no,
            of,
            wait_ms,
            why: why.clone(),
            usage,
        });
        return;
    }
    if !summary::answered(draft, set, reply, usage) || state.mode != Mode::Running {
        return;
    }
    if let Some(turn) = reduction::refused(state).filter(|turn| turn.thread == asked.thread) {
        ask_reduced(draft, turn.id);
    }
}

/// Makes the refused request of a thread shorter without a decision, where the settings allow that. True if the thread
/// waits for it.
pub(crate) fn reduce_by_rule(draft: &mut Draft<'_>, thread: ThreadId) -> bool {
    let state = draft.state;
    let limit = state.settings.limits.context;
    let (Some(limit), Some(turn)) = (
        limit,
        reduction::refused(state).filter(|turn| turn.thread == thread),
    ) else {
        return false;
    };
    let open = summary::open(state);
    if open.is_some_and(|asked| asked.thread == thread) {
        return true;
    }
    let plan = reduction::plan(state, thread, most(state, thread, Some(turn)), limit.by);
    // What changed since is the operator's: they ask again.
    if plan.is_empty() || !reduction::may_reduce(state, &limit) || not_unchanged(state, turn.id).is_ok() {
        return false;
    }
    let after = reduction::last_before(state, thread, Some(turn));
    if limit.by == Reduction::Summarize {
        if open.is_some() {
            return true;
        }
        if summary::failure(state, thread, after).is_some() || budget::none_left(state).is_some() {
            return false;
        }
        summary::ask(draft, thread, after, &plan, Some(reduction::RULE));
        return true;
    }
    reduction::commit(draft, after, &plan, Some(reduction::RULE));
    ask_reduced(draft, turn.id);
    true
}

fn lift_limit(draft: &mut Draft<'_>) {
    if draft.state.tally.limit_reached.is_some() {
        draft.run(RunEvent::LimitsRaised {
            limits: draft.state.settings.limits,
        });
        draft.run(RunEvent::Resumed {});
    }
}

/// Asks again for a turn. The request is made after the reduction.
fn ask_reduced(draft: &mut Draft<'_>, turn: TurnId) {
    let mut left = draft.state.clone();
    try_out(&mut left, &draft.events);
    let events = request_again(&left, turn);
    draft.events.extend(events);
}

/// Refuses to ask again with a request that was too long and has not changed.
pub(super) fn not_unchanged(state: &State, id: TurnId) -> Result<(), Refusal> {
    let Some(turn) = state.turns.get(&id).filter(|turn| reduction::overflowed(turn)) else {
        return Ok(());
    };
    let now = context_hash(state, turn.thread, Some(id));
    if turn.context.as_ref() != Some(&now) {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Status,
        format!(
            "cannot ask again for {id}: the request is too long for the model and has not changed; hint: shorten, \
             summarize or drop-turns"
        ),
    ))
}

const fn verb(by: Reduction) -> &'static str {
    match by {
        Reduction::Shorten => "shorten results",
        Reduction::Summarize => "summarize",
        Reduction::DropTurns => "leave out turns",
    }
}

const fn instead(by: Reduction) -> &'static str {
    match by {
        Reduction::Shorten => "summarize or drop-turns, or stop the run",
        Reduction::Summarize | Reduction::DropTurns => "shorten, or stop the run",
    }
}
