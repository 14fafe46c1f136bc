//! Tests the wire tab: loaded on demand, and again after the stream has ended.

use crate::ground::doc::Styled;
use crate::kernel::inspector::Tab;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::pane::Pane;
use crate::run::link::Frames;
use crate::testing::{Stage, id};
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{Rev, TurnId};
use overrule_domain::node::{Channel, Content, Origin};

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
    assert!(stage.text().contains("loading…"), "{}", stage.text());
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
fn an_unrecorded_reply_shows_how_to_record_it() {
    let mut stage = looking();
    stage.send(Msg::Wire(Ok(None)));
    assert!(stage.text().contains("keep_replies"), "{}", stage.text());
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

fn answer(stage: &mut Stage, sent: &str) {
    let frames = Frames {
        sent: sent.into(),
        received: "".into(),
        more: false,
    };
    stage.send(Msg::Wire(Ok(Some(frames))));
}

#[test]
fn each_request_of_a_turn_is_reached_from_the_newest_on() {
    let mut stage = looking();
    stage.request(2, 2);
    stage.request(2, 3);
    stage.draw();
    assert_eq!(asked(&mut stage).last(), Some(&(TurnId(2), 3)));
    answer(&mut stage, "the third");
    let text = stage.text();
    assert!(
        text.contains("request 3 of 3  ( older") && !text.contains("newer"),
        "{text}"
    );
    stage.press("(");
    assert_eq!(asked(&mut stage), [(TurnId(2), 2)]);
    assert!(!stage.text().contains("the third"), "{}", stage.text());
    answer(&mut stage, "the second");
    let text = stage.text();
    assert!(text.contains("request 2 of 3  ( older  ) newer"), "{text}");
    assert!(
        text.contains("sent, request 2 of turn 2") && text.contains("the second"),
        "{text}"
    );
    // The shown text stays when the turn is asked again.
    stage.request(2, 4);
    stage.draw();
    assert_eq!(asked(&mut stage), []);
    let text = stage.text();
    assert!(
        text.contains("request 2 of 4") && text.contains("the second"),
        "{text}"
    );
    stage.press("( (");
    assert_eq!(asked(&mut stage), [(TurnId(2), 1)]);
    assert!(stage.status().contains("No older ones"), "{}", stage.status());
    stage.press(") ) )");
    assert_eq!(asked(&mut stage).last(), Some(&(TurnId(2), 4)));
    stage.press(")");
    assert!(stage.status().contains("No newer ones"), "{}", stage.status());
    // From the newest request on, the tab shows new ones again.
    stage.request(2, 5);
    stage.draw();
    assert_eq!(asked(&mut stage).last(), Some(&(TurnId(2), 5)));
    // Another tab and back: the newest.
    stage.press("( < >");
    assert_eq!(asked(&mut stage).last(), Some(&(TurnId(2), 5)));
}

#[test]
fn a_single_request_mentions_no_others() {
    let mut stage = looking();
    answer(&mut stage, "the only one");
    let text = stage.text();
    assert!(
        !text.contains("request 1 of 1") && !text.contains("older"),
        "{text}"
    );
    stage.press("(");
    assert!(stage.status().contains("No older ones"), "{}", stage.status());
    stage.press("< (");
    assert!(
        stage.status().contains("tabs `revisions`, `context` and `wire`"),
        "{}",
        stage.status()
    );
}

#[test]
fn revisions_older_than_the_newest_twenty_are_reached_too() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.thought("t2", "words 1");
    for rev in 2..=45 {
        stage.engine(Event::Edit(EditEvent::Revised {
            node: id("t2"),
            rev: Rev(rev),
            content: Content::Text {
                text: format!("words {rev}").into(),
                channel: Channel::Spoken,
                opaque: None,
            },
            origin: Origin::Operator { user: "ada".into() },
            approves: None,
        }));
    }
    stage.draw();
    stage.press("1 g j");
    stage.model.inspector.choose(Tab::Revisions, Pane::GRAPH);
    stage.draw();
    let rows = |stage: &mut Stage| -> Vec<String> {
        stage.draw();
        let doc = &stage.model.inspector.doc;
        doc.window(0, doc.rows(), None)
            .iter()
            .map(Styled::plain)
            .collect()
    };
    let of = |rows: &[String]| -> Vec<u32> {
        let heads = rows.iter().filter_map(|row| row.strip_prefix('r'));
        heads
            .filter_map(|row| row.split_whitespace().next()?.parse().ok())
            .collect()
    };
    let newest = rows(&mut stage);
    assert!(
        newest[1].contains("revisions 26 to 45 of 45  ( older"),
        "{newest:?}"
    );
    assert_eq!(of(&newest), (26..=45).rev().collect::<Vec<_>>());
    stage.press("(");
    let middle = rows(&mut stage);
    assert!(
        middle[1].contains("revisions 6 to 25 of 45  ( older  ) newer"),
        "{middle:?}"
    );
    assert_eq!(of(&middle), (6..=25).rev().collect::<Vec<_>>());
    // The oldest of a page has its difference with the one before it.
    assert!(middle.iter().any(|row| row.contains("words 5")), "{middle:?}");
    stage.press("( (");
    let oldest = rows(&mut stage);
    assert_eq!(of(&oldest), (1..=5).rev().collect::<Vec<_>>());
    assert!(stage.status().contains("No older ones"), "{}", stage.status());
    stage.press(") )");
    assert_eq!(of(&rows(&mut stage)), of(&newest));
}
