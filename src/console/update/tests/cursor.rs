//! Tests the shared cursor: the queue, the graph and the inspector select the same call.
//!
//! Must not know: how the cursor is drawn.

use crate::kernel::graph::Pick;
use crate::kernel::inspector::{Subject, Tab};
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::event::CallEvent;
use overrule_domain::id::{NodeId, Rev};

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

/// The call that is selected in the graph, the queue and the inspector.
fn selected(stage: &Stage) -> NodeId {
    let model = &stage.model;
    let in_queue = match model.queue.selected {
        Some(QueueEntry::Call { call, .. }) => Some(call),
        _ => None,
    };
    let in_graph = match model.graph.selected {
        Some(Pick::Node(id)) => Some(id),
        _ => None,
    };
    let in_inspector = match model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => Some(id),
        _ => None,
    };
    assert_eq!(in_queue, in_graph);
    assert_eq!(in_queue, in_inspector);
    in_queue.unwrap()
}

/// The approval is recorded: the call runs.
fn approved(stage: &mut Stage, call: &str) {
    stage.approved(call);
    stage.draw();
}

fn three() -> Stage {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    stage
}

#[test]
fn whichever_pane_moves_it_there_is_one_cursor() {
    let mut stage = three();
    stage.press("t");
    assert_eq!(selected(&stage), id("c3"));
    stage.press("j");
    assert_eq!(selected(&stage), id("c4"));
    stage.press("1");
    assert_eq!(selected(&stage), id("c4"), "the graph continues from there");
    stage.press("j");
    assert_eq!(selected(&stage), id("c5"));
    stage.press("k k");
    assert_eq!(selected(&stage), id("c3"));
    stage.press("2");
    assert_eq!(selected(&stage), id("c3"));
    stage.press("G j j");
    stage.press("3 >");
    assert_eq!(selected(&stage), id("c5"));
    // On a row that does not wait, no queue entry is selected.
    stage.press("1 g");
    assert!(!stage.model.is_selected_in_queue());
    stage.press("2");
    assert_eq!(selected(&stage), id("c5"));
}

#[test]
fn what_comes_never_takes_the_cursor_from_a_call_that_waits() {
    for focus in ["1", "2", "3", "1 G"] {
        let mut stage = Stage::new(140, 40);
        stage.begin();
        stage.thought("t2", "I will write.");
        stage.awaiting("c3", "write_file", ARGS);
        stage.draw();
        stage.press(focus);
        assert_eq!(selected(&stage), id("c3"));
        stage.thought("t4", "And read.");
        stage.finished("c5", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
        stage.awaiting("c6", "write_file", ARGS);
        stage.running("c7", "read_file", r#"{"path":"b"}"#);
        stage.draw();
        assert_eq!(selected(&stage), id("c3"), "{focus}");
    }
    // Once it no longer waits, follow mode is on again.
    let mut stage = Stage::new(140, 40);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    assert_eq!(selected(&stage), id("c3"));
    stage.approved("c3");
    stage.thought("t4", "Done.");
    stage.draw();
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("t4"))));
}

#[test]
fn deciding_moves_on_and_the_key_to_what_waits_leaves_nothing_out() {
    let mut stage = three();
    for call in ["c3", "c4", "c5"] {
        stage.press("t");
        assert_eq!(selected(&stage), id(call));
        stage.wait(ARMING);
        stage.press("a");
        assert_eq!(stage.commands().len(), 1, "{call}: {}", stage.status());
        // Also if the key is pressed before the decision is recorded.
        stage.press("t");
        assert_eq!(selected(&stage), id(call), "it still waits");
        approved(&mut stage, call);
    }
    assert_eq!(stage.model.queue.waiting(), 0);
    let mut stage = three();
    stage.press("t");
    stage.wait(ARMING);
    stage.press("a");
    approved(&mut stage, "c3");
    assert_eq!(selected(&stage), id("c4"), "it moves by itself");
    stage.press("t t t");
    assert_eq!(selected(&stage), id("c4"));
    assert_eq!(stage.model.screen.lead, Pane::GRAPH);
}

#[test]
fn whoever_follows_is_led_to_the_oldest_and_whoever_chose_stays() {
    let mut stage = three();
    stage.press("1 G");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c5"))));
    stage.press("t");
    assert_eq!(
        selected(&stage),
        id("c3"),
        "the operator did not choose the newest"
    );
    let mut stage = three();
    stage.press("1 j");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c4"))));
    stage.press("t");
    assert_eq!(selected(&stage), id("c4"));
}

#[test]
fn whoever_follows_is_led_to_the_oldest_of_calls_that_begin_to_wait_one_by_one() {
    let mut stage = Stage::new(140, 40);
    stage.begin();
    let calls = ["c3", "c4", "c5"];
    for call in calls {
        // The row is on screen, and under the cursor, before the call waits.
        stage.proposed(call, "write_file", ARGS);
        stage.draw();
    }
    let waits = |stage: &mut Stage, call: &str| {
        stage.ready(call, 1);
        stage.call(CallEvent::Asked {
            call: id(call),
            rev: Rev(1),
            deadline_ms: None,
            approver: None,
        });
        stage.draw();
    };
    waits(&mut stage, "c3");
    waits(&mut stage, "c4");
    waits(&mut stage, "c5");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c3"))));
    stage.press("t");
    assert_eq!(selected(&stage), id("c3"));
}

#[test]
fn what_a_decided_call_does_replaces_its_question() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.awaiting("c3", "write_file", ARGS);
        stage.draw();
        stage.press("t");
        assert!(stage.text().contains("┏━ c3 writes"), "{}", stage.text());
        stage.wait(ARMING);
        stage.press("a");
        approved(&mut stage, "c3");
        stage.start("c3");
        stage.draw();
        assert_eq!(stage.model.inspector.tab, Tab::Content);
        stage.finish("c3", Outcome::ok("\"said the tool\""));
        let text = stage.text();
        assert!(text.contains("said the tool"), "{text}");
        // A tab that the operator chose stays.
        stage.press(">");
        assert_eq!(stage.model.inspector.tab, Tab::Arguments);
        stage.draw();
        assert_eq!(stage.model.inspector.tab, Tab::Arguments);
    }
}

#[test]
fn the_next_failure_is_also_a_command_that_ended_with_an_exit_code() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    let exited = Outcome::Ok {
        value: "\"add FAILED\"".into(),
        meta: None,
        discarded: 0,
        exit: Some(1),
    };
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.finished("c4", "cargo_test", r#"{"path":"a"}"#, exited);
    stage.finished("c5", "read_file", r#"{"path":"b"}"#, Outcome::ok("1"));
    stage.close();
    stage.draw();
    stage.press("1 g f");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c4"))));
    assert!(stage.text().contains("add FAILED"), "{}", stage.text());
    stage.press("f");
    assert_eq!(
        stage.model.graph.selected,
        Some(Pick::Node(id("c4"))),
        "there is no other"
    );
}
