//! Makes the rows of open lists: collected edits, branches, two branches side by side, effects.
//!
//! Must not know: keys, how rows are drawn.

use super::collect::count;
use super::review::texts;
use crate::console::doc::{Doc, Styled};
use crate::console::keymap::Keymap;
use crate::console::model::collected::{Collected, Trouble};
use crate::console::model::count::Count;
use crate::console::model::listing::{Compared, Item, Kind, Line, Listing};
use crate::console::model::screen::Screen;
use crate::console::summary;
use crate::console::tabs::{self, Maker};
use crate::console::theme::Role;
use crate::domain::branch::Branch;
use crate::domain::branch::compare::{Comparison, compare};
use crate::domain::id::Epoch;

/// Keeps the cursor of a list on the screen.
pub(super) fn scroll(list: &mut Listing, screen: &Screen) {
    let (_, rows, more) = screen.listing(list.lines.len(), list.doc.rows());
    list.scroll(usize::from(rows.height), usize::from(more.height));
}

/// Brings a list up to date.
pub(super) fn make(
    maker: &mut Maker<'_>,
    list: &mut Listing,
    (collected, branches): (&Collected, &Count<Vec<Branch>>),
    keymap: &Keymap,
) {
    let stamp = match list.kind {
        Kind::Branches { .. } => branches.at().map_or(0, |seq| seq.0),
        _ => collected.stamp,
    };
    let key = |list: &Listing| Some((maker.run.state.seq, maker.width, stamp, list.selected));
    if list.made.is_some() && list.made == key(list) && !list.doc.is_due() {
        return;
    }
    maker.doc = Doc::default();
    match list.kind {
        Kind::Collected => gathered(maker, list, collected),
        Kind::Branches { marked } => {
            let all = branches.known().map_or(&[][..], Vec::as_slice);
            list.take(all.iter().map(|branch| Item::Branch(branch.epoch)).collect());
            list.title = match branches.at() {
                Some(_) => format!("{} branches", all.len()),
                None => "branches: being counted".to_owned(),
            };
            list.lines = tabs::branch_list(&maker.run.state, all, marked, (maker.width, maker.charset));
            if let Some(branch) = all.get(list.at) {
                tabs::branch_answer(maker, branch);
            }
        }
        Kind::Effects { all } => {
            list.take(tabs::effects(&maker.run.state, all));
            let title = if all {
                "all effects, newest first"
            } else {
                "effects left behind or in doubt"
            };
            title.clone_into(&mut list.title);
            list.lines = tabs::effect_list(maker, &list.items, all);
            if let Some(Item::Effect(seq)) = list.selected {
                tabs::effect_more(maker, seq, keymap);
            }
        }
        Kind::Rules => {
            list.take(tabs::rules(&maker.run.state));
            "rules of the session".clone_into(&mut list.title);
            list.lines = tabs::rule_list(&maker.run.state, &list.items, maker.width);
            if let Some(Item::Rule(no)) = list.selected {
                tabs::rule_more(maker, no);
            }
        }
        Kind::Compare { a, b, all } => {
            let comparison = compared(maker, list, (a, b), all);
            match list.selected {
                Some(Item::Node(node)) => tabs::compared_node(maker, &comparison, node),
                _ => maker.doc.line(Styled::new().own(Role::Dim, "no node differs")),
            }
            let of = (maker.run.state.seq, maker.width, all);
            list.compared = Some(Compared { of, comparison });
        }
    }
    list.doc = std::mem::take(&mut maker.doc);
    list.made = Some((maker.run.state.seq, maker.width, collected.stamp, list.selected));
}

/// Two branches side by side, with their rows; both are made anew only where the run or the width is another one.
fn compared(maker: &Maker<'_>, list: &mut Listing, (a, b): (Epoch, Epoch), all: bool) -> Box<Comparison> {
    let of = (maker.run.state.seq, maker.width, all);
    if let Some(kept) = list.compared.take().filter(|kept| kept.of == of) {
        return kept.comparison;
    }
    let comparison = Box::new(compare(&maker.run.state, a, b));
    list.take(tabs::compared(&comparison, all));
    list.title = format!("branch {} (A) and branch {} (B)", a.0, b.0);
    list.lines = tabs::compare(maker, &comparison, all);
    comparison
}

fn gathered(maker: &mut Maker<'_>, list: &mut Listing, collected: &Collected) {
    let items = collected.items();
    list.take(items.iter().map(|item| Item::Edit(item.no)).collect());
    list.title = format!("{}, not committed", count(items.len()));
    let troubles = collected.troubles(&maker.run.state);
    list.lines = items
        .iter()
        .zip(&troubles)
        .enumerate()
        .map(|(at, (item, trouble))| {
            let mut words = Styled::new().own(Role::Dim, format!(" {} ", at + 1));
            if let Some(why) = trouble {
                let word = if why.is_clash() { "! clash  " } else { "! redo  " };
                words = words.own(Role::Error, word);
            }
            let said = summary::edit(&maker.run.state, &item.edit);
            let room = usize::from(maker.width).saturating_sub(words.columns());
            Line {
                of: Some(at),
                words: words.summary(Role::Text, &said, room),
            }
        })
        .collect();
    if let Some(item) = items.get(list.at) {
        let texts = texts(&maker.run.state, &item.edit);
        let trouble = troubles.get(list.at).and_then(Option::as_ref);
        tabs::gathered(maker, trouble.map(Trouble::words).as_deref(), &texts);
    }
}
