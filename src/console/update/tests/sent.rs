//! Tests the context tab: a sent request is shown as sent, whatever an edit changes.

use crate::kernel::msg::Msg;
use crate::run::link::{SentBody, Update};
use crate::testing::{Stage, id};
use overrule_domain::event::edit::EditEvent;
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::{Epoch, Rev, TurnId};
use overrule_domain::node::{Channel, Content, Origin};
use overrule_domain::turn::{Stop, Usage};

/// The request of turn 3 was sent with a thought of turn 2.
fn asked() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "the old thought");
    stage.turn(TurnEvent::Closed {
        turn: TurnId(2),
        stop: Stop::End,
        usage: Usage::default(),
    });
    stage.request(3, 1);
    stage.turn(TurnEvent::Thought {
        turn: TurnId(3),
        node: id("t3"),
        text: "and now".into(),
        channel: Channel::Spoken,
        opaque: None,
        origin: Origin::Model,
    });
    stage
}

fn context_of_the_last_turn(stage: &mut Stage) -> String {
    stage.draw();
    stage.press("1 G");
    while !stage.text().contains("what the model saw for turn 3") {
        stage.press(">");
    }
    stage.text()
}

#[test]
fn an_edit_after_the_turn_leaves_what_was_sent_as_it_was() {
    let mut stage = asked();
    let before = context_of_the_last_turn(&mut stage);
    for words in [
        "the old thought",
        "look at the files",
        "be good",
        "scripted: test",
        "read_file write_file launch",
    ] {
        assert!(before.contains(words), "no `{words}` in {before}");
    }
    stage.engine(Event::Edit(EditEvent::Committed {
        epoch: Epoch(1),
        intervention: id("i4"),
        target: Some(id("t2")),
        after: None,
        what: "edit of t2".into(),
        reason: None,
        by: None,
    }));
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id("t2"),
        rev: Rev(2),
        content: Content::Text {
            text: "the new thought".into(),
            channel: Channel::Spoken,
            opaque: None,
        },
        origin: Origin::Operator { user: "ada".into() },
        approves: None,
    }));
    stage.press("k");
    let after = stage.text();
    assert!(after.contains("what the model saw for turn 3"), "{after}");
    let doc = stage.model.inspector.doc.copy();
    assert!(
        doc.contains("the old thought") && !doc.contains("the new thought"),
        "{doc}"
    );
    assert!(doc.contains("earlier nodes changed since"), "{doc}");
}

#[test]
fn unrelated_events_do_not_reload_the_request() {
    let mut stage = asked();
    context_of_the_last_turn(&mut stage);
    let made = stage.model.inspector.made;
    assert!(made.is_some());
    for no in 0..5 {
        let reason = format!("pause {no}");
        stage.engine(Event::Run(overrule_domain::event::RunEvent::Paused { reason }));
        stage.draw();
    }
    assert_eq!(stage.model.inspector.made, made);
}

/// What the tab shows, row by row.
fn doc(stage: &mut Stage) -> String {
    stage.draw();
    let doc = &stage.model.inspector.doc;
    let rows = doc.window(0, doc.rows(), None);
    rows.iter().map(|row| row.plain() + "\n").collect()
}

#[test]
fn each_request_of_the_turn_is_shown_as_it_was_sent() {
    let mut stage = asked();
    context_of_the_last_turn(&mut stage);
    let only = doc(&mut stage);
    assert!(!only.contains("request 1 of"), "{only}");
    stage.press("(");
    assert!(stage.status().contains("No older ones"), "{}", stage.status());
    // An edit changes the context before it, and the request is sent again, twice.
    let revised = |rev: u32, text: &str| {
        Event::Edit(EditEvent::Revised {
            node: id("t2"),
            rev: Rev(rev),
            content: Content::Text {
                text: text.into(),
                channel: Channel::Spoken,
                opaque: None,
            },
            origin: Origin::Operator { user: "ada".into() },
            approves: None,
        })
    };
    stage.engine(revised(2, "the new thought"));
    stage.request_with_notes(3, 2, &["one tool is left alone"]);
    stage.engine(revised(3, "the newest thought"));
    stage.request(3, 3);
    let thoughts = ["the old thought", "the new thought", "the newest thought"];
    let one_of = |stage: &mut Stage, request: usize| {
        let doc = doc(stage);
        assert!(doc.contains(&format!("request {request} of 3")), "{doc}");
        for (at, words) in thoughts.iter().enumerate() {
            assert_eq!(doc.contains(words), at + 1 == request, "{words} in {doc}");
        }
        assert_eq!(
            doc.matches("one tool is left alone").count(),
            usize::from(request == 2),
            "{doc}"
        );
        assert_eq!(
            doc.contains("sent with this request alone"),
            request == 2,
            "{doc}"
        );
        assert_eq!(doc.contains("an earlier request"), request < 3, "{doc}");
        assert!(!doc.contains("was changed since"), "{doc}");
    };
    one_of(&mut stage, 3);
    stage.press("(");
    one_of(&mut stage, 2);
    assert!(doc(&mut stage).contains("request 2 of 3  ( older  ) newer"));
    stage.press("(");
    one_of(&mut stage, 1);
    stage.press("( )");
    one_of(&mut stage, 2);
    // The shown text stays when the request is sent again.
    stage.request(3, 4);
    assert!(doc(&mut stage).contains("request 2 of 4"));
    stage.press(") )");
    assert!(doc(&mut stage).contains("request 4 of 4  ( older\n"));
}

#[test]
fn a_request_that_is_not_known_exactly_shows_why_and_no_text() {
    let mut stage = asked();
    context_of_the_last_turn(&mut stage);
    stage.request(3, 2);
    stage.press("(");
    let seen = stage.model.run.sent_then.as_mut().expect("it was looked at");
    assert_eq!((seen.turn, seen.request), (TurnId(3), 1));
    seen.found = Some(Err("what it said is \u{1b}[2Jnot known".to_owned()));
    stage.model.inspector.made = None;
    let doc = doc(&mut stage);
    assert!(doc.contains("what it said is ⟨U+001B⟩[2Jnot known"), "{doc}");
    assert!(
        !doc.contains("the old thought") && !doc.contains("system"),
        "{doc}"
    );
    // A late reply for a request that is no longer shown changes nothing.
    stage.press(")");
    let late = Err("late".to_owned());
    stage.send(Msg::Run(Update::Sent {
        turn: TurnId(3),
        request: 1,
        found: late,
        body: None,
    }));
    assert!(!stage.text().contains("late"), "{}", stage.text());
}

#[test]
fn the_body_of_the_request_is_shown_with_its_wire_format() {
    for format in ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"] {
        let mut stage = asked();
        context_of_the_last_turn(&mut stage);
        let sent = stage.model.run.sent_then.as_ref().unwrap().found.clone().unwrap();
        let text = format!("{{\"of\":\"{format}\",\"hidden\":\"\u{1b}[2J\"}}");
        for (is_kept, how) in [(true, "as it was sent"), (false, "written again from the record")] {
            stage.send(Msg::Run(Update::Sent {
                turn: TurnId(3),
                request: 1,
                found: sent.clone(),
                body: Some(SentBody {
                    wire: format.into(),
                    text: text.as_str().into(),
                    is_kept,
                }),
            }));
            let shown = doc(&mut stage);
            let title = format!("body  {format}, {} bytes, {how}", text.len());
            assert!(shown.contains(&title), "no `{title}` in {shown}");
            let safe = format!("{{\"of\":\"{format}\",\"hidden\":\"⟨U+001B⟩[2J\"}}");
            assert!(shown.contains(&safe), "no `{safe}` in {shown}");
        }
    }
}
