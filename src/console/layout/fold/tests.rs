//! Folds by example, and what every plan keeps. Must not know: the screen.

use std::borrow::Cow;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::sieve::{Inside, Point, Run, Sieved, Ways};
use super::*;
use crate::console::layout::gutter::{Cell, Gutter};
use crate::few::Few;

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

fn shown(rows: &[Planned<u32>]) -> Vec<(u32, Stands, usize)> {
    rows.iter().map(|row| (row.key, row.stands, row.count)).collect()
}

#[test]
fn a_narrow_fan_keeps_its_rows() {
    let entries = [Entry::new(1, vec![]), call(2, Keep::No), call(3, Keep::No)];
    let rows = plan(&entries, NODES, |_, _| false);
    assert_eq!(
        shown(&rows),
        [(1, Stands::Node, 1), (2, Stands::Node, 1), (3, Stands::Node, 1)]
    );
}

#[test]
fn a_wide_fan_folds_what_is_quiet_and_nothing_else() {
    let mut entries = vec![Entry::new(1, vec![])];
    entries.extend((2..8).map(|key| call(key, if key == 4 { Keep::Own } else { Keep::No })));
    let rows = plan(&entries, NODES, |_, _| false);
    assert_eq!(
        shown(&rows),
        [(1, Stands::Node, 1), (2, Stands::Fan, 5), (4, Stands::Node, 1)]
    );
    assert_eq!(rows[1].members, [3, 5, 6, 7]);
    assert_eq!(rows[1].parents, [1]);
    assert_eq!(
        plan(&entries, NODES, |kind, key| (kind, key) == (Folded::Fan, 2)).len(),
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
    let rows = plan(&entries, NODES, |_, _| false);
    assert_eq!(
        shown(&rows),
        [
            (1, Stands::Node, 1),
            (2, Stands::Node, 1),
            (3, Stands::Replaced, 2),
            (5, Stands::Replaced, 1)
        ]
    );
    assert_eq!(rows[2].replaced, Some(9));
    let rows = plan(&entries, NODES, |kind, key| {
        (kind, key) == (Folded::Replaced(9), 3)
    });
    assert_eq!(rows[2].shape, Shape::Side);
    assert_eq!(rows[4].stands, Stands::Replaced, "the other fold stays");
}

/// Turns of a thought and two calls each; each call does what its sign says.
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
    let rows = plan(&entries, rules, |_, _| false);
    assert_eq!(
        shown(&rows),
        [
            (1, Stands::Turn, 3),
            (11, Stands::Node, 1),
            (12, Stands::Node, 1),
            (13, Stands::Node, 1),
            (21, Stands::Turn, 3),
            (31, Stands::Node, 1),
            (32, Stands::Node, 1),
            (33, Stands::Node, 1),
        ]
    );
    assert_eq!(
        rows[4].parents,
        [12, 13],
        "a turn hangs on what its first node hangs on"
    );
}

#[test]
fn with_one_row_for_a_turn_what_needs_an_eye_still_has_its_own() {
    let mut entries = turns(&[1, 2]);
    entries[4].keep = Keep::Own;
    let rules = Rules {
        wide: 8,
        detail: Detail::Turns,
    };
    let rows = plan(&entries, rules, |_, _| false);
    assert_eq!(
        shown(&rows),
        [(1, Stands::Turn, 3), (11, Stands::Turn, 2), (12, Stands::Node, 1)]
    );
}

#[test]
fn what_is_repeated_is_one_row_with_how_often() {
    let since = |turn| Rules {
        wide: 8,
        detail: Detail::Since(turn),
    };
    let entries = turns(&[5, 7, 8, 7, 8, 7, 8, 7, 9]);
    let rows = plan(&entries, since(0), |_, _| false);
    let rows: Vec<_> = shown(&rows)
        .into_iter()
        .filter(|row| row.1 != Stands::Node)
        .collect();
    assert_eq!(rows, [(31, Stands::Loop(2), 12)], "two turns, three times");
    let twice = turns(&[7, 7]);
    assert_eq!(plan(&twice, since(0), |_, _| false).len(), 6, "twice is no loop");
    let mut waits = turns(&[7, 7, 7, 7]);
    waits[4].keep = Keep::Always;
    assert_eq!(
        plan(&waits, since(0), |_, _| false).len(),
        12,
        "what waits is not hidden"
    );
    assert_eq!(
        plan(&entries, NODES, |_, _| false).len(),
        27,
        "every node, if asked for"
    );
}

#[test]
fn what_does_not_fit_is_one_row_and_lines_past_it_say_so() {
    // 1 ─ 2, 3 ─ 4 ─ 5, of which 2 and 4 do not fit.
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
    let plan = sieve(&entries, &mut Ways::default(), None, |_| false);
    assert_eq!(
        shown(&plan.rows),
        [
            (1, Stands::Node, 1),
            (2, Stands::Elided, 1),
            (3, Stands::Node, 1),
            (4, Stands::Elided, 1),
            (5, Stands::Node, 1)
        ]
    );
    assert_eq!(
        (&plan.rows[2].parents, &plan.rows[2].elided),
        (&vec![1].into(), &Few::None)
    );
    assert_eq!(
        (&plan.rows[4].parents, &plan.rows[4].elided),
        (&Few::None, &vec![1, 3].into())
    );
    let one = sieve(&entries, &mut Ways::default(), Some(2), |_| false);
    assert_eq!(
        shown(&one.rows)[1..4],
        [(2, Stands::Node, 1), (3, Stands::Node, 1), (4, Stands::Elided, 1)],
        "what was called for has a row, and nothing else"
    );
    let all = sieve(&entries, &mut Ways::default(), None, |key| key == 4);
    assert_eq!(all.rows[3].stands, Stands::Node, "a run is shown if asked for");
    assert_eq!(all.rows[4].parents, [4]);
}

fn sieve(
    entries: &[Entry<u32>],
    ways: &mut Ways<u32>,
    called: Option<u32>,
    open: impl Fn(u32) -> bool,
) -> Sieved<u32> {
    super::sieve::sieve(entries.iter().map(Cow::Borrowed), (0, None), ways, called, open)
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

/// The latest start from which planning anew gives what planning everything gives.
fn start<K>(plan: &Plan<K>, changed: usize) -> (usize, usize) {
    let at = plan.starts.partition_point(|(entry, _)| *entry <= changed);
    let at = at.saturating_sub(1 + LOOK_BACK);
    plan.starts.get(at).copied().unwrap_or((0, 0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_node_is_in_one_row_and_what_needs_an_eye_has_its_own(
        entries in entries(), rules in rules(), open in prop::collection::btree_set(1_u32..120, 0..6),
    ) {
        let rows = plan(&entries, rules, |_, key| open.contains(&key));
        let mut seen = BTreeSet::new();
        for row in &rows {
            for key in row.members.iter().chain([&row.key]) {
                prop_assert!(seen.insert(*key), "{key} is there twice");
            }
            prop_assert_eq!(row.count, row.members.len() + 1);
            for parent in &row.parents {
                prop_assert!(!row.members.contains(parent) && *parent != row.key, "a row hangs on itself");
            }
        }
        prop_assert_eq!(seen.len(), entries.len());
        for entry in &entries {
            let row = rows.iter().find(|row| row.key == entry.key || row.members.contains(&entry.key)).unwrap();
            if entry.replaced.is_none() && entry.keep == Keep::Always {
                prop_assert_eq!(row.count, 1, "{} is hidden", entry.key);
            }
            if entry.replaced.is_none() && entry.keep == Keep::Own {
                prop_assert!(row.count == 1 || matches!(row.stands, Stands::Loop(_)));
            }
            prop_assert!(row.mark >= entry.mark);
        }
    }

    #[test]
    fn planning_what_comes_after_a_change_is_planning_everything(
        before in entries(), after in entries(), cut in 0_usize..120, rules in rules(),
        open in prop::collection::btree_set(1_u32..120, 0..6),
    ) {
        let cut = cut.min(before.len()).min(after.len());
        let mut entries = before[..cut].to_vec();
        entries.extend_from_slice(&after[cut..]);
        let is_open = |_: Folded, key: u32| open.contains(&key);
        let old = plan_from(&before, 0, rules, is_open);
        let (entry, row) = start(&old, cut);
        let mut rows = old.rows[..row].to_vec();
        rows.extend(plan_from(&entries, entry, rules, is_open).rows);
        prop_assert_eq!(rows, plan(&entries, rules, is_open));

        let is_shown = |key: u32| open.contains(&key);
        let called = open.last().copied();
        let mut ways = Ways::default();
        let old = sieve(&before, &mut ways, called, is_shown);
        let behind = old.points.partition_point(|point| point.entry < cut);
        let first = Point { entry: 0, row: 0, inside: None };
        let point = behind.checked_sub(1).map_or(first, |at| old.points[at]);
        let run = point.inside.map(|inside| match inside {
            Inside::Shown => Run::Shown,
            Inside::Hidden(mark) => {
                let row = &old.rows[point.row];
                let from = before.iter().position(|entry| entry.key == row.key).unwrap();
                Run::Hidden(Planned { count: point.entry - from, mark, ..row.clone() })
            }
        });
        let rest = entries.iter().skip(point.entry).map(Cow::Borrowed);
        let now = super::sieve::sieve(rest, (point.entry, run), &mut ways, called, is_shown);
        let mut rows = old.rows[..point.row].to_vec();
        rows.extend(now.rows);
        let wanted = sieve(&entries, &mut Ways::default(), called, is_shown);
        prop_assert_eq!(rows, wanted.rows);
        let far = wanted.points.windows(2).map(|two| two[1].entry - two[0].entry);
        prop_assert!(far.into_iter().all(|far| far == 3), "no place is far from one to begin at");
    }

    #[test]
    fn a_sieved_drawing_says_what_is_direct_and_what_is_not(entries in entries()) {
        let plan = sieve(&entries, &mut Ways::default(), None, |_| false);
        let mut gutter = Gutter::default();
        gutter.sync(0, plan.rows.iter().map(Planned::item));
        // What each shown node reaches going up, stopping at shown nodes.
        let hit = |key: u32| entries.get(key as usize - 1).is_some_and(|entry| entry.hit);
        for (at, row) in plan.rows.iter().enumerate() {
            if row.stands == Stands::Elided {
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
