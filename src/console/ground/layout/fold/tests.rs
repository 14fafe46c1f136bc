//! Example folds, and invariants of every plan.
//!
//! Must not know: the screen.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::filter::filter;
use super::*;
use crate::ground::layout::gutter::{Cell, Gutter};

const NODES: Rules = Rules {
    wide: 3,
    detail: Detail::Nodes,
};

fn call(key: u32, keep: Keep) -> Entry<u32> {
    Entry {
        turn: 1,
        fan: true,
        keep,
        ..Entry::new(key, vec![1])
    }
}

fn shown(rows: &[Row<u32>]) -> Vec<(u32, RowKind, usize)> {
    rows.iter().map(|row| (row.key, row.kind, row.count)).collect()
}

#[test]
fn a_narrow_fan_keeps_its_rows() {
    let entries = [Entry::new(1, vec![]), call(2, Keep::No), call(3, Keep::No)];
    let rows = fold(&entries, NODES, |_| false);
    assert_eq!(
        shown(&rows),
        [
            (1, RowKind::Node, 1),
            (2, RowKind::Node, 1),
            (3, RowKind::Node, 1)
        ]
    );
}

#[test]
fn a_wide_fan_folds_what_is_quiet_and_nothing_else() {
    let mut entries = vec![Entry::new(1, vec![])];
    entries.extend((2..8).map(|key| call(key, if key == 4 { Keep::Own } else { Keep::No })));
    let rows = fold(&entries, NODES, |_| false);
    assert_eq!(
        shown(&rows),
        [(1, RowKind::Node, 1), (2, RowKind::Fan, 5), (4, RowKind::Node, 1)]
    );
    assert_eq!(rows[1].members, [3, 5, 6, 7]);
    assert_eq!(rows[1].parents, [1]);
    assert_eq!(
        fold(&entries, NODES, |name| name == (2, FoldKind::Fan)).len(),
        7,
        "unfolded by its name"
    );
}

#[test]
fn what_one_edit_replaced_is_one_row_and_comes_back_on_the_side() {
    let mut entries: Vec<_> = (1..6).map(|key| Entry::new(key, vec![key - 1])).collect();
    for entry in &mut entries[2..4] {
        entry.replaced = Some(9);
    }
    entries[4].replaced = Some(10);
    let rows = fold(&entries, NODES, |_| false);
    assert_eq!(
        shown(&rows),
        [
            (1, RowKind::Node, 1),
            (2, RowKind::Node, 1),
            (3, RowKind::Replaced, 2),
            (5, RowKind::Replaced, 1)
        ]
    );
    assert_eq!(rows[2].replaced, Some(9));
    let rows = fold(&entries, NODES, |name| name == (3, FoldKind::Replaced(9)));
    assert_eq!(rows[2].shape, Shape::Side);
    assert_eq!(rows[4].kind, RowKind::Replaced, "the other fold stays");
}

/// Turns of a thought and two calls each. Equal signs stand for equal calls.
fn turns(signs: &[u64]) -> Vec<Entry<u32>> {
    let mut entries = Vec::new();
    for (at, sign) in signs.iter().enumerate() {
        let thought = at as u32 * 10 + 1;
        let before: Vec<u32> = if at == 0 {
            vec![]
        } else {
            vec![thought - 9, thought - 8]
        };
        let turn = at as u64 + 1;
        entries.push(Entry {
            turn,
            ..Entry::new(thought, before)
        });
        for no in 1..3 {
            entries.push(Entry {
                turn,
                fan: true,
                sign: *sign,
                ..Entry::new(thought + no, vec![thought])
            });
        }
    }
    entries
}

#[test]
fn old_turns_that_went_well_are_one_row_and_the_others_are_not() {
    let mut entries = turns(&[1, 2, 3, 4]);
    entries[4].keep = Keep::Own;
    let rules = Rules {
        wide: 8,
        detail: Detail::Since(4),
    };
    let rows = fold(&entries, rules, |_| false);
    assert_eq!(
        shown(&rows),
        [
            (1, RowKind::Turn, 3),
            (11, RowKind::Node, 1),
            (12, RowKind::Node, 1),
            (13, RowKind::Node, 1),
            (21, RowKind::Turn, 3),
            (31, RowKind::Node, 1),
            (32, RowKind::Node, 1),
            (33, RowKind::Node, 1),
        ]
    );
    assert_eq!(
        rows[4].parents,
        [12, 13],
        "a turn depends on what its first node depends on"
    );
}

#[test]
fn with_one_row_for_a_turn_what_needs_attention_still_has_its_own() {
    let mut entries = turns(&[1, 2]);
    entries[4].keep = Keep::Own;
    let rules = Rules {
        wide: 8,
        detail: Detail::Turns,
    };
    let rows = fold(&entries, rules, |_| false);
    assert_eq!(
        shown(&rows),
        [
            (1, RowKind::Turn, 3),
            (11, RowKind::Turn, 2),
            (12, RowKind::Node, 1)
        ]
    );
}

#[test]
fn what_is_repeated_is_one_row_with_how_often() {
    let since = |turn| Rules {
        wide: 8,
        detail: Detail::Since(turn),
    };
    let entries = turns(&[5, 7, 8, 7, 8, 7, 8, 7, 9]);
    let rows = fold(&entries, since(0), |_| false);
    let rows: Vec<_> = shown(&rows)
        .into_iter()
        .filter(|row| row.1 != RowKind::Node)
        .collect();
    assert_eq!(rows, [(31, RowKind::Loop(2), 12)], "two turns, three times");
    let doubled = turns(&[7, 7]);
    assert_eq!(fold(&doubled, since(0), |_| false).len(), 6, "twice is no loop");
    let mut waits = turns(&[7, 7, 7, 7]);
    waits[4].keep = Keep::Always;
    assert_eq!(
        fold(&waits, since(0), |_| false).len(),
        12,
        "waiting nodes are not hidden"
    );
    assert_eq!(
        fold(&entries, NODES, |_| false).len(),
        27,
        "every node, if asked for"
    );
}

#[test]
fn unmatched_entries_become_one_row_and_lines_past_them_are_marked() {
    // 1 ─ 2, 3 ─ 4 ─ 5: 2 and 4 do not match.
    let mut entries = vec![
        Entry::new(1, vec![]),
        Entry::new(2, vec![1]),
        Entry::new(3, vec![1]),
        Entry::new(4, vec![2, 3]),
        Entry::new(5, vec![4]),
    ];
    for at in [0, 2, 4] {
        entries[at].hit = true;
    }
    let rows = filter(&entries, None, |_| false);
    assert_eq!(
        shown(&rows),
        [
            (1, RowKind::Node, 1),
            (2, RowKind::Elided, 1),
            (3, RowKind::Node, 1),
            (4, RowKind::Elided, 1),
            (5, RowKind::Node, 1)
        ]
    );
    assert_eq!((&rows[2].parents, &rows[2].elided), (&vec![1], &vec![]));
    assert_eq!((&rows[4].parents, &rows[4].elided), (&vec![], &vec![1, 3]));
    let one = filter(&entries, Some(2), |_| false);
    assert_eq!(
        shown(&one)[1..4],
        [
            (2, RowKind::Node, 1),
            (3, RowKind::Node, 1),
            (4, RowKind::Elided, 1)
        ],
        "what is revealed has a row, and nothing else"
    );
    let all = filter(&entries, None, |name| name == (4, FoldKind::Elided));
    assert_eq!(all[3].kind, RowKind::Node, "a run is shown if asked for");
    assert_eq!(all[4].parents, [4]);
}

fn entries() -> impl Strategy<Value = Vec<Entry<u32>>> {
    let one = (
        0_u64..4,
        any::<bool>(),
        prop::sample::select(vec![
            Keep::No,
            Keep::No,
            Keep::No,
            Keep::No,
            Keep::Own,
            Keep::Always,
        ]),
        prop::sample::select(vec![None, None, None, None, None, Some(3), Some(4)]),
        0_u64..3,
        any::<bool>(),
        prop::collection::vec(1_u32..9, 0..3),
    );
    prop::collection::vec(one, 0..120).prop_map(|all| {
        let mut turn = 1;
        all.into_iter()
            .enumerate()
            .map(|(at, (next, fan, keep, replaced, sign, hit, back))| {
                turn += u64::from(next == 0);
                let key = at as u32 + 1;
                Entry {
                    turn,
                    fan,
                    keep,
                    replaced,
                    sign,
                    hit,
                    mark: sign as u8,
                    ..Entry::new(
                        key,
                        back.iter().filter_map(|back| key.checked_sub(*back)).collect(),
                    )
                }
            })
            .collect()
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    let detail = prop_oneof![
        Just(Detail::Nodes),
        Just(Detail::Turns),
        (0_u64..60).prop_map(Detail::Since)
    ];
    (1_usize..6, detail).prop_map(|(wide, detail)| Rules { wide, detail })
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn every_node_is_in_one_row_and_what_needs_attention_has_its_own(
        entries in entries(), rules in rules(), open in prop::collection::btree_set(1_u32..120, 0..6),
    ) {
        let rows = fold(&entries, rules, |(key, _)| open.contains(&key));
        let mut seen = BTreeSet::new();
        for row in &rows {
            for key in row.members.iter().chain([&row.key]) {
                prop_assert!(seen.insert(*key), "{key} is there twice");
            }
            prop_assert_eq!(row.count, row.members.len() + 1);
            for parent in &row.parents {
                prop_assert!(!row.members.contains(parent) && *parent != row.key, "a row depends on itself");
            }
        }
        prop_assert_eq!(seen.len(), entries.len());
        for entry in &entries {
            let row = rows.iter().find(|row| row.key == entry.key || row.members.contains(&entry.key)).unwrap();
            if entry.replaced.is_none() && entry.keep == Keep::Always {
                prop_assert_eq!(row.count, 1, "{} is hidden", entry.key);
            }
            if entry.replaced.is_none() && entry.keep == Keep::Own {
                prop_assert!(row.count == 1 || matches!(row.kind, RowKind::Loop(_)));
            }
            prop_assert!(row.mark >= entry.mark);
        }
    }

    #[test]
    fn a_row_names_the_unfolded_fold_that_hides_it_once_it_is_folded(
        entries in entries(), rules in rules(), open in prop::collection::btree_set(1_u32..120, 0..12),
    ) {
        let kinds = [
            FoldKind::Fan, FoldKind::Turn, FoldKind::Loop, FoldKind::Replaced(3), FoldKind::Replaced(4),
        ];
        let open: BTreeSet<_> = open.iter().flat_map(|key| kinds.map(|kind| (*key, kind))).collect();
        let hidden_by = |name: &Fold<u32>| -> BTreeSet<u32> {
            let folded = fold(&entries, rules, |one| one != *name && open.contains(&one));
            folded.iter().filter(|one| one.fold() == Some(*name)).flat_map(Row::keys).collect()
        };
        let hidden: BTreeMap<_, _> = open.iter().map(|name| (*name, hidden_by(name))).collect();
        for row in fold(&entries, rules, |name| open.contains(&name)) {
            match row.within {
                Some(name) => prop_assert!(hidden[&name].contains(&row.key), "{name:?} hides {}", row.key),
                None => prop_assert!(!hidden.values().any(|keys| keys.contains(&row.key)), "nothing hides {}", row.key),
            }
        }
    }

    #[test]
    fn a_filter_shows_what_matches_and_counts_the_rest(
        entries in entries(), revealed in prop::option::of(1_u32..120),
        open in prop::collection::btree_set(1_u32..120, 0..6),
    ) {
        let rows = filter(&entries, revealed, |(key, _)| open.contains(&key));
        let mut next = 0;
        for row in &rows {
            let here = &entries[next..next + row.count];
            next += row.count;
            prop_assert!(row.keys().eq(here.iter().map(|entry| entry.key)));
            prop_assert_eq!(row.mark, here.iter().map(|entry| entry.mark).max().unwrap());
            let is_shown = here[0].hit || Some(row.key) == revealed;
            match row.kind {
                RowKind::Elided => {
                    prop_assert!(!open.contains(&row.key) && row.within.is_none());
                    prop_assert!(here.iter().all(|entry| !entry.hit && Some(entry.key) != revealed));
                }
                kind => {
                    prop_assert_eq!((kind, row.count), (RowKind::Node, 1));
                    prop_assert_eq!(is_shown, row.within.is_none());
                    prop_assert!(row.within.is_none_or(|(first, _)| open.contains(&first) && first <= row.key));
                }
            }
        }
        prop_assert_eq!(next, entries.len());
        prop_assert!(!rows.windows(2).any(|two| two.iter().all(|row| row.kind == RowKind::Elided)));
    }

    #[test]
    fn a_filtered_graph_distinguishes_direct_and_indirect_links(entries in entries()) {
        let rows = filter(&entries, None, |_| false);
        let gutter: Gutter<u32> = rows.iter().map(Row::item).collect();
        // The ancestors that each shown node reaches without passing another shown node.
        let hit = |key: u32| entries.get(key as usize - 1).is_some_and(|entry| entry.hit);
        for (at, row) in rows.iter().enumerate() {
            if row.kind == RowKind::Elided {
                continue;
            }
            let parents = |key: u32| entries[key as usize - 1].parents.clone();
            let mut direct = BTreeSet::new();
            let mut past = BTreeSet::new();
            let mut open: Vec<(u32, bool)> = parents(row.key).iter().map(|key| (*key, true)).collect();
            let mut seen = BTreeSet::new();
            while let Some((key, is_direct)) = open.pop() {
                if key == 0 {
                    continue;
                }
                if hit(key) {
                    if is_direct { direct.insert(key); } else { past.insert(key); }
                } else if seen.insert(key) {
                    open.extend(parents(key).iter().map(|key| (*key, false)));
                }
            }
            past.retain(|key| !direct.contains(key));
            let known: BTreeSet<u32> = row.parents.iter().copied().filter(|key| *key > 0).collect();
            prop_assert_eq!(&known, &direct);
            prop_assert_eq!(&row.elided.iter().copied().collect::<BTreeSet<_>>(), &past);
            // A line past hidden nodes is drawn thin in at least one row; a direct one never is.
            let mut cells = Vec::new();
            for lane in 0..gutter.lanes() {
                let Some((from, to)) = gutter.edge_at(at, lane, false).filter(|(_, to)| *to == at) else {
                    continue;
                };
                let thin = (from + 1..to).filter(|between| {
                    gutter.cells(*between, 0, &mut cells);
                    cells.get(usize::from(lane) * 2).is_some_and(|cell| cell.has(Cell::THIN))
                }).count();
                let key = gutter.row(from).unwrap().key;
                prop_assert_eq!(past.contains(&key), thin > 0, "{} on {}", row.key, key);
                prop_assert!(thin == 0 || thin == to - from - 1);
            }
        }
    }
}
