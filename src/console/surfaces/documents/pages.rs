//! The documents of pages: a log line, the list of calls to approve.
//!
//! Must not know: how they are drawn.

use std::sync::Arc;

use super::listed::{self, ListedCall};
use crate::ground::columns::Columns as _;
use crate::ground::doc::{Form, Styled, broken};
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::bulk_exclusion;
use crate::run::call_group;
use crate::run::maker::Maker;
use crate::surfaces::bulk::{Bulk, DropReason};

/// Adds the whole difference between the definitions of a server and the accepted ones.
pub fn changed_definitions(maker: &mut Maker<'_>, difference: &Arc<str>) {
    maker.framed(
        0,
        "accepting them accepts exactly this, for this run and all later ones",
    );
    let mark = (Role::Decision, maker.frame(1).to_owned());
    maker.text(difference, Form::Raw, Wrap::Chars, Role::Text, mark);
    maker.framed(2, "end of the difference");
}

/// Adds a whole line of the log. Unsafe characters in it are marked.
pub fn note(maker: &mut Maker<'_>, words: &str) {
    for row in broken(
        &overrule_base::text::visible(words),
        usize::from(maker.width).saturating_sub(1),
    ) {
        maker.own(Role::Text, row);
    }
}

/// Adds the calls that would be approved together; no difference is cut. A call that left the list keeps its rows,
/// struck out: no row moves or changes while the operator reads.
pub fn bulk(maker: &mut Maker<'_>, bulk: &mut Bulk) {
    let items = &mut bulk.items;
    let status = items.iter().filter(|item| item.left.is_none()).count();
    let run = match status {
        1 => "1 call runs".to_owned(),
        many => format!("{many} calls run in this order"),
    };
    maker.own(Role::Decision, format!(" {run} if you approve this list "));
    let any_left = status < items.len();
    let similar = call_group::of(&maker.run.state, items.iter().map(|item| item.call));
    for item in items.iter_mut() {
        if any_left && !item.rows.is_empty() {
            struck(maker, &item.rows, item.left);
            continue;
        }
        let one = ListedCall {
            call: item.call,
            rev: item.rev,
            unread: item.unread,
        };
        let (rows, whole) = listed::rows(maker, &one, similar.get(&item.call));
        struck(maker, &rows, item.left);
        item.rows = if whole { rows } else { Vec::new() };
    }
    let words = match bulk_exclusion::describe(&bulk.excluded) {
        words if words.is_empty() => "no waiting call is left out".to_owned(),
        words => format!("left out: {words}"),
    };
    maker.own(Role::Dim, words);
}

/// Adds the rows of a call in the list. The rows of a call that left it are struck out, and the end of the first one says why:
/// no row moves.
fn struck(maker: &mut Maker<'_>, rows: &[Styled], left: Option<DropReason>) {
    let width = usize::from(maker.width);
    let mut laid: Vec<Styled> = rows
        .iter()
        .flat_map(|row| row.clone().over(width, listed::INDENT))
        .collect();
    if let Some(left) = left {
        for piece in laid.iter_mut().flat_map(|row| &mut row.0) {
            piece.role = Role::Superseded;
        }
        if let Some(first) = laid.first_mut() {
            let label = format!(" {} ", left.label());
            let room = width.saturating_sub(label.columns());
            let cut = std::mem::take(first).over(room.max(1), 0);
            *first = cut.into_iter().next().unwrap_or_default();
            let gap = room.saturating_sub(first.columns());
            *first = std::mem::take(first)
                .own(Role::Superseded, " ".repeat(gap))
                .own(Role::Warning, label);
        }
    }
    for row in laid {
        maker.doc.line(row);
    }
}
