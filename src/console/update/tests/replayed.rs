//! Tests the bar of a recorded run, and the keys that drive it.

use std::sync::Arc;

use crate::ground::term_msg::{Mouse, TermMsg};
use crate::kernel::model::Source;
use crate::kernel::msg::{Msg, Out};
use crate::run::link::{At, ReplayControl, Update};
use crate::run::replay::{Mark, MarkKind};
use crate::testing::{Stage, id};
use overrule_domain::call::EffectClass;
use overrule_domain::envelope::Envelope;
use overrule_domain::id::Seq;

fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::with(width, height, |settings| {
        settings.source = Source::Replay;
        settings.utc_zero = None;
    });
    stage.sample();
    let marks = [
        (2, MarkKind::Turn),
        (20, MarkKind::Failure),
        (40, MarkKind::Decision),
        (60, MarkKind::Edit),
        (80, MarkKind::Failure),
    ];
    let marks: Vec<Mark> = marks.map(|(event, kind)| Mark { event, kind }).into();
    stage.send(Msg::Run(Update::Marks(marks.into())));
    at(&mut stage, 30, None);
    stage
}

fn at(stage: &mut Stage, event: usize, speed: Option<f64>) {
    stage.send(Msg::Run(Update::At(At {
        event,
        of: 100,
        speed,
    })));
    stage.draw();
}

fn controls(stage: &mut Stage) -> Vec<ReplayControl> {
    let out = std::mem::take(&mut stage.out);
    let some = out.into_iter().filter_map(|out| match out {
        Out::Replay(control) => Some(control),
        _ => None,
    });
    some.collect()
}

#[test]
fn the_bar_marks_what_happened_and_says_the_event_in_words() {
    for (width, height) in [(80, 24), (160, 50), (40, 12)] {
        let mut stage = stage(width, height);
        let text = stage.text();
        let bar = text
            .lines()
            .find(|line| line.contains('╋'))
            .unwrap_or_else(|| panic!("{text}"));
        assert_eq!(bar.matches('◆').count(), 1, "{bar}");
        assert!(
            bar.find('━') < bar.find('╋') && bar.find('╋') < bar.find('─'),
            "{bar}"
        );
        if height >= 16 {
            let words = text
                .lines()
                .find(|line| line.contains("stream ended"))
                .unwrap_or_else(|| panic!("{text}"));
            assert!(words.contains("◆ decision"), "{words}");
            assert!(text.contains("#30 of 100, paused"), "{text}");
        }
        at(&mut stage, 31, Some(4.0));
        assert!(stage.text().contains("#31 of 100, 4x"), "{}", stage.text());
    }
}

#[test]
fn keys_jump_to_marks_and_by_tenths() {
    let mut stage = stage(120, 40);
    let seek = |event| vec![ReplayControl::Seek(Seq(event))];
    for (key, event) in [
        ("alt-f", 80),
        ("alt-F", 20),
        ("alt-down", 40),
        ("alt-e", 60),
        ("alt-left", 2),
        ("ctrl-right", 40),
        ("ctrl-left", 20),
    ] {
        stage.press(key);
        assert_eq!(controls(&mut stage), seek(event), "{key}");
    }
    for (key, words) in [("alt-up", "No earlier decision"), ("alt-right", "No later turn")] {
        stage.press(key);
        assert_eq!(controls(&mut stage), [], "{key}");
        assert!(stage.status().starts_with(words), "{}", stage.status());
    }
    // A jump to a mark ends the playback.
    at(&mut stage, 30, Some(1.0));
    stage.press("alt-f");
    assert_eq!(
        controls(&mut stage),
        [ReplayControl::Pause, ReplayControl::Seek(Seq(80))]
    );
}

#[test]
fn every_jump_ends_the_playback() {
    for key in ["$", "0", "ctrl-right", "ctrl-left", "alt-f", ".", ","] {
        let mut stage = stage(120, 40);
        at(&mut stage, 30, Some(1.0));
        stage.press(key);
        assert!(!stage.model.run.playing, "{key}");
    }
}

#[test]
fn a_recording_is_viewed_but_decides_nothing() {
    let mut stage = Stage::with(120, 40, |settings| settings.source = Source::Replay);
    stage.begin();
    stage.has_tool("ask", EffectClass::Read, &["asks_operator"]);
    stage.awaiting("c3", "ask", r#"{"question":"x"}"#);
    stage.consent("c4");
    stage.awaiting("c5", "write_file", "{}");
    stage.draw();
    stage.press("2");
    for (call, status) in [("c3", "recorded"), ("c4", "recorded"), ("c5", "")] {
        assert_eq!(stage.selected(), Some(id(call)));
        stage.press("enter");
        assert!(stage.model.stack.is_empty(), "{call}");
        assert!(stage.status().contains(status), "{call}: {}", stage.status());
        assert_eq!(stage.commands(), []);
        stage.press("2 j");
    }
    stage.press("1 g g enter");
    assert!(stage.model.graph.is_transcript(), "a row that does not wait");
}

#[test]
fn a_click_on_the_bar_goes_to_its_place() {
    let mut stage = stage(120, 40);
    stage.draw();
    let line = stage.model.screen.bar_line();
    for (x, event) in [(line.x, 1), (line.right() - 1, 100)] {
        let mouse = Mouse::Press;
        stage.send(Msg::Term(TermMsg::Mouse { mouse, x, y: line.y }));
        assert_eq!(controls(&mut stage), [ReplayControl::Seek(Seq(event))]);
    }
    stage.send(Msg::Term(TermMsg::Mouse {
        mouse: Mouse::Press,
        x: 3,
        y: line.y + 1,
    }));
    assert_eq!(controls(&mut stage), [], "the words below the bar");
}

#[test]
fn a_live_run_has_no_bar() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    assert!(!stage.text().contains('╋'));
    assert_eq!(stage.model.screen.places.bar, None);
}

#[test]
fn a_failure_that_comes_later_is_not_denied() {
    let mut stage = Stage::with(80, 24, |settings| settings.source = Source::Replay);
    stage.begin();
    let marks = [(2, MarkKind::Turn), (40, MarkKind::Failure), (60, MarkKind::Edit)];
    let marks: Vec<Mark> = marks.map(|(event, kind)| Mark { event, kind }).into();
    stage.send(Msg::Run(Update::Marks(marks.into())));
    for (event, words) in [
        (
            30,
            "Nothing failed up to this event. alt-f goes to the next failure",
        ),
        (40, "Nothing failed"),
        (100, "Nothing failed"),
    ] {
        at(&mut stage, event, None);
        stage.press("1 f");
        assert_eq!(stage.status(), words, "{event}");
    }
}

/// A replay of the run whose tests failed, with the marks of its events, at the first of them.
fn recorded(width: u16, height: u16) -> (Stage, Vec<Arc<Envelope>>) {
    let mut live = Stage::new(width, height);
    live.failures();
    let mut stage = Stage::with(width, height, |settings| settings.source = Source::Replay);
    let events = live.recorded().to_vec();
    stage.recording(&events);
    stage.shows_event(&events, 1);
    (stage, events)
}

/// Presses a key that jumps, and shows the event to which it goes.
fn jump(stage: &mut Stage, events: &[Arc<Envelope>], key: &str) {
    stage.press(key);
    let Some(ReplayControl::Seek(to)) = controls(stage).pop() else {
        panic!("{key} goes nowhere: {}", stage.status());
    };
    stage.shows_event(events, to.0 as usize);
}

#[test]
fn a_jump_in_a_recording_selects_the_call_and_shows_the_end_of_its_output() {
    for (width, height) in [(80, 24), (80, 16), (160, 50)] {
        let (mut stage, events) = recorded(width, height);
        jump(&mut stage, &events, "alt-f");
        assert_eq!(stage.selected(), Some(id("c9")), "{width}x{height}");
        let text = stage.text();
        assert!(text.contains("AssertionError: 2 != 2.5"), "{text}");
        assert!(text.contains("c9 ended with exit 1"), "{text}");
        jump(&mut stage, &events, "alt-f");
        assert_eq!(stage.selected(), Some(id("c16")));
        jump(&mut stage, &events, "alt-F");
        assert_eq!(stage.selected(), Some(id("c9")));
        jump(&mut stage, &events, "alt-up");
        assert_eq!(stage.selected(), Some(id("c9")), "its approval");
    }
}

#[test]
fn a_jump_to_an_edit_selects_its_row() {
    let mut live = Stage::new(80, 24);
    live.edited();
    let events = live.recorded().to_vec();
    let mut stage = Stage::with(80, 24, |settings| settings.source = Source::Replay);
    stage.recording(&events);
    stage.shows_event(&events, 1);
    jump(&mut stage, &events, "alt-e");
    let node = stage.selected().unwrap();
    assert_eq!(node.kind, overrule_domain::id::NodeKind::Intervention);
    let text = stage.text();
    let row = text.lines().find(|row| row.starts_with('❯')).unwrap_or_default();
    assert!(row.contains(&node.to_string()), "{text}");
}

#[test]
fn in_the_transcript_a_jump_unfolds_the_output() {
    let (mut stage, events) = recorded(80, 30);
    stage.press("ctrl-t");
    jump(&mut stage, &events, "alt-f");
    assert_eq!(stage.selected(), Some(id("c9")));
    assert_eq!(stage.model.graph.unfolded_text(), Some(true));
    assert!(stage.text().contains("AssertionError"), "{}", stage.text());
}

#[test]
fn a_step_does_not_move_the_cursor_to_what_a_jump_looked_for() {
    let (mut stage, events) = recorded(80, 24);
    stage.press("alt-f");
    controls(&mut stage);
    // Another key came before the recording answered.
    stage.press(",");
    let before = stage.selected();
    stage.shows_event(&events, 2);
    assert_eq!(stage.model.graph.landed, None, "{before:?}");
}

#[test]
fn next_failure_shows_the_end_of_the_output_until_the_cursor_moves() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(44);
    stage.tools_turn(
        100,
        900,
        "I run the tests.",
        &[(
            "shell",
            r#"{"command":"make test"}"#,
            overrule_domain::call::Outcome::Ok {
                value: serde_json::json!("first\nsecond\nthird\nfourth\nlast")
                    .to_string()
                    .into(),
                meta: None,
                discarded: 0,
                exit: Some(2),
            },
        )],
    );
    stage.draw();
    stage.press("1");
    while stage.selected() != Some(id("c901")) {
        stage.press("f");
    }
    let text = stage.text();
    for line in ["second", "third", "fourth", "last"] {
        assert!(text.lines().any(|row| row.contains(line)), "{line}: {text}");
    }
    assert!(!text.contains(" first"), "{text}");
    stage.press("k");
    let text = stage.text();
    assert!(!text.contains("  third"), "{text}");
}
