//! Pictures of small maps, and checks that a drawing shows every relation exactly once.
//!
//! Must not know: the screen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::ground::layout::gutter::{Glyphs, Line};

const SIZE: Size = Size {
    width: 6,
    room: 0,
    gap: 2,
    pitch: 1,
};

fn nodes(all: &[(u32, usize, &[u32])]) -> Vec<Node<u32>> {
    all.iter()
        .map(|(key, layer, parents)| Node {
            key: *key,
            layer: *layer,
            parents: parents.to_vec(),
        })
        .collect()
}

fn picture(sheet: &Sheet<u32>, line: Line) -> String {
    let glyphs = Glyphs::of(line);
    let mut out = String::new();
    for y in 0..sheet.height {
        let mut row: Vec<char> = (0..sheet.width)
            .map(|x| glyphs.of_cell(sheet.cell(x, y), None))
            .collect();
        for one in sheet.boxes.iter().filter(|one| one.y == y) {
            let mut label = format!("[{}", one.key);
            for chip in &one.chips {
                let _ = write!(label, "<{chip}");
            }
            for (at, c) in format!("{label:<5}]").chars().enumerate() {
                if let Some(cell) = row.get_mut(one.x + at) {
                    *cell = c;
                }
            }
        }
        let row: String = row.into_iter().collect();
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

#[test]
fn a_fan_and_what_joins_it() {
    let nodes = nodes(&[
        (1, 0, &[]),
        (2, 1, &[1]),
        (3, 1, &[1]),
        (4, 1, &[1]),
        (5, 2, &[2, 3, 4]),
        (6, 3, &[5, 1]),
    ]);
    let sheet = Sheet::new(&nodes, Flow::Down, SIZE);
    insta::assert_snapshot!(picture(&sheet, Line::Unicode), @r"
    [1   ]
     ├───────┬───────╮
    [2   ]  [3   ]  [4   ]
     ├───────┴───────╯
    [5   ]
     │
    [6<1 ]
    ");
    let sheet = Sheet::new(&nodes, Flow::Right, SIZE);
    insta::assert_snapshot!(picture(&sheet, Line::Unicode), @r"
    [1   ]─┬─[2   ]─┬─[5   ]───[6<1 ]
           ├─[3   ]─┤
           ╰─[4   ]─╯
    ");
}

#[test]
fn lines_of_different_parents_do_not_touch() {
    let nodes = nodes(&[
        (1, 0, &[]),
        (2, 0, &[]),
        (3, 1, &[1, 2]),
        (4, 1, &[1]),
        (5, 1, &[2]),
    ]);
    let sheet = Sheet::new(&nodes, Flow::Down, SIZE);
    insta::assert_snapshot!(picture(&sheet, Line::Unicode), @r"
    [1   ]  [2   ]
     ├─│─────╯ │
     │ ╰─────╮ │
     │       │ ╰─────╮
    [3   ]  [4   ]  [5   ]
    ");
}

#[test]
fn one_that_comes_later_moves_no_box() {
    let mut all = nodes(&[(1, 0, &[]), (2, 1, &[1]), (3, 1, &[1]), (4, 2, &[2])]);
    let before = Sheet::new(&all, Flow::Down, SIZE);
    all.push(Node {
        key: 9,
        layer: 2,
        parents: vec![3],
    });
    let after = Sheet::new(&all, Flow::Down, SIZE);
    for one in &before.boxes {
        let now = after.find(one.key).unwrap();
        assert_eq!((one.x, one.layer, one.slot), (now.x, now.layer, now.slot));
    }
    assert_eq!(after.step(2, 1, 0).unwrap().key, 4);
    assert_eq!(after.step(4, 0, 1).unwrap().key, 9);
    assert_eq!(after.step(1, -1, 0), None);
}

fn graph() -> impl Strategy<Value = Vec<Node<u32>>> {
    let one = (prop::bool::weighted(0.35), prop::collection::vec(1_u32..9, 0..4));
    prop::collection::vec(one, 1..40).prop_map(|all| {
        let mut layer = 0;
        all.into_iter()
            .enumerate()
            .map(|(at, (next, back))| {
                layer += usize::from(next && at > 0);
                let key = at as u32 + 1;
                Node {
                    key,
                    layer,
                    parents: back
                        .iter()
                        .filter_map(|back| key.checked_sub(*back))
                        .filter(|key| *key > 0)
                        .collect(),
                }
            })
            .collect()
    })
}

/// Reads the lines back: for each box, the boxes of the previous layer that its lines lead to. A
/// line that meets another one without a corner passes under it.
fn read(sheet: &Sheet<u32>) -> BTreeMap<u32, BTreeSet<u32>> {
    let box_at = |x: usize, y: usize| {
        sheet
            .boxes
            .iter()
            .find(|one| one.y == y && (one.x..one.x + one.width).contains(&x))
    };
    let steps = [
        (Cell::UP, Cell::DOWN, (0, -1), Cell::LEFT | Cell::RIGHT),
        (Cell::DOWN, Cell::UP, (0, 1), Cell::LEFT | Cell::RIGHT),
        (Cell::LEFT, Cell::RIGHT, (-1, 0), Cell::UP | Cell::DOWN),
        (Cell::RIGHT, Cell::LEFT, (1, 0), Cell::UP | Cell::DOWN),
    ];
    let mut found = BTreeMap::new();
    for child in sheet.boxes.iter().filter(|one| one.layer > 0) {
        let mut open: Vec<(usize, usize)> = match sheet.flow {
            Flow::Down => (child.x..child.x + child.width)
                .map(|x| (x, child.y - 1))
                .filter(|(x, y)| sheet.cell(*x, *y).has(Cell::DOWN))
                .collect(),
            Flow::Right => Some((child.x - 1, child.y))
                .filter(|(x, y)| sheet.cell(*x, *y).has(Cell::RIGHT))
                .into_iter()
                .collect(),
        };
        let mut seen = BTreeSet::new();
        let mut parents = BTreeSet::new();
        while let Some((x, y)) = open.pop() {
            if !seen.insert((x, y)) {
                continue;
            }
            for (bit, back, (dx, dy), beside) in steps {
                if !sheet.cell(x, y).has(bit) {
                    continue;
                }
                let mut at = (x, y);
                loop {
                    at = (
                        at.0.checked_add_signed(dx).unwrap(),
                        at.1.checked_add_signed(dy).unwrap(),
                    );
                    let cell = sheet.cell(at.0, at.1);
                    if let Some(one) = box_at(at.0, at.1) {
                        if one.layer + 1 == child.layer {
                            parents.insert(one.key);
                        } else {
                            assert_eq!(one.layer, child.layer, "a line runs into a box");
                        }
                        break;
                    }
                    if cell.has(back) {
                        open.push(at);
                        break;
                    }
                    assert_eq!(cell.0, beside, "a line ends nowhere");
                }
            }
        }
        found.insert(child.key, parents);
    }
    found
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn a_map_is_correct(nodes in graph(), right: bool, room in 0usize..90) {
        let flow = if right { Flow::Right } else { Flow::Down };
        let sheet = Sheet::new(&nodes, flow, Size { room, ..SIZE });
        prop_assert_eq!(sheet.boxes.len(), nodes.len());
        let mut places = BTreeSet::new();
        for one in &sheet.boxes {
            prop_assert!(places.insert((one.x, one.y)), "two boxes in one place");
            for x in one.x..one.x + one.width {
                prop_assert!(sheet.cell(x, one.y).is_blank(), "a line through a box");
            }
        }
        let drawn = read(&sheet);
        for node in &nodes {
            let chips: BTreeSet<u32> = sheet.find(node.key).unwrap().chips.iter().copied().collect();
            let lines = drawn.get(&node.key).cloned().unwrap_or_default();
            prop_assert!(chips.is_disjoint(&lines), "{} is shown twice", node.key);
            let message: BTreeSet<u32> = chips.union(&lines).copied().collect();
            prop_assert_eq!(message, node.parents.iter().copied().collect::<BTreeSet<u32>>(), "of {}", node.key);
        }
    }
}

/// The boxes that are completely visible in a window of this size around one of them.
fn whole(sheet: &Sheet<u32>, own: u32, room: (usize, usize)) -> Vec<u32> {
    let (left, top) = sheet.window(Some(own), room);
    let on = |from: usize, len: usize, first: usize, room: usize| from >= first && from + len <= first + room;
    let boxes = sheet.boxes.iter();
    boxes
        .filter(|one| on(one.x, one.width, left, room.0) && on(one.y, 1, top, room.1))
        .map(|one| one.key)
        .collect()
}

#[test]
fn relatives_are_on_screen_where_there_is_room_for_them() {
    let fan = nodes(&[
        (1, 0, &[]),
        (2, 1, &[1]),
        (3, 1, &[1]),
        (4, 1, &[1]),
        (5, 1, &[1]),
        (6, 1, &[1]),
        (7, 2, &[5]),
    ]);
    let sheet = Sheet::new(&fan, Flow::Down, SIZE);
    // Four boxes fit next to each other: parent, child and the siblings in between are visible.
    assert_eq!(whole(&sheet, 5, (31, 9)), [1, 2, 3, 4, 5, 7]);
    // The parent is too far away to be visible, and does not move the window.
    assert_eq!(whole(&sheet, 6, (24, 9)), [4, 5, 6]);
    // In a line, exactly three boxes fit: the parent, the box and the child.
    let line = nodes(&[
        (1, 0, &[]),
        (2, 1, &[1]),
        (3, 2, &[2]),
        (4, 3, &[3]),
        (5, 4, &[4]),
    ]);
    let sheet = Sheet::new(&line, Flow::Right, SIZE);
    for (own, expected) in [(1, [1, 2, 3]), (2, [1, 2, 3]), (3, [2, 3, 4]), (5, [3, 4, 5])] {
        assert_eq!(whole(&sheet, own, (24, 1)), expected, "{own}");
    }
    assert_eq!(Sheet::<u32>::default().window(None, (9, 9)), (0, 0));
}
