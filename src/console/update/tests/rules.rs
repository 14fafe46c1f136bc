//! Tests session rules: previewed and counted first, accepted by a second key.

use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::rule::RuleView;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Decision, Digest, EffectClass, Outcome};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::Rev;
use overrule_domain::rule::{RuleRequest, RuleSpec};

fn digest(no: u32) -> Digest {
    Digest(format!("digest-of-c{no}-r1").into())
}

/// Three waiting writes, and one that ran.
fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.finished(
        "c3",
        "write_file",
        r#"{"path":"docs/old.md","content":"x"}"#,
        Outcome::ok("1"),
    );
    stage.awaiting("c4", "write_file", r#"{"path":"docs/a.md","content":"b"}"#);
    stage.awaiting("c5", "write_file", r#"{"path":"docs/b.md","content":"b"}"#);
    stage.awaiting("c6", "write_file", r#"{"path":"src/main.rs","content":"b"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

fn editor(stage: &mut Stage) -> &mut Editor {
    match stage.model.stack.top_mut::<Editor>() {
        Some(editor) => editor,
        other => panic!("no editor but {other:?}"),
    }
}

#[test]
fn a_new_rule_starts_from_the_call_and_shows_what_it_would_have_decided() {
    let mut stage = stage();
    stage.press("+ e");
    assert_eq!(
        editor(&mut stage).field.shown(),
        "tool = \"write_file\"\nargs = [{ at = \"/path\", under = \"docs\" }]\ngate = \"allow\""
    );
    stage.press("ctrl-s");
    let text = stage.text();
    assert!(text.contains("would have allowed 3 of the 4 calls"), "{text}");
    assert!(text.contains("1 of them ran, 0 you rejected"), "{text}");
    assert!(text.contains("c4 ") && text.contains("c5 "), "{text}");
    assert!(text.contains("under = \"docs\""), "word for word: {text}");
    let shown = match stage.model.stack.top::<RuleView>() {
        Some(view) => view.would.clone().unwrap(),
        other => panic!("no rule but {other:?}"),
    };
    assert_eq!(
        shown.seen(),
        [digest(4), digest(5)],
        "what it is not about is not listed"
    );
    stage.press("ctrl-a");
    assert_eq!(stage.commands(), [], "not on screen for long enough");
    stage.wait(ARMING);
    stage.press("enter");
    stage.press("a");
    assert_eq!(stage.commands(), [], "no key of habit accepts a rule");
    stage.press("ctrl-a");
    let sent = stage.commands();
    let rule = RuleRequest::Text {
        text: editor_text().into(),
    };
    let seen = vec![digest(4), digest(5)];
    let expected = Command::Run(RunCommand::AddRule { rule, seen });
    assert_eq!(sent, std::slice::from_ref(&expected));
    assert_eq!(stage.model.stack.len(), 2, "it stays until the run has taken it");
    stage.send(Msg::Run(Update::Taken(Box::new(expected))));
    assert!(stage.model.stack.is_empty());
}

fn editor_text() -> &'static str {
    "tool = \"write_file\"\nargs = [{ at = \"/path\", under = \"docs\" }]\ngate = \"allow\""
}

#[test]
fn an_invalid_rule_is_not_previewed() {
    let mut stage = stage();
    for (text, why) in [
        ("tool = \"launch\"\ngate = \"allow\"", "always exactly this"),
        ("tool = \"write_file\"\ngate = \"allow\"", "narrow it"),
        ("tool = \"*\"\ngate = \"allow\"", "`write_file`"),
        ("tool = \"read_file\"", "`gate`"),
    ] {
        stage.press("+ e");
        stage.edit_field(text);
        stage.press("ctrl-s");
        assert!(stage.status().contains(why), "{text}: {}", stage.status());
        assert!(stage.model.stack.is_top::<Editor>());
        stage.press("esc");
    }
    assert_eq!(stage.commands(), []);
}

#[test]
fn rule_errors_are_shown_while_typing() {
    let mut stage = stage();
    stage.press("+ e");
    stage.edit_field("tool = \"read_file\"\ngate = \"alow\"");
    stage.press("end space");
    let text = stage.text();
    assert!(
        text.contains("line 2: ") && text.contains("allow, ask or deny"),
        "{text}"
    );
}

#[test]
fn a_call_that_arrives_while_a_rule_is_shown_is_not_decided_by_the_key_for_the_others() {
    let mut stage = stage();
    stage.press("+ e ctrl-s");
    stage.wait(ARMING);
    stage.awaiting("c7", "write_file", r#"{"path":"docs/c.md","content":"b"}"#);
    stage.draw();
    stage.press("ctrl-a");
    assert_eq!(stage.commands(), [], "the list is another one now");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let sent = stage.commands();
    let seen = match sent.as_slice() {
        [Command::Run(RunCommand::AddRule { seen, .. })] => seen.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(seen, [digest(4), digest(5), digest(7)]);
}

#[test]
fn a_question_is_not_among_what_a_rule_decides() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.has_tool("ask_operator", EffectClass::Read, &["asks_operator"]);
    stage.awaiting("c3", "ask_operator", r#"{"question":"which file?"}"#);
    stage.at_the_queue();
    stage.press("+ e");
    stage.edit_field("tool = \"*\"\ngate = \"deny\"");
    stage.press("ctrl-s");
    let text = stage.text();
    assert!(text.contains("accepting it decides no waiting call"), "{text}");
}

fn with_rule(stage: &mut Stage) {
    stage.engine(Event::Run(RunEvent::RuleAdded {
        no: 1,
        rule: RuleSpec::Text {
            text: "tool = \"read_file\", gate = \"allow\"".into(),
        },
    }));
}

#[test]
fn rules_are_listed_with_what_they_did_and_removed_by_one_key() {
    let mut stage = stage();
    stage.press("B");
    assert!(
        stage.status().contains("No rules in this session"),
        "{}",
        stage.status()
    );
    with_rule(&mut stage);
    stage.call(CallEvent::Decided {
        call: id("c4"),
        rev: Rev(1),
        digest: None,
        decision: Decision::Auto {
            rule: "session rule 1: { tool = \"read_file\" }".into(),
        },
    });
    stage.press("B");
    let text = stage.text();
    assert!(text.contains("rules of the session"), "{text}");
    assert!(text.contains("allowed 1 call, denied 0"), "{text}");
    assert!(text.contains("1 allow allowed 1  { tool"), "{text}");
    stage.press("x");
    assert_eq!(stage.commands(), [Command::Run(RunCommand::DropRule { no: 1 })]);
    stage.engine(Event::Run(RunEvent::RuleDropped { no: 1 }));
    assert!(stage.text().contains("dropped"));
    stage.wait(2 * ARMING);
    stage.press("x");
    assert_eq!(stage.commands(), [], "it is removed already");
    assert!(stage.status().contains("already removed"), "{}", stage.status());
}

#[test]
fn nothing_is_ruled_in_a_recorded_run() {
    let mut stage = Stage::with(100, 30, |settings| settings.source = Source::Replay);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage.press("* + ");
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_rule_is_begun_from_a_call_and_from_nothing_else() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "look around");
    stage.draw();
    stage.press("1 g j +");
    assert!(stage.model.stack.is_empty(), "nothing is drafted from a thought");
    let output =
        "t2 is not a call, and a rule starts with one: put the cursor on one in the graph, then + again";
    assert_eq!(stage.status(), output);
    stage.awaiting("c3", "write_file", r#"{"path":"docs/a.md","content":"b"}"#);
    stage.press("1 g j +");
    assert!(stage.model.stack.is_empty());
    let way = "t goes to the next one that waits, then + again";
    assert!(stage.status().ends_with(way), "{}", stage.status());
    stage.press("t + e");
    assert_eq!(
        editor(&mut stage).field.shown(),
        "tool = \"write_file\"\nargs = [{ at = \"/path\", under = \"docs\" }]\ngate = \"allow\""
    );
}
