//! Measures how each tool performs: success rate, errors, latency, retries.
//!
//! Must not know: screens, what follows from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::execution::Execution;
use overrule_domain::call::{Decision, ErrorClass, Status};
use overrule_domain::id::{Attempt, NodeId, Rev};
use overrule_domain::node::Content;
use overrule_domain::state::State;

/// The health of all tools of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Health {
    tools: BTreeMap<Arc<str>, ToolHealth>,
    /// UTC milliseconds of the ends of the first and the last execution.
    span: Option<(i64, i64)>,
}

/// The health of one tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolHealth {
    /// Number of executions that gave a value.
    pub succeeded: u64,
    /// Number of executions that failed, by class of failure.
    pub failed: BTreeMap<ErrorClass, u64>,
    /// Number of executions beyond the first with the same arguments.
    pub retries: u64,
    /// The newest failed execution.
    pub last_failure: Option<(NodeId, Attempt, ErrorClass)>,
    /// Whether each choice of the tool, that is a call with its arguments, led to a value in the end.
    choices: BTreeMap<(NodeId, Rev), bool>,
    /// The ends of its executions, in the order in which they were recorded.
    ends: Vec<End>,
}

/// The end of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    /// UTC milliseconds.
    at: i64,
    /// Milliseconds that it took.
    ms: u64,
    /// True where it gave a value.
    ok: bool,
}

/// Returns a percentile of sorted values by nearest rank, or `None` if there are no values.
pub fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent.min(100)).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

impl Health {
    /// Folds executions into their health.
    pub fn fold<'e>(executions: impl IntoIterator<Item = &'e Execution>) -> Self {
        let mut health = Self::default();
        for execution in executions {
            health.take(execution);
        }
        health
    }

    /// Adds one execution.
    pub fn take(&mut self, run: &Execution) {
        let (first, last) = self.span.unwrap_or((run.at, run.at));
        self.span = Some((first.min(run.at), last.max(run.at)));
        let tool = self.tools.entry(run.tool.clone()).or_default();
        let ok = run.error.is_none();
        let again = tool.choices.insert((run.call, run.rev), ok);
        tool.retries += u64::from(again.is_some());
        tool.ends.push(End {
            at: run.at,
            ms: run.ms,
            ok,
        });
        match run.error {
            None => tool.succeeded += 1,
            Some(class) => {
                *tool.failed.entry(class).or_default() += 1;
                tool.last_failure = Some((run.call, run.attempt, class));
            }
        }
    }

    /// Iterates over every tool that ran, by name.
    pub fn tools(&self) -> impl Iterator<Item = (&Arc<str>, &ToolHealth)> {
        self.tools.iter()
    }

    /// Returns the health of a tool, or `None` if it never ran.
    pub fn tool(&self, name: &str) -> Option<&ToolHealth> {
        self.tools.get(name)
    }

    /// Returns the health of several tools together, such as those of a server.
    pub fn together(&self, is_one: impl Fn(&str) -> bool) -> ToolHealth {
        let mut all = ToolHealth::default();
        for (_, tool) in self.tools.iter().filter(|(name, _)| is_one(name)) {
            all.add(tool);
        }
        all
    }

    /// Returns the share of all choices of a tool that led to a value, or `None` if there were none.
    pub fn hit_rate(&self) -> Option<f64> {
        let each = self.tools.values().map(ToolHealth::choices);
        share(each.fold((0, 0), |(good, all), one| (good + one.0, all + one.1)))
    }

    /// Returns the success rate of a tool over the time of the whole run, in `slices` equal parts; `None` for
    /// a part in which it did not run.
    pub fn over_time(&self, name: &str, slices: usize) -> Vec<Option<f64>> {
        let mut found = vec![(0_u64, 0_u64); slices];
        if let (Some(tool), Some((first, last))) = (self.tools.get(name), self.span) {
            let length = (last.saturating_sub(first)).max(0) as u128 + 1;
            for End { at, ok, .. } in &tool.ends {
                let since = at.saturating_sub(first).max(0) as u128;
                let slot = found.get_mut((since * slices as u128 / length) as usize);
                if let Some((good, all)) = slot {
                    *good += u64::from(*ok);
                    *all += 1;
                }
            }
        }
        found.into_iter().map(share).collect()
    }
}

fn share((good, all): (u64, u64)) -> Option<f64> {
    (all > 0).then(|| good as f64 / all as f64)
}

impl ToolHealth {
    /// Returns the number of executions.
    pub fn executions(&self) -> u64 {
        self.succeeded + self.failures()
    }

    /// Returns the number of failed executions.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    /// Adds the executions of another tool. The newest failure stays.
    fn add(&mut self, other: &Self) {
        self.succeeded += other.succeeded;
        self.retries += other.retries;
        for (class, count) in &other.failed {
            *self.failed.entry(*class).or_default() += count;
        }
        self.choices.extend(&other.choices);
        self.ends.extend(&other.ends);
    }

    /// Returns the share of executions that gave a value, or `None` if it never ran.
    pub fn success_rate(&self) -> Option<f64> {
        share((self.succeeded, self.executions()))
    }

    /// Returns the end of each execution, in UTC milliseconds, the milliseconds that it took, and whether it gave a value.
    pub fn ends(&self) -> impl Iterator<Item = (i64, u64, bool)> {
        self.ends.iter().map(|end| (end.at, end.ms, end.ok))
    }

    /// Returns how many choices of the tool led to a value, and how many there are.
    pub fn choices(&self) -> (u64, u64) {
        let good = self.choices.values().filter(|ok| **ok).count();
        (good as u64, self.choices.len() as u64)
    }

    /// Returns the share of choices of this tool that led to a value, with or without retries.
    pub fn hit_rate(&self) -> Option<f64> {
        share(self.choices())
    }

    /// Returns the time in milliseconds within which `percent` per cent of the executions ended.
    pub fn latency(&self, percent: usize) -> Option<u64> {
        let mut sorted: Vec<u64> = self.ends.iter().map(|end| end.ms).collect();
        sorted.sort_unstable();
        percentile(&sorted, percent)
    }
}

/// Calls of a tool that ended before they ran. This says something about their author, nothing about
/// the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused {
    /// Number of calls with invalid arguments.
    pub invalid: u64,
    /// Number of calls that the operator rejected.
    pub rejected: u64,
}

/// Invalid and rejected calls by tool name.
pub type Refusals = BTreeMap<Arc<str>, Refused>;

/// Returns the invalid and rejected calls of every tool that was named.
pub fn refused(state: &State) -> Refusals {
    let mut found = Refusals::new();
    for call in state.calls.values() {
        let Some(node) = state.nodes.get(&call.id) else {
            continue;
        };
        let tool_at = |rev| match node.revision(rev).map(|revision| &revision.content) {
            Some(Content::Call { tool, .. }) => Some(tool.clone()),
            _ => None,
        };
        for (rev, _, decision) in &call.decisions {
            if matches!(**decision, Decision::Reject { .. })
                && let Some(tool) = tool_at(*rev)
            {
                found.entry(tool).or_default().rejected += 1;
            }
        }
        if call.status == Status::Invalid
            && let Some(tool) = tool_at(node.rev())
        {
            found.entry(tool).or_default().invalid += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests;
