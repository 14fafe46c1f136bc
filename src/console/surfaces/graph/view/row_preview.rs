//! Marks each affected row of the graph with its preview, below the preview of an edit.
//!
//! Must not know: how a plan is made, how a row is drawn.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{MAX_HIGHLIGHTED, lanes_of};
use crate::ground::columns::Columns as _;
use crate::ground::doc::Doc;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::theme::Role;
use crate::kernel::graph::Form;
use crate::kernel::graph::rows::Row;
use crate::kernel::model::Model;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::lineage::Plan;

/// The fewest rows of the graph that are worth a title.
const LEAST: u16 = 3;
/// Rows before the first affected one.
const BEFORE: usize = 2;

/// The preview mark of a node; the most important comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PreviewMark {
    /// It runs for the first time with these inputs.
    Runs,
    /// The same, but the policy may ask first.
    RunsOrAsks,
    /// It runs again.
    Again,
    /// It runs again if its inputs differ.
    MayRun,
    /// It runs for the first time if its inputs differ.
    MayRunFirst,
    /// Its execution ends.
    Cancelled,
    /// It is superseded.
    Superseded,
    /// It is superseded if its result differs.
    MayFall,
    /// It is active again.
    Back,
    /// Its result stays.
    Unchanged,
}

impl PreviewMark {
    /// The mark that a plan gives a node.
    fn of(plan: &Plan, id: NodeId) -> Option<Self> {
        // A result has the mark of its call.
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

    /// The label and its style, as in the preview.
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

    /// The highlight of a row: that of a child if the node changes, that of a parent if its result stays.
    const fn light(self) -> Role {
        match self {
            Self::Unchanged => Role::Ancestor,
            _ => Role::Descendant,
        }
    }
}

/// The preview mark of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowPreview {
    fate: PreviewMark,
    /// True if only some of its nodes have the mark.
    part: bool,
}

impl RowPreview {
    /// The mark that a plan gives a row and the nodes folded in it.
    pub(crate) fn of(plan: &Plan, here: &Row) -> Option<Self> {
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

    /// Highlights a row and writes the label at its end; returns the columns used.
    pub(crate) fn draw(self, canvas: &mut Canvas<'_>, place: Rect) {
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

    /// Columns of the label and the blank before it.
    pub(crate) fn columns(self) -> u16 {
        self.describe().0.columns() as u16 + 1
    }

    fn describe(self) -> (String, Role) {
        let (word, role) = self.fate.label();
        let words = if self.part {
            format!("partly {word}")
        } else {
            word.to_owned()
        };
        (words, role)
    }
}

/// Draws the affected rows of the graph into the room that a preview leaves.
fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, plan: &Plan) {
    let graph = &model.graph;
    if area.height <= LEAST || graph.is_empty() {
        return;
    }
    canvas.fill(row_of(area, 0), Role::Header);
    canvas.put(
        area.x,
        area.y,
        area.width,
        " affected rows of the graph ",
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
    lanes_of(model, canvas, body, (top, Form::Lanes, 0), Some(plan));
}

/// Draws the rows of the graph that a plan affects below its preview, as far as there is room.
pub(crate) fn touched(model: &Model, frame: &mut Frame<'_>, doc: &Doc, plan: Option<&Plan>) {
    let Some(plan) = plan else { return };
    let body = model.screen.places.body;
    // The line below the preview stays.
    let y = (model.screen.dialog(doc.rows()).bottom() + 1).min(body.bottom());
    let room = Rect {
        y,
        height: body.bottom() - y,
        ..body
    };
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    draw(model, &mut canvas, room, plan);
}
