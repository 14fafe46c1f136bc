//! Tests what is offered without an approval: calls that ask you, a queue shown alone.

use crate::kernel::hints;
use crate::kernel::keymap::file::parse;
use crate::surfaces::editor::state::Editor;
use crate::testing::{ARMING, Stage};
use overrule_domain::call::EffectClass;

/// A selected call that asks the operator a question.
fn question(width: u16, height: u16) -> Stage {
    let mut stage = Stage::with(width, height, |settings| {
        let changes = parse("keys.toml", "answer = \"ctrl-y\"").unwrap();
        settings.keymap = crate::app::registry::keymap(&changes).unwrap();
    });
    stage.begin();
    stage.has_tool("ask_operator", EffectClass::Read, &["asks_operator"]);
    stage.awaiting("c3", "ask_operator", r#"{"question":"which file?"}"#);
    stage.at_the_queue();
    stage
}

fn labels(stage: &Stage) -> Vec<&'static str> {
    hints::hints(&stage.model)
        .into_iter()
        .map(|hint| hint.word)
        .collect()
}

#[test]
fn a_question_is_answered_and_not_approved() {
    let mut stage = question(120, 40);
    let text = stage.text();
    assert!(
        text.contains("┏━ c3 asks you") && text.contains("your answer is its result"),
        "{text}"
    );
    assert!(labels(&stage).contains(&"answer") && !labels(&stage).contains(&"approve"));
    let keys = text.lines().last().unwrap().trim().to_owned();
    assert!(
        keys.starts_with("ctrl-y answer"),
        "the answer comes first: {keys}"
    );
    for key in ["a", "ctrl-a"] {
        stage.press(key);
        assert_eq!(stage.commands(), []);
        assert_eq!(
            stage.status(),
            "Cannot approve c3: it asks you a question. ctrl-y answers it"
        );
    }
    stage.press("ctrl-y");
    assert!(stage.model.stack.is_top::<Editor>(), "{}", stage.status());
}

#[test]
fn a_queue_shown_alone_offers_the_way_to_the_call_instead_of_a_decision() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.at_the_queue();
    assert!(labels(&stage).contains(&"approve") && !labels(&stage).contains(&"look at it"));
    stage.press("z");
    stage.wait(ARMING);
    let offered = labels(&stage);
    assert!(
        !offered.contains(&"approve") && !offered.contains(&"reject"),
        "{offered:?}"
    );
    let text = stage.text();
    let keys = text.lines().last().unwrap();
    assert!(
        keys.trim_start().starts_with("3 look at it"),
        "it comes first: {keys}"
    );
    stage.press("a");
    assert_eq!(stage.commands(), [], "it would not have counted");
    stage.press("3");
    stage.wait(ARMING);
    assert!(labels(&stage).contains(&"approve"));
    stage.press("a");
    assert_eq!(stage.commands().len(), 1, "{}", stage.status());
}
