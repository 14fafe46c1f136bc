//! Rows planned in parts are the rows that are planned at once. Must not know: the run.

use proptest::prelude::*;

use super::*;
use crate::console::layout::fold::{Detail, Keep, plan};

/// Turns of a few calls; few signs, so that turns are repeated.
fn entries() -> impl Strategy<Value = Vec<Entry<NodeId>>> {
    let keep = prop_oneof![9 => Just(Keep::No), 1 => Just(Keep::Own), 1 => Just(Keep::Always)];
    let replaced = prop::option::weighted(0.1, 1..3_u64);
    let turn = (1..4_u64, prop::collection::vec(keep, 0..4), replaced);
    prop::collection::vec(turn, 0..60).prop_map(|turns| {
        let mut entries: Vec<Entry<NodeId>> = Vec::new();
        for ((sign, keeps, replaced), turn) in turns.into_iter().zip(1..) {
            let before = entries.last().map(|entry| entry.key);
            let next = |entries: &Vec<Entry<NodeId>>| entries.len() as u32 + 1;
            let thought = NodeId::new(NodeKind::Thought, next(&entries));
            let first = Entry::new(thought, before.into_iter().collect());
            entries.push(Entry {
                replaced,
                turn,
                ..first
            });
            for keep in keeps {
                let call = NodeId::new(NodeKind::Call, next(&entries));
                entries.push(Entry {
                    turn,
                    fan: true,
                    keep,
                    sign,
                    replaced,
                    members: vec![call.observation()].into(),
                    mark: sign as u8,
                    ..Entry::new(call, vec![thought])
                });
            }
        }
        entries
    })
}

fn check(rows: &Rows, entries: &[Entry<NodeId>], rules: Rules) {
    let wanted = plan(entries, rules, |_, _| false);
    let mut gutter = Gutter::default();
    gutter.sync(0, wanted.iter().map(Planned::item));
    assert_eq!(rows.len(), wanted.len());
    assert_eq!(rows.gutter.len(), wanted.len());
    assert_eq!(rows.marks.rows(), wanted.len());
    for (at, wanted) in wanted.iter().enumerate() {
        let row = rows.get(at).unwrap();
        assert_eq!(
            (row.key, row.shape, row.kind),
            (wanted.key, wanted.shape, wanted.kind)
        );
        assert_eq!((row.count, row.replaced), (wanted.count, wanted.replaced));
        assert_eq!(rows.gutter.row(at), gutter.row(at));
        assert!(rows.gutter.members(at).eq(wanted.members.iter().copied()));
        assert_eq!(rows.marks.get(at), Some(wanted.mark));
        for id in wanted.members.iter().chain([&wanted.key]) {
            assert_eq!(rows.of(*id), Some(row));
        }
    }
    for id in entries.iter().map(|entry| entry.key) {
        let through = wanted.partition_point(|row| row.key <= id);
        assert_eq!(rows.through(Some(id)), through);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_planned_in_parts_is_the_plan_of_everything(
        before in entries(),
        after in entries(),
        cut in 0..200_usize,
        since in 0..60_u64,
    ) {
        let rules = Rules { wide: 3, detail: Detail::Since(since) };
        let mut rows = Rows::default();
        let open = BTreeSet::new();
        for entry in &before { rows.entries.push(entry.clone()); }
        rows.plan(0, rules, None, &open);
        check(&rows, &before, rules);
        // Another end.
        let cut = cut.min(before.len()).min(after.len());
        let mut entries = before[..cut].to_vec();
        entries.extend_from_slice(&after[cut..]);
        rows.entries.truncate(cut);
        for entry in &after[cut..] { rows.entries.push(entry.clone()); }
        rows.plan(cut, rules, None, &open);
        check(&rows, &entries, rules);
    }
}

fn check_sieved(rows: &Rows, entries: &[Entry<NodeId>], called: Option<NodeId>, open: &BTreeSet<Unfolded>) {
    let mut whole = Rows::default();
    for entry in entries {
        whole.entries.push(entry.clone());
    }
    let rules = Rules {
        wide: 3,
        detail: Detail::Nodes,
    };
    whole.plan(0, rules, Some(Called(called)), open);
    assert_eq!(rows.len(), whole.len());
    let mut next = 0;
    for at in 0..rows.len() {
        let row = rows.get(at).unwrap();
        assert_eq!(Some(row), whole.get(at));
        assert_eq!(rows.marks.get(at), whole.marks.get(at));
        assert_eq!(rows.gutter.row(at), whole.gutter.row(at));
        // Every node stands in the row that counts it, whether it is named there or not.
        let here = &entries[next..next + row.count];
        next += row.count;
        let nodes: Vec<NodeId> = here
            .iter()
            .flat_map(|entry| std::iter::once(entry.key).chain(entry.members.iter().copied()))
            .collect();
        assert!(nodes.iter().all(|id| rows.find(*id) == Some(at)));
        assert_eq!(rows.last(at).as_ref(), nodes.last());
        let is_elided = row.kind == RowKind::Elided;
        assert_eq!(
            is_elided,
            row.count > 1 || !here[0].hit && Some(row.key) != called && !shown(here, open, entries)
        );
        assert_eq!(rows.ends(at, 100), nodes[1..]);
        let few = rows.ends(at, 2);
        assert!(few.len() <= 8 && few.iter().all(|id| nodes[1..].contains(id)));
        assert!(nodes.len() < 2 || few.contains(nodes.last().unwrap()));
    }
    assert_eq!(next, entries.len());
}

/// True for an entry in a run that is shown although it does not fit.
fn shown(here: &[Entry<NodeId>], open: &BTreeSet<Unfolded>, entries: &[Entry<NodeId>]) -> bool {
    let at = entries.iter().position(|entry| entry.key == here[0].key).unwrap();
    let before = entries[..=at]
        .iter()
        .rposition(|entry| open.contains(&(entry.key, Folded::Elided)));
    before.is_some_and(|first| entries[first..=at].iter().all(|entry| !entry.hit))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_sieved_in_parts_is_what_is_sieved_at_once(
        before in entries(),
        after in entries(),
        cut in 0..200_usize,
        hits in prop::collection::vec(prop::bool::weighted(0.1), 400),
        called in prop::option::of(0..200_usize),
        opened in prop::collection::vec(0..200_usize, 0..3),
    ) {
        let hit = |entries: &mut Vec<Entry<NodeId>>, from: usize| {
            for (entry, hit) in entries.iter_mut().zip(&hits[from..]) {
                entry.hit = *hit;
            }
        };
        let (mut before, mut after) = (before, after);
        hit(&mut before, 0);
        hit(&mut after, 7);
        let key = |at: usize| before.get(at).map(|entry| entry.key);
        let called = called.and_then(key);
        let open: BTreeSet<Unfolded> = opened.into_iter().filter_map(key).map(|key| (key, Folded::Elided)).collect();
        let rules = Rules { wide: 3, detail: Detail::Nodes };
        let mut rows = Rows::default();
        for entry in &before { rows.entries.push(entry.clone()); }
        rows.plan(0, rules, Some(Called(called)), &open);
        check_sieved(&rows, &before, called, &open);
        let cut = cut.min(before.len()).min(after.len());
        let mut entries = before[..cut].to_vec();
        entries.extend_from_slice(&after[cut..]);
        rows.entries.truncate(cut);
        for entry in &after[cut..] { rows.entries.push(entry.clone()); }
        rows.plan(cut, rules, Some(Called(called)), &open);
        check_sieved(&rows, &entries, called, &open);
        // One after the other at the end.
        let mut grown = Rows::default();
        for (at, entry) in entries.iter().enumerate() {
            grown.entries.push(entry.clone());
            grown.plan(at, rules, Some(Called(called)), &open);
        }
        check_sieved(&grown, &entries, called, &open);
        if let Some(far) = grown.points.last() {
            prop_assert!(entries.len() - far.entry <= 4, "little is gone through for one more");
        }
    }
}

#[test]
fn a_node_is_a_number_and_comes_back_in_its_order() {
    let ids = NodeKind::ALL.map(|kind| NodeId::new(kind, 7));
    assert!(ids.map(Key::code).is_sorted());
    assert_eq!(ids.map(|id| NodeId::of(id.code())), ids);
    let last = NodeId::new(NodeKind::Call, u32::MAX);
    assert_eq!(NodeId::of(last.code()), last);
}
