//! Examples of the views of sessions, forks, weights, decisions, and what verbs print of themselves.
//!
//! Must not know: the page.

use std::path::Path;

use serde_json::json;

use super::calls::elsewhere;
use super::{Examples, both, kept, recorded, value};
use crate::alert::{AlertCallView, AlertView, RunStateView};
use crate::audit::{AuditView, ExecutedView, ShownView, Who};
use crate::detached::DetachedView;
use crate::fork::{Becomes, ForkView, RunningView};
use crate::metrics::{
    BreakerMetricsView, HourView, LoopMetricsView, MetricsView, PriceView, RepairMetricsView, TimesView,
    ToolMetricsView,
};
use crate::output::{
    DemoView, EventView, PolicyRuleView, RecordedView, ResetView, ResultView, SettingView, StoredView,
};
use crate::restore::{
    RestoreEffectView, RestoreHeadView, RestoreIgnoredView, RestorePathView, RestoreUntrackedView,
    RestoreView,
};
use crate::sandbox::{AllowedView, CallRefusalsView, GuaranteeView, RefusedView, SandboxView};
use crate::session::{
    DeletedView, ForkPointView, JournalView, PathView, SessionCountsView, SessionDetailView,
    SessionStartView, SessionView, VerifyView,
};
use crate::setup::{CheckView, ModelView, TrustView};
use crate::weight::{LearnedView, WeightChangeView, WeightsView};
use overrule_domain::call::{Digest, EffectClass, Gate, ShownForm};
use overrule_domain::envelope::{Actor, Via};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule_domain::price::Price;
use overrule_domain::weight::Learned;
use overrule_resilience::correction::Correction;
use overrule_resilience::routing::Snapshot;

fn id(text: &str) -> NodeId {
    text.parse().unwrap()
}

fn fork_point() -> ForkPointView<'static> {
    ForkPointView { session: "s", at: 9 }
}

fn session(full: bool) -> SessionView<'static> {
    SessionView {
        session: "s",
        started: full.then_some(1),
        state: "open",
        problem: full.then_some("torn"),
        events: 9,
        model: full.then_some("m"),
        workspace: full.then_some("/w"),
        name: full.then_some("n"),
        bytes: 10,
        fork_of: full.then(fork_point),
        sub_agent_of: full.then_some("s"),
    }
}

fn text(full: bool) -> Option<String> {
    full.then(|| "text".to_owned())
}

fn detail(full: bool) -> SessionDetailView<'static> {
    SessionDetailView {
        fork_of: vec![fork_point()],
        sub_agent_of: full.then_some("s"),
        sub_agents: vec!["s"],
        session: "s",
        start: SessionStartView {
            name: full.then_some("n"),
            model: full.then_some("m"),
            workspace: full.then_some("/w"),
            policy: "supervised",
        },
        journal: JournalView {
            started: full.then_some(1),
            last_event: full.then_some(2),
            events: 9,
            torn: text(full),
            damaged: text(full),
        },
        state: "can continue".to_owned(),
        restricted: full.then_some("a loop"),
        counts: SessionCountsView {
            requests: 1,
            tokens_in: full.then_some(1),
            tokens_cached: full.then_some(1),
            tokens_cache_write: full.then_some(1),
            tokens_cache_write_1h: full.then_some(1),
            tokens_estimated: full,
            tokens_out: full.then_some(1),
            cost: text(full),
            calls: 1,
            executions: 1,
            edits: 1,
            waiting: 1,
        },
        rules: vec!["rule 1: …".to_owned()],
    }
}

fn restore_path(full: bool) -> RestorePathView<'static> {
    RestorePathView {
        path: "a.txt".to_owned(),
        calls: kept([id("c5")]),
        what: "restore",
        status: if full { "conflict" } else { "restore" },
        why: text(full),
        chosen: !full,
    }
}

fn restore_ignored() -> RestoreIgnoredView {
    RestoreIgnoredView {
        call: id("c5"),
        path: "target".to_owned(),
    }
}

fn restore_head() -> RestoreHeadView<'static> {
    RestoreHeadView {
        call: id("c5"),
        hint: "git reset --soft a1b2c3d",
    }
}

fn restore_untracked() -> RestoreUntrackedView<'static> {
    RestoreUntrackedView {
        call: id("c5"),
        why: "too many files",
    }
}

fn restore_effect() -> RestoreEffectView<'static> {
    RestoreEffectView {
        call: id("c6"),
        tool: "http_request",
    }
}

fn restore(full: bool) -> RestoreView<'static> {
    RestoreView {
        still_runs: full.then(|| id("c9")),
        digest: "0123",
        paths: vec![restore_path(true)],
        ignored: vec![restore_ignored()],
        heads: vec![restore_head()],
        untracked: vec![restore_untracked()],
        also_happened: vec![restore_effect()],
    }
}

fn verify(full: bool) -> VerifyView<'static> {
    VerifyView {
        session: "s",
        records: 9,
        chain: "0123".to_owned(),
        torn: text(full),
        damaged: text(full),
        whole: !full,
    }
}

fn running() -> RunningView<'static> {
    RunningView {
        call: id("c3"),
        tool: "shell",
        attempt: Attempt(1),
        becomes: Becomes::OutcomeUnknown,
    }
}

fn fork(full: bool) -> ForkView<'static> {
    ForkView {
        session: full.then_some("t"),
        fork_of: "s",
        at: Seq(5),
        events: Seq(9),
        running: vec![running()],
        streams: kept([TurnId(2)]),
        begin: kept([id("c4")]),
        ask: kept([id("c5")]),
        waiting: 1,
        effects: vec![elsewhere()],
        inside: None,
    }
}

fn learned() -> LearnedView<'static> {
    LearnedView {
        from: "weights.json",
        learned: kept(Learned::default()),
    }
}

fn metrics(full: bool) -> MetricsView {
    MetricsView {
        sessions: 2,
        damaged: 1,
        hit_rate: full.then_some(0.5),
        unknown_tool_calls: 1,
        questions: 3,
        decisions: times(full),
        tools: vec![tool_metrics(true)],
        servers: vec![tool_metrics(false)],
        breakers: vec![breaker_metrics()],
        repairs: vec![repair_metrics()],
        loops: vec![loop_metrics()],
    }
}

fn tool_metrics(full: bool) -> ToolMetricsView {
    ToolMetricsView {
        name: "search".to_owned(),
        server: full.then(|| "docs".to_owned()),
        calls: 3,
        executions: 2,
        succeeded: 1,
        failed: [("transient".to_owned(), 1)].into(),
        retries: 1,
        success_rate: full.then_some(0.5),
        hit_rate: full.then_some(0.5),
        latency: times(full),
        alerts: 0,
        hours: vec![hour()],
    }
}

fn hour() -> HourView {
    HourView {
        from: 3_600_000,
        executions: 2,
        succeeded: 1,
    }
}

fn times(full: bool) -> TimesView {
    TimesView {
        count: u64::from(full),
        sum_ms: 9,
        p50_ms: full.then_some(9),
        p99_ms: full.then_some(9),
    }
}

fn breaker_metrics() -> BreakerMetricsView {
    BreakerMetricsView {
        of: "server",
        name: "docs".to_owned(),
        openings: 1,
        closed: 0,
        half_open: 0,
        open: 1,
    }
}

fn repair_metrics() -> RepairMetricsView {
    RepairMetricsView {
        tool: "book".to_owned(),
        strategy: "text_cleanup",
        tried: 2,
        succeeded: 1,
        failed: 1,
        requests: 1,
        tokens: 210,
        prices: vec![price()],
    }
}

fn price() -> PriceView {
    PriceView {
        amount: "0.0021".to_owned(),
        currency: "USD".to_owned(),
    }
}

fn loop_metrics() -> LoopMetricsView {
    LoopMetricsView {
        detector: "sequence",
        found: 1,
    }
}

fn weights(full: bool) -> WeightsView<'static> {
    let repairs = if full {
        json!({"book": {"text_cleanup": {"tried": 1, "succeeded": 1, "failed": 0}}})
    } else {
        json!({})
    };
    let snapshot: Snapshot = recorded(json!({
        "version": 1, "executions": 2,
        "weights": [{"kind": "default", "tool": "book", "weight": 0.5, "samples": 2}],
    }));
    WeightsView {
        snapshot: Snapshot {
            repairs: recorded(repairs),
            ..snapshot
        },
        started_with: full.then(learned),
    }
}

fn weight_change(full: bool) -> WeightChangeView<'static> {
    WeightChangeView {
        tool: "book",
        kind: "default",
        seq: Seq(9),
        call: full.then(|| id("c3")),
        attempt: full.then_some(Attempt(1)),
        before: 0.5,
        after: 0.6,
        why: "succeeded".to_owned(),
    }
}

fn shown(full: bool) -> ShownView {
    ShownView {
        args: "{}".into(),
        unread: full.then_some(0),
        form: full.then_some(ShownForm::Exact),
        digest: full.then(|| Digest("0123".into())),
        files: vec!["a.sh".into()],
    }
}

fn executed(full: bool) -> ExecutedView {
    ExecutedView {
        attempt: Attempt(1),
        seq: Seq(12),
        args: "{}".into(),
        outcome: "succeeded".to_owned(),
        ms: full.then_some(3),
    }
}

fn audit(full: bool) -> AuditView {
    AuditView {
        seq: Seq(9),
        at: 1,
        who: if full {
            Who::Operator("ada".into(), Some(Via::Shell))
        } else {
            Who::Policy
        },
        action: "approve",
        node: full.then(|| id("c3")),
        rev: full.then_some(Rev(1)),
        tool: full.then(|| "shell".into()),
        waited: full.then_some(5),
        shown: full.then(|| shown(true)),
        rule: text(full),
        reason: text(full),
        detail: text(full),
        why: text(full),
        original: full.then(|| "{}".into()),
        changed: full.then(|| "{}".into()),
        executed: vec![executed(true)],
    }
}

fn alert_call(full: bool) -> AlertCallView {
    AlertCallView {
        call: id("c3"),
        tool: "shell".to_owned(),
        arguments: full.then(|| "{}".to_owned()),
        status: "awaiting approval".to_owned(),
        effect: EffectClass::Unknown,
    }
}

fn alert(full: bool) -> AlertView {
    AlertView {
        restricted: text(full),
        session: "s".to_owned(),
        title: text(full),
        cause: "calls",
        reason: "1 call waits".to_owned(),
        state: RunStateView {
            state: "paused",
            state_reason: text(full),
        },
        waiting: vec![alert_call(true)],
        attempts: vec!["tried".to_owned()],
        events: vec!["happened".to_owned()],
        see: "overrule queue s".to_owned(),
    }
}

fn result(full: bool) -> ResultView<'static> {
    ResultView {
        answer: full.then_some("42"),
        exit: 0,
        session: "s",
        failed_calls: full.then(|| vec![id("c3")]),
        write_conflicts: if full {
            vec![super::calls::conflict(true)]
        } else {
            Vec::new()
        },
        output: full.then(|| json!({"answer": 42})),
    }
}

fn of_verbs() -> Examples {
    let correction: Correction = recorded(json!({"tool": "book", "matches": "full", "error": "permanent"}));
    let stored = StoredView {
        file: "config.toml",
        correction: kept(correction),
    };
    let event = EventView {
        seq: Seq(9),
        at: 1,
        actor: &Actor::Engine,
        event: kept(Event::Run(RunEvent::Resumed {})),
    };
    let recorded = RecordedView {
        seq: Seq(9),
        elsewhere: true,
    };
    let setting = SettingView {
        key: "model",
        value: "m",
        from: "--model",
    };
    let rule = PolicyRuleView {
        rule: "preset supervised: everything asks".to_owned(),
        gate: Gate::Ask,
    };
    let demo = DemoView {
        name: "audit",
        system: "edit and resume",
        what: "reads the workspace",
    };
    let check = CheckView {
        check: "model",
        status: "warning",
        detail: "no model is configured",
    };
    let trust = TrustView {
        file: Path::new("/w/overrule.toml"),
        hash: "0f",
        trusted: false,
        does: &["docs starts: docs-server".to_owned()],
    };
    let reset = ResetView {
        workspace: "/w".to_owned(),
        removed: true,
    };
    vec![
        ("RecordedView", vec![value(&recorded)]),
        ("ResultView", both(result)),
        ("StoredView", vec![value(&stored)]),
        ("EventView", vec![value(&event)]),
        ("SettingView", vec![value(&setting)]),
        ("PolicyRuleView", vec![value(&rule)]),
        ("DemoView", vec![value(&demo)]),
        ("ModelView", both(model)),
        ("CheckView", vec![value(&check)]),
        ("TrustView", vec![value(&trust)]),
        ("ResetView", vec![value(&reset)]),
    ]
    .into_iter()
    .chain(sandbox())
    .collect()
}

fn sandbox() -> Examples {
    let refused = RefusedView {
        kind: "network",
        what: "a.example:443".to_owned(),
        exact: true,
    };
    let call = CallRefusalsView {
        call: "c5".parse().unwrap(),
        attempt: Attempt(1),
        refused: vec![refused.clone()],
    };
    let allowed = AllowedView {
        kind: "host",
        what: "b.example".to_owned(),
    };
    let guarantee = |full: bool| GuaranteeView {
        number: "G2",
        what: "no change of permissions or times outside",
        held: !full,
        loss: full.then_some("permissions of files outside can be changed"),
        why: full.then(|| "no user namespaces".to_owned()),
    };
    let session = SandboxView {
        label: "sandbox 1 partial".to_owned(),
        level: 1,
        write: vec!["/w".to_owned()],
        network: Vec::new(),
        unix_sockets: false,
        hidden: vec!["/home/ada/.ssh".to_owned()],
        allowed: vec![allowed.clone()],
        guarantees: vec![guarantee(true), guarantee(false)],
        refused: vec![call.clone()],
    };
    vec![
        ("SandboxView", vec![value(&session)]),
        ("AllowedView", vec![value(&allowed)]),
        ("GuaranteeView", both(guarantee)),
        ("CallRefusalsView", vec![value(&call)]),
        ("RefusedView", vec![value(&refused)]),
    ]
}

fn model(full: bool) -> ModelView<'static> {
    ModelView {
        name: "fast",
        model: full.then_some("m"),
        wire: "openai-chat",
        server: "http://h/v1".to_owned(),
        window: full.then_some(4_096),
        price: full.then(|| {
            kept(Price {
                input: 1,
                cached: None,
                cache_write: None,
                cache_write_1h: None,
                output: 2,
                currency: "USD".into(),
            })
        }),
        answer: "has it",
    }
}

pub(super) fn examples() -> Examples {
    let mut all = vec![
        ("SessionView", both(session)),
        ("ForkPointView", vec![value(&fork_point())]),
        ("SessionDetailView", both(detail)),
        ("VerifyView", both(verify)),
        ("RestoreView", vec![value(&restore(true)), value(&restore(false))]),
        (
            "DetachedView",
            vec![value(&DetachedView {
                session: "s".to_owned(),
                address: "s".to_owned(),
                sandbox: "sandbox 1".to_owned(),
            })],
        ),
        ("RestorePathView", both(restore_path)),
        ("RestoreIgnoredView", vec![value(&restore_ignored())]),
        ("RestoreHeadView", vec![value(&restore_head())]),
        ("RestoreUntrackedView", vec![value(&restore_untracked())]),
        ("RestoreEffectView", vec![value(&restore_effect())]),
        ("DeletedView", vec![value(&DeletedView { deleted: "s" })]),
        ("PathView", vec![value(&PathView { path: "/s" })]),
        ("ForkView", both(fork)),
        ("RunningView", vec![value(&running())]),
        ("MetricsView", both(metrics)),
        ("ToolMetricsView", both(tool_metrics)),
        ("HourView", vec![value(&hour())]),
        ("TimesView", both(times)),
        ("BreakerMetricsView", vec![value(&breaker_metrics())]),
        ("RepairMetricsView", vec![value(&repair_metrics())]),
        ("PriceView", vec![value(&price())]),
        ("LoopMetricsView", vec![value(&loop_metrics())]),
        ("WeightsView", both(weights)),
        ("LearnedView", vec![value(&learned())]),
        ("WeightChangeView", both(weight_change)),
        ("AuditView", both(audit)),
        ("ShownView", both(shown)),
        ("ExecutedView", both(executed)),
        ("AlertView", both(alert)),
        ("AlertCallView", both(alert_call)),
    ];
    all.extend(of_verbs());
    all
}
