//! Lays out a difference in a decision: in one column, or the old and the new lines next to each other.
//!
//! Must not know: how lines are compared, who decides.

use std::sync::Arc;

use crate::ground::diff::{Change, Line};
use crate::ground::doc::pair::{BETWEEN, Half, Pair};
use crate::ground::doc::{Styled, broken};
use crate::ground::pager::{Pager, Wrap};
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_base::text;

/// Columns of the number of a line in one column, next to another one, and of a new file.
pub(crate) const NUMBERS: [usize; 3] = [6, 5, 4];
/// Columns of the sign of a line and the blanks around it.
const SIGN: usize = 3;
/// Unchanged lines around a change where rows are short.
const AROUND: usize = 1;

/// Adds the lines of a difference; with their numbers if these are known.
pub(crate) fn add(maker: &mut Maker<'_>, lines: &[Line], numbered: bool) {
    let mut lines: Vec<Line> = if maker.tight {
        shortened(lines)
    } else {
        lines.to_vec()
    };
    if numbered {
        // The numbers show where lines are left out.
        lines.retain(|line| !line.is_gap());
    }
    if maker.beside && numbered {
        next_to_each_other(maker, &lines);
    } else {
        let numbers = if numbered { NUMBERS[0] } else { 0 };
        for line in &lines {
            one(maker, line, numbers);
        }
    }
}

/// Lines with fewer unchanged ones around each change. The line that heads the part stays.
fn shortened(lines: &[Line]) -> Vec<Line> {
    let is_changed = |line: &Line| matches!(line.change, Change::Removed | Change::Added);
    let near = |at: usize| {
        let from = at.saturating_sub(AROUND);
        let to = (at + AROUND + 1).min(lines.len());
        lines.get(from..to).unwrap_or_default().iter().any(is_changed)
    };
    let mut kept: Vec<Line> = Vec::new();
    let mut dropped: Vec<&Line> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.change == Change::Same && !near(at) {
            dropped.push(line);
            continue;
        }
        if line.change == Change::Same {
            let heads = |one: &&&Line| !one.text.trim().is_empty() && indent(&one.text) < indent(&line.text);
            kept.extend(dropped.iter().rev().find(heads).map(|head| (*head).clone()));
        }
        dropped.clear();
        kept.push(line.clone());
    }
    kept
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The sign of a line on the screen.
pub(crate) const fn sign(change: Change, charset: Charset) -> char {
    match change {
        Change::Same => ' ',
        Change::Removed => charset.minus(),
        Change::Added => '+',
        Change::Note => '~',
    }
}

/// The look of a line on the screen.
pub(crate) const fn role(change: Change) -> Role {
    match change {
        Change::Same | Change::Note => Role::Dim,
        Change::Removed => Role::DiffRemove,
        Change::Added => Role::DiffAdd,
    }
}

/// A line in rows; none while it is laid out.
fn rows(maker: &mut Maker<'_>, line: &Line, width: u16) -> Option<Arc<Pager>> {
    if line.changed.is_empty() {
        let pager = maker
            .cache
            .pager(&line.text, crate::ground::doc::Form::Raw, width, Wrap::Chars);
        return maker.found(pager, line.text.len());
    }
    let text = Arc::clone(&line.text);
    Some(Arc::new(Pager::marked(text, width, Wrap::Chars, &line.changed)))
}

/// What is before the first row of a line: its number and its sign.
fn lead(line: &Line, no: Option<usize>, numbers: usize, charset: Charset) -> Styled {
    let number = match no {
        Some(no) if numbers > 0 => format!("{no:>numbers$} "),
        _ => " ".repeat(if numbers > 0 { numbers + 1 } else { 0 }),
    };
    let of_number = if line.change == Change::Same {
        Role::Dim
    } else {
        Role::Text
    };
    Styled::new()
        .own(of_number, number)
        .own(role(line.change), format!("{} ", sign(line.change, charset)))
}

/// Adds a remark.
pub(crate) fn note(maker: &mut Maker<'_>, words: &str) {
    for row in broken(words, usize::from(maker.width)) {
        maker.doc.line(Styled::new().own(Role::Dim, row));
    }
}

fn remark(maker: &mut Maker<'_>, line: &Line) {
    note(maker, &format!("~ {}", text::visible(&line.text)));
}

/// Adds a line in one column.
pub(crate) fn one(maker: &mut Maker<'_>, line: &Line, numbers: usize) {
    if line.change == Change::Note {
        return remark(maker, line);
    }
    let indent = if numbers > 0 { numbers + SIGN } else { SIGN - 1 };
    let width = maker.width.saturating_sub(indent as u16).max(1);
    let Some(pager) = rows(maker, line, width) else {
        return;
    };
    let first = lead(line, line.no, numbers, maker.charset);
    let mark = (Role::Dim, " ".repeat(indent));
    maker.doc.text_after(pager, role(line.change), mark, Some(first));
}

/// Adds the old lines at the left and the new ones at the right.
fn next_to_each_other(maker: &mut Maker<'_>, lines: &[Line]) {
    let mut rest = lines;
    // How much further the new lines are than the old ones.
    let mut ahead: isize = 0;
    while let Some((first, others)) = rest.split_first() {
        match first.change {
            Change::Note => {
                remark(maker, first);
                rest = others;
            }
            Change::Same => {
                let old = first.no.map(|no| no.saturating_add_signed(-ahead));
                pair(maker, [Some((first, old)), Some((first, first.no))]);
                rest = others;
            }
            Change::Removed | Change::Added => {
                let of = |change: Change| -> Vec<&Line> {
                    let all = rest.iter().take_while(|line| is_change(line));
                    all.filter(|line| line.change == change).collect()
                };
                let (old, new) = (of(Change::Removed), of(Change::Added));
                for at in 0..old.len().max(new.len()) {
                    let half = |lines: &[&'_ Line]| -> Option<usize> { (at < lines.len()).then_some(at) };
                    let left = half(&old).and_then(|at| old.get(at)).map(|line| (*line, line.no));
                    let right = half(&new).and_then(|at| new.get(at)).map(|line| (*line, line.no));
                    pair(maker, [left, right]);
                }
                ahead += new.len() as isize - old.len() as isize;
                rest = rest.get(old.len() + new.len()..).unwrap_or_default();
            }
        }
    }
}

const fn is_change(line: &Line) -> bool {
    matches!(line.change, Change::Removed | Change::Added)
}

/// Adds two lines next to each other, each with its number.
fn pair(maker: &mut Maker<'_>, lines: [Option<(&Line, Option<usize>)>; 2]) {
    let all = usize::from(maker.width);
    let left = (all / 2).saturating_sub(BETWEEN);
    let widths = [left, all.saturating_sub(left + BETWEEN)];
    let indent = NUMBERS[1] + SIGN;
    let mut halves = [Half::default(), Half::default()];
    for ((half, line), width) in halves.iter_mut().zip(lines).zip(widths) {
        let Some((line, no)) = line else { continue };
        let room = u16::try_from(width.saturating_sub(indent))
            .unwrap_or(u16::MAX)
            .max(1);
        let Some(pager) = rows(maker, line, room) else {
            return;
        };
        *half = Half {
            text: Some((pager, role(line.change))),
            first: lead(line, no, NUMBERS[1], maker.charset),
            indent,
        };
    }
    let line = match maker.charset {
        Charset::Unicode => '│',
        Charset::Ascii => '|',
    };
    maker.doc.pair(Pair {
        halves,
        columns: left,
        line,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::diff;

    fn kept(old: &str, new: &str) -> Vec<String> {
        let lines = shortened(&diff::lines_around(old, new, diff::AROUND_DECIDED));
        lines.iter().map(|line| line.text.to_string()).collect()
    }

    #[test]
    fn where_rows_are_short_a_line_of_context_and_the_heading_stay() {
        let old = "\n\ndef mean(xs):\n    \"\"\"Mean.\"\"\"\n    return 1\n\n\ndef median(xs):\n";
        let new = old.replace("return 1", "return 2");
        assert_eq!(
            kept(old, &new),
            [
                "2 lines unchanged".replace("2 lines", "1 line"),
                "def mean(xs):".to_owned(),
                "    \"\"\"Mean.\"\"\"".to_owned(),
                "    return 1".to_owned(),
                "    return 2".to_owned(),
                String::new(),
            ]
        );
    }
}
