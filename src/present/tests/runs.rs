//! Examples of the views of branches, loops and the graph.
//!
//! Must not know: the page.

use std::borrow::Cow;

use serde_json::json;

use super::calls::{change, diagnosis};
use super::{Examples, both, kept, recorded, value};
use crate::branch::{BranchView, CompareView, ComparedView, SideView, SumView};
use crate::call::CallStatusView;
use crate::graph::{
    ActiveEdgeView, ActiveGraphView, ActiveNodeView, CallNodeView, CancelledView, ContentView, EditView,
    ErrorView, GraphView, JourneyView, NodeTimesView, NodeView, PhaseView, RanView, RoundView, TurnView,
};
use crate::loops::{LessonView, LessonsView, LoopView, ProposalState, ProposalView, StepView};
use overrule_domain::call::{EffectClass, ErrorClass, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::escape::{Finding, LoopStep, Signature, StepOutcome};
use overrule_domain::graph::{Edge, EdgeKind};
use overrule_domain::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId, TurnId};
use overrule_domain::ladder::Fix;
use overrule_domain::repair::Phase;
use overrule_domain::repair_trace::ExitReason;
use overrule_domain::turn::Producer;

fn id(text: &str) -> NodeId {
    text.parse().unwrap()
}

fn text(full: bool) -> Option<String> {
    full.then(|| "text".to_owned())
}

fn sum(full: bool) -> SumView<'static> {
    SumView {
        answer: full.then(|| id("a9")),
        text: full.then_some("42"),
        calls: 1,
        executions: 1,
        requests: 1,
        tokens_in: full.then_some(1),
        tokens_estimated: full,
        tokens_out: full.then_some(1),
        cost: text(full),
    }
}

fn branch(full: bool) -> BranchView<'static> {
    BranchView {
        branch: Epoch(1),
        base: Epoch(0),
        current: true,
        name: full.then_some("n"),
        what: "rewrote t3".to_owned(),
        sum: sum(full),
    }
}

fn side() -> SideView<'static> {
    SideView {
        branch: Epoch(1),
        sum: sum(true),
    }
}

fn compared(full: bool) -> ComparedView {
    ComparedView {
        node_a: full.then(|| id("c3")),
        node_b: full.then(|| id("c5")),
        a: full.then_some(Rev(1)),
        b: full.then_some(Rev(2)),
        same: false,
        differs: vec!["result"],
        text_a: text(full),
        text_b: text(full),
        result_a: text(full),
        result_b: text(full),
        source_a: full.then_some("reused"),
        source_b: full.then_some("reused"),
    }
}

fn compare() -> CompareView<'static> {
    CompareView {
        a: side(),
        b: side(),
        same: 1,
        equal: false,
        nodes: vec![compared(true)],
        of: 2,
    }
}

fn step(full: bool) -> StepView<'static> {
    let signature: Signature = recorded(json!({"tool": "shell"}));
    StepView {
        node: id("i4"),
        step: LoopStep::Guidance,
        why: "the mildest",
        outcome: full.then_some(StepOutcome::Helped),
        forbidden: kept([signature]),
        notice: full.then_some("you repeat yourself"),
    }
}

fn proposals(full: bool) -> Vec<ProposalView<'static>> {
    let states = [
        ProposalState::Taken {
            node: id("i4"),
            outcome: full.then_some(StepOutcome::Helped),
        },
        ProposalState::Skipped { why: "no substitute" },
        ProposalState::Later,
    ];
    let view = |state| ProposalView {
        step: LoopStep::Refuse,
        state,
    };
    states.map(view).to_vec()
}

fn incident() -> LoopView<'static> {
    let finding: Finding = recorded(json!({"detector": "sequence", "nodes": ["c3"]}));
    LoopView {
        incident: 1,
        over: false,
        waits: true,
        finding: kept(finding),
        what: "shell: the same 3 times in a row".to_owned(),
        steps: vec![step(true)],
        proposals: proposals(true),
        calls: Vec::new(),
    }
}

const fn lesson() -> LessonView {
    LessonView {
        step: LoopStep::Guidance,
        tried: 2,
        helped: 1,
    }
}

fn lessons() -> LessonsView {
    LessonsView {
        lessons: vec![lesson()],
        earlier_sessions: vec![lesson()],
    }
}

/// What a node of each kind holds.
fn contents() -> Vec<ContentView<'static>> {
    vec![
        ContentView::Text {
            text: "Look.",
            reasoning: true,
        },
        ContentView::Call {
            tool: "shell",
            arguments: Cow::Borrowed("{}"),
        },
        ContentView::Result {
            result: "1",
            exit: Some(2),
        },
        ContentView::Error { error: error() },
        ContentView::Cancelled {
            cancelled: cancelled(),
        },
        ContentView::Deleted { deleted: true },
    ]
}

const fn error() -> ErrorView<'static> {
    ErrorView {
        class: ErrorClass::Transient,
        message: "no answer",
    }
}

const fn cancelled() -> CancelledView {
    CancelledView { executed: true }
}

const fn ran(full: bool) -> RanView<'static> {
    RanView {
        attempt: Attempt(1),
        revision: Rev(1),
        started_at: if full { Some(1) } else { None },
        ms: if full { Some(3) } else { None },
        epoch: Epoch(0),
        outcome: None,
        process: None,
        late: false,
    }
}

const fn phase(full: bool) -> PhaseView {
    PhaseView {
        state: Phase::ExecuteTool,
        revision: Rev(1),
        executions: if full { Some(1) } else { None },
    }
}

fn journey(full: bool) -> JourneyView {
    JourneyView {
        state: Phase::Start,
        attempt: 1,
        of: 3,
        left: full.then_some(ExitReason::Rejected),
        steps: vec![phase(true)],
    }
}

fn round(full: bool) -> RoundView<'static> {
    let fix: Fix = recorded(json!({"label": "2 for 1", "tool": "shell", "args": "{}"}));
    RoundView {
        round: 1,
        of: 3,
        revision: Rev(1),
        class: ErrorClass::Param,
        found: kept([diagnosis()]),
        asked: full.then_some("what was meant?"),
        broke: &[],
        answer: full.then_some("2"),
        no_answer: None,
        offered: kept([fix]),
        changes: kept([change()]),
        helped: full.then_some(true),
        gave_up: full.then_some("no idea"),
    }
}

fn call_node(full: bool) -> CallNodeView<'static> {
    CallNodeView {
        label: "listing",
        status: CallStatusView {
            status: &Status::Succeeded,
            stale: false,
            effective: EffectiveStatus::Active(&Status::Succeeded),
            source: None,
            held: false,
        },
        effect: EffectClass::Read,
        attempts: 1,
        executions: vec![ran(true)],
        journey: journey(true),
        repairs: if full { vec![round(true)] } else { Vec::new() },
        why: text(full),
        resolved: full.then_some("{}"),
        because: full.then_some("rejected"),
        sub_agents: if full { vec!["s"] } else { Vec::new() },
    }
}

fn node(full: bool, content: ContentView<'static>, call: Option<CallNodeView<'static>>) -> NodeView<'static> {
    NodeView {
        id: id("c3"),
        uid: "s/c3".to_owned(),
        description: "shell {}".to_owned(),
        times: NodeTimesView {
            created_at: full.then_some(1),
            changed_at: full.then_some(1),
        },
        kind: "call",
        turn: TurnId(2),
        active: true,
        revision: Rev(1),
        by: "model",
        seq: Seq(5),
        content,
        badges: if full { vec!["reused"] } else { Vec::new() },
        call,
    }
}

fn nodes() -> Vec<NodeView<'static>> {
    let mut nodes: Vec<NodeView<'static>> = contents()
        .into_iter()
        .map(|content| node(false, content, None))
        .collect();
    let content = || ContentView::Call {
        tool: "shell",
        arguments: Cow::Borrowed("{}"),
    };
    nodes.push(node(true, content(), Some(call_node(true))));
    nodes.push(node(false, content(), Some(call_node(false))));
    nodes
}

fn active_nodes() -> Vec<ActiveNodeView<'static>> {
    let node = |full: bool, content| ActiveNodeView {
        name: "call 1".to_owned(),
        kind: "call",
        content,
        label: full.then_some("listing"),
        status: text(full),
    };
    let [full, sparse] = [true, false].map(|full| contents().into_iter().map(move |one| node(full, one)));
    full.chain(sparse).collect()
}

fn edge() -> Edge {
    Edge {
        from: id("c3"),
        to: id("o3"),
        kind: EdgeKind::Produces,
    }
}

fn active_edge() -> ActiveEdgeView {
    ActiveEdgeView {
        from: "call 1".to_owned(),
        to: "observation 1".to_owned(),
        kind: EdgeKind::Produces,
    }
}

fn turn(full: bool) -> TurnView<'static> {
    TurnView {
        id: TurnId(2),
        thread: ThreadId(0),
        producer: Producer::Model,
        activity: "superseded",
        by: full.then_some(Seq(9)),
        nodes: kept([id("c3")]),
    }
}

fn edit(full: bool) -> EditView<'static> {
    EditView {
        seq: Seq(9),
        epoch: Epoch(1),
        node: id("i4"),
        target: full.then(|| id("t3")),
        what: "rewrote the thought",
    }
}

fn graph(full: bool) -> GraphView<'static> {
    GraphView {
        format: 1,
        active: false,
        session: "s".to_owned(),
        seq: Seq(9),
        mode: "finished",
        restricted: full.then_some("a loop"),
        answer: full.then(|| id("a9")),
        failed_calls: vec![id("c3")],
        nodes: nodes(),
        edges: vec![edge()],
        turns: vec![turn(true)],
        edits: vec![edit(true)],
    }
}

fn active_graph() -> ActiveGraphView<'static> {
    ActiveGraphView {
        format: 1,
        active: true,
        nodes: active_nodes(),
        edges: vec![active_edge()],
    }
}

pub(super) fn examples() -> Examples {
    let each = |all: Vec<ProposalView<'static>>| all.iter().map(value).collect::<Vec<_>>();
    vec![
        ("BranchView", both(branch)),
        ("SumView", both(sum)),
        ("SideView", vec![value(&side())]),
        ("CompareView", vec![value(&compare())]),
        ("ComparedView", both(compared)),
        ("LoopView", vec![value(&incident())]),
        ("StepView", both(step)),
        (
            "ProposalView",
            [each(proposals(true)), each(proposals(false))].concat(),
        ),
        ("LessonsView", vec![value(&lessons())]),
        ("LessonView", vec![value(&lesson())]),
        ("GraphView", both(graph)),
        ("NodeView", nodes().iter().map(value).collect()),
        ("ErrorView", vec![value(&error())]),
        ("CancelledView", vec![value(&cancelled())]),
        ("RanView", both(ran)),
        ("JourneyView", both(journey)),
        ("PhaseView", both(phase)),
        ("RoundView", both(round)),
        ("EdgeView", vec![value(&edge())]),
        ("ActiveEdgeView", vec![value(&active_edge())]),
        ("TurnView", both(turn)),
        ("EditView", both(edit)),
        ("ActiveGraphView", vec![value(&active_graph())]),
        ("ActiveNodeView", active_nodes().iter().map(value).collect()),
    ]
}
