//! What a change of a long run would do is found out beside the keys; what is committed is what was seen.

use crate::console::model::foresight::{Change, Outlook};
use crate::console::model::overlay::{Overlay, PageContent, Review};
use crate::console::testing::{ARMING, Stage};
use crate::domain::command::{Command, EditCommand};

fn review(stage: &Stage) -> &Review {
    match stage.model.overlays.last() {
        Some(Overlay::Review(review)) => review,
        other => panic!("no preview but {other:?}"),
    }
}

/// The commits that go out.
fn commits(stage: &mut Stage) -> usize {
    let is_commit = |command: &Command| matches!(command, Command::Edit(EditCommand::Commit { .. }));
    stage.commands().iter().filter(|one| is_commit(one)).count()
}

#[test]
fn what_any_change_would_do_is_worked_out_beside_the_keys() {
    let mut stage = Stage::slow_run();
    stage.press("1 g j v");
    assert!(stage.text().contains("being worked out"), "{}", stage.text());
    assert!(stage.work() > 0);
    let text = stage.text();
    assert!(
        text.contains("superseded") && text.contains("turns become history"),
        "{text}"
    );
    let Some(Overlay::Page(page)) = stage.model.overlays.last() else {
        panic!("no page");
    };
    let PageContent::Impact(edit) = &page.content else {
        panic!("{:?}", page.content);
    };
    let at_once = Outlook::of(&stage.model.run.state, &Change::Any((**edit).clone()));
    assert_eq!(stage.model.foresight.known(), Some(&at_once));
    stage.press("esc");
    assert_eq!(stage.model.foresight.known(), None, "nobody looks at it");
}

#[test]
fn nothing_is_committed_before_it_is_known_what_it_does() {
    let mut stage = Stage::slow_preview();
    assert!(stage.text().contains("being worked out"), "{}", stage.text());
    stage.commands();
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0);
    assert!(
        stage.text().contains("still being worked out"),
        "{}",
        stage.text()
    );
    assert!(stage.work() > 0);
    assert!(stage.text().contains("superseded"), "{}", stage.text());
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0, "it has only just come on screen");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 1, "{}", stage.text());
}

#[test]
fn what_comes_while_a_preview_is_read_is_in_it_soon_and_before_it_is_committed() {
    let mut stage = Stage::slow_preview();
    stage.work();
    stage.draw();
    stage.wait(ARMING);
    stage.commands();
    let falls = |stage: &Stage| review(stage).known().unwrap().superseded.len();
    let before = falls(&stage);
    stage.one_more();
    assert_eq!(falls(&stage), before, "no frame has waited for it");
    stage.press("enter");
    assert_eq!(commits(&mut stage), 0, "what would be done is not what was seen");
    let text = stage.text();
    assert!(text.contains("does something else by now"), "{text}");
    assert!(falls(&stage) > before);
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(commits(&mut stage), 1, "{}", stage.text());
}

#[test]
fn a_preview_of_a_run_that_goes_on_is_made_again_and_not_for_each_event() {
    let mut stage = Stage::slow_preview();
    stage.work();
    stage.draw();
    let first = stage.model.foresight.at();
    stage.wait(1_000);
    stage.work();
    stage.one_more();
    stage.one_more();
    stage.draw();
    assert_eq!(stage.model.foresight.at(), first, "no frame waits for it");
    stage.work();
    stage.draw();
    let known = stage.model.foresight.at();
    assert!(known > first);
    stage.one_more();
    stage.draw();
    stage.work();
    assert_eq!(stage.model.foresight.at(), known, "it was made just now");
    let wakes = stage.model.wake_at().expect("nobody has to press a key for it");
    assert!(wakes <= stage.now + 500);
    stage.wait(wakes - stage.now);
    stage.work();
    stage.draw();
    assert_eq!(stage.model.foresight.at(), Some(stage.model.run.state.seq));
}

#[test]
fn what_was_found_out_about_another_change_is_not_taken_for_this_one() {
    let mut stage = Stage::slow_run();
    stage.press("1 g j v");
    let late = stage.slow.replace(Vec::new()).unwrap();
    let late: Vec<_> = late
        .into_iter()
        .filter_map(crate::console::work::Work::run)
        .collect();
    assert_eq!(late.len(), 1, "it was begun");
    stage.press("esc j j v");
    for finding in late {
        stage.send(crate::console::msg::Msg::Found(finding));
    }
    assert!(stage.text().contains("being worked out"), "{}", stage.text());
    stage.work();
    assert!(!stage.text().contains("being worked out"), "{}", stage.text());
}
