//! What a previewed edit does to the rows of the graph: a word and a light for each, below the preview.
//!
//! Read off the plan that the preview tells about. Must not know: how a plan comes to be, how a row is drawn.

use ratatui::layout::Rect;

use super::super::paint::{Canvas, row_of};
use super::{MAX_HIGHLIGHTED, lanes_of};
use crate::console::columns::Columns as _;
use crate::console::model::Model;
use crate::console::model::graph::Form;
use crate::console::model::graph::rows::Row;
use crate::console::theme::Role;
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::lineage::Plan;

/// The fewest rows of the graph that are worth a title.
const LEAST: u16 = 3;
/// Rows that stand before the first that the edit touches.
const BEFORE: usize = 2;

/// What becomes of a node; what matters most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PreviewMark {
    /// It runs with what it never ran with.
    Runs,
    /// The same, where the policy does not ask first.
    RunsOrAsks,
    /// It runs again.
    Again,
    /// It runs again if what it reads comes out different.
    MayRun,
    /// The same of what it never ran with.
    MayRunFirst,
    /// Its execution ends.
    Cancelled,
    /// It becomes history.
    Superseded,
    /// It becomes history if what was seen of it comes out different.
    MayFall,
    /// It counts again.
    Back,
    /// Its result stays.
    Unchanged,
}

impl PreviewMark {
    /// What a plan does with a node.
    fn of(plan: &Plan, id: NodeId) -> Option<Self> {
        // A result shares the fate of its call.
        let call = id.call();
        let has = |nodes: &[NodeId]| [id, call].iter().any(|one| nodes.binary_search(one).is_ok());
        let is_call = call.kind == NodeKind::Call;
        let calls = |nodes: &[NodeId]| is_call && nodes.binary_search(&call).is_ok();
        if calls(&plan.certain) {
            return Some(match (plan.is_first_run(call), plan.approves.contains(&call)) {
                (false, _) => Self::Again,
                (true, false) => Self::RunsOrAsks,
                (true, true) => Self::Runs,
            });
        }
        let all = [
            (
                calls(&plan.possible) && plan.is_first_run(call),
                Self::MayRunFirst,
            ),
            (calls(&plan.possible), Self::MayRun),
            (plan.cancelled.contains(&call), Self::Cancelled),
            (has(&plan.superseded), Self::Superseded),
            (has(&plan.perhaps), Self::MayFall),
            (has(&plan.recalled), Self::Back),
            (calls(&plan.unchanged), Self::Unchanged),
        ];
        all.into_iter().find(|(is, _)| *is).map(|(_, fate)| fate)
    }

    /// The word and its look: those of the preview.
    const fn label(self) -> (&'static str, Role) {
        match self {
            Self::Runs => ("runs", Role::Running),
            Self::RunsOrAsks => ("runs or asks", Role::Awaiting),
            Self::MayRunFirst => ("may run", Role::Stale),
            Self::Again => ("runs again", Role::Running),
            Self::MayRun => ("may run again", Role::Stale),
            Self::Cancelled => ("cancelled", Role::Failed),
            Self::Superseded => ("superseded", Role::Superseded),
            Self::MayFall => ("may be superseded", Role::Stale),
            Self::Back => ("comes back", Role::Ok),
            Self::Unchanged => ("kept", Role::Ok),
        }
    }

    /// The light of a row: as what hangs on the selected one, where anything becomes of it; as what that hangs on,
    /// where it stays.
    const fn light(self) -> Role {
        match self {
            Self::Unchanged => Role::Ancestor,
            _ => Role::Descendant,
        }
    }
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowPreview {
    fate: PreviewMark,
    /// True where that is said of some of its nodes only.
    part: bool,
}

impl RowPreview {
    /// What a plan does with a row and what is folded in it.
    pub(super) fn of(plan: &Plan, here: &Row) -> Option<Self> {
        let some = here.ends(MAX_HIGHLIGHTED);
        let is_cut = some.clone().count() >= 2 * MAX_HIGHLIGHTED;
        let mut fates = some.chain([here.key]).map(|id| PreviewMark::of(plan, id));
        let first = fates.next()?;
        let (mut most, mut part) = (first, is_cut);
        for fate in fates {
            part |= fate != most;
            most = match (most, fate) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        most.map(|fate| Self { fate, part })
    }

    /// Lights a row and writes the word at its end; gives the columns that it takes.
    pub(super) fn draw(self, canvas: &mut Canvas<'_>, place: Rect) {
        canvas.tint(place, self.fate.light());
        let (words, role) = self.describe();
        let wide = self.columns();
        if wide < place.width {
            let x = place.right() - wide;
            canvas.put(x, place.y, wide, &format!(" {words}"), role);
            canvas.tint(
                Rect {
                    x,
                    width: wide,
                    ..place
                },
                self.fate.light(),
            );
        }
    }

    /// Columns of the word, and of the blank before it.
    pub(super) fn columns(self) -> u16 {
        self.describe().0.columns() as u16 + 1
    }

    fn describe(self) -> (String, Role) {
        let (word, role) = self.fate.label();
        let words = if self.part {
            format!("in part {word}")
        } else {
            word.to_owned()
        };
        (words, role)
    }
}

/// Draws the rows of the graph that a plan touches into the room that a preview leaves.
pub(in crate::console::view) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, plan: &Plan) {
    let graph = &model.graph;
    if area.height <= LEAST || graph.is_empty() {
        return;
    }
    canvas.fill(row_of(area, 0), Role::Header);
    canvas.put(
        area.x,
        area.y,
        area.width,
        " what it touches in the graph ",
        Role::Header,
    );
    let body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    let touched = [
        &plan.certain,
        &plan.superseded,
        &plan.possible,
        &plan.perhaps,
        &plan.recalled,
    ];
    let first = touched.into_iter().filter_map(|nodes| nodes.first()).min();
    let row = first
        .and_then(|id| graph.rows.find(*id).or_else(|| graph.rows.find(id.call())))
        .or(graph.cursor())
        .unwrap_or(0);
    let last = graph.len().saturating_sub(usize::from(body.height));
    let top = row.saturating_sub(BEFORE).min(last);
    lanes_of(model, canvas, body, (top, Form::Lanes), Some(plan));
}
