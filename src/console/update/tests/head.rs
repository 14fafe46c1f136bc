//! Tests the head of a decision while its arguments scroll: rows on screen count as read.
use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::ground::symbols::Charset;
use crate::kernel::dialog::Dialog;
use crate::kernel::inspector::Tab;
use crate::kernel::model::arming::VisibleQuestion;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::Attempt;

const SIZES: [(u16, u16); 4] = [(40, 12), (80, 24), (120, 40), (200, 60)];

/// Arguments whose rows on screen all differ.
fn long(lines: usize) -> String {
    let lines: Vec<String> = (0..lines).map(|no| format!("line {no:05}")).collect();
    serde_json::json!({ "path": "a.md", "content": lines.join(" ") }).to_string()
}

/// A long waiting write, in the inspector.
fn stage((width, height): (u16, u16), tags: &[&str]) -> Stage {
    let mut stage = Stage::exact(width, height);
    stage.begin();
    stage.has_tool("replace", EffectClass::Write, tags);
    stage.awaiting("c3", "replace", &long(1200));
    stage.draw();
    stage.press("2 3");
    stage.wait(ARMING);
    stage
}

/// The rows of the inspector's pane, without its title.
fn pane(stage: &mut Stage) -> Vec<String> {
    let text = stage.text();
    let area = inside(stage.model.screen.places.inspector.unwrap());
    let rows = text
        .lines()
        .skip(usize::from(area.y))
        .take(usize::from(area.height));
    rows.map(|row| row.chars().skip(usize::from(area.x)).collect())
        .collect()
}

/// The title row of the inspector's pane.
fn title(stage: &mut Stage) -> String {
    let text = stage.text();
    let area = stage.model.screen.places.inspector.unwrap();
    text.lines()
        .nth(usize::from(area.y))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn title_and_dangers_stay_visible_when_scrolled_out() {
    for size in SIZES {
        let mut stage = stage(size, &["external", "irreversible"]);
        assert!(title(&mut stage).starts_with("┏━ c3 changes a.md "), "{size:?}");
        for _ in 0..3 {
            stage.press("pgdn");
            let rows = pane(&mut stage);
            assert!(title(&mut stage).starts_with("┏━ c3 changes a.md "), "{size:?}");
            assert!(
                rows[0].starts_with("┃ danger: cannot be undone"),
                "{size:?} {rows:?}"
            );
            assert!(
                rows[1..].iter().all(|row| !row.contains("danger")),
                "{size:?} {rows:?}"
            );
            let all = stage
                .model
                .arming
                .frame
                .as_ref()
                .is_some_and(VisibleQuestion::is_read);
            assert_eq!(
                !all,
                stage.flat().contains("rows unread · pgdn shows more"),
                "{size:?}"
            );
        }
        stage.press("g");
        assert_eq!(
            pane(&mut stage).concat().matches("danger:").count(),
            1,
            "{size:?}"
        );
    }
}

#[test]
fn in_a_pane_of_a_few_rows_nothing_is_taken_from_what_is_read() {
    let mut stage = stage((120, 40), &["irreversible"]);
    stage.model.screen.sizes.graph = Some(33);
    stage.press("pgdn pgdn");
    let rows = pane(&mut stage);
    assert!(rows.len() < 4 && !rows.is_empty(), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains("danger")), "{rows:?}");
}

#[test]
fn nothing_stays_of_what_is_not_decided() {
    let mut stage = Stage::exact(120, 40);
    stage.begin();
    stage.finished("c3", "write_file", &long(1200), Outcome::ok("done"));
    stage.press("1 G");
    stage.model.inspector.choose(Tab::Arguments, Pane::GRAPH);
    stage.press("3 pgdn");
    assert!(stage.model.inspector.top > 0);
    let text = stage.text();
    assert!(!text.contains('┃') && !text.contains("writes a.md"), "{text}");
}

#[test]
fn an_ascii_screen_shows_the_same() {
    let mut stage = Stage::with(120, 40, |settings| settings.charset = Charset::Ascii);
    stage.model.inspector.exact = true;
    stage.begin();
    stage.awaiting("c3", "write_file", &long(1200));
    stage.draw();
    stage.press("2 3 pgdn");
    assert!(
        title(&mut stage).starts_with("#= c3 writes a.md - "),
        "{}",
        stage.text()
    );
    let rows = pane(&mut stage);
    assert!(rows.iter().all(|row| row.starts_with("| ")), "{rows:?}");
}

#[test]
fn another_kind_of_question_is_named_in_it() {
    let mut stage = Stage::exact(120, 40);
    stage.begin();
    stage.consent_of("c3", &long(1200));
    stage.draw();
    stage.press("2 3 pgdn");
    let title = title(&mut stage);
    assert!(title.starts_with("┏━ c3 would repeat an effect"), "{title}");
}

#[test]
fn a_name_that_is_long_takes_nothing_else_out_of_it() {
    let mut stage = Stage::exact(80, 24);
    stage.begin();
    let tool = format!("┏ c9 r9 {}", "x".repeat(300));
    stage.awaiting("c3", &tool, &long(1200));
    stage.draw();
    stage.press("2 3 pgdn");
    let title = title(&mut stage);
    assert!(title.starts_with("┏━ c3 calls ⟨U+250F⟩ c9 r9 xxx"), "{title}");
    assert!(title.ends_with('━'), "{title}");
}

/// The rows of the frame on the topmost surface, with its title and its edge.
fn on_top(stage: &mut Stage) -> Vec<String> {
    let text = stage.text();
    let doc = stage.model.stack.doc().expect("a document");
    let area = stage.model.screen.dialog(doc.rows() + 1);
    let rows = text
        .lines()
        .skip(usize::from(area.y))
        .take(usize::from(area.height));
    let (left, width) = (usize::from(area.x), usize::from(area.width));
    rows.map(|row| row.chars().skip(left).take(width).collect())
        .collect()
}

/// The dialog of a long call that awaits consent, or whose outcome is unknown.
fn dialog((width, height): (u16, u16), uncertain: bool) -> Stage {
    let mut stage = Stage::exact(width, height);
    stage.begin();
    if uncertain {
        stage.running("c3", "write_file", &long(1200));
        // No broken stream waits in the queue too.
        stage.close();
        stage.engine(Event::Run(RunEvent::Reopened {
            interrupted: vec![(id("c3"), Attempt(1))],
            version: "0".into(),
        }));
    } else {
        stage.consent_of("c3", &long(1200));
    }
    stage.draw();
    stage.press("2 enter");
    assert!(stage.model.stack.is_top::<Dialog>());
    stage.wait(ARMING);
    stage
}

#[test]
fn the_title_stays_visible_in_consent_and_unknown_outcome_dialogs() {
    for size in SIZES {
        for (uncertain, words) in [(false, "would repeat an effect"), (true, "outcome unknown")] {
            let mut stage = dialog(size, uncertain);
            let title = format!("┏━ c3 {words}");
            let rows = on_top(&mut stage);
            let edge = rows.last().unwrap();
            assert!(
                edge.starts_with('┗') && edge.contains("unread"),
                "{size:?} {rows:?}"
            );
            for _ in 0..2 {
                let rows = on_top(&mut stage);
                assert!(rows[0].starts_with(&title), "{size:?} {rows:?}");
                stage.press("pgdn");
            }
        }
    }
}

#[test]
fn paging_a_dialog_to_its_end_reads_all_of_it_and_its_last_row_is_there() {
    for size in SIZES {
        let mut stage = dialog(size, false);
        stage.press("j");
        for _ in 0..80 {
            stage.press("pgdn");
        }
        let rows = on_top(&mut stage);
        assert!(
            rows.last().is_some_and(|row| row.starts_with("┗━━━")),
            "{size:?} {rows:?}"
        );
        stage.press("g");
        stage.wait(ARMING);
        let shown = stage.model.arming.top.clone().expect("it is on screen");
        assert!(shown.is_read(), "{size:?}: {:?}", shown.read.misses(shown.rows));
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(1))]

    #[test]
    fn what_counts_as_read_is_what_was_on_screen(
        keys in prop::collection::vec(
            prop::sample::select(vec!["j", "k", "pgdn", "pgup", "ctrl-d", "ctrl-u", "G", "g", "z", "1", "3"]), 1..30,
        ),
        size in prop::sample::select(SIZES.to_vec()),
    ) {
        let mut stage = stage(size, &["irreversible"]);
        let mut seen = BTreeSet::new();
        let (pager, _) = stage.model.inspector.doc.decided().expect("a decision");
        let all: Vec<String> = pager
            .window(0, pager.rows(), None)
            .into_iter()
            .map(|row| row.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>().trim_end().to_owned())
            .collect();
        let width = stage.model.arming.frame.as_ref().map(|shown| shown.width);
        for key in keys {
            // Frames of another width have other rows.
            stage.press(key);
            let frame = stage.model.arming.frame.clone();
            if frame.as_ref().map(|shown| shown.width) != width || stage.model.screen.places.inspector.is_none() {
                return Ok(());
            }
            seen.extend(pane(&mut stage).iter().filter_map(|row| row.strip_prefix("┃   ").map(str::to_owned)));
        }
        stage.press("3 g");
        seen.extend(pane(&mut stage).iter().filter_map(|row| row.strip_prefix("┃   ").map(str::to_owned)));
        let frame = stage.model.arming.frame.clone().expect("it is on screen");
        prop_assert_eq!(&frame.question, &crate::kernel::decide::question(&stage.model).unwrap());
        prop_assert_eq!(frame.rows, all.len());
        let missed: BTreeSet<usize> = frame.read.misses(frame.rows).into_iter().flatten().collect();
        for (at, row) in all.iter().enumerate() {
            prop_assert_eq!(seen.contains(row), !missed.contains(&at), "row {} of {:?}", at, id("c3"));
        }
    }

    #[test]
    fn paging_leaves_no_row_out(size in prop::sample::select(SIZES.to_vec()), lines in 20usize..600, first in 0usize..9) {
        let mut stage = Stage::exact(size.0, size.1);
        stage.begin();
        stage.awaiting("c3", "write_file", &long(lines));
        stage.draw();
        stage.press("2 3");
        for _ in 0..first {
            stage.press("j");
        }
        for _ in 0..200 {
            stage.press("pgdn");
        }
        stage.press("pgup pgup g");
        stage.wait(ARMING);
        let frame = stage.model.arming.frame.clone().expect("it is on screen");
        prop_assert!(frame.is_read(), "{:?}", frame.read.misses(frame.rows));
    }

    #[test]
    fn what_counts_as_read_in_a_dialog_is_what_was_on_screen(
        keys in prop::collection::vec(prop::sample::select(vec!["j", "k", "pgdn", "pgup", "ctrl-d", "ctrl-u", "G", "g"]), 1..30),
        size in prop::sample::select(SIZES.to_vec()),
        uncertain in any::<bool>(),
    ) {
        let mut stage = dialog(size, uncertain);
        let doc = stage.model.stack
        .doc()
        .expect("a document");
        let (pager, _) = doc.decided().expect("a decision");
        let all: Vec<String> = pager
            .window(0, pager.rows(), None)
            .into_iter()
            .map(|row| row.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>().trim_end().to_owned())
            .collect();
        let output = |row: &str| row.strip_prefix("┃   ").map(|row| row.trim_end().to_owned());
        let mut seen: BTreeSet<String> = on_top(&mut stage).iter().filter_map(|row| output(row)).collect();
        for key in keys {
            stage.press(key);
            seen.extend(on_top(&mut stage).iter().filter_map(|row| output(row)));
        }
        let shown = stage.model.arming.top.clone().expect("it is on screen");
        prop_assert_eq!(shown.rows, all.len());
        let missed: BTreeSet<usize> = shown.read.misses(shown.rows).into_iter().flatten().collect();
        for (at, row) in all.iter().enumerate() {
            prop_assert_eq!(seen.contains(row), !missed.contains(&at), "row {}", at);
        }
    }
}
