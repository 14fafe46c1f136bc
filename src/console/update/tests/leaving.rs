//! Leaving: what runs is not left by accident, and nobody is kept.

use crate::console::link::Update;
use crate::console::model::overlay::Overlay;
use crate::console::msg::{Leave, Msg, Out};
use crate::console::testing::{ARMING, Stage};
use crate::domain::call::Outcome;
use crate::domain::command::{CallCommand, Command, RunCommand};

fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "first this");
    stage
}

#[test]
fn leaving_asks_only_while_something_runs() {
    let mut stage = stage();
    stage.close();
    stage.press("q");
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);

    let mut stage = self::stage();
    stage.running("c3", "read_file", "{}");
    stage.press("q");
    assert_eq!(stage.out, []);
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Leave)));
    stage.press("esc");
    assert!(stage.model.overlays.is_empty());
    stage.press("q");
    stage.draw();
    stage.press("q q");
    assert_eq!(stage.out, [], "the question was not on screen for long enough");
    assert!(stage.said().contains("not counted"), "{}", stage.said());
    stage.wait(ARMING);
    stage.press("q");
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);
}

#[test]
fn on_a_screen_without_room_for_the_question_the_same_key_still_leaves() {
    let mut stage = Stage::new(20, 5);
    stage.begin();
    stage.running("c3", "read_file", "{}");
    stage.press("q q");
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);
}

#[test]
fn waiting_leaves_once_nothing_runs() {
    let mut stage = stage();
    stage.running("c3", "read_file", "{}");
    stage.close();
    stage.press("q w");
    assert_eq!(
        stage.out,
        [],
        "meant for something else than the question that has just come"
    );
    assert!(stage.said().contains("not counted"), "{}", stage.said());
    stage.wait(ARMING);
    stage.press("w");
    assert!(matches!(
        stage.out.as_slice(),
        [Out::Command(Command::Run(RunCommand::Pause { .. }))]
    ));
    stage.out.clear();
    stage.finish("c3", Outcome::ok("1"));
    assert_eq!(stage.out, [Out::Quit(Leave::Quit)]);
}

#[test]
fn cancelling_stops_the_run_first() {
    let mut stage = stage();
    stage.running("c3", "read_file", "{}");
    stage.press("ctrl-c c");
    assert_eq!(
        stage.out,
        [],
        "meant for something else than the question that has just come"
    );
    stage.wait(ARMING + 1_000);
    stage.press("c");
    assert!(matches!(
        stage.out.as_slice(),
        [Out::Command(Command::Run(RunCommand::Stop { .. }))]
    ));
}

fn halted() -> Stage {
    let mut stage = stage();
    stage.running("c3", "read_file", "{}");
    stage.send(Msg::Run(Update::Halted("disk full".into())));
    stage.wait(ARMING);
    stage
}

#[test]
fn what_runs_in_a_halted_run_can_be_ended() {
    let mut stage = halted();
    let text = stage.text();
    assert!(
        text.contains("HALTED, nothing more begins, what runs is unrecorded: disk full"),
        "{text}"
    );
    assert!(text.contains("read_file running at the halt"), "{text}");
    assert!(stage.text().contains("c cancel"), "{}", stage.text());
    stage.press("c");
    assert!(
        matches!(
            stage.out.as_slice(),
            [Out::Command(Command::Call(CallCommand::Cancel { .. }))]
        ),
        "{}",
        stage.said()
    );
    stage.out.clear();
    stage.press("X");
    stage.wait(ARMING);
    stage.press("X");
    assert!(
        matches!(
            stage.out.as_slice(),
            [Out::Command(Command::Run(RunCommand::Stop { .. }))]
        ),
        "{}",
        stage.said()
    );
}

#[test]
fn nobody_waits_for_the_end_of_what_a_halted_run_does_not_record() {
    let mut stage = halted();
    stage.press("q");
    stage.wait(ARMING);
    stage.press("w");
    assert_eq!(stage.out, []);
    assert!(
        stage.said().contains("nothing tells any more"),
        "{}",
        stage.said()
    );
    stage.press("c");
    assert!(
        matches!(
            stage.out.as_slice(),
            [
                Out::Quit(Leave::Quit),
                Out::Command(Command::Run(RunCommand::Stop { .. }))
            ]
        ),
        "{:?}",
        stage.out
    );
}

#[test]
fn a_second_ctrl_c_within_two_seconds_leaves() {
    let mut stage = stage();
    stage.press("ctrl-c");
    assert_eq!(stage.out, []);
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Leave)));
    stage.press("ctrl-c");
    assert_eq!(stage.out, [Out::Quit(Leave::Interrupted)]);

    let mut stage = self::stage();
    stage.press("ctrl-c esc");
    stage.wait(2_500);
    stage.press("ctrl-c");
    assert_eq!(stage.out, [], "the first was too long ago");
}

#[test]
fn ctrl_c_works_in_a_text_too() {
    let mut stage = stage();
    stage.press("i a ctrl-c");
    assert!(matches!(stage.model.overlays.last(), Some(Overlay::Leave)));
    stage.press("esc");
    assert!(
        matches!(stage.model.overlays.last(), Some(Overlay::Editor(_))),
        "the text is still there"
    );
}
