//! Examples of every event about failures, with every member.
//!
//! Must not know: how events are stored.

use super::*;

pub(super) fn weight() -> Vec<Event> {
    let all = vec![
        WeightEvent::Set {
            kind: text("look"),
            tool: text("search"),
            weight: 1_000,
        },
        WeightEvent::Reset {
            tool: Some(text("search")),
        },
        WeightEvent::Reset { tool: None },
        WeightEvent::Offered {
            thread: ThreadId(1),
            tools: vec![
                ToolOffer {
                    tool: text("search"),
                    note: Some(text("it failed")),
                    hidden: false,
                },
                ToolOffer {
                    tool: text("shell"),
                    note: None,
                    hidden: true,
                },
            ],
        },
        WeightEvent::Imported {
            from: "weights.json".into(),
            learned: Learned {
                weights: vec![WeightRecord {
                    kind: "look".into(),
                    tool: "search".into(),
                    weight: 320,
                    samples: 9,
                }],
                ..Learned::default()
            },
        },
        WeightEvent::Imported {
            from: "earlier sessions of this workspace".into(),
            learned: Learned {
                weights: Vec::new(),
                health: vec![ToolRecord {
                    tool: "search".into(),
                    succeeded: 40,
                    failed: [(ErrorClass::Transient, 4)].into(),
                    retries: 3,
                }],
                steps: vec![StepRecord {
                    detector: Detector::Sequence,
                    tools: vec!["search".into()],
                    step: LoopStep::Refuse,
                    tried: 3,
                    helped: 1,
                }],
                repairs: RepairStats::default(),
            },
        },
        WeightEvent::Noted {
            executions: u64::MAX,
            weights: vec![WeightRecord {
                kind: text("look"),
                tool: text("search"),
                weight: 295,
                samples: 5,
            }],
        },
    ];
    all.into_iter().map(Event::Weight).collect()
}

pub(super) fn resilience() -> Vec<Event> {
    let all = failures().into_iter().chain(repairs());
    all.map(Event::Resilience).collect()
}

fn failures() -> Vec<ResilienceEvent> {
    vec![
        ResilienceEvent::GaveUp {
            call: CALL,
            rev: REV,
            why: text("it does not exist"),
        },
        ResilienceEvent::RetryScheduled {
            call: CALL,
            rev: REV,
            attempt: Attempt(1),
            no: 2,
            of: 4,
            wait_ms: 377,
            why: text("HTTP 503; it changes nothing"),
        },
        ResilienceEvent::RetryDue {
            call: CALL,
            rev: REV,
            attempt: Attempt(1),
            skipped: false,
        },
        ResilienceEvent::RetryDue {
            call: CALL,
            rev: REV,
            attempt: Attempt(2),
            skipped: true,
        },
        ResilienceEvent::BreakerChanged {
            scope: Scope::Server(text("127.0.0.1:80")),
            generation: 1,
            to: Phase::Open,
            wait_ms: 30_000,
            why: text("5 failures in a row"),
            instead: Vec::new(),
        },
        ResilienceEvent::BreakerChanged {
            scope: Scope::Tool(text("book_flight")),
            generation: 2,
            to: Phase::HalfOpen,
            wait_ms: 0,
            why: text(""),
            instead: Vec::new(),
        },
        ResilienceEvent::BreakerChanged {
            scope: Scope::Model(text("qwen3:8b")),
            generation: u32::MAX,
            to: Phase::Closed,
            wait_ms: 0,
            why: text("reset by the operator"),
            instead: Vec::new(),
        },
        ResilienceEvent::PolicySet {
            version: 1,
            policy: text(r#"{"retry":{"retries":2}}"#),
            live: false,
            changed: vec![SettingChange {
                key: text("retry.retries"),
                from: Some(text("4")),
                to: Some(text("2")),
            }],
        },
        ResilienceEvent::PolicySet {
            version: 2,
            policy: text("{}"),
            live: true,
            changed: Vec::new(),
        },
    ]
}

fn repairs() -> Vec<ResilienceEvent> {
    let changes = vec![
        Change {
            path: text("/date"),
            from: Some(text(r#""1/2/2026""#)),
            to: Some(text(r#""2026-02-01""#)),
            strategy: Strategy::DateFormatCorrection,
            certainty: Certainty::Guess,
            why: text("day before month"),
        },
        Change {
            path: text(""),
            from: None,
            to: None,
            strategy: Strategy::None,
            certainty: Certainty::Exact,
            why: text(""),
        },
    ];
    vec![
        ResilienceEvent::RepairStarted {
            call: CALL,
            rev: REV,
            round: 1,
            of: 3,
            class: ErrorClass::Param,
        },
        ResilienceEvent::RepairDiagnosed {
            call: CALL,
            round: 1,
            diagnoses: vec![Diagnosis {
                kind: ErrorKind::FormatError,
                strategies: vec![Strategy::DateFormatCorrection],
                params: vec![text("date")],
                captures: vec![text("date")],
                evidence: text("format: date"),
                description: Some(text("dates are written as YYYY-MM-DD")),
                learnt: Some(text("text_cleanup tried first")),
            }],
        },
        ResilienceEvent::RepairAsked {
            call: CALL,
            rev: REV,
            round: 1,
            question: Question {
                params: vec![text("/passengers")],
                strategies: vec![Strategy::LlmInferMissingParam],
                prompt: text("A tool call failed"),
                schema: text(r#"{"type":"object"}"#),
            },
        },
        ResilienceEvent::RepairBroke {
            call: CALL,
            rev: REV,
            round: 1,
            no: 1,
            of: 4,
            wait_ms: 210,
            why: text("HTTP 503"),
            usage: Usage::default(),
        },
        ResilienceEvent::RepairAnswered {
            call: CALL,
            rev: REV,
            round: 1,
            reply: Reply::Answered {
                text: text(r#"{"passengers":1}"#),
            },
            usage: Usage {
                input: Some(200),
                output: Some(8),
                ..Usage::default()
            },
        },
        ResilienceEvent::RepairAnswered {
            call: CALL,
            rev: REV,
            round: 2,
            reply: Reply::Failed {
                why: text("the connection was closed"),
            },
            usage: Usage::default(),
        },
        ResilienceEvent::RepairOffered {
            call: CALL,
            rev: REV,
            round: 1,
            why: text("it can be read in two ways"),
            options: vec![Fix {
                label: "2026-02-01".to_owned(),
                changes: changes.clone(),
                tool: text("book_flight"),
                args: text(r#"{"date":"2026-02-01"}"#),
            }],
        },
        ResilienceEvent::RepairApplied {
            call: CALL,
            round: 1,
            changes,
        },
    ]
}
