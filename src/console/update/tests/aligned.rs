//! Tests how the nodes of two branches are paired where turns are shifted.

use super::branches::list;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::event::TurnEvent;
use overrule_domain::id::{Epoch, TurnId};
use overrule_present::branch_diff::{BranchDiff, Pair, Side};
use overrule_present::content_text;

/// A turn: a thought, and calls as `tool path`.
type Turn<'a> = (&'a str, &'a [&'a str]);

/// Adds turns to the run.
fn turns(stage: &mut Stage, turns: &[Turn<'_>]) {
    for (thought, calls) in turns {
        let state = &stage.model.run.state;
        let (no, turn) = (state.tally.last_no + 1, state.tally.last_turn + 1);
        let calls = calls.iter().map(|call| call.split_once(' ').unwrap());
        let calls: Vec<(&str, String)> = calls
            .map(|(tool, path)| (tool, format!(r#"{{"path":"{path}"}}"#)))
            .collect();
        let calls: Vec<(&str, &str, Outcome)> = calls
            .iter()
            .map(|(tool, args)| (*tool, &**args, Outcome::ok("1")))
            .collect();
        stage.tools_turn(turn, no, thought, &calls);
    }
}

/// A run of the turns `a` whose prompt is edited; then the model makes the turns `b`.
fn branches(a: &[Turn<'_>], b: &[Turn<'_>], size: (u16, u16)) -> Stage {
    let mut stage = Stage::new(size.0, size.1);
    stage.begin();
    stage.turn(TurnEvent::Settled {
        turn: TurnId(2),
        errors: Vec::new(),
    });
    turns(&mut stage, a);
    stage.draw();
    stage.press("1 g e");
    stage.edit_field("look elsewhere");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    turns(&mut stage, b);
    stage.draw();
    stage
}

/// A row for each pair but the prompts: the text on each branch and what is said about it.
fn pairs(stage: &Stage) -> Vec<String> {
    let state = &stage.model.run.state;
    let diff = BranchDiff::of(state, (Epoch(0), Epoch(1)));
    let text = |side: Option<Side>| match side {
        Some(side) => content_text(side.content(state).unwrap())
            .replace(r#"{"path":""#, "")
            .replace(r#""}"#, ""),
        None => "-".to_owned(),
    };
    let row = |pair: &Pair| format!("{} | {} | {}", text(pair.a), text(pair.b), pair.describe().1);
    diff.pairs(true).skip(1).map(row).collect()
}

fn aligned(a: &[Turn<'_>], b: &[Turn<'_>], expected: &[&str]) {
    assert_eq!(pairs(&branches(a, b, (100, 40))), expected);
}

const READ: Turn<'_> = ("I read a.", &["read_file a"]);
const TEST: Turn<'_> = ("I test.", &["cargo_test a"]);
const WRITE: Turn<'_> = ("I write b.", &["write_file b"]);

#[test]
fn an_inserted_turn_shifts_nothing() {
    aligned(
        &[READ, TEST],
        &[
            ("I look first.", &["list_files ."]),
            ("Now I read a.", &["read_file a"]),
            ("Now I test.", &["cargo_test a"]),
        ],
        &[
            "- | I look first. | only B",
            "- | list_files . | only B",
            "I read a. | Now I read a. | differs in text",
            "read_file a | read_file a | same",
            "I test. | Now I test. | differs in text",
            "cargo_test a | cargo_test a | same",
        ],
    );
}

#[test]
fn a_deleted_turn_shifts_nothing() {
    aligned(
        &[READ, TEST, WRITE],
        &[
            ("Now I read a.", &["read_file a"]),
            ("Now I write b.", &["write_file b"]),
        ],
        &[
            "I read a. | Now I read a. | differs in text",
            "read_file a | read_file a | same",
            "I test. | - | only A",
            "cargo_test a | - | only A",
            "I write b. | Now I write b. | differs in text",
            "write_file b | write_file b | same",
        ],
    );
}

#[test]
fn calls_in_another_order_are_paired() {
    // In one turn, and across turns.
    aligned(
        &[("I read.", &["read_file a", "read_file b", "list_files ."]), TEST],
        &[
            ("I read.", &["cargo_test a", "read_file b", "read_file a"]),
            ("I list.", &["list_files ."]),
        ],
        &[
            "I read. | I read. | same",
            "read_file a | read_file a | same",
            "read_file b | read_file b | same",
            "list_files . | list_files . | same",
            "I test. | I list. | differs in text",
            "cargo_test a | cargo_test a | same",
        ],
    );
}

#[test]
fn calls_with_other_arguments_are_paired_by_tool_in_a_shifted_turn() {
    aligned(
        &[READ, TEST, WRITE],
        &[
            ("I look first.", &["list_files ."]),
            READ,
            ("Now I test.", &["cargo_test all"]),
            ("I write c.", &["write_file c"]),
        ],
        &[
            "- | I look first. | only B",
            "- | list_files . | only B",
            "I read a. | I read a. | same",
            "read_file a | read_file a | same",
            "I test. | Now I test. | differs in text",
            "cargo_test a | cargo_test all | differs in arguments",
            "I write b. | I write c. | differs in text",
            "write_file b | write_file c | differs in arguments",
        ],
    );
}

#[test]
fn without_an_equal_node_turns_are_paired_in_their_order_and_calls_by_tool() {
    aligned(
        &[("I read a.", &["read_file a"]), ("I write b.", &["write_file b"])],
        &[
            ("I read x.", &["read_file x"]),
            ("I look.", &["list_files ."]),
            ("I write y.", &["write_file y"]),
        ],
        &[
            "I read a. | I read x. | differs in text",
            "read_file a | read_file x | differs in arguments",
            "I write b. | I look. | differs in text",
            "- | list_files . | only B",
            "- | I write y. | only B",
            "write_file b | write_file y | differs in arguments",
        ],
    );
}

#[test]
fn a_call_whose_tool_is_on_one_branch_only_has_no_counterpart() {
    aligned(
        &[READ, ("I test.", &["cargo_test a"])],
        &[READ],
        &[
            "I read a. | I read a. | same",
            "read_file a | read_file a | same",
            "I test. | - | only A",
            "cargo_test a | - | only A",
        ],
    );
}

#[test]
fn a_node_is_in_one_pair_and_row_and_details_say_the_same() {
    for size in [(80, 24), (160, 50)] {
        let mut stage = branches(
            &[READ, TEST, WRITE],
            &[
                ("I look first.", &["list_files ."]),
                READ,
                ("Now I test.", &["cargo_test all"]),
            ],
            size,
        );
        let state = &stage.model.run.state;
        let diff = BranchDiff::of(state, (Epoch(0), Epoch(1)));
        for side in [|pair: &Pair| pair.a, |pair: &Pair| pair.b] {
            let mut nodes: Vec<_> = diff.pairs(true).filter_map(side).map(|side| side.node).collect();
            let all = nodes.len();
            nodes.sort();
            nodes.dedup();
            assert_eq!(nodes.len(), all);
        }
        let said: Vec<_> = diff.pairs(true).map(Pair::describe).collect();
        stage.press("b c s g");
        for (short, words) in said {
            let text = stage.text();
            let row = text.lines().find(|row| row.starts_with('❯')).unwrap();
            assert!(row.contains(&format!(" {short} ")), "{row}: {short}");
            let detail = list(&stage).doc.copy();
            let first = detail.lines().next().unwrap_or_default().to_owned();
            assert!(first.ends_with(&words), "{row}: {first}");
            stage.press("j");
        }
    }
}
