//! Limits of the run: the used share of each.
//!
//! Must not know: how a share is drawn.

use crate::run::part::RunPart;

/// Used share of the tightest limit, in per cent; none without limits.
pub fn used_share(run: &RunPart, now: Option<i64>) -> Option<u128> {
    let state = &run.state;
    let limits = &state.settings.limits;
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    let turns = limits
        .turns
        .map(|most| share(u64::from(state.tally.requests), u64::from(most)));
    let tokens = limits.tokens.map(|most| share(state.tally.usage.total(), most));
    let money = limits
        .price
        .zip(price)
        .map(|(most, price)| share(state.tally.spent.of(&price.currency), most));
    let time = limits
        .wall_ms
        .zip(run.worked_ms(now))
        .map(|(most, used)| share(used, most));
    [turns, tokens, money, time].into_iter().flatten().max()
}

/// Used share of a limit, in per cent.
pub fn share(used: u64, most: u64) -> u128 {
    if most == 0 {
        return 100;
    }
    u128::from(used) * 100 / u128::from(most)
}
