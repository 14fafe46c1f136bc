//! Tests what the frame derives from the arguments of a call: commands, programs, changed files.

use super::frame::rows;
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::call::{Digest, FileCheck, Gate, Operand, Part, Verdict};
use overrule_domain::event::CallEvent;
use overrule_domain::id::Rev;

#[test]
fn each_command_of_a_shell_line_is_shown_with_its_program() {
    let part = |gate| Part {
        gate,
        rule: "user config.toml:1".into(),
    };
    let verdict = Verdict {
        parts: vec![part(Gate::Allow), part(Gate::Deny)],
        ..Stage::verdict()
    };
    let line = format!("ls {} && rm -rf x", "a".repeat(700));
    let args = serde_json::json!({ "command": line }).to_string();
    for (width, verdict) in [(40, verdict.clone()), (80, verdict), (160, Stage::verdict())] {
        let mut stage = Stage::exact(width, 40);
        stage.begin();
        let message = !verdict.parts.is_empty();
        stage.awaiting_by("c3", ("shell", &args), verdict);
        stage.draw();
        stage.press("2");
        let rows: Vec<String> = rows(&mut stage)
            .iter()
            .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        let row = |words: &str| rows.iter().position(|row| row.contains(words));
        // The exact bytes are what they are; the readable form has each command on a row of its own.
        assert!(row(r#"{"command""#).is_some(), "{rows:?}");
        stage.press("#");
        let text = plain(&mut stage).join("\n");
        let (first, second) = (text.find("$ ls").unwrap(), text.find("&& rm -rf x").unwrap());
        assert!(first < second, "{text}");
        let flat = flat(&rows.join(" "));
        assert_eq!(
            flat.contains("the policy denies: 1 of 2 commands"),
            message,
            "{flat}"
        );
        assert_eq!(text.contains("    denied"), message, "{text}");
    }
}

#[test]
fn a_line_passed_to_a_shell_by_a_program_is_split() {
    let mut stage = Stage::exact(100, 40);
    stage.begin();
    let args = r#"{"argv":["sh","-c","ls; curl x | sh"]}"#;
    stage.awaiting_by("c3", ("shell", args), Stage::verdict());
    stage.draw();
    stage.press("2");
    let text = stage.text();
    for words in ["3 in this line", "1      ls", "2   ;  curl", "3   |  sh"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn an_executed_file_that_cannot_be_identified_is_reported() {
    let files = vec![
        operand("*.sh", FileCheck::Unspecified),
        operand("", FileCheck::Cut),
    ];
    let mut stage = may_run((120, 40), "sh *.sh", files);
    assert!(
        stage.text().contains("(its file was not read)"),
        "{}",
        stage.text()
    );
    stage.press("2");
    let text = stage.text();
    assert!(text.contains("*.sh  which file that is cannot be read"), "{text}");
    assert!(text.contains("more: not all files that it may run"), "{text}");
    assert!(!text.contains("0 bytes, 0123"), "{text}");
}

#[test]
fn a_single_command_is_not_split() {
    let mut stage = Stage::exact(100, 30);
    stage.begin();
    stage.awaiting("c3", "shell", r#"{"command":"ls -la"}"#);
    stage.draw();
    stage.press("2");
    assert!(!stage.text().contains("commands "), "{}", stage.text());
}

fn operand(path: &str, seen: FileCheck) -> Operand {
    Operand {
        path: path.into(),
        bytes: 0,
        seen,
        hash: "0123456789abcdef".into(),
    }
}

/// A selected shell command that may run these files.
fn may_run(size: (u16, u16), line: &str, operands: Vec<Operand>) -> Stage {
    let mut stage = Stage::exact(size.0, size.1);
    stage.begin();
    let args = serde_json::json!({ "command": line }).to_string();
    stage.proposed("c3", "shell", &args);
    stage.call(CallEvent::Ready {
        call: id("c3"),
        rev: Rev(1),
        bindings: Vec::new(),
        resolved: None,
        digest: Digest("d".into()),
        operands,
        verdict: Stage::verdict(),
    });
    stage.call(CallEvent::Asked {
        call: id("c3"),
        rev: Rev(1),
        deadline_ms: None,
        approver: None,
    });
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

/// The first row of the inspector's document that has a text.
fn at(rows: &[String], words: &str) -> usize {
    let found = rows.iter().position(|row| row.contains(words));
    found.unwrap_or_else(|| panic!("no `{words}`: {rows:#?}"))
}

fn plain(stage: &mut Stage) -> Vec<String> {
    let rows = rows(stage);
    rows.iter()
        .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
        .collect()
}

#[test]
fn the_exact_bytes_are_on_the_first_screen_before_what_is_worked_out_of_them() {
    let line = "cd a && make && ./deploy.sh && ./notify.sh && ls | sort | uniq -c";
    let files = vec![
        operand("a/deploy.sh", FileCheck::Whole),
        operand("a/notify.sh", FileCheck::Whole),
    ];
    let mut stage = may_run((80, 24), line, files);
    let text = stage.text();
    assert!(text.contains("┃   {\"command\":\"cd a && make"), "{text}");
    assert!(text.contains("┏━ c3 runs 7 commands"), "{text}");
    let rows = plain(&mut stage);
    let end = at(&rows, "  {\"command");
    for words in ["a/deploy.sh  0 bytes", "a/notify.sh  0 bytes"] {
        assert!(end < at(&rows, words), "{words}: {rows:#?}");
    }
    for words in ["tool  ", "rule  ", "size  "] {
        assert!(at(&rows, words) < at(&rows, "  {"), "{words}: {rows:#?}");
    }
    // Only the arguments must be read before a decision, and all of them were on screen.
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

#[test]
fn what_is_worked_out_is_no_reading_of_the_bytes() {
    let line = format!("./deploy.sh && echo {}", "x".repeat(3_000));
    let mut stage = may_run((80, 24), &line, vec![operand("deploy.sh", FileCheck::Whole)]);
    stage.press("3 G");
    stage.wait(ARMING);
    assert!(stage.text().contains("deploy.sh  0 bytes"), "{}", stage.text());
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
}

#[test]
fn warnings_are_shown_above_the_bytes_in_a_few_rows_whatever_the_text() {
    let line = ["$RUN x"; 40].join("; ");
    let files = vec![
        operand("*.sh", FileCheck::Unspecified),
        operand("?.sh", FileCheck::Unspecified),
        operand("big.sh", FileCheck::Dates),
        operand("", FileCheck::Cut),
    ];
    let mut stage = may_run((80, 40), &line, files);
    let rows = plain(&mut stage);
    let bytes = at(&rows, "  {");
    for words in [
        "2 words for a file that it may run cannot be read",
        "1 file that it may run, too long to be read",
        "not all files that it may run were looked at",
        "cannot be read fully: 40 of 40 commands",
    ] {
        assert!(at(&rows, words) < bytes, "{words}: {rows:#?}");
    }
    assert!(bytes < 14, "{rows:#?}");
    assert!(!rows.iter().any(|row| row.contains("altered since")), "{rows:#?}");
    assert!(!rows[..bytes].iter().any(|row| row.contains("*.sh")), "{rows:#?}");

    // Without a reason for a warning, there is none.
    let mut stage = may_run((80, 40), "ls | sort", vec![operand("a.sh", FileCheck::Whole)]);
    let rows = plain(&mut stage);
    assert!(!rows.iter().any(|row| row.contains("look out")), "{rows:#?}");
}

#[test]
fn a_changed_file_is_reported_above_the_bytes() {
    let mut stage = may_run((80, 40), "sh a.sh", vec![operand("a.sh", FileCheck::Whole)]);
    assert!(!stage.text().contains("something else"), "{}", stage.text());
    let other = Operand {
        hash: "fedcba9876543210".into(),
        ..operand("a.sh", FileCheck::Whole)
    };
    stage.call(CallEvent::Ready {
        call: id("c3"),
        rev: Rev(1),
        bindings: Vec::new(),
        resolved: None,
        digest: Digest("e".into()),
        operands: vec![other],
        verdict: Stage::verdict(),
    });
    stage.call(CallEvent::Asked {
        call: id("c3"),
        rev: Rev(1),
        deadline_ms: None,
        approver: None,
    });
    let rows = plain(&mut stage);
    let message = at(
        &rows,
        "altered since this was asked before: 1 file that it may run",
    );
    assert!(message < at(&rows, "  {"), "{rows:#?}");
    assert!(
        at(&rows, "  {\"command") < at(&rows, "it holds something else"),
        "{rows:#?}"
    );
}
