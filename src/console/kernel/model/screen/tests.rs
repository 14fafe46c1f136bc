//! Areas of the panes, on any screen.

use proptest::prelude::*;

use super::*;

/// The main panes, and some of those at the bottom.
fn all() -> Vec<Pane> {
    crate::app::registry::REGISTRY
        .panes
        .iter()
        .map(|kind| kind.pane())
        .collect()
}

#[test]
fn a_long_word_moves_no_pane_off_a_screen_that_just_has_room_for_all() {
    let mut screen = Screen::new(40, 30);
    screen.focus(crate::surfaces::state::PANE);
    for wordy in [1, 3] {
        screen.wordy = wordy;
        screen.arrange(Wants::default());
        assert!(screen.places.graph.is_some(), "{wordy}");
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn panes_never_overlap_or_leave_the_screen(
        width in 0u16..300, height in 0u16..120, queued in 0usize..50, banner: bool, zoom: bool,
        lower in prop::option::of(0usize..4), pane in 0usize..7, wordy in 0u16..9,
        beside in prop::option::of(1u16..400), reads: bool,
        sizes in prop::array::uniform3(prop::option::of(0u16..400)), frame in prop::option::of(2usize..90),
    ) {
        let mut screen = Screen::new(width, height);
        screen.zoom = zoom;
        let shown = |screen: &mut Screen, wordy: u16| {
            screen.wordy = wordy;
            screen.arrange(Wants { queue: (queued > 0).then_some(queued), banner, frame, dialog: None, reads, beside: beside.filter(|_| width >= WIDE) });
            all().iter().map(|pane| screen.places.of(*pane).is_some()).collect::<Vec<_>>()
        };
        screen.lower = lower.and_then(|at| all().into_iter().filter(|pane| pane.place() == Place::Lower).nth(at));
        let [graph, queue, low] = sizes;
        screen.sizes = Sizes { graph, queue, lower: low };
        screen.focus(all()[pane]);
        prop_assert_eq!(shown(&mut screen, 1), shown(&mut screen, wordy), "a word moves no pane off the screen");
        let places = screen.places;
        let areas: Vec<Rect> = [places.graph, places.queue, places.inspector, places.edge, places.lower, places.banner]
            .into_iter().flatten().chain([places.header, places.status]).filter(|area| !area.is_empty()).collect();
        for (at, area) in areas.iter().enumerate() {
            prop_assert!(area.right() <= width && area.bottom() <= height, "{area:?}");
            for other in &areas[at + 1..] {
                prop_assert!(area.intersection(*other).is_empty(), "{area:?} {other:?}");
            }
        }
        let below = places.inspector.filter(|area| area.x == 0);
        if let (Some(graph), Some(below), [None, None, None]) = (places.graph, below, sizes) {
            prop_assert!(graph.height >= GRAPH && graph.x == below.x, "{graph:?}");
            let edge = places.edge.map_or(0, |edge| edge.height);
            prop_assert!(below.height + edge <= screen.most_of_frame().max(FRAME), "{below:?}");
        }
        if height >= 4 && width > 0 {
            prop_assert!(places.of(screen.focus).is_some(), "the focused pane is on screen");
        }
        if let (Some(graph), Some(beside)) = (places.graph, places.lower.filter(|area| area.x > 0)) {
            prop_assert!(graph.width >= BESIDE && graph.right() == beside.x, "{graph:?} {beside:?}");
        }
    }
}
