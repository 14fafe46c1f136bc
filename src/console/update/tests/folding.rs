//! Tests that the state on screen is the fold of the journal in every frame.

use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage};
use overrule_domain::apply::fold;
use overrule_domain::envelope::Envelope;
use overrule_domain::id::Epoch;

/// The number of active nodes.
fn active(stage: &Stage) -> usize {
    let nodes = stage.model.run.state.nodes.values();
    nodes.filter(|node| node.active).count()
}

/// Checks that the state is the fold of the journal.
fn is_whole(stage: &Stage) {
    let record: Vec<Envelope> = stage.recorded().iter().map(|one| (**one).clone()).collect();
    assert_eq!(stage.model.run.state, fold(&record));
}

#[test]
fn what_an_edit_lets_fall_and_an_undo_brings_back_is_folded_as_it_comes() {
    let mut stage = Stage::previewed();
    let before = active(&stage);
    assert!(before > 100, "{before}");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert!(active(&stage) < 10, "{}", active(&stage));
    assert_eq!(stage.model.run.state.epoch, Epoch(1));
    is_whole(&stage);

    assert!(
        stage.model.stack.find::<Review>().is_none(),
        "the answer of the run was heard"
    );
    stage.press("u");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert!(active(&stage) > 100, "{}", active(&stage));
    is_whole(&stage);
    assert_ne!(stage.model.run.state.epoch, Epoch(1));
}

#[test]
fn an_event_that_was_folded_already_changes_nothing() {
    let mut stage = Stage::long();
    let (state, logged) = (stage.model.run.state.clone(), stage.model.log.shown().count());
    let again = stage.recorded().to_vec();
    for envelope in again {
        stage.send(Msg::Run(Update::Event(envelope)));
    }
    assert_eq!(stage.model.run.state, state);
    assert_eq!(stage.model.log.shown().count(), logged);
    assert_eq!(stage.model.run.gap, None);
}
