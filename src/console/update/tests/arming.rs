//! Tests that a decision needs a frame that the operator could read.

use crate::ground::key::Key;
use crate::ground::term_msg::TermMsg;
use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::bulk::Bulk;
use crate::testing::{ARMING, Stage, call_id, id};
use overrule_domain::call::{Decision, Digest, EffectClass, Shown, ShownForm};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use overrule_domain::id::{Rev, TurnId};
use overrule_domain::node::{Content, Origin};

pub(super) const ARGS: &str = r#"{"path":"a","content":"b"}"#;

/// An approval of a call whose arguments were shown one by one.
pub(super) fn approve(call: u32, rev: u32, unread: u64) -> Command {
    approve_as(call, rev, unread, Some(ShownForm::Fields))
}

/// An approval of a call whose exact bytes were shown.
pub(super) fn approve_exact(call: u32, rev: u32, unread: u64) -> Command {
    approve_as(call, rev, unread, Some(ShownForm::Exact))
}

/// An approval of a call that was shown in a form.
pub(super) fn approve_as(call: u32, rev: u32, unread: u64, form: Option<ShownForm>) -> Command {
    Command::Call(CallCommand::Approve {
        call: call_id(call),
        rev: Rev(rev),
        digest: Digest(format!("digest-of-c{call}-r{rev}").into()),
        unread,
        shown: form.map(|form| Shown { form, base: None }),
        word: None,
    })
}

/// A waiting call that was on screen for long enough.
pub(super) fn armed() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

pub(super) fn key(stage: &mut Stage, key: &str, after: u64) {
    stage.now += after;
    let at = stage.now;
    let key: Key = key.parse().unwrap();
    stage.send(Msg::Term(TermMsg::Key { key, at }));
}

pub(super) fn settle(stage: &mut Stage) {
    stage.now += 100;
    let at = stage.now;
    stage.send(Msg::Tick { at });
}

#[test]
fn approve_carries_revision_and_digest_of_what_was_shown() {
    let mut stage = armed();
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn approval_is_reported_once_it_is_recorded() {
    let mut stage = armed();
    stage.press("a");
    assert_eq!(stage.status(), "Sent: approve c3");
    stage.send(Msg::Run(Update::Taken(Box::new(approve(3, 1, 0)))));
    assert_eq!(stage.status(), "Approved c3");
    stage.send(Msg::Run(Update::Taken(Box::new(approve(3, 1, 7)))));
    assert_eq!(stage.status(), "Approved c3 with 7 bytes unread");
}

#[test]
fn a_key_before_the_frame_was_up_long_enough_decides_nothing() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING - 200);
    stage.press("a x ctrl-a");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_empty(), "no reason is asked for either");
    assert!(
        stage.status().contains(" was on screen for 0."),
        "{}",
        stage.status()
    );
}

#[test]
fn without_a_frame_no_time_is_enough() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.draw();
    // No frame shows the call.
    stage.awaiting("c3", "write_file", ARGS);
    key(&mut stage, "2", 10);
    settle(&mut stage);
    key(&mut stage, "a", 60_000);
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
}

#[test]
fn another_revision_restarts_arming() {
    let mut stage = armed();
    stage.awaiting_revised(
        "c3",
        ("write_file", r#"{"path":"/etc/passwd","content":"b"}"#),
        Origin::Repair { attempt: 1 },
    );
    stage.draw();
    stage.press("a");
    assert_eq!(
        stage.commands(),
        [],
        "the entry that was selected no longer waits"
    );
    stage.press("t a");
    assert_eq!(
        stage.commands(),
        [],
        "the new one was not on screen for long enough"
    );
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 2, 0)]);
}

#[test]
fn a_new_arrival_takes_neither_focus_nor_decision() {
    let mut stage = armed();
    stage.awaiting("c4", "write_file", ARGS);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn the_next_entry_is_not_decided_by_the_key_that_was_meant_for_the_one_before() {
    let mut stage = armed();
    stage.awaiting("c4", "write_file", ARGS);
    stage.press("a");
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Approve {
            unread: 0,
            shown: None,
        },
    });
    stage.press("a a a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(4, 1, 0)]);
}

#[test]
fn a_key_is_about_what_is_selected_even_before_it_was_drawn() {
    let mut stage = armed();
    stage.awaiting("c4", "write_file", ARGS);
    stage.wait(ARMING);
    key(&mut stage, "j", 10);
    key(&mut stage, "a", 30);
    settle(&mut stage);
    assert_eq!(
        stage.commands(),
        [],
        "c4 was never on screen, and c3 is no longer selected"
    );
}

#[test]
fn what_changed_since_the_frame_is_not_decided() {
    let mut stage = armed();
    stage.ready("c3", 1);
    stage.call(CallEvent::Ready {
        call: id("c3"),
        rev: Rev(1),
        bindings: Vec::new(),
        resolved: Some(r#"{"path":"b","content":"b"}"#.into()),
        digest: Digest("another".into()),
        operands: Vec::new(),
        verdict: stage
            .model
            .run
            .state
            .call(id("c3"))
            .unwrap()
            .verdict
            .as_deref()
            .cloned()
            .unwrap(),
    });
    stage.call(CallEvent::Asked {
        call: id("c3"),
        rev: Rev(1),
        deadline_ms: None,
        approver: None,
    });
    key(&mut stage, "a", 10);
    settle(&mut stage);
    assert_eq!(stage.commands(), []);
}

#[test]
fn an_entry_that_went_by_itself_is_not_replaced_under_the_finger() {
    let mut stage = armed();
    stage.awaiting("c4", "write_file", ARGS);
    stage.wait(ARMING);
    stage.call(CallEvent::Decided {
        call: id("c3"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Reject {
            reason: "elsewhere".into(),
        },
    });
    stage.wait(ARMING * 4);
    stage.press("a");
    assert_eq!(stage.commands(), []);
}

#[test]
fn on_a_screen_that_is_too_small_nothing_is_decided() {
    for (width, height) in [(39, 24), (80, 9)] {
        let mut stage = Stage::new(width, height);
        stage.begin();
        stage.awaiting("c3", "write_file", ARGS);
        stage.draw();
        stage.press("2 3");
        stage.wait(ARMING * 3);
        stage.press("a ctrl-a");
        assert_eq!(stage.commands(), [], "{width}x{height}");
    }
}

#[test]
fn in_the_graph_the_key_decides_what_the_frame_shows_and_else_only_leads_to_it() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("a");
    assert_eq!(stage.commands(), [], "it was not on screen for long enough");
    stage.wait(ARMING * 2);
    // Another tab shows something else.
    stage.press("1 >");
    stage.wait(ARMING * 2);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Press a again"), "{}", stage.status());
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);
}

#[test]
fn frames_covered_by_a_surface_are_armed_again() {
    let mut stage = armed();
    stage.press("?");
    stage.wait(ARMING * 2);
    stage.press("esc a");
    assert_eq!(stage.commands(), []);
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands().len(), 1);
}

#[test]
fn the_palette_decides_about_what_was_armed_before_it_opened() {
    let mut stage = armed();
    stage.press(":");
    stage.type_text("approve");
    stage.press("enter");
    assert_eq!(stage.commands(), [approve(3, 1, 0)]);

    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2 :");
    stage.type_text("approve");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(stage.commands(), [], "it was covered before it was armed");
}

#[test]
fn a_call_that_an_edit_holds_cannot_be_decided() {
    let mut stage = armed();
    stage.turn(TurnEvent::Suspended {
        turns: vec![TurnId(2)],
    });
    stage.wait(ARMING);
    stage.press("a ctrl-a x");
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_recorded_run_decides_nothing() {
    let mut stage = Stage::with(100, 30, |settings| settings.source = Source::Replay);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a ctrl-a x e r w i o p s S A R");
    assert_eq!(stage.commands(), []);
    assert!(stage.model.stack.is_empty());
}

#[test]
fn with_one_pane_a_decision_key_shows_the_call_or_how_to_see_it() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("z a");
    assert!(stage.status().contains("Now on c3"), "{}", stage.status());
    let text = stage.text();
    assert!(text.contains("┏━ c3 writes a"), "{text}");
    stage.press("2");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [], "its bytes are not shown");
    assert!(stage.status().contains("3 shows it"), "{}", stage.status());
    stage.press("3");
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), [approve(3, 1, 0)], "{}", stage.status());
}

#[test]
fn a_halted_run_decides_nothing() {
    let mut stage = armed();
    stage.send(Msg::Run(crate::run::link::Update::Halted("disk full".into())));
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.status(), "halted, nothing recorded: W shows why");
    assert!(
        !stage.text().contains("may this call run?"),
        "no question is open"
    );
}

#[test]
fn the_list_of_all_needs_a_second_key_and_leaves_out_what_it_must() {
    let mut stage = armed();
    stage.awaiting("c4", "write_file", ARGS);
    stage.awaiting("c5", "launch", "{}");
    stage.awaiting("c6", "no_such_tool", "{}");
    stage.consent("c7");
    stage.wait(ARMING);
    stage.press("A");
    let Some(bulk) = stage.model.stack.top::<Bulk>() else {
        panic!("no list");
    };
    let listed: Vec<_> = bulk.items.iter().map(|item| item.call).collect();
    assert_eq!(listed, [id("c3"), id("c4")]);
    stage.press("A a enter");
    assert_eq!(stage.commands(), []);
    stage.press("ctrl-a");
    assert_eq!(stage.commands(), [], "the list was not on screen for long enough");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let bytes = ARGS.len() as u64;
    assert_eq!(
        stage.commands(),
        [approve_as(3, 1, 0, None), approve_as(4, 1, bytes, None)],
        "the first was read before"
    );
}

#[test]
fn the_key_of_a_list_that_did_not_open_approves_no_single_call() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.has_tool("wipe", EffectClass::Write, &["irreversible"]);
    stage.awaiting("c3", "wipe", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("A");
    assert!(
        stage
            .status()
            .contains("No waiting calls can be approved together")
    );
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert!(stage.status().contains("there was no list"), "{}", stage.status());
    assert_eq!((stage.commands(), stage.model.stack.len()), (Vec::new(), 0));
    // A second press approves the call alone. Any other key forgets the list.
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(
        stage.model.stack.len(),
        1,
        "it asks for the word: {}",
        stage.status()
    );
    stage.press("esc A j");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    assert_eq!(stage.model.stack.len(), 1, "{}", stage.status());
}

#[test]
fn a_refusal_names_what_changed() {
    let mut stage = armed();
    stage.press("a");
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id("c3"),
        rev: Rev(2),
        content: Content::Call {
            tool: "write_file".into(),
            args: r#"{"path":"other","content":"b"}"#.into(),
        },
        origin: Origin::Repair { attempt: 1 },
        approves: None,
    }));
    stage.ready("c3", 2);
    stage.refuse_last(
        overrule_domain::refusal::RefusalKind::Changed,
        "c3 changed since it was shown",
    );
    let text = stage.text();
    assert!(
        text.contains("c3 changed from revision 1 to 2 since it was shown"),
        "{text}"
    );
    assert!(text.contains(r#"−   "path": "a","#), "{text}");
    assert!(text.contains(r#"+   "path": "other","#), "{text}");
}
