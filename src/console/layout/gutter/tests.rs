//! Properties of random graphs; pictures of small ones are in `pictures`. Must not know: the screen.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::prelude::*;

use super::lanes::span;
use super::*;

mod pictures;

fn picture(gutter: &Gutter<u32>, line: Line) -> String {
    let mut out = String::new();
    for at in 0..gutter.len() {
        let row = gutter.row(at).unwrap();
        let text = gutter.text(at, line, None);
        let _ = write!(out, "{text:<18}{}", row.key);
        for chip in gutter.chips(at) {
            let _ = write!(out, " {}{chip}", Glyphs::of(line).chip);
        }
        out.push('\n');
    }
    out
}

fn build(rows: &[(u32, &[u32])]) -> Gutter<u32> {
    let mut gutter = Gutter::default();
    for (key, parents) in rows {
        gutter.append(*key, parents);
    }
    gutter
}

/// What a reader makes of the drawing: for each row the rows that it hangs on by a line.
fn read(gutter: &Gutter<u32>) -> Vec<BTreeSet<usize>> {
    (0..gutter.len())
        .map(|at| {
            let row = gutter.row(at).unwrap();
            (0..gutter.lanes())
                .filter(|lane| row.up & (1 << lane) != 0 && row.pass & (1 << lane) == 0)
                .map(|lane| {
                    assert!(on_bus(&row, lane), "row {at}: a line ends beside the bus");
                    let (from, to) = gutter.edge_at(at, lane, false).unwrap();
                    assert_eq!(to, at);
                    assert!(
                        on_bus(&gutter.row(from).unwrap(), lane),
                        "row {from}: a line starts nowhere"
                    );
                    assert_eq!(gutter.edge_at(from, lane, true), Some((from, to)));
                    from
                })
                .collect()
        })
        .collect()
}

/// True if a lane touches the node of the row.
fn on_bus(row: &Row<u32>, lane: u8) -> bool {
    let Some(own) = row.lane else { return false };
    let between = span(1 << own | 1 << lane);
    row.right & between == between
}

fn check(gutter: &Gutter<u32>) {
    let drawn = read(gutter);
    for (at, drawn) in drawn.iter().enumerate() {
        let row = gutter.row(at).unwrap();
        let mut wanted: BTreeSet<usize> = BTreeSet::new();
        let chips: BTreeSet<u32> = gutter.chips(at).into_iter().collect();
        // A leaf has no lines.
        let parents = if row.shape == Shape::Leaf {
            Keys::default()
        } else {
            gutter.parents(at)
        };
        for parent in parents {
            match (0..at).rev().find(|above| {
                gutter.row(*above).unwrap().key == parent
                    || gutter.members(*above).any(|member| member == parent)
            }) {
                Some(above) if !chips.contains(&gutter.row(above).unwrap().key) => {
                    wanted.insert(above);
                }
                Some(_) => {}
                None => assert!(chips.contains(&parent), "row {at}: parent {parent} is nowhere"),
            }
        }
        if !matches!(row.shape, Shape::Fold | Shape::Leaf) {
            assert_eq!(*drawn, wanted, "row {at}");
        }
        let mut cells = Vec::new();
        gutter.cells(at, 0, &mut cells);
        assert!(cells.len() <= gutter.max_width());
        let nodes = cells.iter().filter(|cell| cell.has(Cell::NODE)).count();
        assert_eq!(nodes, usize::from(row.shape != Shape::Fold), "row {at}: one node");
        if let Some(own) = row.lane {
            assert_eq!(row.pass & (1 << own), 0, "row {at}: a line runs through the node");
        }
        for lane in 0..gutter.lanes() {
            let bit = 1_u32 << lane;
            let above = at
                .checked_sub(1)
                .map_or(0, |above| gutter.row(above).unwrap().down);
            assert_eq!(row.up & bit, above & bit, "row {at}: half a line");
            if row.up & bit != 0 {
                let (from, to) = gutter.edge_at(at, lane, false).unwrap();
                assert!(to - from <= MAX_SPAN);
            }
            if row.pass & bit != 0 {
                assert_eq!((row.up & bit, row.down & bit), (bit, bit));
            }
            if row.right & bit != 0 {
                let low = row.right & (bit - 1) | bit;
                assert!(row.lane.is_some() && low != 0, "row {at}: a bar without a node");
            }
        }
        let unicode = gutter.text(at, Line::Unicode, None);
        let ascii = gutter.text(at, Line::Ascii, None);
        assert_eq!(unicode.chars().count(), ascii.chars().count());
        for (left, right) in unicode.chars().zip(ascii.chars()) {
            assert_eq!(left == ' ', right == ' ', "row {at}: shapes differ");
        }
    }
    assert_eq!(
        gutter
            .row(gutter.len().saturating_sub(1))
            .map_or(0, |row| row.down),
        0
    );
}

fn same(left: &Gutter<u32>, right: &Gutter<u32>) {
    assert_eq!(left.len(), right.len());
    for at in 0..left.len() {
        assert_eq!(left.row(at), right.row(at));
        assert!(left.parents(at).eq(right.parents(at)));
        assert!(left.elided(at).eq(right.elided(at)));
        assert!(left.members(at).eq(right.members(at)));
        assert_eq!(left.chips(at), right.chips(at));
    }
    left.store.assert_same(&right.store);
    assert_eq!(left.tails, right.tails);
    assert_eq!(left.chips, right.chips);
    assert_eq!(left.index.all(), right.index.all());
    assert_eq!(left.shadow, right.shadow);
}

#[derive(Debug, Clone)]
struct Spec {
    shape: Shape,
    /// Distances to the parents; too great a one names a key that is not there.
    back: Vec<u32>,
    members: u32,
}

fn spec() -> impl Strategy<Value = Spec> {
    let near = prop_oneof![8 => 1_u32..6, 2 => 1_u32..30, 1 => 50_u32..90];
    let shape = prop_oneof![
        12 => Just(Shape::Node), 2 => Just(Shape::Side), 2 => Just(Shape::Leaf), 1 => Just(Shape::Fan),
        1 => Just(Shape::Fold)
    ];
    (shape, prop::collection::vec(near, 0..5), 0_u32..3).prop_map(|(shape, back, members)| Spec {
        shape,
        back,
        members,
    })
}

fn push(gutter: &mut Gutter<u32>, spec: &Spec) {
    let at = gutter.len();
    let key = |row: u32| row * 10;
    let parents: Vec<u32> = spec
        .back
        .iter()
        .map(|back| key((at as u32).wrapping_sub(*back) % 100_000))
        .collect();
    let members: Vec<u32> = (1..=spec.members).map(|no| key(at as u32) + no).collect();
    gutter.push(Item {
        key: key(at as u32),
        shape: spec.shape,
        parents: &parents,
        elided: &[],
        members: &members,
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_drawing_says_the_truth_and_can_be_taken_back(
        specs in prop::collection::vec(spec(), 1..160),
        lanes in 1_u8..12,
        cuts in prop::collection::vec((0_usize..160, 0_usize..160), 0..4),
    ) {
        let mut batch = Gutter::new(lanes);
        for spec in &specs {
            push(&mut batch, spec);
        }
        check(&batch);
        let mut grown = Gutter::new(lanes);
        for (until, cut) in &cuts {
            while grown.len() < specs.len().min(*until) {
                let spec = &specs[grown.len()];
            push(&mut grown, spec);
            }
            grown.truncate(*cut);
            check(&grown);
        }
        while grown.len() < specs.len() {
            let spec = &specs[grown.len()];
            push(&mut grown, spec);
        }
        same(&batch, &grown);
    }

    #[test]
    fn another_branch_leaves_no_trace(
        common in prop::collection::vec(spec(), 0..60),
        one in prop::collection::vec(spec(), 0..60),
        other in prop::collection::vec(spec(), 0..60),
    ) {
        let mut straight = Gutter::default();
        let mut turned = Gutter::default();
        for spec in common.iter().chain(&other) {
            push(&mut straight, spec);
        }
        for spec in common.iter().chain(&one) {
            push(&mut turned, spec);
        }
        turned.truncate(common.len());
        for spec in &other {
            push(&mut turned, spec);
        }
        same(&straight, &turned);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn ways_past_other_nodes_are_taken_back_in_any_number_of_lanes(
        specs in prop::collection::vec((spec(), prop::collection::vec(1_u32..40, 0..3)), 1..200),
        lanes in 1_u8..=MAX_LANES,
        cuts in prop::collection::vec((0_usize..200, 0_usize..200), 0..6),
    ) {
        let push = |gutter: &mut Gutter<u32>| {
            let at = gutter.len();
            let (spec, elided) = &specs[at];
            let above = |back: &u32| (at as u32).saturating_sub(*back) * 10;
            let parents: Vec<u32> = spec.back.iter().map(above).collect();
            let elided: Vec<u32> = elided.iter().map(above).collect();
            // Now and then a name that another row had.
            let members: Vec<u32> = (0..spec.members).map(|no| above(&(no * 7)) + no).collect();
            let key = at as u32 * 10;
            gutter.push(Item { key, shape: spec.shape, parents: &parents, elided: &elided, members: &members });
        };
        let mut batch = Gutter::new(lanes);
        while batch.len() < specs.len() {
            push(&mut batch);
        }
        let mut grown = Gutter::new(lanes);
        for (until, cut) in &cuts {
            while grown.len() < specs.len().min(*until) {
                push(&mut grown);
            }
            grown.truncate(*cut);
            let mut fresh = Gutter::new(lanes);
            while fresh.len() < grown.len() {
                push(&mut fresh);
            }
            same(&fresh, &grown);
        }
        while grown.len() < specs.len() {
            push(&mut grown);
        }
        same(&batch, &grown);
    }
}

#[test]
fn sync_keeps_what_is_equal() {
    let items = |last: u32| [(1, vec![]), (2, vec![1]), (3, vec![1]), (last, vec![2, 3])];
    let mut gutter = Gutter::default();
    let first = items(4);
    assert_eq!(
        gutter.sync(0, first.iter().map(|(key, parents)| Item::node(*key, parents))),
        0
    );
    assert_eq!(
        gutter.sync(0, first.iter().map(|(key, parents)| Item::node(*key, parents))),
        4
    );
    let second = items(5);
    assert_eq!(
        gutter.sync(
            1,
            second[1..].iter().map(|(key, parents)| Item::node(*key, parents))
        ),
        3
    );
    assert_eq!(gutter.find(4), None);
    assert_eq!(
        gutter.sync(
            0,
            second[..2].iter().map(|(key, parents)| Item::node(*key, parents))
        ),
        2
    );
    assert_eq!(gutter.len(), 2);
    same(&gutter, &build(&[(1, &[]), (2, &[1])]));
}

#[test]
fn open_ends_are_shown_only_where_asked_for() {
    let gutter = build(&[(1, &[]), (2, &[1]), (3, &[1]), (4, &[1])]);
    let open = gutter.open_lanes(3, |key| key != 3);
    assert_eq!(open, 0b001);
    let mut cells = Vec::new();
    gutter.cells(3, open, &mut cells);
    let text: String = cells
        .iter()
        .map(|cell| Glyphs::of(Line::Unicode).of_cell(*cell, None))
        .collect();
    assert_eq!(text, "┊   ●");
}

#[test]
fn a_hundred_thousand_rows_are_no_matter() {
    // An agent's run: a thought, one to five calls, now and then a reference.
    let mut gutter = Gutter::default();
    let mut tails = vec![0_u32];
    gutter.append(0, &[]);
    let mut key = 1;
    let mut parents = Vec::new();
    while gutter.len() < 100_000 {
        let thought = key;
        gutter.append(thought, &tails);
        tails.clear();
        for no in 0..=(key * 7 % 5) {
            key += 1;
            parents.clear();
            parents.push(thought);
            if key % 7 == 0 && no > 0 {
                parents.push(key - 1);
            }
            gutter.append(key, &parents);
            tails.push(key);
        }
        key += 1;
    }
    assert!(gutter.len() >= 100_000);
    assert_eq!(gutter.window(50_000, 60).len(), 60);
    gutter.truncate(10);
    assert_eq!(gutter.len(), 10);
    check(&gutter);
}
