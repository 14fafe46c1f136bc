//! Decides how a request that is too long becomes shorter.
//!
//! Must not know: how a reduction is planned.

use crate::budget;
use crate::draft::Draft;
use crate::event::run::Reduction;
use crate::event::{EditEvent, RunEvent};
use crate::id::{Seq, ThreadId, TurnId};
use crate::overflow::{ask_reduced, most};
use crate::reduction::{self, ReductionPlan, summary};
use crate::refusal::{Refusal, RefusalKind};
use crate::repair::{Passing, Reply};
use crate::retry_wait::wait_beside;
use crate::state::{Mode, State};
use crate::thread;
use crate::turn::Usage;

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

fn lift_limit(draft: &mut Draft<'_>) {
    if draft.state.tally.limit_reached.is_some() {
        draft.run(RunEvent::LimitsRaised {
            limits: draft.state.settings.limits,
        });
        draft.run(RunEvent::Resumed {});
    }
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
