//! Tests settings for the whole run, and driving a recorded run.

use super::verbs::stage;
use crate::kernel::model::Source;
use crate::kernel::msg::Out;
use crate::kernel::prompt::Prompt;
use crate::run::link::ReplayControl;
use crate::testing::Stage;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::Seq;

#[test]
fn limits_and_title_come_from_the_palette() {
    let mut stage = stage();
    stage.press(":");
    stage.type_text("title");
    stage.press("enter");
    assert!(stage.model.stack.is_top::<Prompt>());
    stage.press("ctrl-u");
    stage.type_text("z");
    stage.press("enter");
    let commands = stage.commands();
    assert!(
        matches!(commands.as_slice(), [Command::Run(RunCommand::Title { .. })]),
        "{commands:?}"
    );
    stage.press(":");
    stage.type_text("limits");
    stage.press("enter");
    stage.type_text(" turns=7");
    stage.press("enter");
    let commands = stage.commands();
    assert!(
        matches!(commands.as_slice(), [Command::Run(RunCommand::SetLimits { limits })] if limits.turns == Some(7)),
        "{commands:?}"
    );
}

#[test]
fn a_limit_that_is_none_is_refused_with_an_example() {
    let mut stage = stage();
    stage.press(":");
    stage.type_text("limits");
    stage.press("enter");
    stage.type_text(" turns=x");
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("turns=50"), "{}", stage.status());
    assert_eq!(stage.model.stack.len(), 1, "the line stays open");
}

#[test]
fn a_recorded_run_is_driven() {
    let mut stage = Stage::with(100, 30, |settings| {
        settings.source = Source::Replay;
    });
    stage.sample();
    stage.draw();
    stage.press("P P . , = minus 0 $");
    let controls: Vec<ReplayControl> = stage
        .out
        .iter()
        .filter_map(|out| match out {
            Out::Replay(control) => Some(*control),
            _ => None,
        })
        .collect();
    assert_eq!(
        controls,
        [
            ReplayControl::Play,
            ReplayControl::Pause,
            ReplayControl::Step,
            ReplayControl::Back,
            ReplayControl::Faster,
            ReplayControl::Slower,
            ReplayControl::Seek(Seq(0)),
            ReplayControl::End
        ]
    );
    assert_eq!(stage.commands(), []);
}

#[test]
fn replay_keys_do_nothing_on_a_live_run() {
    let mut stage = stage();
    stage.press("P . ,");
    assert!(stage.out.is_empty());
}
