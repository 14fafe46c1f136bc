//! Tests the pane of weights and breakers: what made a weight, setting it, resetting.

use crate::kernel::prompt::Prompt;
use crate::run::target::{NameHash, Target};
use crate::surfaces;
use crate::testing::{Stage, id};

/// Puts the cursor on the first weight of a tool.
fn on_weight(stage: &mut Stage, tool: &str) {
    let mut rows = stage.model.run.watch.weights.rows();
    let named = NameHash::weight(&rows.find(|row| row.tool == tool).unwrap());
    drop(rows);
    stage.press("8 g");
    for _ in 0..20 {
        if stage.model.followed() == Target::Weight(named) {
            return;
        }
        stage.press("j");
    }
    panic!("no weight of {tool}");
}

fn health_rows(stage: &Stage) -> Vec<String> {
    let rows = &stage.model.lower.of(surfaces::health::PANE).unwrap().rows;
    rows.iter().map(|row| row.words.plain()).collect()
}

#[test]
fn a_weight_is_explained_down_to_the_executions_that_made_it() {
    let mut stage = Stage::new(120, 40);
    stage.ailing();
    on_weight(&mut stage, "search");
    let before = health_rows(&stage);
    let row = before.iter().find(|row| row.contains("weight 0.24")).unwrap();
    assert!(
        row.starts_with("  asks you for general ") && row.ends_with("after 7 executions"),
        "{row}"
    );
    assert!(
        before.iter().any(|row| row.starts_with("sudden search -0.2")),
        "{before:?}"
    );
    assert!(
        before
            .iter()
            .any(|row| row.contains("0 of 7 ok, 7 not permitted")),
        "{before:?}"
    );
    stage.press("enter");
    stage.draw();
    let rows = health_rows(&stage);
    assert_eq!(rows.len(), before.len() + 7);
    assert!(
        rows.iter()
            .any(|row| row.contains("c3 attempt 1 0.500 to 0.450  failed, not permitted")),
        "{rows:?}"
    );
    stage.press("j enter");
    assert_eq!(stage.selected(), Some(id("c9")), "the newest change comes first");
    on_weight(&mut stage, "search");
    stage.press("enter");
    stage.draw();
    assert_eq!(health_rows(&stage), before);
}

#[test]
fn the_cursor_stays_on_its_weight_where_others_come_before_it() {
    use overrule_domain::command::{Command, WeightCommand};
    let mut stage = Stage::new(120, 40);
    stage.ailing();
    on_weight(&mut stage, "search");
    // A tool above it runs for the first time, and the key comes before another frame.
    stage.thought("t20", "And one more.");
    stage.finished("c21", "list_dir", "{}", overrule_domain::call::Outcome::ok("[]"));
    stage.press("backspace");
    let sent = stage.commands();
    assert!(
        matches!(sent.last(), Some(Command::Weight(WeightCommand::Reset { tool: Some(tool) })) if &**tool == "search"),
        "{sent:?}: {}",
        stage.status()
    );
}

#[test]
fn a_weight_is_set_and_reset() {
    use overrule_domain::command::{Command, WeightCommand};
    let mut stage = Stage::new(120, 40);
    stage.ailing();
    on_weight(&mut stage, "search");
    stage.press("Q");
    match stage.model.stack.top_mut::<Prompt>() {
        Some(line) => {
            assert!(line.title.contains("weight of search"), "{}", line.title);
            line.field.replace("1.2");
        }
        other => panic!("no line but {other:?}"),
    }
    stage.press("enter");
    assert!(
        stage.status().contains("type a number from 0 to 1"),
        "{}",
        stage.status()
    );
    match stage.model.stack.top_mut::<Prompt>() {
        Some(line) => line.field.replace("0.8"),
        other => panic!("no line but {other:?}"),
    }
    stage.press("enter");
    let sent = stage.commands();
    assert!(
        matches!(sent.last(), Some(Command::Weight(WeightCommand::Set { tool, weight: 800, .. })) if &**tool == "search"),
        "{sent:?}"
    );
    stage.press("backspace");
    let sent = stage.commands();
    assert!(
        matches!(sent.last(), Some(Command::Weight(WeightCommand::Reset { tool: Some(tool) })) if &**tool == "search"),
        "{sent:?}"
    );
    stage.press("8 8 g");
    stage.press("Q");
    assert!(
        stage.status().contains("Put the cursor on a weight"),
        "{}",
        stage.status()
    );
}

#[test]
fn a_breaker_that_opened_is_listed_and_reset_from_its_row() {
    use overrule_domain::breaker::{Breaker, Phase, Scope};
    let mut stage = Stage::new(120, 40);
    stage.ailing();
    let quiet = Scope::Tool("read_file".into());
    let open = Breaker {
        phase: Phase::Open,
        generation: 1,
        trips: 2,
        why: "5 failures in a row".into(),
        ..Breaker::default()
    };
    stage
        .model
        .run
        .state
        .learned
        .breakers
        .insert(quiet, Breaker::default());
    stage
        .model
        .run
        .state
        .learned
        .breakers
        .insert(Scope::Tool("search".into()), open);
    stage.press("8 g");
    let rows = health_rows(&stage);
    let listed: Vec<&String> = rows.iter().filter(|row| row.starts_with("breaker")).collect();
    assert_eq!(
        listed,
        ["breaker open tool:search, opened twice: 5 failures in a row"]
    );
    stage.press("j enter");
    match stage.model.stack.top::<Prompt>() {
        Some(line) => assert_eq!(line.field.text(), "tool:search"),
        other => panic!("no line but {other:?}"),
    }
}
