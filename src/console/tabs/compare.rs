//! Rows that compare two branches node by node: side by side, or stacked on a narrow screen.
//!
//! Must not know: keys, where the rows are on the screen, how branches are compared.

use std::ops::Range;

use super::Maker;
use super::branches::{BESIDE, clipped, cost};
use super::revisions::{content_text, diff_texts};
use crate::console::branch_diff::{BranchDiff, Pair};
use crate::console::doc::Styled;
use crate::console::model::listing::{Line, Rows};
use crate::console::summary::{self, Summary};
use crate::console::symbols::{Charset, Symbol};
use crate::console::theme::Role;
use crate::domain::branch::compare::Row;
use crate::domain::id::{NodeId, NodeKind, Rev};
use crate::domain::node::Content;
use crate::domain::result_source;
use crate::present::branch::{SumView, title};

/// Columns before the text of a node.
const BEFORE: usize = 14;

/// The arrangement of two things: side by side, or stacked.
struct Layout {
    /// Side by side.
    beside: bool,
    /// Columns of each.
    room: usize,
    charset: Charset,
}

impl Layout {
    fn of(maker: &Maker<'_>) -> Self {
        let width = usize::from(maker.width);
        let beside = maker.width >= BESIDE;
        let room = if beside {
            width.saturating_sub(BEFORE + 3) / 2
        } else {
            width.saturating_sub(BEFORE + 2)
        };
        Self {
            beside,
            room,
            charset: maker.charset,
        }
    }

    /// The number of rows for something on `sides` sides.
    const fn rows(&self, sides: usize) -> usize {
        if self.beside { 1 } else { sides }
    }

    /// Puts two things into rows. `None` is an empty side, which takes no row when stacked.
    fn put(
        &self,
        of: Option<usize>,
        name: (Role, String),
        a: Option<Styled>,
        b: Option<Styled>,
    ) -> Vec<Line> {
        let before = |(role, words): (Role, String)| Styled::new().own(role, format!("{words:<BEFORE$}"));
        let line = |words| Line { of, words };
        if self.beside {
            let bar = match self.charset {
                Charset::Unicode => " │ ",
                Charset::Ascii => " | ",
            };
            let a = clipped(a.unwrap_or_else(nothing), self.room, self.charset);
            let mut words = before(name);
            words.0.extend(a.0);
            words = words.own(Role::Dim, bar);
            words.0.extend(b.unwrap_or_else(nothing).0);
            return vec![line(words)];
        }
        let mut name = Some(name);
        let sides = [("A ", a), ("B ", b)].into_iter();
        sides
            .filter_map(|(sign, output)| {
                let output = output?;
                let name = name.take().unwrap_or((Role::Dim, String::new()));
                let mut words = before(name).own(Role::Title, sign);
                words.0.extend(output.0);
                Some(line(words))
            })
            .collect()
    }
}

fn nothing() -> Styled {
    Styled::new().own(Role::Dim, "-")
}

/// The rows of a comparison: both branches and their answers, then the rows of each node, made by [`nodes`].
pub fn rows(maker: &Maker<'_>, sides: &BranchDiff, all: bool) -> Rows {
    let layout = Layout::of(maker);
    Rows::sparse(
        head(maker, sides, &layout),
        sides.pairs(all).map(|pair| layout.rows(pair.sides())),
    )
}

fn head(maker: &Maker<'_>, sides: &BranchDiff, layout: &Layout) -> Vec<Line> {
    let comparison = &sides.comparison;
    let state = &maker.run.state;
    let mut lines = Vec::new();
    let mut put = |name: &str, a: Styled, b: Styled| {
        lines.extend(layout.put(None, (Role::Dim, name.to_owned()), Some(a), Some(b)));
    };
    let [name_a, name_b] = [comparison.a, comparison.b].map(|epoch| {
        let now = if epoch == crate::domain::branch::current(state) {
            "now: "
        } else {
            ""
        };
        Styled::new()
            .own(Role::Ok, now)
            .untrusted(Role::Title, &title(state, epoch), 100)
    });
    put("", name_a, name_b);
    let sums = [&comparison.sum_a, &comparison.sum_b].map(SumView::of);
    let [text_a, text_b] = sums.each_ref().map(|sum| match sum.text {
        Some(text) => Styled::new().summary(Role::Ok, &summary::text_of(text), layout.room),
        None => Styled::new().own(Role::Dim, "none"),
    });
    put("answer", text_a, text_b);
    let [cost_a, cost_b] = sums
        .each_ref()
        .map(|sum| Styled::new().own(Role::Text, cost(sum)));
    put("cost", cost_a, cost_b);
    if comparison.is_equal() {
        lines.push(equal(comparison.rows.len()));
    }
    lines
}

/// The text for two equal branches.
fn equal(nodes: usize) -> Line {
    let words = match nodes {
        0 => "equal: no active node on either".to_owned(),
        1 => "equal: the only node is the same on both".to_owned(),
        nodes => format!("equal: all {nodes} nodes are the same on both"),
    };
    Line {
        of: None,
        words: Styled::new().own(Role::Ok, words),
    }
}

/// The rows of some of the nodes.
pub fn nodes(maker: &Maker<'_>, sides: &BranchDiff, all: bool, which: Range<usize>) -> Vec<Line> {
    let layout = Layout::of(maker);
    which
        .filter_map(|at| Some((at, sides.pair(all, at)?)))
        .flat_map(|(at, pair)| node(maker, &layout, at, pair))
        .collect()
}

fn node(maker: &Maker<'_>, layout: &Layout, at: usize, pair: Pair<'_>) -> Vec<Line> {
    let (row, result) = (pair.node, pair.result);
    let (role, word) = match (row.a, row.b) {
        (Some(_), Some(_)) if pair.is_same() => (Role::Dim, "same"),
        (Some(_), Some(_)) => (Role::Edited, "differs"),
        (Some(_), None) => (Role::DiffRemove, "only A"),
        (None, _) => (Role::DiffAdd, "only B"),
    };
    let name = (role, format!("{:<6}{word}", row.node.to_string()));
    // Each node of the comparison keeps its row, whatever its status is now.
    let side = |rev: Option<Rev>, result, left, elsewhere| {
        let rev = rev?;
        let words = side_line(maker, row.node, (rev, result, left), elsewhere, layout.room);
        Some(words.unwrap_or_else(nothing))
    };
    let a = side(row.a, result.and_then(|row| row.a), row.left_a, row.b);
    let b = side(row.b, result.and_then(|row| row.b), row.left_b, row.a);
    layout.put(Some(at), name, a, b)
}

/// The diff of a node on two branches, including its result.
pub fn difference(maker: &mut Maker<'_>, pair: Pair<'_>) {
    one(maker, "", pair.node);
    if let Some(result) = pair.result {
        one(maker, "result", result);
    }
}

fn one(maker: &mut Maker<'_>, name: &str, row: &Row) {
    let (state, id) = (&maker.run.state, row.node);
    let text = |rev: Option<Rev>| {
        rev.and_then(|rev| state.node(id)?.revision(rev))
            .map(|revision| content_text(&revision.content))
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
        diff_texts(maker, &[a.into(), b.into()]);
    }
}

fn side_line(
    maker: &Maker<'_>,
    id: NodeId,
    (rev, result, left): (Rev, Option<Rev>, Option<&'static str>),
    elsewhere: Option<Rev>,
    room: usize,
) -> Option<Styled> {
    let state = &maker.run.state;
    let node = state.node(id)?;
    let claims = node.revision(rev)?;
    let mut line = Styled::new();
    if node.revisions.len() > 1 {
        line = line.own(Role::Edited, format!("{} ", claims.no));
    }
    let given = result.filter(|_| id.kind == NodeKind::Call);
    let given = given.and_then(|rev| state.node(id.observation())?.revision(rev));
    let result = given.and_then(|given| match &given.content {
        Content::Observation { outcome, .. } => {
            let source = state
                .calls
                .get(&id)
                .and_then(|call| result_source::of(call, given));
            let message = source.map(|source| Summary::default().own(format!("{}: ", source.label())));
            Some(message.unwrap_or_default().and(summary::result(outcome)))
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
        Some(other) => summary::content_beside(state, node, &claims.content, &other.content),
        None => summary::content(state, node, &claims.content),
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
