//! Tests the comparison of two branches of a long run, with rows made on demand.

use super::branches::list;
use crate::console::model::listing::Item;
use crate::console::testing::Stage;
use crate::domain::id::Epoch;

/// A long run whose prompt was edited: two branches that differ in nearly all, compared.
fn long() -> Stage {
    let mut stage = Stage::committed();
    assert_eq!(stage.model.run.state.epoch, Epoch(1));
    stage.press("b g c");
    stage
}

/// The entries that have a row.
fn made(stage: &Stage) -> Vec<usize> {
    let rows = &list(stage).rows;
    let mut made: Vec<usize> = rows.shown(0..rows.count()).filter_map(|line| line.of).collect();
    made.dedup();
    made
}

#[test]
fn branch_comparison_is_updated_by_new_events() {
    let mut stage = long();
    let text = stage.text();
    assert!(text.contains("only B"), "{text}");
    let before = list(&stage).items.len();
    stage.one_more();
    stage.draw();
    assert_eq!(list(&stage).items.len(), before + 2, "a thought and a call more");
}

#[test]
fn of_two_long_branches_the_rows_on_the_screen_are_made_and_no_others() {
    for width in [100, 160] {
        let mut stage = long();
        let resize = crate::console::msg::TermMsg::Resize { width, height: 40 };
        stage.send(crate::console::msg::Msg::Term(resize));
        stage.draw();
        for keys in ["g", "G", "k k k", "g j", "s G"] {
            stage.press(keys);
            let text = stage.text();
            let Some(Item::Node(node)) = list(&stage).selected else {
                panic!("nothing is selected");
            };
            let row = text.lines().find(|row| row.starts_with('❯'));
            let name = format!("❯{node} ");
            assert!(row.is_some_and(|row| row.starts_with(&name)), "{name}: {text}");
            let (made, all) = (made(&stage), list(&stage).items.len());
            assert!(all > 150 && made.len() < 45, "{} of {all} are made", made.len());
            assert!(made.contains(&list(&stage).at), "{keys}");
        }
    }
}
