//! Tests of the files that calls change: plans of restores, their rules, what follows from them.
//!
//! Must not know: a file system.

mod commands;
mod interrupted;
mod random;
mod rows;
mod tree;

use std::collections::BTreeMap;

use self::tree::{Tree, file, path, put};
use super::world::*;
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::decide::restore_plan;
use overrule_domain::files::plan::{Plan, RowStatus};
use overrule_domain::files::{ChangeSet, FilePath, RestoreChoice};
use overrule_domain::id::NodeId;
use overrule_domain::input::Input;
use overrule_domain::refusal::Refusal;

/// A run with files.
pub struct Files {
    pub w: World,
    /// The files when somebody looked last.
    pub seen: Tree,
}

impl Files {
    pub fn new() -> Self {
        Self::parallel(1)
    }

    pub fn parallel(parallel: u32) -> Self {
        let limits = overrule_domain::event::run::Limits {
            parallel,
            ..Default::default()
        };
        Self {
            w: World::limited(Rules::default(), limits),
            seen: BTreeMap::new(),
        }
    }

    pub fn tree(&self) -> Tree {
        self.w.rules.tree.lock().unwrap().clone()
    }

    /// Changes the files.
    pub fn touch(&self, change: impl FnOnce(&mut Tree)) {
        change(&mut self.w.rules.tree.lock().unwrap());
    }

    /// Reports what something else than a call changed.
    pub fn look(&mut self) {
        let now = self.tree();
        let changes = tree::changes(&self.seen, &now);
        self.seen = now;
        self.w.input(Input::ChangedOutside { changes });
    }

    /// Something else changes a file, and that is reported.
    pub fn outside(&mut self, name: &str, state: overrule_domain::files::FileState) {
        self.touch(|tree| tree::put(tree, &tree::path(name), state));
        self.look();
    }

    /// The model calls `write` once, with this label.
    pub fn propose(&mut self, label: &str) -> NodeId {
        let no = self.w.state.tally.last_no;
        let args = format!(r#"{{"_as":"{label}","n":{no}}}"#);
        self.w.reply(&[call("write", &args)]);
        self.w.id(label)
    }

    /// An execution ends: what changed since the last look is its change.
    pub fn finish(&mut self, id: NodeId, more: ChangeSet) {
        let now = self.tree();
        let set = ChangeSet {
            changes: tree::changes(&self.seen, &now),
            ..more
        };
        self.seen = now;
        let at = self.w.running.iter().position(|one| one.call == id).unwrap();
        self.w.finish_changing(at, Outcome::ok("1"), set);
    }

    /// The model calls `write`, which changes files.
    pub fn call(&mut self, label: &str, change: impl FnOnce(&mut Tree)) -> NodeId {
        let id = self.propose(label);
        self.touch(change);
        self.finish(id, ChangeSet::default());
        id
    }

    pub fn plan(&self, command: &FilesCommand) -> Plan {
        restore_plan(&self.w.state, &self.w.rules, command).unwrap()
    }

    /// Sends a command with the digest of its plan now.
    pub fn send(&mut self, mut command: FilesCommand) -> Result<Plan, Refusal> {
        let plan = restore_plan(&self.w.state, &self.w.rules, &command)?;
        choice(&mut command).digest = plan.digest.clone();
        self.w.cmd(Command::Files(command))?;
        Ok(plan)
    }

    /// Carries out the open restore.
    pub fn carry_out(&mut self) {
        while let Some((restore, steps)) = self.w.restores.pop() {
            let skipped = tree::carry_out(&mut self.w.rules.tree.lock().unwrap(), &steps, usize::MAX);
            self.seen = self.tree();
            self.w.input(Input::Restored { restore, skipped });
        }
    }

    /// Sends a command, and carries out its restore.
    pub fn restore(&mut self, command: FilesCommand) -> Plan {
        let plan = self.send(command).unwrap();
        self.carry_out();
        plan
    }
}

pub fn choice(command: &mut FilesCommand) -> &mut RestoreChoice {
    match command {
        FilesCommand::Restore { choice, .. }
        | FilesCommand::RestoreBranch { choice, .. }
        | FilesCommand::UndoRestore { choice, .. }
        | FilesCommand::With { choice, .. } => choice,
        other => panic!("{other:?} restores nothing"),
    }
}

pub fn restore_of(calls: &[NodeId]) -> FilesCommand {
    FilesCommand::Restore {
        calls: calls.to_vec(),
        choice: RestoreChoice::all(),
    }
}

pub fn with(command: Command) -> FilesCommand {
    FilesCommand::With {
        command: Box::new(command),
        choice: RestoreChoice::all(),
    }
}

pub fn undo_of(restore: NodeId) -> FilesCommand {
    FilesCommand::UndoRestore {
        restore,
        choice: RestoreChoice::all(),
    }
}

/// The status of a path in a plan, in words.
pub fn status(plan: &Plan, name: &str) -> String {
    let path: FilePath = tree::path(name);
    let row = plan.rows.iter().find(|row| row.path == path);
    match row.map(|row| &row.status) {
        None => "not in the plan".to_owned(),
        Some(RowStatus::Restore) => "restore".to_owned(),
        Some(RowStatus::Nothing) => "nothing".to_owned(),
        Some(RowStatus::Conflict { why }) => format!("conflict: {why}"),
        Some(RowStatus::NotRestorable { why }) => format!("not restorable: {why}"),
    }
}

/// Three calls in three turns: `x` creates `a`, `y` changes it, `z` creates `b`.
pub fn three() -> (Files, [NodeId; 3]) {
    let mut f = Files::new();
    let x = f.call("x", |tree| put(tree, &path("a"), file("1")));
    let y = f.call("y", |tree| put(tree, &path("a"), file("2")));
    let z = f.call("z", |tree| put(tree, &path("b"), file("1")));
    (f, [x, y, z])
}
