//! Computes the areas of the panes from the size of the screen and from what they want.
//!
//! Must not know: what is in a pane.

use ratatui::layout::Rect;

use super::{BESIDE, BOTH, FRAME, GRAPH, Places, Screen, WIDE, Wants};
use crate::kernel::pane::Place;

/// Fewest rows of a screen with a bar and words below it, and with a bar alone.
const LOW_BAR: u16 = 16;
const LOWEST_BAR: u16 = 10;
/// Columns of a text with the inspector at its right.
const TEXT: u16 = 106;

/// A long message gets more rows only if no pane appears or disappears because of it.
pub(super) fn places(screen: &Screen, wants: Wants) -> Places {
    let usual = laid_out(screen, wants, 0);
    let requested = screen.wordy.saturating_sub(usual.status.height);
    let shown = |places: &Places| {
        [places.graph, places.queue, places.inspector, places.lower].map(|area| area.is_some())
    };
    (1..=requested)
        .rev()
        .map(|further| laid_out(screen, wants, further))
        .find(|places| shown(places) == shown(&usual))
        .unwrap_or(usual)
}

/// Areas with `further` more rows than usual for the message on the status line.
fn laid_out(screen: &Screen, wants: Wants, further: u16) -> Places {
    let (width, height) = (screen.width, screen.height);
    let row = |y: u16, rows: u16| Rect::new(0, y.min(height), width, rows.min(height.saturating_sub(y)));
    let header = row(0, 1);
    let top = if wants.banner && height >= 5 { 2 } else { 1 };
    let status_rows = further + if height >= 20 { 2 } else { 1 };
    let status = row(height.saturating_sub(status_rows).max(1), status_rows);
    let bar_rows = match (screen.bar, height) {
        (true, LOW_BAR..) => 2,
        (true, LOWEST_BAR..) => 1,
        _ => 0,
    };
    let body = row(top, height.saturating_sub(top + status_rows + bar_rows));
    let mut out = Places {
        bar: (bar_rows > 0).then(|| row(body.bottom(), bar_rows)),
        header,
        banner: (top == 2).then(|| row(1, 1)),
        status,
        body,
        ..Places::default()
    };
    if body.is_empty() {
        return out;
    }
    if screen.zoom || width < 40 || body.height < 8 {
        *slot(&mut out, screen.focus.place()) = Some(body);
        open_frame(&mut out, wants);
        return out;
    }
    let mut rest = body;
    let sizes = &screen.sizes;
    let beside = wants
        .beside
        .filter(|_| screen.lower.is_some() && rest.height >= BOTH);
    if let Some(columns) = beside {
        stack_panes(screen, wants, rest, &mut out);
        put_beside(screen, columns, &mut out);
        open_frame(&mut out, wants);
        return out;
    }
    if screen.lower.is_some() && rest.height >= 16 {
        let own = if screen.focus.place() == Place::Lower {
            rest.height / 2
        } else {
            (rest.height / 4).max(4)
        };
        let own = sizes.lower.unwrap_or(own).clamp(2, rest.height - 8);
        let (upper, lower) = split_rows(rest, rest.height - own);
        out.lower = Some(lower);
        rest = upper;
    } else if screen.focus.place() == Place::Lower {
        out.lower = Some(rest);
        return out;
    }
    stack_panes(screen, wants, rest, &mut out);
    open_frame(&mut out, wants);
    out
}

/// Puts the graph, the queue and what is looked at above each other.
fn stack_panes(screen: &Screen, wants: Wants, rest: Rect, out: &mut Places) {
    let (sizes, focus) = (&screen.sizes, screen.focus.place());
    if rest.height < BOTH && focus == Place::Graph {
        out.graph = Some(rest);
        return;
    }
    let is_read = wants.reads && wants.frame.is_none() && wants.dialog.is_none();
    if is_read && focus != Place::Queue {
        return stack_text(screen, rest, out);
    }
    let has_graph = rest.height >= BOTH;
    let queue = match wants.queue {
        _ if focus == Place::Queue => {
            let rows = u16::try_from(wants.queue.unwrap_or(0)).unwrap_or(u16::MAX);
            let most = if has_graph { rest.height / 4 } else { 3 };
            let own = rows.saturating_add(1).clamp(2, most.max(3));
            let room = rest
                .height
                .saturating_sub(if has_graph { GRAPH + FRAME } else { FRAME });
            sizes.queue.unwrap_or(own).clamp(2, room.max(2))
        }
        Some(_) => 1,
        None => 0,
    };
    let room = rest.height - queue;
    let below = if has_graph {
        let wanted = match wants.frame {
            Some(rows) => u16::try_from(rows).unwrap_or(u16::MAX),
            None if focus == Place::Inspector => u16::MAX,
            None => rest.height / 2,
        };
        if let Some(dialog) = wants.dialog {
            return stack_dialog(rest, dialog, out);
        }
        let usual = wanted.min(screen.most_of_frame()).min(room.saturating_sub(GRAPH));
        let by_graph = sizes.graph.map(|graph| room.saturating_sub(graph));
        by_graph.unwrap_or(usual).clamp(FRAME, room - FRAME)
    } else {
        room
    };
    let (upper, below) = split_rows(rest, rest.height - below);
    let (graph, line) = split_rows(upper, upper.height - queue);
    out.graph = has_graph.then_some(graph);
    out.queue = (queue > 0).then_some(line);
    out.inspector = Some(below);
}

/// A text alone; with the inspector at its right on a wide screen, or in its place while that has the focus.
fn stack_text(screen: &Screen, rest: Rect, out: &mut Places) {
    if screen.width >= WIDE {
        let right = rest.width - TEXT;
        out.graph = Some(Rect { width: TEXT, ..rest });
        out.inspector = Some(Rect {
            x: rest.x + TEXT,
            width: right,
            ..rest
        });
    } else if screen.focus.place() == Place::Inspector {
        out.inspector = Some(rest);
    } else {
        out.graph = Some(rest);
    }
}

/// A pane at the right of the graph, in the place of the inspector if that is there.
fn put_beside(screen: &Screen, columns: u16, out: &mut Places) {
    let Some(graph) = out.graph else { return };
    if out.inspector.is_some_and(|area| area.x > graph.x) {
        if screen.focus.place() == Place::Inspector {
            return;
        }
        out.inspector = None;
    }
    let columns = columns.min(screen.width.saturating_sub(BESIDE));
    let left = screen.width - columns;
    out.graph = Some(Rect { width: left, ..graph });
    out.lower = Some(Rect {
        x: left,
        width: columns,
        ..graph
    });
}

/// The graph above a dialog.
fn stack_dialog(rest: Rect, dialog: u16, out: &mut Places) {
    let (graph, below) = split_rows(rest, rest.height - dialog.min(rest.height));
    (out.graph, out.inspector) = (Some(graph), Some(below));
}

/// Takes the last row of what is looked at for the lower edge of a frame.
fn open_frame(out: &mut Places, wants: Wants) {
    let Some(area) = out
        .inspector
        .filter(|area| wants.frame.is_some() && area.height >= FRAME)
    else {
        return;
    };
    let (area, edge) = split_rows(area, area.height - 1);
    (out.inspector, out.edge) = (Some(area), Some(edge));
}

pub(super) fn slot(places: &mut Places, place: Place) -> &mut Option<Rect> {
    match place {
        Place::Graph => &mut places.graph,
        Place::Queue => &mut places.queue,
        Place::Inspector => &mut places.inspector,
        Place::Lower => &mut places.lower,
    }
}

pub(super) fn split_rows(area: Rect, upper: u16) -> (Rect, Rect) {
    let upper = upper.min(area.height);
    (
        Rect {
            height: upper,
            ..area
        },
        Rect {
            y: area.y + upper,
            height: area.height - upper,
            ..area
        },
    )
}
