//! Counts how repairs did, by tool and strategy.
//!
//! Must not know: how a strategy finds a value, what follows from the counts, who shows them.
//!
//! The fold counts. Another session can begin with the counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::{ErrorClass, Outcome};
use super::price::Price;
use super::repair::Strategy;
use super::turn::Usage;

/// How one strategy did at one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyCount {
    /// Repairs that were begun with it.
    pub tried: u32,
    /// Repairs after which the call succeeded.
    pub succeeded: u32,
    /// Repairs that led to no call, or to one that failed because of what it said.
    pub failed: u32,
    /// Requests to the model.
    #[serde(default)]
    pub requests: u32,
    /// Tokens of those.
    #[serde(default)]
    pub usage: Usage,
}

impl StrategyCount {
    /// Returns the number of repairs with a known outcome.
    pub const fn ended(&self) -> u32 {
        self.succeeded.saturating_add(self.failed)
    }

    /// Tokens of its requests; none where no provider counted them.
    pub fn tokens(&self) -> Option<u64> {
        let Usage { input, output, .. } = self.usage;
        (input.is_some() || output.is_some()).then(|| input.unwrap_or(0).saturating_add(output.unwrap_or(0)))
    }

    /// In a few words: `4 of 5 succeeded, 2 requests, 210 tokens`, with what those cost where the price is known.
    pub fn describe(&self, price: Option<&Price>) -> String {
        let mut words = format!("{} of {} succeeded", self.succeeded, self.tried);
        let mut put = |count: u64, one: &str| match count {
            0 => {}
            1 => words = format!("{words}, 1 {one}"),
            count => words = format!("{words}, {count} {one}s"),
        };
        put(u64::from(self.requests), "request");
        put(self.tokens().unwrap_or(0), "token");
        match price.and_then(|price| price.of(self.usage)) {
            Some(cost) => format!("{words}, {cost}"),
            None => words,
        }
    }
}

/// How the strategies did at each tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepairStats {
    /// Counts by tool and strategy.
    pub tools: BTreeMap<Arc<str>, BTreeMap<Strategy, StrategyCount>>,
}

impl RepairStats {
    /// True where nothing was ever repaired.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The counts of one tool, by strategy.
    pub fn of(&self, tool: &str) -> impl Iterator<Item = (Strategy, &StrategyCount)> {
        let counts = self.tools.get(tool).into_iter().flatten();
        counts.map(|(strategy, count)| (*strategy, count))
    }

    /// The count of a strategy at a tool.
    pub fn count(&self, tool: &str, strategy: Strategy) -> StrategyCount {
        let counts = self.tools.get(tool);
        counts
            .and_then(|counts| counts.get(&strategy))
            .copied()
            .unwrap_or_default()
    }

    /// Adds the counts of another session.
    pub fn add(&mut self, other: &Self) {
        for (tool, counts) in &other.tools {
            for (strategy, count) in counts {
                let own = self.at(tool, *strategy);
                own.tried = own.tried.saturating_add(count.tried);
                own.succeeded = own.succeeded.saturating_add(count.succeeded);
                own.failed = own.failed.saturating_add(count.failed);
                own.requests = own.requests.saturating_add(count.requests);
                own.usage = own.usage.plus(count.usage);
            }
        }
    }

    /// Returns half of the outcomes, without what they cost, for a session that begins with them.
    pub fn halved(&self) -> Self {
        let mut halves = Self::default();
        for (tool, counts) in &self.tools {
            for (strategy, count) in counts {
                let (succeeded, failed) = (count.succeeded / 2, count.failed / 2);
                if succeeded + failed > 0 {
                    let half = halves.at(tool, *strategy);
                    (half.succeeded, half.failed) = (succeeded, failed);
                    half.tried = half.ended();
                }
            }
        }
        halves
    }

    /// Counts repairs that were begun.
    pub(super) fn tried(&mut self, tool: &Arc<str>, strategies: &[Strategy]) {
        for strategy in strategies {
            let count = self.at(tool, *strategy);
            count.tried = count.tried.saturating_add(1);
        }
    }

    /// Counts the outcomes of repairs.
    pub(super) fn ended(&mut self, tool: &Arc<str>, strategies: &[Strategy], helped: bool) {
        for strategy in strategies {
            let count = self.at(tool, *strategy);
            let ended = if helped {
                &mut count.succeeded
            } else {
                &mut count.failed
            };
            *ended = ended.saturating_add(1);
        }
    }

    /// Counts a request that was made. It is one request however many strategies ask: it counts for the first.
    pub(super) fn requested(&mut self, tool: &Arc<str>, strategies: &[Strategy]) {
        if let Some(first) = strategies.first() {
            let count = self.at(tool, *first);
            count.requests = count.requests.saturating_add(1);
        }
    }

    /// Counts what a request cost, in the same way.
    pub(super) fn cost(&mut self, tool: &Arc<str>, strategies: &[Strategy], usage: Usage) {
        if let Some(first) = strategies.first() {
            let count = self.at(tool, *first);
            count.usage = count.usage.plus(usage);
        }
    }

    fn at(&mut self, tool: &Arc<str>, strategy: Strategy) -> &mut StrategyCount {
        let counts = self.tools.entry(Arc::clone(tool)).or_default();
        counts.entry(strategy).or_default()
    }
}

/// Whether an execution shows that a repair helped; none where its end says nothing of the arguments.
pub(super) fn helped(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Ok { .. } => Some(true),
        Outcome::Cancelled { .. } => None,
        Outcome::Err(error) => match error.class {
            ErrorClass::Transient
            | ErrorClass::Auth
            | ErrorClass::Internal
            | ErrorClass::Cancelled
            | ErrorClass::Lost => None,
            ErrorClass::Structural
            | ErrorClass::Param
            | ErrorClass::NotFound
            | ErrorClass::Conflict
            | ErrorClass::Business
            | ErrorClass::Unknown => Some(false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_are_written_and_add_up() {
        let mut stats = RepairStats::default();
        let tool: Arc<str> = "book".into();
        let both = [Strategy::LlmInferMissingParam, Strategy::TextCleanup];
        let usage = Usage {
            input: Some(100),
            output: Some(5),
            ..Usage::default()
        };
        stats.tried(&tool, &both);
        stats.requested(&tool, &both);
        stats.cost(&tool, &both, usage);
        stats.ended(&tool, &both, true);
        stats.tried(&tool, &both[..1]);
        stats.ended(&tool, &both[..1], false);
        let asked = stats.count("book", Strategy::LlmInferMissingParam);
        assert_eq!(asked.describe(None), "1 of 2 succeeded, 1 request, 105 tokens");
        assert_eq!(
            stats.count("book", Strategy::TextCleanup).describe(None),
            "1 of 1 succeeded"
        );
        let text = serde_json::to_string(&stats).unwrap();
        assert!(
            text.starts_with(r#"{"book":{"text_cleanup":{"tried":1"#),
            "{text}"
        );
        let mut other: RepairStats = serde_json::from_str(&text).unwrap();
        assert_eq!(other, stats);
        other.add(&stats);
        let doubled = other.count("book", Strategy::LlmInferMissingParam);
        assert_eq!(
            (doubled.tried, doubled.ended(), doubled.tokens()),
            (4, 4, Some(210))
        );
        assert_eq!(other.of("other").count(), 0);
    }
}
