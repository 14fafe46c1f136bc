//! The rows of the list of branches.
//!
//! Must not know: keys, where the rows are on the screen.

use unicode_segmentation::UnicodeSegmentation;

use crate::ground::columns::Columns as _;
use crate::ground::doc::{Form, Piece, Styled};
use crate::ground::pager::Wrap;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::listing::Line;
use crate::run::maker::Maker;
use overrule_domain::branch::Branch;
use overrule_domain::id::Epoch;
use overrule_domain::state::State;
use overrule_present::branch::{BranchView, SumView};
use overrule_present::many;

/// The fewest columns for two branches side by side.
pub(crate) const BESIDE: u16 = 120;

/// The rows of the list of branches.
pub fn list(
    state: &State,
    branches: &[Branch],
    marked: Option<Epoch>,
    (width, charset): (u16, Charset),
) -> Vec<Line> {
    let views: Vec<BranchView<'_>> = branches.iter().map(|one| BranchView::of(state, one)).collect();
    let costs = views.iter().map(|view| cost(&view.sum).len()).max();
    let costs = costs.unwrap_or(0);
    let mut lines = Vec::new();
    for (at, view) in views.iter().enumerate() {
        let (sign, role) = if view.current {
            ("now ", Role::Ok)
        } else {
            ("    ", Role::Dim)
        };
        let mut words = Styled::new()
            .own(role, format!(" {sign}"))
            .own(Role::Accent, format!("{:>3} ", view.branch.0));
        if marked == Some(view.branch) {
            words = words.own(Role::Match, "marked ");
        }
        if let Some(name) = view.name {
            words = words.untrusted(Role::Title, name, 40).own(Role::Text, "  ");
        }
        words = words.untrusted(Role::Text, &view.what, 100);
        if view.branch != Epoch(0) {
            words = words.own(Role::Dim, format!("  from {}", view.base.0));
        }
        let cost = Styled::new().own(Role::Dim, cost(&view.sum));
        if width >= BESIDE {
            let mut line = clipped(words, usize::from(width).saturating_sub(costs + 4), charset);
            line = line.own(Role::Dim, "  ");
            line.0.extend(cost.0);
            lines.push(of(at, line));
        } else {
            lines.push(of(at, words));
            let mut second = Styled::new().own(Role::Dim, "         ");
            second.0.extend(cost.0);
            lines.push(of(at, second));
        }
    }
    lines
}

/// Details of a branch: its answer.
pub fn answer(maker: &mut Maker<'_>, branch: &Branch) {
    maker.own(Role::Dim, cost(&SumView::of(&branch.sum)));
    let Some(text) = &branch.sum.text else { return };
    maker.own(Role::Title, "answer");
    let mark = (Role::Dim, "  ".to_owned());
    maker.text(text, Form::Raw, Wrap::Words, Role::Text, mark);
}

fn of(item: usize, words: Styled) -> Line {
    Line {
        of: Some(item),
        words,
    }
}

/// The cost of a branch, in a line.
pub(crate) fn cost(sum: &SumView<'_>) -> String {
    let tokens = sum
        .tokens_in
        .unwrap_or(0)
        .saturating_add(sum.tokens_out.unwrap_or(0));
    let answer = if sum.answer.is_some() { "" } else { ", no answer" };
    let money = sum.cost.as_ref().map(|money| format!(", {money}"));
    format!(
        "{} ({}), {}, {tokens} tokens{}{answer}",
        many(sum.calls, "call"),
        many(sum.executions, "run"),
        many(usize::try_from(sum.requests).unwrap_or(usize::MAX), "request"),
        money.unwrap_or_default(),
    )
}

/// A line of exactly `columns`; a sign at its end marks a cut.
pub(crate) fn clipped(line: Styled, columns: usize, charset: Charset) -> Styled {
    let wide = line.columns();
    if wide <= columns {
        return line.own(Role::Text, " ".repeat(columns - wide));
    }
    let mut out = Styled::new();
    let mut used = 0;
    for piece in line.0 {
        let mut text = String::new();
        let mut full = false;
        for grapheme in piece.text.graphemes(true) {
            full = used + grapheme.columns() + 1 > columns;
            if full {
                break;
            }
            used += grapheme.columns();
            text.push_str(grapheme);
        }
        out.0.push(Piece { text, ..piece });
        if full {
            break;
        }
    }
    out.own(Role::Dim, Symbol::Ellipsis.glyph(charset).to_string())
        .own(Role::Text, " ".repeat(columns.saturating_sub(used + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_ends_with_the_sign_of_the_characters_that_are_drawn() {
        let words = |charset| -> String {
            let line = clipped(Styled::new().own(Role::Text, "a long line"), 6, charset);
            line.0.into_iter().map(|piece| piece.text).collect()
        };
        assert_eq!(words(Charset::Unicode), "a lon…");
        assert_eq!(words(Charset::Ascii), "a lon~");
    }
}
