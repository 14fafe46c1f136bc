//! Pictures of decisions: an edit, two dangers, a call of a server, a call that cannot be undone.

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::theme::{Colours, Theme};
use crate::kernel::model::Source;
use crate::testing::{ARMING, Stage};
use overrule_domain::event::{CallEvent, Event};

/// The looks of a picture: in Unicode and ASCII, with colours and without.
const LOOKS: [(&str, Charset, Colours); 4] = [
    ("", Charset::Unicode, Colours::True),
    ("_mono", Charset::Unicode, Colours::None),
    ("_ascii", Charset::Ascii, Colours::True),
    ("_ascii_mono", Charset::Ascii, Colours::None),
];

/// Pictures of a scene in every look.
pub(super) fn pictured(name: &str, size: (u16, u16), scene: impl Fn(&mut Stage)) {
    pictured_from(Source::Live, name, size, scene);
}

/// The same of a run or of a recording.
fn pictured_from(source: Source, name: &str, (width, height): (u16, u16), scene: impl Fn(&mut Stage)) {
    for (look, charset, colours) in LOOKS {
        let mut stage = Stage::with(width, height, |settings| {
            settings.look = Theme::built_in("dark").unwrap().look(colours);
            settings.charset = charset;
            settings.source = source;
            if charset == Charset::Ascii {
                settings.line = Line::Ascii;
            }
        });
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}{look}"), stage.text());
    }
}

#[test]
fn an_edit_is_decided_while_three_more_calls_wait() {
    pictured("edit_80x24", (80, 24), |stage| {
        stage.four_wait();
        stage.wait(ARMING);
    });
}

#[test]
fn two_dangers_are_named_with_what_they_come_from() {
    pictured("dangers_80x24", (80, 24), |stage| {
        stage.four_wait();
        stage.on("c10");
        stage.wait(ARMING);
    });
}

#[test]
fn a_call_of_a_server_shows_its_fields_in_the_order_of_its_schema() {
    pictured("server_80x24", (80, 24), |stage| {
        stage.four_wait();
        stage.on("c11");
        stage.wait(ARMING);
    });
}

#[test]
fn a_call_that_cannot_be_undone_asks_for_its_name_below_the_frame() {
    pictured("deploy_80x24", (80, 24), |stage| {
        stage.deploy_waits();
        stage.wait(ARMING);
        stage.press("a");
    });
}

#[test]
fn on_a_wide_screen_both_versions_are_next_to_each_other() {
    pictured("edit_160x50", (160, 50), |stage| {
        stage.two_wait();
        stage.wait(ARMING);
    });
}

#[test]
fn a_failure_looks_like_one_in_the_graph() {
    pictured("failures_80x24", (80, 24), Stage::failures);
}

#[test]
fn a_failure_looks_like_one_in_the_timeline() {
    pictured("failures_time_80x24", (80, 24), |stage| {
        stage.failures();
        stage.press("J");
    });
}

#[test]
fn a_jump_in_a_recording_lands_on_the_failure() {
    let mut live = Stage::new(80, 24);
    live.failures();
    let events = live.recorded().to_vec();
    let ended = events.iter().position(|envelope| {
        matches!(
            &envelope.event,
            Event::Call(CallEvent::Finished { outcome, .. }) if outcome.exit().is_some()
        )
    });
    let ended = ended.unwrap() + 1;
    pictured_from(Source::Replay, "replay_80x24", (80, 24), |stage| {
        stage.recording(&events);
        stage.shows_event(&events, 1);
        stage.press("alt-f");
        stage.shows_event(&events, ended);
    });
}
