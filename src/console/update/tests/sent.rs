//! The tab of the context: what was sent stays what was sent, whatever an edit makes of it.

use crate::console::testing::{Stage, id};
use crate::domain::event::edit::EditEvent;
use crate::domain::event::{Event, TurnEvent};
use crate::domain::id::{Epoch, Rev, TurnId};
use crate::domain::node::{Channel, Content, Origin};
use crate::domain::turn::{Stop, Usage};

/// Turn 3 was asked with a thought of turn 2.
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
        intervention: id("i1"),
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
    assert!(doc.contains("what stands before it was changed since"), "{doc}");
}

#[test]
fn what_happens_elsewhere_does_not_make_it_anew() {
    let mut stage = asked();
    context_of_the_last_turn(&mut stage);
    let made = stage.model.inspector.made;
    assert!(made.is_some());
    for no in 0..5 {
        let reason = format!("pause {no}");
        stage.engine(Event::Run(crate::domain::event::RunEvent::Paused { reason }));
        stage.draw();
    }
    assert_eq!(stage.model.inspector.made, made);
}
