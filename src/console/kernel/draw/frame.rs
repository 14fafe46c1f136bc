//! Draws the frame of a decision: its title, bars at the left, and what of it is unread below.
//!
//! Must not know: what is decided, how its rows are made.

use std::ops::Range;

use ratatui::layout::Rect;
use regex::Regex;

use super::document;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Doc;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::hints;
use crate::kernel::model::Model;
use crate::kernel::model::arming::{Coverage, VisibleQuestion};
use crate::kernel::model::screen::inside;

/// Columns of the bar and the blank after it.
pub(crate) const BAR: u16 = 2;

/// The characters of a frame: upper corner, bar, lower corner, rule. No untrusted text can produce the first three: see
/// [`overrule_base::text::FRAME`].
const FRAME: [char; 4] = ['┏', '┃', '┗', '━'];
/// The same on an ASCII screen. Place and style distinguish it from untrusted text.
const FRAME_ASCII: [char; 4] = ['#', '|', '#', '='];

/// A frame to draw.
pub(crate) struct Frame<'f> {
    /// Its title row and the rows below it.
    pub area: Rect,
    /// The row of its lower edge.
    pub edge: Option<Rect>,
    /// What is in it.
    pub doc: &'f Doc,
    /// The first row of that.
    pub top: usize,
    /// A search in it.
    pub find: Option<&'f Regex>,
    /// Why it is asked, where the document does not say it.
    pub cause: &'f str,
    /// The number of the entry, and of all that wait.
    pub place: Option<(usize, usize)>,
    /// Words in the lower edge where all was on screen.
    pub outcome: &'f str,
    /// The time left to decide; empty without a limit.
    pub time: String,
    /// What was on screen of the question before.
    pub seen: Option<&'f VisibleQuestion>,
}

/// The rows of a frame in which its document is drawn.
pub(crate) fn body(area: Rect) -> Rect {
    let rows = inside(area);
    let bar = BAR.min(rows.width);
    Rect {
        x: rows.x + bar,
        width: rows.width - bar,
        ..rows
    }
}

/// Draws a frame.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, frame: &Frame<'_>) {
    let [corner, bar, lower, rule] = match model.settings.charset {
        Charset::Unicode => FRAME,
        Charset::Ascii => FRAME_ASCII,
    };
    let area = frame.area;
    canvas.fill(area, Role::Text);
    title(canvas, frame, (corner, rule));
    let rows = inside(area);
    for y in rows.top()..rows.bottom() {
        canvas.put(rows.x, y, 1, bar.encode_utf8(&mut [0; 4]), Role::Decision);
    }
    document::text(
        canvas,
        body(area),
        frame.doc,
        (frame.top, model.more()),
        frame.find,
    );
    if let Some(edge) = frame.edge {
        let words = unread(model, frame);
        let (role, words) = if words.is_empty() {
            (Role::Decision, frame.outcome.to_owned())
        } else {
            (Role::Awaiting, words)
        };
        line(canvas, edge, (lower, rule), &[(role, words)], String::new());
    }
}

/// Draws the title row: what is decided, why it is asked, and its place among what waits.
fn title(canvas: &mut Canvas<'_>, frame: &Frame<'_>, signs: (char, char)) {
    let Some([what, cause]) = frame.doc.title() else {
        return;
    };
    let cause = if cause.is_empty() { frame.cause } else { cause };
    let mut words = vec![(Role::Decision, what.clone())];
    if !cause.is_empty() {
        words.push((Role::Text, format!("· {cause}")));
    }
    let place = frame.place.filter(|(_, of)| *of > 1);
    let place = place.map(|(at, of)| format!("{at} of {of}"));
    let time = Some(frame.time.clone()).filter(|time| !time.is_empty());
    let ends: Vec<String> = time.into_iter().chain(place).collect();
    let end = match ends.as_slice() {
        [] => String::new(),
        ends => format!(" {} ", ends.join(" · ")),
    };
    line(canvas, row_of(frame.area, 0), signs, &words, end);
}

/// Draws a row of a frame: its corner, words, the rule, and words at its end.
fn line(
    canvas: &mut Canvas<'_>,
    row: Rect,
    (corner, rule): (char, char),
    words: &[(Role, String)],
    end: String,
) {
    if row.is_empty() {
        return;
    }
    let width = usize::from(row.width);
    let rules = rule.to_string().repeat(width);
    canvas.put(row.x, row.y, row.width, &rules, Role::Awaiting);
    canvas.put(row.x, row.y, 1, corner.encode_utf8(&mut [0; 4]), Role::Decision);
    let mut x = row.x + 2;
    let right = row.right().saturating_sub(1);
    let end_at = right.saturating_sub(end.columns() as u16);
    let mut is_first = true;
    for (role, text) in words.iter().filter(|(_, text)| !text.is_empty()) {
        if is_first {
            x += canvas.put(x, row.y, right.saturating_sub(x), " ", Role::Awaiting);
        }
        is_first = false;
        let room = right.saturating_sub(x);
        x += canvas.put(x, row.y, room, &format!("{text} "), *role);
    }
    if !end.is_empty() && x <= end_at {
        canvas.put(end_at, row.y, right.saturating_sub(end_at), &end, Role::Awaiting);
    }
}

/// What of a question is unread after the rows that are drawn, and the key that shows it; empty if all was on screen.
fn unread(model: &Model, frame: &Frame<'_>) -> String {
    let height = usize::from(body(frame.area).height);
    let shown = frame.doc.shown(frame.top, height);
    let key = |name| model.settings.keymap.first(name);
    if let Some((rows, of)) = frame.doc.decided_rows(&shown) {
        let known = frame
            .seen
            .filter(|seen| seen.rows == of && seen.stamp == frame.doc.stamp());
        let mut read = known.map_or_else(Coverage::default, |seen| seen.read.clone());
        read.add(rows.clone());
        let missing = read.misses(of);
        let count: usize = missing.iter().map(Range::len).sum();
        if count > 0 {
            let is_above = missing
                .last()
                .is_some_and(|rows_left| rows_left.end <= rows.start);
            return format!(
                "{} unread · {}",
                hints::rows(count),
                hints::reads_on(model, is_above)
            );
        }
    }
    match frame.doc.rows().saturating_sub(shown.end) {
        0 => String::new(),
        below => format!("{} below · {} shows more", hints::rows(below), key("page-down")),
    }
}
