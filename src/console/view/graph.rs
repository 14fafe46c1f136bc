//! The graph pane: lanes, symbols, one line per node. Must not know: how rows come to be.

use ratatui::layout::Rect;

use super::paint::{Canvas, row_of, tail};
use super::shell;
use crate::console::doc::Styled;
use crate::console::layout::fold::Planned;
use crate::console::layout::gutter::{Cell, Glyphs, Shape};
use crate::console::link::LivePart;
use crate::console::model::Model;
use crate::console::model::screen::{Pane, inside};
use crate::console::summary;
use crate::console::symbols::Symbol;
use crate::console::theme::Role;
use crate::domain::call::Status;
use crate::domain::id::{NodeId, NodeKind, TurnId};
use crate::domain::node::Origin;
use crate::domain::state::State;
use crate::domain::turn::Activity;
use crate::text::visible;

/// Draws the pane.
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let graph = &model.graph;
    let words = if graph.pinned { "graph" } else { "graph, following" };
    shell::title(model, canvas, area, Pane::Graph, words);
    let body = inside(area);
    if body.is_empty() {
        return;
    }
    if graph.is_empty() {
        let words = if model.run.arrived {
            "nothing has happened yet"
        } else {
            "waiting for the run"
        };
        canvas.put(body.x + 1, body.y, body.width.saturating_sub(1), words, Role::Dim);
        return;
    }
    let cursor = graph.cursor();
    let height = usize::from(body.height);
    let mut cells = Vec::new();
    let widest = (graph.top..(graph.top + height).min(graph.rows.len()))
        .map(|row| {
            graph.gutter.cells(row, open(model, row), &mut cells);
            cells.len()
        })
        .max()
        .unwrap_or(1)
        .min(usize::from(body.width / 2))
        .max(1);
    for line in 0..body.height {
        let row = graph.top + usize::from(line);
        if row >= graph.len() {
            break;
        }
        let place = row_of(body, line);
        if let Some(planned) = graph.rows.get(row) {
            node_row(model, canvas, place, row, planned, widest);
        } else if let Some((turn, part)) = graph.live.get(row - graph.rows.len()) {
            live_row(model, canvas, place, *turn, *part, widest);
        }
        if Some(row) == cursor {
            canvas.tint(place, Role::Selection);
            let pointer = Symbol::Pointer.glyph(model.settings.charset);
            canvas.put(
                place.x,
                place.y,
                1,
                pointer.encode_utf8(&mut [0; 4]),
                Role::Accent,
            );
        }
    }
    let fresh = graph.fresh();
    if fresh > 0 {
        let more = Symbol::MoreBelow.glyph(model.settings.charset);
        let words = format!(" {more} {fresh} new ");
        let width = words.chars().count() as u16;
        if width < area.width {
            canvas.put(area.right() - width - 1, area.y, width, &words, Role::Key);
        }
    }
}

/// Lanes in which something still waits for its child, above a row.
fn open(model: &Model, row: usize) -> u32 {
    let state = &model.run.state;
    model.graph.gutter.open_lanes(row, |id| {
        state
            .calls
            .get(&id)
            .is_some_and(|call| !call.status.is_settled() && state.node(id).is_some_and(|node| node.active))
    })
}

fn lanes(model: &Model, canvas: &mut Canvas<'_>, place: Rect, row: usize, node: (char, Role), widest: usize) {
    let glyphs = Glyphs::of(model.settings.line);
    let mut cells = Vec::new();
    model.graph.gutter.cells(row, open(model, row), &mut cells);
    for (at, cell) in cells.iter().take(widest).enumerate() {
        let glyph = glyphs.of_cell(*cell, Some(node.0));
        let role = if cell.has(Cell::NODE) { node.1 } else { Role::Line };
        let x = place.x + 1 + u16::try_from(at).unwrap_or(u16::MAX);
        if x < place.right() {
            canvas.put(x, place.y, 1, glyph.encode_utf8(&mut [0; 4]), role);
        }
    }
}

fn node_row(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    row: usize,
    planned: &Planned<NodeId>,
    widest: usize,
) {
    let state = &model.run.state;
    let id = planned.key;
    let (symbol, looks) = looks(state, id);
    let glyph = match planned.shape {
        Shape::Fan => Symbol::Fan,
        _ => symbol,
    };
    lanes(
        model,
        canvas,
        place,
        row,
        (glyph.glyph(model.settings.charset), looks.unwrap_or(glyph.role())),
        widest,
    );
    let x = place.x + 2 + u16::try_from(widest).unwrap_or(0);
    let words = Rect {
        x: x.min(place.right()),
        width: place.right().saturating_sub(x),
        ..place
    };
    let line = match planned.shape {
        Shape::Fold => fold_line(model, planned),
        Shape::Fan => fan_line(model, planned),
        Shape::Node | Shape::Side => node_line(model, id, looks, usize::from(words.width)),
    };
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    canvas.row(words, &line, more);
    if planned
        .members
        .iter()
        .chain([&id])
        .any(|id| model.graph.lit.above.contains(id))
    {
        canvas.tint(place, Role::Ancestor);
    } else if planned
        .members
        .iter()
        .chain([&id])
        .any(|id| model.graph.lit.below.contains(id))
    {
        canvas.tint(place, Role::Descendant);
    }
    if planned
        .members
        .iter()
        .chain([&id])
        .any(|id| model.graph.search.hits.contains(id))
    {
        let id = Rect {
            width: words.width.min(id.to_string().len() as u16),
            ..words
        };
        canvas.tint(id, Role::Match);
    }
}

/// The symbol of a node, and a look for its whole row where it does not count (fully) now.
fn looks(state: &State, id: NodeId) -> (Symbol, Option<Role>) {
    let node = state.node(id);
    let symbol = match state.calls.get(&id) {
        Some(call) => Symbol::of_call(call, node, state.observation(id)),
        None => match node {
            Some(node) if id.kind == NodeKind::Thought && node.is_edited() => Symbol::Edited,
            _ => Symbol::of_kind(id.kind),
        },
    };
    let turn = state.turn_of(id).map(|turn| turn.activity);
    let row = if node.is_some_and(|node| !node.active) {
        Some(Role::Superseded)
    } else if matches!(turn, Some(Activity::Suspended(_))) {
        Some(Role::Dim)
    } else if state.calls.get(&id).is_some_and(|call| call.suspect) {
        Some(Role::Stale)
    } else {
        None
    };
    (symbol, row)
}

fn fold_line(model: &Model, planned: &Planned<NodeId>) -> Styled {
    let state = &model.run.state;
    let by = planned
        .replaced
        .and_then(|seq| state.edits.iter().find(|edit| edit.seq.0 == seq))
        .map(|edit| format!(" by {}", edit.intervention))
        .unwrap_or_default();
    let mark = Glyphs::of(model.settings.line).fold;
    let closed = Symbol::Closed.glyph(model.settings.charset);
    Styled::new().own(
        Role::Fold,
        format!(
            "{mark}{mark} {closed} {} superseded{by} {mark}{mark}",
            planned.count
        ),
    )
}

fn fan_line(model: &Model, planned: &Planned<NodeId>) -> Styled {
    let state = &model.run.state;
    let mut line = Styled::new().own(Role::Fold, format!("{} calls", planned.count));
    let mut counts: Vec<(Symbol, usize)> = Vec::new();
    for id in std::iter::once(&planned.key).chain(&planned.members) {
        let Some(call) = state.calls.get(id) else { continue };
        let symbol = Symbol::of_status(&call.status);
        match counts.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, count)) => *count += 1,
            None => counts.push((symbol, 1)),
        }
    }
    for (symbol, count) in counts {
        line = line.own(
            symbol.role(),
            format!(" {}{count}", symbol.glyph(model.settings.charset)),
        );
    }
    line
}

fn node_line(model: &Model, id: NodeId, row: Option<Role>, width: usize) -> Styled {
    let state = &model.run.state;
    let Some(node) = state.node(id) else {
        return Styled::new();
    };
    let role = |usual: Role| row.unwrap_or(usual);
    let mut line = Styled::new().own(role(Role::Dim), format!("{id} "));
    if node.revisions.len() > 1 {
        line = line.own(role(Role::Edited), format!("{} ", node.rev()));
    }
    if model.collected.touches(id) {
        line = line.own(Role::Edited, "(edit collected) ");
    }
    if node.active {
        for badge in summary::badges(state, id) {
            line = line.own(role(Role::Stale), format!("({badge}) "));
        }
    }
    if let (Some(call), Some((tool, args))) = (state.calls.get(&id), node.as_call()) {
        line = line
            .untrusted(role(Role::Accent), tool, 40)
            .own(role(Role::Text), " ");
        // The status comes before what may be long.
        if call.status != Status::Succeeded {
            let mut word = call.status.word().to_owned();
            if let Status::Failed(class) = &call.status {
                word = format!("failed: {}", class.word());
            }
            if state.held.contains(&id) {
                word.push_str(", held");
            }
            let symbol = Symbol::of_status(&call.status);
            line = line.own(role(symbol.role()), format!("{word}  "));
        }
        line = line.untrusted(role(Role::Text), &summary::arguments(args), (width / 2).max(24));
        let arrow = Symbol::Arrow.glyph(model.settings.charset);
        let apart = model.graph.open.contains(&id);
        if let Some(observation) = state.observation(id).filter(|_| !apart) {
            let by_hand = matches!(observation.now().origin, Origin::Operator { .. });
            let result = observation
                .outcome()
                .map(summary::short_result)
                .unwrap_or_default();
            line = line.own(role(Role::Dim), format!(" {arrow} ")).untrusted(
                role(if by_hand { Role::Edited } else { Role::Dim }),
                &result,
                width,
            );
        }
        return chips(model, id, line);
    }
    let usual = match (id.kind, &node.now().origin) {
        (NodeKind::Prompt, _) => Role::Operator,
        (NodeKind::Intervention, _) | (_, Origin::Operator { .. }) => Role::Edited,
        (NodeKind::Answer, _) => Role::Ok,
        _ => Role::Text,
    };
    let words = summary::of(state, node);
    chips(model, id, line.untrusted(role(usual), &words, width))
}

/// Parents to which no line goes.
fn chips(model: &Model, id: NodeId, mut line: Styled) -> Styled {
    let Some(row) = model.graph.gutter.find(id) else {
        return line;
    };
    let mark = Glyphs::of(model.settings.line).chip;
    for parent in model.graph.gutter.chips(row).iter().take(4) {
        line = line.own(Role::Reference, format!(" {mark}{parent}"));
    }
    line
}

fn live_row(model: &Model, canvas: &mut Canvas<'_>, place: Rect, turn: TurnId, part: usize, widest: usize) {
    let charset = model.settings.charset;
    let symbol = Symbol::Running;
    canvas.put(
        place.x + 1,
        place.y,
        1,
        symbol.glyph(charset).encode_utf8(&mut [0; 4]),
        symbol.role(),
    );
    let Some(live) = model.run.live.get(&turn) else {
        return;
    };
    let x = place.x + 2 + u16::try_from(widest).unwrap_or(0);
    let width = place.right().saturating_sub(x);
    let (head, text) = match live.parts.get(part) {
        Some(LivePart::Text { reasoning, text }) => {
            (if *reasoning { "thinks: " } else { "says: " }.to_owned(), text)
        }
        Some(LivePart::Call { tool, args }) => (format!("calls {}: ", visible(tool)), args),
        None => return,
    };
    let used = canvas.put(x, place.y, width, &head, Role::Running);
    // The newest words are at the end: that is what is shown.
    let room = usize::from(width.saturating_sub(used));
    let from = text
        .char_indices()
        .rev()
        .nth(room.max(1) * 2)
        .map_or(0, |(at, _)| at);
    let shown = visible(text.get(from..).unwrap_or_default());
    canvas.put(
        x + used,
        place.y,
        width.saturating_sub(used),
        tail(&shown, room),
        Role::Text,
    );
}
