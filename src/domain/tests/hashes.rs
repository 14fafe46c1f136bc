//! Tests of the context hash: which differences change it and which do not.
//!
//! Must not know: how a hash is made.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::command::Edit;
use overrule_domain::event::run::Started;
use overrule_domain::id::{Epoch, NodeKind, ThreadId};
use overrule_domain::input::{Block, Input};
use overrule_domain::node::Channel;
use overrule_domain::state::State;
use overrule_domain::transcript::hash::{context_hash, request_hash};

fn context(state: &State) -> Arc<str> {
    context_hash(state, ThreadId(0), None)
}

fn request(state: &State, last: bool) -> Arc<str> {
    request_hash(state, ThreadId(0), &context(state), last)
}

const READ: &str = r#"{"_as":"a","n":1}"#;

/// The plainest run: a thought, a call, its result.
fn plain() -> World {
    one(think("x"), call("read", READ))
}

fn one(thought: Block, made: Block) -> World {
    let mut w = World::new();
    w.reply(&[thought, made]);
    w.drain();
    w
}

#[test]
fn ids_epochs_times_and_one_time_notices_are_not_hashed_into_a_context() {
    let first = {
        let mut w = World::bare(Rules::default(), overrule_domain::event::run::Limits::default());
        w.guide("go elsewhere").unwrap();
        w.reply(&[think("x"), call("read", READ)]);
        w.drain();
        w
    };
    // The same on a branch that an edit began, after an effect that the model sees.
    let mut other = World::new();
    other.reply(&[think("y"), call("write", r#"{"_as":"w","n":3}"#)]);
    other.drain();
    other
        .text(other.all(NodeKind::Prompt)[0], "go elsewhere")
        .unwrap();
    let Block::Call { tool, args, .. } = call("read", READ) else {
        panic!("no call")
    };
    let id = Some("provider-7".into());
    let opaque = None;
    other.reply(&[
        think("x"),
        Block::Call {
            id,
            tool,
            args,
            opaque,
        },
    ]);
    // It takes longer.
    let ran = other.running.remove(0);
    let outcome = (other.rules.results)(&ran.tool, &ran.args);
    other.input(Input::Finished {
        call: ran.call,
        rev: ran.rev,
        attempt: ran.attempt,
        outcome,
        ms: 7_000,
        files: None,
    });
    assert!(other.last_request().contains("Already happened"));
    assert!(other.last_request().contains("provider-7") && !first.last_request().contains("provider-7"));
    assert_ne!(first.id("a"), other.id("a"));
    assert_ne!(first.turns(), other.turns());
    assert_eq!((first.state.epoch, other.state.epoch), (Epoch(0), Epoch(1)));
    assert_eq!(context(&first.state), context(&other.state));
    assert_eq!(request(&first.state, false), request(&other.state, false));

    // And at another time.
    let mut log = first.log.clone();
    for (at, envelope) in (1_000..).zip(&mut log) {
        (envelope.at, envelope.mono) = (at, 3 * u64::try_from(at).unwrap());
    }
    let later = apply::fold(&log);
    assert_ne!(later, first.state);
    assert_eq!(context(&later), context(&first.state));
    assert_eq!(request(&later, false), request(&first.state, false));
}

/// Fails unless no two of these are equal.
#[track_caller]
fn all_differ(hashes: Vec<(&'static str, Arc<str>)>) {
    let mut seen: BTreeMap<Arc<str>, &str> = BTreeMap::new();
    for (what, hash) in hashes {
        if let Some(before) = seen.insert(hash, what) {
            panic!("`{what}` and `{before}` are one context");
        }
    }
}

fn failed() -> Outcome {
    Outcome::err(ToolError {
        class: ErrorClass::NotFound,
        message: "no".into(),
        evidence: "test".into(),
        hint: None,
        partial: None,
        executed: true,
        retry_after_ms: None,
    })
}

/// Runs that differ from each other in their texts or in the form of their texts.
fn distinct_worlds() -> Vec<(&'static str, World)> {
    let thought = |channel, opaque: Option<&str>| Block::Thought {
        text: "x".into(),
        channel,
        opaque: opaque.map(Into::into),
    };
    let reads = || call("read", READ);
    let gives = |outcome: Outcome| {
        let mut w = World::new();
        w.reply(&[think("x"), reads()]);
        w.finish_with(w.id("a"), outcome);
        w
    };
    let two = |order: [usize; 2], values: [&str; 2]| {
        let calls = [reads(), call("read", r#"{"_as":"b","n":1}"#)];
        let mut w = World::new();
        w.reply(&order.map(|at| calls[at].clone()));
        for (label, value) in ["a", "b"].into_iter().zip(values) {
            w.finish_with(w.id(label), Outcome::ok(value));
        }
        w
    };
    let signed = |words| one(thought(Channel::Reasoning, Some(words)), reads());
    let more = r#"{"_as":"a","n":1,"k":"x"}"#;
    vec![
        ("plain", plain()),
        ("another thought", one(think("y"), reads())),
        ("reasoning", one(thought(Channel::Reasoning, None), reads())),
        ("signed", signed("\"s\"")),
        ("signed otherwise", signed("\"t\"")),
        ("another tool", one(think("x"), call("pure", READ))),
        ("other arguments", one(think("x"), call("read", more))),
        ("another result", gives(Outcome::ok("7"))),
        ("a failure", gives(failed())),
        ("two calls", two([0, 1], ["1", "2"])),
        ("two calls the other way round", two([1, 0], ["1", "2"])),
        ("two calls with each other's result", two([0, 1], ["2", "1"])),
    ]
}

/// The plain run after each thing that an operator can do to it.
fn done() -> Vec<(&'static str, World)> {
    let then = |edit: &dyn Fn(&World) -> Edit| {
        let mut w = plain();
        let edit = edit(&w);
        w.edit(edit).unwrap();
        w.drain();
        w
    };
    let made = |w: &World, tool: &str, args: &str| Edit::Call {
        node: w.id("a"),
        base: w.rev(w.id("a")),
        tool: tool.into(),
        args: args.into(),
        shown: true,
    };
    let mut other = World::bare(Rules::default(), overrule_domain::event::run::Limits::default());
    other.guide("continue").unwrap();
    other.reply(&[think("x"), call("read", READ)]);
    other.drain();
    let mut by_hand = plain();
    by_hand.correct(by_hand.id("a"), "7").unwrap();
    let (after, text) = (None, Arc::<str>::from("hm"));
    let prompt = |_: &World| Edit::InsertPrompt {
        after,
        text: text.clone(),
    };
    let thought = |_: &World| Edit::InsertThought {
        after: None,
        text: text.clone(),
    };
    let put_in = |_: &World| Edit::InsertCall {
        after,
        tool: "read".into(),
        args: r#"{"_as":"b","n":1}"#.into(),
    };
    let more = r#"{"_as":"a","n":1,"k":"x"}"#;
    vec![
        ("another prompt", other),
        ("edited arguments", then(&|w| made(w, "read", more))),
        ("a replaced tool", then(&|w| made(w, "pure", READ))),
        ("a result by hand", by_hand),
        ("more words", then(&prompt)),
        ("the same words as a thought", then(&thought)),
        ("a call put in", then(&put_in)),
    ]
}

#[test]
fn roles_words_tools_arguments_and_results_are_part_of_a_context() {
    let worlds = distinct_worlds().into_iter().chain(done());
    all_differ(worlds.map(|(what, w)| (what, context(&w.state))).collect());
    assert_eq!(context(&plain().state), context(&plain().state));
}

#[test]
fn model_system_text_and_tools_are_part_of_a_request_and_nothing_else_of_the_beginning_is() {
    type Change = fn(&mut Started);
    let w = plain();
    let with = |change: Change| {
        let mut state = w.state.clone();
        change(Arc::make_mut(state.started.as_mut().unwrap()));
        request(&state, false)
    };
    all_differ(vec![
        ("plain", with(|_| {})),
        ("model", with(|s| s.model = "another".into())),
        ("wire", with(|s| s.wire = "another".into())),
        ("system", with(|s| s.system = "another".into())),
        ("no system text", with(|s| s.system = "".into())),
        ("a tool less", with(|s| drop(s.tools.pop()))),
        ("the order of tools", with(|s| s.tools.swap(0, 1))),
        ("a name", with(|s| s.tools[0].name = "another".into())),
        (
            "a description",
            with(|s| s.tools[0].description = "another".into()),
        ),
        ("a schema", with(|s| s.tools[0].schema = "{\"a\":1}".into())),
        ("the last request", request(&w.state, true)),
    ]);
    let same: [Change; 6] = [
        |s| s.version = "another".into(),
        |s| s.policy = "another".into(),
        |s| s.sandbox = "another".into(),
        |s| s.user = "another".into(),
        |s| s.setup = "another".into(),
        |s| s.limits.turns = Some(7),
    ];
    for change in same {
        assert_eq!(with(change), request(&w.state, false));
    }
    // Another context is another request, whatever else is equal.
    let hash = |context: &str| request_hash(&w.state, ThreadId(0), context, false);
    assert_ne!(hash("a"), hash("b"));
}
