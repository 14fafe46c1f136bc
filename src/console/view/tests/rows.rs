//! Tests what a row of the graph or a list keeps in little room, and what it counts.
//!
//! Must not know: how lanes are found.

use crate::testing::{Stage, id};
use overrule_domain::escape::Detector;
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::node::{Channel, Origin};
use overrule_domain::rule::RuleSpec;

/// The screen line with the row of a node.
fn row(text: &str, words: &str) -> String {
    let row = text.lines().find(|line| line.contains(words));
    row.map_or_else(|| panic!("no {words}: {text}"), str::to_owned)
}

/// Fourteen waiting calls, and a thought after them: more than there are lanes.
fn crowd() -> Stage {
    crowd_with_text("Done.", 160)
}

fn crowd_with_text(words: &str, width: u16) -> Stage {
    let mut stage = Stage::new(width, 40);
    stage.begin();
    stage.thought("t2", "I will write.");
    for no in 3..17 {
        let args = format!(r#"{{"path":"{no}","content":""}}"#);
        stage.awaiting(&format!("c{no}"), "write_file", &args);
    }
    stage.close();
    stage.request(3, 2);
    stage.turn(TurnEvent::Thought {
        turn: TurnId(3),
        node: id("t20"),
        text: words.into(),
        channel: Channel::Spoken,
        opaque: None,
        origin: Origin::Model,
    });
    stage
}

#[test]
fn a_row_beyond_the_last_lane_has_its_symbol() {
    let text = crowd().text();
    let last = row(&text, "c16  write_file");
    assert!(
        last.split("c16").next().is_some_and(|lanes| lanes.contains('◎')),
        "{text}"
    );
}

#[test]
fn parents_that_are_not_named_are_counted() {
    let text = crowd().text();
    let last = row(&text, "t20  Done.");
    assert!(last.contains("⤷c11 ⤷c12 ⤷c13 ⤷c14 +2"), "{text}");
}

#[test]
fn dependencies_of_a_row_are_shown_however_long_its_text_is() {
    let words = "A thought that runs on and on, ".repeat(20);
    // On the large screen the whole thought is shown, over several rows.
    for (width, expected) in [(160, " ⤷c11 ⤷c12 ⤷c13 ⤷c14 +2"), (50, "+")] {
        let mut stage = crowd_with_text(&words, width);
        stage.press("1");
        let text = stage.text();
        let last = text
            .lines()
            .find(|line| line.contains("t20") && line.contains("A thought"));
        let last = last.unwrap_or_else(|| panic!("{text}"));
        let graph = last.split(['│', '┃']).find(|part| part.contains("t20")).unwrap();
        assert!(graph.contains(expected), "{width}\n{text}");
    }
}

#[test]
fn a_blank_column_keeps_the_strip_from_the_words() {
    let mut stage = Stage::new(60, 24);
    stage.long_run(44);
    stage.press("1 z g");
    let area = stage.model.screen.places.graph.unwrap();
    let buffer = stage.draw();
    let (strip, blank) = (area.right() - 1, area.right() - 2);
    let symbol = |x: u16, y: u16| buffer.cell((x, y)).unwrap().symbol().to_owned();
    let lines = area.y + 1..area.bottom();
    assert!(
        lines.clone().all(|y| symbol(strip, y) != " "),
        "the strip is there"
    );
    assert!(lines.clone().all(|y| symbol(blank, y) == " "));
}

#[test]
fn what_is_on_screen_is_not_new() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "I will read.");
    stage.draw();
    stage.press("1 k");
    for no in 3..7 {
        stage.proposed(&format!("c{no}"), "read_file", r#"{"path":"a"}"#);
    }
    assert!(!stage.text().contains("new"), "{}", stage.text());
    for no in 7..60 {
        stage.awaiting(&format!("c{no}"), "write_file", r#"{"path":"a","content":""}"#);
    }
    assert!(stage.text().contains(" new "), "{}", stage.text());
}

#[test]
fn the_decisive_words_are_visible_at_every_width() {
    let whole = |stage: &mut Stage, expected: &[&str]| {
        let text = stage.text();
        for words in expected {
            assert!(text.contains(words), "{words}\n{text}");
        }
    };
    for width in [40, 60, 80] {
        let mut stage = Stage::new(width, 60);
        stage.troubled();
        let muted = &mut stage.model.run.state.learned.escape.muted;
        muted.insert(Detector::FailingTool);
        stage.press("8");
        let message = [
            "asks you for general",
            "no outcome yet",
            "it changed nothing",
            "failing_tool muted by you",
        ];
        whole(&mut stage, &message);
    }
    let mut stage = Stage::new(40, 24);
    stage.sample();
    for (no, gate) in [(1, "allow"), (2, "ask"), (3, "deny")] {
        let text = format!("tool = \"a_tool_of_a_rather_long_name\", gate = \"{gate}\"");
        stage.engine(Event::Run(RunEvent::RuleAdded {
            no,
            rule: RuleSpec::Text { text: text.into() },
        }));
    }
    stage.press("B");
    whole(&mut stage, &["1 allow ", "2 ask ", "3 deny ", "gate = \"allow\""]);
}
