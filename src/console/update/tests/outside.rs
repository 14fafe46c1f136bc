//! Tests other outputs and inputs: alerts, sizes, the wheel, repeated events.
//!
//! Must not know: the terminal.

use super::verbs::{ARGS, stage};
use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::{Msg, Out};
use crate::run::link::Update;
use crate::testing::{Stage, id};
use overrule_domain::event::{Event, RunEvent};

#[test]
fn suspend_copy_and_redraw_go_outside() {
    let mut stage = stage();
    stage.draw();
    stage.press("ctrl-z ctrl-l y");
    assert_eq!(
        stage.out,
        [Out::Suspend, Out::Redraw, Out::Copy("first this".into())]
    );
}

#[test]
fn the_first_waiting_call_alerts_and_the_second_does_not() {
    let mut stage = stage();
    stage.awaiting("c3", "write_file", ARGS);
    assert_eq!(stage.out, [Out::Alert("1 to decide".into())]);
    stage.awaiting("c4", "write_file", ARGS);
    assert_eq!(stage.out.len(), 1);
}

#[test]
fn a_resize_and_the_wheel_change_nothing_but_the_view() {
    let mut stage = stage();
    stage.send(Msg::Term(TermMsg::Resize {
        width: 60,
        height: 20,
    }));
    stage.send(Msg::Term(TermMsg::Mouse {
        mouse: crate::ground::term_msg::Mouse::WheelUp,
        x: 3,
        y: 3,
    }));
    stage.draw();
    assert!(stage.out.is_empty());
}

#[test]
fn an_event_already_applied_is_not_applied_again() {
    let mut stage = stage();
    let state = stage.model.run.state.clone();
    let event = Event::Run(RunEvent::Paused { reason: "x".into() });
    let envelope = overrule_domain::envelope::Envelope::bare(1, event);
    stage.send(Msg::Run(Update::Event(std::sync::Arc::new(envelope))));
    assert_eq!(stage.model.run.state, state);
}

#[test]
fn an_ended_call_is_found_by_jumps_and_search() {
    let mut stage = Stage::new(100, 40);
    stage.sample();
    stage.draw();
    stage.press("f");
    assert_eq!(stage.selected(), Some(id("c4")));
    stage.press("[");
    assert_eq!(stage.selected(), Some(id("t2")));
    stage.press("/");
    stage.type_text("report");
    stage.press("enter");
    assert_eq!(stage.model.graph.search.hits.len(), 2);
    let first = stage.selected();
    stage.press("n");
    assert_ne!(stage.selected(), first);
    stage.press("N");
    assert_eq!(stage.selected(), first);
    stage.press("t");
    assert!(stage.status().is_empty());
    assert_eq!(stage.model.queue.waiting(), 1);
    assert_eq!(stage.commands(), []);
}
