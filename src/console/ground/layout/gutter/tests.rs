//! Properties of random graphs; pictures of small ones are in `pictures`.
//!
//! Must not know: the screen.

pub(crate) mod pictures;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Deref;

use proptest::prelude::*;

use super::lanes::span;
use super::*;

/// A drawing with its inputs.
#[derive(Default)]
struct Graph {
    gutter: Gutter<u32>,
    /// Parents, elided parents and members of each row.
    items: Vec<[Vec<u32>; 3]>,
}

impl Deref for Graph {
    type Target = Gutter<u32>;

    fn deref(&self) -> &Gutter<u32> {
        &self.gutter
    }
}

impl Graph {
    fn new(lanes: u8) -> Self {
        Self {
            gutter: Gutter::new(lanes),
            items: Vec::new(),
        }
    }

    fn append(&mut self, key: u32, parents: &[u32]) -> usize {
        self.push(Item::node(key, parents))
    }

    fn push(&mut self, item: Item<'_, u32>) -> usize {
        let lists = [item.parents, item.elided, item.members];
        self.items.push(lists.map(<[u32]>::to_vec));
        self.gutter.push(item)
    }

    /// The last row above another one that contains a key.
    fn above(&self, row: usize, key: u32) -> Option<usize> {
        (0..row)
            .rev()
            .find(|above| self.row(*above).unwrap().key == key || self.items[*above][2].contains(&key))
    }
}

fn picture(graph: &Graph, line: Line) -> String {
    let mut out = String::new();
    for at in 0..graph.len() {
        let row = graph.row(at).unwrap();
        let text = graph.text(at, line, None);
        let _ = write!(out, "{text:<18}{}", row.key);
        for chip in graph.chips(at) {
            let _ = write!(out, " {}{chip}", Glyphs::of(line).chip);
        }
        out.push('\n');
    }
    out
}

fn build(rows: &[(u32, &[u32])]) -> Graph {
    let mut graph = Graph::default();
    for (key, parents) in rows {
        graph.append(*key, parents);
    }
    graph
}

/// Reads the drawing back: for each row, the rows that it depends on by a line.
fn read(gutter: &Gutter<u32>) -> Vec<BTreeSet<usize>> {
    (0..gutter.len())
        .map(|at| {
            let row = gutter.row(at).unwrap();
            (0..gutter.lanes())
                .filter(|lane| row.up & (1 << lane) != 0 && row.pass & (1 << lane) == 0)
                .map(|lane| {
                    assert!(on_bus(row, lane), "row {at}: a line ends next to the bus");
                    let (from, to) = gutter.edge_at(at, lane, false).unwrap();
                    assert_eq!(to, at);
                    assert!(
                        on_bus(gutter.row(from).unwrap(), lane),
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
    row.right() & between == between
}

fn check(graph: &Graph) {
    let gutter = &graph.gutter;
    let drawn = read(gutter);
    for (at, drawn) in drawn.iter().enumerate() {
        let row = gutter.row(at).unwrap();
        let mut expected: BTreeSet<usize> = BTreeSet::new();
        let chips: BTreeSet<u32> = gutter.chips(at).iter().copied().collect();
        // A leaf has no lines.
        let parents: &[Vec<u32>] = match row.shape {
            Shape::Leaf => &[],
            Shape::Fold => &graph.items[at][..1],
            _ => &graph.items[at][..2],
        };
        for parent in parents.iter().flatten() {
            match graph.above(at, *parent) {
                Some(above) if !chips.contains(&gutter.row(above).unwrap().key) => {
                    expected.insert(above);
                }
                Some(_) => {}
                None => assert!(chips.contains(parent), "row {at}: parent {parent} is nowhere"),
            }
        }
        if !matches!(row.shape, Shape::Fold | Shape::Leaf) {
            assert_eq!(*drawn, expected, "row {at}");
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
            if row.right() & bit != 0 {
                let low = row.right() & (bit - 1) | bit;
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

#[derive(Debug, Clone)]
struct Spec {
    shape: Shape,
    /// Distances to the parents; one that is too large names a missing key.
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

proptest! {
    #![proptest_config(overrule_testing::cases(53))]

    #[test]
    fn a_drawing_is_correct_with_any_number_of_lanes(
        specs in prop::collection::vec((spec(), prop::collection::vec(1_u32..40, 0..3)), 1..200),
        lanes in 1_u8..=MAX_LANES,
    ) {
        let mut graph = Graph::new(lanes);
        for (at, (spec, elided)) in (0_u32..).zip(&specs) {
            let above = |back: &u32| at.saturating_sub(*back) * 10;
            let parents: Vec<u32> = spec.back.iter().map(|back| at.wrapping_sub(*back) % 100_000 * 10).collect();
            let elided: Vec<u32> = elided.iter().map(above).collect();
            // Sometimes a name that another row had.
            let members: Vec<u32> = (0..spec.members).map(|no| above(&(no * 7)) + no).collect();
            graph.push(Item { key: at * 10, shape: spec.shape, parents: &parents, elided: &elided, members: &members });
        }
        check(&graph);
        for key in graph.items.iter().flat_map(|lists| &lists[2]) {
            prop_assert_eq!(graph.find(*key), graph.above(graph.len(), *key), "{} is in its last row", key);
        }
    }
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
fn a_run_of_twenty_thousand_rows_is_drawn_to_its_end() {
    // An agent's run: a thought, one to five calls, sometimes a reference.
    let mut graph = build(&[(0, &[])]);
    let mut tails = vec![0_u32];
    let mut key = 1;
    let mut parents = Vec::new();
    while graph.len() < 20_000 {
        let thought = key;
        graph.append(thought, &tails);
        tails.clear();
        for no in 0..=(key * 7 % 5) {
            key += 1;
            parents.clear();
            parents.push(thought);
            if key % 7 == 0 && no > 0 {
                parents.push(key - 1);
            }
            graph.append(key, &parents);
            tails.push(key);
        }
        key += 1;
    }
    check(&graph);
    let is_chip = |row: &usize| !graph.chips(*row).is_empty();
    assert!(!(0..graph.len()).any(|row| is_chip(&row)), "everything is near");
}
