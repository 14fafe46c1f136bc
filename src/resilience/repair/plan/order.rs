//! Orders strategies by their success with the tool so far.
//!
//! Must not know: what a strategy does.

use super::faults::{by_cost, suffices};
use overrule_domain::repair::Strategy;
use overrule_domain::repair_stats::{RepairStats, StrategyCount};

/// Number of known outcomes that a strategy needs before it is compared with another.
const LEAST: u32 = 3;

/// What was learned about the order of strategies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Learnt {
    /// All strategies, in the order in which they are tried.
    pub order: Vec<Strategy>,
    /// Why, in one sentence.
    pub why: String,
}

/// Returns the order that differs from the one by cost, if there is one.
///
/// A strategy moves before another if both were decided at least three times for the tool and it
/// succeeded more often. A strategy that is not sufficient by itself (a model, a change of the
/// meaning) moves before a sufficient rule only if its share of successes is greater by at least
/// one half. Nothing moves before a rule that repairs exactly.
pub(super) fn learnt(
    stats: &RepairStats,
    tool: &str,
    strategies: &[Strategy],
    mut is_exact: impl FnMut(Strategy) -> bool,
) -> Option<Learnt> {
    let usual = by_cost(strategies);
    let mut order: Vec<Strategy> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for strategy in usual {
        let own = stats.count(tool, strategy);
        let mut place = order.len();
        while let Some(before) = place.checked_sub(1).and_then(|at| order.get(at)).copied() {
            let other = stats.count(tool, before);
            let clearly = suffices(before) && !suffices(strategy);
            if !is_better(&own, &other, clearly) || is_exact(before) {
                break;
            }
            place -= 1;
        }
        if let Some(passed) = order.get(place).copied() {
            let other = stats.count(tool, passed);
            let first = if place == 0 {
                "tried first".to_owned()
            } else {
                format!("tried before {}", passed.name())
            };
            words.push(format!(
                "{} {first}: succeeded {} of {} times for {tool}, {} {} of {}",
                strategy.name(),
                own.succeeded,
                own.ended(),
                passed.name(),
                other.succeeded,
                other.ended()
            ));
        }
        order.insert(place, strategy);
    }
    (!words.is_empty()).then(|| Learnt {
        order,
        why: words.join("; "),
    })
}

/// Returns true if a strategy succeeded more often than another; `clearly` for a share that is greater by one half.
fn is_better(own: &StrategyCount, other: &StrategyCount, clearly: bool) -> bool {
    let (ours, theirs) = (u64::from(own.ended()), u64::from(other.ended()));
    if own.ended() < LEAST || other.ended() < LEAST {
        return false;
    }
    let own = u64::from(own.succeeded) * theirs;
    let other = u64::from(other.succeeded) * ours;
    let most = ours * theirs;
    match own.checked_sub(other) {
        None | Some(0) => false,
        Some(more) => !clearly || more.saturating_mul(2) >= most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Strategy::{
        AlternativeRouteSuggestion, DateAdjustment, DateFormatCorrection, LlmBasedFormatCorrection,
        TextCleanup,
    };

    /// Counts of strategies at a tool, as (strategy, succeeded, failed).
    fn stats(counts: &[(Strategy, u32, u32)]) -> RepairStats {
        let mut stats = RepairStats::default();
        let tool = stats.tools.entry("book".into()).or_default();
        for (strategy, succeeded, failed) in counts {
            tool.insert(
                *strategy,
                StrategyCount {
                    tried: succeeded + failed,
                    succeeded: *succeeded,
                    failed: *failed,
                    ..StrategyCount::default()
                },
            );
        }
        stats
    }

    fn order(counts: &[(Strategy, u32, u32)], strategies: &[Strategy]) -> Option<Learnt> {
        learnt(&stats(counts), "book", strategies, |_| false)
    }

    #[test]
    fn more_successful_strategies_of_a_tool_are_tried_first_with_the_reason() {
        let both = [DateFormatCorrection, TextCleanup];
        let counts = [(DateFormatCorrection, 1, 4), (TextCleanup, 4, 1)];
        let learnt = order(&counts, &both).unwrap();
        assert_eq!(learnt.order, [TextCleanup, DateFormatCorrection]);
        assert_eq!(
            learnt.why,
            "text_cleanup tried first: succeeded 4 of 5 times for book, date_format_correction 1 of 5"
        );
        // At another tool nothing is known.
        assert_eq!(super::learnt(&stats(&counts), "other", &both, |_| false), None);
        // If the better one is already first, the order stays, and no reason is given.
        assert_eq!(order(&counts, &[TextCleanup, DateFormatCorrection]), None);
    }

    #[test]
    fn fewer_than_three_known_outcomes_of_either_change_nothing() {
        let both = [DateFormatCorrection, TextCleanup];
        for counts in [
            [(DateFormatCorrection, 0, 2), (TextCleanup, 9, 0)],
            [(DateFormatCorrection, 0, 9), (TextCleanup, 2, 0)],
            // Equal shares.
            [(DateFormatCorrection, 2, 2), (TextCleanup, 3, 3)],
        ] {
            assert_eq!(order(&counts, &both), None, "{counts:?}");
        }
        let enough = [(DateFormatCorrection, 0, 3), (TextCleanup, 1, 2)];
        assert!(order(&enough, &both).is_some());
    }

    #[test]
    fn a_model_moves_before_a_rule_only_by_a_clear_difference_and_never_before_an_exact_one() {
        let both = [DateFormatCorrection, LlmBasedFormatCorrection];
        let close = [(DateFormatCorrection, 2, 2), (LlmBasedFormatCorrection, 9, 1)];
        assert_eq!(order(&close, &both), None);
        let clear = [(DateFormatCorrection, 2, 2), (LlmBasedFormatCorrection, 4, 0)];
        assert_eq!(order(&clear, &both).unwrap().order[0], LlmBasedFormatCorrection);
        let exact = learnt(&stats(&clear), "book", &both, |one| one == DateFormatCorrection);
        assert_eq!(exact, None);
        // Neither of two that are sure of nothing has an advantage.
        let unsure = [DateAdjustment, AlternativeRouteSuggestion];
        let counts = [(DateAdjustment, 1, 2), (AlternativeRouteSuggestion, 2, 1)];
        assert_eq!(
            order(&counts, &unsure).unwrap().order[0],
            AlternativeRouteSuggestion
        );
    }

    #[test]
    fn the_rest_keeps_its_order() {
        let all = [
            DateFormatCorrection,
            TextCleanup,
            LlmBasedFormatCorrection,
            DateAdjustment,
        ];
        let counts = [(LlmBasedFormatCorrection, 0, 3), (DateAdjustment, 3, 0)];
        let learnt = order(&counts, &all).unwrap();
        assert_eq!(
            learnt.order,
            [
                DateFormatCorrection,
                TextCleanup,
                DateAdjustment,
                LlmBasedFormatCorrection
            ]
        );
        assert!(
            learnt
                .why
                .starts_with("date_adjustment tried before llm_based_format_correction: ")
        );
    }
}
