//! Events that take long to fold are folded beside the keys, and the run is then what it would be otherwise.

use crate::console::link::Update;
use crate::console::model::overlay::Overlay;
use crate::console::msg::Msg;
use crate::console::testing::{ARMING, Stage};
use crate::domain::apply::apply;
use crate::domain::event::{Event, RunEvent};
use crate::domain::id::Epoch;
use crate::domain::state::State;

/// How many nodes count.
fn active(stage: &Stage) -> usize {
    let nodes = stage.model.run.state.nodes.values();
    nodes.filter(|node| node.active).count()
}

/// The run is what its record makes of it, folded at once.
fn is_whole(stage: &Stage) {
    let mut state = State::default();
    for envelope in stage.recorded() {
        apply(&mut state, envelope);
    }
    assert_eq!(stage.model.run.state, state);
}

#[test]
fn what_an_edit_of_a_long_run_lets_fall_is_folded_beside_the_keys() {
    let mut stage = Stage::slow_commit();
    assert!(stage.model.folding.is_any());
    let before = active(&stage);
    assert!(before > 100, "{before}");
    // Keys are answered, of the run as it was.
    stage.press("?");
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Page(_))));
    stage.press("esc");
    assert_eq!(active(&stage), before);
    let times = stage.fold();
    assert!(times < 3, "{times}: what comes together is folded together");
    assert!(active(&stage) < 10, "{}", active(&stage));
    is_whole(&stage);
    assert!(
        !stage
            .model
            .overlays
            .iter()
            .any(|one| matches!(one, Overlay::Review(_))),
        "the answer of the run was heard"
    );
}

#[test]
fn what_comes_meanwhile_waits_and_nothing_of_it_is_lost_or_overtakes() {
    let mut stage = Stage::slow_commit();
    let reason = |reason: &str| {
        Event::Run(RunEvent::Paused {
            reason: reason.into(),
        })
    };
    stage.engine(reason("first"));
    stage.send(Msg::Run(Update::Notice("between".to_owned())));
    stage.engine(reason("second"));
    stage.draw();
    stage.engine(reason("third"));
    let told = |stage: &Stage| {
        let words = ["first", "between", "second", "third"];
        let all: Vec<String> = stage
            .model
            .log
            .shown()
            .map(|(_, line)| format!("{line:?}"))
            .collect();
        let at = words.map(|word| all.iter().position(|line| line.contains(&format!("\"{word}\""))));
        at.into_iter().flatten().collect::<Vec<usize>>()
    };
    assert!(told(&stage).is_empty(), "all of it waits");
    stage.fold();
    is_whole(&stage);
    let told = told(&stage);
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told.is_sorted(), "{told:?}");
    assert_eq!(stage.model.run.gap, None);
}

#[test]
fn what_stands_again_in_a_long_run_is_folded_beside_the_keys_too() {
    let mut stage = Stage::slow_commit();
    stage.fold();
    stage.draw();
    stage.press("u");
    stage.work();
    stage.draw();
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert!(stage.model.folding.is_any());
    let few = active(&stage);
    stage.fold();
    assert!(active(&stage) > few + 100, "{} of {few}", active(&stage));
    is_whole(&stage);
    assert_ne!(stage.model.run.state.epoch, Epoch(1));
}

#[test]
fn a_run_that_is_shown_instead_comes_after_what_waits() {
    let mut stage = Stage::slow_commit();
    let state = Stage::slow_run().model.run.state;
    stage.send(Msg::Run(Update::Snapshot(Box::new(state.clone()))));
    stage.fold();
    assert_eq!(stage.model.run.state, state);
}
