//! Tests the comparison of two branches of a long run, with rows made on demand.

use super::branches::{compared, list};
use crate::run::target::Target;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::id::Epoch;

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
    let count = |stage: &Stage, words: &str| {
        let rows = &list(stage).rows;
        let lines = rows.shown(0..rows.count());
        lines.filter(|line| line.words.plain().contains(words)).count()
    };
    let before = list(&stage).items.len();
    let (alone, differ) = (count(&stage, "only B"), count(&stage, "differs"));
    stage.one_more();
    stage.draw();
    // The new thought and the new call are aligned with those at the same place of the other branch.
    assert_eq!(list(&stage).items.len(), before);
    assert_eq!(
        (count(&stage, "only B") + 2, count(&stage, "differs")),
        (alone, differ + 2)
    );
}

/// A run of a thought and three reads whose prompt is edited; then the model makes these reads.
fn again(paths: &[&str], size: (u16, u16)) -> Stage {
    let mut stage = Stage::new(size.0, size.1);
    stage.begin();
    stage.thought("t2", "I will read.");
    for (no, path) in [(3, "a"), (4, "b"), (5, "c")] {
        let args = format!(r#"{{"path":"{path}"}}"#);
        stage.finished(&format!("c{no}"), "read_file", &args, Outcome::ok("1"));
    }
    stage.close();
    stage.draw();
    stage.press("1 g e");
    stage.edit_field("look elsewhere");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    let state = &stage.model.run.state;
    let (no, turn) = (state.tally.last_no + 1, state.tally.last_turn + 1);
    let args: Vec<String> = paths
        .iter()
        .map(|path| format!(r#"{{"path":"{path}"}}"#))
        .collect();
    let calls: Vec<(&str, Outcome)> = args.iter().map(|args| (&**args, Outcome::ok("1"))).collect();
    stage.model_turn(turn, no, "I will read.", &calls);
    stage.draw();
    stage
}

#[test]
fn a_branch_is_compared_with_its_parent() {
    for size in [(80, 24), (160, 50)] {
        let mut stage = again(&["a", "b", "c"], size);
        // The cursor of the list is on the current branch.
        stage.press("b c");
        assert_eq!(compared(&stage), Some((0, 1, false)));
        let text = stage.text();
        assert!(text.contains("parent: branch 0 (as the run began)"), "{text}");
        assert!(text.contains("now: branch 1"), "{text}");
        assert!(!text.contains("now: parent"), "{text}");
    }
}

#[test]
fn equal_nodes_of_two_branches_are_in_one_row() {
    for size in [(80, 24), (160, 50)] {
        // The same reads in another order, without one, and with a new one.
        let mut stage = again(&["c", "a", "x"], size);
        stage.press("b c");
        let text = stage.text();
        assert!(text.contains("p1    differs"), "{text}");
        // Only the prompt and the read that became another one differ.
        assert_eq!(list(&stage).items.len(), 2, "{text}");
        assert!(text.contains("c4    differs"), "{text}");
        assert!(!text.contains("only A") && !text.contains("only B"), "{text}");
        stage.press("s");
        let text = stage.text();
        for same in ["t2    same", "c3    same", "c5    same"] {
            assert!(text.contains(same), "{same}: {text}");
        }
        assert_eq!(list(&stage).items.len(), 5, "{text}");
    }
}

#[test]
fn a_node_without_a_counterpart_is_on_one_side() {
    let mut stage = again(&["a"], (80, 24));
    stage.press("b c");
    let text = stage.text();
    assert!(
        text.contains("c4    only A") && text.contains("c5    only A"),
        "{text}"
    );
    assert!(!text.contains("only B") && !text.contains("c3 "), "{text}");
}

#[test]
fn the_details_say_the_same_about_a_node_as_its_row() {
    for size in [(80, 24), (160, 50)] {
        let mut stage = again(&["a", "x"], size);
        stage.press("b c s");
        let items = list(&stage).items.len();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..items {
            let text = stage.text();
            let row = text
                .lines()
                .find_map(|row| row.strip_prefix('❯'))
                .unwrap()
                .to_owned();
            let word = ["same", "differs", "only A", "only B"]
                .into_iter()
                .find(|word| row.contains(&format!(" {word} ")));
            let word = word.unwrap_or_else(|| panic!("{row}"));
            let detail = list(&stage).doc.copy();
            let first = detail.lines().next().unwrap_or_default();
            assert!(first.contains(&format!(" {word}")), "{row}: {first}");
            for other in ["same", "differs", "only A", "only B"] {
                assert!(other == word || !detail.contains(other), "{row}: {detail}");
            }
            seen.insert(word);
            stage.press("j");
        }
        assert_eq!(seen.len(), 3, "{seen:?}");
    }
}

#[test]
fn a_difference_names_the_part_that_differs() {
    let mut stage = Stage::new(100, 40);
    stage.edited();
    stage.press("b k c");
    let detail = list(&stage).doc.copy();
    assert!(
        detail.starts_with("c3 differs in arguments and result"),
        "{detail}"
    );
    assert!(!detail.contains("the same"), "{detail}");
}

#[test]
fn of_two_long_branches_the_rows_on_the_screen_are_made_and_no_others() {
    for width in [100, 160] {
        let mut stage = long();
        let resize = crate::ground::term_msg::TermMsg::Resize { width, height: 40 };
        stage.send(crate::kernel::msg::Msg::Term(resize));
        stage.draw();
        for keys in ["g", "G", "k k k", "g j", "s G"] {
            stage.press(keys);
            let text = stage.text();
            let Some(Target::Node(node)) = list(&stage).selected else {
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
