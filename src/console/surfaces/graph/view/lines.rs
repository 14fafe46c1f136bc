//! Draws a row of the graph: symbol, id, text and outcome.
//!
//! Must not know: how rows come to be.

pub(crate) mod node;
pub(crate) mod several;

use ratatui::layout::Rect;

use super::row_preview::RowPreview;
use super::{MAX_HIGHLIGHTED, lanes, open};
use crate::ground::doc::Styled;
use crate::ground::layout::fold::RowKind;
use crate::ground::paint::{Canvas, tail};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::graph::body;
use crate::kernel::graph::rows::Row;
use crate::kernel::model::Model;
use node::node_line;
use overrule_base::text::{head, visible};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::live::LivePart;
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Stream, Turn};

/// The text of a row in two parts, the second one at its right end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowLine {
    /// What the row is about.
    pub left: Styled,
    /// What came of it.
    pub right: Styled,
}

impl From<Styled> for RowLine {
    fn from(left: Styled) -> Self {
        Self {
            left,
            right: Styled::new(),
        }
    }
}

impl RowLine {
    /// Both parts in a number of columns; the last column stays free.
    pub(crate) fn joined(self, columns: usize) -> Styled {
        let Self { mut left, right } = self;
        if !right.0.is_empty() {
            let gap = columns
                .saturating_sub(left.columns() + right.columns() + 1)
                .max(1);
            left = left.own(Role::Text, " ".repeat(gap));
            left.0.extend(right.0);
        }
        left
    }
}

/// Columns of the parts of a row: its lanes and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowColumns {
    /// Columns of the widest lanes on screen.
    pub lanes: usize,
    /// Columns of the widest id on screen.
    pub ids: usize,
    /// Columns between the lanes, the ids and the texts.
    pub gap: usize,
}

impl RowColumns {
    /// The place of the id of a row.
    fn id_place(self, place: Rect) -> Rect {
        part_of(place, 1 + self.lanes + self.gap, self.ids)
    }

    /// The place of the text of a row.
    pub fn text_place(self, place: Rect) -> Rect {
        let before = 1 + self.lanes + self.ids + 2 * self.gap;
        part_of(place, before, usize::from(place.width).saturating_sub(before))
    }
}

/// A part of a row, from a column on.
fn part_of(place: Rect, from: usize, columns: usize) -> Rect {
    let x = place.x.saturating_add(u16::try_from(from).unwrap_or(u16::MAX));
    let x = x.min(place.right());
    let columns = u16::try_from(columns).unwrap_or(u16::MAX);
    Rect {
        x,
        width: columns.min(place.right() - x),
        ..place
    }
}

/// True for a row with the id of its node; other rows stand for several nodes.
pub(crate) const fn has_id(here: &Row) -> bool {
    matches!(here.kind, RowKind::Node | RowKind::Turn)
}

/// Draws a row, highlighted by the cursor or by its preview mark. Returns its sign in the margin.
pub(crate) fn node_row(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    (row, here): (usize, &Row),
    columns: RowColumns,
    preview: Option<RowPreview>,
    by_cursor: bool,
) -> Option<Symbol> {
    let looks = looks(&model.run.state, here.key);
    let (glyph, role) = symbol(model, here, looks);
    let mut cells = Vec::new();
    model.graph.rows.gutter.cells(row, open(model, row), &mut cells);
    lanes(model, canvas, place, &cells, (glyph, role), columns.lanes);
    if has_id(here) {
        id(
            canvas,
            columns.id_place(place),
            here,
            looks.1,
            is_match(model, row, here),
        );
    }
    let words = columns.text_place(place);
    let words = Rect {
        width: words.width.saturating_sub(preview.map_or(0, RowPreview::columns)),
        ..words
    };
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let width = usize::from(words.width);
    let long = model.graph.free.get(here.key).filter(|_| by_cursor);
    let known = model.graph.texts.get(here.key, width, looks.1);
    #[cfg(test)]
    if let Some(known) = known {
        assert_eq!(
            *known,
            line(model, here, looks.1, width),
            "a known text is the present one"
        );
    }
    let has_end = by_cursor && model.graph.shows_end(here.key);
    let has_end = has_end && body::tall(&model.run.state, &model.graph, row, place.width) > 1;
    let short = has_end.then(|| node::line_above(model, here.key, width).joined(width));
    match long.map(|long| &long.row).or(short.as_ref()).or(known) {
        Some(line) => canvas.row(words, line, more),
        None => canvas.row(words, &line(model, here, looks.1, width), more),
    }
    let sign = by_cursor
        .then(|| shine(model, canvas, (place, place), here))
        .flatten();
    if let Some(preview) = preview {
        preview.draw(canvas, place);
    }
    sign
}

/// Draws the id of a row at the right end of its place.
fn id(canvas: &mut Canvas<'_>, place: Rect, here: &Row, look: Option<Role>, is_match: bool) {
    let words = here.key.to_string();
    let width = (words.len() as u16).min(place.width);
    let place = Rect {
        x: place.right() - width,
        width,
        ..place
    };
    canvas.put(place.x, place.y, width, &words, look.unwrap_or(Role::Dim));
    if is_match {
        canvas.tint(place, Role::Match);
    }
}

/// True for a row whose text may change while the run does not: of a call that runs or will, or that has a sub-agent.
pub(crate) fn changes_with_time(model: &Model, here: &Row) -> bool {
    let call = model.run.state.calls.get(&here.key);
    here.kind == RowKind::Node
        && call.is_some_and(|call| {
            // A look at a file may find that a waiting call replaces it.
            !call.status.is_settled()
                || call.failure.delay.is_some()
                || model.run.sub_agent(call.id).is_some()
        })
}

/// The text of a row without its id; `look` is the style of the whole row, if it has one.
pub(crate) fn line(model: &Model, here: &Row, look: Option<Role>, width: usize) -> Styled {
    parts(model, here, look, width).joined(width)
}

/// The same in two parts.
pub(crate) fn parts(model: &Model, here: &Row, look: Option<Role>, width: usize) -> RowLine {
    let several = match here.kind {
        RowKind::Replaced => several::fold_line(model, here),
        RowKind::Elided => several::elided_line(model, here),
        RowKind::Fan => several::counts(
            model,
            here,
            Styled::new().own(Role::Fold, format!("{} calls", here.count)),
        ),
        RowKind::Turn => several::turn_line(model, here, width),
        RowKind::Loop(times) => several::loop_line(model, here, times, width),
        RowKind::Node => return node_line(model, here.key, look, width),
    };
    RowLine::from(several)
}

/// The symbol of a row and its style, from its node.
pub(crate) fn symbol(model: &Model, here: &Row, (symbol, look): (Symbol, Option<Role>)) -> (char, Role) {
    let symbol = match here.kind {
        RowKind::Fan => Symbol::Fan,
        RowKind::Loop(_) => Symbol::Loop,
        _ => symbol,
    };
    (
        symbol.glyph(model.settings.charset),
        look.unwrap_or(symbol.role()),
    )
}

/// Highlights the parents and children of the selected node: a sign at the edge of the pane, and a tint
/// where it fits. The sign works without colours. Returns it.
pub(crate) fn shine(
    model: &Model,
    canvas: &mut Canvas<'_>,
    (place, tinted): (Rect, Rect),
    here: &Row,
) -> Option<Symbol> {
    let (symbol, role) = highlight(model, here)?;
    canvas.tint(tinted, role);
    let glyph = symbol.glyph(model.settings.charset);
    canvas.put(place.x, place.y, 1, glyph.encode_utf8(&mut [0; 4]), symbol.role());
    Some(symbol)
}

/// The sign for how a row is connected with the selected node.
fn highlight(model: &Model, here: &Row) -> Option<(Symbol, Role)> {
    let state = &model.run.state;
    let highlighted = &model.graph.highlight;
    if !highlighted.is_any() {
        return None;
    }
    let looked_at = || here.ends(MAX_HIGHLIGHTED).chain([here.key]);
    if looked_at().any(|id| highlighted.is_above(state, id)) {
        Some((Symbol::Ancestor, Role::Ancestor))
    } else if looked_at().any(|id| highlighted.is_below(state, id)) {
        Some((Symbol::Descendant, Role::Descendant))
    } else {
        None
    }
}

/// True for a row with a match of the search.
fn is_match(model: &Model, row: usize, here: &Row) -> bool {
    let graph = &model.graph;
    if graph.search.hits.is_empty() {
        return false;
    }
    let last = here.members.last().copied().unwrap_or(here.key);
    graph
        .search
        .hits
        .range(here.key.min(last)..=last.max(here.key))
        .take(256)
        .any(|id| graph.rows.find(*id) == Some(row))
}

/// The symbol of a node, and a style for its whole row if it is superseded or stale.
pub(crate) fn looks(state: &State, id: NodeId) -> (Symbol, Option<Role>) {
    let node = state.node(id);
    let symbol = match state.calls.get(&id) {
        Some(call) => Symbol::of_call(
            EffectiveStatus::of_call(state, call),
            call,
            node,
            state.observation(id),
        ),
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

/// The row of a broken stream: the reason, and the beginning of the received text.
fn broken_row(model: &Model, canvas: &mut Canvas<'_>, place: Rect, turn: &Turn, columns: RowColumns) {
    let charset = model.settings.charset;
    let symbol = Symbol::Failed;
    let glyph = symbol.glyph(charset);
    canvas.put(
        place.x + 1,
        place.y,
        1,
        glyph.encode_utf8(&mut [0; 4]),
        symbol.role(),
    );
    let kind = match &turn.stream {
        Stream::Broken(fault) => fault.kind.label(),
        _ => return,
    };
    let words = columns.text_place(place);
    let partial = turn.more.open_text();
    let line = Styled::new()
        .own(symbol.role(), format!("{} broke ({kind})  ", turn.id))
        .untrusted(Role::Text, partial, usize::from(words.width));
    canvas.row(words, &line, Symbol::Ellipsis.glyph(charset));
    if model.graph.search.broken.contains(&turn.id) {
        let id = Rect {
            width: words.width.min(turn.id.to_string().len() as u16),
            ..words
        };
        canvas.tint(id, Role::Match);
    }
}

/// The reason of a broken stream, and the beginning of the received text. Contains untrusted text.
pub(crate) fn why_broken(state: &State, turn: TurnId) -> Option<String> {
    let turn = state.turns.get(&turn)?;
    let Stream::Broken(fault) = &turn.stream else {
        return None;
    };
    let partial = turn.more.open_text();
    let (head, _) = head(partial, 200);
    Some(format!("broke ({}) {head}", fault.kind.label()))
}

/// Draws a part of an open stream, or a broken stream.
pub(crate) fn live_row(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    turn: TurnId,
    part: usize,
    columns: RowColumns,
) {
    if model.graph.broken.contains(&turn) {
        if let Some(turn) = model.run.state.turns.get(&turn) {
            broken_row(model, canvas, place, turn, columns);
        }
        return;
    }
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
    let Rect { x, width, .. } = columns.text_place(place);
    let (head, text) = match live.parts.get(part) {
        Some(LivePart::Text { reasoning, text, .. }) => {
            (if *reasoning { "thinks: " } else { "says: " }.to_owned(), text)
        }
        Some(LivePart::Call { tool, args, .. }) => (format!("calls {}: ", visible(tool)), args),
        None => return,
    };
    let used = canvas.put(x, place.y, width, &head, Role::Running);
    // The end has the newest text, so the end is shown.
    let room = usize::from(width.saturating_sub(used));
    let from = text
        .char_indices()
        .rev()
        .nth(room.max(1) * 2)
        .map_or(0, |(at, _)| at);
    // A trailing blank of an open stream is not trailing in the full text.
    let newest = text.get(from..).unwrap_or_default().trim_end_matches(' ');
    let shown = visible(newest);
    let mut words = tail(&shown, room).to_owned();
    if from > 0 || words.len() < shown.len() {
        let more = Symbol::Ellipsis.glyph(charset);
        words = format!("{more}{}", tail(&shown, room.saturating_sub(1)));
    }
    canvas.put(x + used, place.y, width.saturating_sub(used), &words, Role::Text);
}
