//! Defines the metrics of sessions as they are printed.
//!
//! Must not know: what is counted.

use std::collections::BTreeMap;

use serde::Serialize;

use overrule_domain::price::decimal;

use super::{BreakerCounts, RepairCounts, ToolCounts, quantiles, share};

/// The metrics of one session, or of several together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename = "metrics")]
pub struct MetricsView {
    /// Sessions that were read.
    pub sessions: u64,
    /// Sessions of them that can be read in part only, or not at all.
    pub damaged: u64,
    /// Share of all choices of a tool that led to a value, with or without retries; none without choices.
    pub hit_rate: Option<f64>,
    /// Calls of tools that were not on offer.
    pub unknown_tool_calls: u64,
    /// Questions to the operator.
    pub questions: u64,
    /// Times from a question to its decision by a person or their approver.
    pub decisions: TimesView,
    /// Each tool.
    pub tools: Vec<ToolMetricsView>,
    /// Each MCP server: its tools together.
    pub servers: Vec<ToolMetricsView>,
    /// Each breaker that has changed.
    pub breakers: Vec<BreakerMetricsView>,
    /// Repairs by tool and strategy.
    pub repairs: Vec<RepairMetricsView>,
    /// Loops by detector.
    pub loops: Vec<LoopMetricsView>,
}

/// The metrics of a tool, or of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolMetricsView {
    /// Its name, in visible form.
    pub name: String,
    /// The MCP server of a tool.
    pub server: Option<String>,
    /// Calls, whether they ran or not.
    pub calls: u64,
    /// Executions that ended by themselves, with a value or an error of the tool.
    pub executions: u64,
    /// Executions that gave a value.
    pub succeeded: u64,
    /// Executions that failed, by class.
    pub failed: BTreeMap<String, u64>,
    /// Executions beyond the first with the same arguments.
    pub retries: u64,
    /// Share of executions that gave a value.
    pub success_rate: Option<f64>,
    /// Share of choices of the tool that led to a value, with or without retries.
    pub hit_rate: Option<f64>,
    /// How long executions took.
    pub latency: TimesView,
    /// Sudden changes of its weight.
    pub alerts: u64,
    /// Success over time: each hour in which executions ended.
    pub hours: Vec<HourView>,
}

/// Executions that ended within one hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HourView {
    /// Its begin, in UTC milliseconds since 1970.
    pub from: i64,
    /// Executions.
    pub executions: u64,
    /// Executions that gave a value.
    pub succeeded: u64,
}

/// Some times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimesView {
    /// How many.
    pub count: u64,
    /// Their sum, in milliseconds.
    pub sum_ms: u64,
    /// Milliseconds within which half of them are; none without times.
    pub p50_ms: Option<u64>,
    /// Milliseconds within which 99 of 100 are.
    pub p99_ms: Option<u64>,
}

/// The metrics of a breaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BreakerMetricsView {
    /// What it protects: `tool`, `server` or `model`.
    pub of: &'static str,
    /// Its name, in visible form.
    pub name: String,
    /// How often it opened.
    pub openings: u64,
    /// Sessions in which it is closed now.
    pub closed: u64,
    /// Sessions in which it is half open.
    pub half_open: u64,
    /// Sessions in which it is open.
    pub open: u64,
}

/// The repairs of the calls of a tool by one strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepairMetricsView {
    /// The tool, in visible form.
    pub tool: String,
    /// The strategy.
    pub strategy: &'static str,
    /// Repairs that were begun with it.
    pub tried: u64,
    /// Repairs after which the call succeeded.
    pub succeeded: u64,
    /// Repairs that led to no call, or to one that failed because of its arguments.
    pub failed: u64,
    /// Requests to the model.
    pub requests: u64,
    /// Tokens of those.
    pub tokens: u64,
    /// What those cost; empty without a price.
    pub prices: Vec<PriceView>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PriceView {
    /// The number, in full.
    pub amount: String,
    /// The currency.
    pub currency: String,
}

/// The loops that a detector found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LoopMetricsView {
    /// The detector.
    pub detector: &'static str,
    /// How many.
    pub found: u64,
}

impl TimesView {
    /// Builds the view of times in milliseconds.
    pub(super) fn of(times: &[u64]) -> Self {
        let (p50_ms, p99_ms) = quantiles(times);
        Self {
            count: times.len() as u64,
            sum_ms: times.iter().fold(0, |sum, one| sum.saturating_add(*one)),
            p50_ms,
            p99_ms,
        }
    }
}

impl ToolMetricsView {
    pub(super) fn of(name: &str, server: Option<&String>, counts: &ToolCounts) -> Self {
        let executions = counts.succeeded + counts.failed.values().sum::<u64>();
        let hour = |(from, (succeeded, executions)): (&i64, &(u64, u64))| HourView {
            from: *from,
            executions: *executions,
            succeeded: *succeeded,
        };
        Self {
            name: name.to_owned(),
            server: server.cloned(),
            calls: counts.calls,
            executions,
            succeeded: counts.succeeded,
            failed: (counts.failed.iter())
                .map(|(class, count)| (class.label().replace(' ', "_"), *count))
                .collect(),
            retries: counts.retries,
            success_rate: share((counts.succeeded, executions)),
            hit_rate: share(counts.choices),
            latency: TimesView::of(&counts.times),
            alerts: counts.alerts,
            hours: counts.hours.iter().map(hour).collect(),
        }
    }
}

impl BreakerMetricsView {
    pub(super) fn of(of: &'static str, name: &str, counts: BreakerCounts) -> Self {
        Self {
            of,
            name: name.to_owned(),
            openings: counts.openings,
            closed: counts.closed,
            half_open: counts.half_open,
            open: counts.open,
        }
    }
}

impl RepairMetricsView {
    pub(super) fn of(tool: &str, strategy: &'static str, counts: &RepairCounts) -> Self {
        let price = |(currency, amount): (&std::sync::Arc<str>, &u64)| PriceView {
            amount: decimal(*amount),
            currency: super::short(currency),
        };
        Self {
            tool: tool.to_owned(),
            strategy,
            tried: counts.tried,
            succeeded: counts.succeeded,
            failed: counts.failed,
            requests: counts.requests,
            tokens: counts.tokens,
            prices: counts.prices.iter().map(price).collect(),
        }
    }
}
