//! Tests the banner of a halt at common sizes: its consequences and its reason.

use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::testing::Stage;

/// A full disk, as the engine reports it for a session with a long path.
fn full_disk(stage: &mut Stage) {
    let halt = overrule_engine::log::Unwritten {
        why: "No space left on device (os error 28)".into(),
        more: format!(
            "make room on the disk, then resume: everything acknowledged is there; failed to write the journal: \
             /home/user/{}/journal.jsonl",
            "sessions-and-more/".repeat(6)
        ),
    };
    stage.send(Msg::Run(Update::Halted(
        overrule_engine::halt::Halt::Unwritten(halt).to_string(),
    )));
    stage.draw();
}

#[test]
fn the_halt_line_shows_the_reason_before_a_cut_and_details_are_elsewhere() {
    for (width, height) in [(40, 12), (80, 24), (160, 50)] {
        for busy in [false, true] {
            let mut stage = Stage::new(width, height);
            stage.begin();
            stage.thought("t2", "first this");
            if busy {
                stage.running("c3", "read_file", "{}");
            } else {
                stage.close();
            }
            stage.draw();
            assert!(!stage.text().contains("at the halt"));
            full_disk(&mut stage);
            let text = stage.text();
            let row = text.lines().find(|row| row.starts_with(" HALTED"));
            let row = row.unwrap();
            // The key that shows more comes before anything that may be cut.
            assert!(row.starts_with(" HALTED, W why"), "{row}");
            assert!(row.contains("No space left on device"), "{row}");
            let begins = row.contains("nothing new");
            assert_eq!(begins, width >= 80, "{row}");
            assert_eq!(row.contains("unrecorded"), busy && width >= 80, "{row}");
            let row = text
                .lines()
                .find(|row| row.contains("read_file"))
                .unwrap_or_default();
            assert_eq!(row.contains("running at the halt"), busy, "{text}");
            assert!(!row.trim_end().ends_with("running"), "{text}");
            let inspected = text.contains("running at the halt  only reads");
            assert_eq!(inspected, busy && width >= 80, "{text}");
            let name = if busy { "halted_busy" } else { "halted" };
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), text);
        }
    }
    // The page and the log have all of it.
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "first this");
    stage.close();
    full_disk(&mut stage);
    for keys in ["W", "esc 4 enter"] {
        stage.press(keys);
        stage.draw();
        let text = stage.flat();
        for part in [
            "No space left on device (os error 28)",
            "make room on the disk",
            "journal.jsonl",
        ] {
            assert!(text.contains(part), "{keys}, {part}: {text}");
        }
    }
}

#[test]
fn a_halt_while_a_text_is_typed_and_the_question_how_to_leave_fit_the_screens_that_people_have() {
    for (width, height) in [(40, 12), (80, 24)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.thought("t2", "first this");
        stage.running("c3", "read_file", "{}");
        stage.guidance();
        stage.type_text("look twice");
        full_disk(&mut stage);
        let text = stage.text();
        let row = text.lines().find(|row| row.starts_with(" HALTED")).unwrap();
        assert!(!row.contains("W why"), "no text hears that key: {row}");
        assert!(
            text.contains("look twice") && text.contains("alt-c copy"),
            "{text}"
        );
        insta::assert_snapshot!(format!("typing_{width}x{height}"), text);
        stage.press("ctrl-c");
        insta::assert_snapshot!(format!("leaving_{width}x{height}"), stage.text());
        stage.press("esc esc esc a");
        insta::assert_snapshot!(format!("refused_{width}x{height}"), stage.text());
    }
}
