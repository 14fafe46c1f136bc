//! Tests the file that a write would replace: loaded and shown below the decision.

use super::arming::{ARGS, approve_exact as approve};
use crate::ground::diff;
use crate::kernel::model::Source;
use crate::kernel::msg::{Msg, Out};
use crate::run::link::{LoadRequest, LoadTarget, Replaced, Update};
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::call::Decision;
use overrule_domain::event::CallEvent;
use overrule_domain::id::Rev;
use overrule_domain::node::Origin;

/// The preview requests since the last call of this function.
fn looked(stage: &mut Stage) -> Vec<Option<LoadTarget>> {
    let found = stage.out.iter().filter_map(|out| match out {
        Out::Look(at) => Some(at.clone()),
        _ => None,
    });
    let found = found.collect();
    stage.out.retain(|out| !matches!(out, Out::Look(_)));
    found
}

fn look(call: &str, rev: u32) -> LoadRequest {
    LoadRequest {
        call: id(call),
        rev: Rev(rev),
        digest: Some(overrule_domain::call::Digest(
            format!("digest-of-{call}-r{rev}").into(),
        )),
    }
}

fn send_replaced(stage: &mut Stage, look: LoadRequest, found: Replaced) {
    stage.send(Msg::Run(Update::Replaces {
        look,
        found,
        base: None,
    }));
    stage.draw();
}

fn text(old: &str, new: &str) -> Replaced {
    Replaced::Text(diff::lines(old, new).into())
}

/// A selected waiting write.
fn stage() -> Stage {
    Stage::asked_exactly(120, 40, ARGS)
}

#[test]
fn the_diff_with_the_file_is_shown_below_the_decision() {
    let mut stage = stage();
    assert_eq!(
        looked(&mut stage),
        [Some((look("c3", 1), "write_file".into(), ARGS.into()))]
    );
    assert!(
        !stage.text().contains("the current file"),
        "nothing is said before it is known"
    );
    send_replaced(&mut stage, look("c3", 1), text("a\nb\n", "b\n"));
    let shown = stage.text();
    let (end, output) = (shown.find(r#"{"path""#), shown.find("in the current file"));
    assert!(end.is_some() && end < output, "{shown}");
    assert!(shown.contains("not part of the decision"), "{shown}");
    assert!(shown.contains("− a"), "{shown}");
    // The file changes: so does the text, while rows stay read and the question stays armed.
    stage.wait(ARMING);
    send_replaced(&mut stage, look("c3", 1), text("zz\nb\n", "b\n"));
    let shown = stage.text();
    assert!(shown.contains("− zz") && !shown.contains("- a"), "{shown}");
    assert_eq!(looked(&mut stage), [], "it is asked for once");
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn a_new_file_and_one_that_cannot_be_shown_take_a_line() {
    let mut stage = stage();
    send_replaced(&mut stage, look("c3", 1), Replaced::Nothing);
    assert!(stage.text().contains("a new file: nothing is there now"));
    let why = "`a\u{1b}[2J` is longer than 256 KiB".to_owned();
    send_replaced(&mut stage, look("c3", 1), Replaced::Unreadable(why));
    let shown = stage.text();
    let flat = flat(&shown);
    assert!(!shown.contains("a new file"), "{shown}");
    assert!(
        flat.contains("the current file is not compared: `a⟨U+001B⟩[2J` is longer"),
        "{shown}"
    );
}

#[test]
fn a_replacement_of_another_call_or_revision_is_not_shown() {
    let mut stage = stage();
    send_replaced(&mut stage, look("c4", 1), Replaced::Nothing);
    send_replaced(&mut stage, look("c3", 2), Replaced::Nothing);
    assert!(!stage.text().contains("a new file"));
    send_replaced(&mut stage, look("c3", 1), Replaced::Nothing);
    assert!(stage.text().contains("a new file"));
    looked(&mut stage);
    let other = r#"{"path":"z","content":"b"}"#;
    stage.awaiting_revised("c3", ("write_file", other), Origin::Model);
    assert!(
        !stage.text().contains("a new file"),
        "it is about another file now"
    );
    assert_eq!(
        looked(&mut stage).pop(),
        Some(Some((look("c3", 2), "write_file".into(), other.into())))
    );
}

#[test]
fn it_is_looked_at_as_long_as_the_decision_is_on_screen_and_again_after_that() {
    let mut stage = stage();
    stage.awaiting("c4", "write_file", ARGS);
    stage.draw();
    assert_eq!(looked(&mut stage).len(), 1);
    stage.press("j");
    stage.press("k");
    let back: Vec<_> = looked(&mut stage)
        .into_iter()
        .map(|at| at.map(|(look, ..)| look))
        .collect();
    assert_eq!(back, [Some(look("c4", 1)), Some(look("c3", 1))]);
    // Also for another tab, and for a call that no longer waits.
    stage.press(">");
    stage.draw();
    assert_eq!(looked(&mut stage), [None]);
    stage.press("<");
    stage.draw();
    assert_eq!(looked(&mut stage).len(), 1);
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Reject { reason: "no".into() },
    });
    stage.draw();
    assert_eq!(looked(&mut stage)[0], None);
}

#[test]
fn a_recorded_run_is_not_compared() {
    let mut stage = Stage::with(120, 40, |settings| settings.source = Source::Replay);
    stage.model.inspector.exact = true;
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    assert_eq!(looked(&mut stage), []);
}

/// The end of the text about a call with this many bytes of arguments.
fn end_of_long(tool: &str, bytes: usize, found: Option<&str>) -> String {
    let mut stage = Stage::exact(120, 40);
    stage.begin();
    let around = r#"{"path":"a","content":""}"#.len();
    let args = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(bytes - around));
    stage.awaiting("c3", tool, &args);
    stage.draw();
    stage.press("2");
    let asked = looked(&mut stage);
    assert_eq!(asked, [Some((look("c3", 1), tool.into(), args.into()))]);
    if let Some(why) = found {
        send_replaced(&mut stage, look("c3", 1), Replaced::Unreadable(why.into()));
    }
    stage.press("G");
    stage.flat()
}

#[test]
fn skipping_the_diff_of_very_long_arguments_is_shown_in_its_place() {
    const LONG: usize = 256 * 1024;
    let why = "the arguments are longer than 256 KiB";
    let shown = end_of_long("write_file", LONG + 1, Some(why));
    let output = "the current file is not compared: the arguments are longer than 256 KiB";
    assert!(shown.contains(output), "{shown}");
    assert!(
        shown.contains("its texts are not shown with their line breaks: the arguments"),
        "{shown}"
    );
    let shown = end_of_long("edit_file", LONG + 1, None);
    assert!(
        shown.contains("what it replaces is not shown: the arguments are longer than 256 KiB"),
        "{shown}"
    );
    assert!(!shown.contains("is not compared"), "nothing looked: {shown}");
    let shown = end_of_long("write_file", LONG, None);
    assert!(!shown.contains("longer than 256 KiB"), "{shown}");
}

#[test]
fn of_a_long_difference_the_first_lines_are_shown() {
    let mut stage = stage();
    let old = (0..5_000).map(|no| no.to_string()).collect::<Vec<_>>().join("\n");
    send_replaced(&mut stage, look("c3", 1), text(&old, ""));
    let doc = &stage.model.inspector.doc;
    assert!((2_000..2_100).contains(&doc.rows()), "{}", doc.rows());
    let last = doc.window(doc.rows() - 1, 1, None);
    assert!(last[0].plain().contains("3000 more lines"), "{last:?}");
}
