//! Tests text input: keys that arrive together, limits, marks, brackets.
//!
//! Must not know: terminals.

use super::typing::editor;
use crate::ground::key::{Code, Key};
use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::kernel::prompt::Prompt;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{Command, Edit, EditCommand};

/// An editor on new guidance.
fn guiding() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.guidance();
    stage.out.clear();
    stage
}

/// Sends the keys of a text together, like a paste in a terminal without bracketed paste.
fn at_once(stage: &mut Stage, text: &str) {
    let at = stage.now;
    let key = |c| match c {
        '\n' => Key::plain(Code::Enter),
        c => Key::char(c),
    };
    let keys = text.chars().map(|c| (key(c), at)).collect();
    stage.send(Msg::Term(TermMsg::Keys(keys)));
    stage.draw();
}

fn paste(stage: &mut Stage, text: &str) {
    stage.paste(text);
    stage.draw();
}

/// The text of the open line.
#[track_caller]
fn line(stage: &Stage) -> String {
    match stage.model.stack.top::<Prompt>() {
        Some(line) => line.field.shown(),
        other => panic!("no line but {other:?}"),
    }
}

#[test]
fn keys_that_wait_together_are_one_change_of_the_text() {
    let mut stage = guiding();
    stage.type_text("ab");
    stage.press("left");
    let text = "some words of a file\nand \u{e9}\n".repeat(2_000);
    at_once(&mut stage, &text);
    assert_eq!(editor(&mut stage).field.text(), format!("a{text}b"));
    stage.press("alt-u");
    assert_eq!(editor(&mut stage).field.text(), "ab", "one undo");
    // After any input in between, the next key does not drop a changed text.
    stage.press("esc");
    at_once(&mut stage, "xy");
    stage.press("esc");
    assert_eq!(editor(&mut stage).field.text(), "axyb");
}

#[test]
fn keys_that_wait_together_decide_nothing_and_end_in_the_text_that_they_open() {
    let mut stage = Stage::asked(100, 40, super::arming::ARGS);
    stage.wait(ARMING);
    at_once(&mut stage, "aaaaaa\n");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("too fast"), "{}", stage.status());
    stage.wait(ARMING);
    at_once(&mut stage, "/needle\n");
    assert!(stage.model.stack.is_empty(), "the line was opened and ended");
    assert!(stage.status().contains("`needle`"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn keys_that_wait_together_count_as_typed_too_fast() {
    let mut stage = guiding();
    at_once(&mut stage, "abcdef");
    stage.press("ctrl-s");
    let sent = stage.commands();
    assert!(
        matches!(sent.as_slice(), [Command::Edit(_)]),
        "what was typed is finished like any text: {sent:?}"
    );
    let at = stage.now;
    let mut stage = Stage::asked(100, 40, super::arming::ARGS);
    stage.wait(ARMING);
    stage.now = stage.now.max(at);
    stage.guidance();
    at_once(&mut stage, "abc");
    assert_eq!(stage.model.keys.times.len(), 3, "they are in the count");
}

#[test]
fn a_full_text_takes_no_more_and_keeps_what_it_has() {
    let mut stage = guiding();
    let most = crate::ground::field::LIMIT;
    at_once(&mut stage, &format!("\n{}", "x".repeat(most - 2)));
    at_once(&mut stage, "yz\u{e9}");
    let text = editor(&mut stage).field.text();
    assert!(text.len() == most && text.ends_with("xy"), "{}", text.len());
    assert!(
        stage.status().contains("2 characters dropped"),
        "{}",
        stage.status()
    );
    // Replacing a selection makes room.
    stage.press("shift-left z");
    assert!(editor(&mut stage).field.text().ends_with("xz"));
}

#[test]
fn a_line_takes_no_more_than_its_bound_and_keeps_what_was_typed() {
    for (keys, most) in [("/", 1024), ("&", 1024), (":", 1024)] {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.press(keys);
        stage.type_text("t");
        paste(&mut stage, &"x".repeat(1 << 20));
        let output = stage.status().to_owned();
        assert!(
            output.starts_with("cannot paste 1048576 bytes") && output.contains(&format!("at most {most} ")),
            "{output}"
        );
        at_once(&mut stage, &"x".repeat(most + 5));
        assert!(
            stage.status().starts_with("6 characters dropped"),
            "{}",
            stage.status()
        );
        let field = stage.model.stack.last().and_then(|top| top.field());
        let shown = field.unwrap().shown();
        assert_eq!(shown, format!("t{}", "x".repeat(most - 1)));
    }
}

#[test]
fn a_reason_may_be_longer_and_goes_whole() {
    let mut stage = Stage::asked(100, 40, super::arming::ARGS);
    stage.wait(ARMING);
    stage.press("x");
    let reason = "no ".repeat(5_000);
    paste(&mut stage, reason.trim());
    stage.press("enter");
    let sent = format!("{:?}", stage.commands());
    assert!(sent.contains(reason.trim()), "{}", sent.len());
}

#[test]
fn a_break_of_a_line_is_a_blank_in_one_line() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("/");
    paste(&mut stage, "one\r\ntwo\rthree\nfour\n");
    assert_eq!(line(&stage), "one two three four");
}

#[test]
fn brackets_and_words_between_them_are_sent_as_they_were_typed() {
    for ascii in [false, true] {
        let mut stage = guiding();
        let written = "one\nzz\u{e9} ⟨ end ⟨LF⟩ <LF> ⟨what⟩ <U+001B>";
        at_once(&mut stage, written);
        let _shown = overrule_base::text::shown_in_ascii(ascii);
        assert_eq!(editor(&mut stage).field.text(), written);
        assert_eq!(editor(&mut stage).lines(), 2);
        stage.press("ctrl-s");
        let sent = stage.commands();
        assert!(
            matches!(sent.as_slice(), [Command::Edit(EditCommand::Commit { edits, .. })]
                if matches!(edits.as_slice(), [Edit::InsertPrompt { text, .. }] if *written == **text)),
            "{sent:?}"
        );
    }
}

#[test]
fn what_is_typed_in_a_string_of_json_is_json() {
    let mut stage = Stage::asked(80, 24, super::arming::ARGS);
    stage.wait(ARMING);
    stage.press("e ctrl-t alt-a");
    let written = r#"{"path": "⟨LF⟩<LF>", "content": "\u001b\n⟨"}"#;
    at_once(&mut stage, written);
    assert_eq!(editor(&mut stage).field.text(), written);
    assert_eq!(editor(&mut stage).faults, []);
    let sent = editor(&mut stage).result().unwrap();
    assert_eq!(*sent, written.replace(": ", ":").replace(", ", ","));
    // A character that needs an escape in JSON is reported, not escaped.
    stage.press("alt-a");
    paste(&mut stage, "{\"path\": \"a\tb\", \"content\": \"\"}");
    assert!(editor(&mut stage).result().unwrap_err().contains("not JSON"));
}

#[test]
fn the_place_of_a_fault_is_counted_like_the_cursor() {
    let mut stage = Stage::asked(80, 24, super::arming::ARGS);
    stage.wait(ARMING);
    stage.press("e ctrl-t");
    editor(&mut stage)
        .field
        .replace("{\"path\": \"\u{e9}\u{e9}\u{202e}\" 7}");
    stage.press("ctrl-home alt-e");
    let (line, column) = editor(&mut stage).field.cursor();
    let fault = editor(&mut stage).faults[0].message.clone();
    assert!(
        fault.starts_with(&format!("line {line}, column {column}: not JSON")),
        "{fault} at {line}:{column}"
    );
    assert!(stage.text().contains(&format!("{line}:{column}")));
}

#[test]
fn a_paste_that_is_too_long_has_one_size() {
    let mut stage = guiding();
    stage.type_text("ab");
    paste(&mut stage, &"line\r\n".repeat(60_000));
    let bytes = 5 * 60_000 + 2;
    assert!(
        stage.status().contains(&format!("{bytes} bytes")),
        "{}",
        stage.status()
    );
    assert!(
        stage.text().contains(&format!(" {bytes} bytes ")),
        "{}",
        stage.text()
    );
}

#[test]
fn after_a_bigger_screen_the_text_begins_at_its_first_row() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.guidance();
    let rows: Vec<String> = (1..=30).map(|no| format!("row number {no:02}")).collect();
    paste(&mut stage, &rows.join("\n"));
    let whole = stage.text();
    assert!(
        whole.contains("row number 01") && whole.contains("row number 30"),
        "{whole}"
    );
    for (width, height) in [(40, 12), (100, 40)] {
        stage.send(Msg::Term(TermMsg::Resize { width, height }));
        stage.draw();
    }
    assert_eq!(stage.text(), whole);
    assert_eq!(editor(&mut stage).field.cursor(), (30, 14));
}

#[test]
fn leaving_shows_how_much_text_is_lost() {
    let mut stage = guiding();
    stage.press("ctrl-c");
    assert!(!stage.flat().contains("Your text"), "{}", stage.text());
    stage.press("esc");
    paste(&mut stage, &"row\n".repeat(29));
    stage.wait(3_000);
    stage.press("ctrl-c");
    assert!(
        stage
            .flat()
            .contains("Your text in the editor (30 lines) is lost"),
        "{}",
        stage.text()
    );
    stage.press("esc");
    assert_eq!(editor(&mut stage).lines(), 30, "it is still there");
}

#[test]
fn the_empty_queue_message_clears_once_a_call_waits() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("t");
    assert_eq!(stage.status(), "Queue empty");
    stage.thought("t2", "so");
    assert_eq!(stage.status(), "Queue empty", "it is still true");
    stage.awaiting("c3", "write_file", super::arming::ARGS);
    assert_eq!(stage.status(), "");
}

#[test]
fn the_header_counts_what_the_limit_counts() {
    let mut stage = Stage::new(120, 24);
    stage.begin();
    let head = |stage: &mut Stage| stage.text().lines().next().unwrap_or_default().to_owned();
    assert!(
        head(&mut stage).contains("  turn 1 of 50  "),
        "{}",
        head(&mut stage)
    );
    stage.close();
    stage.request(3, 1);
    assert!(
        head(&mut stage).contains("  turn 2 of 50  "),
        "{}",
        head(&mut stage)
    );
}

#[test]
fn the_keys_for_a_broken_stream_start_at_the_cursor() {
    let mut stage = Stage::new(120, 24);
    stage.begin();
    stage.broken();
    assert!(
        stage.flat().contains("t then enter to ask again"),
        "{}",
        stage.text()
    );
    stage.press("t");
    let text = stage.text();
    assert!(
        text.contains("broke (unreadable answer): enter to ask again"),
        "{text}"
    );
    stage.press("3");
    let text = stage.text();
    assert!(
        text.contains("broke (unreadable answer): 2 then enter to ask again"),
        "{text}"
    );
    stage.press("1");
    assert!(
        stage.flat().contains("t then enter to ask again"),
        "{}",
        stage.text()
    );
}

#[test]
fn the_key_that_repairs_comes_before_the_one_that_abandons() {
    let mut stage = Stage::new(40, 12);
    stage.two_repairs();
    stage.draw();
    stage.press("t");
    let text = stage.text();
    let keys = text.lines().last().unwrap_or_default();
    assert!(keys.trim_start().starts_with("F choose"), "{text}");
}
