//! Previews a restore of files: what it is about, its plan, what the operator chose of it.
//!
//! Must not know: how it is shown, how a command is sent.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use super::file_look::{FileVersions, KnownFiles, PlanNeeds};
use super::looked_at::LookedAt;
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::decide::restore_plan;
use overrule_domain::files::plan::{Plan, Row, RowStatus};
use overrule_domain::files::{FilePath, Looked, RestoreChoice};
use overrule_domain::id::{Epoch, NodeId, Seq};
use overrule_domain::refusal::Refusal;
use overrule_domain::state::State;

/// What the section about files is set to when a preview opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnEdit {
    /// To restore, if nothing stands against it.
    #[default]
    Ask,
    /// To leave the files as they are.
    Keep,
    /// To restore what has no conflict.
    Restore,
}

/// Whose files are restored on their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreOf {
    /// Those of calls, which stay as they are.
    Calls(Vec<NodeId>),
    /// Those at the end of a branch, which does not become the current one.
    Branch(Epoch),
    /// Those of another restore: it is undone.
    Restore(NodeId),
}

impl RestoreOf {
    /// The command that restores what was chosen.
    pub fn command(&self, choice: RestoreChoice) -> FilesCommand {
        match self {
            Self::Calls(calls) => FilesCommand::Restore {
                calls: calls.clone(),
                choice,
            },
            Self::Branch(to) => FilesCommand::RestoreBranch { to: *to, choice },
            Self::Restore(restore) => FilesCommand::UndoRestore {
                restore: *restore,
                choice,
            },
        }
    }
}

/// The command that restores what was chosen with another one: an edit, an undo, a redo or a switch.
pub fn with(command: Command, choice: RestoreChoice) -> FilesCommand {
    FilesCommand::With {
        command: Box::new(command),
        choice,
    }
}

/// What is known of the present states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Looks {
    /// Nothing yet.
    #[default]
    Waiting,
    /// All that the plan needs.
    Known,
    /// Nothing, for this reason. Untrusted.
    Failed(String),
}

/// The preview of a restore.
#[derive(Debug, Clone)]
pub struct RestorePreview {
    /// Whether the files are restored; none until the states are known.
    pub restores: Option<bool>,
    /// The plan, or why there is none. None before the first look.
    pub plan: Option<Result<Plan, Refusal>>,
    /// What is known of the present states.
    pub looks: Looks,
    /// True while the states have to be asked for again: it is new, or the run refused because they changed.
    pub is_outdated: bool,
    /// The marked path.
    marked: Option<FilePath>,
    /// What the plan has to know.
    needs: PlanNeeds,
    /// Paths that are restored in spite of a conflict.
    over: Vec<FilePath>,
    /// Paths that are left as they are.
    without: Vec<FilePath>,
}

impl Default for RestorePreview {
    fn default() -> Self {
        Self {
            restores: None,
            plan: None,
            looks: Looks::Waiting,
            is_outdated: true,
            marked: None,
            needs: PlanNeeds::default(),
            over: Vec::new(),
            without: Vec::new(),
        }
    }
}

impl RestorePreview {
    /// Makes the plan again, by what is known of the files now. It is set to restore or not by `on_edit` once that is known.
    /// `command` makes the command from a choice.
    pub fn look(
        &mut self,
        state: &State,
        known: &KnownFiles,
        command: impl FnOnce(RestoreChoice) -> FilesCommand,
        on_edit: OnEdit,
    ) {
        let choice = RestoreChoice {
            over: self.over.clone(),
            without: self.without.clone(),
            ..RestoreChoice::all()
        };
        let command = command(choice);
        let plan = restore_plan(state, &LookedAt::nothing(state), &command);
        self.needs = needed(state, &command, plan.as_ref().ok());
        let needs = &self.needs;
        let none = Ok(Looked::default());
        let found = if needs.paths.is_empty() {
            Some(&none)
        } else {
            known.looked(needs, newest(state)).filter(|_| !self.is_outdated)
        };
        (self.looks, self.plan) = match found {
            None => (Looks::Waiting, Some(plan)),
            Some(Err(why)) => (Looks::Failed(why.clone()), Some(plan)),
            Some(Ok(found)) => {
                let advice = LookedAt::new(state, &needs.paths, found);
                (Looks::Known, Some(restore_plan(state, &advice, &command)))
            }
        };
        if self.looks == Looks::Known && self.restores.is_none() {
            let has_conflict = || {
                let mut rows = self.rows().iter();
                rows.any(|row| matches!(row.status, RowStatus::Conflict { .. }))
            };
            self.restores = Some(match on_edit {
                OnEdit::Ask => !has_conflict(),
                OnEdit::Keep => false,
                OnEdit::Restore => true,
            });
        }
        if let Some(row) = self.row() {
            self.marked = Some(row.path.clone());
        }
    }

    /// The plan, if there is one.
    pub fn known(&self) -> Option<&Plan> {
        self.plan.as_ref()?.as_ref().ok()
    }

    /// The paths, in their order; empty until the plan is known.
    pub fn rows(&self) -> &[Row] {
        self.known().map_or(&[], |plan| &plan.rows)
    }

    /// The marked row, whatever came above it; the first one while none is marked.
    pub fn at(&self) -> usize {
        let marked = self.marked.as_ref();
        let at = marked.and_then(|path| self.rows().iter().position(|row| row.path == *path));
        at.unwrap_or(0)
    }

    /// The marked path.
    pub fn row(&self) -> Option<&Row> {
        self.rows().get(self.at())
    }

    /// Marks another row.
    pub fn mark(&mut self, at: usize) {
        self.marked = self.rows().get(at).map(|row| row.path.clone());
    }

    /// What the plan has to know of files.
    pub const fn needs(&self) -> &PlanNeeds {
        &self.needs
    }

    /// True where calls changed files, or may have.
    pub fn is_due(&self, state: &State) -> bool {
        self.known().is_some_and(|plan| {
            let is_tracked = !state.operator.files.log.is_empty();
            !plan.rows.is_empty()
                || !plan.ignored.is_empty()
                || !plan.heads.is_empty()
                || is_tracked && !plan.untracked.is_empty()
        })
    }

    /// True if the files are restored.
    pub fn is_on(&self) -> bool {
        self.restores == Some(true) && self.looks == Looks::Known
    }

    /// The number of paths that a commit restores.
    pub fn restored(&self) -> usize {
        let steps = |plan: &Plan| plan.steps.0.len();
        self.known().filter(|_| self.is_on()).map_or(0, steps)
    }

    /// True if a commit reverts everything that a call changed. What of it stays is an effect that stays.
    pub fn undoes(&self, call: NodeId) -> bool {
        let Some(plan) = self.known().filter(|_| self.is_on()) else {
            return false;
        };
        let is_taken_back = |row: &Row| row.is_chosen || row.status == RowStatus::Nothing;
        let mut rows = plan
            .rows
            .iter()
            .filter(|row| row.calls.contains(&call))
            .peekable();
        let is_all = rows.peek().is_some() && rows.all(is_taken_back);
        is_all
            && plan.ignored.iter().all(|(of, _)| *of != call)
            && plan.heads.iter().all(|head| head.call != call)
            && plan.untracked.iter().all(|(of, _)| *of != call)
    }

    /// The choice that is committed; none where nothing is restored.
    pub fn choice(&self) -> Option<RestoreChoice> {
        let plan = self.known().filter(|_| self.restored() > 0)?;
        let planned: BTreeSet<&FilePath> = plan.rows.iter().map(|row| &row.path).collect();
        // A choice about a path that is in no row any more is refused.
        let chosen = |all: &[FilePath]| {
            let all = all.iter().filter(|path| planned.contains(path));
            all.cloned().collect()
        };
        Some(RestoreChoice {
            digest: plan.digest.clone(),
            over: chosen(&self.over),
            without: chosen(&self.without),
        })
    }

    /// Restores the marked path, or leaves it as it is, whatever was chosen for it before.
    pub fn switch_marked(&mut self) {
        let Some(row) = self.row().cloned() else { return };
        let is_conflict = match row.status {
            RowStatus::Restore => false,
            RowStatus::Conflict { .. } => true,
            RowStatus::NotRestorable { .. } | RowStatus::Nothing => return,
        };
        for list in [&mut self.over, &mut self.without] {
            list.retain(|path| *path != row.path);
        }
        if row.is_chosen {
            self.without.push(row.path);
        } else if is_conflict {
            self.over.push(row.path);
        }
    }

    /// Hashes all that is shown and carried out.
    pub fn hash_into(&self, to: &mut impl Hasher) {
        self.restores.hash(to);
        if let Some(plan) = self.known() {
            plan.digest.0.hash(to);
        }
        for row in self.rows() {
            (row.path.bytes(), row.is_chosen).hash(to);
            if let RowStatus::Conflict { why } | RowStatus::NotRestorable { why } = &row.status {
                why.hash(to);
            }
        }
        matches!(self.looks, Looks::Known).hash(to);
    }
}

/// The newest event that changed files.
pub fn newest(state: &State) -> Option<Seq> {
    state.operator.files.log.keys().next_back().copied()
}

/// A path of a plan, from now to what it becomes.
pub fn versions(row: &Row) -> FileVersions {
    FileVersions {
        path: row.path.clone(),
        before: row.now.clone(),
        after: row.target.clone(),
    }
}

/// What a plan has to know of files. What of an interrupted restore is done shows only in the states of all its paths.
fn needed(state: &State, command: &FilesCommand, plan: Option<&Plan>) -> PlanNeeds {
    let record = match command {
        FilesCommand::UndoRestore { restore, .. } => state.operator.files.restores.get(restore),
        _ => None,
    };
    let steps = || record.into_iter().flat_map(|record| &record.started.steps.0);
    let rows = || plan.into_iter().flat_map(|plan| &plan.rows);
    let of_steps = steps().map(|step| (&step.path, &step.from));
    let all = of_steps.chain(rows().map(|row| (&row.path, &row.target)));
    let contents: BTreeSet<&str> = all.clone().filter_map(|(_, becomes)| becomes.hash()).collect();
    PlanNeeds {
        paths: FilePath::with_parents(all.map(|(path, _)| path.clone())),
        contents: contents.into_iter().map(str::to_owned).collect(),
    }
}
