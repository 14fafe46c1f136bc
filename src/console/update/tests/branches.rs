//! Tests undo, redo and branches: each is previewed and needs a frame that was read.

use crate::kernel::listing::Listing;
use crate::kernel::model::Source;
use crate::run::target::Target;
use crate::surfaces::branches::BranchList;
use crate::surfaces::compare::Comparison;
use crate::surfaces::review::Review;
use crate::testing;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, Edit, EditCommand, RunCommand};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::{Epoch, NodeKind, Rev, TurnId};
use overrule_domain::state::State;

/// Two branches: a read and a write that ran, and the same with an edited read.
fn edited() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.edited();
    stage
}

pub(super) fn commit(stage: &mut Stage) -> Vec<Command> {
    stage.press("enter");
    assert_eq!(
        stage.commands(),
        [],
        "not before it was on screen for long enough"
    );
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out()
}

pub(super) fn list(stage: &Stage) -> &Listing {
    stage
        .model
        .stack
        .last()
        .and_then(|top| top.listing())
        .expect("a list")
}

/// The branches that are compared, and whether equal nodes are listed.
pub(super) fn compared(stage: &Stage) -> Option<(u32, u32, bool)> {
    let open = stage.model.stack.top::<Comparison>()?;
    Some((open.a.0, open.b.0, open.all))
}

fn call_args(state: &State, name: &str) -> String {
    let node = state.node(id(name)).unwrap();
    node.as_call().map(|(_, args)| args.to_string()).unwrap()
}

#[test]
fn undo_shows_what_is_restored_and_that_effects_remain() {
    let mut stage = edited();
    assert_eq!(call_args(&stage.model.run.state, "c3"), r#"{"path":"B"}"#);
    stage.press("u");
    let text = stage.text();
    assert!(text.contains("(edit arguments of c3)"), "{text}");
    assert!(text.contains("c3 becomes revision 1 again"), "{text}");
    let commands = commit(&mut stage);
    assert!(
        matches!(
            commands.as_slice(),
            [Command::Edit(EditCommand::Undo {
                epoch: Some(_),
                effects_seen: Some(_)
            })]
        ),
        "{commands:?}"
    );
    assert_eq!(call_args(&stage.model.run.state, "c3"), r#"{"path":"a"}"#);
    assert!(stage.model.stack.is_empty());
    stage.press("ctrl-r");
    assert!(
        stage.text().contains("redo: back to branch 1"),
        "{}",
        stage.text()
    );
    let commands = commit(&mut stage);
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Redo { .. })]),
        "{commands:?}"
    );
    assert_eq!(call_args(&stage.model.run.state, "c3"), r#"{"path":"B"}"#);
}

#[test]
fn several_edits_that_were_committed_as_one_are_undone_as_one() {
    let mut stage = Stage::new(100, 40);
    stage.written();
    stage.press("1 g j j D c 1 g j M");
    stage.type_text("be brief");
    stage.press("ctrl-g E v");
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert_eq!(stage.model.run.state.epoch, Epoch(1));
    stage.press("u");
    assert!(
        stage.text().contains("(delete c3 and 1 more)"),
        "{}",
        stage.text()
    );
    commit(&mut stage);
    assert!(stage.model.run.state.node(id("c3")).unwrap().active);
    stage.press("u");
    assert!(stage.status().contains("Nothing to undo"), "{}", stage.status());
}

#[test]
fn there_is_nothing_to_undo_or_redo_or_switch_to_in_a_fresh_run() {
    let mut stage = Stage::new(100, 40);
    stage.sample();
    for (key, words) in [
        ("u", "Nothing to undo"),
        ("ctrl-r", "Nothing to redo"),
        ("b", "Only one branch"),
    ] {
        stage.press(key);
        assert!(stage.status().contains(words), "{}", stage.status());
        assert!(stage.model.stack.is_empty());
    }
    assert_eq!(stage.commands(), []);
}

#[test]
fn an_undo_can_be_given_up() {
    let mut stage = edited();
    stage.press("u");
    stage.wait(ARMING);
    stage.press("esc enter");
    assert_eq!(stage.commands(), []);
    assert_eq!(stage.model.run.state.epoch, Epoch(1));
}

#[test]
fn an_undo_is_no_edit_to_collect_or_to_give_a_reason_for() {
    let mut stage = edited();
    stage.press("u c r l");
    assert!(stage.model.staged_edits.is_empty());
    assert!(stage.model.stack.is_top::<Review>());
    assert_eq!(stage.commands(), []);
}

#[test]
fn branches_are_listed_named_and_switched() {
    let mut stage = edited();
    stage.press("b");
    assert_eq!(
        list(&stage).items,
        [Target::Branch(Epoch(0)), Target::Branch(Epoch(1))]
    );
    let text = stage.text();
    assert!(text.contains("now   1 edit arguments of c3"), "{text}");
    assert!(text.contains("0 as the run began"), "{text}");
    stage.press("alt-n");
    stage.type_text("better");
    stage.press("enter");
    let commands = stage.carry_out();
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Name { epoch: Epoch(1), name })] if &**name == "better"),
        "{commands:?}"
    );
    assert!(stage.text().contains("1 better"), "{}", stage.text());
    stage.press("enter");
    assert!(
        stage.status().contains("already the current branch"),
        "{}",
        stage.status()
    );
    stage.press("k enter");
    let commands = commit(&mut stage);
    assert!(
        matches!(
            commands.as_slice(),
            [Command::Edit(EditCommand::Switch { to: Epoch(0), .. })]
        ),
        "{commands:?}"
    );
    assert!(stage.model.stack.is_empty(), "the graph shows the current branch");
    assert_eq!(call_args(&stage.model.run.state, "c3"), r#"{"path":"a"}"#);
}

#[test]
fn the_first_branch_has_no_name() {
    let mut stage = edited();
    stage.press("b k alt-n");
    assert!(
        stage
            .model
            .stack
            .last()
            .is_some_and(|top| top.listing().is_some())
    );
    assert!(stage.status().contains("it is the run"), "{}", stage.status());
}

#[test]
fn two_branches_are_shown_side_by_side_where_there_is_room() {
    let mut stage = edited();
    stage.press("b k c");
    assert_eq!(compared(&stage), Some((1, 0, false)));
    let text = stage.text();
    assert!(text.contains("c3    differs A r2 read_file B"), "{text}");
    assert!(text.contains("B r1 read_file a"), "{text}");
    assert!(!text.contains("t2    same"), "{text}");
    stage.press("s");
    let text = stage.text();
    assert!(text.contains("t2    same"), "{text}");
    stage.send(crate::kernel::msg::Msg::Term(
        crate::ground::term_msg::TermMsg::Resize {
            width: 160,
            height: 50,
        },
    ));
    let text = stage.text();
    let row = text.lines().find(|line| line.contains("c3    differs")).unwrap();
    assert!(
        row.contains("r2 read_file B") && row.contains("│ r1 read_file a"),
        "{row}"
    );
    assert_eq!(stage.commands(), []);
}

#[test]
fn two_branches_are_compared_once_while_the_cursor_goes_through_them() {
    let mut stage = edited();
    stage.press("b g c s");
    let made = |stage: &Stage| list(stage).made.map(|made| made.0);
    let (first, at) = (list(&stage).selected, made(&stage));
    let (_, through) = testing::work::of(|| {
        stage.press("G g s s G");
    });
    assert_eq!(through, 0, "nothing but the cursor has moved");
    assert_ne!(list(&stage).selected, first);
    let reason = "a word".to_owned();
    stage.engine(Event::Run(RunEvent::Paused { reason }));
    stage.draw();
    assert!(made(&stage) > at, "the run has new events");
}

#[test]
fn equal_branches_are_reported_with_or_without_their_nodes() {
    let mut stage = edited();
    stage.press("b g c");
    assert!(!stage.text().contains("equal:"), "{}", stage.text());
    stage.press("esc esc u");
    commit(&mut stage);
    // An edit, and another one that restores the text from before.
    for value in ["new", "old"] {
        stage.press("1 g j j o");
        stage.edit_field(value);
        stage.press("ctrl-s");
        stage.carry_out();
        commit(&mut stage);
    }
    stage.press("b g c");
    let nodes = {
        stage.press("s");
        list(&stage).items.len()
    };
    let output = |stage: &mut Stage| {
        let text = stage.text();
        let mut rows = text.lines().skip_while(|row| !row.starts_with(" equal:"));
        let output = rows.next().unwrap_or_else(|| panic!("{text}")).trim().to_owned();
        (output, rows.next().unwrap_or_default().to_owned())
    };
    let (words, below) = output(&mut stage);
    // A call and its result share a row.
    let all = stage.model.run.state.nodes.values();
    let all = all.filter(|node| node.active && node.id.kind != NodeKind::Intervention);
    let all = all.count();
    assert!(all > nodes);
    assert_eq!(words, format!("equal: all {all} nodes are the same on both"));
    assert!(below.contains("same"), "the nodes are below: {below}");
    stage.press("s");
    assert_eq!(list(&stage).items, []);
    assert_eq!(output(&mut stage).0, words);
    assert!(stage.text().contains("no node differs"));
}

#[test]
fn a_branch_is_not_compared_with_itself() {
    let mut stage = edited();
    stage.press("b m c");
    assert!(stage.model.stack.is_top::<BranchList>());
    assert!(
        stage.status().contains("Cannot compare a branch with itself"),
        "{}",
        stage.status()
    );
    stage.press("m k m j c");
    assert_eq!(compared(&stage), Some((0, 1, false)));
}

#[test]
fn one_result_of_the_other_branch_is_taken_over() {
    let mut stage = edited();
    stage.press("b k c");
    let at = list(&stage)
        .items
        .iter()
        .position(|item| *item == Target::Node(id("c3")));
    for _ in 0..at.unwrap() {
        stage.press("j");
    }
    stage.press("t");
    let text = stage.text();
    assert!(text.contains("copy of "), "{text}");
    let commands = commit(&mut stage);
    let taken = Edit::Copy {
        node: id("c3"),
        base: Some(Rev(1)),
        from: Epoch(0),
    };
    assert!(
        matches!(commands.as_slice(), [Command::Edit(EditCommand::Commit { edits, .. })] if *edits == [taken]),
        "{commands:?}"
    );
}

#[test]
fn a_call_that_only_the_other_branch_made_is_put_in_with_its_result_and_does_not_run() {
    let mut stage = Stage::new(100, 40);
    stage.orphaned();
    stage.press("b k c");
    let at = list(&stage)
        .items
        .iter()
        .position(|item| *item == Target::Node(id("c3")));
    for _ in 0..at.unwrap() {
        stage.press("j");
    }
    stage.press("t");
    let text = stage.text();
    assert!(text.contains("superseded      nothing"), "{text}");
    assert!(!text.contains("passes the gate"), "{text}");
    assert!(!text.contains("runs  "), "{text}");
    assert!(text.contains("+ 1"), "its result is in the change: {text}");
    commit(&mut stage);
    let state = &stage.model.run.state;
    assert_eq!(state.ledger.len(), 1, "nothing ran");
    let new = state.calls.values().last().unwrap();
    assert!(state.observation(new.id).is_some());
}

#[test]
fn what_the_other_branch_does_not_have_is_not_taken() {
    let mut stage = edited();
    stage.finished("c9", "read_file", r#"{"path":"q"}"#, Outcome::ok("1"));
    stage.press("b k c G t");
    assert!(
        stage.status().contains("not active on branch 0"),
        "{}",
        stage.status()
    );
    assert!(
        stage
            .model
            .stack
            .last()
            .is_some_and(|top| top.listing().is_some())
    );
}

#[test]
fn later_turns_can_be_preserved_and_become_drifted() {
    let mut stage = Stage::new(100, 40);
    stage.two_turns();
    stage.press("1 g j j e");
    stage.edit_field(r#"{"path":"B"}"#);
    stage.press("ctrl-s");
    let text = stage.text();
    assert!(text.contains("superseded      "), "{text}");
    stage.wait(ARMING);
    stage.press("l enter");
    assert!(
        stage.text().contains("1 later turn kept, marked as drifted"),
        "{}",
        stage.text()
    );
    assert!(
        !stage
            .commands()
            .iter()
            .any(|command| matches!(command, Command::Edit(EditCommand::Commit { .. }))),
        "another plan must be read again"
    );
    let commands = commit(&mut stage);
    assert!(
        matches!(
            commands.as_slice(),
            [Command::Edit(EditCommand::Commit { keep_later: true, .. })]
        ),
        "{commands:?}"
    );
    assert!(stage.model.run.state.turns[&TurnId(3)].drifted);
    let text = stage.text();
    assert!(text.contains("t6  (context drifted)"), "{text}");
}

#[test]
fn the_model_is_not_asked_when_the_preserved_turns_end_with_an_answer() {
    let mut stage = Stage::new(100, 40);
    stage.two_turns();
    stage.turn(TurnEvent::Answered {
        turn: TurnId(3),
        node: id("a7"),
        text: "old".into(),
        opaque: None,
    });
    stage.press("1 g j j o");
    stage.type_text("er");
    stage.press("ctrl-s");
    assert!(
        stage.text().contains("the model is asked again"),
        "{}",
        stage.text()
    );
    stage.press("l");
    assert!(
        stage.text().contains("the model is not asked again"),
        "{}",
        stage.text()
    );
}

#[test]
fn later_turns_cannot_be_preserved_when_the_model_continues_from_the_edit() {
    let mut stage = Stage::new(100, 40);
    stage.two_turns();
    stage.press("1 g j e");
    stage.type_text("!");
    stage.press("ctrl-s");
    assert!(!stage.text().contains("keep later turns"), "{}", stage.text());
    stage.press("l");
    assert!(
        stage.text().contains("cannot keep later turns here"),
        "{}",
        stage.text()
    );
    stage.wait(ARMING);
    stage.commands();
    stage.press("enter");
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_whole_turn_is_asked_for_again() {
    let mut stage = Stage::new(100, 40);
    stage.two_turns();
    stage.press("1 g j T");
    let text = stage.text();
    assert!(text.contains("ask the model again for turn 2"), "{text}");
    assert!(text.contains("the model is asked again"), "{text}");
    let commands = commit(&mut stage);
    assert_eq!(
        commands,
        [Command::Run(RunCommand::AskAgain {
            turn: TurnId(2),
            request: Some(1)
        })]
    );
    assert!(stage.model.stack.is_empty());
    stage.press("1 g T");
    assert!(
        stage.status().contains("it is yours, not the model's"),
        "{}",
        stage.status()
    );
}

#[test]
fn a_recorded_run_can_be_compared_and_not_changed() {
    let mut stage = edited();
    stage.model.settings.source = Source::Replay;
    stage.press("u");
    assert!(stage.model.stack.is_empty());
    stage.press("b k c");
    assert!(compared(&stage).is_some());
    stage.press("t");
    assert!(
        stage
            .model
            .stack
            .last()
            .is_some_and(|top| top.listing().is_some())
    );
    assert_eq!(stage.commands(), []);
}
