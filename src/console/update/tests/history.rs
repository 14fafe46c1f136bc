//! Tests superseded nodes: they wait for no one, are labeled, and are not offered.
//!
//! Must not know: the domain's reasons for superseding a node.

use crate::kernel::graph::Mark;
use crate::kernel::graph::bars;
use crate::kernel::graph::bars::BarKind;
use crate::kernel::graph::query::Query;
use crate::kernel::hints::hints;
use crate::kernel::inspector::Tab;
use crate::kernel::pane::Pane;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Consequence, Decision, Outcome, Status};
use overrule_domain::command::Edit;
use overrule_domain::event::{CallEvent, TurnEvent};
use overrule_domain::id::{Rev, TurnId};
use overrule_domain::lineage::plan;

/// The superseded call, selected with its arguments.
fn at_history() -> Stage {
    let mut stage = Stage::new(140, 40);
    stage.replaced();
    let status = &stage.model.run.state.call(id("c4")).unwrap().status;
    assert_eq!(*status, Status::AwaitingApproval, "its status is what it was");
    let (graph, run) = (&mut stage.model.graph, &stage.model.run);
    assert!(graph.go_to(id("c4"), run));
    stage.press("3");
    stage.model.inspector.choose(Tab::Arguments, Pane::GRAPH);
    stage.wait(ARMING);
    stage
}

fn offers(stage: &Stage, expected: &str) -> bool {
    hints(&stage.model).iter().any(|hint| hint.word == expected)
}

#[test]
fn nothing_is_asked_about_what_an_edit_replaced() {
    let mut stage = at_history();
    let text = stage.text();
    assert_eq!(stage.model.inspector.tab, Tab::Arguments);
    assert!(!text.contains("┏"), "{text}");
    assert!(!text.contains("awaiting"), "{text}");
    assert!(
        text.contains("superseded: an edit replaced it; no decision is possible"),
        "{text}"
    );
    let row = text.lines().find(|line| line.contains("c4  write_file c4"));
    assert!(row.is_some_and(|row| row.contains('⊖')), "{text}");
    for word in ["approve", "reject", "edit"] {
        assert!(!offers(&stage, word), "{word} is offered: {text}");
    }
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "c4 is superseded: an edit replaced it");
}

#[test]
fn a_row_of_the_queue_that_an_edit_replaced_is_history() {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    stage.press("2");
    assert!(stage.text().contains("┏━ c3 writes"));
    stage.rewrite("t2", "I will not write.");
    let text = stage.text();
    assert!(text.contains("c3 (superseded) write_file"), "{text}");
    assert!(!text.contains("awaiting approval"), "{text}");
    assert!(!text.contains("┏"), "{text}");
}

#[test]
fn what_is_looked_for_as_waiting_waits() {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    let fits = |stage: &Stage, text: &str| {
        let query = Query::parse(text).unwrap();
        let state = &stage.model.run.state;
        state.nodes.keys().filter(|id| query.fits(state, **id)).count()
    };
    assert_eq!(fits(&stage, "is:waiting"), 3);
    stage.rewrite("t2", "I will not write.");
    assert_eq!(fits(&stage, "is:waiting"), 0);
    assert_eq!(fits(&stage, "is:history"), 3);
}

#[test]
fn the_bar_of_what_waited_ends_with_the_edit() {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    stage.clock += 1_000;
    stage.rewrite("t2", "I will not write.");
    stage.clock += 60_000;
    stage.turn(TurnEvent::Partial {
        turn: TurnId(2),
        prefix_len: 0,
        spoken: None,
        text: "later".into(),
    });
    let bars = bars::of_row(&stage.model.run.state, Some(120_000), [id("c3")]);
    let waited = bars.iter().find(|bar| bar.kind == BarKind::Waited).unwrap();
    assert_eq!((waited.open, waited.to - waited.from), (false, 1_000));
}

#[test]
fn a_suspended_call_is_not_offered_and_is_labeled() {
    let mut stage = Stage::new(140, 40);
    stage.three_wait();
    stage.press("2");
    stage.wait(ARMING);
    assert!(offers(&stage, "approve"));
    stage.turn(TurnEvent::Suspended {
        turns: vec![TurnId(2)],
    });
    let text = stage.text();
    assert!(!offers(&stage, "approve"), "{text}");
    assert!(!text.contains("┏"), "{text}");
    assert!(text.contains("suspended by an open edit before it"), "{text}");
    assert!(text.contains("(suspended by an edit) write_file"), "{text}");
}

#[test]
fn what_failed_means_the_same_everywhere() {
    let mut stage = Stage::new(140, 40);
    stage.sample();
    stage.call(CallEvent::Decided {
        call: id("c5"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Expire {
            consequence: Consequence::Deny,
        },
    });
    stage.draw();
    let marked = |stage: &Stage| {
        let rows = stage.model.graph.rows.iter();
        let failed = rows.filter(|row| Mark::of(row.mark) == Mark::Failed);
        failed.map(|row| row.key).collect::<Vec<_>>()
    };
    let found = |stage: &Stage| {
        let query = Query::parse("is:failed").unwrap();
        let state = &stage.model.run.state;
        let fit = state.nodes.keys().filter(|id| query.fits(state, **id));
        fit.copied().collect::<Vec<_>>()
    };
    let both = vec![id("c4"), id("c5")];
    assert_eq!((marked(&stage), found(&stage)), (both.clone(), both));
    stage.press("1 g f");
    assert_eq!(stage.selected(), Some(id("c4")));
    stage.press("f");
    assert_eq!(stage.selected(), Some(id("c5")));
    stage.rewrite("t2", "Nothing of this.");
    assert_eq!((marked(&stage), found(&stage)), (Vec::new(), Vec::new()));
    stage.press("f");
    assert_eq!(stage.status(), "Nothing failed");
    assert!(
        stage.model.graph.settings.unfolded.is_empty(),
        "history stays folded"
    );
}

/// The texts of the rows that stand for superseded nodes.
fn folds(stage: &mut Stage) -> Vec<String> {
    let text = stage.text();
    let rows = text.lines().filter(|line| line.contains(" superseded by "));
    let words = |row: &str| {
        let from = row.find('▸').unwrap_or(0);
        let to = row.rfind('┄').unwrap_or(row.len());
        row[from..to].trim_matches(['▸', '┄', ' ']).to_owned()
    };
    rows.map(words).collect()
}

#[test]
fn a_fold_row_names_the_edit_that_superseded_its_nodes() {
    let mut stage = Stage::new(140, 40);
    stage.replaced();
    assert_eq!(folds(&mut stage), ["3 superseded by i6"]);
    stage.awaiting("c7", "write_file", r#"{"path":"c7","content":"b"}"#);
    stage.rewrite("t2", "Nor this.");
    assert_eq!(
        folds(&mut stage),
        ["3 superseded by i6", "1 superseded by i8"],
        "a later edit takes no name"
    );
}

#[test]
fn what_one_edit_replaced_is_one_row_over_all_turns() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("sessions/rewritten-thought.jsonl");
    let place = overrule_journal::Place::at(&path).unwrap();
    let mut stage = Stage::new(140, 60);
    for envelope in overrule_journal::read(&place).unwrap().envelopes {
        stage.send(crate::kernel::msg::Msg::Run(crate::run::link::Update::Event(
            envelope.into(),
        )));
    }
    assert_eq!(folds(&mut stage), ["20 superseded by i19"]);
}

#[test]
fn what_was_unfolded_before_an_edit_is_folded_as_history() {
    let mut stage = Stage::new(140, 60);
    stage.begin();
    stage.thought("t2", "I will read.");
    for no in 3..15 {
        let name = format!("c{no}");
        stage.finished(
            &name,
            "read_file",
            r#"{"path":"a"}"#,
            overrule_domain::call::Outcome::ok("1"),
        );
    }
    stage.close();
    stage.draw();
    stage.press("1 G right");
    assert!(stage.text().contains("c9  read_file"), "{}", stage.text());
    stage.rewrite("t2", "I will not read.");
    assert_eq!(folds(&mut stage), ["24 superseded by i15"]);
}

#[test]
fn a_fold_counts_what_the_preview_of_the_edit_counted() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.thought("t2", "I will read and write.");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.finished("c4", "read_file", r#"{"path":"b"}"#, Outcome::ok("2"));
    stage.close();
    let edit = Edit::Text {
        node: id("t2"),
        base: Rev(1),
        text: "I will not.".into(),
    };
    let preview = plan(&stage.model.run.state, &[edit]).unwrap().superseded;
    assert_eq!(preview, [id("c3"), id("o3"), id("c4"), id("o4")]);
    stage.rewrite("t2", "I will not.");
    let text = stage.text();
    assert!(text.contains("4 superseded by"), "{text}");
}
