//! Writes metrics as lines for people.
//!
//! Must not know: other formats.

use overrule_present::many;
use overrule_present::metrics::{MetricsView, TimesView, ToolMetricsView};
use overrule_present::time;

/// Columns of a name.
const NAME: usize = 24;
/// Hours that are listed of a tool, the newest.
const HOURS: usize = 6;

/// Returns the metrics as lines.
pub fn text(view: &MetricsView) -> String {
    let mut lines = vec![named("sessions", &sessions(view))];
    if let Some(rate) = view.hit_rate {
        lines.push(named(
            "hit rate",
            &format!("{} of choices of a tool led to a value", percent(rate)),
        ));
    }
    let decisions = times(&view.decisions);
    let asked = many(view.questions as usize, "question");
    lines.push(named(
        "decisions",
        &format!("{asked}; {} decided{decisions}", view.decisions.count),
    ));
    if view.unknown_tool_calls > 0 {
        let calls = many(view.unknown_tool_calls as usize, "call");
        lines.push(named("unknown tools", &calls));
    }
    for tool in &view.tools {
        lines.push(named(&tool.name, &describe(tool)));
        lines.extend(hours(tool));
    }
    for server in &view.servers {
        lines.push(named(&format!("server:{}", server.name), &describe(server)));
    }
    for one in &view.breakers {
        let states = [
            (one.open, "open"),
            (one.half_open, "half open"),
            (one.closed, "closed"),
        ];
        let states = states.iter().filter(|(count, _)| *count > 0);
        let states: Vec<String> = states
            .map(|(count, state)| format!("{state} in {count}"))
            .collect();
        let opened = many(one.openings as usize, "time");
        let words = format!("breaker opened {opened}; {}", states.join(", "));
        lines.push(named(&format!("{}:{}", one.of, one.name), &words));
    }
    for one in &view.repairs {
        let mut words = format!(
            "repairs by {}: {} of {} succeeded",
            one.strategy, one.succeeded, one.tried
        );
        for (count, unit) in [(one.requests, "request"), (one.tokens, "token")] {
            if count > 0 {
                words = format!("{words}, {}", many(count as usize, unit));
            }
        }
        for price in &one.prices {
            words = format!("{words}, {} {}", price.amount, price.currency);
        }
        lines.push(named(&one.tool, &words));
    }
    for one in &view.loops {
        lines.push(named(
            "loops",
            &format!("{} found by {}", one.found, one.detector),
        ));
    }
    lines.join("\n")
}

fn named(name: &str, words: &str) -> String {
    format!("{name:NAME$} {words}")
}

fn sessions(view: &MetricsView) -> String {
    match view.damaged {
        0 => view.sessions.to_string(),
        damaged => format!("{}, {damaged} of them damaged", view.sessions),
    }
}

fn percent(rate: f64) -> String {
    format!("{:.0}%", rate * 100.0)
}

fn describe(tool: &ToolMetricsView) -> String {
    let calls = many(tool.calls as usize, "call");
    let mut words = format!(
        "{calls}; {} of {} succeeded",
        tool.succeeded,
        many(tool.executions as usize, "execution")
    );
    for (class, count) in &tool.failed {
        words = format!("{words}, {count} {class}");
    }
    if tool.retries > 0 {
        words = format!(
            "{words}; {}",
            if tool.retries == 1 {
                "1 retry".to_owned()
            } else {
                format!("{} retries", tool.retries)
            }
        );
    }
    if let Some(rate) = tool.hit_rate {
        words = format!("{words}; hit rate {}", percent(rate));
    }
    if tool.alerts > 0 {
        words = format!("{words}; {}", many(tool.alerts as usize, "alert"));
    }
    format!("{words}{}", times(&tool.latency))
}

fn times(times: &TimesView) -> String {
    match (times.p50_ms, times.p99_ms) {
        (Some(p50), Some(p99)) => format!("; p50 {p50} ms, p99 {p99} ms"),
        _ => String::new(),
    }
}

/// Success over time, if there is more than one hour.
fn hours(tool: &ToolMetricsView) -> Vec<String> {
    if tool.hours.len() < 2 {
        return Vec::new();
    }
    let newest = tool.hours.iter().rev().take(HOURS).rev();
    newest
        .map(|hour| {
            let from = time::minute(Some(hour.from));
            named(
                "",
                &format!("{from} {} of {} succeeded", hour.succeeded, hour.executions),
            )
        })
        .collect()
}
