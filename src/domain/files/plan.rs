//! Plans a restore: what happens to each path, and why one is left as it is.
//!
//! Must not know: how a file is read or written, how a plan is shown.

mod rows;

use std::collections::{BTreeMap, BTreeSet};

use super::path_history::{Histories, Selected, Selection, Turned};
use super::sources::Sources;
use super::{
    ChangeSet, Execution, FilePath, FileState, HeadMove, Looked, RestoreChoice, RestoreRecord, Step, StepList,
};
use crate::advice::Advice;
use crate::call::Digest;
use crate::id::{NodeId, Seq};
use crate::ledger;
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;
use overrule_base::text::visible;

/// What a restore would do. Only `steps` is carried out, and the digest is of all that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The paths that the selected executions changed, in their order.
    pub rows: Vec<Row>,
    /// Ignored directories in which selected calls wrote: nothing in them is restored.
    pub ignored: Vec<(NodeId, FilePath)>,
    /// Selected executions that moved `HEAD`. It stays where it is.
    pub heads: Vec<HeadRow>,
    /// Selected calls of whose changes something is not known, with the reason.
    pub untracked: Vec<(NodeId, String)>,
    /// Selected executions with other effects than changes of files, by the event of their intent. They stay.
    pub stays: Vec<Seq>,
    /// Executions whose changes are undone.
    pub undone: Vec<Execution>,
    /// Executions whose changes are made again.
    pub redone: Vec<Execution>,
    /// The steps, in the order in which they are carried out.
    pub steps: StepList,
    /// A call that still runs and may write files: nothing is restored before it has ended.
    pub still_runs: Option<NodeId>,
    /// Hash of everything that is carried out.
    pub digest: Digest,
}

/// One path of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The path.
    pub path: FilePath,
    /// What restoring it does.
    pub what: What,
    /// The selected calls that changed it, in their order.
    pub calls: Vec<NodeId>,
    /// What it is now.
    pub now: FileState,
    /// What it becomes.
    pub target: FileState,
    /// Whether it can be restored.
    pub status: RowStatus,
    /// True if it is carried out: it can be restored, or the operator chose it in spite of a conflict, and did not leave it
    /// out.
    pub is_chosen: bool,
}

/// What restoring a path does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Its content, its permissions or its kind is the earlier one again.
    Restore,
    /// It was created, and is deleted.
    Delete,
    /// It was deleted, and is created again.
    Recreate,
}

/// Whether a path can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowStatus {
    /// It can.
    Restore,
    /// Something else changed it: it is restored only if the operator chooses that.
    Conflict {
        /// Why, such as `c9 changed it later and stays`.
        why: String,
    },
    /// It cannot.
    NotRestorable {
        /// Why, such as `not saved (9.1 MiB, limit 8 MiB)`.
        why: String,
    },
    /// It is already what it would become.
    Nothing,
}

/// An execution that moved `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadRow {
    /// The call.
    pub call: NodeId,
    /// From where to where.
    pub moved: HeadMove,
    /// The command with which a person moves it back, such as `git reset --soft a1b2c3d`.
    pub hint: String,
}

impl Plan {
    /// Plans a restore of the changes of a selection, as the files are now. Refused if they cannot be looked at.
    pub(crate) fn of(
        state: &State,
        advice: &dyn Advice,
        selection: &Selection,
        choice: &RestoreChoice,
    ) -> Result<Self, Refusal> {
        let sources = Sources::of(state);
        let histories = Histories::of(&sources);
        let record = selection.of.and_then(|of| state.operator.files.restores.get(&of));
        let turned = turned(record, (&sources, &histories), selection);
        let over: BTreeSet<&FilePath> = choice.over.iter().collect();
        let without: BTreeSet<&FilePath> = choice.without.iter().collect();
        let looked_at = FilePath::with_parents(turned.iter().map(|(path, _)| (*path).clone()));
        let targets = turned.iter().filter_map(|(_, turned)| turned.target.hash());
        let targets: BTreeSet<&str> = targets.collect();
        let targets: Vec<&str> = targets.into_iter().collect();
        let found = look(advice, &looked_at, &targets)?;
        let mut states: BTreeMap<FilePath, FileState> = looked_at.into_iter().zip(found.states).collect();
        let mut rows: Vec<Row> = Vec::with_capacity(turned.len());
        for (path, turned) in turned {
            let recorded = histories.paths.get(path).and_then(|history| history.now);
            let now = states.remove(path);
            rows.push(rows::row(
                path.clone(),
                (recorded, now),
                (turned, &found.lost),
                (&over, &without),
            ));
        }
        let planned: BTreeSet<&FilePath> = rows.iter().map(|row| &row.path).collect();
        let others = (histories.paths.iter())
            .filter(|(path, history)| {
                !planned.contains(*path) && history.now.is_some_and(FileState::is_there)
            })
            .map(|(path, _)| *path);
        let others: Vec<&FilePath> = others.collect();
        states.retain(|_, state| !matches!(state, FileState::Dir { .. }));
        rows::check_directories(&mut rows, &others, &states.into_keys().collect());
        let shared = sources.shared();
        let chosen = rows.iter().filter(|row| row.is_chosen);
        let steps = chosen.map(|row| Step {
            path: row.path.clone(),
            from: row.now.clone(),
            to: row.target.clone(),
        });
        let mut plan = Self {
            steps: StepList::ordered(steps.collect()),
            rows,
            ignored: Vec::new(),
            heads: Vec::new(),
            untracked: Vec::new(),
            stays: Vec::new(),
            undone: known(&sources, &shared, &selection.undone),
            redone: known(&sources, &shared, &selection.redone),
            still_runs: None,
            digest: Digest("".into()),
        };
        for execution in &selection.undone {
            plan.note(state, *execution, (sources.set(*execution), &shared));
        }
        plan.digest = plan.hash(selection);
        Ok(plan)
    }

    /// Notes what of a selected execution is not restored.
    fn note(
        &mut self,
        state: &State,
        execution: Execution,
        (set, shared): (Option<&ChangeSet>, &BTreeSet<NodeId>),
    ) {
        let call = execution.call;
        let entry = state
            .attempt(execution)
            .and_then(|record| state.ledger.get(&record.intent));
        let happened = entry.filter(|entry| {
            entry.effect.has_effect() && entry.thread.is_none() && ledger::may_have_happened(entry)
        });
        let Some(set) = set else {
            if happened.is_some() {
                let why = "what it changed was not recorded".to_owned();
                self.untracked.push((call, why));
            }
            return;
        };
        self.ignored
            .extend(set.ignored.iter().map(|path| (call, path.clone())));
        self.heads.extend(set.head.iter().map(|moved| HeadRow {
            call,
            moved: moved.clone(),
            hint: rows::hint(moved),
        }));
        self.untracked
            .extend(set.untracked.iter().map(|why| (call, why.clone())));
        // What changed no file did something else, if anything. Another call may be recorded with what it changed.
        let is_known = set.untracked.is_none() && set.ignored.is_empty() && !shared.contains(&call);
        if let Some(entry) = happened.filter(|_| is_known && set.changes.0.is_empty()) {
            self.stays.push(entry.seq);
        }
    }

    /// Hash of everything that is carried out.
    fn hash(&self, selection: &Selection) -> Digest {
        // None of these can fail to become JSON.
        let steps = serde_json::to_vec(&self.steps.0).unwrap_or_default();
        let undone = serde_json::to_vec(&self.undone).unwrap_or_default();
        let redone = serde_json::to_vec(&self.redone).unwrap_or_default();
        let of = selection.of.map(|of| of.to_string()).unwrap_or_default();
        let parts: [&[u8]; 4] = [&steps, &undone, &redone, of.as_bytes()];
        Digest(overrule_base::canon::hash("overrule restore v1", &parts).into())
    }
}

/// Looks at files for a restore.
pub(crate) fn look(advice: &dyn Advice, paths: &[FilePath], contents: &[&str]) -> Result<Looked, Refusal> {
    if paths.is_empty() {
        return Ok(Looked::default());
    }
    let found = advice.look_at_files(paths, contents);
    found.map_err(|why| {
        let why = visible(&why);
        Refusal::new(RefusalKind::Status, format!("cannot restore: {why}"))
    })
}

/// The paths that a selection changes, each with what it becomes.
fn turned<'s>(
    record: Option<&'s RestoreRecord>,
    (sources, histories): (&'s Sources<'_>, &Histories<'s>),
    selection: &Selection,
) -> Vec<(&'s FilePath, Turned<'s>)> {
    if let Some(of) = selection.of {
        let steps: BTreeMap<&FilePath, &Step> = record
            .iter()
            .flat_map(|record| record.done())
            .map(|step| (&step.path, step))
            .collect();
        let turned = steps.into_iter().filter_map(|(path, step)| {
            let history = histories.paths.get(path)?;
            Some((path, history.turned_back(of, &step.from)?))
        });
        return turned.collect();
    }
    let selected = Selected::of(selection, sources).with_shared(sources);
    let turned = selected.paths.iter().filter_map(|path| {
        let history = histories.paths.get(path)?;
        Some((*path, history.turned(path, &selected)?))
    });
    turned.collect()
}

/// The executions with a recorded change set, be it empty, and those that may share the changes of others.
fn known(sources: &Sources<'_>, shared: &BTreeSet<NodeId>, all: &BTreeSet<Execution>) -> Vec<Execution> {
    let is_known = |one: &&Execution| sources.set(**one).is_some() || shared.contains(&one.call);
    all.iter().filter(is_known).copied().collect()
}
