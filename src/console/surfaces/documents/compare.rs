//! Rows that compare two branches node by node: side by side, or stacked on a narrow screen.
//!
//! Must not know: keys, where the rows are on the screen, how branches are compared.

use std::ops::Range;

use super::branches::{BESIDE, clipped, cost};
use super::revisions::{content_text, diff_texts};
use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::listing::{Line, Rows};
use crate::run::maker::Maker;
use crate::run::summary;
use crate::run::summary::Summary;
use overrule_domain::branch;
use overrule_domain::id::{Epoch, NodeKind};
use overrule_domain::node::Content;
use overrule_domain::result_source;
use overrule_present::branch::{SumView, title};
use overrule_present::branch_diff::{BranchDiff, Pair, Side};

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
    let base = |epoch: Epoch| branch::record(state, epoch).map(|record| branch::of(state, record.base));
    let name = |epoch: Epoch, other: Epoch| {
        let now = if epoch == branch::current(state) {
            "now: "
        } else {
            ""
        };
        let parent = if base(other) == Some(epoch) {
            "parent: "
        } else {
            ""
        };
        Styled::new().own(Role::Ok, now).own(Role::Dim, parent).untrusted(
            Role::Title,
            &title(state, epoch),
            100,
        )
    };
    let name_a = name(comparison.a, comparison.b);
    let name_b = name(comparison.b, comparison.a);
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
    if sides.is_equal() {
        lines.push(equal(sides.nodes().1));
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

fn node(maker: &Maker<'_>, layout: &Layout, at: usize, pair: &Pair) -> Vec<Line> {
    let (word, _) = pair.describe();
    let role = match (pair.a, pair.b) {
        (Some(_), Some(_)) if pair.is_same() => Role::Dim,
        (Some(_), Some(_)) => Role::Edited,
        (Some(_), None) => Role::DiffRemove,
        (None, _) => Role::DiffAdd,
    };
    let key = pair.key().map(|id| id.to_string()).unwrap_or_default();
    let name = (role, format!("{key:<6}{word}"));
    // Each node of the comparison keeps its row, whatever its status is now.
    let side = |own: Option<Side>, other: Option<Side>| {
        let own = own?;
        let id = own.node.to_string();
        let line = if id == key {
            Styled::new()
        } else {
            Styled::new().own(Role::Dim, format!("{id} "))
        };
        Some(side_line(maker, line, (own, other), layout.room).unwrap_or_else(nothing))
    };
    let (a, b) = (side(pair.a, pair.b), side(pair.b, pair.a));
    layout.put(Some(at), name, a, b)
}

/// The difference of a pair: what its row says, then the parts that differ.
pub fn difference(maker: &mut Maker<'_>, pair: &Pair) {
    let (_, words) = pair.describe();
    let name = match (pair.a, pair.b) {
        (Some(a), Some(b)) if a.node != b.node => format!("{} (A), {} (B)", a.node, b.node),
        _ => pair.key().map(|id| id.to_string()).unwrap_or_default(),
    };
    maker.own(Role::Title, format!("{name} {words}"));
    let state = &maker.run.state;
    let own = [pair.a, pair.b].map(|side| side?.content(state).map(content_text));
    let results = [pair.a, pair.b].map(|side| {
        let side = side?;
        let left = || side.left.map(str::to_owned);
        side.outcome(state).map(content_text).or_else(left)
    });
    for texts in [own, results] {
        let [a, b] = texts.map(Option::unwrap_or_default);
        if a != b {
            diff_texts(maker, &[a.into(), b.into()]);
        }
    }
}

/// The text of a node on a branch, next to what it is on the other one.
fn side_line(
    maker: &Maker<'_>,
    start: Styled,
    (own, other): (Side, Option<Side>),
    room: usize,
) -> Option<Styled> {
    let state = &maker.run.state;
    let id = own.node;
    let node = state.node(id)?;
    let claims = node.revision(own.rev)?;
    let mut line = start;
    if node.revisions.len() > 1 {
        line = line.own(Role::Edited, format!("{} ", claims.no));
    }
    let given = own.result.filter(|_| id.kind == NodeKind::Call);
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
    let result = result.or_else(|| Some(Summary::default().own(own.left?)));
    let left = room.saturating_sub(line.columns());
    let most = match &result {
        Some(result) => summary::beside(left, result),
        None => left,
    };
    let words = match other.and_then(|other| other.content(state)) {
        Some(other) => summary::content_beside(state, node, &claims.content, other),
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
