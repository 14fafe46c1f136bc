//! The text of a node on a few lines, for the detail level that shows it below the row.
//!
//! Must not know: looks, where the lines are drawn.
//!
//! All text is in its visible form.

use unicode_segmentation::UnicodeSegmentation as _;

use super::rows::Row;
use super::{Form, GraphPane, Level};
use crate::ground::columns::Columns as _;
use crate::ground::json;
use crate::ground::layout::fold::RowKind;
use crate::run::summary;
use overrule_base::text::{head, visible};
use overrule_domain::call::Outcome;
use overrule_domain::id::NodeId;
use overrule_domain::reference::rewrite;
use overrule_domain::state::State;
use overrule_domain::why;

/// Maximum number of bytes that are read from a text.
const READ: usize = 2048;
/// Maximum number of lines of a text.
const MOST: usize = 5;
/// Maximum number of lines of the end of an output.
pub const OUTPUT: usize = 4;

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Text of the node.
    Text,
    /// Why the model made a call.
    Why,
    /// The result of a call.
    Gave,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its kind.
    pub part: Part,
    /// The text.
    pub text: String,
    /// True for the last line of a text that is cut off.
    pub cut: bool,
}

/// Columns between the lanes and the text, and free columns at the end: for the overview strip and
/// for the sign of cut-off text.
const INDENT: usize = 4;
const END: usize = 3;

/// The lines below a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// The column in which they begin.
    pub indent: usize,
    /// The lines.
    pub lines: Vec<Line>,
}

/// The lines below a row, in a pane of this width; none if the row shows none. They start after the
/// lanes that continue below the row. Their number does not depend on the scroll position.
pub fn of_row(state: &State, pane: &GraphPane, row: usize, width: u16) -> Body {
    let here = pane.rows.get(row);
    let is_shown = |here: &&Row| pane.form == Form::Lanes && here.kind == RowKind::Node;
    let Some(here) = here.filter(is_shown) else {
        return Body::default();
    };
    let is_long = pane.settings.level == Level::Text;
    if !is_long && !pane.shows_end(here.key) {
        return Body::default();
    }
    let width = usize::from(width);
    let mut cells = Vec::new();
    pane.rows.gutter.below(row, 0, &mut cells);
    let indent = (cells.len() + INDENT).min(width / 2);
    let separate = pane.settings.split.contains(&here.key);
    let lines = if is_long {
        lines(state, here.key, separate, width.saturating_sub(indent + END))
    } else {
        end(state, here.key, separate)
    };
    Body { indent, lines }
}

/// Number of lines of a row, including the text below it.
pub fn tall(state: &State, pane: &GraphPane, row: usize, width: u16) -> usize {
    1 + of_row(state, pane, row, width).lines.len()
}

/// The lines of a node; `separate` if its observation has its own row.
fn lines(state: &State, id: NodeId, separate: bool, width: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let Some(node) = state.node(id) else {
        return out;
    };
    if let Some((_, args)) = node.as_call() {
        wrap(&rewrite::without_why(args), Part::Text, width, &mut out);
        if let Some(why) = why::of(node) {
            wrap(&format!("the agent says: {why}"), Part::Why, width, &mut out);
        }
        if let Some(outcome) = state
            .observation(id)
            .filter(|_| !separate)
            .and_then(|node| node.outcome())
        {
            result(outcome, width, &mut out);
        }
    } else if let Some(outcome) = node.outcome() {
        result(outcome, width, &mut out);
    } else {
        wrap(node.text(), Part::Text, width, &mut out);
    }
    out
}

/// The end of the output of a call, each line in a row.
fn end(state: &State, id: NodeId, separate: bool) -> Vec<Line> {
    let observation = state.observation(id).filter(|_| !separate);
    let outcome = observation.and_then(|node| node.outcome());
    let ends = outcome.map(|outcome| summary::ends(outcome, OUTPUT));
    let ends = ends.filter(|lines| lines.len() > 1).unwrap_or_default();
    let line = |text: &String| Line {
        part: Part::Text,
        text: visible(head(text, READ).0),
        cut: false,
    };
    ends.iter().map(line).collect()
}

fn result(outcome: &Outcome, width: usize, out: &mut Vec<Line>) {
    match outcome {
        Outcome::Ok { value, .. } => {
            let text = (value.len() <= READ).then(|| json::as_text(value)).flatten();
            wrap(text.as_deref().unwrap_or(value), Part::Gave, width, out);
        }
        Outcome::Err(error) => wrap(&error.message, Part::Gave, width, out),
        Outcome::Cancelled { .. } => {}
    }
}

/// Breaks a text at its own line breaks and at the width.
fn wrap(text: &str, part: Part, width: usize, out: &mut Vec<Line>) {
    // A line must hold at least a character of two columns.
    let width = width.max(2);
    let (read, mut cut) = head(text, READ);
    let mut lines = Vec::new();
    for raw in read.split('\n').filter(|line| !line.trim().is_empty()) {
        let shown = visible(raw);
        let mut line = String::new();
        let mut used = 0;
        for word in shown.split_word_bounds() {
            if used > 0 && used + word.columns() > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            for grapheme in word.graphemes(true) {
                if used + grapheme.columns() > width {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push_str(grapheme);
                used += grapheme.columns();
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
        if lines.len() > MOST {
            break;
        }
    }
    cut |= lines.len() > MOST;
    lines.truncate(MOST);
    let last = lines.len().saturating_sub(1);
    out.extend(lines.into_iter().enumerate().map(|(at, text)| Line {
        part,
        text,
        cut: cut && at == last,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<(String, bool)> {
        let mut out = Vec::new();
        wrap(text, Part::Text, width, &mut out);
        out.into_iter().map(|line| (line.text, line.cut)).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit_and_no_line_is_too_wide() {
        assert_eq!(
            wrapped("one two three\n\nfour", 9),
            [
                ("one two ".into(), false),
                ("three".into(), false),
                ("four".into(), false)
            ]
        );
        let long = wrapped(&"日本語".repeat(9), 10);
        assert!(long.iter().all(|(line, _)| line.columns() <= 10));
        assert_eq!(long.len(), MOST);
        assert!(long[MOST - 1].1, "that more follows is said");
    }

    #[test]
    fn nothing_raw_comes_through() {
        for (line, _) in wrapped("a\u{1b}[31m\u{202e}b", 40) {
            assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line}");
        }
    }
}
