//! Tests a request without output: the screen reports it while working time continues.
//!
//! Must not know: when the engine gives up.

use crate::kernel::msg::{Msg, Out};
use crate::run::link::Update;
use crate::testing::Stage;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::TurnId;
use overrule_domain::live::{Live, LivePart};

/// A run that has just sent a request to its model.
fn asked(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.clock = i64::try_from(stage.now).unwrap();
    stage.begin();
    stage.draw();
    stage
}

fn stream_text(stage: &mut Stage, text: &str) {
    stage.send(Msg::Run(Update::Live(Live {
        turn: TurnId(2),
        parts: vec![LivePart::Text {
            reasoning: false,
            text: text.into(),
            before: 0,
        }],
        bytes: text.len() as u64,
    })));
}

#[test]
fn a_stalled_stream_is_distinguished_from_a_working_one() {
    for (width, height) in [(40, 12), (80, 24), (160, 50)] {
        let mut stage = asked(width, height);
        stage.wait(19_000);
        assert!(!stage.text().contains("no output from"), "{}", stage.text());
        let soon = stage.now + 1000;
        assert_eq!(stage.model.wake_at(), Some(soon), "it is woken to say so");
        stage.wait(1_000);
        let text = stage.flat();
        assert!(text.contains("no output from turn 2"), "{text}");
        assert!(text.contains("S: end it"), "{text}");
        stage.wait(5_000);
        if width > 40 {
            assert!(stage.flat().contains("from turn 2 for 25 s"), "{}", stage.flat());
        }
        assert_eq!(stage.model.waiting(), 0, "no alert is sent");
        assert!(!stage.out.iter().any(|out| matches!(out, Out::Alert(_))));
        // Any text of it resets the timer.
        stream_text(&mut stage, "Well");
        assert!(!stage.text().contains("no output from"), "{}", stage.text());
        stage.wait(20_000);
        assert!(stage.flat().contains("no output from turn 2"), "{}", stage.flat());
        stage.close();
        stage.draw();
        assert!(!stage.text().contains("no output from"), "{}", stage.text());
        let later = stage.now + 1000;
        assert!(
            stage.model.wake_at().is_none_or(|at| at > later),
            "left alone again"
        );
    }
}

#[test]
fn working_time_advances_while_nothing_arrives() {
    let mut stage = asked(120, 40);
    stage.engine(Event::Run(RunEvent::LimitsRaised {
        limits: overrule_domain::event::run::Limits {
            wall_ms: Some(30_000),
            ..stage.model.run.state.settings.limits
        },
    }));
    stage.press("7");
    stage.wait(12_000);
    let text = stage.flat();
    assert!(text.contains("12 s at work of 30 s"), "{text}");
    let soon = stage.now + 1000;
    assert!(stage.model.wake_at().is_some_and(|at| at <= soon));
    stage.wait(1_000);
    let text = stage.flat();
    assert!(text.contains("13 s at work of 30 s"), "{text}");
}
