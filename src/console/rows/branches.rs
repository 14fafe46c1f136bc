//! The branches as rows: the current one, the start of each, and its outcome.
//!
//! Must not know: what can be done with a branch.

use super::Chosen;
use crate::console::model::lower::{Row, Target};
use crate::console::model::run::RunPart;
use crate::console::symbols::Charset;
use crate::console::tabs::branch_list;
use crate::present::many;

/// The rows.
pub(super) fn make(run: &RunPart, chosen: Chosen<'_>, looks: (u16, Charset)) -> (String, Vec<Row>) {
    let all = chosen.branches;
    let rows = branch_list(&run.state, all, chosen.marked, looks)
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
