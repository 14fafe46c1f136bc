//! Short sessions for the bugs that random sessions found.
//!
//! Must not know: how a bug was found.

use super::world::*;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{Command, Edit, EditCommand, RunCommand};
use overrule_domain::id::NodeKind;
use overrule_domain::lineage;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::transcript::hash::context_hash;
use overrule_domain::turn::{Stream, StreamFaultKind};

mod branches;

fn keep_later(w: &mut World, edit: Edit) -> Result<(), Refusal> {
    w.cmd(Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: None,
        keep_later: true,
    }))
}

#[test]
fn a_preserved_turn_that_is_asked_again_is_no_longer_drifted() {
    let mut w = World::new();
    w.stream(think("so"));
    let (turn, _) = w.tip();
    let node = w.all(NodeKind::Prompt)[0];
    let base = w.rev(node);
    let text = "else".into();
    keep_later(&mut w, Edit::Text { node, base, text }).unwrap();
    assert!(w.state.turns[&turn].drifted);
    w.crash();
    let turn = &w.state.turns[&turn];
    assert!(!turn.drifted, "it is asked with the turns before it");
    assert_eq!(
        turn.context,
        Some(context_hash(&w.state, turn.thread, Some(turn.id)))
    );
    assert_eq!(turn.asked, 2);
}

/// A turn whose state is read by the next one; both ended, and the run has its answer.
fn written_and_read() -> World {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v","_out":"†state.s"}"#),
        call("read", r#"{"_as":"old","n":9,"_out":"†state.s"}"#),
    ]);
    let (a, b, old) = (w.id("a"), w.id("b"), w.id("old"));
    w.finish(old);
    w.finish(a);
    w.finish(b);
    w.reply(&[call("read", r#"{"_as":"c","x":"†state.s.v"}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    w
}

#[test]
fn a_preserved_state_reader_waits_for_the_writer_before_it() {
    let mut w = written_and_read();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    assert_eq!(w.runs(c), [r#"{"x":3}"#]);
    let base = w.rev(a);
    let args = r#"{"_as":"a","n":4}"#.into();
    let edit = Edit::Call {
        node: a,
        base,
        tool: "read".into(),
        args,
        shown: true,
    };
    keep_later(&mut w, edit).unwrap();
    assert_eq!(w.runs(c).len(), 1, "the value that it reads is not ready yet");
    assert!(w.state.calls[&c].suspect);
    w.finish(a);
    w.finish(b);
    w.drain();
    assert_eq!(w.runs(c), [r#"{"x":3}"#, r#"{"x":6}"#]);
}

#[test]
fn an_insertion_superseded_by_its_own_commit_is_refused_in_the_preview() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    let a = w.id("a");
    let edits = vec![
        Edit::InsertCall {
            after: Some(w.turn_of(a)),
            tool: "read".into(),
            args: "{}".into(),
        },
        Edit::Observation {
            node: a.observation(),
            base: w.rev(a.observation()),
            value: r#"{"v":7}"#.into(),
        },
    ];
    let refused = lineage::plan(&w.state, &edits).unwrap_err();
    assert!(
        refused.message.contains("cannot commit these edits together"),
        "{}",
        refused.message
    );
    let (ran, epoch) = (w.executed.len(), w.state.epoch);
    assert_eq!(kind(w.edits(edits)), RefusalKind::Status);
    w.drain();
    assert_eq!(
        (w.executed.len(), w.state.epoch),
        (ran, epoch),
        "nothing was changed"
    );
}

#[test]
fn insertions_after_the_same_turn_in_one_commit_stay_in_order() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    let after = Some(w.turn_of(w.id("a")));
    let prompt = |text: &str| Edit::InsertPrompt {
        after,
        text: text.into(),
    };
    let insert = Edit::InsertCall {
        after,
        tool: "read".into(),
        args: r#"{"_as":"b","n":2}"#.into(),
    };
    w.edits(vec![prompt("first words"), insert, prompt("second words")])
        .unwrap();
    w.drain();
    let output = w.last_request();
    let place = |words: &str| output.find(words).unwrap_or_else(|| panic!("{words}: {output}"));
    assert!(place("first words") < place("second words"));
    assert_eq!(w.starts(w.id("b")), 1);
}

#[test]
fn nothing_is_inserted_after_suspended_turns() {
    let mut w = written_and_read();
    w.retry(w.id("a")).unwrap();
    let turns = w.turns().len();
    assert_eq!(kind(w.guide("be brief")), RefusalKind::Status);
    assert_eq!(w.turns().len(), turns);
    // In front of them it can be.
    let after = Some(w.turn_of(w.id("a")));
    let text = "be brief".into();
    w.edit(Edit::InsertPrompt { after, text }).unwrap();
    w.drain();
    assert!(w.last_request().contains("be brief"));
}

#[test]
fn a_result_corrected_in_the_same_commit_is_not_previewed_as_a_rerun() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","n":"†call.a.v"}"#),
        call("read", r#"{"_as":"c","n":"†call.b.v"}"#),
    ]);
    w.drain();
    let (a, b, c) = (w.id("a"), w.id("b"), w.id("c"));
    let correct = |id: overrule_domain::id::NodeId, value: &str| Edit::Observation {
        node: id.observation(),
        base: w.rev(id.observation()),
        value: value.into(),
    };
    let edits = vec![correct(a, r#"{"v":7}"#), correct(b, r#"{"v":8}"#)];
    let plan = lineage::plan(&w.state, &edits).unwrap();
    assert_eq!(plan.possible, [c]);
    w.edits(edits).unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.starts(b), w.starts(c)), (1, 1, 2));
}

#[test]
fn the_model_is_not_asked_again_while_an_earlier_call_reruns() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish(a);
    let (turn, _) = w.tip();
    w.broke(StreamFaultKind::Length);
    let edit = Edit::Call {
        node: a,
        base: w.rev(a),
        tool: "read".into(),
        args: r#"{"_as":"a","n":2}"#.into(),
        shown: true,
    };
    keep_later(&mut w, edit).unwrap();
    let asked = w.asked.len();
    let refused = kind(w.run(RunCommand::AskAgain { turn, request: None }));
    assert_eq!((refused, w.asked.len()), (RefusalKind::Status, asked));
    w.finish(a);
    assert_eq!(w.asked.len(), asked, "what broke is left to the operator");
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    assert_eq!(w.asked.len(), asked + 1);
}

#[test]
fn a_refused_answer_ends_its_stream() {
    let mut w = World::new();
    w.stream(answer("almost"));
    let (turn, _) = w.tip();
    let node = w.all(NodeKind::Answer)[0];
    let reason = "no".into();
    w.edit(Edit::RejectAnswer {
        base: None,
        node,
        reason,
    })
    .unwrap();
    assert!(matches!(w.state.turns[&turn].stream, Stream::Aborted(_)));
    w.crash();
    assert!(!w.state.nodes[&node].active, "it is not restored");
    assert_eq!(w.state.turns[&turn].asked, 1, "and it is not asked for again");
}

#[test]
fn who_names_a_place_in_the_state_looks_again_when_its_writer_ends_well_after_all() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"†state.s"}"#),
        call("read", r#"{"_as":"b","n":5}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish(b);
    w.finish_with(a, Outcome::err(not_found()));
    w.reply(&[call("read", r#"{"_as":"c","x":"†state.s.v || †call.b.v"}"#)]);
    w.drain();
    let c = w.id("c");
    let before = w.runs(c);
    let (node, base) = (a.observation(), w.rev(a.observation()));
    let value = r#"{"v":9}"#.into();
    keep_later(&mut w, Edit::Observation { node, base, value }).unwrap();
    w.drain();
    assert_eq!(
        (before.len(), w.runs(c).len()),
        (1, 2),
        "it ran with what is there now"
    );
    assert_eq!(w.runs(c)[1], r#"{"x":9}"#);
}

#[test]
fn guidance_that_would_fall_in_its_own_commit_is_refused() {
    let mut w = World::new();
    w.reply(&[answer("done")]);
    let node = w.all(NodeKind::Answer)[0];
    let edits = vec![
        Edit::InsertPrompt {
            after: None,
            text: "more".into(),
        },
        Edit::Text {
            node,
            base: w.rev(node),
            text: "rather this".into(),
        },
    ];
    let asked = w.asked.len();
    assert_eq!(kind(w.edits(edits)), RefusalKind::Status);
    assert_eq!(w.asked.len(), asked);
}

/// A call was skipped because its input failed. One commit edits the call and corrects the input.
#[test]
fn a_call_whose_input_the_same_commit_corrects_is_named_and_runs() {
    for (value, runs) in [(r#"{"v":0}"#, 1), (r#"{"w":0}"#, 0)] {
        for (is_first, keep_later) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut w = World::new();
            w.reply(&[
                call("read", r#"{"_as":"a","n":1}"#),
                call(
                    "read",
                    r#"{"_as":"b","n":"†call.a.v","m":"†call.a.w || †call.a.v"}"#,
                ),
            ]);
            let (a, b) = (w.id("a"), w.id("b"));
            w.finish_with(a, Outcome::err(not_found()));
            w.drain();
            w.reply(&[answer("done")]);
            assert_eq!(w.status(b), Status::Skipped);
            let mut edits = vec![
                Edit::Call {
                    node: b,
                    base: w.rev(b),
                    tool: "read".into(),
                    args: r#"{"_as":"b","n":"†call.a.v"}"#.into(),
                    shown: true,
                },
                Edit::Observation {
                    node: a.observation(),
                    base: w.rev(a.observation()),
                    value: value.into(),
                },
            ];
            if !is_first {
                edits.reverse();
            }
            let command = EditCommand::Commit {
                edits,
                effects_seen: None,
                reason: None,
                keep_later,
            };
            let plan = lineage::plan_of(&w.state, &command).unwrap();
            assert!(
                plan.possible.contains(&b),
                "{value} {is_first} {keep_later}: {plan:?}"
            );
            assert!(!plan.certain.contains(&b), "only the value tells: {plan:?}");
            w.cmd(Command::Edit(command)).unwrap();
            w.drain();
            assert_eq!(w.starts(b), runs, "{value} {is_first} {keep_later}");
            assert_eq!(w.starts(a), 1, "a corrected call does not run again");
        }
    }
}

/// A call whose equal call was corrected takes that result once its arguments are known: it need not run.
#[test]
fn a_call_that_may_take_a_correction_is_not_certain_to_run_after_an_undo() {
    let calls = [
        think("so"),
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":"†call.a.v"}"#),
    ];
    let mut w = World::new();
    w.reply(&calls);
    w.drain();
    let corrected = w.id("b");
    w.correct(corrected, r#"{"v":9}"#).unwrap();
    w.text(w.all(NodeKind::Thought)[0], "rather").unwrap();
    w.reply(&calls[1..]);
    let (a, b) = (w.id("a"), w.id("b"));
    assert_ne!(b, corrected);
    assert_eq!(w.status(b), Status::Blocked);
    let after = Some(w.turn_of(w.all(NodeKind::Prompt)[0]));
    let text = "look elsewhere".into();
    w.edit(Edit::InsertPrompt { after, text }).unwrap();
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let plan = lineage::plan_of(&w.state, &undo).unwrap();
    assert!(plan.recalled.contains(&b), "{plan:?}");
    assert!(
        plan.possible.contains(&b) && !plan.certain.contains(&b),
        "{plan:?}"
    );
    w.cmd(Command::Edit(undo)).unwrap();
    w.drain();
    assert_eq!(w.starts(b), 0, "it has the operator's result");
    assert_eq!(w.value(b.observation()), r#"{"v":9}"#);
    assert_eq!(w.starts(a), 2, "until the edit, and again");
}
