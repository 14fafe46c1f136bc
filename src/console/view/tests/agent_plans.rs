//! Tests how the plan that an agent keeps is shown: in its row, in the inspector, in the transcript.

use super::decisions::pictured;
use crate::testing::{Stage, flat};
use overrule_domain::call::Outcome;

const FIRST: &str = r#"{"todos":[{"content":"read the module and its tests","status":"in_progress"},{"content":"fix `mean`","status":"pending"},{"content":"run all tests","status":"pending"}]}"#;
const SECOND: &str = r#"{"todos":[{"content":"read the module and its tests","status":"completed","priority":"high"},{"content":"fix `mean`","status":"in_progress"},{"content":"run all tests","status":"pending"},{"content":"ask about \u202edocstrings","status":"blocked"}]}"#;

/// A run whose agent set its plan twice.
fn planned(stage: &mut Stage) {
    stage.begin();
    let done = || Outcome::ok("\"updated\"");
    stage.tools_turn(
        2,
        2,
        "I make a plan first.",
        &[
            ("TodoWrite", FIRST, done()),
            ("read_file", r#"{"path":"stats.py"}"#, Outcome::ok("\"x\"")),
        ],
    );
    stage.tools_turn(3, 5, "Now I know what to do.", &[("TodoWrite", SECOND, done())]);
    stage.draw();
}

#[test]
fn the_newest_plan_is_above_the_transcript() {
    pictured("agent_plan_80x24", (80, 24), |stage| {
        planned(stage);
        stage.press("ctrl-t");
        stage.on("c3");
    });
}

#[test]
fn the_row_says_how_much_is_done_and_the_inspector_lists_the_steps() {
    let mut stage = Stage::new(80, 40);
    planned(&mut stage);
    stage.on("c6");
    let text = stage.text();
    assert!(text.contains("TodoWrite 1 of 4 done"), "{text}");
    for line in [
        "  [x] read the module and its tests  priority: high",
        "  [ ] fix `mean`  in progress",
        "  [ ] run all tests",
        "  [ ] ask about ⟨U+202E⟩docstrings  blocked",
    ] {
        assert!(text.lines().any(|row| row == line), "{line}: {text}");
    }
}

#[test]
fn the_exact_bytes_of_a_plan_that_waits_are_json() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.awaiting("c3", "TodoWrite", FIRST);
    stage.draw();
    let text = stage.text();
    assert!(
        text.contains("[ ] read the module and its tests  in progress"),
        "{text}"
    );
    assert!(!text.contains("\"status\""), "{text}");
    stage.press("#");
    let text = stage.flat();
    assert!(text.contains("\"status\":\"in_progress\""), "{text}");
}

#[test]
fn what_is_no_list_is_shown_as_it_is() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    let odd = r#"{"todos":"read, then write"}"#;
    stage.tools_turn(2, 2, "A plan.", &[("TodoWrite", odd, Outcome::ok("1"))]);
    stage.draw();
    stage.on("c3");
    let text = flat(&stage.text());
    assert!(text.contains("todos read, then write"), "{text}");
    stage.press("ctrl-t");
    assert_eq!(stage.model.graph.transcript.head, 0);
}

#[test]
fn a_click_below_the_plan_selects_the_row_that_is_there() {
    let mut stage = Stage::new(80, 24);
    planned(&mut stage);
    stage.press("ctrl-t");
    let text = stage.text();
    let row = text.lines().position(|row| row.contains("c4 read_file")).unwrap();
    let mouse = crate::ground::term_msg::Mouse::Press;
    let press = crate::ground::term_msg::TermMsg::Mouse {
        mouse,
        x: 9,
        y: row as u16,
    };
    stage.send(crate::kernel::msg::Msg::Term(press));
    assert_eq!(stage.selected(), Some(crate::testing::id("c4")));
}

#[test]
fn a_low_screen_shows_the_text_alone_and_a_long_plan_its_open_steps() {
    let mut stage = Stage::new(80, 14);
    planned(&mut stage);
    stage.press("ctrl-t");
    assert_eq!(stage.model.graph.transcript.head, 0);
    let steps: Vec<_> = (1..=30)
        .map(|at| {
            let status = if at < 12 { "completed" } else { "pending" };
            serde_json::json!({ "step": format!("step {at}"), "status": status })
        })
        .collect();
    let args = serde_json::json!({ "plan": steps }).to_string();
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.tools_turn(2, 2, "A plan.", &[("update_plan", &args, Outcome::ok("1"))]);
    stage.press("ctrl-t");
    let text = stage.text();
    assert!(stage.model.graph.transcript.head <= 7, "{text}");
    assert!(
        text.contains("[ ] step 12") && !text.contains("step 11"),
        "{text}"
    );
    assert!(text.contains("plan: 11 of 30 done"), "{text}");
}
