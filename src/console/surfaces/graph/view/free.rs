//! Makes the texts in the rows that the graph leaves free: thoughts in full, then outputs and differences of calls.
//!
//! Must not know: in which rows they are drawn.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ratatui::layout::Rect;

use super::lines;
use super::{Layout, basis};
use crate::ground::doc::Styled;
use crate::ground::layout::fold::RowKind;
use crate::ground::theme::Role;
use crate::kernel::graph::body::OUTPUT;
use crate::kernel::graph::free::LongText;
use crate::kernel::graph::rows::Row;
use crate::kernel::graph::{Form, Level};
use crate::kernel::model::Model;
use crate::run::summary;
use crate::surfaces::graph::call_text;
use overrule_base::known_tool::{self, Kind};
use overrule_base::text::head;
use overrule_domain::call::{Call, Status};
use overrule_domain::id::{NodeId, NodeKind};

/// The most lines of a difference.
const DIFFERENCE: usize = 20;

/// Fills the free rows of the pane. They become fewer by those with a text.
pub(crate) fn prepare(model: &mut Model, area: Rect) {
    let graph = &model.graph;
    // What covers the pane leaves no room that a node does not need.
    let is_covered = !model.stack.is_empty() && !model.screen.docks;
    let has_room = graph.form == Form::Lanes && graph.settings.level != Level::Text && !is_covered;
    let room = if has_room { graph.blank } else { 0 };
    let landed = graph.landed.filter(|_| room > 0);
    let mut free = std::mem::take(&mut model.graph.free);
    free.renew((basis(model), room, area.width, landed), || {
        texts(model, area, room)
    });
    model.graph.blank -= free.used().min(room);
    model.graph.free = free;
}

/// A text in at most this many columns, with at most this many rows below its own.
type Make = fn(&Model, &Row, (usize, usize)) -> Option<LongText>;

/// The texts for a number of free rows. The call that a jump went to comes first, then the newest turn.
fn texts(model: &Model, area: Rect, room: usize) -> BTreeMap<NodeId, LongText> {
    let state = &model.run.state;
    let layout = Layout::of(model, area, (0, Form::Lanes));
    let width = usize::from(layout.columns.text_place(layout.rows).width);
    let is_plain = |here: &&Row| {
        here.kind == RowKind::Node
            && lines::looks(state, here.key).1.is_none()
            && !lines::changes_with_time(model, here)
    };
    let mut rows: Vec<&Row> = model.graph.rows.iter().filter(is_plain).collect();
    rows.sort_by_key(|here| Reverse(state.turn_of(here.key).map(|turn| turn.id)));
    let mut out = BTreeMap::new();
    let mut left = room;
    let landed = |here: &&&Row| Some(here.key) == model.graph.landed;
    let landed: Vec<&Row> = rows.iter().filter(landed).copied().collect();
    let kinds: [(&[&Row], Make); 5] = [
        (&landed, without_success),
        (&landed, with_success),
        (&rows, thought),
        (&rows, without_success),
        (&rows, with_success),
    ];
    for (rows, make) in kinds {
        for here in rows {
            if left == 0 {
                return out;
            }
            if out.contains_key(&here.key) {
                continue;
            }
            if let Some(text) = make(model, here, (width, left)) {
                left -= text.below.len();
                out.insert(here.key, text);
            }
        }
    }
    out
}

/// A thought or an answer in full, or its beginning.
fn thought(model: &Model, here: &Row, (width, left): (usize, usize)) -> Option<LongText> {
    let node = model.run.state.node(here.key)?;
    if !matches!(here.key.kind, NodeKind::Thought | NodeKind::Answer) {
        return None;
    }
    // The last column stays free, for the sign of a cut.
    let mut rows = lines::node::text_rows(model, node, width.saturating_sub(1), left + 2).into_iter();
    let row = rows.next()?;
    let mut below: Vec<Styled> = rows.collect();
    if below.len() > left {
        below.truncate(left);
        let last = below.pop()?;
        below.push(last.own(Role::Dim, "…"));
    }
    (!below.is_empty()).then_some(LongText { row, below })
}

/// The end of the output of a call that ended without success.
fn without_success(model: &Model, here: &Row, (width, left): (usize, usize)) -> Option<LongText> {
    let call = model.run.state.calls.get(&here.key)?;
    let has_ended = match call.status {
        Status::Exited(code) => code != 0,
        Status::Failed(_) => true,
        _ => false,
    };
    has_ended
        .then(|| output(model, call, Role::Text, (width, left)))
        .flatten()
}

/// What a call that succeeded changed of a file, or the end of its output.
fn with_success(model: &Model, here: &Row, (width, left): (usize, usize)) -> Option<LongText> {
    let state = &model.run.state;
    let call = state.calls.get(&here.key)?;
    let (tool, args) = state.node(here.key)?.as_call()?;
    if !matches!(call.status, Status::Succeeded | Status::Exited(0)) {
        return None;
    }
    if !matches!(
        known_tool::kind(tool),
        Some(Kind::Write | Kind::Edit | Kind::Patch)
    ) {
        return output(model, call, Role::Dim, (width, left));
    }
    let below = call_text::difference(model, (tool, args), width.saturating_sub(1));
    let fits = !below.is_empty() && below.len() <= DIFFERENCE.min(left);
    fits.then(|| {
        let row = lines::line(model, here, None, width);
        LongText { row, below }
    })
}

/// The last lines of an output; none for one that has a line alone, which is in the row. With little room they are fewer if
/// the call did not succeed.
fn output(model: &Model, call: &Call, role: Role, (width, left): (usize, usize)) -> Option<LongText> {
    let is_separate = model.graph.settings.split.contains(&call.id);
    let observation = model.run.state.observation(call.id).filter(|_| !is_separate)?;
    let mut ends = summary::ends(observation.outcome()?, OUTPUT);
    if role == Role::Dim && ends.len() > left {
        return None;
    }
    ends.drain(..ends.len().saturating_sub(left));
    let below = ends.iter().map(|line| {
        let (line, _) = head(line, width + 1);
        Styled::new().laid_out(role, line)
    });
    let below: Vec<Styled> = below.collect();
    (below.len() > 1).then(|| LongText {
        row: lines::node::line_above(model, call.id, width).joined(width),
        below,
    })
}
