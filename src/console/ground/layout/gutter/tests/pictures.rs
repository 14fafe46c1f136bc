//! Pictures of small graphs.
//!
//! Must not know: the screen.

use super::super::*;
use super::{Graph, build, check, picture};

#[test]
fn fork_and_join() {
    let gutter = build(&[
        (1, &[]),
        (2, &[1]),
        (3, &[2]),
        (4, &[2]),
        (5, &[2]),
        (6, &[3, 4, 5]),
        (7, &[6]),
    ]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●                 1
    ●─┬─╮             2
    ● │ │             3
    │ ● │             4
    │ │ ●             5
    ●─┴─╯             6
    ●                 7
    ");
    insta::assert_snapshot!(picture(&gutter, Line::Ascii), @r"
    *                 1
    *-+-.             2
    * | |             3
    | * |             4
    | | *             5
    *-+-'             6
    *                 7
    ");
}

#[test]
fn join_and_fork_in_one_row() {
    let gutter = build(&[
        (1, &[]),
        (2, &[1]),
        (3, &[1]),
        (4, &[1]),
        (5, &[2, 3, 4]),
        (6, &[5]),
        (7, &[5]),
        (8, &[6, 7]),
    ]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─┬─╮             1
    ● │ │             2
    │ ● │             3
    │ │ ●             4
    ●─┼─╯             5
    ● │               6
    │ ●               7
    ●─╯               8
    ");
}

#[test]
fn a_dependency_inside_a_fan() {
    let gutter = build(&[
        (1, &[]),
        (2, &[1]),
        (3, &[1]),
        (4, &[1]),
        (5, &[1, 2, 3]),
        (6, &[4, 5]),
    ]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─┬─┬─╮           1
    ● │ │ │           2
    │ ● │ │           3
    │ │ ● │           4
    ●─┴─│─╯           5
    ●───╯             6
    ");
}

#[test]
fn a_late_dependency_is_a_line_while_near_and_a_chip_when_far() {
    let mut gutter = build(&[(1, &[]), (2, &[1]), (3, &[2]), (4, &[3]), (5, &[4, 2])]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●                 1
    ●─╮               2
    ● │               3
    ● │               4
    ●─╯               5
    ");
    for key in 6..80 {
        gutter.append(key, &[key - 1]);
    }
    let row = gutter.append(80, &[79, 2, 99]);
    check(&gutter);
    assert_eq!(gutter.chips(row), [99, 2]);
    assert_eq!(gutter.text(row, Line::Unicode, None), "●");
}

#[test]
fn a_line_that_crosses_another_does_not_touch_it() {
    let gutter = build(&[
        (1, &[]),
        (2, &[1]),
        (3, &[1]),
        (4, &[1]),
        (5, &[2, 4]),
        (6, &[3, 5]),
    ]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─┬─╮             1
    ● │ │             2
    │ ● │             3
    │ │ ●             4
    ●─│─╯             5
    ●─╯               6
    ");
}

#[test]
fn a_fan_wider_than_the_lanes_goes_beyond() {
    let mut gutter = Graph::new(3);
    gutter.append(1, &[]);
    for key in 2..8 {
        gutter.append(key, &[1]);
    }
    gutter.append(8, &[2, 3, 4, 5, 6, 7]);
    check(&gutter);
    assert!(gutter.row(5).unwrap().is_beyond());
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─┬─╮             1
    ● │ │             2
    │ ● │             3
    │ │ ●             4
    │ │ │~            5 ⤷1
    │ │ │~            6 ⤷1
    │ │ │~            7 ⤷1
    ●─┴─╯             8 ⤷5 ⤷6 ⤷7
    ");
}

#[test]
fn a_folded_fan_is_one_node() {
    let mut gutter = Graph::default();
    gutter.append(1, &[]);
    gutter.push(Item {
        key: 2,
        shape: Shape::Fan,
        parents: &[1],
        elided: &[],
        members: &[3, 4, 5],
    });
    gutter.append(6, &[1]);
    gutter.append(7, &[2, 3, 4, 5, 6]);
    check(&gutter);
    assert_eq!(gutter.find(4), Some(1));
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─╮               1
    ● │               2
    │ ●               6
    ●─╯               7
    ");
}

/// A row that hides superseded nodes, the edit, and the nodes after it.
fn edit(gutter: &mut Graph, of: u32, key: u32, fold: u32, hidden: &[u32]) {
    gutter.push(Item {
        key: fold,
        shape: Shape::Fold,
        parents: &[],
        elided: &[],
        members: hidden,
    });
    gutter.push(Item {
        shape: Shape::Leaf,
        ..Item::node(key, &[of])
    });
}

#[test]
fn after_an_edit_the_active_branch_continues_in_its_lane() {
    let mut gutter = build(&[(1, &[]), (2, &[1])]);
    edit(&mut gutter, 2, 6, 3, &[4, 5]);
    for (key, parents) in [(7, vec![2]), (8, vec![2]), (9, vec![7, 8]), (10, vec![9])] {
        gutter.append(key, &parents);
    }
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●                 1
    ●─╮               2
    │ │               3
    │ │ ●             6
    ● │               7
    │ ●               8
    ●─╯               9
    ●                 10
    ");
}

#[test]
fn edits_of_one_thought_make_no_staircase() {
    let mut gutter = build(&[(1, &[]), (2, &[1])]);
    for no in 1..5 {
        let fold = no * 10;
        edit(&mut gutter, 2, fold + 2, fold, &[fold + 1]);
    }
    for (key, parents) in [(60, vec![2]), (61, vec![2]), (62, vec![60, 61])] {
        gutter.append(key, &parents);
    }
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●                 1
    ●─╮               2
    │ │               10
    │ │ ●             12
    │ │               20
    │ │ ●             22
    │ │               30
    │ │ ●             32
    │ │               40
    │ │ ●             42
    ● │               60
    │ ●               61
    ●─╯               62
    ");
}

#[test]
fn an_edit_in_a_fan_keeps_the_lane_for_the_branch_that_counts() {
    let mut gutter = build(&[(1, &[]), (2, &[1]), (3, &[1])]);
    gutter.push(Item {
        key: 4,
        shape: Shape::Fold,
        parents: &[],
        elided: &[],
        members: &[5, 6],
    });
    gutter.append(7, &[2, 3]);
    gutter.append(8, &[7]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─╮               1
    ● │               2
    │ ●               3
    │ │               4
    ●─╯               7
    ●                 8
    ");
    // When unfolded, the superseded nodes are drawn next to it.
    let mut gutter = build(&[(1, &[]), (2, &[1]), (3, &[1])]);
    for (key, parents) in [(4, vec![2, 3]), (5, vec![4]), (6, vec![5])] {
        gutter.push(Item {
            key,
            shape: Shape::Side,
            parents: &parents,
            elided: &[],
            members: &[],
        });
    }
    gutter.append(7, &[2, 3]);
    gutter.append(8, &[7]);
    check(&gutter);
    insta::assert_snapshot!(picture(&gutter, Line::Unicode), @r"
    ●─╮               1
    ●─│─╮             2
    │ ●─│─╮           3
    │ │ ●─╯           4
    │ │ ●             5
    │ │ ●             6
    ●─╯               7
    ●                 8
    ");
}
