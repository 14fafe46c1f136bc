//! Tests of how sub-agents end: with their call, by the operator, in a crash.
//!
//! Must not know: the rest.

use super::*;
use overrule_domain::call::ErrorClass;
use overrule_domain::command::{CallCommand, Command, Edit, RunCommand};
use overrule_domain::lineage;
use overrule_domain::turn::Stop;

/// A with a running call, a call that has written and an open stream; B works in the background.
fn busy() -> World {
    let mut w = two();
    let a = w.id("a");
    w.on(a).stream(call("write", r#"{"_as":"wrote","n":1}"#));
    w.finish(w.id("wrote"));
    w.on(a).stream(call("read", r#"{"_as":"runs","n":1}"#));
    w
}

fn ended(w: &World, thread: ThreadId) {
    assert_eq!(active_turns(w, thread), 0, "its turns are superseded");
    let wrote = w.state.calls[&w.id("wrote")].attempts[0].intent;
    assert!(w.state.ledger[&wrote].more.orphaned, "what it did is listed");
    assert!(w.running.iter().all(|one| one.cancelled), "what ran is cancelled");
    let streams = |(turn, _): &(TurnId, u32)| w.state.turns[turn].thread == thread;
    assert!(!w.open.iter().any(streams), "its stream is closed");
    assert!(w.state.agenda.queued.is_empty() && w.state.queue().next().is_none());
}

#[test]
fn a_cancelled_sub_agent_ends_with_all_that_it_does() {
    let mut w = busy();
    let (a, b) = (w.id("a"), w.id("b"));
    let (of_a, of_b) = (thread_of(&w, a), thread_of(&w, b));
    w.cmd(Command::Call(CallCommand::Cancel {
        attempt: None,
        call: a,
        reason: "enough".into(),
    }))
    .unwrap();
    ended(&w, of_a);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Cancelled));
    assert_eq!(thread_of(&w, b), of_b);
    w.finish(w.id("runs"));
    w.on(b).reply(&[answer("b")]);
    let request = w.last_request();
    assert!(
        request.contains("stopped by the operator") && request.contains("write (c"),
        "{request}"
    );
    assert!(!request.contains("delegate (c"), "{request}");
    // Run again: another sub-agent, with consent because the first one wrote.
    w.retry(a).unwrap();
    assert!(matches!(w.status(a), Status::Consent(_)));
    w.consent(a, overrule_domain::command::ConsentChoice::RunAgain)
        .unwrap();
    assert_ne!(thread_of(&w, a), of_a);
}

#[test]
fn a_sub_agent_ends_with_its_call_however_that_falls() {
    type Act = fn(&mut World);
    let acts: [(&str, Act); 4] = [
        ("deleted", |w| w.delete(w.id("a")).unwrap()),
        ("answered for", |w| w.answer_for(w.id("a"), r#""mine""#).unwrap()),
        ("thought before it", |w| {
            w.text(w.all(NodeKind::Thought)[0], "alone").unwrap();
        }),
        ("prompt before it", |w| {
            w.text(w.all(NodeKind::Prompt)[0], "other").unwrap();
        }),
    ];
    for (what, act) in acts {
        let mut w = busy();
        let a = w.id("a");
        let of_a = thread_of(&w, a);
        act(&mut w);
        ended(&w, of_a);
        let b_active = matches!(what, "deleted" | "answered for");
        assert_eq!(w.state.nodes[&w.id("b")].active, b_active, "{what}");
        // Late events are superseded on arrival.
        w.finish(w.id("runs"));
        w.crash();
        assert_eq!(active_turns(&w, of_a), 0, "{what}");
    }
}

#[test]
fn a_plan_names_what_falls_with_a_sub_agent() {
    let w = busy();
    let prompt = w.all(NodeKind::Prompt)[0];
    let edit = Edit::Text {
        node: prompt,
        base: w.rev(prompt),
        text: "other".into(),
    };
    let plan = lineage::plan(&w.state, &[edit]).unwrap();
    for label in ["a", "b", "wrote", "runs"] {
        assert!(plan.superseded.contains(&w.id(label)), "{label}: {plan:?}");
    }
    let wrote = w.state.calls[&w.id("wrote")].attempts[0].intent;
    assert!(plan.effects.contains(&wrote), "{plan:?}");
    let mut w = w;
    let before = w.asked.len();
    w.text(prompt, "other").unwrap();
    assert_eq!(w.asked.len(), before + 1);
}

#[test]
fn two_sub_agents_resume_after_a_crash_like_the_root() {
    for at in 0..6 {
        let mut w = two();
        let (a, b) = (w.id("a"), w.id("b"));
        let crash = |w: &mut World, now: usize| {
            if now == at {
                w.crash();
            }
        };
        crash(&mut w, 0);
        assert!(
            matches!(w.status(a), Status::Running(_)),
            "the outcome of a sub-agent is never unknown"
        );
        assert_eq!(w.open.len(), 2, "its cut stream is asked for again");
        w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
        crash(&mut w, 1);
        w.drain();
        crash(&mut w, 2);
        w.on(b).reply(&[answer("b")]);
        crash(&mut w, 3);
        w.on(a).reply(&[answer("a")]);
        crash(&mut w, 4);
        w.on_thread(thread::ROOT).reply(&[answer("both")]);
        crash(&mut w, 5);
        assert!(matches!(w.state.mode, Mode::Finished(_)), "{at}");
        assert_eq!((w.starts(a), w.starts(b)), (1, 1), "{at}");
        assert_eq!(w.starts(w.id("a1")), if at == 1 { 2 } else { 1 }, "{at}");
        assert_eq!(w.state.threads.children.len(), 2, "{at}");
    }
}

#[test]
fn the_program_may_die_between_any_two_events_of_a_delegation() {
    let mut deaths = 0;
    for fuse in 1..40 {
        let mut w = World::new();
        w.fuse = Some(fuse);
        let mut died =
            |w: &World, before: usize| deaths += usize::from(w.log.len() > before && w.fuse.is_none());
        let before = w.log.len();
        let (turn, request) = w.tip();
        for block in [delegate("a", ""), delegate("b", "")] {
            // A stream that was cut with the program brings nothing any more.
            w.input(overrule_domain::input::Input::Block { turn, request, block });
        }
        died(&w, before);
        let again = w.state.turns[&turn].asked;
        if again > request {
            w.on_thread(thread::ROOT)
                .reply(&[delegate("a", ""), delegate("b", "")]);
        }
        super::super::op_sequence::bring_home(&mut w);
        assert_eq!(w.state.threads.children.len(), 2, "{fuse}");
        for label in ["a", "b"] {
            assert_eq!(
                (w.starts(w.id(label)), w.status(w.id(label))),
                (1, Status::Succeeded),
                "{fuse}"
            );
        }
    }
    assert!(deaths > 10, "{deaths}");
}

#[test]
fn a_stopped_run_leaves_sub_agents_where_they_are() {
    let mut w = busy();
    let (a, b) = (w.id("a"), w.id("b"));
    w.run(RunCommand::Stop {
        reason: "enough".into(),
    })
    .unwrap();
    assert!(w.open.is_empty());
    w.finish(w.id("runs"));
    assert!(matches!(w.status(a), Status::Running(_)));
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.starts(a), 1);
    w.on(b).reply(&[answer("b")]);
    w.on(a).reply(&[answer("a")]);
    assert_eq!(w.status(a), Status::Succeeded);
}

#[test]
fn a_pause_holds_every_thread() {
    let mut w = two();
    let (a, b) = (w.id("a"), w.id("b"));
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    w.on(a).stream(call("read", r#"{"_as":"a1","n":1}"#));
    w.end(Stop::Calls);
    w.on(b).reply(&[answer("b")]);
    assert!(w.executed.is_empty() && w.open.is_empty());
    assert_eq!(w.status(b), Status::Succeeded, "what has come is taken in");
    w.run(RunCommand::Step {}).unwrap();
    w.drain();
    assert_eq!((w.executed.len(), w.open.len()), (1, 0), "a step is one launch");
    w.run(RunCommand::Step {}).unwrap();
    assert_eq!(w.open.len(), 1, "or one request");
}
