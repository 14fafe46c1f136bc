//! Random runs whose calls change files, compared with full copies of the tree.
//!
//! Must not know: how a plan is made.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::tree::{self, at, carry_out, difference, dir, file, large, link, path, put, rename, with_mode};
use super::*;
use crate::op_sequence::OpSequence;
use overrule_domain::apply;
use overrule_domain::command::{ConsentChoice, Edit, EditCommand};
use overrule_domain::files::plan::Row;
use overrule_domain::files::{
    ChangeList, Execution, FileState, Head, HeadMove, RestoreStarted, is_restoring,
};
use overrule_domain::id::{Epoch, NodeKind};

/// A change of a path between two looks.
#[derive(Debug, Clone)]
struct Item {
    /// The execution that it is recorded with; none for something else.
    owner: Option<Execution>,
    shared: Vec<NodeId>,
    /// The calls that really touched the path.
    authors: BTreeSet<NodeId>,
    moved_head: bool,
    before: FileState,
    after: FileState,
}

#[derive(PartialEq)]
enum Part {
    All,
    Some,
    None,
}

/// What became of each path, by full copies of the tree.
#[derive(Default)]
struct Oracle {
    /// The changes that are still there.
    live: BTreeMap<FilePath, Vec<Item>>,
    /// Every change by an execution.
    all: Vec<(FilePath, Item)>,
    /// The tree at the last look, with what restores made of it.
    known: Tree,
    /// The tree before each restore, and the changes that it replaced.
    before: BTreeMap<NodeId, (Tree, BTreeMap<FilePath, Vec<Item>>)>,
    /// Executions that did something besides.
    more: BTreeSet<Execution>,
}

/// What a path becomes.
struct Becomes {
    live: Vec<Item>,
    target: FileState,
    /// Nothing stands against it.
    clean: bool,
    gone: Vec<Item>,
}

impl Oracle {
    fn push(&mut self, path: &FilePath, item: Item) {
        self.known.insert(path.clone(), item.after.clone());
        if item.owner.is_some() {
            self.all.push((path.clone(), item.clone()));
        }
        self.live.entry(path.clone()).or_default().push(item);
    }

    fn part(item: &Item, undone: &[Execution]) -> Part {
        let Some(owner) = item.owner else {
            return Part::None;
        };
        let has = |call: &NodeId| undone.iter().any(|one| one.call == *call);
        match (
            undone.contains(&owner),
            item.shared.iter().all(has),
            item.shared.iter().any(has),
        ) {
            (true, true, _) => Part::All,
            (true, false, _) | (false, _, true) => Part::Some,
            (false, _, false) => Part::None,
        }
    }

    /// What a path becomes without some executions and with others; none where nothing of it changes.
    fn becomes(&self, path: &FilePath, undone: &[Execution], redone: &[Execution]) -> Option<Becomes> {
        let mut live = self.live.get(path)?.clone();
        let (mut clean, mut gone) = (true, Vec::new());
        if live.iter().any(|item| Self::part(item, undone) != Part::None) {
            while Self::part(live.last()?, undone) == Part::None {
                clean = false;
                live.pop();
            }
            while let Some(item) = live.pop_if(|item| Self::part(item, undone) != Part::None) {
                clean &= Self::part(&item, undone) == Part::All && !item.moved_head;
                gone.push(item);
            }
        }
        let mut target = match gone.last() {
            Some(first) => first.before.clone(),
            None => at(&self.known, path),
        };
        let is_there = |item: &Item| live.iter().any(|one| one.owner == item.owner);
        let again = self.all.iter().filter(|(one, item)| {
            one == path && item.owner.is_some_and(|owner| redone.contains(&owner)) && !is_there(item)
        });
        let again: Vec<Item> = again.map(|(_, item)| item.clone()).collect();
        for item in &again {
            clean &= item.before == target;
            target = item.after.clone();
        }
        if gone.is_empty() && again.is_empty() {
            return None;
        }
        live.extend(again);
        Some(Becomes {
            live,
            target,
            clean,
            gone,
        })
    }

    /// Takes a restore that ended.
    fn restored(&mut self, started: &RestoreStarted, done: &BTreeSet<FilePath>, before: Tree) {
        let paths: Vec<FilePath> = self.live.keys().cloned().collect();
        let mut replaced = BTreeMap::new();
        for path in paths {
            let step = started.steps.0.iter().find(|step| step.path == path);
            let live = if let Some(of) = started.of {
                let saved = self.before.get(&of).and_then(|(_, saved)| saved.get(&path));
                step.filter(|_| done.contains(&path)).and(saved).cloned()
            } else {
                let becomes = self.becomes(&path, &started.undone, &started.redone);
                becomes
                    .filter(|one| match step {
                        Some(_) => done.contains(&path),
                        None => one.clean && at(&self.known, &path) == one.target,
                    })
                    .map(|one| one.live)
            };
            if let Some(live) = live {
                let old = self.live.insert(path.clone(), live).unwrap_or_default();
                replaced.insert(path.clone(), old);
            }
            if let Some(step) = step.filter(|_| done.contains(&path)) {
                self.known.insert(path, step.to.clone());
            }
        }
        self.before.insert(started.restore, (before, replaced));
    }
}

struct Session<'t> {
    f: Files,
    tape: OpSequence<'t>,
    oracle: Oracle,
    /// The calls that ran at some time since the last look.
    window: BTreeSet<NodeId>,
    touched: BTreeMap<FilePath, BTreeSet<NodeId>>,
    restores: usize,
}

const PATHS: [&[u8]; 9] = [
    b"a", b"b", b"d", b"d/x", b"d/y", b"d-z", b"e/f", b"e/f/g", b"\xff",
];

impl Session<'_> {
    fn path(&mut self) -> FilePath {
        let no = self.tape.draw(PATHS.len());
        FilePath::new(PATHS[no]).unwrap()
    }

    /// Something changes the files; the paths that it touched.
    fn op(&mut self) -> Vec<FilePath> {
        let (one, other) = (self.path(), self.path());
        let (what, no) = (self.tape.draw(9), self.tape.draw(4));
        let before = self.f.tree();
        self.f.touch(|tree| match what {
            0 | 1 => put(tree, &one, file(&format!("text {no}"))),
            2 => put(tree, &one, file("")),
            3 => put(tree, &one, link(&format!("to {no}"))),
            4 => put(tree, &one, dir()),
            5 => tree::remove(tree, &one),
            6 => rename(tree, &one, &other),
            7 => match tree.get_mut(&one) {
                Some(FileState::File { mode, .. } | FileState::Dir { mode }) => *mode = 0o700 + no as u32,
                _ => put(tree, &one, with_mode("x", 0o755)),
            },
            _ => put(tree, &one, large(no as u64)),
        });
        let changed = difference(&before, &self.f.tree());
        changed.into_iter().map(|change| change.path).collect()
    }

    fn items(&mut self, owner: Option<Execution>, shared: &[NodeId], moved_head: bool) -> ChangeList {
        let now = self.f.tree();
        let changes = tree::changes(&self.f.seen, &now);
        self.f.seen = now;
        for change in &changes.0 {
            let authors = self.touched.remove(&change.path).unwrap_or_default();
            let item = Item {
                owner,
                shared: shared.to_vec(),
                authors,
                moved_head,
                before: change.before.clone(),
                after: change.after.clone(),
            };
            self.oracle.push(&change.path, item);
        }
        self.touched.clear();
        changes
    }

    /// Reports what others changed. Only while nothing runs: otherwise it would be a call's.
    fn look(&mut self) {
        if self.f.w.running.is_empty() {
            let changes = self.items(None, &[], false);
            self.f.w.input(Input::ChangedOutside { changes });
        }
    }

    fn note_running(&mut self) {
        self.window.extend(self.f.w.running.iter().map(|one| one.call));
    }

    fn finish(&mut self) {
        self.note_running();
        if self.f.w.running.is_empty() {
            return;
        }
        let place = self.tape.draw(self.f.w.running.len());
        let one = self.f.w.running[place].clone();
        let shared: Vec<NodeId> = self
            .window
            .iter()
            .filter(|call| **call != one.call)
            .copied()
            .collect();
        let flags = self.tape.draw(12);
        let execution = Execution {
            call: one.call,
            attempt: one.attempt,
        };
        let changes = self.items(Some(execution), &shared, flags == 0);
        let head = Head {
            branch: None,
            commit: None,
        };
        let set = ChangeSet {
            changes,
            shared,
            head: (flags == 0).then(|| HeadMove {
                before: head.clone(),
                after: head,
            }),
            ignored: if flags == 1 {
                vec![path("target")]
            } else {
                Vec::new()
            },
            untracked: (flags == 2).then(|| "store full".to_owned()),
        };
        if flags < 3 {
            self.oracle.more.insert(execution);
        }
        let outcome = match (one.cancelled, self.tape.draw(5)) {
            (true, _) => Outcome::Cancelled { executed: true },
            (false, 0) => Outcome::err(not_found()),
            (false, _) => Outcome::ok("1"),
        };
        self.f.w.finish_changing(place, outcome, set);
        self.window = self.f.w.running.iter().map(|one| one.call).collect();
    }

    fn reply(&mut self) {
        if self.f.w.open.is_empty() {
            return;
        }
        self.look();
        if self.tape.draw(8) == 0 {
            self.f.w.reply(&[answer("done")]);
            return;
        }
        let calls = 1 + self.tape.draw(3);
        let first = self.f.w.state.tally.last_no;
        let blocks: Vec<_> = (0..calls)
            .map(|no| {
                let tool = ["write", "idem", "shell", "unknown", "read"][self.tape.draw(5)];
                call(
                    tool,
                    &format!(r#"{{"_as":"l{first}_{no}","n":{}}}"#, first as usize * 4 + no),
                )
            })
            .collect();
        self.f.w.reply(&blocks);
        self.note_running();
    }

    /// Decides what waits.
    fn help(&mut self) {
        let waiting: Vec<NodeId> = self.f.w.state.queue().map(|call| call.id).collect();
        if let Some(id) = waiting.first() {
            self.look();
            let decided = self.f.w.consent(*id, ConsentChoice::RunAgain);
            decided.or_else(|_| self.f.w.approve(*id)).unwrap_or_default();
        }
    }

    fn edit(&mut self) -> Command {
        let nodes: Vec<NodeId> = (self.f.w.state.nodes.values())
            .filter(|node| {
                node.active
                    && matches!(
                        node.id.kind,
                        NodeKind::Call | NodeKind::Thought | NodeKind::Prompt
                    )
            })
            .map(|node| node.id)
            .collect();
        let node = nodes[self.tape.draw(nodes.len())];
        let base = self.f.w.rev(node);
        let no = self.f.w.state.seq.0 + 1_000_000;
        let edit = match (node.kind, self.tape.draw(3)) {
            (NodeKind::Call, 0 | 1) => {
                let (tool, _) = self.f.w.state.nodes[&node].as_call().unwrap();
                Edit::Call {
                    node,
                    base,
                    tool: tool.clone(),
                    args: format!(r#"{{"_as":"{}","n":{no}}}"#, self.f.w.state.calls[&node].label).into(),
                    shown: true,
                }
            }
            (NodeKind::Thought | NodeKind::Prompt, 0 | 1) => Edit::Text {
                node,
                base,
                text: format!("text {no}").into(),
            },
            _ => Edit::Delete { node, base },
        };
        Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: None,
            keep_later: false,
        })
    }

    fn course(&mut self) -> Command {
        let (epoch, effects_seen) = (None, None);
        match self.tape.draw(5) {
            0 | 1 => Command::Edit(UNDO),
            2 => Command::Edit(EditCommand::Redo { epoch, effects_seen }),
            3 => Command::Edit(EditCommand::Switch {
                to: Epoch(self.tape.draw(1 + self.f.w.state.epoch.0 as usize) as u32),
                epoch,
                effects_seen,
            }),
            _ => self.edit(),
        }
    }

    fn command(&mut self) -> FilesCommand {
        match self.tape.draw(8) {
            0 | 1 => {
                let calls: Vec<NodeId> = self.f.w.state.calls.keys().copied().collect();
                if calls.is_empty() {
                    return restore_of(&[]);
                }
                let some: BTreeSet<usize> = (0..3).map(|_| self.tape.draw(calls.len())).collect();
                restore_of(&some.into_iter().map(|at| calls[at]).collect::<Vec<_>>())
            }
            2 => FilesCommand::RestoreBranch {
                to: Epoch(self.tape.draw(1 + self.f.w.state.epoch.0 as usize) as u32),
                choice: RestoreChoice::all(),
            },
            3 => {
                let all: Vec<NodeId> = self.f.w.state.operator.files.restores.keys().copied().collect();
                match all.len() {
                    0 => restore_of(&[]),
                    count => undo_of(all[self.tape.draw(count)]),
                }
            }
            _ => with(self.course()),
        }
    }

    /// Restores files, and compares with the copies.
    fn restore(&mut self) {
        if self.tape.draw(4) > 0 {
            while !self.f.w.running.is_empty() {
                self.finish();
            }
        }
        let runs = !self.f.w.running.is_empty();
        if !runs && self.tape.draw(4) == 0 {
            self.op();
            self.touched.clear();
        }
        let mut command = self.command();
        let Ok(plan) = restore_plan(&self.f.w.state, &self.f.w.rules, &command) else {
            self.look();
            return;
        };
        let paths: Vec<(FilePath, RowStatus)> = plan
            .rows
            .iter()
            .map(|row| (row.path.clone(), row.status.clone()))
            .collect();
        for (path, status) in paths {
            match status {
                RowStatus::Conflict { .. } if self.tape.draw(4) == 0 => choice(&mut command).over.push(path),
                RowStatus::Restore if self.tape.draw(6) == 0 => choice(&mut command).without.push(path),
                _ => {}
            }
        }
        self.commit(command);
    }

    fn commit(&mut self, command: FilesCommand) {
        if self.f.plan(&command).steps.0.is_empty() {
            self.look();
        }
        let plan = self.f.plan(&command);
        let folded = apply::fold(&self.f.w.log);
        assert_eq!(
            restore_plan(&folded, &self.f.w.rules, &command).unwrap(),
            plan,
            "a fold plans the same"
        );
        let before = self.f.tree();
        let runs_writing = (self.f.w.running.iter()).any(|one| one.tool != "read");
        let result = self.f.send(command.clone());
        if runs_writing && !plan.steps.0.is_empty() {
            assert!(result.is_err(), "something still runs");
        }
        if result.is_err() || !is_restoring(&self.f.w.state) {
            assert_eq!(self.f.tree(), before);
            self.look();
            self.note_running();
            return;
        }
        self.restores += 1;
        let mut chosen = command;
        let RestoreChoice { over, without, .. } = choice(&mut chosen).clone();
        self.check_plan(&plan, &before, (&over, &without));
        self.carry_out(before);
        self.check_ledger();
        self.note_running();
    }

    /// Carries out the open restore; sometimes the program dies in between.
    fn carry_out(&mut self, before: Tree) {
        let (restore, steps) = self.f.w.restores.pop().unwrap();
        if self.tape.draw(5) == 0 {
            let some = self.tape.draw(steps.0.len() + 1);
            carry_out(&mut self.f.w.rules.tree.lock().unwrap(), &steps, some);
            self.f.w.crash();
            self.window.clear();
            self.f
                .w
                .cmd(Command::Files(FilesCommand::Continue { restore }))
                .unwrap();
            self.f.w.restores.pop().unwrap();
        }
        let skipped = carry_out(&mut self.f.w.rules.tree.lock().unwrap(), &steps, usize::MAX);
        let now = self.f.tree();
        for step in &steps.0 {
            match now.get(&step.path) {
                Some(state) => self.f.seen.insert(step.path.clone(), state.clone()),
                None => self.f.seen.remove(&step.path),
            };
        }
        // What others put into a directory without a report is found only now.
        assert!(skipped.iter().all(|one| one.why == "not empty"), "{skipped:?}");
        let is_done = |path: &FilePath| skipped.iter().all(|one| one.path != *path);
        let done: BTreeSet<FilePath> = (steps.0.iter())
            .map(|step| step.path.clone())
            .filter(is_done)
            .collect();
        for (path, state) in &now {
            assert!(
                done.contains(path) || before.get(path) == Some(state),
                "{path} changed"
            );
        }
        for (path, state) in &before {
            assert!(
                done.contains(path) || now.get(path) == Some(state),
                "{path} changed"
            );
        }
        let started = self.f.w.state.operator.files.restores[&restore].started.clone();
        // What others changed is reported before anything is launched.
        self.look();
        self.oracle.restored(&started, &done, before);
        self.f.w.input(Input::Restored { restore, skipped });
    }

    fn check_plan(&self, plan: &Plan, before: &Tree, (over, without): (&[FilePath], &[FilePath])) {
        let of = self.f.w.state.operator.files.open().unwrap().started.of;
        let paths: BTreeSet<&FilePath> = self.oracle.live.keys().collect();
        for path in paths {
            let row = plan.rows.iter().find(|row| row.path == *path);
            let step = row.filter(|row| row.is_chosen);
            let is_known = at(before, path) == at(&self.oracle.known, path);
            if let Some(of) = of {
                if let Some(row) = step {
                    let (copy, _) = &self.oracle.before[&of];
                    assert_eq!(row.target, at(copy, path), "{path} is what it was before {of}");
                    assert!(is_known || over.contains(path), "{path} was changed by others");
                }
                continue;
            }
            let becomes = self.oracle.becomes(path, &plan.undone, &plan.redone);
            match (step, becomes) {
                (None, None) => {}
                (Some(row), None) => panic!("{path} is none of the selection: {row:?}"),
                (Some(row), Some(becomes)) => {
                    assert_eq!(row.target, becomes.target, "{path}");
                    if over.contains(path) {
                        continue;
                    }
                    assert!(becomes.clean && is_known, "{path} was changed by others: {row:?}");
                    let selected = |call: &NodeId| plan.undone.iter().any(|one| one.call == *call);
                    for item in &becomes.gone {
                        assert!(
                            item.authors.iter().all(selected),
                            "{path} was changed by {item:?}"
                        );
                    }
                }
                (None, Some(becomes)) => {
                    let is_saved = |state: &FileState| !matches!(state, FileState::Unsaved { .. });
                    let now = at(before, path);
                    let is_due = becomes.clean && is_known && now != becomes.target;
                    let due =
                        is_due && is_saved(&now) && is_saved(&becomes.target) && !without.contains(path);
                    let is_blocked = |row: &Row| matches!(&row.status, RowStatus::NotRestorable { why } if why.contains("director") || why.contains("in it"));
                    assert!(
                        !due || row.is_some_and(is_blocked),
                        "{path} is forgotten: {row:?}"
                    );
                }
            }
        }
    }

    /// An execution is reverted if nothing of it is left.
    fn check_ledger(&self) {
        let owners: BTreeSet<Execution> = self
            .oracle
            .live
            .values()
            .flatten()
            .filter_map(|item| item.owner)
            .collect();
        let changed: BTreeSet<Execution> = self
            .oracle
            .all
            .iter()
            .filter_map(|(_, item)| item.owner)
            .collect();
        for entry in self.f.w.state.ledger.values() {
            let one = Execution {
                call: entry.call,
                attempt: entry.attempt,
            };
            let is_reverted =
                changed.contains(&one) && !owners.contains(&one) && !self.oracle.more.contains(&one);
            assert_eq!(entry.more.reverted_by.is_some(), is_reverted, "{one:?}");
        }
    }

    /// A restore and its undo give the first tree.
    fn there_and_back(&mut self) {
        let Some((restore, record)) = self.f.w.state.operator.files.restores.last_key_value() else {
            return;
        };
        if !self.f.w.running.is_empty() || self.f.w.state.operator.files.open.is_some() {
            return;
        }
        let is_last =
            self.f.w.state.operator.files.log.keys().next_back() == record.end.as_ref().map(|end| &end.seq);
        if !is_last {
            return;
        }
        let (restore, now) = (*restore, self.f.tree());
        let (first, _) = self.oracle.before[&restore].clone();
        let before = self.restores;
        self.commit(undo_of(restore));
        if self.restores == before || !self.f.w.running.is_empty() {
            return;
        }
        assert_eq!(self.f.tree(), first, "the undo gives the first tree");
        let undo = *self.f.w.state.operator.files.restores.keys().next_back().unwrap();
        self.commit(undo_of(undo));
        assert_eq!(self.f.tree(), now, "and its undo the one after the restore");
    }

    fn step(&mut self) {
        match self.tape.draw(16) {
            0..=3 => self.reply(),
            4..=6 if !self.f.w.running.is_empty() => {
                let place = self.tape.draw(self.f.w.running.len());
                let id = self.f.w.running[place].call;
                for path in self.op() {
                    self.touched.entry(path).or_default().insert(id);
                }
            }
            4..=9 => self.finish(),
            10 if self.f.w.running.is_empty() => {
                self.op();
                self.touched.clear();
                self.look();
            }
            10 | 11 => self.help(),
            12 => {
                self.look();
                let command = self.course();
                self.f.w.cmd(command).unwrap_or_default();
                self.note_running();
            }
            13 => self.there_and_back(),
            _ => self.restore(),
        }
    }
}

/// Returns how many restores there were.
fn session(numbers: &[u16]) -> usize {
    let mut tape = OpSequence::new(numbers);
    let mut f = Files::parallel(1 + tape.draw(3) as u32);
    f.w.every = 97;
    let mut session = Session {
        f,
        tape,
        oracle: Oracle::default(),
        window: BTreeSet::new(),
        touched: BTreeMap::new(),
        restores: 0,
    };
    while !session.tape.is_empty() && session.f.w.state.calls.len() < 60 {
        session.step();
    }
    assert_eq!(apply::fold(&session.f.w.log), session.f.w.state);
    session.restores
}

proptest! {
    #![proptest_config(overrule_testing::cases(4))]

    #[test]
    fn a_restore_changes_what_it_says_and_nothing_else(numbers in prop::collection::vec(any::<u16>(), 0..500)) {
        session(&numbers);
    }
}

#[test]
fn the_random_runs_do_restore_files() {
    let mut number = 1_u32;
    let mut numbers = || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 16) as u16
    };
    let restores: usize = (0..40)
        .map(|_| session(&(0..500).map(|_| numbers()).collect::<Vec<_>>()))
        .sum();
    assert!(restores > 100, "{restores}");
}
