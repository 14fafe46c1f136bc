//! Tests that the mouse points, scrolls and moves borders, and decides nothing.

use crate::ground::term_msg::{Mouse, TermMsg};
use crate::kernel::hints::surface;
use crate::kernel::msg::{Msg, Out};
use crate::kernel::pane::Pane;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::list::List;
use crate::testing::{ARMING, Stage, id};

fn act(stage: &mut Stage, mouse: Mouse, x: u16, y: u16) {
    stage.send(Msg::Term(TermMsg::Mouse { mouse, x, y }));
    stage.draw();
}

fn click(stage: &mut Stage, x: u16, y: u16) {
    act(stage, Mouse::Press, x, y);
    act(stage, Mouse::Release, x, y);
}

fn stage() -> Stage {
    let mut stage = Stage::new(120, 40);
    stage.sample();
    stage.draw();
    stage
}

#[test]
fn a_click_selects_the_row_under_it_and_takes_the_focus_there() {
    let mut stage = stage();
    stage.press("2");
    let graph = stage.model.screen.places.graph.unwrap();
    // The rows end where the pane does.
    click(&mut stage, graph.x + 5, graph.bottom() - 4);
    assert_eq!(stage.model.screen.focus, Pane::GRAPH);
    assert_eq!(stage.selected(), Some(id("c3")));
    let graph = stage.model.screen.places.graph.unwrap();
    click(&mut stage, graph.x + 5, graph.y + 1);
    assert_eq!(stage.selected(), Some(id("c3")), "there is no row");
    stage.press("2");
    let queue = stage.model.screen.places.queue.unwrap();
    click(&mut stage, queue.x + 2, queue.y + 1);
    assert_eq!(surface(&stage.model), Pane::QUEUE.id());
}

/// The positions in the graph pane where the name of a node starts its row or box.
fn drawn(stage: &mut Stage, name: &str) -> Vec<(u16, u16)> {
    let text = stage.text();
    let area = stage.model.screen.places.graph.unwrap();
    let rows = text.lines().enumerate();
    let places = rows.flat_map(|(y, row)| {
        let cells: Vec<char> = row.chars().collect();
        let expected: Vec<char> = format!(" {name} ").chars().collect();
        let found: Vec<u16> = cells
            .windows(expected.len())
            .enumerate()
            .filter(|(_, here)| *here == expected)
            .map(|(x, _)| x as u16 + 1)
            .collect();
        found.into_iter().map(move |x| (x, y as u16))
    });
    let is_inside = |(x, y): &(u16, u16)| *x < area.right() && (area.y + 1..area.bottom()).contains(y);
    places.filter(is_inside).collect()
}

/// Clicks `below` rows below the name of each of these nodes that is drawn, with the cursor
/// elsewhere before.
fn clicks(stage: &mut Stage, names: &[&str], below: u16) {
    let home = stage.model.graph.clone();
    for name in names {
        stage.model.graph = home.clone();
        let at = drawn(stage, name);
        let &[(x, y)] = at.as_slice() else {
            panic!("{name} is drawn {} times:\n{}", at.len(), stage.text());
        };
        click(stage, x, y + below);
        assert_eq!(stage.selected(), Some(id(name)), "{}", stage.text());
    }
}

#[test]
fn a_click_selects_what_is_drawn_there_in_every_form_and_at_every_level() {
    let all = ["p1", "t2", "c3", "c4"];
    let forms: [(&str, &[&str]); 6] = [
        ("1", &all),
        ("1 Z", &["p1", "c4", "c5"]),
        ("1 Z Z", &all),
        ("1 Z Z Z", &all),
        ("1 J", &all),
        ("1 V", &["c4", "c5"]),
    ];
    let stage = || {
        let mut stage = Stage::new(120, 60);
        stage.sample();
        stage.draw();
        stage
    };
    for (keys, names) in forms {
        let mut stage = stage();
        stage.press(keys);
        clicks(&mut stage, names, 0);
    }
    // The words below a row belong to it.
    let mut stage = stage();
    stage.press("1 Z Z Z");
    clicks(&mut stage, &all[..3], 1);
}

#[test]
fn a_click_beside_what_is_drawn_selects_nothing() {
    for keys in ["1 J", "1 V", "1 Z Z Z"] {
        let mut stage = stage();
        stage.press(keys);
        stage.press("g");
        let before = stage.selected();
        let graph = stage.model.screen.places.graph.unwrap();
        click(&mut stage, graph.x + 5, graph.y + 2);
        assert_eq!(stage.selected(), before, "{keys}: above all rows");
        if keys == "1 J" {
            stage.press("j");
            let before = stage.selected();
            click(&mut stage, graph.x + 5, graph.y + 1);
            assert_eq!(stage.selected(), before, "the axis is no row");
        }
    }
}

#[test]
fn no_click_anywhere_decides_or_closes_anything() {
    let places = (0..40).flat_map(|y| (0..120).step_by(7).map(move |x| (x, y)));
    let places = overrule_testing::sample(places, 29);
    for keys in ["2", "2 A", "q", "X", ":", "b", "2 e", "1 g j v", "1 g j j D"] {
        let mut stage = stage();
        stage.press(keys);
        stage.wait(ARMING);
        let open = stage.model.stack.len();
        stage.out.clear();
        for (x, y) in &places {
            click(&mut stage, *x, *y);
        }
        // A tab may request its data, and another decision may be shown.
        stage
            .out
            .retain(|out| !matches!(out, Out::Wire { .. } | Out::Look(_)));
        assert_eq!(stage.out, [], "{keys}");
        assert_eq!(stage.model.stack.len(), open, "{keys}");
    }
}

#[test]
fn the_wheel_scrolls_what_is_under_it_and_leaves_the_focus() {
    let mut stage = Stage::new(120, 20);
    stage.spent();
    stage.press("4 1");
    let lower = stage.model.screen.places.lower.unwrap();
    act(&mut stage, Mouse::WheelUp, lower.x + 3, lower.y + 1);
    assert_eq!(stage.model.screen.focus, Pane::GRAPH);
    assert_eq!(stage.model.log.below(), 3);
    act(&mut stage, Mouse::WheelDown, lower.x + 3, lower.y + 1);
    assert!(stage.model.log.follows());
    stage.press("?");
    act(&mut stage, Mouse::WheelDown, 50, 5);
    let page = stage.model.stack.last().and_then(|top| top.sheet());
    assert_eq!(page.map(|page| page.top), Some(3));
}

#[test]
fn borders_are_moved_and_every_pane_stays_usable() {
    let mut stage = stage();
    stage.press("4 1");
    let places = stage.model.screen.places;
    let (graph, lower) = (places.graph.unwrap(), places.lower.unwrap());
    act(&mut stage, Mouse::Press, 5, graph.bottom());
    act(&mut stage, Mouse::Drag, 5, graph.y + 10);
    assert_eq!(stage.model.screen.places.graph.unwrap().height, 10);
    act(&mut stage, Mouse::Drag, 5, 39);
    let below = stage.model.screen.places.inspector.unwrap();
    assert!(below.height >= 2, "{below:?}");
    act(&mut stage, Mouse::Release, 5, 39);
    act(&mut stage, Mouse::Drag, 5, 2);
    assert_eq!(
        stage.model.screen.places.inspector.unwrap(),
        below,
        "the button is up"
    );
    act(&mut stage, Mouse::Press, 5, lower.y);
    act(&mut stage, Mouse::Drag, 5, 12);
    assert_eq!(stage.model.screen.places.lower.unwrap().y, 12);
    act(&mut stage, Mouse::Drag, 5, 0);
    act(&mut stage, Mouse::Release, 5, 0);
    for (key, pane) in [("3", Pane::INSPECTOR), ("1", Pane::GRAPH), ("4", Pane::LOG)] {
        stage.press(key);
        assert!(
            stage.model.screen.places.of(pane).unwrap().height >= 2,
            "{pane:?}"
        );
    }
}

#[test]
fn a_click_in_a_list_moves_its_cursor_and_a_key_takes_the_entry() {
    let mut stage = stage();
    stage.press(":");
    let first = match stage.model.stack.top::<List>() {
        Some(list) => list.found[2],
        other => panic!("{other:?}"),
    };
    let body = stage.model.screen.places.body;
    // Above the third entry are the title, the typed text and two entries.
    click(&mut stage, 20, body.y + 4);
    match stage.model.stack.top::<List>() {
        Some(list) => assert_eq!((list.at, list.found[list.at]), (2, first)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_click_in_a_completion_list_selects_the_row_drawn_there() {
    let mut stage = Stage::asked(120, 40, r#"{"path":"a","content":"b"}"#);
    stage.press("e ctrl-t");
    match stage.model.stack.top_mut::<Editor>() {
        Some(editor) => editor.field.replace("{"),
        other => panic!("{other:?}"),
    }
    stage.press("ctrl-end tab");
    let list = |stage: &Stage| match stage.model.stack.top::<List>() {
        Some(list) => (list.at, list.choices.len()),
        other => panic!("{other:?}"),
    };
    assert!(list(&stage).1 > 1, "{}", stage.text());
    let text = stage.text();
    let rows: Vec<&str> = text.lines().collect();
    let row = rows.iter().rposition(|row| row.contains("❯")).unwrap();
    click(&mut stage, 20, row as u16 + 1);
    assert_eq!(list(&stage).0, 1, "{text}");
}

#[test]
fn the_mouse_can_be_left_to_the_terminal() {
    let mut stage = stage();
    stage.model.screen.mouse = true;
    stage.out.clear();
    stage.press("m");
    assert_eq!(stage.out, [Out::Mouse(false)]);
    assert!(stage.status().contains("selects text"), "{}", stage.status());
    stage.press("m");
    assert_eq!(stage.out, [Out::Mouse(false), Out::Mouse(true)]);
}

#[test]
fn who_comes_back_to_the_window_does_not_decide_with_the_key_that_was_under_way() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.send(Msg::Term(TermMsg::Focus(false)));
    stage.send(Msg::Term(TermMsg::Focus(true)));
    stage.out.clear();
    stage.press("a");
    assert_eq!(stage.commands(), [], "{}", stage.status());
    stage.wait(ARMING);
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}

#[test]
fn the_title_describes_the_run_state() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(stage.model.title(), "overrule: starting");
    stage.sample();
    stage.draw();
    assert_eq!(stage.model.title(), "overrule: 1 to decide");
}
