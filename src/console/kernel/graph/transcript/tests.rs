//! Tests of what is on the screen of the transcript, with rows of many sizes.

use super::*;
use crate::testing::{Stage, id};

const HEIGHT: usize = 10;

/// A run of thoughts, in a transcript that is laid out by hand. Each has this many lines.
struct Page {
    stage: Stage,
    sizes: Vec<usize>,
}

impl Page {
    fn new(sizes: &[usize]) -> Self {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        for no in 0..sizes.len() - 1 {
            stage.thought(&format!("t{}", no + 2), "words");
        }
        stage.draw();
        stage.model.graph.form = Form::Transcript;
        assert_eq!(stage.model.graph.len(), sizes.len());
        let mut page = Self {
            stage,
            sizes: sizes.to_vec(),
        };
        page.lay_out();
        page
    }

    fn lay_out(&mut self) {
        let graph = &mut self.stage.model.graph;
        let mut transcript = std::mem::take(&mut graph.transcript);
        transcript.known.clear();
        let mut made = 0;
        transcript.lay_out(graph, HEIGHT, &mut |_, row| {
            made += 1;
            (vec![Styled::new(); self.sizes[row]].into(), true)
        });
        assert!(
            made <= 3 * HEIGHT + 1,
            "only what is near the screen is made: {made}"
        );
        graph.transcript = transcript;
        self.check();
    }

    /// The rows on the screen follow each other without a gap, and the selected one is among them.
    fn check(&self) {
        let graph = &self.stage.model.graph;
        let blocks = &graph.transcript.blocks;
        for pair in blocks.windows(2) {
            assert_eq!(pair[0].end(), pair[1].line);
            assert_eq!(pair[0].row + 1, pair[1].row);
        }
        let all: usize = self.sizes.iter().sum();
        let (first, last) = (blocks.first().unwrap(), blocks.last().unwrap());
        if all >= HEIGHT {
            assert!(
                first.line <= 0 && last.end() >= HEIGHT as isize,
                "no line is free"
            );
        } else {
            assert_eq!(last.end(), HEIGHT as isize, "the text ends where the pane does");
        }
        assert!(
            graph.transcript.shows(graph.cursor().unwrap()),
            "the selected row is on the screen"
        );
    }

    fn step(&mut self, to: Move) {
        self.stage.model.graph.read_on(to, HEIGHT);
        self.lay_out();
    }

    /// The selected row, and the row and the line at the top of the screen.
    fn place(&self) -> (usize, usize, isize) {
        let graph = &self.stage.model.graph;
        let first = &graph.transcript.blocks[0];
        (graph.cursor().unwrap(), first.row, first.line)
    }
}

#[test]
fn who_follows_sees_the_end_and_who_goes_up_sees_whole_rows() {
    let mut page = Page::new(&[2, 3, 4, 2, 5]);
    assert_eq!(page.place(), (4, 2, -1), "the newest row is whole");
    page.step(Move::Up);
    assert_eq!(page.place(), (3, 2, -1), "a row on the screen is only selected");
    page.step(Move::Up);
    assert_eq!(page.place(), (2, 2, 0), "a cut row comes down as far as it must");
    page.step(Move::Top);
    assert_eq!(page.place(), (0, 0, 0));
    page.step(Move::Down);
    assert_eq!(page.place(), (1, 0, 0));
    page.step(Move::Bottom);
    assert_eq!(page.place(), (4, 2, -1));
}

#[test]
fn a_row_that_is_longer_than_the_screen_is_read_by_pages() {
    let mut page = Page::new(&[2, 25, 2]);
    page.step(Move::Top);
    page.step(Move::Down);
    assert_eq!(page.place(), (1, 1, 0), "it is read from its beginning");
    page.step(Move::PageDown);
    assert_eq!(page.place(), (1, 1, -9), "a line of the page before stays");
    page.step(Move::PageDown);
    assert_eq!(page.place(), (1, 1, -17), "the end of the last row is the end");
    page.step(Move::PageDown);
    assert_eq!(page.place(), (2, 1, -17), "at the end the last row is selected");
    page.step(Move::PageUp);
    assert_eq!(page.place(), (1, 1, -8));
    page.step(Move::PageUp);
    page.step(Move::PageUp);
    assert_eq!(page.place(), (0, 0, 0));
}

#[test]
fn a_short_run_ends_where_the_pane_does() {
    let mut page = Page::new(&[2, 3]);
    assert_eq!(page.place(), (1, 0, 5));
    for to in [
        Move::Up,
        Move::PageUp,
        Move::PageDown,
        Move::HalfUp,
        Move::Top,
        Move::Bottom,
    ] {
        page.step(to);
        assert_eq!(page.place().2, 5, "{to:?}");
    }
    assert_eq!(page.stage.model.graph.transcript.row_on(4), None);
    assert_eq!(page.stage.model.graph.transcript.row_on(5), Some(0));
    assert_eq!(page.stage.model.graph.transcript.row_on(9), Some(1));
}

#[test]
fn no_walk_leaves_a_gap_or_loses_the_selected_row() {
    let moves = [
        Move::Up,
        Move::Down,
        Move::HalfUp,
        Move::HalfDown,
        Move::PageUp,
        Move::PageDown,
        Move::Top,
        Move::Bottom,
    ];
    let mut seed = 7_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % most
    };
    for _ in 0..20 {
        let sizes: Vec<usize> = (0..2 + next(12)).map(|_| 1 + next(24)).collect();
        let mut page = Page::new(&sizes);
        for _ in 0..60 {
            page.step(moves[next(moves.len())]);
        }
    }
}

#[test]
fn only_calls_are_unfolded() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.draw();
    stage.on("c3");
    stage.press("space");
    assert!(
        stage.model.graph.transcript.unfolded.is_empty(),
        "the graph has its own folds"
    );
    stage.press("left ctrl-t space");
    assert_eq!(stage.model.graph.transcript.unfolded, [id("c3")].into());
    stage.press("left");
    assert!(stage.model.graph.transcript.unfolded.is_empty());
    stage.on("t2");
    stage.press("right");
    assert!(stage.model.graph.transcript.unfolded.is_empty());
}
