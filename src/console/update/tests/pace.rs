//! Tests how soon a message requests a frame.

use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::run::frames::Soon;
use crate::run::link::Update;
use crate::testing::Stage;
use crate::update::pace::soon;
use overrule_domain::id::TurnId;
use overrule_domain::live::{Live, LivePart};

fn text_part(text: &str) -> LivePart {
    LivePart::Text {
        reasoning: false,
        text: text.into(),
        before: 0,
    }
}

fn calls(args: &str) -> LivePart {
    LivePart::Call {
        tool: "read_file".into(),
        args: args.into(),
        before: 0,
    }
}

fn live(turn: u32, parts: Vec<LivePart>) -> Msg {
    Msg::Run(Update::Live(Live {
        turn: TurnId(turn),
        parts,
        bytes: 1,
    }))
}

/// A run that streams in turn 2, and has long filled its screen.
fn streaming() -> Stage {
    let mut stage = Stage::new(100, 20);
    stage.begin();
    for no in 1..=60 {
        stage.thought(&format!("t{no}"), "so");
    }
    stage.send(live(2, vec![text_part("so")]));
    stage.draw();
    stage
}

#[test]
fn more_of_a_stream_on_the_screen_can_wait_a_little() {
    let stage = streaming();
    let more = live(2, vec![text_part("so far")]);
    assert_eq!(soon(&stage.model, &more), Soon::Stream);
}

#[test]
fn a_blank_between_two_pieces_of_a_stream_is_not_marked_as_one_at_its_end() {
    let mut stage = streaming();
    stage.press("1 k");
    stage.send(live(2, vec![text_part("so far  so ")]));
    let text = stage.text();
    assert!(text.contains("says: so far  so"), "{text}");
    assert!(!text.contains("space"), "{text}");
}

#[test]
fn a_stream_that_is_longer_than_its_row_says_that_its_beginning_is_cut() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut stage = streaming();
        let resize = crate::ground::term_msg::TermMsg::Resize { width, height };
        stage.send(crate::kernel::msg::Msg::Term(resize));
        stage.press("1 k");
        let words = format!("{}the newest word", "so far ".repeat(40));
        stage.send(live(2, vec![text_part(&words)]));
        let text = stage.text();
        let row = text.lines().find(|row| row.contains("says: ")).unwrap();
        assert!(
            row.contains("says: …") && row.contains("the newest word"),
            "{row}"
        );
        stage.send(live(2, vec![text_part("short")]));
        assert!(stage.text().contains("says: short"), "{}", stage.text());
    }
}

#[test]
fn a_part_that_begins_and_one_that_is_whole_cannot_wait() {
    let stage = streaming();
    let card = live(2, vec![text_part("so far"), calls("{")]);
    assert_eq!(soon(&stage.model, &card), Soon::Now, "a new card");
    assert_eq!(soon(&stage.model, &live(2, Vec::new())), Soon::Now, "the end");
    assert_eq!(
        soon(&stage.model, &live(2, vec![calls("{")])),
        Soon::Now,
        "another"
    );
    assert_eq!(
        soon(&stage.model, &live(3, vec![text_part("so")])),
        Soon::Now,
        "a turn"
    );
}

#[test]
fn everything_that_is_no_stream_cannot_wait() {
    let stage = streaming();
    let key = Msg::Term(TermMsg::Key {
        key: "j".parse().unwrap(),
        at: 5,
    });
    let resize = Msg::Term(TermMsg::Resize {
        width: 40,
        height: 12,
    });
    for msg in [key, resize, Msg::Run(Update::Ended), Msg::Tick { at: 9 }] {
        let expected = if matches!(msg, Msg::Term(_)) {
            Soon::Typed
        } else {
            Soon::Now
        };
        assert_eq!(soon(&stage.model, &msg), expected, "{msg:?}");
    }
}

#[test]
fn a_stream_that_is_not_on_the_screen_asks_for_nothing_and_changes_nothing() {
    let mut stage = streaming();
    stage.press("1 g");
    // The header shows how fast it arrives.
    let below = |stage: &mut Stage| stage.text().lines().skip(1).collect::<Vec<_>>().join("\n");
    let before = below(&mut stage);
    assert!(!before.contains("says:"), "{before}");
    let more = live(2, vec![text_part("so far and further")]);
    assert_eq!(soon(&stage.model, &more), Soon::Never);
    stage.send(more);
    assert_eq!(below(&mut stage), before);
    // Once it is on screen again it is drawn again, with the text that arrived meanwhile.
    stage.press("G");
    assert!(stage.text().contains("so far and further"));
    let more = live(2, vec![text_part("so far and further still")]);
    assert_eq!(soon(&stage.model, &more), Soon::Stream);
}

#[test]
fn every_stream_that_would_change_the_screen_asks_for_a_frame() {
    let mut stage = streaming();
    for keys in [
        "1", "1 g", "1 k k", "1 G", "2", "3", "m", "1 g m", "t", "1 g t", "L", "4",
    ] {
        stage.press(keys);
        for text in ["a", "b"] {
            let before = stage.text();
            let more = live(2, vec![text_part(text)]);
            let asked = soon(&stage.model, &more);
            stage.send(more);
            let changed = stage.text() != before;
            assert!(!changed || asked == Soon::Stream, "after {keys}: {asked:?}");
        }
        stage.press("esc");
    }
}
