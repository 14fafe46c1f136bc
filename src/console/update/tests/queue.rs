//! Tests the way through the queue: no entry is left out or stays out of sight.
//!
//! Must not know: what a decision does.

use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::testing::{Stage, id};

#[test]
fn the_oldest_of_what_waits_comes_after_what_waits_no_more() {
    for key in ["t", "j"] {
        let mut stage = Stage::new(140, 40);
        stage.three_wait();
        stage.press("2");
        assert_eq!(stage.model.screen.focus, Pane::QUEUE);
        stage.approved("c3");
        stage.draw();
        stage.press(key);
        let Some(QueueEntry::Call { call, .. }) = stage.model.queue.current() else {
            panic!("{:?}", stage.model.queue);
        };
        assert_eq!(call, id("c4"), "{key}");
    }
}

#[test]
fn a_screen_that_grows_shows_the_queue_again() {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    for no in 6..16 {
        stage.awaiting(&format!("c{no}"), "write_file", r#"{"path":"a","content":""}"#);
    }
    stage.press("2 j j j j j j j j j j j j");
    stage.send(Msg::Term(TermMsg::Resize {
        width: 60,
        height: 10,
    }));
    stage.press("2");
    assert!(stage.model.queue.top > 0);
    let text = stage.text();
    assert!(text.contains("above"), "{text}");
    stage.send(Msg::Term(TermMsg::Resize {
        width: 140,
        height: 60,
    }));
    stage.draw();
    assert_eq!(stage.model.queue.top, 0);
}

#[test]
fn what_waits_below_the_screen_is_named_in_the_row_of_the_queue() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(12);
    stage.awaiting("c900", "write_file", r#"{"path":"a.md","content":"x"}"#);
    stage.draw();
    stage.press("1");
    stage.on("p1");
    let text = stage.text();
    let queue = |text: &str| {
        text.lines()
            .find(|row| row.starts_with(" queue"))
            .map(str::to_owned)
    };
    assert!(!text.contains("◎ c900"), "not on the screen: {text}");
    let row = queue(&text).unwrap();
    assert!(
        row.contains("c38 write_file report.md  c900 write_file a.md"),
        "{row}"
    );
    stage.press("t");
    let row = queue(&stage.text()).unwrap();
    assert!(
        !row.contains("c38") && row.contains("c900"),
        "not what is looked at: {row}"
    );
}
