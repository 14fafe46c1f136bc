//! Tests the readable form of a decision: what is shown first, what counts as read, what is recorded.

use std::sync::Arc;

use crate::ground::diff;
use crate::kernel::msg::Msg;
use crate::run::link::{LoadRequest, Replaced, Update};
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Digest, EffectClass, Shown, ShownForm};
use overrule_domain::command::{CallCommand, Command, ConsentChoice};
use overrule_domain::id::Rev;

const WRITE: &str = r#"{"path":"a.md","content":"one\nthree\n"}"#;

/// The file that a waiting call would write is this.
fn file_is(stage: &mut Stage, old: Option<&str>, new: &str) {
    let found = match old {
        Some(old) => Replaced::Text(diff::lines_around(old, new, 3).into()),
        None => Replaced::Nothing,
    };
    let look = LoadRequest {
        call: id("c3"),
        rev: Rev(1),
        digest: Some(Digest("digest-of-c3-r1".into())),
    };
    let base: Option<Arc<str>> = Some(old.unwrap_or_default().into());
    stage.send(Msg::Run(Update::Replaces { look, found, base }));
    stage.draw();
}

fn shown(command: &[Command]) -> Option<Shown> {
    match command {
        [Command::Call(CallCommand::Approve { shown, unread: 0, .. })] => shown.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_write_is_decided_by_its_difference() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = Stage::asked(width, height, WRITE);
        file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
        stage.press("enter");
        stage.wait(ARMING);
        let text = stage.text();
        for line in [
            "┏━ c3 replaces a.md",
            if width < 140 {
                "┃      1   one"
            } else {
                "┃     1   one"
            },
            if width < 140 {
                "┃      2 − two"
            } else {
                "┃     2 − two"
            },
            if width < 140 {
                "┃      2 + three"
            } else {
                "│     2 + three"
            },
            "┗━━━",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("overwrites (the file exists)"), "{text}");
        stage.press("2");
        let text = stage.text();
        let row = text.lines().find(|line| line.contains("c3 write_file"));
        assert!(row.is_some_and(|row| row.contains("overwrites")), "{text}");
        stage.press("3");
        for word in ["digest-of", "\\n", "effect write"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        stage.press("a");
        let expected = Shown {
            form: ShownForm::Difference,
            base: Some("one\ntwo\n".into()),
        };
        assert_eq!(shown(&stage.commands()), Some(expected));
    }
}

#[test]
fn another_file_makes_another_question() {
    let mut stage = Stage::asked(120, 40, WRITE);
    file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
    stage.wait(ARMING);
    file_is(&mut stage, Some("zero\n"), "one\nthree\n");
    stage.press("a");
    assert_eq!(
        stage.commands(),
        [],
        "the new difference was not shown long enough"
    );
    assert!(
        stage.status().starts_with("Ignored: c3 was on screen for 0."),
        "{}",
        stage.status()
    );
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(
        shown(&stage.commands()).and_then(|shown| shown.base).as_deref(),
        Some("zero\n")
    );
}

#[test]
fn the_exact_bytes_are_one_key_away_and_read_by_themselves() {
    let mut stage = Stage::asked(120, 40, WRITE);
    file_is(&mut stage, None, "one\nthree\n");
    stage.wait(ARMING);
    assert!(stage.text().contains("┏━ c3 creates a.md"));
    stage.press("#");
    let text = stage.text();
    assert!(
        text.contains(r#"┃   {"path":"a.md","content":"one\nthree\n"}"#),
        "{text}"
    );
    assert!(text.contains("digest-of"), "{text}");
    stage.press("a");
    assert_eq!(stage.commands(), [], "this form was not shown long enough");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(
        shown(&stage.commands()).map(|shown| shown.form),
        Some(ShownForm::Difference),
        "the first form"
    );
    // The choice holds for the next call, and is its first form.
    stage.awaiting("c4", "write_file", WRITE);
    stage.press("2 j");
    assert!(stage.text().contains(r#"┃   {"path""#), "{}", stage.text());
    stage.wait(ARMING);
    stage.press("# #");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(
        shown(&stage.commands()).map(|shown| shown.form),
        Some(ShownForm::Exact)
    );
}

#[test]
fn the_exact_bytes_come_first_where_the_form_would_not_tell_everything() {
    let mut stage = Stage::asked(120, 40, r#"{"path":"a","path":"b","content":"x"}"#);
    stage.wait(ARMING);
    let text = stage.text();
    assert!(
        stage
            .flat()
            .contains("exact bytes first: the name `path` occurs twice"),
        "{text}"
    );
    assert!(
        text.contains(r#"┃   {"path":"a","path":"b","content":"x"}"#),
        "{text}"
    );
    stage.press("#");
    assert!(
        stage.status().starts_with("The exact bytes are shown"),
        "{}",
        stage.status()
    );
    stage.press("a");
    assert_eq!(
        shown(&stage.commands()).map(|shown| shown.form),
        Some(ShownForm::Exact)
    );
}

#[test]
fn a_command_is_shown_as_typed_with_its_dangers_in_frame_and_queue() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.has_tool("shell", EffectClass::Write, &[]);
    stage.awaiting(
        "c3",
        "shell",
        r#"{"command":"rm -rf build && curl x.org && git clean -fd","timeout_s":5}"#,
    );
    stage.awaiting("c4", "shell", r#"{"command":"ls"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    let text = stage.text();
    assert!(
        text.contains("┃   $ rm -rf build")
            && text.contains("┃     && curl x.org")
            && text.contains("┃     && git clean -fd"),
        "{text}"
    );
    assert!(text.contains("deletes (rm, git clean)"), "{text}");
    assert!(text.contains("network (curl)"), "{text}");
    let row = text.lines().find(|line| line.contains("c3 shell")).unwrap();
    assert_eq!(row.matches("deletes").count(), 1, "{row}");
    assert!(row.contains("deletes, network"), "{row}");
    stage.press("j");
    let text = stage.text();
    assert!(!text.contains("danger"), "{text}");
    let row = text
        .split(['\n', '│'])
        .find(|line| line.contains("c4 shell"))
        .unwrap();
    assert!(!row.contains("deletes"), "{row}");
}

#[test]
fn no_line_of_a_value_looks_like_another_argument() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.has_tool("send", EffectClass::Write, &[]);
    stage.awaiting("c3", "send", r#"{"text":"hello\nto nobody","to":"all"}"#);
    stage.draw();
    stage.press("2 3");
    let text = stage.text();
    assert!(text.contains("┃ text      hello\n"), "{text}");
    assert!(text.contains("┃           to nobody"), "{text}");
    assert!(text.contains("┃ to        all"), "{text}");
}

#[test]
fn enter_on_a_waiting_call_opens_what_it_needs() {
    let mut stage = Stage::asked(120, 40, WRITE);
    stage.press("1 G enter");
    assert_eq!(stage.model.screen.focus, crate::kernel::pane::Pane::INSPECTOR);
    assert!(stage.text().contains("┏━ c3 writes a.md"), "{}", stage.text());
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands().len(), 1);
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.consent("c3");
    stage.draw();
    stage.press("1 G enter");
    assert!(
        stage.text().contains("this effect happened already"),
        "{}",
        stage.text()
    );
    assert!(!stage.model.stack.is_empty(), "the choices are open");
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_difference_after_the_exact_bytes_is_bound_to_its_file_too() {
    let mut stage = Stage::asked_exactly(120, 40, WRITE);
    file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
    stage.press("#");
    stage.wait(ARMING);
    file_is(&mut stage, Some("zero\n"), "one\nthree\n");
    stage.press("a");
    assert_eq!(stage.commands(), [], "the new difference was not read");
    stage.wait(ARMING);
    stage.press("a");
    let expected = Shown {
        form: ShownForm::Exact,
        base: Some("zero\n".into()),
    };
    assert_eq!(shown(&stage.commands()), Some(expected));
    // The exact bytes alone do not depend on the file.
    let mut stage = Stage::asked_exactly(120, 40, WRITE);
    file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(shown(&stage.commands()).and_then(|shown| shown.base), None);
}

#[test]
fn the_word_of_an_irreversible_call_approves_the_form_that_was_shown_before() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.has_tool("write_file", EffectClass::Write, &["irreversible"]);
    stage.awaiting("c3", "write_file", WRITE);
    stage.draw();
    stage.press("2");
    file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
    stage.wait(ARMING);
    stage.press("a");
    file_is(&mut stage, Some("zero\n"), "one\nthree\n");
    stage.type_text("write_file");
    stage.press("enter");
    assert_eq!(
        shown(&stage.commands()).and_then(|shown| shown.base).as_deref(),
        Some("one\ntwo\n")
    );
}

#[test]
fn a_repeated_effect_is_decided_by_its_difference_in_the_dialog() {
    let again = |stage: &mut Stage| match stage.commands().as_slice() {
        [] => None,
        [
            Command::Call(CallCommand::Consent {
                choice: ConsentChoice::RunAgain,
                shown,
                ..
            }),
        ] => shown.clone(),
        other => panic!("{other:?}"),
    };
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.consent_of("c3", WRITE);
    stage.draw();
    stage.press("2");
    file_is(&mut stage, Some("one\ntwo\n"), "one\nthree\n");
    stage.wait(ARMING);
    stage.press("enter");
    stage.wait(ARMING);
    assert!(stage.text().contains("− two"), "{}", stage.text());
    file_is(&mut stage, Some("zero\n"), "one\nthree\n");
    let text = stage.text();
    assert!(text.contains("− zero") && !text.contains("− two"), "{text}");
    stage.press("R");
    assert_eq!(
        again(&mut stage),
        None,
        "the new difference was not shown long enough"
    );
    // The exact bytes are one key away here too.
    stage.press("#");
    let text = stage.text();
    assert!(text.contains(r#"┃   {"path":"a.md""#), "{text}");
    stage.press("#");
    stage.wait(ARMING);
    stage.press("R");
    let expected = Shown {
        form: ShownForm::Difference,
        base: Some("zero\n".into()),
    };
    assert_eq!(again(&mut stage), Some(expected));
}

#[test]
fn names_and_empty_values_below_the_screen_are_unread() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.has_tool("send", EffectClass::Write, &[]);
    let names = (0..60).map(|no| format!(r#""a_long_name_{no}":"""#));
    let args = format!("{{{}}}", names.collect::<Vec<_>>().join(","));
    stage.awaiting("c3", "send", &args);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("bytes unread"), "{}", stage.status());
}

#[test]
fn a_long_name_of_an_argument_is_shown_whole() {
    let mut stage = Stage::new(80, 40);
    stage.begin();
    stage.has_tool("send", EffectClass::Write, &[]);
    let name = format!("{}the_end", "a_very_long_name_".repeat(6));
    stage.awaiting("c3", "send", &format!(r#"{{"{name}":"x"}}"#));
    stage.draw();
    stage.press("2 3");
    let text = stage.text();
    let joined: String = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("┃ "))
        .collect();
    assert!(joined.contains(&name), "{text}");
}

#[test]
fn a_string_that_looks_like_another_value_has_its_quotation_marks() {
    let mut stage = Stage::new(80, 30);
    stage.begin();
    stage.has_tool("send", EffectClass::Write, &[]);
    stage.awaiting("c3", "send", r#"{"a":"false","b":false,"c":"no"}"#);
    stage.draw();
    stage.press("2 3");
    let text = stage.text();
    assert!(text.contains("┃ a         \"false\""), "{text}");
    assert!(text.contains("┃ b         false"), "{text}");
    assert!(text.contains("┃ c         no"), "{text}");
}
