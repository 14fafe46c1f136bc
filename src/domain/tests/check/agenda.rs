//! Compares the indices of the state with the data they are derived from.
//!
//! Must not know: who reads the indices.

use std::collections::BTreeSet;

use overrule_domain::call::{Call, Status};
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::node::Content;
use overrule_domain::ready::{self, Readiness};
use overrule_domain::reference::Root;
use overrule_domain::repeat::{begun_since, beside, changes};
use overrule_domain::state::{LedgerEntry, LedgerOutcome, State};
use overrule_domain::transcript::bytes;
use overrule_domain::turn::Activity;

/// The agenda, rebuilt from nodes and calls.
pub fn agenda(state: &State) {
    let active = |id: &NodeId| state.nodes[id].active;
    let with = |expected: &dyn Fn(&Call) -> bool| active_with(state, expected);
    let agenda = &state.agenda;
    for (name, list, status) in [
        ("unchecked", &agenda.unchecked, Status::Proposed),
        ("invalid", &agenda.invalid, Status::Invalid),
        ("blocked", &agenda.blocked, Status::Blocked),
        ("ungated", &agenda.ungated, Status::Ready),
        ("queued", &agenda.queued, Status::Queued),
        ("delayed", &agenda.delayed, Status::Scheduled),
    ] {
        assert_eq!(*list, with(&|call: &Call| call.status == status), "{name}");
    }
    assert_eq!(
        agenda.repairing,
        with(&|call: &Call| matches!(call.status, Status::Repairing(_))),
        "repairing"
    );
    let selecting = Status::Repairing(overrule_domain::ladder::Stage::Selecting);
    let failed = with(&|call: &Call| {
        matches!(call.status, Status::Failed(_) | Status::Invalid) || call.status == selecting
    });
    assert!(agenda.failures.is_subset(&failed), "failures");
    for call in state.calls.values() {
        assert_eq!(
            call.failure.delay.is_some(),
            call.status == Status::Scheduled,
            "{} waits",
            call.id
        );
    }
    running(state);
    let unknown = with(&|call: &Call| matches!(call.status, Status::OutcomeUnknown(_)));
    assert_eq!(agenda.unknown, unknown, "unknown");
    assert_eq!(agenda.suspects, with(&|call: &Call| call.suspect), "suspects");
    let settled = with(&|call: &Call| call.status.is_settled());
    assert_eq!(agenda.settled, settled, "settled");
    let retired = state.calls.keys().filter(|id| !active(id));
    assert!(agenda.retired.iter().eq(retired), "retired");
    for node in state.nodes.values().filter(|node| node.pinned) {
        assert!(agenda.pinned.contains(&node.id.call()), "{} is pinned", node.id);
    }
    let effects = state.ledger.values().filter(|entry| entry.effect.has_effect());
    assert!(
        effects.map(|entry| &entry.seq).eq(agenda.effects.keys()),
        "effects"
    );
    executions_by_place(state);
    for turn in state.turns.values() {
        let bytes: usize = turn.nodes.iter().map(|id| bytes::of_node(state, *id)).sum();
        assert_eq!(turn.bytes, bytes, "bytes of {}", turn.id);
    }
    waiting(state);
    let open: BTreeSet<_> = state
        .turns
        .values()
        .filter(|turn| !turn.settled && !matches!(turn.activity, Activity::Superseded(_)))
        .map(|turn| turn.id)
        .collect();
    assert_eq!(agenda.open, open, "open");
    for (id, no) in &agenda.ending {
        let call = &state.calls[id];
        let counts = active(id) && call.status == Status::Running(*no);
        let record = call.attempts.iter().find(|one| one.no == *no).expect("a record");
        assert!(!counts && record.outcome.is_none(), "{id} {no} is not ending");
    }
    names(state);
    activity(state);
}

/// The active calls that a condition holds for.
fn active_with(state: &State, expected: &dyn Fn(&Call) -> bool) -> BTreeSet<NodeId> {
    let calls = state.calls.values();
    let calls = calls.filter(|call| state.nodes[&call.id].active && expected(call));
    calls.map(|call| call.id).collect()
}

/// Executions and sub-agents.
fn running(state: &State) {
    let with = |expected: &dyn Fn(&Call) -> bool| active_with(state, expected);
    let agenda = &state.agenda;
    let by_child = |call: &Call| {
        let own = |no| call.attempts.iter().find(|one| one.no == no);
        matches!(call.status, Status::Running(no) if own(no).is_some_and(|one| one.thread.is_some()))
    };
    assert_eq!(
        agenda.running,
        with(&|call: &Call| call.is_running() && !by_child(call)),
        "running"
    );
    assert_eq!(agenda.delegates, with(&by_child), "delegates");
    assert_eq!(
        agenda.delegating,
        with(&|call: &Call| call.status == Status::Queued && call.delegates),
        "delegating"
    );
    let children: BTreeSet<_> = state.threads.children.keys().copied().collect();
    let children = children
        .into_iter()
        .filter(|id| state.turns_of(*id).next().is_some());
    assert_eq!(agenda.children, children.collect(), "children");
}

/// Entries that wait for the operator or an input, or need another check.
fn waiting(state: &State) {
    let with = |expected: &dyn Fn(&Call) -> bool| active_with(state, expected);
    let agenda = &state.agenda;
    let waiting: BTreeSet<NodeId> = agenda.waiting.values().copied().collect();
    assert_eq!(
        waiting,
        with(&|call: &Call| call.status.needs_operator()),
        "waiting"
    );
    assert_eq!(waiting.len(), agenda.waiting.len(), "no call waits twice");
    let woken: BTreeSet<NodeId> = with(&|call: &Call| call.suspect || call.status == Status::Blocked)
        .into_iter()
        .filter(|id| ready::look(state, &state.calls[id]) != Readiness::Wait)
        .collect();
    assert_eq!(agenda.woken, woken, "woken");
    let stalled: BTreeSet<NodeId> = agenda.stalled.keys().copied().collect();
    assert_eq!(
        stalled,
        with(&|call: &Call| call.suspect || call.status == Status::Blocked)
            .difference(&woken)
            .copied()
            .collect(),
        "stalled"
    );
}

fn names(state: &State) {
    for call in state.calls.values() {
        let checked = call.status != Status::Proposed;
        if !checked || !state.nodes[&call.id].active {
            continue;
        }
        assert!(state.agenda.holders(&call.label).any(|id| id == call.id), "label");
        for head in call
            .refs
            .out
            .iter()
            .flat_map(overrule_domain::reference::OutPath::heads)
        {
            assert!(
                state
                    .agenda
                    .writers
                    .get(head)
                    .is_some_and(|all| all.contains(&call.id)),
                "writer"
            );
        }
        for reference in &call.refs.references {
            reference.expr.each(&mut |target| {
                let of = match target.root {
                    Root::Call => &state.agenda.readers,
                    Root::State => &state.agenda.state_readers,
                    Root::Input => return,
                };
                assert!(
                    of.get(target.head.as_str())
                        .is_some_and(|all| all.contains(&call.id)),
                    "reader"
                );
            });
        }
    }
}

/// An active node's producers are active.
fn activity(state: &State) {
    for node in state.nodes.values().filter(|node| node.active) {
        if node.id.kind == NodeKind::Intervention {
            continue;
        }
        let turn = &state.turns[&node.turn];
        assert!(
            !matches!(turn.activity, Activity::Superseded(_)),
            "{} counts in a turn that does not",
            node.id
        );
        if node.id.kind == NodeKind::Observation {
            let call = &state.nodes[&node.id.call()];
            assert!(call.active, "{} counts, its call does not", node.id);
        }
    }
    for call in state.calls.values().filter(|call| state.nodes[&call.id].active) {
        let observed = state.observation(call.id);
        match call.status {
            Status::Succeeded | Status::Failed(_) => {
                let node = observed.unwrap_or_else(|| panic!("{} ended without a result", call.id));
                let Content::Observation { call_rev, .. } = &node.now().content else {
                    panic!("{} is no observation", node.id);
                };
                assert_eq!(
                    *call_rev,
                    state.nodes[&call.id].rev(),
                    "the result of {} is of another revision",
                    call.id
                );
            }
            Status::Rejected
            | Status::Expired
            | Status::Skipped
            | Status::Unsatisfiable
            | Status::Invalid => {
                assert!(
                    observed.is_none(),
                    "{} is {} and has a result",
                    call.id,
                    call.status.base_label()
                );
            }
            _ => {}
        }
    }
}

/// What is looked for by place is all that there is.
fn executions_by_place(state: &State) {
    for seq in state.ledger.keys().copied() {
        let entries = || state.ledger.values().filter(|entry| changes(entry));
        let begun =
            entries().any(|entry| entry.seq > seq) || state.origin.elsewhere.keys().any(|one| *one > seq);
        assert_eq!(begun_since(state, seq), begun, "begun since {seq}");
        let at_the_time = |entry: &&LedgerEntry| match entry.outcome {
            LedgerOutcome::Running | LedgerOutcome::Unknown => true,
            LedgerOutcome::Known(_) | LedgerOutcome::DidNot => entry.ended.is_none_or(|ended| ended > seq),
        };
        let before = entries().filter(|entry| entry.seq < seq);
        let before: Vec<Seq> = before.filter(at_the_time).map(|entry| entry.seq).collect();
        let found = beside(state, seq).filter(|entry| changes(entry));
        let found: Vec<Seq> = found.map(|entry| entry.seq).collect();
        assert_eq!(found, before, "at the same time as {seq}");
    }
}
