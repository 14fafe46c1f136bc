//! Pictures of the transcript, and what can be done in it.

use super::decisions::pictured;
use crate::kernel::hints::hints;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;

#[test]
fn a_branch_is_read_as_a_text() {
    for (name, size) in [("transcript_80x24", (80, 24)), ("transcript_160x50", (160, 50))] {
        pictured(name, size, |stage| {
            stage.what_is_left();
            stage.press("ctrl-t");
            stage.on("c9");
        });
    }
}

#[test]
fn an_output_is_unfolded() {
    pictured("transcript_unfolded_80x24", (80, 24), |stage| {
        stage.what_is_left();
        stage.press("ctrl-t");
        stage.on("c9");
        stage.press("space");
    });
}

#[test]
fn the_keys_of_a_call_work_in_the_transcript_and_its_decision_is_below_it() {
    let mut stage = Stage::new(80, 24);
    stage.what_is_left();
    stage.press("ctrl-t");
    stage.on("c9");
    stage.wait(ARMING);
    let hints = hints(&stage.model);
    let offered: Vec<&str> = hints.iter().map(|hint| hint.word).collect();
    for hint in ["unfold", "run again", "edit", "graph", "help"] {
        assert!(
            offered.iter().any(|label| label.starts_with(hint)),
            "{hint}: {offered:?}"
        );
    }
    stage.press("R");
    assert_eq!(stage.commands(), [], "what would run was not whole on the screen");
    assert!(stage.status().ends_with("3 shows it"), "{}", stage.status());
    stage.press("3");
    stage.wait(ARMING);
    stage.press("R");
    assert_eq!(stage.commands().len(), 1);

    let mut stage = Stage::new(80, 24);
    stage.four_wait();
    stage.press("ctrl-t");
    stage.wait(ARMING);
    let text = stage.text();
    assert!(text.contains("c8 changes stats.py"), "{text}");
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "what is in the frame is approved");
    stage.on("c4");
    stage.press("a");
    assert_eq!(stage.commands(), [], "nothing else is");
}

#[test]
fn enter_reads_a_node_and_again_looks_at_it() {
    let mut stage = Stage::new(80, 24);
    stage.what_is_left();
    stage.on("c5");
    stage.press("enter");
    assert!(stage.model.graph.is_transcript());
    assert_eq!(stage.selected(), Some(id("c5")));
    assert!(
        stage.model.screen.places.inspector.is_none(),
        "the text has the screen"
    );
    stage.press("enter");
    assert!(stage.model.screen.places.graph.is_none(), "the inspector has it");
    stage.press("esc");
    assert!(stage.model.screen.places.graph.is_some() && stage.model.graph.is_transcript());
    stage.press("esc");
    assert!(!stage.model.graph.is_transcript());
    stage.press("esc");
    assert_eq!(stage.status(), "The graph is shown");
}

#[test]
fn a_click_and_a_search_find_their_row() {
    let mut stage = Stage::new(80, 24);
    stage.what_is_left();
    stage.press("ctrl-t");
    stage.press("/");
    stage.type_text("docstring");
    stage.press("enter");
    assert_eq!(stage.selected(), Some(id("t17")));
    let text = stage.text();
    let row = text
        .lines()
        .position(|line| line.contains("c16 shell ./slow.sh"))
        .unwrap();
    let mouse = crate::ground::term_msg::Mouse::Press;
    let y = row as u16;
    let press = crate::ground::term_msg::TermMsg::Mouse { mouse, x: 5, y };
    stage.send(crate::kernel::msg::Msg::Term(press));
    assert_eq!(stage.selected(), Some(id("c16")));
}

#[test]
fn below_the_answer_stand_the_files_that_the_run_wrote() {
    let mut stage = Stage::new(80, 24);
    stage.answers();
    stage.writes_file(
        "c30",
        r#"{"path":"stats.py","content":"two\n"}"#,
        (Some("one\n"), "two\n"),
    );
    stage.finish("c30", Outcome::ok("1"));
    stage.writes_file("c31", r#"{"path":"NEW.md","content":"x\n"}"#, (None, "x\n"));
    stage.finish("c31", Outcome::ok("1"));
    stage.draw();
    stage.on("a19");
    stage.press("ctrl-t");
    let text = stage.text();
    let at = text
        .lines()
        .position(|row| row.contains("stats.py") && row.contains("changed by c30"));
    let new = text
        .lines()
        .position(|row| row.contains("NEW.md") && row.contains("created by c31"));
    assert!(at.is_some() && new == at.map(|at| at + 1), "{text}");
}
