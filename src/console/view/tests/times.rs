//! Tests the timeline: what a call waited for, and the length of open bars.
//!
//! Must not know: how a time is recorded.

use crate::ground::layout::gutter::Line;
use crate::kernel::graph::bars;
use crate::kernel::graph::bars::BarKind;
use crate::testing::{Stage, id};
use overrule_domain::call::{Decision, Outcome};
use overrule_domain::envelope::Actor;
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{Rev, Seq};
use overrule_domain::node::Origin;

const A: &str = r#"{"path":"a.txt"}"#;

/// A call reuses the result of an earlier execution.
fn reuse(stage: &mut Stage, actor: Actor, node: &str, from: Seq) {
    let decided = CallEvent::Decided {
        call: id(node),
        rev: Rev(1),
        digest: None,
        decision: Decision::Reuse { from },
    };
    stage.event(actor, Event::Call(decided));
    stage.call(CallEvent::Given {
        call: id(node),
        rev: Rev(1),
        outcome: Outcome::ok("1"),
        origin: Origin::Reused { from },
    });
}

fn did(stage: &Stage, node: &str) -> Vec<BarKind> {
    let bars = bars::of_row(&stage.model.run.state, None, [id(node)]);
    bars.iter().map(|bar| bar.kind).collect()
}

#[test]
fn a_result_from_the_record_waited_for_nobody_unless_somebody_was_asked() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let from = stage.running("c3", "read_file", A);
    stage.finish("c3", Outcome::ok("1"));
    stage.proposed("c4", "read_file", A);
    stage.ready("c4", 1);
    reuse(&mut stage, Actor::Engine, "c4", from);
    assert!(
        !did(&stage, "c4").contains(&BarKind::Waited),
        "{:?}",
        did(&stage, "c4")
    );
    stage.press("1 J");
    let text = stage.text();
    let row = text.lines().find(|line| line.contains("c4")).unwrap();
    assert!(!row.contains('▒'), "{row}");
    // That of an effect is taken where a person says so, or by itself where none is there.
    stage.consent("c5");
    reuse(&mut stage, Actor::Operator("ada".into()), "c5", from);
    assert_eq!(did(&stage, "c5"), [BarKind::Blocked, BarKind::Waited]);
    stage.consent("c6");
    reuse(&mut stage, Actor::Engine, "c6", from);
    assert_eq!(did(&stage, "c6"), [BarKind::Blocked, BarKind::Queued]);
}

/// A read that ran for two seconds, and a write that waits since then, shown three minutes later.
fn waited(utc_zero: Option<i64>) -> (String, Option<u64>) {
    let mut stage = Stage::with(120, 40, |settings| {
        settings.utc_zero = utc_zero;
        settings.line = Line::Unicode;
    });
    stage.begin();
    stage.running("c3", "read_file", A);
    stage.clock += 2_000;
    stage.finish("c3", Outcome::ok("1"));
    stage.close();
    stage.awaiting("c5", "write_file", r#"{"path":"b","content":"x"}"#);
    stage.press("1 J");
    stage.wait(180_000);
    let wakes = stage.model.wake_at();
    (stage.text(), wakes)
}

/// Columns of a row that show this.
fn columns(text: &str, node: &str, glyph: char) -> usize {
    let row = text.lines().find(|line| line.contains(node)).unwrap();
    row.chars().filter(|c| *c == glyph).count()
}

#[test]
fn ongoing_activity_lasts_until_now() {
    let (text, wakes) = waited(Some(0));
    assert!(text.contains(" to 3:0"), "{text}");
    assert!(columns(&text, "❯◎ c5 write_file b", '▒') > 10, "{text}");
    assert!(columns(&text, "c3 read_file", '█') < 4, "{text}");
    // Nothing is drawn for it alone.
    assert_eq!(wakes, None);
    // The time of a record does not advance.
    let (text, _) = waited(None);
    assert!(text.contains(" 0:00 to 0:02 "), "{text}");
    assert!(columns(&text, "❯◎ c5 write_file b", '▒') < 2, "{text}");
}
