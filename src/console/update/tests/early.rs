//! What can be done while a long record is read: its newest events are there, and nothing else.

use std::sync::Arc;

use crate::console::link::Update;
use crate::console::model::Source;
use crate::console::model::log::Line;
use crate::console::model::screen::Pane;
use crate::console::msg::Msg;
use crate::console::testing::Stage;
use crate::domain::envelope::Envelope;
use crate::domain::event::{Event, RunEvent};
use crate::domain::state::State;

fn events(from: u64, to: u64) -> Vec<Arc<Envelope>> {
    let event = |n: u64| {
        let reason = format!("reason {n}");
        Envelope::bare(n, Event::Run(RunEvent::Paused { reason }))
    };
    (from..=to).map(|n| Arc::new(event(n))).collect()
}

/// A console that is shown the end of a record of which a third is read.
fn begun() -> Stage {
    let mut stage = Stage::with(100, 30, |settings| {
        settings.source = Source::Replay;
    });
    let (done, of) = (33 << 20, 99 << 20);
    stage.send(Msg::Run(Update::Reading { done, of }));
    stage.send(Msg::Run(Update::Past(events(801, 1000))));
    stage
}

fn read(stage: &mut Stage) {
    stage.send(Msg::Run(Update::Snapshot(Box::<State>::default())));
    stage.send(Msg::Run(Update::Past(events(1, 1000))));
}

fn at(stage: &Stage) -> u64 {
    match stage.model.log.selected() {
        Some(Line::Event(event)) => event.seq.0,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_newest_events_are_on_the_screen_and_the_header_tells_how_much_is_read() {
    let mut stage = begun();
    let text = stage.text();
    assert!(text.contains("33 of 99 MB"), "{text}");
    assert!(text.contains("reading"), "{text}");
    assert!(text.contains("reason 1000"), "{text}");
    read(&mut stage);
    let text = stage.text();
    assert!(!text.contains(" MB"), "{text}");
    assert_eq!(
        (stage.model.screen.focus, stage.model.screen.lower),
        (Pane::Graph, None)
    );
}

#[test]
fn a_place_in_the_log_is_kept_when_the_rest_is_there() {
    let mut stage = begun();
    stage.text();
    for _ in 0..40 {
        stage.press("k");
        stage.text();
    }
    assert_eq!(at(&stage), 960);
    let row = |text: &str| text.lines().position(|line| line.contains("reason 960"));
    let before = row(&stage.text());
    assert!(before.is_some());
    read(&mut stage);
    assert_eq!((at(&stage), stage.model.screen.focus), (960, Pane::Log));
    assert_eq!(row(&stage.text()), before);
}

#[test]
fn a_key_that_needs_the_graph_says_that_it_is_not_there() {
    let mut stage = begun();
    stage.press("1");
    for key in ["j", "t", "/"] {
        stage.press(key);
        let message = stage.model.message.text.clone();
        assert!(message.contains("still being read"), "{key}: {message}");
    }
    assert!(stage.out.is_empty());
    stage.press("4");
    stage.press("k");
    assert_eq!(stage.model.message.text, "");
    assert_eq!(at(&stage), 999);
    read(&mut stage);
    stage.press("1");
    stage.press("j");
    assert!(!stage.model.message.text.contains("still being read"));
}
