//! The branches as rows: the current one, the start of each, and its outcome.
//!
//! Must not know: what can be done with a branch.

use crate::kernel::pane::{Pane, PaneCard};
use crate::kernel::rows::{Making, Row, RowsKind};
use crate::kernel::show::{SHOWS, show};
use crate::kernel::surface::Card;
use crate::kernel::verb::Verb;
use crate::run::target::Target;
use crate::surfaces::documents::branch_list;
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
    run: |model, _| show(model, PANE),
    ..SHOWS
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
