//! Tests of the ledger: reverting effects, and what the model sees of orphaned effects.
//!
//! Must not know: consent.

use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{Decision, Gate, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Edit, Resolution, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{NodeId, NodeKind, Rev, Seq};
use overrule_domain::ledger;
use overrule_domain::lineage;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::template::{self, Filled, NotOffered, Purpose, Template};
use overrule_domain::turn::StreamFaultKind;

/// A run whose tool `write` has a probe and a revert.
fn templated(rules: Rules) -> World {
    let mut first = started(Limits::default());
    let write = first
        .tools
        .iter_mut()
        .find(|card| &*card.name == "write")
        .unwrap();
    let look = serde_json::json!({"n": "{/n}"});
    write.probe = Template::new(Purpose::Probe, "read", &look).ok();
    let undo = serde_json::json!({"undo": "of {/n}: {result/v}", "n": "{result/v}"});
    write.compensate = Template::new(Purpose::Compensate, "write", &undo).ok();
    let mut w = World::bare(rules, Limits::default());
    w.record(vec![Event::Run(RunEvent::Started(Box::new(first)))]);
    w.guide("go").unwrap();
    w
}

fn entry(w: &World, call: NodeId) -> Seq {
    ledger::newest_of(&w.state, call).unwrap()
}

fn insert(w: &mut World, filled: &Filled) -> NodeId {
    w.edit(Edit::InsertCall {
        after: None,
        tool: filled.tool.clone(),
        args: filled.args.clone(),
    })
    .unwrap();
    *w.all(NodeKind::Call).last().unwrap()
}

/// How often the newest request tells the model of effects.
fn reminders(w: &World) -> usize {
    w.last_request().matches("Already happened").count()
}

fn go_elsewhere(w: &mut World) {
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
}

#[test]
fn what_takes_an_effect_back_goes_through_the_gate_like_any_call() {
    let rules = Rules {
        gates: [("write".to_owned(), Gate::Ask)].into(),
        ..Rules::default()
    };
    let mut w = templated(rules);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    assert_eq!(
        template::probe_of(&w.state, a).unwrap_err(),
        NotOffered::NeverRan(a)
    );
    w.approve(a).unwrap();
    let of_a = entry(&w, a);
    assert_eq!(
        template::compensate_of(&w.state, of_a).unwrap_err(),
        NotOffered::Running
    );
    w.drain();
    let filled = template::compensate_of(&w.state, of_a).unwrap();
    assert_eq!(
        (&*filled.tool, &*filled.args),
        ("write", r#"{"undo":"of 1: 2","n":2}"#)
    );
    let again = apply::fold(&w.log);
    assert_eq!(
        template::compensate_of(&again, of_a).unwrap(),
        filled,
        "the journal says it all"
    );
    let look = template::probe_of(&w.state, a).unwrap();
    assert_eq!((&*look.tool, &*look.args), ("read", r#"{"n":1}"#));

    let before = w.executed.len();
    let undo = insert(&mut w, &filled);
    assert_eq!(w.status(undo), Status::AwaitingApproval);
    assert_eq!(w.executed.len(), before, "nothing runs because it was offered");
    let row = ledger::rows(&w.state).next().unwrap();
    assert_eq!(ledger::taken_back(&w.state, row.entry), None);
    w.approve(undo).unwrap();
    w.drain();
    assert_eq!(w.runs(undo), [r#"{"undo":"of 1: 2","n":2}"#]);
    let row = ledger::rows(&w.state).next().unwrap();
    assert_eq!(ledger::taken_back(&w.state, row.entry), Some(undo));
    assert!(matches!(row.consent, Some(Decision::Approve { .. })));
    assert_eq!((row.args, row.entry.call), (r#"{"n":1}"#, a));
}

#[test]
fn an_unavailable_compensation_is_not_offered_and_gives_the_reason() {
    let mut w = templated(Rules::default());
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("idem", r#"{"_as":"i"}"#),
        call("write", r#"{"_as":"b"}"#),
    ]);
    let (a, i, b) = (w.id("a"), w.id("i"), w.id("b"));
    w.finish_with(a, Outcome::Cancelled { executed: false });
    w.finish_with(b, Outcome::ok(r#"{"other":1}"#));
    w.drain();
    let not = |seq| template::compensate_of(&w.state, seq).unwrap_err();
    assert_eq!(not(entry(&w, a)), NotOffered::DidNot);
    assert_eq!(
        not(entry(&w, i)),
        NotOffered::NoTemplate("idem".into(), "compensate")
    );
    assert_eq!(
        not(entry(&w, b)).to_string(),
        "{/n}: nothing was recorded there",
        "a template that needs what is not there gives no call at all"
    );
    assert_eq!(not(Seq(1)), NotOffered::Unknown("#1".into()));
    let nobody = NodeId::new(NodeKind::Call, 99);
    assert_eq!(
        template::probe_of(&w.state, nobody).unwrap_err(),
        NotOffered::Unknown("c99".into())
    );
}

/// Most tools give a text: a body of an answer, for one.
#[test]
fn pointers_go_into_a_result_that_is_a_text_of_json() {
    let mut w = templated(Rules::default());
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish_with(a, Outcome::ok(r#""{\"v\":7}""#));
    w.finish_with(b, Outcome::ok(r#""v is 7""#));
    let of = |id| template::compensate_of(&w.state, entry(&w, id));
    assert_eq!(&*of(a).unwrap().args, r#"{"undo":"of 1: 7","n":7}"#);
    assert_eq!(
        of(b).unwrap_err().to_string(),
        "{result/v}: nothing was recorded there"
    );
}

#[test]
fn each_request_after_an_edit_reports_orphaned_effects_once() {
    let mut w = templated(Rules::default());
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    assert_eq!(reminders(&w), 0, "it stands in the context");
    go_elsewhere(&mut w);
    assert_eq!(reminders(&w), 1);
    let last = w.last_request();
    assert!(last.contains("not undone: write (c"), "{last}");
    assert!(
        !last.contains("\\\"n\\\""),
        "what was taken out stays out: {last}"
    );
    let turn = w.tip().0;
    let context = w.state.turns[&turn].context.clone();

    // Asked again by itself, by a person, and by another process.
    w.broke(StreamFaultKind::Network);
    assert_eq!((w.asked.len(), reminders(&w)), (4, 1));
    w.broke(StreamFaultKind::Auth);
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    assert_eq!((w.asked.len(), reminders(&w)), (5, 1));
    w.crash();
    assert_eq!((w.asked.len(), reminders(&w)), (6, 1));
    assert_eq!(
        w.state.turns[&turn].context, context,
        "it is no part of the context"
    );
    w.reply(&[call("read", r#"{"_as":"r"}"#)]);
    w.drain();
    assert_eq!((w.asked.len(), reminders(&w)), (7, 1));
    let all = &w.asked.last().unwrap().messages;
    let place = all
        .iter()
        .position(|one| format!("{one:?}").contains("Already happened"));
    assert_eq!(
        place,
        Some(all.len() - 1),
        "only the newest request has it, at its end"
    );
}

#[test]
fn a_reverted_effect_is_no_longer_reported() {
    let mut w = templated(Rules::default());
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let of_a = entry(&w, w.id("a"));
    go_elsewhere(&mut w);
    assert_eq!(ledger::orphaned_effects(&w.state).count(), 1);
    w.reply(&[call("read", r#"{"_as":"r"}"#)]);
    let filled = template::compensate_of(&w.state, of_a).unwrap();
    insert(&mut w, &filled);
    assert_eq!(
        ledger::orphaned_effects(&w.state).count(),
        1,
        "not before it is done"
    );
    w.drain();
    assert_eq!(ledger::orphaned_effects(&w.state).count(), 0);
    assert_eq!(reminders(&w), 0);
}

#[test]
fn an_effect_whose_result_is_reused_is_not_orphaned() {
    let mut w = templated(Rules::default());
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let of_a = entry(&w, w.id("a"));
    go_elsewhere(&mut w);
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    w.consent(b, ConsentChoice::Reuse { entry: of_a }).unwrap();
    assert_eq!(w.starts(b), 0);
    assert_eq!(reminders(&w), 0, "the model sees it as its own");
    assert!(!ledger::is_orphaned(&w.state, &w.state.ledger[&of_a]));
    let deleted = [Edit::Delete {
        node: b,
        base: Rev(1),
    }];
    let plan = lineage::plan(&w.state, &deleted).unwrap();
    assert_eq!(
        plan.effects,
        [of_a],
        "an effect that stays is reported before it is orphaned"
    );
    w.delete(b).unwrap();
    assert!(ledger::is_orphaned(&w.state, &w.state.ledger[&of_a]));
    assert_eq!(reminders(&w), 1);
}

/// A run with an effect that an edit interrupted, so that its outcome is unknown.
fn cut_off() -> (World, NodeId) {
    let mut w = templated(Rules::default());
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    go_elsewhere(&mut w);
    let a = w.executed[0].call;
    assert_eq!(ledger::unknown(&w.state).count(), 1, "it is not over yet");
    w.finish(a);
    assert_eq!(ledger::unknown(&w.state).count(), 1);
    (w, a)
}

#[test]
fn an_effect_with_unknown_outcome_is_reported_as_unknown() {
    let (mut w, a) = cut_off();
    w.reply(&[call("read", r#"{"_as":"r"}"#)]);
    w.drain();
    assert_eq!(reminders(&w), 0);
    assert_eq!(w.last_request().matches("May have happened").count(), 1);
    assert!(w.runs(a).len() == 1);
    // A probe may find the outcome; the probing tool is only offered.
    assert_eq!(template::probe_of(&w.state, a).unwrap().tool.as_ref(), "read");
    assert_eq!(w.executed.len(), 2);
}

#[test]
fn the_ledger_takes_the_word_of_a_person_where_no_call_waits_for_it() {
    let describe = |call, what| {
        Command::Call(CallCommand::Resolve {
            attempt: None,
            call,
            what,
        })
    };
    let happened = |value: &str| Resolution::Happened { value: value.into() };
    let (mut w, a) = cut_off();
    assert_eq!(
        kind(w.cmd(describe(a, happened("no json")))),
        RefusalKind::Invalid
    );
    w.cmd(describe(a, happened("1"))).unwrap();
    assert_eq!(ledger::unknown(&w.state).count(), 0);
    assert_eq!(
        ledger::orphaned_effects(&w.state).count(),
        1,
        "it happened and was not reverted"
    );
    assert_eq!(
        kind(w.cmd(describe(a, Resolution::DidNot))),
        RefusalKind::Superseded,
        "once"
    );
    assert_eq!(w.executed.len(), 1);

    let (mut w, a) = cut_off();
    w.cmd(describe(a, Resolution::DidNot)).unwrap();
    assert_eq!(ledger::orphaned_effects(&w.state).count(), 0);
    assert_eq!(w.executed.len(), 1, "what was replaced does not run for that");
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    assert_eq!(w.starts(w.id("b")), 1, "what did not happen needs no consent");
}

#[test]
fn an_equal_call_may_reuse_a_result_given_by_the_operator() {
    let (mut w, a) = cut_off();
    let what = Resolution::Happened {
        value: r#"{"v":7}"#.into(),
    };
    w.cmd(Command::Call(CallCommand::Resolve {
        attempt: None,
        call: a,
        what,
    }))
    .unwrap();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let (b, entry) = (w.id("b"), entry(&w, a));
    assert!(matches!(w.status(b), Status::Consent(_)));
    w.consent(b, ConsentChoice::Reuse { entry }).unwrap();
    assert_eq!((w.starts(b), w.value(b)), (0, r#"{"v":7}"#.to_owned()));
}
