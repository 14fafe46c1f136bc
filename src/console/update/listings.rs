//! Makes the rows of open lists: staged edits, branches, comparisons, effects, rules.
//!
//! Must not know: keys, how rows are drawn.

use std::ops::Range;

use super::review::texts;
use super::stage::count;
use crate::doc::{Doc, Styled};
use crate::keymap::Keymap;
use crate::model::cached::Caches;
use crate::model::listing::{Item, Kind, Line, Listing, Rows};
use crate::model::screen::Screen;
use crate::model::staged_edits::{StagedEdits, moved};
use crate::summary;
use crate::tabs::{self, Maker};
use crate::theme::Role;

/// Keeps the cursor of a list on the screen.
pub(crate) fn scroll(list: &mut Listing, screen: &Screen) {
    let (_, rows, more) = screen.listing(list.rows.count(), list.doc.rows());
    list.scroll(usize::from(rows.height), usize::from(more.height));
}

/// Makes the visible rows that are not made yet.
pub(crate) fn fill(maker: &Maker<'_>, list: &mut Listing, screen: &Screen, cached: &mut Caches) {
    let (_, rows, _) = screen.listing(list.rows.count(), list.doc.rows());
    let looked = list.first..list.first + usize::from(rows.height);
    let Some(lacks) = list.rows.lacks(&looked) else {
        return;
    };
    let lines = lines(maker, list, cached, lacks.clone());
    list.rows.fill(lacks.start, lines);
}

/// The text of each entry, for a search in them.
pub(crate) fn entries(maker: &Maker<'_>, list: &Listing, cached: &mut Caches) -> Vec<String> {
    let mut rows = list.rows.clone();
    if let Some(lacks) = rows.lacks(&(0..rows.count())) {
        rows.fill(lacks.start, lines(maker, list, cached, lacks.clone()));
    }
    let mut texts = vec![String::new(); list.items.len()];
    for line in rows.shown(0..rows.count()) {
        if let Some(text) = line.of.and_then(|of| texts.get_mut(of)) {
            text.push_str(&line.words.plain());
            text.push('\n');
        }
    }
    texts
}

/// The rows of some of the entries of a list whose rows are made on demand.
fn lines(maker: &Maker<'_>, list: &Listing, cached: &mut Caches, which: Range<usize>) -> Vec<Line> {
    match list.kind {
        Kind::Compare { a, b, all } => {
            let sides = cached.branch_diff(&maker.run.state, (a, b));
            tabs::compared_nodes(maker, sides, all, which)
        }
        Kind::Effects { .. } => tabs::effect_rows(maker, &list.items, which),
        _ => Vec::new(),
    }
}

/// Brings a list up to date.
pub(crate) fn make(
    maker: &mut Maker<'_>,
    list: &mut Listing,
    (staged, cached): (&StagedEdits, &mut Caches),
    keymap: &Keymap,
) {
    let of = (maker.run.state.seq, maker.width, staged.stamp);
    // The rows stay while the cursor goes through them.
    let stay = list
        .made
        .is_some_and(|(seq, width, stamp, _)| (seq, width, stamp) == of);
    if stay && list.made.is_some_and(|made| made.3 == list.selected) && !list.doc.is_due() {
        return;
    }
    if !stay {
        lay(maker, list, (staged, cached));
    }
    maker.doc = Doc::default();
    more(maker, list, (staged, cached), keymap);
    list.doc = std::mem::take(&mut maker.doc);
    list.made = Some((of.0, of.1, of.2, list.selected));
}

/// Makes the entries of a list, and its rows.
fn lay(maker: &mut Maker<'_>, list: &mut Listing, (staged, cached): (&StagedEdits, &mut Caches)) {
    match list.kind {
        Kind::StagedEdits => staged_edits(maker, list, staged),
        Kind::Branches { marked } => {
            let all = cached.branches(&maker.run.state);
            list.take(all.iter().map(|branch| Item::Branch(branch.epoch)).collect());
            list.title = format!("{} branches", all.len());
            let looks = (maker.width, maker.charset);
            list.rows = Rows::all(tabs::branch_list(&maker.run.state, all, marked, looks));
        }
        Kind::Effects { ref mut all } => {
            let effects = cached.effects(&maker.run.state);
            // The list opens with effects that need attention, if there are any.
            let all = *all.get_or_insert(effects.is_quiet());
            let title = if all {
                "all effects, newest first"
            } else {
                "orphaned effects and unknown outcomes"
            };
            title.clone_into(&mut list.title);
            list.take(effects.list(all).iter().map(|seq| Item::Effect(*seq)).collect());
            list.rows = tabs::effect_list(maker, list.items.len(), all);
        }
        Kind::Rules => {
            list.take(tabs::rules(&maker.run.state));
            "rules of the session".clone_into(&mut list.title);
            list.rows = Rows::all(tabs::rule_list(&maker.run.state, &list.items, maker.width));
        }
        Kind::Compare { a, b, all } => {
            list.title = format!("branch {} (A) and branch {} (B)", a.0, b.0);
            let sides = cached.branch_diff(&maker.run.state, (a, b));
            list.take(
                sides
                    .pairs(all)
                    .filter_map(|pair| pair.key().map(Item::Node))
                    .collect(),
            );
            list.rows = tabs::compared_rows(maker, sides, all);
        }
    }
}

/// More about the entry under the cursor.
fn more(
    maker: &mut Maker<'_>,
    list: &Listing,
    (staged, cached): (&StagedEdits, &mut Caches),
    keymap: &Keymap,
) {
    match (&list.kind, list.selected) {
        (Kind::StagedEdits, _) => {
            if let Some(item) = staged.items().get(list.at) {
                let texts = texts(&maker.run.state, &item.edit);
                let moved = moved(&maker.run.state, &item.edit);
                tabs::staged_edit(maker, moved.as_deref(), &texts);
            }
        }
        (Kind::Branches { .. }, _) => {
            if let Some(branch) = cached.branches(&maker.run.state).get(list.at) {
                tabs::branch_answer(maker, branch);
            }
        }
        (Kind::Compare { a, b, all }, _) => {
            let sides = cached.branch_diff(&maker.run.state, (*a, *b));
            match sides.pair(*all, list.at) {
                Some(pair) => tabs::compared_node(maker, pair),
                None => maker.doc.line(Styled::new().own(Role::Dim, "no node differs")),
            }
        }
        (Kind::Effects { .. }, Some(Item::Effect(seq))) => tabs::effect_more(maker, seq, keymap),
        (Kind::Rules, Some(Item::Rule(no))) => tabs::rule_more(maker, no),
        (Kind::Effects { .. } | Kind::Rules, _) => {}
    }
}

fn staged_edits(maker: &Maker<'_>, list: &mut Listing, staged: &StagedEdits) {
    let items = staged.items();
    list.take(items.iter().map(|item| Item::Edit(item.no)).collect());
    list.title = format!("{}, not committed", count(items.len()));
    let lines = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let mut words = Styled::new().own(Role::Dim, format!(" {} ", at + 1));
            if moved(&maker.run.state, &item.edit).is_some() {
                words = words.own(Role::Error, "! redo  ");
            }
            let text = summary::edit(&maker.run.state, &item.edit);
            let room = usize::from(maker.width).saturating_sub(words.columns());
            Line {
                of: Some(at),
                words: words.summary(Role::Text, &text, room),
            }
        })
        .collect();
    list.rows = Rows::all(lines);
}
