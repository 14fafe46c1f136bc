//! What is counted over all of a long run: no key and no frame waits for it, and what is shown is soon what is.

use crate::console::link::Update;
use crate::console::model::screen::Pane;
use crate::console::testing::Stage;
use crate::domain::id::NodeId;
use crate::resilience::watch::Watch;

/// The row of the calls in the budget.
fn calls(stage: &mut Stage) -> String {
    let text = stage.text();
    let row = text.lines().find(|row| row.trim_start().starts_with("calls "));
    row.unwrap_or_else(|| panic!("{text}")).to_owned()
}

fn wakes_at(stage: &Stage) -> Option<u64> {
    stage.model.lower.wake_at(Pane::Budget, stage.model.run.state.seq)
}

#[test]
fn the_calls_of_a_long_run_are_counted_beside_the_keys() {
    let mut stage = Stage::slow_run();
    stage.press("7");
    assert!(
        calls(&mut stage).contains("being counted"),
        "{}",
        calls(&mut stage)
    );
    assert!(calls(&mut stage).contains(", 1 waiting"), "what is known is told");
    assert!(stage.work() > 0);
    let counted = calls(&mut stage);
    assert!(counted.contains(" ok, 7 failed, 1 waiting"), "{counted}");
    let counted_at = |stage: &Stage| stage.model.lower.counted_at(Pane::Budget);
    assert_eq!(counted_at(&stage), Some(stage.model.run.state.seq));
    assert_eq!(wakes_at(&stage), None, "nothing has happened since");

    let first = counted_at(&stage);
    stage.one_more();
    stage.one_more();
    let before = calls(&mut stage);
    stage.work();
    assert_eq!(counted_at(&stage), first, "not for each of many events");
    let wakes = wakes_at(&stage).expect("nobody has to press a key for it");
    assert!(wakes > stage.now && wakes <= stage.now + 500);
    stage.wait(wakes - stage.now);
    assert!(stage.work() > 0);
    let after = calls(&mut stage);
    assert_ne!(before, after);
    let ok = |row: &str| -> u32 {
        let words: Vec<&str> = row.split_whitespace().collect();
        words[2].parse().unwrap()
    };
    assert_eq!(ok(&after), ok(&counted) + 2, "{counted} {after}");
}

#[test]
fn what_is_not_looked_at_is_not_counted() {
    let mut stage = Stage::slow_run();
    stage.press("7");
    stage.work();
    stage.press("7");
    let counted = stage.model.lower.counted_at(Pane::Budget);
    assert!(counted.is_some());
    stage.one_more();
    stage.wait(2_000);
    while stage.work() > 0 {
        stage.draw();
    }
    assert_eq!(stage.model.lower.counted_at(Pane::Budget), counted);
    let wakes = stage.model.wake_at();
    assert!(
        wakes.is_none_or(|at| at >= stage.now + 1_000),
        "nothing wakes for it"
    );
}

#[test]
fn a_pane_that_has_no_room_wakes_nobody() {
    let mut stage = Stage::slow_run();
    stage.press("7");
    stage.work();
    stage.press("1 z");
    assert!(stage.model.screen.lower.is_some() && stage.model.screen.places.lower.is_none());
    stage.one_more();
    stage.wait(2_000);
    while stage.work() > 0 {
        stage.draw();
    }
    let wakes = stage.model.wake_at();
    assert!(
        wakes.is_none_or(|at| at > stage.now),
        "{wakes:?} at {}",
        stage.now
    );
}

#[test]
fn branches_and_tools_of_a_long_run_are_counted_beside_the_keys() {
    let mut stage = Stage::slow_run();
    stage.press("6");
    assert!(stage.text().contains("being counted"), "{}", stage.text());
    assert!(stage.work() > 0);
    let text = stage.text();
    assert!(
        !text.contains("being counted") && text.contains("as the run began"),
        "{text}"
    );
    stage.press("8");
    assert!(
        stage.text().contains("read_file"),
        "what is known of the tools is told"
    );
    assert!(stage.work() > 0);
}

#[test]
fn what_hangs_on_a_node_of_a_long_run_is_found_beside_the_keys() {
    let mut stage = Stage::slow_run();
    stage.press("1 g");
    let first = stage.selected().unwrap();
    for _ in 0..7 {
        if stage.text().contains("[depends]") {
            break;
        }
        stage.press(">");
    }
    let text = stage.text();
    assert!(text.contains("hangs on it: being counted"), "{text}");
    // Who has gone on is not told of what he has left.
    stage.press("j");
    stage.draw();
    assert!(stage.work() > 0);
    let (text, here) = (stage.text(), stage.selected().unwrap());
    assert_ne!(first, here);
    let below = crate::domain::graph::descendants(&stage.model.run.state, here);
    assert!(
        text.contains(&format!("hangs on it: {} nodes", below.len())),
        "{text}"
    );
    assert!(
        below
            .iter()
            .take(3)
            .all(|id: &NodeId| text.contains(&id.to_string())),
        "{text}"
    );
}

#[test]
fn what_is_known_of_the_tools_of_a_run_that_comes_is_taken_from_who_sends_it() {
    let mut stage = Stage::slow_run();
    let state = stage.model.run.state.clone();
    let counted = stage.model.run.watch.clone();
    assert!(counted.health.tools().next().is_some(), "something ran");
    let sent = |stage: &mut Stage, update| stage.send(crate::console::msg::Msg::Run(update));
    // Told of a run with another one's, it shows those: nothing is gone through again.
    sent(&mut stage, Update::Models(Box::default()));
    sent(&mut stage, Update::Snapshot(Box::new(state.clone())));
    assert_eq!(stage.model.run.watch, Watch::default());
    // They are of that one run.
    sent(&mut stage, Update::Snapshot(Box::new(state)));
    assert_eq!(stage.model.run.watch, counted);
}
