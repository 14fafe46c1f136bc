//! Branches in rows: the list of them, and two of them side by side, node by node.
//!
//! Must not know: keys, where the rows stand on the screen.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::Maker;
use super::revisions::{apart, words};
use crate::console::columns::Columns as _;
use crate::console::doc::{Form, Piece, Styled};
use crate::console::model::listing::{Item, Line};
use crate::console::pager::Wrap;
use crate::console::rows::many;
use crate::console::summary::{self, Summary};
use crate::console::symbols::{Charset, Symbol};
use crate::console::theme::Role;
use crate::domain::branch::compare::{Comparison, Row};
use crate::domain::branch::{Branch, Sum};
use crate::domain::came;
use crate::domain::id::{Epoch, NodeId, NodeKind, Rev};
use crate::domain::node::Content;
use crate::domain::state::State;

/// From here on two branches stand beside each other.
const BESIDE: u16 = 120;
/// Columns before what a node says.
const BEFORE: usize = 14;

/// What began an epoch: several edits that were committed as one are counted.
pub fn what(state: &State, epoch: Epoch) -> String {
    let Some(record) = crate::domain::branch::record(state, epoch) else {
        return "as the run began".to_owned();
    };
    let edits = state.edits.iter().rev();
    let own = edits
        .skip_while(|edit| edit.epoch > epoch)
        .take_while(|edit| edit.epoch == epoch);
    match own.count() {
        0 | 1 => record.what.to_string(),
        several => format!("{} and {} more", record.what, several - 1),
    }
}

/// One branch in words.
pub fn title(state: &State, epoch: Epoch) -> String {
    let record = crate::domain::branch::record(state, epoch);
    let what = what(state, epoch);
    match record.and_then(|record| record.name.as_ref()) {
        Some(name) => format!("branch {} \"{name}\" ({what})", epoch.0),
        None => format!("branch {} ({what})", epoch.0),
    }
}

/// The rows of the list of branches.
pub fn list(
    state: &State,
    branches: &[Branch],
    marked: Option<Epoch>,
    (width, charset): (u16, Charset),
) -> Vec<Line> {
    let costs = branches.iter().map(|branch| cost(&branch.sum).len()).max();
    let costs = costs.unwrap_or(0);
    let mut lines = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        let (sign, role) = if branch.current {
            ("now ", Role::Ok)
        } else {
            ("    ", Role::Dim)
        };
        let mut words = Styled::new()
            .own(role, format!(" {sign}"))
            .own(Role::Accent, format!("{:>3} ", branch.epoch.0));
        if marked == Some(branch.epoch) {
            words = words.own(Role::Match, "marked ");
        }
        if let Some(name) = &branch.name {
            words = words.untrusted(Role::Title, name, 40).own(Role::Text, "  ");
        }
        words = words.untrusted(Role::Text, &what(state, branch.epoch), 100);
        if branch.epoch != Epoch(0) {
            words = words.own(Role::Dim, format!("  from {}", branch.base.0));
        }
        let cost = Styled::new().own(Role::Dim, cost(&branch.sum));
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

/// More about a branch: what it came to.
pub fn answer(maker: &mut Maker<'_>, branch: &Branch) {
    maker.own(Role::Dim, cost(&branch.sum));
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

fn cost(sum: &Sum) -> String {
    let tokens = sum
        .usage
        .input
        .unwrap_or(0)
        .saturating_add(sum.usage.output.unwrap_or(0));
    let answer = if sum.answer.is_some() { "" } else { ", no answer" };
    let money = sum.spent.words().map(|money| format!(", {money}"));
    format!(
        "{} ({}), {}, {tokens} tokens{}{answer}",
        many(sum.calls, "call"),
        many(sum.executions, "run"),
        many(usize::try_from(sum.requests).unwrap_or(usize::MAX), "request"),
        money.unwrap_or_default(),
    )
}

/// A node on two branches, a call with its result.
struct Pair {
    node: NodeId,
    call: (Option<Rev>, Option<Rev>),
    result: (Option<Rev>, Option<Rev>),
    /// Why there is none.
    left: (Option<&'static str>, Option<&'static str>),
    same: bool,
}

fn pairs(comparison: &Comparison, all: bool) -> Vec<Pair> {
    let results: BTreeMap<NodeId, &Row> = comparison
        .rows
        .iter()
        .filter(|row| row.node.kind == NodeKind::Observation)
        .map(|row| (row.node.call(), row))
        .collect();
    comparison
        .rows
        .iter()
        .filter(|row| row.node.kind != NodeKind::Observation)
        .map(|row| {
            let result = results.get(&row.node);
            Pair {
                node: row.node,
                call: (row.a, row.b),
                result: result.map_or((None, None), |row| (row.a, row.b)),
                left: (row.left_a, row.left_b),
                same: row.same && result.is_none_or(|row| row.same),
            }
        })
        .filter(|pair| all || !pair.same)
        .collect()
}

/// The nodes that a comparison lists.
pub fn compared(comparison: &Comparison, all: bool) -> Vec<Item> {
    pairs(comparison, all)
        .iter()
        .map(|pair| Item::Node(pair.node))
        .collect()
}

/// The rows of a comparison: side by side where there is room, one under the other elsewhere.
pub fn compare(maker: &Maker<'_>, comparison: &Comparison, all: bool) -> Vec<Line> {
    let state = &maker.run.state;
    let pairs = pairs(comparison, all);
    let beside = maker.width >= BESIDE;
    let column = (usize::from(maker.width).saturating_sub(BEFORE + 3)) / 2;
    let room = if beside {
        column
    } else {
        usize::from(maker.width).saturating_sub(BEFORE + 2)
    };
    let bar = match maker.charset {
        Charset::Unicode => " │ ",
        Charset::Ascii => " | ",
    };
    let mut lines = Vec::new();
    // None for a side on which there is nothing: where the two stand one under the other it takes no row.
    let mut put = |item: Option<usize>, name: (Role, String), a: Option<Styled>, b: Option<Styled>| {
        let before = |(role, words): (Role, String)| Styled::new().own(role, format!("{words:<BEFORE$}"));
        if beside {
            let nothing = || Styled::new().own(Role::Dim, "-");
            let mut line = before(name);
            line.0
                .extend(clipped(a.unwrap_or_else(nothing), column, maker.charset).0);
            line = line.own(Role::Dim, bar);
            line.0.extend(b.unwrap_or_else(nothing).0);
            lines.push(Line {
                of: item,
                words: line,
            });
        } else {
            let mut name = Some(name);
            for (sign, said) in [("A ", a), ("B ", b)] {
                let Some(said) = said else { continue };
                let name = name.take().unwrap_or((Role::Dim, String::new()));
                let mut line = before(name).own(Role::Title, sign);
                line.0.extend(said.0);
                lines.push(Line {
                    of: item,
                    words: line,
                });
            }
        }
    };
    let epochs = [comparison.a, comparison.b];
    let [name_a, name_b] = epochs.map(|epoch| {
        let now = if epoch == state.epoch { "now: " } else { "" };
        Styled::new()
            .own(Role::Ok, now)
            .untrusted(Role::Title, &title(state, epoch), 100)
    });
    put(None, (Role::Dim, String::new()), Some(name_a), Some(name_b));
    let sums = [&comparison.sum_a, &comparison.sum_b];
    let [text_a, text_b] = sums.map(|sum| match &sum.text {
        Some(text) => Styled::new().summary(Role::Ok, &summary::text_of(text), room),
        None => Styled::new().own(Role::Dim, "none"),
    });
    put(None, (Role::Dim, "answer".to_owned()), Some(text_a), Some(text_b));
    let [cost_a, cost_b] = sums.map(|sum| Styled::new().own(Role::Text, cost(sum)));
    put(None, (Role::Dim, "cost".to_owned()), Some(cost_a), Some(cost_b));
    for (at, pair) in pairs.iter().enumerate() {
        let (role, word) = match pair.call {
            (Some(_), Some(_)) if pair.same => (Role::Dim, "same"),
            (Some(_), Some(_)) => (Role::Edited, "differs"),
            (Some(_), None) => (Role::DiffRemove, "only A"),
            (None, _) => (Role::DiffAdd, "only B"),
        };
        let name = (role, format!("{:<6}{word}", pair.node.to_string()));
        let a = said(
            maker,
            pair.node,
            (pair.call.0, pair.result.0, pair.left.0),
            pair.call.1,
            room,
        );
        let b = said(
            maker,
            pair.node,
            (pair.call.1, pair.result.1, pair.left.1),
            pair.call.0,
            room,
        );
        put(Some(at), name, a, b);
    }
    if comparison.is_equal() {
        let head = lines.iter().take_while(|line| line.of.is_none()).count();
        lines.insert(head, equal(comparison.rows.len()));
    }
    lines
}

/// Says that nothing tells two branches of so many nodes apart.
fn equal(nodes: usize) -> Line {
    let words = match nodes {
        0 => "equal: no node counts on either".to_owned(),
        1 => "equal: the only node says the same on both".to_owned(),
        nodes => format!("equal: all {nodes} nodes say the same on both"),
    };
    Line {
        of: None,
        words: Styled::new().own(Role::Ok, words),
    }
}

/// The difference of a node on two branches, its result included.
pub fn compared_node(maker: &mut Maker<'_>, comparison: &Comparison, node: NodeId) {
    let row = |id: NodeId| comparison.rows.iter().find(move |row| row.node == id);
    for (name, id) in [("", node), ("result", node.observation())] {
        if !name.is_empty() && id == node {
            continue;
        }
        let Some(row) = row(id) else { continue };
        let state = &maker.run.state;
        let text = |rev: Option<Rev>| {
            rev.and_then(|rev| state.node(id)?.revision(rev))
                .map(|revision| words(&revision.content))
                .unwrap_or_default()
        };
        let (a, b) = (text(row.a), text(row.b));
        let sign = match (row.a, row.b) {
            _ if row.same => "the same on both",
            (Some(_), Some(_)) => "- on A, + on B",
            (Some(_), None) => "only on A",
            (None, _) => "only on B",
        };
        maker.own(Role::Title, format!("{id} {name} {sign}").replace("  ", " "));
        if !row.same {
            apart(maker, &[a.into(), b.into()]);
        }
    }
}

fn said(
    maker: &Maker<'_>,
    id: NodeId,
    (rev, result, left): (Option<Rev>, Option<Rev>, Option<&'static str>),
    elsewhere: Option<Rev>,
    room: usize,
) -> Option<Styled> {
    let state = &maker.run.state;
    let revision = |id: NodeId, rev: Option<Rev>| {
        let node = state.node(id)?;
        Some((node, node.revision(rev?)?))
    };
    let (node, says) = revision(id, rev)?;
    let mut line = Styled::new();
    if node.revisions.len() > 1 {
        line = line.own(Role::Edited, format!("{} ", says.no));
    }
    let given = revision(id.observation(), result).filter(|_| id.kind == NodeKind::Call);
    let result = given.and_then(|(_, given)| match &given.content {
        Content::Observation { outcome, .. } => {
            let came = state.calls.get(&id).and_then(|call| came::of(call, given));
            let told = came.map(|came| Summary::default().own(format!("{}: ", came.word())));
            Some(told.unwrap_or_default().and(summary::result(outcome)))
        }
        _ => None,
    });
    let result = result.or_else(|| Some(Summary::default().own(left?)));
    let left = room.saturating_sub(line.columns());
    let most = match &result {
        Some(result) => summary::beside(left, result),
        None => left,
    };
    let words = match elsewhere.and_then(|rev| node.revision(rev)) {
        Some(other) => summary::content_beside(state, node, &says.content, &other.content),
        None => summary::content(state, node, &says.content),
    };
    line = line.summary(Role::Text, &words, most);
    if let Some(result) = result {
        let arrow = Symbol::Arrow.glyph(maker.charset);
        line = line.own(Role::Dim, format!(" {arrow} "));
        let left = room.saturating_sub(line.columns());
        line = line.summary(Role::Dim, &result, left);
    }
    Some(line)
}

/// A line of exactly so many columns; where it does not fit its end says so.
fn clipped(line: Styled, columns: usize, charset: Charset) -> Styled {
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
