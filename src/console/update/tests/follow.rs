//! Tests that the text that is read stays in place when new text arrives.
//!
//! Must not know: how rows are made.

use crate::kernel::graph::Pick;
use crate::kernel::inspector::Subject;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::live::{Live, LivePart};

fn read() -> Stage {
    let mut stage = Stage::new(140, 40);
    stage.begin();
    stage.thought("t2", "I will read.");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"a\""));
    stage.draw();
    stage
}

fn shown(stage: &Stage) -> Option<NodeId> {
    match stage.model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => Some(id),
        _ => None,
    }
}

/// Streams this many lines.
fn streamed(stage: &mut Stage, lines: u64) {
    let mut text = String::new();
    for line in 1..=lines {
        text.push_str("line ");
        text.push_str(&line.to_string());
        text.push('\n');
    }
    stage.send(Msg::Run(Update::Live(Live {
        turn: TurnId(2),
        parts: vec![LivePart::Text {
            reasoning: false,
            text: text.as_str().into(),
            before: 0,
        }],
        bytes: text.len() as u64,
    })));
    stage.draw();
}

#[test]
fn a_call_that_comes_does_not_take_the_place_of_what_is_read() {
    let mut stage = read();
    assert_eq!(shown(&stage), Some(id("c3")), "the graph follows");
    stage.press("3");
    stage.proposed("c5", "write_file", r#"{"path":"b","content":""}"#);
    stage.draw();
    assert_eq!(shown(&stage), Some(id("c3")));
    let text = stage.text();
    assert!(!text.contains("following"), "{text}");
    stage.press("1 G");
    stage.draw();
    assert_eq!(shown(&stage), Some(id("c5")));
}

#[test]
fn follow_mode_continues_with_new_calls() {
    let mut stage = read();
    stage.proposed("c5", "write_file", r#"{"path":"b","content":""}"#);
    stage.draw();
    assert_eq!(shown(&stage), Some(id("c5")));
}

#[test]
fn a_stream_is_followed_at_its_end_and_nowhere_else() {
    let mut stage = read();
    streamed(&mut stage, 200);
    let text = stage.text();
    assert!(
        text.contains("▍ line 200") && text.contains("[content] following"),
        "{text}"
    );
    stage.press("3 pgup");
    let top = stage.model.inspector.top;
    streamed(&mut stage, 400);
    assert_eq!(stage.model.inspector.top, top);
    let text = stage.text();
    assert!(
        !text.contains("▍ line 400") && text.contains("[content] not following"),
        "{text}"
    );
    stage.press("g");
    streamed(&mut stage, 500);
    assert_eq!(stage.model.inspector.top, 0);
    stage.press("G");
    streamed(&mut stage, 600);
    assert!(stage.text().contains("▍ line 600"));
}

#[test]
fn ending_a_stream_reports_the_pause_and_any_dropped_text() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.draw();
    stage.press("S");
    let output = stage.status();
    assert!(
        output.contains("Ending the turn and pausing, p resumes"),
        "{output}"
    );
    assert!(!output.contains("Dropped"), "no text had arrived: {output}");
    stage.send(Msg::Run(Update::Live(Live {
        turn: TurnId(2),
        parts: vec![LivePart::Text {
            reasoning: false,
            text: "half a thought".into(),
            before: 6,
        }],
        bytes: 20,
    })));
    stage.press("S");
    let output = stage.status();
    assert!(
        output.contains("Ending the turn and pausing, p resumes"),
        "{output}"
    );
    assert!(output.contains("Complete blocks stay"), "{output}");
    assert!(
        output.contains("Dropped 20 bytes of an incomplete block"),
        "{output}"
    );
}
