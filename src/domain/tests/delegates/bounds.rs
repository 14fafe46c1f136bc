//! Tests of the bounds of a sub-agent: tools, turns, limits of the run, depth of delegation.
//!
//! Must not know: the rest.

use super::*;
use overrule_domain::call::ErrorClass;
use overrule_domain::command::RunCommand;
use overrule_domain::event::run::Limits;

#[test]
fn a_sub_agent_has_the_tools_that_it_was_given_and_no_others() {
    let mut w = World::new();
    w.reply(&[
        delegate("a", r#","tools":["read","delegate"]"#),
        delegate("b", ""),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    let names = |w: &World, id| -> Vec<String> {
        let tools = thread::tools(&w.state, thread_of(w, id));
        tools.iter().map(|card| card.name.to_string()).collect()
    };
    assert_eq!(names(&w, a), ["read", "delegate"]);
    assert!(
        !names(&w, b).contains(&"final_answer".to_owned()),
        "it answers in text"
    );
    assert!(names(&w, b).contains(&"write".to_owned()));
    w.on(a).reply(&[
        call("write", r#"{"_as":"not","n":1}"#),
        delegate("aa", r#","tools":["read","write"]"#),
        call("read", r#"{"_as":"yes","n":1}"#),
    ]);
    w.drain();
    assert_eq!(w.status(w.id("not")), Status::Invalid);
    assert!(w.runs(w.id("not")).is_empty());
    assert_eq!(w.runs(w.id("yes")).len(), 1);
    let inner = w.id("aa");
    assert_eq!(
        names(&w, inner),
        ["read"],
        "a sub-agent gets only tools of its parent"
    );
    w.on(inner).reply(&[answer("x")]);
    assert!(
        w.last_request()
            .contains("was not given `write`: its tools are read, delegate")
    );
    // The operator may use any tool in its place.
    let not = w.id("not");
    w.edit(overrule_domain::command::Edit::Call {
        node: not,
        base: w.rev(not),
        tool: "write".into(),
        args: r#"{"n":2}"#.into(),
        shown: true,
    })
    .unwrap();
    assert_eq!(w.runs(not).len(), 1);
}

#[test]
fn a_sub_agent_that_used_up_its_turns_fails_its_call_with_a_word_on_it() {
    let mut w = World::new();
    w.reply(&[delegate("a", r#","max_turns":2"#), delegate("b", "")]);
    let (a, b) = (w.id("a"), w.id("b"));
    let message = |w: &World| format!("{:?}", w.asked.last().unwrap().messages);
    w.on(a).reply(&[call("write", r#"{"_as":"w","n":1}"#)]);
    w.drain();
    assert!(
        message(&w).contains("This is the last request"),
        "{}",
        message(&w)
    );
    let last = w.state.turns_of(thread_of(&w, a)).last().unwrap();
    assert!(last.last, "no tools are offered with it");
    w.on(a).reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Business));
    assert!(matches!(w.status(b), Status::Running(_)));
    w.on(b).reply(&[answer("b")]);
    assert!(
        w.last_request().contains("used up its 2 turns"),
        "{}",
        w.last_request()
    );
    // An edit inside gives back the turns that it supersedes.
    w.correct(w.id("w"), r#"{"v":0}"#).unwrap();
    assert!(matches!(w.status(a), Status::Running(_)));
    w.on(a).reply(&[answer("after all")]);
    assert_eq!(w.value(a), r#""after all""#);
}

#[test]
fn what_sub_agents_ask_counts_in_the_limits_of_the_run() {
    let limits = Limits {
        turns: Some(4),
        ..Limits::default()
    };
    let mut w = World::limited(Rules::default(), limits);
    w.reply(&[delegate("a", ""), delegate("b", "")]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.on(a).reply(&[call("read", r#"{"_as":"a1","n":1}"#)]);
    w.on(b).reply(&[call("read", r#"{"_as":"b1","n":1}"#)]);
    w.drain();
    assert_eq!(w.state.tally.requests, 4);
    assert!(
        matches!(w.state.mode, Mode::Paused(_)),
        "the fifth request waits for the operator"
    );
    assert_eq!(w.open.len(), 1);
    let raised = Limits {
        turns: Some(9),
        ..Limits::default()
    };
    w.run(RunCommand::SetLimits { limits: raised }).unwrap();
    assert_eq!(w.open.len(), 2);
}

#[test]
fn sub_agents_delegate_three_levels_deep() {
    let mut w = World::new();
    w.reply(&[delegate("one", "")]);
    w.on(w.id("one")).reply(&[delegate("two", "")]);
    w.on(w.id("two")).reply(&[delegate("three", "")]);
    let three = w.id("three");
    let tools = thread::tools(&w.state, thread_of(&w, three));
    assert!(
        tools.iter().all(|card| &*card.name != "delegate"),
        "it is not offered"
    );
    w.on(three).reply(&[delegate("four", "")]);
    assert_eq!(w.status(w.id("four")), Status::Invalid);
    assert!(w.last_request().contains("3 levels deep at most"));
    assert_eq!(
        thread::path(&w.state, w.id("four")),
        [w.id("one"), w.id("two"), three]
    );
    for (label, output) in [("three", "3"), ("two", "2"), ("one", "1")] {
        let id = w.id(label);
        w.on(id).reply(&[answer(output)]);
        assert_eq!(w.value(id), format!("\"{output}\""));
    }
    w.reply(&[answer("end")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
}

#[test]
fn an_edit_deep_inside_goes_up_level_by_level_and_stops_where_it_comes_out_equal() {
    let mut w = World::new();
    w.reply(&[delegate("one", ""), delegate("side", "")]);
    let (one, side) = (w.id("one"), w.id("side"));
    w.on(side).reply(&[answer("side")]);
    w.on(one).reply(&[delegate("two", "")]);
    let two = w.id("two");
    w.on(two).reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    w.drain();
    w.on(two).reply(&[answer("2")]);
    w.on(one).reply(&[answer("1")]);
    w.reply(&[answer("end")]);
    let turns = w.turns();
    let asked = w.asked.len();
    w.correct(w.id("r"), r#"{"v":0}"#).unwrap();
    for id in [one, two] {
        assert!(matches!(w.status(id), Status::Running(_)), "{id} continues");
    }
    assert_eq!(w.asked.len(), asked + 1, "only the innermost is asked");
    assert_eq!(w.status(side), Status::Succeeded);
    w.on(two).reply(&[answer("other 2")]);
    assert_eq!(w.asked.len(), asked + 2, "then the one above it");
    assert!(w.last_request().contains("other 2"));
    w.on(one).reply(&[answer("1")]);
    assert_eq!(w.asked.len(), asked + 2, "an equal answer ends the wave");
    assert_eq!(w.turns(), turns);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.executed.len(), 1);
}

#[test]
fn sub_agents_of_one_thread_are_bounded_like_calls_and_their_calls_have_places_of_their_own() {
    let limits = Limits {
        parallel: 1,
        ..Limits::default()
    };
    let mut w = World::limited(Rules::default(), limits);
    w.reply(&[delegate("a", ""), delegate("b", "")]);
    let (a, b) = (w.id("a"), w.id("b"));
    assert_eq!(w.status(b), Status::Queued);
    w.on(a).reply(&[delegate("aa", "")]);
    let inner = w.id("aa");
    w.on(inner).reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    assert_eq!(w.running.len(), 1, "those that wait for others take no place");
    w.drain();
    w.on(inner).reply(&[answer("aa")]);
    w.on(a).reply(&[answer("a")]);
    assert!(matches!(w.status(b), Status::Running(_)));
}
