//! Invariants of the rows of a state, for any folds and filters.
//!
//! Must not know: the screen.

use super::*;
use crate::ground::layout::fold::{FoldKind, RowKind};
use crate::testing::Stage;

/// Settings of every kind, for the nodes of a state.
fn all_settings(state: &State) -> Vec<RowSettings> {
    let levels = [Level::Recent, Level::Turns, Level::Nodes, Level::Text];
    let of_level = |level| RowSettings {
        level,
        ..RowSettings::default()
    };
    let mut all: Vec<RowSettings> = levels.map(of_level).into();
    let kinds = [FoldKind::Fan, FoldKind::Turn, FoldKind::Loop, FoldKind::Elided];
    let every = |step: usize| state.nodes.keys().copied().step_by(step);
    all.push(RowSettings {
        unfolded: every(1).flat_map(|id| kinds.map(|kind| (id, kind))).collect(),
        split: every(3).map(NodeId::call).collect(),
        ..RowSettings::default()
    });
    for text in ["is:failed", "kind:thought", "!kind:call", "zq"] {
        let filter = Some(Query::parse(text).unwrap());
        all.push(RowSettings {
            filter: filter.clone(),
            ..RowSettings::default()
        });
        all.push(RowSettings {
            filter,
            revealed: every(7).nth(1),
            unfolded: every(2).map(|id| (id, FoldKind::Elided)).collect(),
            ..RowSettings::default()
        });
    }
    all
}

#[test]
fn every_node_is_in_the_row_that_finds_it() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(60);
    let state = &stage.model.run.state;
    for settings in all_settings(state) {
        let rows = rows(state, &settings);
        assert_eq!(rows.gutter.len(), rows.len());
        let mut nodes: Vec<NodeId> = rows.iter().flat_map(Row::keys).collect();
        nodes.sort_unstable();
        assert!(nodes.iter().eq(state.nodes.keys()), "{settings:?}");
        assert_eq!(rows.newest, nodes.last().map(|id| id.call()));
        for (at, row) in rows.iter().enumerate() {
            assert!(row.keys().all(|id| rows.find(id) == Some(at)));
            assert_eq!(rows.through(Some(row.key)), at + 1);
            assert_eq!(
                rows.marks(at..at + 1),
                (
                    Mark::of(row.mark),
                    usize::from(Mark::of(row.mark) == Mark::Failed)
                )
            );
            assert!(row.within.is_none_or(|fold| settings.unfolded.contains(&fold)));
            let few: Vec<NodeId> = row.ends(2).collect();
            assert!(few.len() <= 4 && few.iter().all(|id| row.members.contains(id)));
            assert_eq!(few.last(), row.members.last());
            assert!(row.ends(nodes.len()).eq(row.members.iter().copied()));
        }
    }
}

#[test]
fn the_marks_of_many_rows_are_the_highest_and_the_number_of_failures() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(60);
    let rows = rows(&stage.model.run.state, &RowSettings::default());
    let each: Vec<Mark> = rows.iter().map(|row| Mark::of(row.mark)).collect();
    assert!(each.contains(&Mark::Failed) && each.contains(&Mark::None));
    for (from, to) in [(0, rows.len()), (3, 40), (7, 7), (rows.len(), rows.len())] {
        let some = &each[from..to];
        let failed = some.iter().filter(|mark| **mark == Mark::Failed).count();
        let most = some.iter().max().copied().unwrap_or(Mark::None);
        assert_eq!(rows.marks(from..to), (most, failed), "{from}..{to}");
    }
}

#[test]
fn a_filter_keeps_what_matches_and_what_is_revealed() {
    let mut stage = Stage::new(80, 24);
    stage.long_run(60);
    let state = &stage.model.run.state;
    let filter = Query::parse("is:failed").unwrap();
    let matches = |id: NodeId| entries::matches(state, &filter, id);
    let revealed = state.nodes.keys().copied().find(|id| !matches(*id)).unwrap();
    let settings = RowSettings {
        filter: Some(filter.clone()),
        revealed: Some(revealed),
        ..RowSettings::default()
    };
    let rows = rows(state, &settings);
    assert_eq!(rows.matches, 6);
    let shown: Vec<NodeId> = rows
        .iter()
        .filter(|row| row.kind == RowKind::Node)
        .map(|row| row.key)
        .collect();
    assert_eq!(shown.len(), 7);
    assert!(shown.iter().all(|id| matches(*id) || *id == revealed));
}
