//! Tests the search in open lists, in previews, and in the queue.

use super::branches::list;
use crate::run::target::Target;
use crate::surfaces::bulk::Bulk;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::id::Epoch;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn look_for(stage: &mut Stage, words: &str) {
    stage.press("/");
    stage.type_text(words);
    stage.press("enter");
}

/// The row under the cursor of a list.
fn row(stage: &mut Stage) -> String {
    let text = stage.text();
    let row = text.lines().find(|row| row.starts_with('❯'));
    row.unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn the_branches_are_searched_and_the_cursor_goes_to_the_match() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.edited();
        stage.press("b");
        assert!(row(&mut stage).contains("edit arguments of c3"));
        look_for(&mut stage, "began");
        assert_eq!(stage.status(), "1 of 1");
        assert!(row(&mut stage).contains("as the run began"));
        look_for(&mut stage, "lighthouse");
        assert_eq!(stage.status(), "Not found in this list: `lighthouse`");
        assert_eq!(list(&stage).selected, Some(Target::Branch(Epoch(0))));
        assert_eq!(stage.commands(), []);
    }
}

#[test]
fn a_comparison_is_searched_beyond_the_rows_that_are_made() {
    for (width, height) in SIZES {
        let mut stage = Stage::committed();
        let resize = crate::ground::term_msg::TermMsg::Resize { width, height };
        stage.send(crate::kernel::msg::Msg::Term(resize));
        stage.press("b g c");
        stage.press("n");
        assert_eq!(stage.status(), "Nothing searched here yet. / searches");
        look_for(&mut stage, "part40/");
        let of = stage.status().strip_prefix("1 of ").map(str::to_owned);
        let of: usize = of
            .unwrap_or_else(|| panic!("{}", stage.status()))
            .parse()
            .unwrap();
        assert!(of > 1);
        assert!(row(&mut stage).contains("part40/"));
        let first = list(&stage).at;
        stage.press("n");
        assert_eq!(stage.status(), format!("2 of {of}"));
        assert!(list(&stage).at > first && row(&mut stage).contains("part40/"));
        stage.press("N N");
        assert_eq!(stage.status(), format!("{of} of {of}, from the other end"));
        // Only the rows on the screen are kept.
        let rows = &list(&stage).rows;
        assert!(rows.shown(0..rows.count()).count() < 2 * usize::from(height));
    }
}

#[test]
fn the_effects_are_searched() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    for (name, path) in [("c3", "a"), ("c4", "owl"), ("c5", "owl")] {
        let args = format!(r#"{{"path":"{path}","content":"b"}}"#);
        stage.finished(name, "write_file", &args, Outcome::ok("1"));
    }
    stage.close();
    stage.draw();
    stage.press("O");
    look_for(&mut stage, "owl");
    assert_eq!(stage.status(), "1 of 2");
    assert!(row(&mut stage).contains("c5"));
    stage.press("n");
    assert_eq!(stage.status(), "2 of 2");
    assert!(row(&mut stage).contains("c4"));
}

#[test]
fn a_preview_is_searched_and_committed_only_by_its_own_key() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.two_turns();
        stage.press("1 g e");
        stage.edit_field(&"look elsewhere\n\n".repeat(60));
        stage.press("ctrl-s");
        stage.wait(ARMING);
        assert!(stage.model.stack.is_top::<Review>());
        // The editor held the node.
        assert_eq!(stage.commands().len(), 1);
        stage.press("/");
        let asked = stage.text();
        assert!(asked.contains("search on this page"), "{asked}");
        assert!(
            asked.contains("rewrite of "),
            "the preview stays visible: {asked}"
        );
        stage.type_text("elsewhere");
        stage.press("enter");
        assert_eq!(stage.commands(), [], "enter finished the line");
        assert!(stage.status().starts_with("1 of 60, row "), "{}", stage.status());
        stage.press("N");
        assert!(stage.status().starts_with("60 of 60, row "), "{}", stage.status());
        assert!(stage.text().contains("look elsewhere"));
        assert!(stage.model.stack.is_top::<Review>());
        assert_eq!(stage.commands(), []);
    }
}

#[test]
fn a_list_of_approvals_is_searched_and_nothing_is_approved() {
    let mut stage = Stage::new(80, 24);
    stage.three_wait();
    stage.press("A");
    assert!(stage.model.stack.is_top::<Bulk>());
    look_for(&mut stage, "write_file");
    assert!(stage.status().starts_with("1 of "), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn the_queue_is_searched_and_the_call_shown_in_full() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.begin();
        for (name, path) in [("c3", "a"), ("c4", "owl"), ("c5", "b"), ("c6", "owl")] {
            stage.awaiting(
                name,
                "write_file",
                &format!(r#"{{"path":"{path}","content":"b"}}"#),
            );
        }
        stage.draw();
        stage.press("2 g");
        look_for(&mut stage, "owl");
        assert_eq!(stage.status(), "1 of 2");
        assert_eq!(stage.selected(), Some(id("c4")));
        let text = stage.text();
        assert!(text.contains("┏━ c4 writes owl"), "{text}");
        stage.press("n");
        assert_eq!((stage.status(), stage.selected()), ("2 of 2", Some(id("c6"))));
        look_for(&mut stage, "lighthouse");
        assert_eq!(stage.status(), "Not found in the queue pane: `lighthouse`");
        assert_eq!(stage.selected(), Some(id("c6")));
        assert_eq!(stage.commands(), []);
    }
}

#[test]
fn an_empty_queue_leaves_the_search_to_the_graph() {
    let mut stage = Stage::new(80, 24);
    stage.two_turns();
    stage.press("2");
    look_for(&mut stage, "says old");
    assert_eq!(stage.status(), "1 of 1");
}
