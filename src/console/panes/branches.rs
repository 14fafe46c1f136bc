//! The branches as rows: the current one, the start of each, and its outcome.
//!
//! Must not know: what can be done with a branch.

use super::rows::{Making, Row, RowsKind, Target};
use crate::pane::{Pane, PaneCard};
use crate::surface::Card;
use crate::tabs::branch_list;
use crate::verbs::Verb;
use overrule_present::many;

/// The pane.
pub const PANE: Pane = Pane::new(&PaneCard {
    surface: Card {
        heading: "branch pane",
        is_pane: true,
        ..Card::BASE
    },
    verb: "branch-pane",
    ..PaneCard::lower("branches")
});

/// The verb `branch-pane`.
pub const SHOW: Verb = Verb {
    name: "branch-pane",
    keys: &["6"],
    doc: "show or hide the branches next to the other panes",
    run: |model, _| super::show(model, PANE),
    ..super::SHOWS
};

/// How it behaves.
pub const KIND: RowsKind = RowsKind { pane: PANE, make };

/// The rows.
fn make(making: Making<'_>) -> (String, Vec<Row>) {
    let state = &making.run.state;
    let all = making.cached.branches(state);
    let rows = branch_list(state, all, making.marked, (making.width, making.charset))
        .into_iter()
        .map(|line| {
            let branch = line.of.and_then(|at| all.get(at));
            let target = branch.map_or(Target::Nothing, |branch| Target::Branch(branch.epoch));
            Row::new(target, line.words)
        })
        .collect();
    let title = match all.len() {
        1 => "1: no edits yet".to_owned(),
        count => many(count, "").trim_end_matches(" s").to_owned(),
    };
    (title, rows)
}
