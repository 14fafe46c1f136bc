//! Tests of the records of a text that still streams, and of what a fold makes of them.
//!
//! Must not know: who writes the records.

use super::world::*;
use overrule_domain::apply;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::{NodeKind, Seq, TurnId};
use overrule_domain::input::Input;
use overrule_domain::state::State;
use overrule_domain::turn::StreamFaultKind;

/// A world whose model has begun to answer.
fn asked() -> (World, TurnId) {
    let w = World::new();
    let turn = w.open[0].0;
    (w, turn)
}

impl World {
    /// The text that is open is this now.
    fn opens(&mut self, text: &str) {
        let (turn, request) = self.open[0];
        self.input(Input::Partial {
            turn,
            request,
            text: text.into(),
            spoken: text.len() as u64,
        });
    }

    /// What was written down, in order.
    fn partials(&self) -> Vec<(u64, String)> {
        let partial = |envelope: &Envelope| match &envelope.event {
            Event::Turn(TurnEvent::Partial {
                prefix_len: stored,
                text,
                ..
            }) => Some((*stored, text.to_string())),
            _ => None,
        };
        self.log.iter().filter_map(partial).collect()
    }

    fn partial(&self, turn: TurnId) -> Option<&str> {
        self.state.turns[&turn].more.open.as_ref().map(|open| &*open.text)
    }
}

/// A fold of recorded partials alone.
fn folded(w: &World, turn: TurnId, partials: &[(u64, &str)]) -> Option<String> {
    let mut state: State = w.state.clone();
    for (seq, (stored, text)) in (w.log.len() as u64 + 1..).zip(partials) {
        let envelope = Envelope {
            seq: Seq(seq),
            at: 0,
            mono: 0,
            actor: Actor::Model,
            cause: Seq(0),
            more: false,
            event: Event::Turn(TurnEvent::Partial {
                turn,
                prefix_len: *stored,
                spoken: None,
                text: (*text).into(),
            }),
        };
        apply::apply(&mut state, &envelope);
    }
    state.turns[&turn]
        .more
        .open
        .as_ref()
        .map(|open| open.text.to_string())
}

#[test]
fn only_what_is_new_of_an_open_text_is_written_down() {
    let (mut w, turn) = asked();
    w.opens("One ");
    w.opens("One and two");
    w.opens("One and two");
    assert_eq!(
        w.partials(),
        [(0, "One ".into()), (4, "and two".into())],
        "and nothing for nothing new"
    );
    assert_eq!(w.partial(turn), Some("One and two"));

    // The last of several texts has grown, then an earlier one: the texts after it are written again.
    w.opens("One and two\n{\"a\":");
    w.opens("One and two 日\n{\"a\":1");
    w.opens("One and two 本\n{\"a\":1");
    assert_eq!(
        w.partials()[2..],
        [
            (11, "\n{\"a\":".into()),
            (11, " 日\n{\"a\":1".into()),
            (12, "本\n{\"a\":1".into())
        ]
    );
    assert_eq!(w.partial(turn), Some("One and two 本\n{\"a\":1"));
}

#[test]
fn partial_text_restarts_after_a_complete_block() {
    let (mut w, turn) = asked();
    w.opens("I look");
    w.stream(think("I look."));
    assert_eq!(w.partial(turn), None);
    w.opens("I look again");
    assert_eq!(w.partials()[1], (0, "I look again".into()));
    assert_eq!(w.partial(turn), Some("I look again"));
}

#[test]
fn partial_text_restarts_with_another_request() {
    let (mut w, turn) = asked();
    w.opens("I lo");
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.open[0], (turn, 2), "asked again by itself");
    w.opens("I look");
    assert_eq!(w.partials()[1], (0, "I look".into()));
}

#[test]
fn partial_text_of_a_broken_stream_is_saved_completely() {
    let (mut w, turn) = asked();
    w.opens("The answer");
    w.opens("The answer is not");
    w.opens("The answer is not whole");
    w.broke(StreamFaultKind::Auth);
    w.cmd(Command::Run(RunCommand::KeepArrived { turn, request: None }))
        .unwrap();
    let stored = w
        .state
        .nodes
        .values()
        .rfind(|node| node.id.kind == NodeKind::Thought);
    assert_eq!(stored.unwrap().text(), "The answer is not whole");
}

#[test]
fn what_the_model_had_begun_to_call_is_no_word_of_its() {
    let (mut w, turn) = asked();
    let (_, request) = w.open[0];
    let open = |text: &str, spoken| Input::Partial {
        turn,
        request,
        text: text.into(),
        spoken,
    };
    let keep = || Command::Run(RunCommand::KeepArrived { turn, request: None });
    w.input(open("I write.\n{\"command\":\"rm -rf", 8));
    w.broke(StreamFaultKind::Auth);
    w.cmd(keep()).unwrap();
    let mut thoughts = w
        .state
        .nodes
        .values()
        .filter(|node| node.id.kind == NodeKind::Thought);
    assert_eq!(thoughts.next().unwrap().text(), "I write.");
    assert_eq!(thoughts.next(), None);

    // Where nothing else had come there is nothing to keep.
    let (mut w, turn) = asked();
    w.input(Input::Partial {
        turn,
        request,
        text: "{\"command\":\"rm -rf".into(),
        spoken: 0,
    });
    w.broke(StreamFaultKind::Auth);
    let refused = w.cmd(Command::Run(RunCommand::KeepArrived { turn, request: None }));
    assert!(refused.unwrap_err().message.contains("has no complete block"));
    assert!(
        w.state
            .nodes
            .values()
            .all(|node| node.id.kind != NodeKind::Thought)
    );
}

#[test]
fn partials_of_older_sessions_hold_all_and_none_breaks_a_fold() {
    let (w, turn) = asked();
    let of = |partials: &[(u64, &str)]| folded(&w, turn, partials).unwrap();
    assert_eq!(of(&[(0, "a"), (0, "ab"), (0, "abc")]), "abc");
    assert_eq!(of(&[(0, "ab"), (2, "c"), (1, "")]), "a");
    // What no program wrote: more than there is, and half a character.
    assert_eq!(of(&[(0, "ab"), (3, "c")]), "c");
    assert_eq!(of(&[(0, "日"), (1, "c")]), "c");
    assert_eq!(of(&[(u64::MAX, "c")]), "c");
}
