//! Measures sessions: tools, servers, breakers, repairs, loops, questions and decisions.
//!
//! Must not know: where sessions are stored, how metrics are printed.
//!
//! Adds up what the read models of each session know. Names are in visible form, so that each row has a name of its own.

mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use overrule_base::text::visible_head;
use overrule_domain::apply::fold;
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::call::ErrorClass;
use overrule_domain::envelope::Envelope;
use overrule_domain::node::Node;
use overrule_domain::price::Price;
use overrule_domain::state::State;
use overrule_resilience::health::{ToolHealth, percentile};
use overrule_resilience::routing::Settings;
use overrule_resilience::watch::Watch;

use super::audit::{Who, entries};

pub use view::{
    BreakerMetricsView, HourView, LoopMetricsView, MetricsView, PriceView, RepairMetricsView, TimesView,
    ToolMetricsView,
};

/// Maximum characters of a name.
const NAME: usize = 128;
/// Milliseconds of an hour.
const HOUR: i64 = 3_600_000;

/// A tool by its name and its server.
type ToolName = (String, Option<String>);

/// The metrics of some sessions.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    sessions: u64,
    damaged: u64,
    tools: BTreeMap<ToolName, ToolCounts>,
    /// Calls of tools that no list of tools has.
    unknown_tool_calls: u64,
    breakers: BTreeMap<(&'static str, String), BreakerCounts>,
    repairs: BTreeMap<(String, &'static str), RepairCounts>,
    loops: BTreeMap<&'static str, u64>,
    questions: u64,
    /// Milliseconds between a question and the decision of a person or their approver.
    decisions: Vec<u64>,
}

/// What is counted of a tool.
#[derive(Debug, Clone, Default)]
struct ToolCounts {
    calls: u64,
    succeeded: u64,
    failed: BTreeMap<ErrorClass, u64>,
    retries: u64,
    alerts: u64,
    /// Choices of the tool that led to a value, and all.
    choices: (u64, u64),
    /// Milliseconds of each execution.
    times: Vec<u64>,
    /// By the hour in which executions ended (UTC milliseconds): how many succeeded, and all.
    hours: BTreeMap<i64, (u64, u64)>,
}

/// What is counted of a breaker.
#[derive(Debug, Clone, Copy, Default)]
struct BreakerCounts {
    openings: u64,
    closed: u64,
    half_open: u64,
    open: u64,
}

/// What is counted of the repairs of a tool by a strategy.
#[derive(Debug, Clone, Default)]
struct RepairCounts {
    tried: u64,
    succeeded: u64,
    failed: u64,
    requests: u64,
    tokens: u64,
    /// Trillionths, by currency.
    prices: BTreeMap<Arc<str>, u64>,
}

impl Metrics {
    /// Adds a session by its events; `is_damaged` if there are more, which cannot be read.
    pub fn add(&mut self, envelopes: &[Envelope], is_damaged: bool) {
        self.sessions += 1;
        self.damaged += u64::from(is_damaged);
        let state = fold(envelopes);
        let watch = Watch::new(Settings::default()).on(&state);
        let servers = servers(&state);
        let named = |tool: &str| (short(tool), servers.get(tool).map(|server| short(server)));
        for (tool, health) in watch.health.tools() {
            self.tools.entry(named(tool)).or_default().take(health);
        }
        for alert in watch.weights.alerts() {
            self.tools.entry(named(&alert.tool)).or_default().alerts += 1;
        }
        let cards = state.started.iter().flat_map(|started| &started.tools);
        let known: BTreeSet<&str> = cards.map(|card| &*card.name).collect();
        for call in state.calls.values() {
            let tool = state
                .nodes
                .get(&call.id)
                .and_then(Node::as_call)
                .map(|(tool, _)| &**tool);
            match tool.filter(|tool| known.contains(tool) || watch.health.tool(tool).is_some()) {
                Some(tool) => self.tools.entry(named(tool)).or_default().calls += 1,
                None => self.unknown_tool_calls += 1,
            }
        }
        self.guards(&state);
        self.questions += u64::from(state.operator.asks.total());
        let by_person = |who: &Who| matches!(who, Who::Operator(..) | Who::Approver(_));
        let entries = entries(envelopes)
            .into_iter()
            .filter(|entry| by_person(&entry.who));
        self.decisions.extend(entries.filter_map(|entry| entry.waited));
    }

    /// Adds a session of which nothing can be read.
    pub fn add_unreadable(&mut self) {
        self.sessions += 1;
        self.damaged += 1;
    }

    /// Adds breakers, repairs and loops.
    fn guards(&mut self, state: &State) {
        for (scope, breaker) in state
            .learned
            .breakers
            .iter()
            .filter(|(_, one)| one.generation > 0)
        {
            let (of, name) = match scope {
                Scope::Tool(name) => ("tool", name),
                Scope::Server(name) => ("server", name),
                Scope::Model(name) => ("model", name),
            };
            let counts = self.breakers.entry((of, short(name))).or_default();
            counts.openings += u64::from(breaker.trips);
            match breaker.phase {
                Phase::Closed => counts.closed += 1,
                Phase::HalfOpen => counts.half_open += 1,
                Phase::Open => counts.open += 1,
            }
        }
        let price = state.started.as_ref().and_then(|started| started.price.as_ref());
        for (tool, by_strategy) in &state.learned.repair_stats.tools {
            for (strategy, count) in by_strategy {
                let counts = self.repairs.entry((short(tool), strategy.name())).or_default();
                counts.tried += u64::from(count.tried);
                counts.succeeded += u64::from(count.succeeded);
                counts.failed += u64::from(count.failed);
                counts.requests += u64::from(count.requests);
                counts.tokens += count.tokens().unwrap_or(0);
                if let Some(money) = price.and_then(|price: &Price| price.of(count.usage)) {
                    let sum = counts.prices.entry(money.currency).or_default();
                    *sum = sum.saturating_add(money.amount);
                }
            }
        }
        for incident in &state.learned.escape.incidents {
            *self.loops.entry(incident.finding.detector.name()).or_default() += 1;
        }
    }

    /// Returns the metrics as they are printed.
    pub fn view(&self) -> MetricsView {
        let mut servers: BTreeMap<&String, ToolCounts> = BTreeMap::new();
        let mut all = ToolCounts::default();
        for ((_, server), counts) in &self.tools {
            all.add(counts);
            if let Some(server) = server {
                servers.entry(server).or_default().add(counts);
            }
        }
        let tools = self.tools.iter();
        let tools = tools.map(|((name, server), counts)| ToolMetricsView::of(name, server.as_ref(), counts));
        MetricsView {
            sessions: self.sessions,
            damaged: self.damaged,
            hit_rate: share(all.choices),
            unknown_tool_calls: self.unknown_tool_calls,
            questions: self.questions,
            decisions: TimesView::of(&self.decisions),
            tools: tools.collect(),
            servers: (servers.iter())
                .map(|(name, counts)| ToolMetricsView::of(name, None, counts))
                .collect(),
            breakers: (self.breakers.iter())
                .map(|((of, name), counts)| BreakerMetricsView::of(of, name, *counts))
                .collect(),
            repairs: (self.repairs.iter())
                .map(|((tool, strategy), counts)| RepairMetricsView::of(tool, strategy, counts))
                .collect(),
            loops: (self.loops.iter())
                .map(|(detector, found)| LoopMetricsView {
                    detector,
                    found: *found,
                })
                .collect(),
        }
    }
}

impl ToolCounts {
    fn take(&mut self, health: &ToolHealth) {
        self.succeeded += health.succeeded;
        for (class, count) in &health.failed {
            *self.failed.entry(*class).or_default() += count;
        }
        self.retries += health.retries;
        let (good, all) = health.choices();
        self.choices = (self.choices.0 + good, self.choices.1 + all);
        for (at, ms, ok) in health.ends() {
            self.times.push(ms);
            let hour = self.hours.entry(at.div_euclid(HOUR) * HOUR).or_default();
            *hour = (hour.0 + u64::from(ok), hour.1 + 1);
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.succeeded += other.succeeded;
        for (class, count) in &other.failed {
            *self.failed.entry(*class).or_default() += count;
        }
        self.retries += other.retries;
        self.alerts += other.alerts;
        self.choices = (self.choices.0 + other.choices.0, self.choices.1 + other.choices.1);
        self.times.extend(&other.times);
        for (at, (good, all)) in &other.hours {
            let hour = self.hours.entry(*at).or_default();
            *hour = (hour.0 + good, hour.1 + all);
        }
    }
}

/// The server of each tool that has one.
fn servers(state: &State) -> BTreeMap<&str, &str> {
    let cards = state.started.iter().flat_map(|started| &started.tools);
    cards
        .filter_map(|card| Some((&*card.name, card.server()?)))
        .collect()
}

fn short(name: &str) -> String {
    visible_head(name, NAME)
}

fn share((good, all): (u64, u64)) -> Option<f64> {
    (all > 0).then(|| good as f64 / all as f64)
}

/// Milliseconds within which half, and 99 of 100, of some times are.
fn quantiles(times: &[u64]) -> (Option<u64>, Option<u64>) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    (percentile(&sorted, 50), percentile(&sorted, 99))
}

#[cfg(test)]
mod tests;
