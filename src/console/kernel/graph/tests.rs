//! Highlights match the domain's lists and rows match the state, event by event.
//!
//! Must not know: the screen.
//!
//! The events come from recorded runs.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::ground::layout::gutter::Line;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::testing::{Stage, id};
use overrule_domain::apply::apply;
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, TurnEvent};
use overrule_domain::graph;
use overrule_domain::id::{Attempt, NodeKind, Rev, ThreadId};
use overrule_domain::live::{Live, LivePart};
use overrule_domain::state::State;
use overrule_domain::turn::{Producer, Stop, Usage};
use overrule_journal::{self as journal, Place};

const SAMPLES: [&str; 3] = [
    "repaired-file.jsonl",
    "replaced-call.jsonl",
    "rewritten-thought.jsonl",
];

/// The events of a recorded run of the repository.
fn recorded(name: &str) -> Vec<Envelope> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("sessions")
        .join(name);
    journal::read(&Place::at(&path).unwrap()).unwrap().envelopes
}

/// A run whose second call is done by a sub-agent, with a turn after it.
fn delegated() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "I will ask a helper.");
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
            channel: overrule_domain::node::Channel::Spoken,
            opaque: None,
            origin: overrule_domain::node::Origin::Model,
        });
    }
    stage.turn(TurnEvent::Answered {
        turn: TurnId(5),
        node: id("a8"),
        text: "Seen.".into(),
        opaque: None,
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

/// Checks the highlight of every node against the lists.
fn check_highlight(state: &State) {
    for node in state.nodes.keys() {
        let mut highlighted = Highlight::default();
        highlighted.light(state, Some(*node));
        let (above, below) = (graph::ancestors(state, *node), graph::descendants(state, *node));
        for other in state.nodes.keys() {
            assert_eq!(
                highlighted.is_above(state, *other),
                above.contains(other),
                "{other} above {node} at {}",
                state.seq
            );
            assert_eq!(
                highlighted.is_below(state, *other),
                below.contains(other),
                "{other} below {node} at {}",
                state.seq
            );
        }
    }
}

#[test]
fn highlighted_nodes_match_the_domain() {
    for name in SAMPLES {
        let mut stage = Stage::new(80, 24);
        for (no, envelope) in recorded(name).into_iter().enumerate() {
            stage.send(Msg::Run(Update::Event(Arc::new(envelope))));
            if no % 7 == 0 {
                check_highlight(&stage.model.run.state);
            }
        }
        check_highlight(&stage.model.run.state);
    }
    let state = delegated().model.run.state;
    let above = graph::ancestors(&state, id("p9"));
    assert!(
        above.contains(&id("t7")),
        "the nodes of a sub-agent are above its result"
    );
    check_highlight(&state);
}

/// Everything that is drawn of the rows.
fn drawn(rows: &Rows) -> Vec<String> {
    let row = |(at, row): (usize, &rows::Row)| {
        let lanes = rows.gutter.text(at, Line::Unicode, None);
        format!("{lanes} {row:?} {:?}", rows.gutter.chips(at))
    };
    rows.iter().enumerate().map(row).collect()
}

/// The rows of the state with the settings of the pane.
fn expected_rows(stage: &Stage) -> Vec<String> {
    drawn(&rows::rows(&stage.model.run.state, &stage.model.graph.settings))
}

#[test]
fn the_rows_are_those_of_the_state_after_every_event() {
    let levels = [Level::Recent, Level::Turns, Level::Nodes].map(|level| RowSettings {
        level,
        ..RowSettings::default()
    });
    let filters = ["is:ok", "kind:thought", "!kind:call", "e"].map(|text| RowSettings {
        filter: Some(Query::parse(text).unwrap()),
        ..RowSettings::default()
    });
    for name in SAMPLES {
        let events = recorded(name);
        let all = levels.iter().chain(&filters);
        for settings in overrule_testing::sample(all, 3) {
            let mut stage = Stage::new(80, 24);
            stage.model.graph.settings = settings.clone();
            for envelope in &events {
                stage.send(Msg::Run(Update::Event(Arc::new(envelope.clone()))));
                stage.draw();
                assert_eq!(
                    drawn(&stage.model.graph.rows),
                    expected_rows(&stage),
                    "{name} {settings:?} {}",
                    envelope.seq
                );
            }
        }
    }
}

/// A console with a long run and the graph focused.
fn long_run() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.long_run(60);
    stage.press("1");
    stage
}

fn filter(stage: &mut Stage, text: &str) {
    stage.press("&");
    stage.press("ctrl-u");
    stage.type_text(text);
    stage.press("enter");
}

/// Address of the rows in memory: rebuilt rows have another.
fn place(stage: &Stage) -> *const rows::Row {
    std::ptr::from_ref(stage.model.graph.rows.get(0).unwrap())
}

#[test]
fn a_key_that_changes_no_row_and_more_of_a_stream_rebuild_nothing() {
    let mut stage = long_run();
    let mut before = place(&stage);
    for key in [
        "g", "j", "j", "G", "k", "f", "J", "j", "J", "3", ">", "1", "5", "5",
    ] {
        stage.press(key);
        assert_eq!(place(&stage), before, "{key}");
    }
    let turn = TurnId(stage.model.run.state.tally.last_turn + 1);
    stage.request(turn.0, 1);
    stage.draw();
    before = place(&stage);
    for no in 1..4 {
        stage.send(Msg::Run(Update::Live(Live {
            turn,
            parts: vec![LivePart::Text {
                reasoning: false,
                text: "more ".repeat(no).into(),
                before: 0,
            }],
            bytes: 5 * no as u64,
        })));
        stage.draw();
        assert_eq!(place(&stage), before, "part {no} of a stream");
        assert_eq!(stage.model.graph.live, [(turn, 0)]);
    }
    for (row, key) in [("g", "Z"), ("g j j", "space")] {
        stage.press(row);
        before = place(&stage);
        stage.press(key);
        assert_ne!(place(&stage), before, "{key}");
        assert_eq!(drawn(&stage.model.graph.rows), expected_rows(&stage));
    }
}

#[test]
fn no_row_is_shown_of_what_a_run_does_not_have() {
    let mut stage = long_run();
    let mut earlier = State::default();
    let recorded = stage.recorded().to_vec();
    for envelope in &recorded[..recorded.len() / 2] {
        apply(&mut earlier, envelope);
    }
    let before = stage.model.graph.rows.len();
    stage.model.graph.set_level(Level::Turns, &stage.model.run.state);
    stage.send(Msg::Run(Update::Snapshot(Box::new(earlier))));
    stage.draw();
    let (rows, state) = (&stage.model.graph.rows, &stage.model.run.state);
    assert!(
        rows.iter()
            .flat_map(rows::Row::keys)
            .all(|id| state.node(id).is_some())
    );
    assert!(!rows.is_empty() && rows.len() < before);
    assert_eq!(drawn(rows), expected_rows(&stage));
}

#[test]
fn a_state_that_is_replaced_by_another_of_the_same_number_has_its_own_rows() {
    let mut stage = long_run();
    let mut other = Stage::new(80, 24);
    other.begin();
    let mut state = other.model.run.state;
    state.seq = stage.model.run.state.seq;
    let nodes: Vec<NodeId> = state.nodes.keys().copied().collect();
    stage.send(Msg::Run(Update::Snapshot(Box::new(state))));
    stage.draw();
    assert!(stage.model.graph.rows.iter().flat_map(rows::Row::keys).eq(nodes));
}

#[test]
fn matches_are_counted_and_the_cursor_moves_on() {
    let mut stage = long_run();
    filter(&mut stage, "is:failed");
    assert_eq!(stage.status(), "6 match `is:failed`");
    assert!(stage.text().contains("only is:failed (6)"), "{}", stage.text());
    let cursor = stage.selected();
    stage.press("k k");
    assert_ne!(stage.selected(), cursor);
    assert_eq!(stage.status(), "");
    let no = stage.model.run.state.tally.last_no + 1;
    let turn = stage.model.run.state.tally.last_turn + 1;
    filter(&mut stage, "late");
    assert_eq!(stage.model.graph.found(), 0);
    let late = [(r#"{"path":"late part"}"#, Outcome::ok("1"))];
    stage.model_turn(turn, no, "This part is late.", &late);
    stage.draw();
    assert_eq!(stage.model.graph.found(), 2, "new matches are shown");
    let late = stage.model.graph.rows.of(NodeId::new(NodeKind::Thought, no));
    assert_eq!(late.unwrap().kind, RowKind::Node);
}

#[test]
fn without_a_filter_the_rows_are_those_of_before() {
    let mut stage = long_run();
    let before = drawn(&stage.model.graph.rows);
    filter(&mut stage, "is:failed");
    assert_ne!(drawn(&stage.model.graph.rows), before);
    filter(&mut stage, "");
    assert_eq!(drawn(&stage.model.graph.rows), before);
    filter(&mut stage, "is:failed");
    filter(&mut stage, "kind:thought");
    stage.model.graph.set_level(Level::Nodes, &stage.model.run.state);
    stage.draw();
    let mut rows = stage.model.graph.rows.iter();
    assert!(rows.all(|row| row.kind == RowKind::Elided || row.key.kind == NodeKind::Thought));
}

#[test]
fn a_level_folds_what_is_under_the_cursor() {
    for turns in [10, 60] {
        let mut stage = Stage::new(100, 30);
        stage.long_run(turns);
        stage.model.graph.set_level(Level::Nodes, &stage.model.run.state);
        stage.press("1");
        stage.press("g j j j j j j");
        let here = stage.selected().unwrap();
        stage.model.graph.set_level(Level::Turns, &stage.model.run.state);
        stage.draw();
        let row = stage.model.graph.rows.of(here).unwrap();
        assert_eq!(row.kind, RowKind::Turn, "{here}");
        assert!(stage.model.graph.settings.unfolded.is_empty());
    }
}

#[test]
fn a_node_that_is_gone_to_is_selected_and_unfolded() {
    let mut stage = long_run();
    stage.press("g");
    let rows = &stage.model.graph.rows;
    let is_deep = |id: &NodeId| {
        id.kind == NodeKind::Call
            && rows
                .of(*id)
                .is_some_and(|row| row.kind == RowKind::Turn && row.key != *id)
    };
    let mut nodes = stage.model.run.state.nodes.keys().copied();
    let deep = nodes.find(is_deep).expect("a folded turn");
    drop(nodes);
    let row = |stage: &Stage| stage.model.graph.rows.of(deep).unwrap().clone();
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(deep, run));
    stage.draw();
    assert_eq!(stage.selected(), Some(deep));
    assert_eq!((row(&stage).kind, row(&stage).key), (RowKind::Node, deep));
    // And back, from a row in the middle of it.
    stage.press("h");
    assert_eq!(row(&stage).kind, RowKind::Turn);
    assert_eq!(stage.selected(), Some(row(&stage).key));
}

#[test]
fn the_selected_node_stays_visible_when_its_turn_becomes_old() {
    let mut stage = Stage::new(100, 30);
    stage.long_run(RECENT as u32);
    stage.press("1 g j j j");
    let here = stage.selected().unwrap();
    assert_eq!(stage.model.graph.rows.of(here).unwrap().kind, RowKind::Node);
    let line = |stage: &Stage| stage.model.graph.cursor().unwrap() - stage.model.graph.top;
    let before = line(&stage);
    for _ in 0..3 {
        let state = &stage.model.run.state;
        let (turn, no) = (state.tally.last_turn + 1, state.tally.last_no + 1);
        stage.model_turn(turn, no, "Continuing.", &[(r#"{"path":"x"}"#, Outcome::ok("1"))]);
        stage.draw();
    }
    let row = stage.model.graph.rows.of(here).unwrap();
    assert_eq!((row.kind, row.key), (RowKind::Node, here));
    assert!(row.within.is_some(), "its turn is old by now");
    assert_eq!((stage.selected(), line(&stage)), (Some(here), before));
}
