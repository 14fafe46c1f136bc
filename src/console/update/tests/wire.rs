//! The tab of the wire: read when it is looked at, and again once the stream has ended.

use crate::console::link::Frames;
use crate::console::msg::{Msg, Out};
use crate::console::testing::Stage;
use crate::domain::id::TurnId;

fn asked(stage: &mut Stage) -> Vec<(TurnId, u32)> {
    std::mem::take(&mut stage.out)
        .into_iter()
        .filter_map(|out| match out {
            Out::Wire { turn, request } => Some((turn, request)),
            _ => None,
        })
        .collect()
}

fn looking() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "I will read.");
    stage.draw();
    stage.press("1 g j > > > >");
    stage
}

#[test]
fn the_bytes_are_asked_for_once_and_shown_safely() {
    let mut stage = looking();
    assert_eq!(asked(&mut stage), [(TurnId(2), 1)]);
    assert!(stage.text().contains("being read"), "{}", stage.text());
    stage.press("k j");
    assert_eq!(asked(&mut stage), [], "it is on its way");
    let frames = Frames {
        sent: r#"{"model":"m"}"#.into(),
        received: "data: \u{1b}[2J\n\n".into(),
        more: false,
    };
    stage.send(Msg::Wire(Ok(Some(frames))));
    let text = stage.text();
    assert!(text.contains("sent, request 1 of turn 2"), "{text}");
    assert!(
        text.contains(r#"{"model":"m"}"#) && text.contains("⟨U+001B⟩[2J"),
        "{text}"
    );
    stage.close();
    assert_eq!(
        asked(&mut stage),
        [(TurnId(2), 1)],
        "the stream has ended: all of it is there now"
    );
}

#[test]
fn what_was_not_kept_says_how_it_is_kept() {
    let mut stage = looking();
    stage.send(Msg::Wire(Ok(None)));
    assert!(stage.text().contains("--keep-wire"), "{}", stage.text());
    stage.send(Msg::Wire(Err("failed to read x".to_owned())));
    assert!(stage.text().contains("failed to read x"), "{}", stage.text());
    stage.press("k");
    assert!(
        stage.text().contains("nothing was sent for it"),
        "the operator's turn: {}",
        stage.text()
    );
    asked(&mut stage);
    stage.press("<");
    assert_eq!(asked(&mut stage), [], "another tab asks for nothing");
}
