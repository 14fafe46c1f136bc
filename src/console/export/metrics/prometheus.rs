//! Writes metrics in the text format of Prometheus, version 0.0.4.
//!
//! Must not know: who reads them.
//!
//! Format: <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>.

use std::fmt::Write as _;

use overrule_present::metrics::{MetricsView, TimesView, ToolMetricsView};

/// Labels of a sample: names and values.
type Labels<'v> = Vec<(&'static str, &'v str)>;

/// Returns the metrics, a family after the other; one without samples is left out.
pub fn prometheus(view: &MetricsView) -> String {
    let mut out = Page::default();
    out.family("overrule_sessions", "gauge", "Sessions that were read.");
    out.sample("", &[], view.sessions);
    out.family(
        "overrule_sessions_damaged",
        "gauge",
        "Sessions that can be read in part only, or not at all.",
    );
    out.sample("", &[], view.damaged);
    let tools: Vec<(Labels<'_>, &ToolMetricsView)> = (view.tools.iter())
        .map(|one| {
            let server = one.server.as_deref().unwrap_or_default();
            (vec![("tool", &*one.name), ("server", server)], one)
        })
        .collect();
    of_tools(&mut out, "overrule_tool", &tools);
    let servers: Vec<(Labels<'_>, &ToolMetricsView)> = (view.servers.iter())
        .map(|one| (vec![("server", &*one.name)], one))
        .collect();
    of_tools(&mut out, "overrule_server", &servers);
    out.family(
        "overrule_unknown_tool_calls_total",
        "counter",
        "Calls of tools that were not on offer.",
    );
    out.sample("", &[], view.unknown_tool_calls);
    if let Some(rate) = view.hit_rate {
        out.family(
            "overrule_hit_ratio",
            "gauge",
            "Share of choices of a tool that led to a value.",
        );
        out.sample("", &[], rate);
    }
    breakers(&mut out, view);
    repairs(&mut out, view);
    out.family(
        "overrule_loops_total",
        "counter",
        "Loops that were found, by detector.",
    );
    for one in &view.loops {
        out.sample("", &[("detector", one.detector)], one.found);
    }
    out.family(
        "overrule_questions_total",
        "counter",
        "Questions to the operator.",
    );
    out.sample("", &[], view.questions);
    out.times(
        "overrule_decision_wait_seconds",
        "Time from a question to its decision by a person or their approver.",
    );
    out.summary(&[], &view.decisions);
    out.text
}

/// Adds the families of tools or servers.
fn of_tools(out: &mut Page, prefix: &str, tools: &[(Labels<'_>, &ToolMetricsView)]) {
    let family = |name: &str| format!("{prefix}_{name}");
    out.family(
        &family("calls_total"),
        "counter",
        "Calls, whether they ran or not.",
    );
    for (labels, one) in tools {
        out.sample("", labels, one.calls);
    }
    out.family(
        &family("executions_total"),
        "counter",
        "Executions that ended with a value or an error of the tool.",
    );
    for (labels, one) in tools {
        for (outcome, count) in [
            ("succeeded", one.succeeded),
            ("failed", one.executions - one.succeeded),
        ] {
            out.sample("", &with(labels, "outcome", outcome), count);
        }
    }
    out.family(
        &family("failures_total"),
        "counter",
        "Executions that failed, by class of error.",
    );
    for (labels, one) in tools {
        for (class, count) in &one.failed {
            out.sample("", &with(labels, "class", class), *count);
        }
    }
    out.family(
        &family("retries_total"),
        "counter",
        "Executions beyond the first with the same arguments.",
    );
    for (labels, one) in tools {
        out.sample("", labels, one.retries);
    }
    out.family(
        &family("alerts_total"),
        "counter",
        "Sudden changes of the weight of a tool.",
    );
    for (labels, one) in tools {
        out.sample("", labels, one.alerts);
    }
    out.family(
        &family("hit_ratio"),
        "gauge",
        "Share of choices of the tool that led to a value.",
    );
    for (labels, one) in tools {
        if let Some(rate) = one.hit_rate {
            out.sample("", labels, rate);
        }
    }
    out.times(&family("execution_duration_seconds"), "Duration of executions.");
    for (labels, one) in tools {
        out.summary(labels, &one.latency);
    }
}

fn breakers(out: &mut Page, view: &MetricsView) {
    out.family(
        "overrule_breaker_state",
        "gauge",
        "Sessions in which the breaker has the state.",
    );
    for one in &view.breakers {
        let labels = [("of", one.of), ("name", &*one.name)];
        for (state, count) in [
            ("closed", one.closed),
            ("half_open", one.half_open),
            ("open", one.open),
        ] {
            out.sample("", &with(&labels, "state", state), count);
        }
    }
    out.family(
        "overrule_breaker_openings_total",
        "counter",
        "How often the breaker opened.",
    );
    for one in &view.breakers {
        out.sample("", &[("of", one.of), ("name", &one.name)], one.openings);
    }
}

fn repairs(out: &mut Page, view: &MetricsView) {
    let labels = |tool, strategy| [("tool", tool), ("strategy", strategy)];
    out.family(
        "overrule_repairs_started_total",
        "counter",
        "Repairs that were begun.",
    );
    for one in &view.repairs {
        out.sample("", &labels(&*one.tool, one.strategy), one.tried);
    }
    out.family("overrule_repairs_ended_total", "counter", "Repairs by outcome.");
    for one in &view.repairs {
        for (outcome, count) in [("succeeded", one.succeeded), ("failed", one.failed)] {
            out.sample(
                "",
                &with(&labels(&*one.tool, one.strategy), "outcome", outcome),
                count,
            );
        }
    }
    out.family(
        "overrule_repair_requests_total",
        "counter",
        "Requests to the model for repairs.",
    );
    for one in &view.repairs {
        out.sample("", &labels(&*one.tool, one.strategy), one.requests);
    }
    out.family(
        "overrule_repair_tokens_total",
        "counter",
        "Tokens of the requests for repairs.",
    );
    for one in &view.repairs {
        out.sample("", &labels(&*one.tool, one.strategy), one.tokens);
    }
    out.family(
        "overrule_repair_price_total",
        "counter",
        "Price of the requests for repairs, where it is known.",
    );
    for one in &view.repairs {
        for price in &one.prices {
            let labels = with(&labels(&*one.tool, one.strategy), "currency", &price.currency);
            out.sample("", &labels, &price.amount);
        }
    }
}

fn with<'v>(labels: &[(&'static str, &'v str)], name: &'static str, value: &'v str) -> Labels<'v> {
    let mut all = labels.to_vec();
    all.push((name, value));
    all
}

/// The text while it is written.
#[derive(Default)]
struct Page {
    text: String,
    /// The name of the family that samples belong to.
    name: String,
    /// Its comment lines, until it has a sample.
    head: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        name.clone_into(&mut self.name);
        self.head = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn times(&mut self, name: &str, help: &str) {
        self.family(name, "summary", help);
    }

    fn sample(&mut self, suffix: &str, labels: &[(&'static str, &str)], value: impl std::fmt::Display) {
        self.text.push_str(&std::mem::take(&mut self.head));
        let _ = write!(self.text, "{}{suffix}", self.name);
        // An empty label is the same as none.
        let labels = labels.iter().filter(|(_, value)| !value.is_empty());
        let labels: Vec<String> = labels
            .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
            .collect();
        if !labels.is_empty() {
            let _ = write!(self.text, "{{{}}}", labels.join(","));
        }
        let _ = writeln!(self.text, " {value}");
    }

    /// Adds the samples of a summary: its quantiles in seconds, sum and count.
    fn summary(&mut self, labels: &[(&'static str, &str)], times: &TimesView) {
        for (quantile, ms) in [("0.5", times.p50_ms), ("0.99", times.p99_ms)] {
            if let Some(ms) = ms {
                self.sample("", &with(labels, "quantile", quantile), seconds(ms));
            }
        }
        self.sample("_sum", labels, seconds(times.sum_ms));
        self.sample("_count", labels, times.count);
    }
}

/// A label value in the form of the format.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// Milliseconds as seconds, digit by digit.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
