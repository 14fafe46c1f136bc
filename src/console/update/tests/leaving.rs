//! Tests quitting: running calls do not end by accident, and quitting always works.

use crate::kernel::msg::{Leave, Msg, Out};
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::leave::LeaveQuestion;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, RunCommand};

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
    assert!(stage.model.stack.is_top::<LeaveQuestion>());
    stage.press("esc");
    assert!(stage.model.stack.is_empty());
    stage.press("q");
    stage.draw();
    stage.press("q q");
    assert_eq!(stage.out, [], "the question was not on screen for long enough");
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
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
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
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
        text.contains("HALTED, W why; nothing new starts, running work unrecorded: disk full"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|row| row.contains("read_file"))
        .unwrap_or_default();
    assert!(row.contains("running at the halt"), "{text}");
    assert!(stage.text().contains("c cancel"), "{}", stage.text());
    stage.press("c");
    assert!(
        matches!(
            stage.out.as_slice(),
            [Out::Command(Command::Call(CallCommand::Cancel { .. }))]
        ),
        "{}",
        stage.status()
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
        stage.status()
    );
}

/// The rows of the question how to leave, and the keys below.
fn question(stage: &mut Stage) -> String {
    let text = stage.text();
    let at = text.find(" quit?").expect("the question is open");
    text[at..].to_owned()
}

#[test]
fn nobody_waits_for_the_end_of_what_a_halted_run_does_not_record() {
    let mut stage = halted();
    stage.press("q");
    let asked = question(&mut stage);
    assert!(
        asked.contains("1 call ran at the halt; its end is not recorded."),
        "{asked}"
    );
    assert!(asked.contains("c  cancel everything, then quit"), "{asked}");
    assert!(asked.contains("q  quit now; interrupted calls"), "{asked}");
    assert!(
        !asked.contains("quit after running calls") && !asked.contains("call runs"),
        "{asked}"
    );
    stage.wait(ARMING);
    stage.press("w");
    assert_eq!(stage.out, []);
    assert_eq!(stage.status(), "halted, nothing recorded");
    assert!(stage.model.stack.is_top::<LeaveQuestion>());
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
fn where_nothing_runs_nothing_is_offered_that_would_end_it_or_wait_for_it() {
    for halts in [false, true] {
        let mut stage = stage();
        stage.close();
        if halts {
            stage.send(Msg::Run(Update::Halted("disk full".into())));
        }
        stage.press("ctrl-c");
        let asked = question(&mut stage);
        assert!(asked.contains("q  quit now\n"), "{asked}");
        assert!(asked.contains("esc  stay"), "{asked}");
        assert!(
            !asked.contains("running calls") && !asked.contains("interrupted"),
            "{asked}"
        );
        assert_eq!(asked.contains("Nothing ran at the halt."), halts, "{asked}");
        assert_eq!(asked.contains("Nothing runs."), !halts, "{asked}");
    }
    // An open request can be waited for or cancelled, too.
    let mut stage = stage();
    stage.press("q");
    let asked = question(&mut stage);
    assert!(asked.contains("No call runs, but a request is open."), "{asked}");
    assert!(
        asked.contains("w  quit after running calls") && asked.contains("c  cancel everything"),
        "{asked}"
    );
    stage.send(Msg::Run(Update::Halted("disk full".into())));
    let asked = question(&mut stage);
    assert!(asked.contains("A request was open at the halt"), "{asked}");
    assert!(
        !asked.contains("w  wait") && asked.contains("c  cancel everything"),
        "{asked}"
    );
}

#[test]
fn a_second_ctrl_c_within_two_seconds_leaves() {
    let mut stage = stage();
    stage.press("ctrl-c");
    assert_eq!(stage.out, []);
    assert!(stage.model.stack.is_top::<LeaveQuestion>());
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
    stage.guidance();
    stage.press("a ctrl-c");
    assert!(stage.model.stack.is_top::<LeaveQuestion>());
    stage.press("esc");
    assert!(stage.model.stack.is_top::<Editor>(), "the text is still there");
}
