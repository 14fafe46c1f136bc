//! Snapshots of everything that asks the operator, and of pages and lists that lead there.

use crate::kernel::msg::Msg;
use crate::run::link::Frames;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{ConsentCause, Consequence, Decision, Gate, Part, Quoted, Verdict};
use overrule_domain::event::CallEvent;
use overrule_domain::id::Rev;

/// From a corner of a screen to a wide one.
const SIZES: [(u16, u16); 4] = [(40, 12), (80, 24), (120, 40), (200, 60)];

/// Pictures of one scene at every size.
fn at_sizes(name: &str, scene: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.text());
    }
}

#[test]
fn approve_all() {
    at_sizes("approve_all", |stage| {
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a.md","content":"one"}"#);
        stage.awaiting("c4", "write_file", r#"{"path":"b.md","content":"two"}"#);
        stage.awaiting("c5", "launch", r#"{"to":"orbit"}"#);
        stage.at_the_queue();
        stage.press("A");
        stage.wait(ARMING);
    });
}

#[test]
fn a_replacement() {
    at_sizes("replacement", |stage| {
        stage.begin();
        let args = serde_json::json!({
            "path": "src/main.rs",
            "old": "fn main() {\n    run();\n}\n",
            "new": "fn main() {\n    run_all();\n    // \u{202e}done\n}\n",
        });
        stage.awaiting("c3", "edit_file", &args.to_string());
        stage.at_the_queue();
        stage.wait(ARMING);
    });
}

#[test]
fn a_text_of_several_lines() {
    at_sizes("lines", |stage| {
        stage.begin();
        let args = serde_json::json!({"path": "a.md", "content": "# Title\n\n- one\n- two\n", "note": "x\n"});
        stage.awaiting("c3", "write_file", &args.to_string());
        stage.at_the_queue();
        stage.wait(ARMING);
    });
}

#[test]
fn typed_word() {
    at_sizes("typed_word", |stage| {
        stage.begin();
        stage.awaiting("c3", "launch", r#"{"to":"orbit"}"#);
        stage.at_the_queue();
        stage.press("a");
        stage.type_text("lau");
    });
}

#[test]
fn consent() {
    at_sizes("consent", |stage| {
        stage.orphaned();
        let first = stage.model.run.state.ledger.keys().copied().collect();
        let args = r#"{"path":"a","content":"b"}"#;
        stage.repeats("c8", ("write_file", args), ConsentCause::Orphaned, first);
        stage.at_the_queue();
        stage.press("a");
        stage.wait(ARMING);
    });
}

#[test]
fn unknown_outcome() {
    at_sizes("unknown_outcome", |stage| {
        stage.begin();
        stage.outcome_unknown("c3");
        stage.at_the_queue();
        stage.press("j");
        stage.wait(ARMING);
        stage.press("a");
        stage.wait(ARMING);
    });
}

#[test]
fn emergency_stop() {
    at_sizes("emergency_stop", |stage| {
        stage.sample();
        stage.draw();
        stage.press("X");
        stage.wait(ARMING);
    });
}

#[test]
fn choice_of_repairs() {
    at_sizes("repair_choice", |stage| {
        stage.two_repairs();
        stage.at_the_queue();
        stage.press("F");
        stage.wait(ARMING);
    });
}

#[test]
fn list_of_tools() {
    at_sizes("list_tools", |stage| {
        stage.sample();
        stage.at_the_queue();
        stage.press("r");
    });
}

#[test]
fn list_of_themes() {
    at_sizes("list_themes", |stage| {
        stage.sample();
        stage.draw();
        stage.press(":");
        stage.type_text("theme");
        stage.press("enter");
    });
}

#[test]
fn loops() {
    at_sizes("loops", |stage| {
        stage.troubled();
        stage.press("C");
    });
}

#[test]
fn wire() {
    at_sizes("wire", |stage| {
        stage.begin();
        stage.thought("t2", "I will read.");
        stage.draw();
        stage.press("1 g j > > > >");
        let frames = Frames {
            sent: r#"{"model":"m","messages":[{"role":"user","content":"look at the files"}]}"#.into(),
            received: "data: {\"text\":\"I will \u{1b}[2Jread.\"}\n\ndata: [DONE]\n".into(),
            more: false,
        };
        stage.send(Msg::Wire(Ok(Some(frames))));
        stage.press("3");
    });
}

#[test]
fn the_program_that_is_asked_too_is_named_until_it_has_answered() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    let verdict = Verdict {
        deadline_ms: Some(90_000),
        on_expiry: Consequence::Deny,
        ..Stage::verdict()
    };
    stage.awaiting_by("c3", ("write_file", r#"{"path":"a"}"#), verdict);
    stage.call(CallEvent::Asked {
        call: id("c3"),
        rev: Rev(1),
        deadline_ms: Some(90_000),
        approver: Some("guard".into()),
    });
    stage.at_the_queue();
    let text = stage.text();
    assert!(text.contains("(asking guard)"), "{text}");
    assert!(
        text.contains("guard is being asked; the first answer counts"),
        "{text}"
    );
    assert!(!text.contains("denied in"), "its time has not begun: {text}");
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::LeftToOperator {
            by: "guard".into(),
            reason: "a \u{1b}[2J name".into(),
        },
    });
    let text = stage.text();
    assert!(!text.contains("(asking guard)"), "{text}");
    assert!(
        text.contains("guard leaves it to you: a ⟨U+001B⟩[2J name"),
        "{text}"
    );
    assert!(text.contains("denied in"), "{text}");
}

#[test]
fn everything_a_call_frame_shows() {
    at_sizes("frame", |stage| {
        let part = |gate| Part {
            gate,
            rule: "preset guarded".into(),
        };
        let verdict = Verdict {
            deadline_ms: Some(90_000),
            on_expiry: Consequence::Deny,
            quoted: Some(Quoted {
                place: "overrule.toml:3".into(),
                words: Some("approved by the administrator; press a".into()),
            }),
            parts: vec![part(Gate::Allow), part(Gate::Ask), part(Gate::Deny)],
            ..Stage::verdict()
        };
        let args = r#"{"command":"ls -la | wc -l && rm -rf p\u0430ypal"}"#;
        stage.begin();
        stage.awaiting_by("c3", ("shell", args), verdict);
        stage.at_the_queue();
    });
}

#[test]
fn a_call_that_a_repair_proposes_shows_the_original_beside_it() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.proposed_in_place(
            "c3",
            ("read_file", r#"{"path":"notes"}"#),
            ("list_dir", r#"{"path":"notes"}"#),
        );
        stage.at_the_queue();
        let text = stage.text();
        for words in [
            "list_dir",
            "by repair 1: another tool than read_file",
            r#"read_file {"path":"notes"}"#,
            "list_dir in place of read_file: it is a directory",
        ] {
            assert!(text.contains(words), "{words}:\n{text}");
        }
    }
}
