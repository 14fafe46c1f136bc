//! Tests of sub-agents: each works alone, and its answer is the result of its call.
//!
//! Must not know: how a sub-agent is shown.
//!
//! An edit inside one sub-agent leaves the others alone.

mod bounds;
mod edits;
mod ends;

use super::world::*;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::{NodeId, NodeKind, ThreadId, TurnId};
use overrule_domain::state::Mode;
use overrule_domain::thread;
use overrule_domain::turn::{Activity, Stream};

/// A call of `delegate` with a label and a task.
fn delegate(label: &str, more: &str) -> overrule_domain::input::Block {
    call(
        "delegate",
        &format!(r#"{{"_as":"{label}","task":"do {label}"{more}}}"#),
    )
}

/// Two sub-agents at work, A and B, whose streams are open.
fn two() -> World {
    let mut w = World::new();
    w.reply(&[think("split it"), delegate("a", ""), delegate("b", "")]);
    w
}

/// The requests made for a thread.
fn requests(w: &World, thread: ThreadId) -> usize {
    let of = |turn: &TurnId| w.state.turns[turn].thread == thread;
    w.asked.iter().filter(|one| of(&one.turn)).count()
}

fn thread_of(w: &World, call: NodeId) -> ThreadId {
    thread::child_of(&w.state, &w.state.calls[&call])
        .expect("a sub-agent")
        .thread
}

fn active_turns(w: &World, thread: ThreadId) -> usize {
    w.state.turns_of(thread).count()
}

/// A: a read, another read that depends on it, an answer. B: a read, an answer. Then the root answers.
fn answered() -> World {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.on(b).reply(&[call("read", r#"{"_as":"b1","n":10}"#)]);
    w.drain();
    w.on(a).reply(&[call("read", r#"{"_as":"a2","n":2}"#)]);
    w.drain();
    w.on(a).reply(&[answer("A is 1")]);
    w.on(b).reply(&[answer("B is 10")]);
    w.on_thread(thread::ROOT).reply(&[answer("both")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    w
}

#[test]
fn two_work_at_once_each_with_its_own_task_and_nothing_else() {
    let w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(w.open.len(), 2, "both are asked together, the root is not");
    assert!(matches!(w.status(a), Status::Running(_)) && matches!(w.status(b), Status::Running(_)));
    assert!(w.executed.is_empty(), "no tool runs for a delegated call");
    let texts: Vec<String> = w.asked[1..]
        .iter()
        .map(|one| format!("{:?}", one.messages))
        .collect();
    assert!(
        texts[0].contains("do a") && !texts[0].contains("do b"),
        "{}",
        texts[0]
    );
    assert!(
        texts[1].contains("do b") && !texts[1].contains("split it"),
        "{}",
        texts[1]
    );
    assert_eq!(
        thread::path(
            &w.state,
            w.state.turns_of(thread_of(&w, a)).next().unwrap().nodes[0]
        ),
        [a]
    );
}

#[test]
fn any_order_of_their_steps_comes_to_the_same() {
    // All ways to put three steps of A and three of B into one line.
    let orders = (0_u32..64).filter(|bits| bits.count_ones() == 3);
    let mut seen = std::collections::BTreeSet::new();
    for bits in orders {
        let mut w = two();
        let both = [w.id("a"), w.id("b")];
        let mut steps = [0, 0];
        for turn in 0..6 {
            let who = (bits >> turn & 1) as usize;
            let name = ["x", "y"][who];
            match steps[who] {
                0 => w
                    .on(both[who])
                    .reply(&[call("write", &format!(r#"{{"_as":"{name}","n":{who}}}"#))]),
                1 => w.finish(w.id(name)),
                _ => {
                    assert!(!matches!(w.status(both[who]), Status::Succeeded));
                    w.on(both[who]).reply(&[answer(&format!("{name} is done"))]);
                    assert_eq!(
                        w.status(both[who]),
                        Status::Succeeded,
                        "it does not wait for the other"
                    );
                }
            }
            steps[who] += 1;
            assert_eq!(
                requests(&w, thread::ROOT),
                1 + usize::from(turn == 5),
                "the root waits for both"
            );
        }
        assert_eq!(w.value(both[0]), r#""x is done""#);
        seen.insert(w.last_request());
    }
    assert_eq!(seen.len(), 1, "the root sees the same: {seen:?}");
}

#[test]
fn a_result_is_read_by_reference_as_soon_as_it_is_there() {
    let mut w = World::with(Rules {
        results: std::sync::Arc::new(|_, args| Outcome::ok(serde_json::Value::from(args).to_string())),
        ..Rules::default()
    });
    w.reply(&[
        delegate("a", ""),
        delegate("b", ""),
        call("pure", r#"{"_as":"r","x":"†call.a"}"#),
    ]);
    let a = w.id("a");
    w.on(a).reply(&[answer("forty")]);
    assert_eq!(
        w.runs(w.id("r")),
        [r#"{"x":"forty"}"#],
        "it does not wait for the other"
    );
}

#[test]
fn labels_and_state_are_each_ones_own() {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a)
        .reply(&[call("read", r#"{"_as":"same","_out":"state.k","n":1}"#)]);
    w.on(b).reply(&[
        call("read", r#"{"_as":"same","n":5}"#),
        call("read", r#"{"_as":"mine","n":"†call.same.v"}"#),
        call("read", r#"{"_as":"parents","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"state","n":"†state.k.v"}"#),
        call("read", r#"{"_as":"input","n":"†input.k"}"#),
    ]);
    w.drain();
    assert_eq!(w.runs(w.id("mine")), [r#"{"n":6}"#]);
    for label in ["parents", "state"] {
        assert_eq!(w.status(w.id(label)), Status::Unsatisfiable, "{label}");
    }
    assert_eq!(w.status(w.id("input")), Status::Skipped);
    assert!(w.runs(w.id("input")).is_empty());
}

#[test]
fn scopes_are_read_once_shown_under_their_names_and_recorded() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"s","n":1}"#),
        delegate("a", r#","scopes":["†call.s.v","†input.k"]"#),
    ]);
    let a = w.id("a");
    assert_eq!(w.status(a), Status::Blocked, "it waits for what it shows");
    w.drain();
    let prompt = w.last_request();
    assert!(
        prompt.contains(r"do a\n\n†call.s.v:\n2\n\n†input.k:\n7"),
        "{prompt}"
    );
    let bound: Vec<_> = w.state.calls[&a]
        .refs
        .bindings
        .iter()
        .map(|one| one.source)
        .collect();
    assert_eq!(bound, [Some(w.id("s")), None]);
    // A changed input restarts the sub-agent; with an equal input it continues.
    let old = thread_of(&w, a);
    w.correct(w.id("s"), r#"{"v":2,"w":1}"#).unwrap();
    assert_eq!(thread_of(&w, a), old, "it reads the same");
    assert_eq!(w.asked.len(), 2);
    w.correct(w.id("s"), r#"{"v":3}"#).unwrap();
    assert_ne!(thread_of(&w, a), old);
    assert_eq!(active_turns(&w, old), 0);
    assert!(w.last_request().contains(r"†call.s.v:\n3"));
    assert_eq!(w.open.len(), 1, "the old stream is closed");
}

#[test]
fn a_scope_that_is_not_a_reference_is_rejected_immediately() {
    let mut w = World::new();
    w.reply(&[
        delegate("a", r#","scopes":["s"]"#),
        delegate("b", r#","tools":["raed"]"#),
        delegate("c", r#","tools":["final_answer"]"#),
    ]);
    let request = w.last_request();
    for label in ["a", "b", "c"] {
        assert_eq!(w.status(w.id(label)), Status::Invalid, "{label}");
    }
    for words in ["is no reference", "did you mean read", "answers in plain text"] {
        assert!(request.contains(words), "{request}");
    }
    let (id, tool) = (w.id("a"), "delegate");
    let refused = w.edit(overrule_domain::command::Edit::Call {
        node: id,
        base: w.rev(id),
        tool: tool.into(),
        args: r#"{"task":"x","scopes":["s"]}"#.into(),
        shown: true,
    });
    assert_eq!(kind(refused), overrule_domain::refusal::RefusalKind::Invalid);
}

#[test]
fn approvals_of_children_come_to_one_queue_with_their_path() {
    let mut w = World::asking(&["write"]);
    w.reply(&[delegate("a", ""), delegate("b", "")]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(b).reply(&[call("write", r#"{"_as":"wb","n":1}"#)]);
    w.on(a).reply(&[call("write", r#"{"_as":"wa","n":1}"#)]);
    let queue: Vec<NodeId> = w.state.queue().map(|call| call.id).collect();
    assert_eq!(queue, [w.id("wb"), w.id("wa")], "first come, first served");
    assert_eq!(thread::path(&w.state, w.id("wa")), [a]);
    let inner = w.id("wa");
    assert_eq!(thread::named(&w.state, inner), format!("{a} > {inner}"));
    assert_eq!(thread::named(&w.state, a), a.to_string());
    w.reject(w.id("wa")).unwrap();
    w.approve(w.id("wb")).unwrap();
    w.drain();
    assert_eq!(w.executed.len(), 1, "a refusal in one leaves the other alone");
    assert_eq!(w.open.len(), 2);
}

#[test]
fn the_class_of_a_delegated_call_is_the_highest_of_what_was_done_for_it() {
    use overrule_domain::call::EffectClass;
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).reply(&[delegate("aa", "")]);
    let inner = w.id("aa");
    w.on(inner).reply(&[call("idem", r#"{"_as":"i","n":1}"#)]);
    let class = |w: &World, id| w.state.calls[&id].effect;
    assert_eq!(
        [class(&w, a), class(&w, inner), class(&w, b)],
        [
            EffectClass::Idempotent,
            EffectClass::Idempotent,
            EffectClass::Read
        ]
    );
    let entry = &w.state.ledger[&w.state.calls[&a].attempts[0].intent];
    assert_eq!(entry.effect, EffectClass::Idempotent);
}

#[test]
fn a_broken_child_stream_waits_for_the_operator_while_the_sibling_continues() {
    use overrule_domain::command::RunCommand;
    use overrule_domain::turn::StreamFaultKind;
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).broke(StreamFaultKind::Auth);
    w.on(b).reply(&[answer("b")]);
    assert_eq!(w.status(b), Status::Succeeded);
    let broken = w.state.turns_of(thread_of(&w, a)).last().unwrap();
    assert!(matches!(broken.stream, Stream::Broken(_)) && broken.activity == Activity::Active);
    let turn = broken.id;
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    w.on(a).reply(&[answer("a")]);
    assert_eq!(w.value(a), r#""a""#);
    assert!(
        w.events()
            .any(|event| matches!(event, Event::Turn(TurnEvent::Delegated { call, .. }) if *call == a))
    );
    assert_eq!(w.all(NodeKind::Answer).len(), 2);
}
