//! The graph pane: rows with lanes, bars over time, or a map; next to it a strip of the whole run.
//!
//! Must not know: how rows come to be.

pub(crate) mod free;
pub(crate) mod lines;
pub(crate) mod map;
pub(crate) mod margins;
pub(crate) mod row_preview;
pub(crate) mod strip;
pub(crate) mod time;

use std::fmt::Write as _;
use std::ops::Range;

use ratatui::layout::Rect;

use super::transcript;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::layout::gutter::{Cell, Glyphs};
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::draw::shell;
use crate::kernel::graph::row_texts::{RowTexts, TextBasis};
use crate::kernel::graph::rows::Row;
use crate::kernel::graph::{Form, Level, body};
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use lines::RowColumns;
use margins::Margins;
use overrule_base::text::visible;
use overrule_domain::id::NodeId;
use overrule_domain::lineage::Plan;
use row_preview::RowPreview;

/// Members of a folded row that are checked for a highlight.
const MAX_HIGHLIGHTED: usize = 32;
/// The fewest columns with a strip of the whole run.
const STRIP: u16 = 30;

/// Panes with fewer columns have narrow gaps.
const NARROW: u16 = 60;

/// Columns of the text of a row that is searched: as much as a wide screen shows.
const SEARCHED: usize = 240;

/// The text of the row of a node, or of the folded row that stands for it.
pub(crate) fn text_of(model: &Model, id: NodeId) -> String {
    let row = model.graph.rows.of(id).filter(|row| row.key == id);
    row.map_or_else(String::new, |row| {
        let line = lines::parts(model, row, None, SEARCHED);
        let texts = [line.left.plain(), line.right.plain()];
        format!("{} {}", row.key, texts.join(" ").trim_end())
    })
}

/// Draws the pane.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let graph = &model.graph;
    let mut used = shell::title(model, canvas, area, Pane::GRAPH, &title(model));
    let body = inside(area);
    if body.is_empty() {
        return;
    }
    if graph.is_empty() {
        let words = match (&graph.settings.filter, model.run.arrived) {
            (Some(_), _) => "no matches",
            (None, true) => "nothing has happened yet",
            (None, false) => "waiting for the run",
        };
        canvas.put(body.x + 1, body.y, body.width.saturating_sub(1), words, Role::Dim);
        return;
    }
    let margins = match graph.form {
        Form::Map => map::draw(model, canvas, body),
        Form::Transcript => {
            transcript::draw(model, canvas, body);
            Margins::default()
        }
        Form::Lanes | Form::Time => {
            let blank = u16::try_from(graph.blank).unwrap_or(u16::MAX).min(body.height);
            lanes_of(model, canvas, body, (graph.top, graph.form, blank), None)
        }
    };
    let mut line = row_of(area, 0);
    if graph.form == Form::Time {
        let layout = Layout::of(model, body, (graph.top, Form::Time));
        let scale = time::Scale::new(model, usize::from(layout.body.height), layout.rows);
        (line, used) = scale.title(model, canvas, line, used);
    }
    let fresh = graph.fresh();
    if fresh > 0 {
        let more = Symbol::MoreBelow.glyph(model.settings.charset);
        let words = format!(" {more} {fresh} new ");
        let width = words.columns() as u16;
        if used + width < line.width {
            canvas.put(line.right() - width - 1, area.y, width, &words, Role::Key);
            line.width -= width;
        }
    }
    margins.draw(model, canvas, line, used);
}

fn title(model: &Model) -> String {
    let graph = &model.graph;
    let mut words = match graph.form {
        Form::Lanes if model.run.at.is_some() => "replay".to_owned(),
        Form::Lanes => "graph".to_owned(),
        Form::Map => "map".to_owned(),
        Form::Time => "timeline".to_owned(),
        Form::Transcript => transcript::title(model),
    };
    if graph.form == Form::Lanes {
        words.push_str(match graph.settings.level {
            Level::Recent => "",
            Level::Turns => " by turns",
            Level::Nodes => " of every node",
            Level::Text => " with text",
        });
        if let Some(at) = &model.run.at {
            // Writing into a string cannot fail.
            let _ = write!(words, " · {}", at.describe());
        }
    }
    if let Some(filter) = &graph.settings.filter {
        let text = visible(overrule_base::text::head(&filter.text, 60).0);
        // Writing into a string cannot fail.
        let _ = write!(words, ", only {text} ({})", graph.found());
        if let Some(called) = graph.settings.revealed {
            let _ = write!(words, " and {called}");
        }
    }
    words
}

/// The places of the parts of the pane.
struct Layout {
    /// The rows and the strip.
    body: Rect,
    /// The rows.
    rows: Rect,
    /// True with a strip of the whole run.
    with_strip: bool,
    /// Columns of the parts of a row.
    columns: RowColumns,
}

impl Layout {
    fn of(model: &Model, body: Rect, (top, form): (usize, Form)) -> Self {
        let height = usize::from(body.height);
        // A run that is nearly all on screen needs no strip.
        let with_strip = model.graph.len() > 2 * height && body.width >= STRIP;
        let rows = Rect {
            // A blank column separates the strip from the text.
            width: body.width - if with_strip { 2 } else { 0 },
            ..body
        };
        let lanes = match form {
            Form::Time => 1,
            _ => widest(model, top..top + height, usize::from(rows.width / 2)),
        };
        let columns = RowColumns {
            lanes,
            ids: ids(model, top..top + height),
            gap: if rows.width < NARROW { 1 } else { 2 },
        };
        Self {
            body,
            rows,
            with_strip,
            columns,
        }
    }
}

/// What the texts of all rows depend on.
pub(crate) fn basis(model: &Model) -> TextBasis {
    TextBasis {
        build: model.graph.build,
        staged_edits: model.staged_edits.stamp,
        halted: model.run.halted.is_some(),
        charset: model.settings.charset,
        line: model.settings.line,
        wide: model.settings.wide,
    }
}

/// Makes the texts of the rows on screen, as far as they are not known from the frame before. What changes with the time
/// is not kept.
pub(crate) fn keep_texts(model: &mut Model, area: Rect) {
    if model.graph.form != Form::Lanes {
        return;
    }
    let mut earlier = std::mem::take(&mut model.graph.texts);
    let mut texts = RowTexts::new(basis(model));
    let top = model.graph.top;
    let layout = Layout::of(model, area, (top, Form::Lanes));
    for row in top..top + usize::from(layout.body.height) {
        let Some(here) = model.graph.rows.get(row) else {
            break;
        };
        if !lines::changes_with_time(model, here) {
            let role = lines::looks(&model.run.state, here.key).1;
            let width = layout.columns.text_place(layout.rows).width;
            let look = (usize::from(width), role);
            texts.add(here.key, look, &mut earlier, || {
                lines::line(model, here, role, look.0)
            });
        }
    }
    model.graph.texts = texts;
}

/// Draws rows from the given one; with a plan, the preview of each row. Returns the signs in the margins.
fn lanes_of(
    model: &Model,
    canvas: &mut Canvas<'_>,
    body: Rect,
    (top, form, blank): (usize, Form, u16),
    plan: Option<&Plan>,
) -> Margins {
    let mut margins = Margins::default();
    let graph = &model.graph;
    let cursor = graph.cursor();
    let Layout {
        body,
        rows: area,
        with_strip,
        columns,
    } = Layout::of(model, body, (top, form));
    let height = usize::from(body.height);
    let scale = (form == Form::Time).then(|| time::Scale::new(model, height, area));
    let mut line = blank;
    let mut row = top;
    while line < body.height && row < graph.len() {
        let place = row_of(area, line);
        let mut below = 0;
        match graph.rows.get(row) {
            Some(here) => {
                if let Some(scale) = &scale {
                    margins.add(time::row(model, canvas, place, here, columns, scale));
                } else {
                    let preview = plan.and_then(|plan| RowPreview::of(plan, here));
                    let by_cursor = plan.is_none();
                    margins.add(lines::node_row(
                        model,
                        canvas,
                        place,
                        (row, here),
                        columns,
                        preview,
                        by_cursor,
                    ));
                    let room = Rect {
                        y: place.y + 1,
                        height: body.bottom().saturating_sub(place.y + 1),
                        ..place
                    };
                    below = text(model, canvas, room, row, columns);
                    if plan.is_none() {
                        below += free_text(model, canvas, room, (row, here), columns);
                    }
                }
            }
            None => {
                if let Some((turn, part)) = graph.live.get(row - graph.rows.len()) {
                    lines::live_row(model, canvas, place, *turn, *part, columns);
                    if let Some(scale) = &scale {
                        time::live(model, canvas, place, *turn, scale);
                    }
                }
            }
        }
        if Some(row) == cursor {
            canvas.tint(place, Role::Selection);
            shell::pointer(model, canvas, place, Pane::GRAPH);
        }
        line += 1 + below;
        row += 1;
    }
    if with_strip {
        let column = Rect {
            x: body.right() - 1,
            width: 1,
            ..body
        };
        margins.failures = strip::draw(model, canvas, column, top..row);
    }
    margins
}

/// Columns of the widest lanes on screen.
fn widest(model: &Model, rows: Range<usize>, most: usize) -> usize {
    let graph = &model.graph;
    let mut cells = Vec::new();
    (rows.start..rows.end.min(graph.rows.len()))
        .map(|row| {
            graph.rows.gutter.cells(row, open(model, row), &mut cells);
            cells.len()
        })
        .max()
        .unwrap_or(1)
        .min(most)
        .max(1)
}

/// Columns of the widest id on screen.
fn ids(model: &Model, rows: Range<usize>) -> usize {
    let rows = rows.filter_map(|row| model.graph.rows.get(row));
    let ids = rows
        .filter(|row| lines::has_id(row))
        .map(|row| row.key.to_string().len());
    ids.max().unwrap_or(2)
}

/// Lanes above a row that lead to a later child.
fn open(model: &Model, row: usize) -> u32 {
    let state = &model.run.state;
    model.graph.rows.gutter.open_lanes(row, |id| {
        state
            .calls
            .get(&id)
            .is_some_and(|call| !call.status.is_settled() && state.node(id).is_some_and(|node| node.active))
    })
}

/// Draws the cells of lanes; the node of the row is `node`.
fn lanes(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    cells: &[Cell],
    node: (char, Role),
    widest: usize,
) {
    let glyphs = Glyphs::of(model.settings.line);
    for (at, cell) in cells.iter().take(widest).enumerate() {
        let glyph = glyphs.of_cell(*cell, Some(node.0));
        let role = if cell.has(Cell::NODE) { node.1 } else { Role::Line };
        let x = place.x + 1 + u16::try_from(at).unwrap_or(u16::MAX);
        if x < place.right() {
            canvas.put(x, place.y, 1, glyph.encode_utf8(&mut [0; 4]), role);
        }
    }
}

/// Draws the text of a node that is in free rows below it. Returns the lines used.
fn free_text(
    model: &Model,
    canvas: &mut Canvas<'_>,
    room: Rect,
    (row, here): (usize, &Row),
    columns: RowColumns,
) -> u16 {
    let graph = &model.graph;
    let Some(long) = graph.free.get(here.key) else {
        return 0;
    };
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let mut cells = Vec::new();
    graph.rows.gutter.below(row, open(model, row + 1), &mut cells);
    for (at, line) in long.below.iter().enumerate().take(usize::from(room.height)) {
        let place = row_of(room, at as u16);
        lanes(model, canvas, place, &cells, (' ', Role::Line), columns.lanes);
        canvas.row(columns.text_place(place), line, more);
    }
    u16::try_from(long.below.len())
        .unwrap_or(u16::MAX)
        .min(room.height)
}

/// Draws the text of a node below its row: at the level with text, or the end of an output. Returns the lines used.
fn text(model: &Model, canvas: &mut Canvas<'_>, room: Rect, row: usize, columns: RowColumns) -> u16 {
    let graph = &model.graph;
    let body = body::of_row(&model.run.state, graph, row, graph.map.room.0);
    let mut cells = Vec::new();
    graph.rows.gutter.below(row, open(model, row + 1), &mut cells);
    for (at, line) in body.lines.iter().enumerate().take(usize::from(room.height)) {
        let place = row_of(room, at as u16);
        if graph.settings.level != Level::Text {
            lanes(model, canvas, place, &cells, (' ', Role::Line), columns.lanes);
            let line = Styled::new().own(Role::Text, line.text.as_str());
            canvas.row(columns.text_place(place), &line, model.more());
            continue;
        }
        let beside = body.indent.saturating_sub(1);
        lanes(model, canvas, place, &cells, (' ', Role::Line), beside);
        let x = place.x + u16::try_from(body.indent).unwrap_or(0);
        let role = match line.part {
            body::Part::Text => Role::Text,
            body::Part::Why => Role::ModelText,
            body::Part::Gave => Role::Dim,
        };
        let used = canvas.put(x, place.y, place.right().saturating_sub(x), &line.text, role);
        if line.cut {
            let more = Symbol::Ellipsis.glyph(model.settings.charset);
            canvas.put(x + used, place.y, 1, more.encode_utf8(&mut [0; 4]), Role::Dim);
        }
    }
    u16::try_from(body.lines.len())
        .unwrap_or(u16::MAX)
        .min(room.height)
}
