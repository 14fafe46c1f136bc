//! Builds the view of the plan of a restore: what happens to each path, and why one is left as it is.
//!
//! Must not know: how a plan is made, how a restore is carried out.

use serde::Serialize;

use overrule_base::text::visible;
use overrule_domain::files::plan::{Plan, Row, RowStatus, What};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// What a restore would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "restore")]
pub struct RestoreView<'p> {
    /// Hash of everything that is carried out, for `--digest`.
    pub digest: &'p str,
    /// The paths that the selected calls changed.
    pub paths: Vec<RestorePathView<'p>>,
    /// Ignored directories in which selected calls wrote.
    pub ignored: Vec<RestoreIgnoredView>,
    /// Selected calls that moved the commit that is checked out.
    pub heads: Vec<RestoreHeadView<'p>>,
    /// Selected calls of whose changes something is not known.
    pub untracked: Vec<RestoreUntrackedView<'p>>,
    /// A call that still runs and may write files: nothing is restored before it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_runs: Option<NodeId>,
    /// Effects of selected calls that are no changes of files.
    pub also_happened: Vec<RestoreEffectView<'p>>,
}

/// One path of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestorePathView<'p> {
    /// The path below the workspace, in visible form.
    pub path: String,
    /// The selected calls that changed it.
    pub calls: &'p [NodeId],
    /// What restoring it does.
    pub what: &'static str,
    /// Whether it can be restored.
    pub status: &'static str,
    /// Why not, in visible form.
    pub why: Option<String>,
    /// True if it is carried out.
    pub chosen: bool,
}

/// An ignored directory in which a call wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreIgnoredView {
    /// The call.
    pub call: NodeId,
    /// The directory, in visible form.
    pub path: String,
}

/// A call that moved the commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreHeadView<'p> {
    /// The call.
    pub call: NodeId,
    /// The command that moves it back.
    pub hint: &'p str,
}

/// A call of whose changes something is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreUntrackedView<'p> {
    /// The call.
    pub call: NodeId,
    /// Why.
    pub why: &'p str,
}

/// An effect that is no change of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestoreEffectView<'p> {
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: &'p str,
}

impl<'p> RestoreView<'p> {
    /// Builds the view of a plan.
    pub fn of(state: &'p State, plan: &'p Plan) -> Self {
        let entries = plan.stays.iter().filter_map(|seq| state.ledger.get(seq));
        Self {
            digest: &plan.digest.0,
            paths: plan.rows.iter().map(RestorePathView::of).collect(),
            ignored: plan
                .ignored
                .iter()
                .map(|(call, path)| RestoreIgnoredView {
                    call: *call,
                    path: visible(&path.text()),
                })
                .collect(),
            heads: plan
                .heads
                .iter()
                .map(|one| RestoreHeadView {
                    call: one.call,
                    hint: &one.hint,
                })
                .collect(),
            untracked: plan
                .untracked
                .iter()
                .map(|(call, why)| RestoreUntrackedView { call: *call, why })
                .collect(),
            still_runs: plan.still_runs,
            also_happened: entries
                .map(|entry| RestoreEffectView {
                    call: entry.call,
                    tool: &entry.tool,
                })
                .collect(),
        }
    }

    /// Returns how many paths are carried out.
    pub fn chosen(&self) -> usize {
        self.paths.iter().filter(|path| path.chosen).count()
    }
}

impl<'p> RestorePathView<'p> {
    fn of(row: &'p Row) -> Self {
        let (status, why) = match &row.status {
            RowStatus::Restore => ("restore", None),
            RowStatus::Conflict { why } => ("conflict", Some(why)),
            RowStatus::NotRestorable { why } => ("not_restorable", Some(why)),
            RowStatus::Nothing => ("nothing", None),
        };
        Self {
            path: visible(&row.path.text()),
            calls: &row.calls,
            what: match row.what {
                What::Restore => "restore",
                What::Delete => "delete",
                What::Recreate => "recreate",
            },
            status,
            why: why.map(|why| visible(why)),
            chosen: row.is_chosen,
        }
    }
}
