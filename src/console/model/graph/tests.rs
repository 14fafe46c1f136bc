//! What is lit is what the domain lists, and rows kept up to date are rows made anew: on recorded runs,
//! event by event. Must not know: the screen.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::console::layout::gutter::Line;
use crate::console::link::Update;
use crate::console::msg::Msg;
use crate::console::testing::{Stage, id};
use crate::domain::apply::apply;
use crate::domain::call::{EffectClass, Outcome};
use crate::domain::envelope::Envelope;
use crate::domain::event::{CallEvent, TurnEvent};
use crate::domain::graph;
use crate::domain::id::{Attempt, Rev, ThreadId};
use crate::domain::turn::{Producer, Stop, Usage};
use crate::journal::{self, Place};

const SAMPLES: [&str; 3] = [
    "repaired-file.jsonl",
    "replaced-call.jsonl",
    "rewritten-thought.jsonl",
];

/// The events of a recorded run of the repository.
fn recorded(name: &str) -> Vec<Envelope> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions").join(name);
    journal::read(&Place::at(&path).unwrap()).unwrap().envelopes
}

/// A run whose second call is done by a sub-agent, with a turn after it.
fn delegated() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "I will ask somebody.");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
    stage.proposed("c4", "read_file", r#"{"path":"b"}"#);
    stage.ready("c4", 1);
    let thread = ThreadId(1);
    stage.call(CallEvent::Started {
        call: id("c4"),
        rev: Rev(1),
        attempt: Attempt(1),
        key: "k".into(),
        same: "same-c4".into(),
        effect: EffectClass::Read,
        before: None,
        thread: Some(thread),
        task: None,
        guards: Vec::new(),
    });
    stage.close();
    stage.turn(TurnEvent::Delegated {
        thread,
        call: id("c4"),
        rev: Rev(1),
        attempt: Attempt(1),
        tools: Vec::new(),
        max_turns: 5,
        turn: TurnId(3),
        node: id("p5"),
        text: "look".into(),
    });
    for (turn, node, text) in [(4, "t6", "Looking."), (5, "t7", "Still looking.")] {
        stage.turn(TurnEvent::Opened {
            turn: TurnId(turn),
            thread,
            after: Some(TurnId(turn - 1)),
            producer: Producer::Operator,
        });
        stage.turn(TurnEvent::Thought {
            turn: TurnId(turn),
            node: id(node),
            text: text.into(),
            channel: crate::domain::node::Channel::Spoken,
            opaque: None,
            origin: crate::domain::node::Origin::Model,
        });
    }
    stage.turn(TurnEvent::Answered {
        turn: TurnId(5),
        node: id("a8"),
        text: "Seen.".into(),
    });
    stage.finish("c4", Outcome::ok("\"Seen.\""));
    stage.turn(TurnEvent::Closed {
        turn: TurnId(2),
        stop: Stop::Calls,
        usage: Usage::default(),
    });
    stage.turn(TurnEvent::Opened {
        turn: TurnId(6),
        thread: ThreadId(0),
        after: Some(TurnId(2)),
        producer: Producer::Operator,
    });
    stage.turn(TurnEvent::Prompted {
        turn: TurnId(6),
        node: id("p9"),
        text: "And now?".into(),
    });
    stage
}

/// Asks of every node whether it is lit, and compares with the lists.
fn lit_is_listed(state: &State) {
    for node in state.nodes.keys() {
        let mut lit = Lit::default();
        lit.light(state, Some(*node));
        let (above, below) = (graph::ancestors(state, *node), graph::descendants(state, *node));
        for other in state.nodes.keys() {
            assert_eq!(
                lit.is_above(state, *other),
                above.contains(other),
                "{other} above {node} at {}",
                state.seq
            );
            assert_eq!(
                lit.is_below(state, *other),
                below.contains(other),
                "{other} below {node} at {}",
                state.seq
            );
        }
    }
}

#[test]
fn what_is_lit_is_what_the_domain_lists() {
    for name in SAMPLES {
        let mut stage = Stage::new(80, 24);
        for (no, envelope) in recorded(name).into_iter().enumerate() {
            stage.send(Msg::Run(Update::Event(Arc::new(envelope))));
            if no % 7 == 0 {
                lit_is_listed(&stage.model.run.state);
            }
        }
        lit_is_listed(&stage.model.run.state);
    }
    let state = delegated().model.run.state;
    let above = graph::ancestors(&state, id("p9"));
    assert!(
        above.contains(&id("t7")),
        "what a sub-agent did stands above what came of it"
    );
    lit_is_listed(&state);
}

/// Everything that is drawn of the rows.
fn drawn(pane: &GraphPane) -> Vec<String> {
    let row = |(at, row): (usize, rows::Row)| {
        let lanes = pane.rows.gutter.text(at, Line::Unicode, None);
        let chips = pane.rows.gutter.chips(at);
        let members: Vec<_> = pane.rows.gutter.members(at).collect();
        format!(
            "{lanes} {row:?} {chips:?} {members:?} {}",
            pane.rows.marks.get(at).unwrap()
        )
    };
    pane.rows.iter_from(0).enumerate().map(row).collect()
}

/// The same pane made from nothing.
fn anew(stage: &Stage) -> Vec<String> {
    let pane = &stage.model.graph;
    let mut other = GraphPane {
        level: pane.level,
        filter: pane.filter.clone(),
        unfolded: pane.unfolded.clone(),
        open: pane.open.clone(),
        ..GraphPane::default()
    };
    other.sync(&stage.model.run);
    drawn(&other)
}

#[test]
fn rows_kept_up_to_date_are_rows_made_anew() {
    let levels = [Level::Recent, Level::Turns, Level::Nodes];
    for name in SAMPLES {
        let events = recorded(name);
        for level in levels {
            let mut stage = Stage::new(80, 24);
            stage.model.graph.level = level;
            for envelope in &events {
                stage.send(Msg::Run(Update::Event(Arc::new(envelope.clone()))));
                stage.draw();
                assert_eq!(
                    drawn(&stage.model.graph),
                    anew(&stage),
                    "{name} {level:?} {}",
                    envelope.seq
                );
            }
        }
        for filter in ["is:ok", "kind:thought", "!kind:call", "e"] {
            let mut stage = Stage::new(80, 24);
            stage.model.graph.set_filter(Some(Query::parse(filter).unwrap()));
            for envelope in &events {
                stage.send(Msg::Run(Update::Event(Arc::new(envelope.clone()))));
                stage.draw();
                assert_eq!(
                    drawn(&stage.model.graph),
                    anew(&stage),
                    "{name} {filter} {}",
                    envelope.seq
                );
            }
        }
    }
}

#[test]
fn rows_of_a_run_that_is_there_at_once_are_made_in_pieces_and_are_the_same() {
    for name in SAMPLES {
        let mut state = State::default();
        for envelope in recorded(name) {
            apply(&mut state, &envelope);
        }
        let mut stage = Stage::new(80, 24);
        stage.send(Msg::Run(Update::Snapshot(Box::new(state))));
        let (graph, run) = (&mut stage.model.graph, &stage.model.run);
        assert!(graph.grow(&run.state), "{name} has more nodes than a piece");
        let some = graph.rows.entries.len();
        stage.draw();
        assert!(some > 0 && some < stage.model.graph.rows.entries.len(), "{name}");
        assert_eq!(drawn(&stage.model.graph), anew(&stage), "{name}");
        stage.model.graph.spoil_all();
        stage.draw();
        assert_eq!(drawn(&stage.model.graph), anew(&stage), "{name}, made again");
        let (graph, run) = (&mut stage.model.graph, &stage.model.run);
        assert!(!graph.grow(&run.state), "{name}: nothing happened since");
    }
}
