//! Tests of printed metrics.
//!
//! Must not know: what is measured.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{prometheus, text};
use overrule_present::metrics::{
    BreakerMetricsView, HourView, LoopMetricsView, MetricsView, PriceView, RepairMetricsView, TimesView,
    ToolMetricsView,
};

fn times(count: u64) -> TimesView {
    TimesView {
        count,
        sum_ms: 1_250 * count,
        p50_ms: (count > 0).then_some(250),
        p99_ms: (count > 0).then_some(1_000),
    }
}

fn tool(name: &str, server: Option<&str>) -> ToolMetricsView {
    ToolMetricsView {
        name: name.to_owned(),
        server: server.map(str::to_owned),
        calls: 3,
        executions: 4,
        succeeded: 3,
        failed: BTreeMap::from([("not_found".to_owned(), 1)]),
        retries: 1,
        success_rate: Some(0.75),
        hit_rate: Some(1.0),
        latency: times(4),
        alerts: 2,
        hours: [3_600_000, 7_200_000]
            .map(|from| HourView {
                from,
                executions: 2,
                succeeded: 1,
            })
            .to_vec(),
    }
}

fn whole() -> MetricsView {
    MetricsView {
        sessions: 2,
        damaged: 1,
        hit_rate: Some(0.5),
        unknown_tool_calls: 1,
        questions: 3,
        decisions: times(2),
        tools: vec![tool("read", None), tool("a\"b\\c\nd{e}", Some("docs"))],
        servers: vec![tool("docs", None)],
        breakers: vec![BreakerMetricsView {
            of: "server",
            name: "docs".to_owned(),
            openings: 2,
            closed: 0,
            half_open: 1,
            open: 1,
        }],
        repairs: vec![RepairMetricsView {
            tool: "read".to_owned(),
            strategy: "text_cleanup",
            tried: 2,
            succeeded: 1,
            failed: 1,
            requests: 1,
            tokens: 210,
            prices: vec![PriceView {
                amount: "0.0021".to_owned(),
                currency: "USD".to_owned(),
            }],
        }],
        loops: vec![LoopMetricsView {
            detector: "sequence",
            found: 1,
        }],
    }
}

fn empty() -> MetricsView {
    MetricsView {
        sessions: 0,
        damaged: 0,
        hit_rate: None,
        unknown_tool_calls: 0,
        questions: 0,
        decisions: times(0),
        tools: Vec::new(),
        servers: Vec::new(),
        breakers: Vec::new(),
        repairs: Vec::new(),
        loops: Vec::new(),
    }
}

/// The samples of a page by name and labels. Fails if it is not in the text format.
fn samples(page: &str) -> BTreeMap<String, f64> {
    let help = Regex::new(r"^# HELP ([a-z_:][a-z0-9_:]*) .+$").unwrap();
    let kind = Regex::new(r"^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|summary)$").unwrap();
    let sample =
        Regex::new(r#"^([a-z_:][a-z0-9_:]*)(\{[a-z_]+="(?:[^"\\]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\]|\\["\\n])*")*\})? (\S+)$"#)
            .unwrap();
    let mut found = BTreeMap::new();
    let (mut families, mut family, mut of) = (BTreeSet::new(), String::new(), String::new());
    assert!(page.ends_with('\n'), "the last line ends, too");
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(head) = help.captures(line) {
            family = head[1].to_owned();
            assert!(families.insert(family.clone()), "{family} is one group");
            let kind = kind.captures(lines.next().unwrap()).expect("a type");
            assert_eq!(kind[1], family);
            of = kind[2].to_owned();
            assert_eq!(of == "counter", family.ends_with("_total"), "{family}");
            continue;
        }
        let sample = sample
            .captures(line)
            .unwrap_or_else(|| panic!("no sample: {line}"));
        let own = sample[1] == family
            || of == "summary"
                && ["_sum", "_count"]
                    .iter()
                    .any(|end| sample[1] == format!("{family}{end}"));
        assert!(own, "{line} is in the group of {family}");
        let name = format!(
            "{}{}",
            &sample[1],
            sample.get(2).map_or("", |labels| labels.as_str())
        );
        assert_eq!(
            found.insert(name, sample[3].parse().unwrap()),
            None,
            "{line} is there once"
        );
    }
    found
}

#[test]
fn a_page_is_valid_and_its_labels_are_escaped() {
    let page = prometheus(&whole());
    let all = samples(&page);
    let is = |name: &str, value: f64| assert_eq!(all.get(name), Some(&value), "{name} in {page}");
    is("overrule_sessions", 2.0);
    is(
        r#"overrule_tool_calls_total{tool="a\"b\\c\nd{e}",server="docs"}"#,
        3.0,
    );
    is(r#"overrule_tool_calls_total{tool="read"}"#, 3.0);
    is(
        r#"overrule_server_executions_total{server="docs",outcome="failed"}"#,
        1.0,
    );
    is(
        r#"overrule_tool_failures_total{tool="read",class="not_found"}"#,
        1.0,
    );
    is(
        r#"overrule_tool_execution_duration_seconds{tool="read",quantile="0.99"}"#,
        1.0,
    );
    is(
        r#"overrule_tool_execution_duration_seconds{tool="read",quantile="0.5"}"#,
        0.25,
    );
    is(
        r#"overrule_tool_execution_duration_seconds_sum{tool="read"}"#,
        5.0,
    );
    is(
        r#"overrule_breaker_state{of="server",name="docs",state="half_open"}"#,
        1.0,
    );
    is(
        r#"overrule_repair_price_total{tool="read",strategy="text_cleanup",currency="USD"}"#,
        0.0021,
    );
    is("overrule_decision_wait_seconds_count", 2.0);
    is(r#"overrule_loops_total{detector="sequence"}"#, 1.0);
}

#[test]
fn a_page_of_nothing_has_zeros_and_no_empty_family() {
    let page = prometheus(&empty());
    let all = samples(&page);
    assert_eq!(all.get("overrule_sessions"), Some(&0.0));
    assert_eq!(all.get("overrule_decision_wait_seconds_count"), Some(&0.0));
    assert!(
        !page.contains("overrule_tool") && !page.contains("quantile"),
        "{page}"
    );
}

#[test]
fn the_text_has_a_line_for_each_thing() {
    let text = text(&whole());
    for line in [
        "sessions                 2, 1 of them damaged",
        "hit rate                 50% of choices of a tool led to a value",
        "decisions                3 questions; 2 decided; p50 250 ms, p99 1000 ms",
        "read                     3 calls; 3 of 4 executions succeeded, 1 not_found; 1 retry; hit rate 100%; 2 alerts; \
         p50 250 ms, p99 1000 ms",
        "                         1970-01-01 02:00 UTC 1 of 2 succeeded",
        "server:docs              breaker opened 2 times; open in 1, half open in 1",
        "read                     repairs by text_cleanup: 1 of 2 succeeded, 1 request, 210 tokens, 0.0021 USD",
        "loops                    1 found by sequence",
    ] {
        assert!(text.lines().any(|one| one == line), "no `{line}` in\n{text}");
    }
}
