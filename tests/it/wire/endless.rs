//! Tests of endless replies: where they are cut off, and what is kept of them.
//!
//! Must not know: how the program counts.

use overrule::domain::command::{Command, RunCommand};
use overrule::domain::id::{NodeKind, TurnId};
use overrule::domain::state::State;
use overrule::domain::turn::{Stream, StreamFaultKind, Turn};

use crate::wire::course::answer;
use crate::wire::formats::{Format, Part, formats};
use crate::wire::pick::{executions, node};
use crate::wire::server::{Rest, open};
use crate::wire::stage::{Stage, read};

const MIB: usize = 1 << 20;

/// Sends more of an open text than one block may have.
fn endless(format: &Format, rest: &Rest) {
    let piece: &'static str = Box::leak("x".repeat(MIB).into_boxed_str());
    for _ in 0..17 {
        rest.send((format.frames)(&[Part::Text(piece)], 1));
    }
}

/// The turn whose stream was cut off for its length.
fn cut(state: &State) -> Option<TurnId> {
    let too_long = |turn: &&Turn| match &turn.stream {
        Stream::Broken(fault) => {
            fault.kind == StreamFaultKind::Truncated
                && fault.message == "one block of the reply has more than 16 MiB: it was cut off there"
        }
        _ => false,
    };
    state.turns.values().find(too_long).map(|turn| turn.id)
}

/// Sends what has no end until it is cut off and the connection is closed.
async fn cut_off(stage: &mut Stage, format: &Format, rest: &Rest) {
    endless(format, rest);
    stage
        .live
        .until("it is cut off", |state| cut(state).is_some())
        .await;
    stage.closed(0).await;
}

#[tokio::test]
async fn a_block_without_an_end_is_cut_off_and_what_was_whole_before_it_stands() {
    for format in formats() {
        let (first, rest) = open((format.frames)(
            &[Part::Text("I look."), read("notes"), Part::Text("And ")],
            0,
        ));
        let mut stage = Stage::new(format, vec![first, answer(format, "Short.")]).await;
        stage.read_ended(1).await;
        cut_off(&mut stage, format, &rest).await;
        let turn = cut(&stage.live.state).unwrap();
        let partial = stage.live.state.turns[&turn].more.open_text().to_owned();
        assert!(partial.starts_with("And xxx"));
        assert!(
            (15 * MIB..=16 * MIB).contains(&partial.len()),
            "all that was taken is kept: {}",
            partial.len()
        );
        assert!(stage.live.state.nodes[&node(&stage.live.state, NodeKind::Thought, "I look.")].active);
        assert_eq!(executions(&stage.live.state, stage.call("notes")), 1);
        assert_eq!(stage.asked().len(), 1, "a call was whole: nobody asks again");

        let again = Command::Run(RunCommand::AskAgain { turn, request: None });
        stage.live.send(again).await.unwrap();
        let (asked, ..) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].upto(2), asked[0].upto(2));
    }
}

#[tokio::test]
async fn where_nothing_was_whole_it_is_asked_again_as_after_any_cut() {
    for format in formats() {
        let (first, rest) = open(Vec::new());
        let mut stage = Stage::new(format, vec![first, answer(format, "Short.")]).await;
        cut_off(&mut stage, format, &rest).await;
        let (asked, state, _) = stage.end().await;
        assert_eq!(asked.len(), 2);
        assert!(!asked[1].has("xxx"));
        assert_eq!(
            state
                .nodes
                .keys()
                .filter(|id| id.kind == NodeKind::Answer)
                .count(),
            1
        );
    }
}
