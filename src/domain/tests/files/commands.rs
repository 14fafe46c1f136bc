//! Tests of the commands about files: edits with a restore, undo, redo, what waits, what the ledger and the model are told.
//!
//! Must not know: the rules for a path.

use super::tree::{at, file, missing, path, put, remove};
use super::*;
use overrule_domain::badge::{self, Badge};
use overrule_domain::changes::{FileText, changes, changes_with};
use overrule_domain::command::{CallCommand, EditCommand, RunCommand};
use overrule_domain::event::{Event, FilesEvent, TurnEvent};
use overrule_domain::files::{Execution, RestoreCause, is_restoring};
use overrule_domain::id::{Attempt, Epoch, NodeKind, Seq};
use overrule_domain::ledger;
use overrule_domain::refusal::RefusalKind;

const UNDONE: Command = Command::Edit(UNDO);

fn redo() -> Command {
    Command::Edit(EditCommand::Redo {
        epoch: None,
        effects_seen: None,
    })
}

fn delete(f: &Files, id: NodeId) -> Command {
    Command::Edit(EditCommand::Commit {
        edits: vec![overrule_domain::command::Edit::Delete {
            node: id,
            base: f.w.rev(id),
        }],
        effects_seen: None,
        reason: None,
        keep_later: false,
    })
}

fn newest(f: &Files) -> NodeId {
    *f.w.state.operator.files.restores.keys().next_back().unwrap()
}

#[test]
fn an_edit_without_a_word_about_files_restores_nothing() {
    let (mut f, [x, ..]) = three();
    let before = f.tree();
    f.w.delete(x).unwrap();
    f.w.undo().unwrap();
    assert!(f.w.restores.is_empty());
    assert_eq!(f.tree(), before);
    assert!(
        !f.w.events()
            .any(|event| matches!(event, Event::Files(FilesEvent::RestoreStarted(_))))
    );
}

#[test]
fn an_edit_and_the_restore_of_what_it_makes_inactive_are_one_decision() {
    let (mut f, [x, y, z]) = three();
    let (asked, last) = (f.w.asked.len(), f.w.state.seq);
    let plan = f.send(with(delete(&f, y))).unwrap();
    assert_eq!(plan.undone.iter().map(|one| one.call).collect::<Vec<_>>(), [y, z]);
    let decision: Vec<_> = f.w.log.iter().filter(|envelope| envelope.seq > last).collect();
    let end = decision.iter().position(|envelope| !envelope.more).unwrap();
    let started = |event: &Event| matches!(event, Event::Files(FilesEvent::RestoreStarted(_)));
    assert!(decision[..=end].iter().any(|envelope| started(&envelope.event)));
    assert_eq!(
        f.w.log.iter().filter(|envelope| started(&envelope.event)).count(),
        1
    );
    // Nothing follows until it has ended.
    assert!(is_restoring(&f.w.state));
    assert_eq!((f.w.asked.len(), f.w.running.len()), (asked, 0));
    f.carry_out();
    assert!(!is_restoring(&f.w.state));
    assert_eq!(f.tree(), [(path("a"), file("1"))].into());
    assert_eq!(f.w.asked.len(), asked + 1, "then the model is asked");
    assert!(
        f.w.last_request()
            .contains(&format!("operator restored 2 files to their state before {y}"))
    );
    assert!(f.w.state.nodes[&x].active);
    // What was said once is not said again.
    f.call("n", |_| {});
    assert!(!f.w.last_request().contains("operator restored"));
    // A prompt after a restore is no request: the one that follows says so.
    f.w.reply(&[answer("done")]);
    f.restore(restore_of(&[x]));
    f.w.guide("go on").unwrap();
    assert!(
        f.w.last_request()
            .contains(&format!("operator restored 1 file to their state before {x}"))
    );
}

#[test]
fn a_moved_file_refuses_the_commit_and_leaves_no_trace() {
    let (mut f, [_, y, _]) = three();
    let mut command = with(delete(&f, y));
    choice(&mut command).digest = f.plan(&command).digest;
    f.touch(|tree| put(tree, &path("a"), file("theirs")));
    let (seq, before) = (f.w.state.seq, f.tree());
    let refusal = f.w.cmd(Command::Files(command)).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Changed);
    assert_eq!((f.w.state.seq, f.tree()), (seq, before));
    assert!(f.w.state.nodes[&y].active && f.w.restores.is_empty());
}

#[test]
fn a_call_that_runs_blocks_a_restore_whether_selected_or_not() {
    let (mut f, [_, _, z]) = three();
    let running = f.propose("r");
    for command in [restore_of(&[z]), restore_of(&[z, running]), with(delete(&f, z))] {
        assert_eq!(f.plan(&command).still_runs, Some(running), "the preview says so");
        let refusal = f.send(command).unwrap_err();
        assert_eq!(refusal.kind, RefusalKind::Status);
        assert_eq!(
            refusal.message,
            format!("cannot restore: {running} still runs; hint: cancel {running}")
        );
    }
    assert!(f.w.restores.is_empty() && f.w.state.nodes[&z].active);
    f.finish(running, ChangeSet::default());
    f.restore(restore_of(&[z]));
    assert_eq!(at(&f.tree(), &path("b")), missing());
    // One that only reads does not.
    f.w.reply(&[call("read", r#"{"_as":"q","n":1}"#)]);
    assert!(!f.w.running.is_empty());
    f.send(undo_of(newest(&f))).unwrap();
}

#[test]
fn while_files_are_restored_nothing_starts_and_pause_and_stop_work() {
    let (mut f, [_, _, z]) = three();
    f.w.reply(&[answer("done")]);
    f.send(restore_of(&[z])).unwrap();
    let asked = f.w.asked.len();
    f.w.guide("go on").unwrap();
    f.w.run(RunCommand::Pause { reason: "x".into() }).unwrap();
    f.w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(f.w.asked.len(), asked);
    let refusal = f.send(restore_of(&[f.w.id("y")])).unwrap_err();
    assert!(refusal.message.contains("has not ended"), "{refusal}");
    f.carry_out();
    assert_eq!(f.w.asked.len(), asked + 1);
    f.w.run(RunCommand::Stop { reason: "x".into() }).unwrap();
}

#[test]
fn a_request_that_a_command_makes_waits_for_the_restore_and_is_made_once() {
    let (mut f, [_, y, z]) = three();
    f.w.reply(&[answer("done")]);
    let asked = f.w.asked.len();
    let again = RunCommand::AskAgain {
        turn: f.w.turn_of(y),
        request: None,
    };
    let plan = f.send(with(Command::Run(again))).unwrap();
    assert_eq!(plan.undone.iter().map(|one| one.call).collect::<Vec<_>>(), [y, z]);
    assert!(
        f.w.events()
            .any(|event| matches!(event, Event::Turn(TurnEvent::Requested { .. })))
    );
    assert_eq!(f.w.asked.len(), asked);
    f.carry_out();
    assert_eq!(f.w.asked.len(), asked + 1);
    assert_eq!(f.tree(), [(path("a"), file("1"))].into());
}

#[test]
fn redo_makes_the_changes_again_and_undo_undoes_them_again() {
    let (mut f, [_, y, z]) = three();
    let (full, short) = (f.tree(), Tree::from([(path("a"), file("1"))]));
    f.restore(with(delete(&f, y)));
    assert_eq!(f.tree(), short);
    f.w.reply(&[answer("other")]);
    // The undo brings the deleted calls back, and their files.
    let plan = f.restore(with(UNDONE));
    assert_eq!(plan.redone.iter().map(|one| one.call).collect::<Vec<_>>(), [y, z]);
    assert_eq!(f.tree(), full);
    let plan = f.restore(with(redo()));
    assert_eq!((plan.undone.len(), plan.redone.len()), (2, 0));
    assert_eq!(f.tree(), short);
    let causes =
        f.w.state
            .operator
            .files
            .restores
            .values()
            .map(|one| one.started.cause);
    assert_eq!(
        causes.collect::<Vec<_>>(),
        [RestoreCause::Edit, RestoreCause::Undo, RestoreCause::Redo]
    );
}

#[test]
fn a_branch_alone_restores_files_and_becomes_not_the_current_one() {
    let (mut f, [_, y, _]) = three();
    let full = f.tree();
    f.restore(with(delete(&f, y)));
    let other = f.call("o", |tree| put(tree, &path("o"), file("1")));
    let command = FilesCommand::RestoreBranch {
        to: Epoch(0),
        choice: RestoreChoice::all(),
    };
    let epoch = f.w.state.epoch;
    f.restore(command);
    assert_eq!(f.tree(), full);
    assert_eq!(f.w.state.epoch, epoch);
    assert!(f.w.state.nodes[&other].active && !f.w.state.nodes[&y].active);
}

#[test]
fn an_edited_call_that_ran_gives_its_files_back_before_it_runs_again() {
    let mut f = Files::new();
    f.outside("a", file("0"));
    let id = f.call("x", |tree| put(tree, &path("a"), file("1")));
    let edit = overrule_domain::command::Edit::Call {
        node: id,
        base: f.w.rev(id),
        tool: "write".into(),
        args: r#"{"_as":"x","n":77}"#.into(),
        shown: true,
    };
    let commit = Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: None,
        keep_later: false,
    });
    let runs = f.w.executed.len();
    f.send(with(commit)).unwrap();
    assert_eq!(f.w.executed.len(), runs, "it waits for the files");
    f.carry_out();
    assert_eq!(at(&f.tree(), &path("a")), file("0"));
    assert_eq!(f.w.executed.len(), runs + 1);
    f.touch(|tree| put(tree, &path("a"), file("9")));
    f.finish(id, ChangeSet::default());
    f.restore(with(UNDONE));
    assert_eq!(
        at(&f.tree(), &path("a")),
        file("1"),
        "the first execution counts again"
    );
}

#[test]
fn an_execution_without_a_change_left_is_reverted_and_one_with_some_left_is_not() {
    let (mut f, [x, y, z]) = three();
    let more = f.call("m", |tree| {
        put(tree, &path("c"), file("1"));
        put(tree, &path("d"), file("1"));
    });
    let entry = |f: &Files, id| {
        f.w.state
            .ledger
            .values()
            .find(|entry| entry.call == id)
            .unwrap()
            .clone()
    };
    let mut command = with(delete(&f, y));
    choice(&mut command).without = vec![path("d")];
    f.restore(command);
    let by = newest(&f);
    for id in [y, z] {
        let entry = entry(&f, id);
        assert!(entry.more.orphaned);
        assert_eq!(ledger::taken_back(&f.w.state, &entry), Some(by), "{id}");
    }
    let orphaned = |f: &Files| -> Vec<NodeId> {
        let rows = ledger::orphaned_effects(&f.w.state);
        rows.map(|row| row.entry.call).collect()
    };
    assert_eq!(orphaned(&f), [more]);
    let notice = ledger::orphan_notice(&f.w.state).unwrap();
    assert!(
        notice.contains(&format!("({more})")) && !notice.contains(&format!("({y})")),
        "{notice}"
    );
    assert_eq!(ledger::taken_back(&f.w.state, &entry(&f, x)), None);
    // Made again, it happened again.
    f.restore(undo_of(by));
    assert_eq!(ledger::taken_back(&f.w.state, &entry(&f, y)), None);
    assert_eq!(orphaned(&f), [y, z, more]);
}

#[test]
fn what_was_reverted_may_happen_again_without_consent() {
    for restores in [true, false] {
        let mut f = Files::new();
        f.w.reply(&[call("write", r#"{"_as":"x","n":5}"#)]);
        let id = f.w.id("x");
        f.touch(|tree| put(tree, &path("a"), file("1")));
        f.finish(id, ChangeSet::default());
        if restores {
            f.restore(with(delete(&f, id)));
        } else {
            f.w.delete(id).unwrap();
        }
        f.w.reply(&[call("write", r#"{"_as":"x2","n":5}"#)]);
        let waits = f.w.state.queue().count();
        assert_eq!((waits, f.w.running.len()), if restores { (0, 1) } else { (1, 0) });
    }
}

#[test]
fn a_tool_that_cannot_be_undone_is_never_reverted() {
    let mut f = Files::new();
    f.w.tag("write", "irreversible");
    // A tag that a test sets is no event: the state is asked, not the journal.
    f.w.every = u64::MAX;
    let id = f.propose("x");
    if f.w.running.is_empty() {
        f.w.approve_with(id, Some("write")).unwrap();
    }
    f.touch(|tree| put(tree, &path("a"), file("1")));
    f.finish(id, ChangeSet::default());
    f.restore(restore_of(&[id]));
    let entry = f.w.state.ledger.values().find(|entry| entry.call == id).unwrap();
    assert_eq!((entry.more.reverted_by, f.tree()), (None, Tree::new()));
}

#[test]
fn a_read_of_a_restored_file_is_older_than_the_world() {
    let mut f = Files::new();
    f.outside("d/a", file("0"));
    let id = f.call("x", |tree| put(tree, &path("d/a"), file("1")));
    let mut reads = Vec::new();
    for (name, what) in [("p", "/w/d/a"), ("q", "d"), ("r", "d/b"), ("s", "da")] {
        let args = format!(r#"{{"_as":"{name}","path":"{what}","n":1}}"#);
        f.w.reply(&[call("read", &args)]);
        f.w.drain();
        reads.push(f.w.id(name));
    }
    let marked = |f: &Files| -> Vec<bool> {
        let badges = reads.iter().map(|id| badge::of(&f.w.state, *id));
        badges
            .map(|badges| badges.contains(&Badge::WorldChanged))
            .collect()
    };
    assert_eq!(marked(&f), [false; 4]);
    f.restore(restore_of(&[id]));
    assert_eq!(marked(&f), [true, true, false, false]);
}

#[test]
fn the_list_of_changes_has_what_commands_changed_and_what_was_restored() {
    let mut f = Files::new();
    f.outside("a", file("0"));
    let x = f.call("x", |tree| put(tree, &path("a"), file("1")));
    let y = f.call("y", |tree| {
        remove(tree, &path("a"));
        put(tree, &path("d/b"), file("1"));
    });
    let unknown = f.propose("u");
    f.finish(
        unknown,
        ChangeSet {
            untracked: Some("store full".to_owned()),
            ..ChangeSet::default()
        },
    );
    let all = changes(&f.w.state);
    let paths: Vec<_> = all
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.calls.clone()))
        .collect();
    assert_eq!(
        paths,
        [("a", vec![x, y]), ("d/b", vec![y])],
        "a directory is no file"
    );
    assert_eq!(all.files[0].before, FileText::Saved);
    assert_eq!(all.files[0].after, FileText::Missing);
    assert_eq!(
        all.files[0].describe(),
        format!("deleted by {x}, {y}"),
        "no word of what is saved"
    );
    assert_eq!(
        all.unrecorded.iter().map(|one| one.call).collect::<Vec<_>>(),
        [unknown]
    );
    // The caller has the texts.
    let all = changes_with(&f.w.state, &|hash| Some(format!("text {hash}").into()));
    assert_eq!(all.files[0].before.text(), Some("text 0"));
    f.restore(restore_of(&[y]));
    let all = changes_with(&f.w.state, &|hash| Some(format!("text {hash}").into()));
    assert_eq!(all.files[0].after.text(), Some("text 1"));
    assert_eq!((all.files[0].calls.len(), all.files[0].foreign), (3, None));
    // A change by something else is told.
    f.outside("a", file("theirs"));
    let z = f.call("z", |tree| put(tree, &path("a"), file("2")));
    assert_eq!(changes(&f.w.state).files[0].foreign, Some(z));
}

#[test]
fn a_late_report_is_recorded_with_the_outcome() {
    let mut f = Files::new();
    let id = f.propose("x");
    f.w.cmd(Command::Call(CallCommand::Cancel {
        call: id,
        attempt: None,
        reason: "x".into(),
    }))
    .unwrap();
    f.touch(|tree| put(tree, &path("a"), file("1")));
    let last = f.w.state.seq;
    f.finish(id, ChangeSet::default());
    let new: Vec<&Event> =
        f.w.log
            .iter()
            .filter(|one| one.seq > last)
            .map(|one| &one.event)
            .collect();
    assert!(matches!(new[0], Event::Call(_)) && matches!(new[1], Event::Files(FilesEvent::Changed { .. })));
    let execution = Execution {
        call: id,
        attempt: Attempt(1),
    };
    assert_eq!(f.plan(&restore_of(&[id])).undone, [execution]);
}

#[test]
fn seen_only_goes_forward() {
    let (mut f, _) = three();
    let seen = |through| Command::Files(FilesCommand::Seen { through });
    let now = f.w.state.seq;
    f.w.cmd(seen(now)).unwrap();
    assert_eq!(f.w.state.operator.files.seen, now);
    assert_eq!(kind(f.w.cmd(seen(now))), RefusalKind::NoChange);
    assert_eq!(kind(f.w.cmd(seen(Seq(u64::MAX)))), RefusalKind::Unknown);
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let (mut f, [x, ..]) = three();
    let unknown = NodeId::new(NodeKind::Call, 999);
    assert_eq!(
        kind(f.send(restore_of(&[unknown])).map(|_| ())),
        RefusalKind::Unknown
    );
    assert_eq!(kind(f.send(undo_of(unknown)).map(|_| ())), RefusalKind::Unknown);
    let pause = Command::Run(RunCommand::Pause { reason: "x".into() });
    assert_eq!(kind(f.send(with(pause)).map(|_| ())), RefusalKind::Invalid);
    let mut command = restore_of(&[x]);
    choice(&mut command).over = vec![path("elsewhere")];
    assert_eq!(kind(f.send(command).map(|_| ())), RefusalKind::Unknown);
    assert!(f.w.restores.is_empty());
}

#[test]
fn a_plan_of_many_calls_and_paths_has_each_path_once() {
    use overrule_domain::files::{FilePath, FileState, FilesChange};
    for (calls, paths) in [(20, 200), (40, 2_000)] {
        let mut f = Files::new();
        f.w.every = u64::MAX;
        let mut ids = Vec::new();
        for no in 0..calls {
            ids.push(f.call(&format!("l{no}"), |tree| {
                for at in 0..paths / 10 {
                    let name = format!("p{}", (no * paths / 10 + at) % paths);
                    put(tree, &path(&name), file(&no.to_string()));
                }
            }));
        }
        let changed: usize =
            f.w.state
                .operator
                .files
                .log
                .values()
                .filter_map(|one| match one {
                    FilesChange::Execution(one) => f.w.state.calls[&one.call].attempts[0].files.as_ref(),
                    _ => None,
                })
                .map(|set| set.changes.0.len())
                .sum();
        assert_eq!(changed, calls * paths / 10);
        let plan = f.plan(&restore_of(&ids));
        assert_eq!((plan.rows.len(), plan.steps.0.len()), (paths, paths));
        let names: std::collections::BTreeSet<&FilePath> = plan.rows.iter().map(|row| &row.path).collect();
        assert_eq!(names.len(), paths);
        assert!(plan.rows.iter().all(|row| row.target == FileState::Missing {}));
    }
}
