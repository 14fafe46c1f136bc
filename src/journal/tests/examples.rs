//! Examples of every event, with every variant of its contents.

use std::sync::Arc;

use self::resilience::{resilience, weight};
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::call::{EffectClass, ErrorClass, Fault, Outcome};
use overrule_domain::escape::{Detector, LoopStep};
use overrule_domain::event::run::{Confinement, Limits, Started, ToolCard, ToolOrigin};
use overrule_domain::event::{Event, ResilienceEvent, RunEvent, SandboxEvent, TurnEvent, WeightEvent};
use overrule_domain::fork::Elsewhere;
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use overrule_domain::ladder::Fix;
use overrule_domain::node::{Channel, Origin};
use overrule_domain::price::Price;
use overrule_domain::repair::{Certainty, Change, Diagnosis, ErrorKind, Question, Reply, Strategy};
use overrule_domain::repair_stats::RepairStats;
use overrule_domain::rule::RuleSpec;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile, Refused, RefusedKind, Widening};
use overrule_domain::setting_change::SettingChange;
use overrule_domain::turn::{Producer, Stop, StreamFault, StreamFaultKind, Usage};
use overrule_domain::weight::{Learned, StepRecord, ToolOffer, ToolRecord, WeightRecord};

mod agent;
mod call;
mod edit;
mod files;
mod resilience;

pub(super) const CALL: NodeId = NodeId::new(NodeKind::Call, 5);

const REV: Rev = Rev(2);
pub(super) const TURN: TurnId = TurnId(3);

/// Returns one of each, `run.started` first.
pub(super) fn every_event() -> Vec<Event> {
    let mut all = run();
    all.extend(turn());
    all.extend(edit::branches());
    all.extend(call::call());
    all.extend(edit::edit());
    all.extend(super::escape::every());
    all.extend(resilience());
    all.extend(weight());
    all.extend(sandbox());
    all.extend(files::files());
    all
}

fn sandbox() -> Vec<Event> {
    let refused = |kind, what: &str, exact| Refused {
        kind,
        what: what.to_owned(),
        exact,
        kept: None,
    };
    let all = vec![
        SandboxEvent::Confined {
            call: CALL,
            attempt: Attempt(1),
            refused: vec![
                refused(RefusedKind::Network, "registry.example.org:443", true),
                refused(RefusedKind::Write, "/etc/hosts", false),
                refused(RefusedKind::Read, "/home/zoë/.ssh/id", false),
                refused(RefusedKind::Protected, ".mcp.json", true),
            ],
        },
        SandboxEvent::Widened {
            by: Widening::Host("*.example.org:443".to_owned()),
        },
        SandboxEvent::Widened {
            by: Widening::Directory("/dätä".to_owned()),
        },
        SandboxEvent::Confined {
            call: CALL,
            attempt: Attempt(2),
            refused: vec![Refused {
                kept: Some("/state/undone-1/.mcp.json".to_owned()),
                ..refused(RefusedKind::Protected, ".mcp.json", true)
            }],
        },
        SandboxEvent::Kept {
            call: CALL,
            path: ".mcp.json".to_owned(),
            from: "/state/undone-1/.mcp.json".to_owned(),
        },
        SandboxEvent::NotKept {
            call: CALL,
            path: ".mcp.json".to_owned(),
            from: "/state/undone-1/.mcp.json".to_owned(),
            why: "it is gone".to_owned(),
        },
    ];
    let mut all: Vec<Event> = all.into_iter().map(Event::Sandbox).collect();
    all.push(Event::Run(RunEvent::Refitted { started: confined() }));
    all
}

/// The data of a run in a sandbox.
pub(super) fn confined() -> Box<Started> {
    let mut started = started();
    started.sandbox = Confinement::from(Profile {
        level: Level::Workspace,
        write: vec!["/home/zoë/wörk".to_owned()],
        hidden: vec!["/home/zoë/.ssh".to_owned()],
        network: vec!["registry.example.org".to_owned()],
        unix_sockets: true,
        missing: vec![Missing {
            guarantee: Guarantee::Attributes,
            why: "no user namespaces".to_owned(),
        }],
    });
    started
}

pub(super) fn text(text: &str) -> Arc<str> {
    Arc::from(text)
}

pub(super) fn started() -> Box<Started> {
    Box::new(Started {
        version: "0.1.0".to_owned(),
        workspace: "/home/zoë/wörk".to_owned(),
        model: "scripted: audit".to_owned(),
        wire: "scripted".to_owned(),
        system: text("be brief\n"),
        tools: vec![ToolCard {
            name: text("read_file"),
            description: text("reads"),
            schema: text(r#"{"type":"object"}"#),
            effect: EffectClass::Read,
            effect_by: None,
            tags: vec!["external".to_owned()],
            pause_ms: 2_000,
            takes_truncated: true,
            confined: false,
            probe: None,
            compensate: None,
            origin: Some(Box::new(ToolOrigin {
                source: text("mcp"),
                server: Some(text("files")),
                tool: text("read"),
                title: Some(text("Read a file")),
                pin: text("5ab7"),
                drift: Some(text("new: write")),
            })),
        }],
        policy: "guarded".to_owned(),
        sandbox: "none".into(),
        limits: Limits::default(),
        user: text("zoë"),
        input: text("null"),
        setup: text("{}"),
        reuse: overrule_domain::event::run::Reuse::default(),
        hide_edits: true,
        price: Some(Price {
            input: 1,
            cached: Some(0),
            cache_write: Some(1),
            cache_write_1h: Some(2),
            output: u64::MAX,
            currency: text("€"),
        }),
    })
}

fn elsewhere(outcome: Option<Outcome>) -> Arc<Elsewhere> {
    Arc::new(Elsewhere {
        session: text("0199f3c2-0000-7000-8000-000000000001"),
        entry: Seq(7),
        call: CALL,
        tool: text("shell"),
        args: text("{\"a\":\"\\ud800\",\"a\":1e999}"),
        same: text("s"),
        effect: EffectClass::Write,
        at: -1,
        outcome,
    })
}

fn run() -> Vec<Event> {
    let all = vec![
        RunEvent::Started(started()),
        RunEvent::Reopened {
            interrupted: vec![(CALL, Attempt(1))],
            version: "0.1.0".to_owned(),
        },
        RunEvent::Paused {
            reason: "lunch".to_owned(),
        },
        RunEvent::Resumed {},
        RunEvent::Stepped {},
        RunEvent::Restricted {
            reason: text("look first"),
        },
        RunEvent::RestrictionLifted {},
        RunEvent::Stopped {
            reason: String::new(),
        },
        RunEvent::Finished {
            answer: NodeId::new(NodeKind::Answer, 9),
            failed: vec![CALL],
        },
        RunEvent::PolicyChanged {
            policy: "auto".to_owned(),
        },
        RunEvent::Refitted { started: started() },
        RunEvent::LimitReached {
            which: "turns".to_owned(),
            message: "50 of 50".to_owned(),
        },
        RunEvent::LimitsRaised {
            limits: Limits {
                parallel: 1,
                turns: None,
                tokens: Some(u64::MAX),
                wall_ms: Some(0),
                price: Some(7),
                context: Some(overrule_domain::event::run::ContextLimit {
                    tokens: Some(6_000),
                    window: Some(8_000),
                    auto: true,
                    by: overrule_domain::event::run::Reduction::DropTurns,
                }),
            },
        },
        RunEvent::Refused {
            command: "approve".to_owned(),
            reason: "from a child".to_owned(),
        },
        RunEvent::RuleAdded {
            no: 1,
            rule: RuleSpec::Exact {
                call: CALL,
                rev: Rev(2),
                tool: text("shell"),
                key: text("k"),
                bytes: u64::MAX,
            },
        },
        RunEvent::RuleAdded {
            no: u32::MAX,
            rule: RuleSpec::Text {
                text: text("tool = \"read_file\"\ngate = \"allow\""),
            },
        },
        RunEvent::RuleDropped { no: 1 },
        RunEvent::Forked {
            session: text("0199f3c2-0000-7000-8000-000000000001"),
            at: Seq(u64::MAX),
        },
        RunEvent::HappenedElsewhere(elsewhere(None)),
        RunEvent::HappenedElsewhere(elsewhere(Some(Outcome::ok("\"\u{202e}\"")))),
        RunEvent::QuirkLearned {
            server: text("m at 127.0.0.1:1"),
            quirk: text("leave_out:stream_options"),
            words: text("not \u{202e}known"),
        },
        RunEvent::Titled {
            title: "⟨TAB⟩\t\u{202E}".to_owned(),
        },
    ];
    all.into_iter().chain(agent::all()).map(Event::Run).collect()
}

/// An answer that does not fit the output schema.
fn broken(kind: StreamFaultKind, retry_after_ms: Option<u64>) -> TurnEvent {
    TurnEvent::Broken {
        turn: TURN,
        fault: StreamFault {
            kind,
            message: "slow down".to_owned(),
            retry_after_ms,
        },
        usage: Usage::default(),
    }
}

fn unfit() -> TurnEvent {
    TurnEvent::AnswerInvalid {
        turn: TURN,
        node: NodeId::new(NodeKind::Answer, 9),
        rev: REV,
        faults: vec![Fault {
            path: "/n".to_owned(),
            keyword: "type".to_owned(),
            message: "must be a whole number".to_owned(),
        }],
    }
}

fn turn() -> Vec<Event> {
    let usage = Usage {
        input: Some(1),
        cached: None,
        output: Some(u64::MAX),
        reasoning: Some(0),
        cache_write: Some(1),
        cache_write_1h: Some(2),
        is_estimated: true,
    };
    let mut all = vec![
        TurnEvent::Opened {
            turn: TURN,
            thread: ThreadId(0),
            after: None,
            producer: Producer::Operator,
        },
        TurnEvent::Requested {
            turn: TURN,
            thread: ThreadId(1),
            after: Some(TurnId(2)),
            request: 1,
            context: text("aa"),
            hash: text("bb"),
            new: vec![(CALL, REV)],
            notices: vec![text("The tool x is left alone.")],
            last: true,
        },
        TurnEvent::Prompted {
            turn: TURN,
            node: NodeId::new(NodeKind::Prompt, 1),
            text: text("go"),
        },
        TurnEvent::Thought {
            turn: TURN,
            node: NodeId::new(NodeKind::Thought, 2),
            text: text(""),
            channel: Channel::Reasoning,
            opaque: Some(text(r#"{"$payload":1}"#)),
            origin: Origin::Model,
        },
        TurnEvent::Proposed {
            turn: TURN,
            node: CALL,
            provider_id: Some(text("call_1")),
            opaque: Some(text("{\"extra_content\":{\"n\":1.50}}")),
            tool: text("shell"),
            args: text("{\"a\":\"\\ud800\",\"a\":1e999}\u{0}"),
            origin: Origin::Operator { user: text("zoë") },
        },
        TurnEvent::Answered {
            turn: TURN,
            node: NodeId::new(NodeKind::Answer, 9),
            text: text("42"),
            opaque: Some(text("[{\"anthropic\":{\"n\":1.50}}]")),
        },
        unfit(),
        TurnEvent::Matched {
            turn: TURN,
            blocks: 2,
        },
        broken(StreamFaultKind::RateLimit, Some(5)),
        broken(StreamFaultKind::Invalid, None),
        TurnEvent::Aborted {
            turn: TURN,
            reason: text("edit"),
        },
        TurnEvent::Settled {
            turn: TURN,
            errors: vec![CALL],
        },
        TurnEvent::Suspended { turns: vec![TURN] },
        TurnEvent::Restored { turns: vec![] },
        TurnEvent::Superseded {
            turns: vec![TURN, TurnId(4)],
        },
        TurnEvent::Split { turn: TURN },
    ];
    for stop in [
        Stop::End,
        Stop::Calls,
        Stop::Length,
        Stop::Filter,
        Stop::Refusal,
        Stop::Pause,
        Stop::OwnWork,
        Stop::BadCall(text("as text")),
        Stop::Accepted,
        Stop::Other(text("?")),
    ] {
        all.push(TurnEvent::Closed {
            turn: TURN,
            stop,
            usage,
        });
    }
    all.extend(partials());
    all.extend(retries());
    all.into_iter().map(Event::Turn).collect()
}

fn retries() -> [TurnEvent; 2] {
    [
        TurnEvent::RetryScheduled {
            turn: TURN,
            no: 1,
            of: 4,
            wait_ms: 24_000,
            why: text("rate limit"),
        },
        TurnEvent::RetryDue { turn: TURN },
    ]
}

fn partials() -> [TurnEvent; 2] {
    [(0, None, "…"), (3, Some(5), " and on")].map(|(stored, spoken, words)| TurnEvent::Partial {
        turn: TURN,
        prefix_len: stored,
        spoken,
        text: text(words),
    })
}
