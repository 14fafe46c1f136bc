//! Tests the key that restricts the run to reading calls and lifts that.
//!
//! Must not know: what is denied.

use std::sync::Arc;

use super::arming::{armed, key, settle};
use crate::ground::term_msg::TermMsg;
use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::testing::Stage;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::{Event, RunEvent};

fn restricted(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.sample();
    stage.engine(Event::Run(RunEvent::Restricted {
        reason: Arc::from("loop 1: \u{202e}write"),
    }));
    stage
}

fn restricts(commands: &[Command]) -> bool {
    matches!(commands, [Command::Run(RunCommand::Restrict { .. })])
}

#[test]
fn restricting_counts_at_any_speed_and_after_a_paste() {
    for gap in [0, 20, 600] {
        let mut stage = armed();
        key(&mut stage, "!", gap);
        settle(&mut stage);
        assert!(restricts(&stage.commands()), "{gap}: {}", stage.status());
    }
    let mut stage = armed();
    let at = stage.now;
    stage.send(Msg::Term(TermMsg::Paste {
        text: "pasted".to_owned(),
        at,
    }));
    key(&mut stage, "!", 0);
    settle(&mut stage);
    assert!(restricts(&stage.commands()), "{}", stage.status());
    // A screen that is too small for decisions is enough.
    let mut stage = armed();
    stage.send(Msg::Term(TermMsg::Resize { width: 20, height: 6 }));
    key(&mut stage, "!", 0);
    settle(&mut stage);
    assert!(restricts(&stage.commands()), "{}", stage.status());
}

#[test]
fn the_same_key_lifts_it_but_not_right_after_a_paste() {
    let mut stage = restricted(120, 40);
    stage.press("!");
    assert!(matches!(
        stage.commands()[..],
        [Command::Run(RunCommand::LiftRestriction {})]
    ));
    let mut stage = restricted(120, 40);
    let at = stage.now;
    stage.send(Msg::Term(TermMsg::Paste {
        text: "pasted".to_owned(),
        at,
    }));
    key(&mut stage, "!", 0);
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains("right after a paste"),
        "{}",
        stage.status()
    );
}

#[test]
fn the_header_shows_restricted_mode_and_the_key_that_lifts_it() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let mut stage = restricted(width, height);
        let text = stage.text();
        let mut rows = text.lines();
        let (first, second) = (rows.next().unwrap(), rows.next().unwrap());
        assert!(first.contains("reading only"), "{width}: {text}");
        assert!(second.contains("restricted to reading"), "{width}: {text}");
        assert!(second.contains("!: lift"), "{width}: {text}");
        assert!(!text.contains('\u{202e}'), "{width}: {text}");
    }
    // A recorded run shows the restriction, which cannot be lifted.
    let mut stage = restricted(80, 24);
    stage.model.settings.source = Source::Replay;
    let text = stage.text();
    assert!(
        text.contains("reading only") && !text.contains("!: lift"),
        "{text}"
    );
    stage.engine(Event::Run(RunEvent::RestrictionLifted {}));
    let text = stage.text();
    assert!(
        !text.contains("reading only") && !text.contains("restricted to"),
        "{text}"
    );
}

#[test]
fn the_way_is_in_the_palette_and_in_help() {
    let mut stage = restricted(120, 40);
    stage.press(": r e s t r i c t");
    let text = stage.text();
    assert!(
        text.contains("restrict the run to reading calls, or lift that"),
        "{text}"
    );
}
