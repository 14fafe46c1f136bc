//! Tests that unchanged text is not laid out again, by counting and not by timing.

use crate::kernel::inspector::Tab;
use crate::kernel::pane::Pane;
use crate::testing::{Stage, id, work};
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::event::{EditEvent, Event, RunEvent};
use overrule_domain::id::{Attempt, Rev};
use overrule_domain::node::{Content, Origin};

/// A very long value.
const LONG: usize = 2_000_000;
/// The most bytes that a frame may lay out for short texts.
const SHORT: usize = 64 * 1024;

/// Shows a tab of a call, and counts the layout work that unrelated events cause.
fn stays(stage: &mut Stage, tab: Tab) {
    stage.model.inspector.choose(tab, Pane::GRAPH);
    // Data that is loaded on demand is in the second frame.
    stage.draw();
    stage.draw();
    assert_eq!(stage.model.inspector.tab, tab);
    let made = stage.model.inspector.made;
    for no in 0..20 {
        let reason = format!("pause {no}");
        stage.engine(Event::Run(RunEvent::Paused { reason }));
        let (laid, through) = work::of(|| {
            stage.draw();
        });
        assert!(laid < SHORT, "{tab:?}: {laid} bytes were laid out again");
        assert_eq!(through, 0, "{tab:?}: something was scanned again");
    }
    if !matches!(tab, Tab::Context | Tab::Wire) {
        assert_ne!(stage.model.inspector.made, made, "{tab:?}: it is made again");
    }
}

/// A run with this call under the cursor of the graph.
fn begun(args: &str, outcome: Option<Outcome>) -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    match outcome {
        Some(outcome) => stage.finished("c3", "write_file", args, outcome),
        None => stage.awaiting("c3", "write_file", args),
    }
    stage.press("1 G");
    stage
}

fn revised(stage: &mut Stage, node: &str, content: Content) {
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id(node),
        rev: Rev(2),
        content,
        origin: Origin::Operator { user: "ann".into() },
        approves: None,
    }));
}

#[test]
fn two_megabytes_of_arguments_are_laid_out_once() {
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "abcdefghij".repeat(LONG / 10));
    let (bytes, _) = work::of(|| {
        let mut stage = begun("{}", None);
        revised(
            &mut stage,
            "c3",
            Content::Call {
                tool: "write_file".into(),
                args: args.into(),
            },
        );
        stage.ready("c3", 2);
        for tab in Tab::ALL {
            stays(&mut stage, tab);
        }
    });
    assert!(
        (LONG..2 * LONG).contains(&bytes),
        "{bytes} bytes for all tabs together"
    );
}

#[test]
fn who_comes_back_to_a_long_value_does_not_wait_for_it_again() {
    let text = "a line of some length, as files have them\n".repeat(LONG / 42);
    let value = serde_json::Value::from(text).to_string();
    let mut stage = Stage::new(120, 40);
    let (bytes, _) = work::of(|| {
        stage = begun(r#"{"path":"a"}"#, Some(Outcome::ok(value)));
        stage.model.inspector.choose(Tab::Content, Pane::GRAPH);
        stage.draw();
    });
    assert!(bytes >= LONG - 1_000, "{bytes}");
    let (laid, _) = work::of(|| {
        for _ in 0..3 {
            stage.press("g");
            assert_ne!(stage.selected(), Some(id("c3")));
            stage.press("G");
            assert_eq!(stage.selected(), Some(id("c3")));
            for tab in [Tab::Arguments, Tab::Content] {
                stage.model.inspector.choose(tab, Pane::GRAPH);
                stage.draw();
            }
        }
    });
    assert!(laid < SHORT, "{laid} bytes were laid out again");
}

#[test]
fn so_is_a_result_of_two_megabytes() {
    let text = "a line of some length, as files have them\n".repeat(LONG / 42);
    let value = serde_json::Value::from(text).to_string();
    let (bytes, _) = work::of(|| {
        let mut stage = begun(r#"{"path":"a"}"#, Some(Outcome::ok(value.clone())));
        stays(&mut stage, Tab::Content);
        revised(
            &mut stage,
            "o3",
            Content::Observation {
                call_rev: Rev(1),
                attempt: Attempt(1),
                outcome: Outcome::ok(value.replacen("a line", "no line", 1)),
            },
        );
        for tab in Tab::ALL {
            stays(&mut stage, tab);
        }
    });
    assert!(
        (2 * LONG - 1_000..3 * LONG).contains(&bytes),
        "{bytes} bytes of two results"
    );
}

#[test]
fn text_split_or_compared_by_line_is_computed_once() {
    let lines: Vec<String> = (0..4_000).map(|no| format!("line {no} of a text")).collect();
    let args = |name: &str| serde_json::json!({"path": name, "content": lines.join("\n")}).to_string();
    let mut stage = begun(&args("a"), None);
    revised(
        &mut stage,
        "c3",
        Content::Call {
            tool: "write_file".into(),
            args: args(&"b ".repeat(50_000)).into(),
        },
    );
    for tab in Tab::ALL {
        stays(&mut stage, tab);
    }
}

#[test]
fn so_is_a_long_error() {
    let error = ToolError {
        class: ErrorClass::NotFound,
        message: "it went wrong in many words ".repeat(10_000),
        evidence: "errno ENOENT".to_owned(),
        hint: None,
        partial: None,
        executed: false,
        retry_after_ms: None,
    };
    let long = error.message.len();
    let (bytes, _) = work::of(|| {
        let mut stage = begun(r#"{"path":"a"}"#, Some(Outcome::err(error)));
        stays(&mut stage, Tab::Content);
    });
    assert!((long..2 * long).contains(&bytes), "{bytes} of {long} bytes");
}
