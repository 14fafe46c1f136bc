//! Tests of restores that a crash interrupted.
//!
//! Must not know: how a step is carried out.

use super::tree::carry_out;
use super::*;
use overrule_domain::apply;
use overrule_domain::command::RunCommand;
use overrule_domain::event::{Event, FilesEvent};
use overrule_domain::files::is_restoring;
use overrule_domain::refusal::RefusalKind;

#[test]
fn a_restore_that_was_interrupted_waits_for_the_operator() {
    let (mut f, ids) = three();
    f.send(restore_of(&ids)).unwrap();
    let (restore, steps) = f.w.restores.pop().unwrap();
    carry_out(&mut f.w.rules.tree.lock().unwrap(), &steps, 1);
    f.w.crash();
    assert!(f.w.restores.is_empty(), "nothing continues by itself");
    assert!(f.w.state.operator.files.open().unwrap().interrupted);
    let asked = f.w.asked.len();
    f.w.run(RunCommand::Resume {}).unwrap_or_default();
    assert_eq!(f.w.asked.len(), asked);
    // Left: what is done counts, the rest stays.
    let mut left = Files {
        w: World::new(),
        seen: f.tree(),
    };
    left.w.state = apply::fold(&f.w.log);
    left.w.log = f.w.log.clone();
    left.w.rules.tree = std::sync::Arc::new(std::sync::Mutex::new(f.tree()));
    let events = overrule_domain::decide::command(
        &left.w.state,
        &left.w.rules,
        &Command::Files(FilesCommand::Leave { restore }),
    );
    let Ok([Event::Files(FilesEvent::Restored { done, skipped, .. })]) = events.as_deref() else {
        panic!("{events:?}");
    };
    assert_eq!(
        (*done, skipped.len(), skipped[0].why.as_str()),
        (1, 1, "left by the operator")
    );
    // Continued: every step is looked at again.
    f.w.cmd(Command::Files(FilesCommand::Continue { restore }))
        .unwrap();
    assert_eq!(f.w.restores, [(restore, steps)]);
    let twice = f.w.cmd(Command::Files(FilesCommand::Continue { restore }));
    assert_eq!(kind(twice), RefusalKind::Status);
    f.carry_out();
    assert_eq!(f.tree(), Tree::new());
    assert_eq!(f.w.cleared, [], "a restore that ended leaves nothing");
    let gone = f.w.cmd(Command::Files(FilesCommand::Leave { restore }));
    assert_eq!(kind(gone), RefusalKind::Status);
}

#[test]
fn an_interrupted_restore_can_be_undone() {
    let (mut f, ids) = three();
    let before = f.tree();
    f.send(restore_of(&ids)).unwrap();
    let (restore, steps) = f.w.restores.pop().unwrap();
    assert_eq!(
        kind(f.send(undo_of(restore)).map(|_| ())),
        RefusalKind::Status,
        "it is being carried out"
    );
    carry_out(&mut f.w.rules.tree.lock().unwrap(), &steps, 1);
    assert_ne!(f.tree(), before);
    f.w.crash();
    f.restore(undo_of(restore));
    assert_eq!(f.tree(), before);
    assert_eq!(f.w.cleared, [steps]);
    assert!(!is_restoring(&f.w.state));
}

#[test]
fn where_nothing_can_be_looked_at_it_is_neither_continued_nor_left_nor_undone() {
    let (mut f, ids) = three();
    f.send(restore_of(&ids)).unwrap();
    let (restore, steps) = f.w.restores.pop().unwrap();
    carry_out(&mut f.w.rules.tree.lock().unwrap(), &steps, 1);
    f.w.crash();
    let before = f.w.log.len();
    f.w.rules.blind = Some("the disk does not answer");
    for command in [
        FilesCommand::Continue { restore },
        FilesCommand::Leave { restore },
        undo_of(restore),
    ] {
        let refused = f.w.cmd(Command::Files(command)).unwrap_err();
        assert_eq!(refused.message, "cannot restore: the disk does not answer");
        assert_eq!(refused.kind, RefusalKind::Status);
    }
    assert_eq!(f.w.log.len(), before, "nothing is recorded");
    assert!(f.w.restores.is_empty(), "nothing is written");
    f.w.rules.blind = None;
    f.w.cmd(Command::Files(FilesCommand::Leave { restore })).unwrap();
    let record = &f.w.state.operator.files.restores[&restore];
    let done: Vec<_> = record.done().map(|step| step.path.clone()).collect();
    assert_eq!(done, [steps.0[0].path.clone()], "what was done is known");
    assert_eq!(f.w.cleared, [steps], "what it prepared is removed");
}
