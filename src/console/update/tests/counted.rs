//! Tests that counts over the whole run in panes and tabs are exact in every frame.

use crate::testing::Stage;
use overrule_domain::id::NodeId;

/// The row of the calls in the budget.
fn calls(stage: &mut Stage) -> String {
    let text = stage.text();
    let row = text.lines().find(|row| row.trim_start().starts_with("calls "));
    row.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn call_counts_are_updated_by_new_events() {
    let mut stage = Stage::long();
    stage.press("7");
    let counted = calls(&mut stage);
    assert!(counted.contains(" ok, 7 failed, 1 waiting"), "{counted}");
    stage.one_more();
    stage.one_more();
    let after = calls(&mut stage);
    let ok = |row: &str| -> u32 {
        let words: Vec<&str> = row.split_whitespace().collect();
        words[2].parse().unwrap()
    };
    assert_eq!(ok(&after), ok(&counted) + 2, "{counted} {after}");
}

#[test]
fn dependents_are_shown_for_the_selected_node() {
    let mut stage = Stage::long();
    stage.press("1 g");
    for _ in 0..7 {
        if stage.text().contains("[depends]") {
            break;
        }
        stage.press(">");
    }
    let mut counts = Vec::new();
    for _ in 0..2 {
        stage.press("j");
        let (text, here) = (stage.text(), stage.selected().unwrap());
        let below = overrule_domain::graph::descendants(&stage.model.run.state, here);
        let message = format!("descendants: {} nodes", below.len());
        assert!(text.contains(&message), "{text}");
        let mut first = below.iter().take(3);
        assert!(first.all(|id: &NodeId| text.contains(&id.to_string())), "{text}");
        counts.push(below.len());
    }
    assert_ne!(counts[0], counts[1]);
}
