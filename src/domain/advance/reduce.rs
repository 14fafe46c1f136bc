//! Makes requests shorter that are too long, by the rule of the settings.
//!
//! Must not know: how a reduction is planned.

use crate::budget;
use crate::draft::Draft;
use crate::event::RunEvent;
use crate::event::run::Reduction;
use crate::id::ThreadId;
use crate::overflow::{ask_reduced, most, not_unchanged};
use crate::reduction::{self, summary};

/// Makes the refused request of a thread shorter without a decision, where the settings allow that. True if the thread
/// waits for it.
pub(super) fn by_rule(draft: &mut Draft<'_>, thread: ThreadId) -> bool {
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

/// Makes a request shorter that is too long, or stops before it. True if no request may be made now.
pub(super) fn reduced(draft: &mut Draft<'_>, thread: ThreadId) -> bool {
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
        let may_ask = failed.is_none() && budget::none_left(state).is_none();
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
