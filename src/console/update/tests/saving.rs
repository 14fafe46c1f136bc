//! Tests writing a text to a file when it is too long for the clipboard.

use crate::kernel::model::Source;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::prompt::Prompt;
use crate::testing::Stage;
use overrule_domain::call::Outcome;

/// The result of a read, with this many bytes, in the inspector.
fn shows(bytes: usize, read_only: bool) -> Stage {
    let mut stage = Stage::with(100, 30, |settings| {
        settings.source = if read_only { Source::Replay } else { Source::Live }
    });
    stage.begin();
    let value = format!("\"{}\"", "x".repeat(bytes));
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok(value));
    stage.draw();
    stage.press("1 g j space j 3");
    stage.out.clear();
    stage
}

fn save(stage: &mut Stage) {
    stage.press(":");
    stage.type_text("save");
    stage.press("enter");
    assert!(stage.model.stack.is_top::<Prompt>(), "{}", stage.status());
}

#[test]
fn text_too_long_for_the_clipboard_is_reported_with_limit_and_alternative() {
    let mut stage = shows(600_000, false);
    stage.press("y");
    assert_eq!(stage.out, []);
    assert_eq!(
        stage.status(),
        "Cannot copy 600000 bytes: the limit is 524288. `save` in the palette writes it to a file"
    );
    let mut stage = shows(524_288, false);
    stage.press("y");
    assert!(
        matches!(stage.out.as_slice(), [Out::Copy(text)] if text.len() == 524_288),
        "{}",
        stage.status()
    );
}

#[test]
fn the_shown_text_goes_into_the_file_that_is_named() {
    for read_only in [false, true] {
        let mut stage = shows(600_000, read_only);
        save(&mut stage);
        stage.press("enter");
        assert_eq!(stage.out, [], "No file named");
        assert_eq!(stage.status(), "No file named");
        stage.type_text("a.txt");
        assert_eq!(stage.out, []);
        stage.press("enter");
        let out = std::mem::take(&mut stage.out);
        let [Out::Save { path, text }] = out.as_slice() else {
            panic!("{}", stage.status());
        };
        assert_eq!((path.as_str(), text.len()), ("a.txt", 600_000));
        assert!(text.bytes().all(|byte| byte == b'x'));
        stage.send(Msg::Saved(Ok("wrote it".to_owned())));
        assert_eq!((stage.status(), stage.model.message.bad), ("wrote it", false));
        assert!(stage.model.stack.is_empty());
    }
}

#[test]
fn a_file_that_is_there_leaves_the_line_as_it_was_typed() {
    let mut stage = shows(10, false);
    save(&mut stage);
    stage.type_text("a.txt");
    stage.press("enter");
    stage.out.clear();
    stage.send(Msg::Saved(Err("a.txt is there already".to_owned())));
    assert_eq!(
        (stage.status(), stage.model.message.bad),
        ("a.txt is there already", true)
    );
    let text = stage.text();
    assert!(text.contains("a.txt is there already"), "{text}");
    stage.type_text("2");
    stage.press("enter");
    let [Out::Save { path, text }] = stage.out.as_slice() else {
        panic!("{}", stage.status());
    };
    assert_eq!(
        (path.as_str(), text.len()),
        ("a.txt2", 10),
        "nothing has to be typed again"
    );
    stage.send(Msg::Saved(Ok("wrote it".to_owned())));
    assert!(stage.model.stack.is_empty());
}

#[test]
fn who_gives_up_writes_nothing() {
    let mut stage = shows(10, false);
    save(&mut stage);
    stage.type_text("a.txt");
    stage.press("esc");
    assert_eq!(stage.out, []);
}

#[test]
fn what_cannot_be_typed_in_names_the_limits() {
    for (bytes, edits) in [(300_000, false), (5_000_000, true)] {
        let mut stage = shows(bytes, false);
        stage.press("e");
        let output = stage.status().to_owned();
        assert!(
            output.starts_with(&format!(
                "{bytes} bytes are too many to type in (at most 65536): "
            )),
            "{output}"
        );
        assert_eq!(output.contains("an edit may have 4194304"), edits, "{output}");
    }
}
