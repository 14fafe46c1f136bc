//! Tests of loops inside a sub-agent.
//!
//! Must not know: how a loop is detected.

use super::*;

#[test]
fn a_looping_sub_agent_is_stopped_and_its_parent_continues() {
    let mut config = Config::default();
    config.ladder.guidance = 0;
    config.ladder.refuse = 0;
    config.ladder.roll_back = 0;
    config.ladder.human = 0;
    let mut w = World::with(rules(config));
    w.reply(&[call("delegate", r#"{"task":"repeat"}"#)]);
    let parent = newest(&w);
    let thread = *w.state.threads.children.keys().next().unwrap();
    for _ in 0..3 {
        w.on_thread(thread).reply(&[call("read", r#"{"n":-1}"#)]);
        w.drain();
    }
    assert_eq!(w.state.learned.escape.incidents[0].finding.thread, thread);
    assert_eq!(w.status(parent), Status::Failed(ErrorClass::Business));
    assert_eq!(w.state.mode, Mode::Running);
    assert!(incident(&w).over);
    w.reply(&[answer("without it")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn other_calls_continue_after_the_operator_stops_a_looping_sub_agent() {
    let mut config = Config::default();
    config.ladder.guidance = 0;
    config.ladder.refuse = 0;
    config.ladder.roll_back = 0;
    let ways: [fn(NodeId) -> CallCommand; 2] = [
        |call| CallCommand::Cancel {
            attempt: None,
            call,
            reason: "stopped".into(),
        },
        |call| CallCommand::Answer {
            call,
            rev: Rev(1),
            value: "7".into(),
        },
    ];
    for stop in ways {
        let mut w = World::with(rules(config.clone()));
        w.reply(&[
            call("delegate", r#"{"_as":"a","task":"repeat"}"#),
            call("pure", r#"{"_as":"b","n":"†call.a"}"#),
            call("read", r#"{"_as":"c","n":5}"#),
        ]);
        let (parent, other) = (w.id("a"), w.id("c"));
        let thread = *w.state.threads.children.keys().next().unwrap();
        for _ in 0..3 {
            w.on_thread(thread).reply(&[call("read", r#"{"n":-1}"#)]);
            w.drain();
        }
        assert!(matches!(w.state.mode, Mode::Paused(_)), "{:?}", w.state.mode);
        let branch = Branch::of(&w.state, &need(&w.state).unwrap());
        assert_eq!(branch, Branch::Agent(parent));
        w.cmd(Command::Call(stop(parent))).unwrap();
        assert_eq!(w.state.mode, Mode::Running);
        assert!(incident(&w).over);
        assert_eq!(need(&w.state), None);
        w.drain();
        assert_eq!(w.status(other), Status::Succeeded);
        assert!(w.status(parent).is_settled() && w.status(w.id("b")).is_settled());
        w.reply(&[answer("without it")]);
        assert!(matches!(w.state.mode, Mode::Finished(_)));
    }
}
