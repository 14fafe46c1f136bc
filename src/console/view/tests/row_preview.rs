//! Tests the preview of an edit on the rows of the graph.
//!
//! Must not know: plans.

use ratatui::buffer::Buffer;
use ratatui::style::Color;

use crate::ground::theme::{Colours, Role, Theme};
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::event::TurnEvent;
use overrule_domain::id::TurnId;

const HEAD: &str = "affected rows of the graph";

fn stage(width: u16, height: u16) -> Stage {
    Stage::with(width, height, |settings| {
        settings.look = Theme::built_in("dark").unwrap().look(Colours::True);
    })
}

/// Opens the preview of an edit of the call under the cursor.
fn preview(stage: &mut Stage) {
    stage.press("e");
    stage.edit_field(r#"{"path":"B"}"#);
    stage.press("ctrl-s");
}

/// The row of a node below the head, and the background of its first cell.
fn row(stage: &mut Stage, node: &str) -> (String, Option<Color>) {
    let buffer: Buffer = stage.draw();
    let text = stage.text();
    let head = text.lines().position(|line| line.contains(HEAD)).expect(&text);
    let (at, row) = text
        .lines()
        .enumerate()
        .skip(head + 1)
        .find(|(_, line)| line.contains(&format!(" {node} ")))
        .unwrap_or_else(|| panic!("{node}: {text}"));
    let background = buffer.cell((0, at as u16)).map(|cell| cell.bg);
    (row.trim_end().to_owned(), background)
}

#[test]
fn reruns_superseded_and_preserved_nodes_are_listed_and_highlighted() {
    let mut stage = stage(120, 40);
    stage.begin();
    stage.thought("t2", "I will read twice.");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
    stage.finished("c4", "read_file", r#"{"path":"b"}"#, Outcome::ok("\"other\""));
    stage.close();
    stage.turn(TurnEvent::Settled {
        turn: TurnId(2),
        errors: Vec::new(),
    });
    stage.model_turn(3, 6, "It says old.", &[(r#"{"path":"c"}"#, Outcome::ok("1"))]);
    stage.press("1 g j j");
    assert_eq!(stage.selected(), Some(id("c3")));
    preview(&mut stage);
    let style = |stage: &Stage, role: Role| stage.model.settings.look.style(role).bg;
    let (below, above) = (style(&stage, Role::Descendant), style(&stage, Role::Ancestor));
    let (text, background) = row(&mut stage, "c3");
    assert!(text.ends_with("  runs"), "these bytes never ran: {text}");
    // The cursor is on it.
    assert_eq!(background, style(&stage, Role::Selection));
    let (text, background) = row(&mut stage, "c4");
    assert!(text.ends_with("kept"), "{text}");
    assert_eq!(background, above);
    for node in ["t6", "c7"] {
        let (text, background) = row(&mut stage, node);
        assert!(text.ends_with("superseded"), "{text}");
        assert_eq!(background, below, "{node}");
    }
    let (text, background) = row(&mut stage, "t2");
    assert!(
        text.ends_with("I will read twice."),
        "nothing becomes of it: {text}"
    );
    assert!(background != above && background != below);
    insta::assert_snapshot!("foreseen_120x40", stage.text());
    stage.press("esc");
    assert!(!stage.text().contains(HEAD));
}

#[test]
fn an_undo_shows_what_is_restored() {
    let mut stage = stage(120, 40);
    stage.two_turns();
    stage.press("1 g j j");
    preview(&mut stage);
    stage.wait(crate::testing::ARMING);
    stage.press("enter");
    stage.carry_out();
    stage.press("u");
    let text = stage.text();
    let back = text
        .lines()
        .skip_while(|line| !line.contains(HEAD))
        .any(|line| line.trim_end().ends_with("comes back"));
    assert!(back, "{text}");
}

#[test]
fn the_impact_of_a_change_that_nobody_made_is_shown_likewise() {
    let mut stage = stage(120, 40);
    stage.two_turns();
    stage.press("1 g j j v");
    assert!(row(&mut stage, "c3").0.ends_with("  runs"));
}

#[test]
fn where_the_preview_takes_the_whole_screen_it_stays_whole() {
    for (width, height) in [(40, 12), (20, 6)] {
        let mut stage = stage(width, height);
        stage.two_turns();
        stage.press("1 g j j");
        preview(&mut stage);
        let text = stage.text();
        assert!(!text.contains(HEAD), "{text}");
    }
}
