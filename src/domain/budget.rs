//! Finds the limit that forbids another request.
//!
//! Must not know: what a request is for, prices of a provider.

use std::sync::Arc;

use super::draft::Draft;
use super::event::RunEvent;
use super::state::State;

/// Records a reached limit. True if no further request may be made.
pub(crate) fn limited(draft: &mut Draft<'_>) -> bool {
    match limit(draft.state) {
        Some((which, message)) => {
            draft.run(RunEvent::LimitReached { which, message });
            true
        }
        None => false,
    }
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
