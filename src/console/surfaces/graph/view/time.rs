//! Draws the timeline: the rows of the graph with bars instead of lanes.
//!
//! Must not know: where times come from.
//!
//! The axis spans the rows on screen, so that each part of a long run has its own scale. An open bar ends at the
//! time of the frame; no frame is drawn for that alone. Each kind of bar has its own character.

use std::fmt::Write as _;

use ratatui::layout::Rect;

use super::lines::{self, RowColumns};
use crate::ground::columns::Columns as _;
use crate::ground::paint::Canvas;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::graph::bars;
use crate::kernel::graph::bars::{Bar, BarKind};
use crate::kernel::graph::rows::Row;
use crate::kernel::model::Model;
use overrule_domain::id::{NodeId, TurnId};

/// The axis of the rows on screen.
pub(crate) struct Scale {
    from: i64,
    to: i64,
    /// First column of the bars.
    x: u16,
    /// Columns of the bars.
    width: u16,
    /// Columns of the results after the bars.
    right: u16,
    /// The data of the bars.
    shown: Vec<BarKind>,
}

/// Columns of the results after the bars.
const RESULT: u16 = 14;
/// The fewest columns with room for them.
const WITH_RESULT: u16 = 70;

impl Scale {
    /// The axis of the rows on screen.
    pub fn new(model: &Model, height: usize, area: Rect) -> Self {
        let graph = &model.graph;
        let state = &model.run.state;
        let now = model.now_of_run();
        let rows = graph.rows.iter().skip(graph.top);
        let mut all: Vec<Bar> = rows
            .take(height)
            .flat_map(|row| bars::of_row(state, now, nodes(row)))
            .collect();
        if graph.top + height > graph.rows.len() {
            let turns = graph.live.iter().filter_map(|(turn, _)| state.turns.get(turn));
            all.extend(turns.filter_map(|turn| bars::of_request(state, now, turn)));
        }
        let label = (area.width * 2 / 5).clamp(8.min(area.width), 36);
        let right = if area.width >= WITH_RESULT { RESULT } else { 0 };
        let from = all.iter().map(|bar| bar.from).min().unwrap_or(0);
        let to = all.iter().map(|bar| bar.to).max().unwrap_or(0);
        Self {
            from,
            to: to.max(from + 1),
            shown: all.iter().map(|bar| bar.kind).collect(),
            x: area.x + label,
            width: area.width.saturating_sub(label + right),
            right,
        }
    }

    /// Columns from the first one of the bars.
    fn column(&self, at: i64) -> u16 {
        let span = i128::from(self.to - self.from).max(1);
        let last = i128::from(self.width.saturating_sub(1));
        let far = i128::from(at.saturating_sub(self.from)).clamp(0, span);
        u16::try_from(far * last / span).unwrap_or(0)
    }

    /// The meaning of the characters, of all kinds or of those on screen.
    pub fn legend(&self, charset: Charset, all: bool) -> String {
        let mut words = String::new();
        let is_shown = |doing: &BarKind| all || self.shown.contains(doing);
        for doing in LEGEND.into_iter().filter(is_shown) {
            // Writing into a string cannot fail.
            let _ = write!(words, "{} {} ", look(charset, doing).0, bar_label(doing));
        }
        words
    }

    /// The time from the first bar to the last one, since the run began.
    pub fn span(&self, model: &Model) -> String {
        let begun = model.run.state.origin.begun_at;
        let (from, to) = (self.from - begun, self.to - begun);
        if to - from < 1000 {
            return format!("{} + {}", clock(from), length(to - from));
        }
        format!("{} to {}", clock(from), clock(to))
    }

    /// Draws the legend and the span in a title line after `used` columns. Returns the columns that are used then, and the
    /// line without the span.
    pub fn title(&self, model: &Model, canvas: &mut Canvas<'_>, line: Rect, used: u16) -> (Rect, u16) {
        let span = format!(" {} ", self.span(model));
        let wide = span.columns() as u16;
        let room = usize::from(line.width.saturating_sub(used + 2));
        let forms = [(true, true), (false, true), (true, false), (false, false)];
        let forms = forms.map(|(all, with_span)| {
            let words = format!("· {}", self.legend(model.settings.charset, all));
            (words, if with_span { wide } else { 0 })
        });
        let fits = |form: &&(String, u16)| form.0.columns() + usize::from(form.1) <= room;
        let Some((words, span_columns)) = forms.iter().find(fits) else {
            return (line, used);
        };
        let (words, span_columns) = (words.as_str(), *span_columns);
        let drawn = canvas.put(line.x + used, line.y, line.width - used, words, Role::Dim);
        let mut rest = line;
        if span_columns > 0 {
            let x = line.right() - span_columns - 1;
            canvas.put(x, line.y, span_columns, &span, Role::Dim);
            rest.width -= span_columns + 1;
        }
        (rest, used + drawn)
    }
}

/// The kinds of bars that the legend explains.
const LEGEND: [BarKind; 6] = [
    BarKind::Ran,
    BarKind::Waited,
    BarKind::Asked,
    BarKind::Failed,
    BarKind::Queued,
    BarKind::Blocked,
];

const fn bar_label(doing: BarKind) -> &'static str {
    match doing {
        BarKind::Blocked => "blocked",
        BarKind::Queued => "queued",
        BarKind::Asked => "model",
        BarKind::Ran => "ran",
        BarKind::Waited => "for you",
        BarKind::Failed => "failed",
        BarKind::Moment => "then",
    }
}

const fn look(charset: Charset, doing: BarKind) -> (char, Role) {
    let (unicode, ascii, role) = match doing {
        BarKind::Blocked => ('·', '.', Role::Blocked),
        BarKind::Queued => ('╌', '-', Role::Pending),
        BarKind::Asked => ('═', '=', Role::Accent),
        BarKind::Ran => ('█', '#', Role::Ok),
        BarKind::Waited => ('▒', 'w', Role::Awaiting),
        BarKind::Failed => ('▚', 'x', Role::Failed),
        BarKind::Moment => ('◆', '*', Role::Operator),
    };
    match charset {
        Charset::Unicode => (unicode, role),
        Charset::Ascii => (ascii, role),
    }
}

/// The nodes of a row whose bars are drawn.
fn nodes(row: &Row) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::once(row.key).chain(row.ends(bars::MOST))
}

/// Draws a row: its name, its bars, and what came of it.
pub(crate) fn row(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    here: &Row,
    columns: RowColumns,
    scale: &Scale,
) -> Option<Symbol> {
    let looks = lines::looks(&model.run.state, here.key);
    let (glyph, role) = lines::symbol(model, here, looks);
    canvas.put(place.x + 1, place.y, 1, glyph.encode_utf8(&mut [0; 4]), role);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let named = Rect {
        x: place.x + 3.min(place.width),
        width: scale.x.saturating_sub(place.x + 4),
        ..place
    };
    let ids = columns.ids as u16 + 1;
    if lines::has_id(here) {
        let role = looks.1.unwrap_or(Role::Dim);
        canvas.put(
            named.x,
            place.y,
            ids.min(named.width),
            &here.key.to_string(),
            role,
        );
    }
    let words = Rect {
        x: named.x + ids.min(named.width),
        width: named.width.saturating_sub(ids),
        ..named
    };
    // The text is not cut for the result, which is in a column of its own.
    let parts = |width: usize| lines::parts(model, here, looks.1, width);
    let room = usize::from(words.width);
    let right = parts(room).right.columns();
    let line = parts(if right > 0 {
        room + right + lines::node::END
    } else {
        room
    });
    canvas.row(words, &line.left, more);
    let result = Rect {
        x: place.right().saturating_sub(scale.right),
        width: scale.right,
        ..place
    };
    let columns = line
        .right
        .columns()
        .min(usize::from(scale.right.saturating_sub(1))) as u16;
    let result = Rect {
        x: result.right().saturating_sub(columns + 1),
        width: columns,
        ..result
    };
    if scale.right > 0 {
        canvas.row(result, &line.right, more);
    }
    let sign = lines::shine(model, canvas, (place, words), here);
    let (state, now) = (&model.run.state, model.now_of_run());
    for bar in bars::of_row(state, now, nodes(here)) {
        draw(model, canvas, place.y, &bar, scale);
    }
    sign
}

/// Draws the bar of an open request.
pub(crate) fn live(model: &Model, canvas: &mut Canvas<'_>, place: Rect, turn: TurnId, scale: &Scale) {
    let (state, now) = (&model.run.state, model.now_of_run());
    let area = Rect::new(scale.x, place.y, scale.width, 1).intersection(place);
    if area.is_empty() {
        return;
    }
    canvas.fill(area, Role::Text);
    if let Some(bar) = state
        .turns
        .get(&turn)
        .and_then(|turn| bars::of_request(state, now, turn))
    {
        draw(model, canvas, place.y, &bar, scale);
    }
}

fn draw(model: &Model, canvas: &mut Canvas<'_>, y: u16, bar: &Bar, scale: &Scale) {
    if scale.width == 0 {
        return;
    }
    let (from, to) = (scale.column(bar.from), scale.column(bar.to));
    let (glyph, role) = look(model.settings.charset, bar.kind);
    let role = if bar.open && bar.kind == BarKind::Ran {
        Role::Running
    } else {
        role
    };
    let columns = usize::from(to - from) + 1;
    let mut text: String = std::iter::repeat_n(glyph, columns).collect();
    if bar.open {
        // The bar is still open.
        text.pop();
        text.push(Symbol::Arrow.glyph(model.settings.charset));
    }
    canvas.put(scale.x + from, y, scale.width - from, &text, role);
}

/// The time since the start of the run.
fn clock(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// How long something took.
fn length(ms: i64) -> String {
    match ms {
        ..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => clock(ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_a_fitting_unit() {
        assert_eq!(length(12), "12 ms");
        assert_eq!(length(1234), "1.2 s");
        assert_eq!(length(61_000), "1:01");
        assert_eq!(clock(3_723_000), "1:02:03");
    }

    #[test]
    fn no_two_things_look_the_same() {
        use std::collections::BTreeSet;
        let all = [
            BarKind::Blocked,
            BarKind::Queued,
            BarKind::Asked,
            BarKind::Ran,
            BarKind::Waited,
            BarKind::Failed,
            BarKind::Moment,
        ];
        for charset in [Charset::Unicode, Charset::Ascii] {
            let glyphs: BTreeSet<char> = all.iter().map(|doing| look(charset, *doing).0).collect();
            assert_eq!(glyphs.len(), all.len());
        }
    }
}
