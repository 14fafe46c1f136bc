//! What is lit is what the domain lists, and rows kept up to date are rows made anew: on recorded runs,
//! event by event. Must not know: the screen.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::console::frames::Soon;
use crate::console::layout::gutter::Line;
use crate::console::link::Update;
use crate::console::msg::Msg;
use crate::console::testing::{Stage, id};
use crate::console::update::soon;
use crate::domain::apply::apply;
use crate::domain::call::{EffectClass, Outcome};
use crate::domain::envelope::Envelope;
use crate::domain::event::{CallEvent, TurnEvent};
use crate::domain::graph;
use crate::domain::id::{Attempt, NodeKind, Rev, ThreadId};
use crate::domain::state::State;
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
    let mut other = GraphPane::default();
    other.settings.level = pane.settings.level;
    other.settings.filter = pane.settings.filter.clone();
    other.settings.unfolded = pane.settings.unfolded.clone();
    other.settings.split = pane.settings.split.clone();
    other.outline.finish(stage.model.run.state.clone());
    drawn(&other)
}

#[test]
fn rows_kept_up_to_date_are_rows_made_anew() {
    let levels = [Level::Recent, Level::Turns, Level::Nodes];
    for name in SAMPLES {
        let events = recorded(name);
        for level in levels {
            let mut stage = Stage::new(80, 24);
            stage.model.graph.settings.level = level;
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

/// What a run has come to.
fn state_of(name: &str) -> State {
    let mut state = State::default();
    for envelope in recorded(name) {
        apply(&mut state, &envelope);
    }
    state
}

/// A console with a long run, in which what takes long takes long: its rows do not wait for a frame.
fn long_run() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.long_run(60);
    stage.press("1");
    stage.slow = Some(Vec::new());
    stage
}

/// What waits and what was made of it come together: the rows are those that are made at once.
fn comes(stage: &mut Stage) {
    assert!(stage.model.graph.is_coming());
    let before = drawn(&stage.model.graph);
    stage.draw();
    assert_eq!(
        drawn(&stage.model.graph),
        before,
        "the rows stay until others come"
    );
    while stage.work() > 0 {
        stage.draw();
    }
    assert!(!stage.model.graph.is_coming());
    assert_eq!(drawn(&stage.model.graph), anew(stage));
}

fn filter(stage: &mut Stage, text: &str) {
    stage.press("&");
    stage.press("ctrl-u");
    stage.type_text(text);
    stage.press("enter");
}

/// A console that a run has just come to.
fn arrived(state: State) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.slow = Some(Vec::new());
    stage.send(Msg::Run(Update::Snapshot(Box::new(state))));
    stage
}

fn tick(stage: &mut Stage) {
    assert_eq!(
        stage.model.wake_at(),
        Some(stage.model.arming.now),
        "it goes on by itself"
    );
    stage.send(Msg::Tick { at: stage.now });
}

#[test]
fn rows_of_a_run_that_is_there_at_once_are_made_at_once_and_made_again_beside_the_frames() {
    let mut long = Stage::new(80, 24);
    long.long_run(60);
    for state in SAMPLES.map(state_of).into_iter().chain([long.model.run.state]) {
        let is_long = state.last_no as usize > MADE;
        let mut stage = arrived(state);
        while stage.model.graph.begins() {
            tick(&mut stage);
        }
        stage.draw();
        assert!(!stage.model.graph.is_coming());
        assert_eq!(drawn(&stage.model.graph), anew(&stage));
        stage.model.graph.outline.spoil_all();
        stage.draw();
        if is_long {
            comes(&mut stage);
        }
        assert_eq!(drawn(&stage.model.graph), anew(&stage), "made again");
    }
}

#[test]
fn the_first_rows_of_a_long_run_are_made_in_parts_between_which_keys_are_answered() {
    let mut long = Stage::new(80, 24);
    long.long_run(60);
    let is_soon = |stage: &Stage| soon(&stage.model, &Msg::Tick { at: stage.now }) != Soon::Never;
    let mut stage = arrived(long.model.run.state.clone());
    let mut parts = 0;
    while stage.model.graph.begins() {
        // Nobody sees how they grow, but who presses a key is told what he waits for.
        let is_last = is_soon(&stage);
        stage.press("1");
        assert!(
            stage.text().contains("the rows are being made"),
            "{}",
            stage.text()
        );
        tick(&mut stage);
        parts += 1;
        assert_eq!(stage.model.graph.begins(), !is_last, "part {parts}");
    }
    assert!(parts > 5, "{parts}");
    assert_eq!(stage.work(), 0, "no copy was made for it");
    stage.draw();
    assert_eq!(drawn(&stage.model.graph), anew(&stage));
    assert_ne!(stage.model.wake_at(), Some(stage.model.arming.now));

    // Who looks for something meanwhile gets that.
    let mut stage = arrived(long.model.run.state);
    tick(&mut stage);
    stage.press("1");
    filter(&mut stage, "kind:thought");
    while stage.work() > 0 || stage.model.graph.begins() {
        stage.send(Msg::Tick { at: stage.now });
        stage.draw();
    }
    assert_eq!(drawn(&stage.model.graph), anew(&stage));
    let rows = &stage.model.graph.rows;
    assert!(rows.len() > 50, "{}", rows.len());
    let mut all = rows.iter_from(0);
    assert!(all.all(|row| row.kind == RowKind::Elided || row.key.kind == NodeKind::Thought));
}

#[test]
fn no_row_is_shown_of_what_a_run_does_not_have() {
    let mut stage = long_run();
    let mut earlier = State::default();
    let recorded = stage.recorded().to_vec();
    for envelope in &recorded[..recorded.len() / 2] {
        apply(&mut earlier, envelope);
    }
    let is_there = |stage: &Stage| {
        let state = &stage.model.run.state;
        let rows = &stage.model.graph.rows;
        rows.iter_from(0).all(|row| state.node(row.key).is_some())
    };
    let before = stage.model.graph.rows.len();
    stage.model.graph.set_level(Level::Turns);
    stage.draw();
    assert!(stage.model.graph.is_coming(), "rows of the later run");
    stage.send(Msg::Run(Update::Snapshot(Box::new(earlier))));
    stage.draw();
    assert!(stage.model.graph.is_coming() && is_there(&stage));
    let rows = stage.model.graph.rows.len();
    assert!(0 < rows && rows < before, "what is there stays on the screen");
    stage.press("f");
    comes(&mut stage);
    assert!(is_there(&stage));
}

#[test]
fn what_fits_is_found_out_beside_the_keys_and_counted_when_it_is_known() {
    let mut stage = long_run();
    filter(&mut stage, "is:failed");
    assert_eq!(stage.said(), "looking for what fits `is:failed`");
    assert!(stage.text().contains("only is:failed (…)"), "{}", stage.text());
    let cursor = stage.selected();
    stage.press("k k");
    assert_ne!(stage.selected(), cursor, "the keys go on");
    let cursor = stage.selected();
    assert_eq!(stage.said(), "");
    comes(&mut stage);
    assert_eq!(stage.said(), "", "who went on is not told any more");
    assert!(stage.text().contains("only is:failed (6)"), "{}", stage.text());
    assert_eq!(stage.selected(), cursor);
    filter(&mut stage, "is:failed");
    comes(&mut stage);
    assert_eq!(stage.said(), "6 fit `is:failed`");
}

#[test]
fn what_happens_while_rows_are_made_is_in_them_when_they_come() {
    let mut stage = long_run();
    filter(&mut stage, "part");
    stage.draw();
    let no = stage.model.run.state.last_no + 1;
    let turn = stage.model.run.state.last_turn + 1;
    let late = [(r#"{"path":"late part"}"#, Outcome::ok("1"))];
    stage.model_turn(turn, no, "This part is late.", &late);
    let found = stage.model.graph.found();
    comes(&mut stage);
    assert_ne!(stage.model.graph.found(), found);
    let late = NodeId::new(NodeKind::Thought, no);
    assert!(stage.model.graph.rows.of(late).is_some());
}

#[test]
fn rows_that_are_not_wanted_any_more_are_not_shown() {
    let mut stage = long_run();
    let before = drawn(&stage.model.graph);
    filter(&mut stage, "is:failed");
    filter(&mut stage, "");
    comes(&mut stage);
    assert_eq!(drawn(&stage.model.graph), before);
    filter(&mut stage, "is:failed");
    filter(&mut stage, "kind:thought");
    stage.model.graph.set_level(Level::Nodes);
    stage.draw();
    comes(&mut stage);
    assert!(
        stage
            .model
            .graph
            .rows
            .iter_from(0)
            .all(|row| { row.kind == RowKind::Elided || row.key.kind == NodeKind::Thought })
    );
}

#[test]
fn a_level_folds_what_is_under_the_cursor_in_a_long_run_as_in_a_short_one() {
    for is_long in [false, true] {
        let mut stage = Stage::new(100, 30);
        stage.long_run(if is_long { 60 } else { 10 });
        stage.model.graph.set_level(Level::Nodes);
        stage.press("1");
        stage.slow = Some(Vec::new());
        stage.press("g j j j j j j");
        let here = stage.selected().unwrap();
        stage.model.graph.set_level(Level::Turns);
        stage.draw();
        assert_eq!(stage.model.graph.is_coming(), is_long);
        if is_long {
            comes(&mut stage);
        }
        let row = stage.model.graph.rows.of(here).unwrap();
        assert_eq!(row.kind, RowKind::Turn, "{here}");
        assert!(stage.model.graph.settings.unfolded.is_empty());
    }
}

#[test]
fn a_node_that_is_gone_to_is_selected_at_once_and_unfolded_when_its_rows_come() {
    let mut stage = long_run();
    stage.press("g");
    let rows = &stage.model.graph.rows;
    let mut nodes = stage.model.run.state.nodes.keys().copied();
    let is_deep = |id: &NodeId| {
        id.kind == NodeKind::Call
            && rows
                .of(*id)
                .is_some_and(|row| row.kind == RowKind::Turn && row.key != *id)
    };
    let deep = nodes.find(is_deep).expect("a folded turn");
    drop(nodes);
    let stands = |stage: &Stage| stage.model.graph.rows.of(deep).unwrap();
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(deep, run));
    stage.draw();
    assert_eq!(stage.selected(), Some(deep));
    assert_eq!(stands(&stage).kind, RowKind::Turn);
    comes(&mut stage);
    assert_eq!(stage.selected(), Some(deep));
    assert_eq!((stands(&stage).kind, stands(&stage).key), (RowKind::Node, deep));
    // And back, from a row in the middle of it.
    stage.press("h");
    comes(&mut stage);
    assert_eq!(stands(&stage).kind, RowKind::Turn);
    assert_eq!(stage.selected(), Some(stands(&stage).key));
}
