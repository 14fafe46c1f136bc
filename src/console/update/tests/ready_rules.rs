//! Tests the ready rules of a call: what is offered, what each would have decided, and what taking one sends.

use crate::kernel::files::{KeptRule, RuleScope};
use crate::kernel::msg::{Msg, Out};
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::ready_rules::RuleMenu;
use crate::testing::{ARMING, Stage, call_id};
use overrule_domain::call::{Digest, EffectClass, Outcome};
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::id::Rev;
use overrule_domain::rule::RuleRequest;
use overrule_domain::sandbox::Guarantee;

fn digest(no: u32) -> Digest {
    Digest(format!("digest-of-c{no}-r1").into())
}

fn shell(line: &str) -> String {
    serde_json::json!({ "command": line }).to_string()
}

/// A waiting test run, one that ran before, and other lines.
fn stage() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.has_tool("shell", EffectClass::Unknown, &["external"]);
    stage.finished("c3", "shell", &shell("python3 -m unittest -v"), Outcome::ok("1"));
    stage.awaiting("c4", "shell", &shell("python3 -m unittest tests"));
    stage.awaiting("c5", "shell", &shell("rm -rf build"));
    stage.awaiting("c6", "shell", &shell("python3 -m unittest tests 2>&1 | tail -5"));
    stage.at_the_queue();
    stage
}

fn menu(stage: &Stage) -> &RuleMenu {
    stage.model.stack.top().expect("the menu is open")
}

fn added(text: &str, seen: &[u32]) -> Command {
    Command::Run(RunCommand::AddRule {
        rule: RuleRequest::Text { text: text.into() },
        seen: seen.iter().copied().map(digest).collect(),
    })
}

const WORDS: &str = "tool = \"shell\"\nwords = [\"python3\", \"-m\", \"unittest\"]\ngate = \"allow\"";

#[test]
fn two_keys_make_a_rule_from_a_call_and_run_what_was_read() {
    let mut stage = stage();
    stage.press("+");
    let text = stage.text();
    for row in [
        "c4 runs python3 -m unittest · rules made from it",
        "❯ allow python3 -m unittest …",
        "‹3 words›",
        "allows c3 c4 c6, not c5",
        "allow exactly this line",
        "ask about python3 …",
        "deny python3 -m unittest …",
        "preset auto: irreversible tools",
        "for   [this session]   this workspace   always",
        "takes effect now: c4 runs; c6 waits: not read yet",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    stage.press("enter");
    assert_eq!(stage.commands(), [], "not on screen for long enough");
    stage.wait(ARMING);
    stage.press("enter");
    let expected = added(WORDS, &[4]);
    assert_eq!(
        stage.commands(),
        std::slice::from_ref(&expected),
        "what was not read keeps waiting"
    );
    stage.press("enter");
    assert_eq!(stage.commands(), [], "sent once");
    stage.send(Msg::Run(Update::Taken(Box::new(expected))));
    assert!(stage.model.stack.is_empty());
}

#[test]
fn left_and_right_choose_the_words_and_the_counts_follow() {
    let mut stage = stage();
    stage.press("+ left");
    assert!(stage.status().contains("no wider rule"), "{}", stage.status());
    stage.press("right");
    let text = stage.text();
    assert!(text.contains("allow python3 -m unittest tests …"), "{text}");
    assert!(
        text.contains("‹4 words›") && text.contains("allows c4 c6, not c3 c5"),
        "{text}"
    );
    stage.press("right");
    assert!(stage.status().contains("no narrower rule"), "{}", stage.status());
    stage.press("left");
    assert!(stage.text().contains("‹3 words›"));
    assert_eq!(stage.commands(), []);
}

#[test]
fn no_row_allows_a_whole_shell_server_or_declared_tool() {
    for (name, args) in [
        ("shell", shell("python3 -c 'print(1)'")),
        ("shell", shell("make")),
        ("shell", shell("$X")),
        ("shell", shell("python3 -m unittest > out.txt")),
        ("shell", shell("rm -rf build")),
        ("book_flight", "{}".to_owned()),
    ] {
        let mut stage = Stage::new(100, 40);
        stage.begin();
        stage.has_tool("shell", EffectClass::Unknown, &["external"]);
        stage.has_tool("book_flight", EffectClass::Write, &[]);
        stage.awaiting("c3", name, &args);
        stage.at_the_queue();
        stage.press("+");
        for row in &menu(&stage).rows {
            let Some(rule) = row.rule() else { continue };
            let is_exact = rule.about == overrule_policy::ready_rules::About::Exactly;
            let allows = rule.gate == overrule_domain::call::Gate::Allow;
            assert!(!allows || is_exact, "{name} {args}: {rule:?}");
        }
        let text = stage.text();
        assert!(text.contains("ask about") && text.contains("deny"), "{text}");
    }
}

#[test]
fn exactly_this_is_marked_by_its_key_and_is_about_these_bytes_alone() {
    let mut stage = stage();
    stage.press("*");
    let text = stage.text();
    assert!(text.contains("❯ allow exactly this line"), "{text}");
    assert!(text.contains("takes effect now: c4 runs"), "{text}");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let rule = RuleRequest::Exact {
        call: call_id(4),
        rev: Rev(1),
        digest: digest(4),
    };
    let seen = vec![digest(4)];
    assert_eq!(
        stage.commands(),
        [Command::Run(RunCommand::AddRule { rule, seen })]
    );

    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.awaiting("c3", "launch", r#"{"to":"orbit"}"#);
    stage.at_the_queue();
    stage.press("*");
    assert!(
        stage.status().contains("c3 cannot be undone"),
        "{}",
        stage.status()
    );
    assert!(stage.model.stack.is_empty());
}

#[test]
fn a_file_tool_offers_its_directory_and_those_above() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.finished(
        "c3",
        "write_file",
        r#"{"path":"docs/a/old.md","content":"x"}"#,
        Outcome::ok("1"),
    );
    stage.awaiting("c4", "write_file", r#"{"path":"docs/a/b.md","content":"b"}"#);
    stage.awaiting("c5", "write_file", r#"{"path":"src/main.rs","content":"b"}"#);
    stage.at_the_queue();
    stage.press("+");
    let text = stage.text();
    assert!(text.contains("❯ allow write_file in docs/a/"), "{text}");
    assert!(text.contains("allows c3 c4, not c5"), "{text}");
    stage.press("left left");
    let text = stage.text();
    assert!(text.contains("allow write_file in this workspace"), "{text}");
    assert!(text.contains("allows c3 c4 c5"), "{text}");
    stage.press("left");
    assert!(stage.status().contains("no wider rule"), "{}", stage.status());
    stage.press("right");
    stage.wait(ARMING);
    stage.press("enter");
    let text = "tool = \"write_file\"\nargs = [{ at = \"/path\", under = \"docs\" }]\ngate = \"allow\"";
    assert_eq!(stage.commands(), [added(text, &[4])]);
}

#[test]
fn a_call_that_was_not_read_keeps_waiting_unless_it_is_started_with_its_own_key() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.has_tool("shell", EffectClass::Unknown, &["external"]);
    let long = format!("python3 -m unittest {}", "tests.part ".repeat(400));
    stage.awaiting("c3", "shell", &shell(&long));
    stage.at_the_queue();
    stage.press("+");
    let text = stage.text();
    assert!(
        text.contains("takes effect for the next calls; c3 waits:"),
        "{text}"
    );
    assert!(text.contains("bytes unread"), "{text}");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(stage.commands(), [added(WORDS, &[])]);

    stage.send(Msg::Run(Update::Taken(Box::new(added(WORDS, &[])))));
    stage.press("+");
    stage.wait(ARMING);
    stage.press("ctrl-a");
    let sent = stage.commands();
    assert_eq!(sent.first(), Some(&added(WORDS, &[])));
    match sent.get(1) {
        Some(Command::Call(CallCommand::Approve { call, unread, .. })) => {
            assert_eq!(*call, call_id(3));
            assert!(*unread > 4000, "recorded as unread: {unread}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn how_long_is_chosen_and_a_file_is_written_before_anything_is_sent() {
    let mut stage = stage();
    stage.model.settings.files.path = Some("/home/ann/.config/overrule/config.toml".into());
    stage.model.settings.files.workspace_path = Some("/home/ann/.config/overrule/workspaces/w-1.toml".into());
    stage.press("+ tab");
    let text = stage.text();
    assert!(
        text.contains("this session   [this workspace]   always"),
        "{text}"
    );
    assert!(
        text.contains("kept in /home/ann/.config/overrule/workspaces/w-1.toml"),
        "{text}"
    );
    stage.press("tab");
    assert!(
        stage
            .text()
            .contains("kept in /home/ann/.config/overrule/config.toml")
    );
    stage.press("tab tab");
    stage.wait(ARMING);
    stage.out.clear();
    stage.press("enter");
    let kept = KeptRule::Rule {
        text: WORDS.to_owned(),
        call: Some(call_id(4)),
    };
    let out = std::mem::take(&mut stage.out);
    assert_eq!(out, [Out::KeepRule(RuleScope::Workspace, kept)], "no command yet");
    stage.send(Msg::RuleKept(Err("the disk is full".into())));
    assert!(stage.status().contains("the disk is full"), "{}", stage.status());
    assert_eq!(stage.commands(), [], "nothing is sent that is not kept");

    stage.draw();
    stage.wait(ARMING);
    stage.press("enter");
    stage.out.clear();
    stage.send(Msg::RuleKept(Ok("w-1.toml".into())));
    assert_eq!(stage.commands(), [added(WORDS, &[4])]);
}

#[test]
fn what_changed_meanwhile_is_not_decided() {
    let mut stage = stage();
    stage.press("+");
    stage.wait(ARMING);
    stage.awaiting_revised(
        "c4",
        ("shell", &shell("python3 -m unittest other")),
        overrule_domain::node::Origin::Model,
    );
    stage.draw();
    stage.wait(ARMING);
    stage.press("enter");
    assert!(stage.status().contains("c4 has changed"), "{}", stage.status());
    assert_eq!(stage.commands(), []);
}

#[test]
fn a_call_that_ended_offers_rules_for_the_next_ones() {
    let mut stage = stage();
    stage.press("1 g");
    while !stage.text().contains("›● ") && !stage.text().contains("❯● ") {
        stage.press("j");
    }
    stage.press("+");
    let text = stage.text();
    assert!(
        text.contains("c3 runs python3 -m unittest · rules made from it"),
        "{text}"
    );
    assert!(!text.contains("exactly this line"), "it does not wait: {text}");
    assert!(text.contains("takes effect"), "{text}");
}

#[test]
fn the_text_of_a_rule_can_be_edited() {
    let mut stage = stage();
    stage.press("+ e");
    let editor: &Editor = stage.model.stack.top().expect("an editor");
    assert_eq!(editor.field.shown(), WORDS);
    stage.press("ctrl-s");
    let text = stage.text();
    assert!(text.contains("would have allowed 3 of the 4 calls"), "{text}");
}

#[test]
fn the_policy_is_changed_in_a_list_that_says_what_each_preset_would_ask() {
    let mut stage = stage();
    stage.press(": p o l i c y enter");
    let text = stage.text();
    for row in [
        "policy presets",
        "preset guarded: changes to files, commands, other machines",
        "preset edits: commands, no file edits",
        "preset reversible: what cannot be undone",
        "preset read-only: nothing, changes are denied",
        "in force: asked",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    assert!(
        text.contains("❯ preset supervised"),
        "the cursor is at the one in force: {text}"
    );
    stage.press("j j");
    stage.wait(ARMING);
    stage.press("enter");
    let sent = stage.commands();
    assert!(
        matches!(&sent[..], [Command::Run(RunCommand::SetPolicy { policy })] if policy == "edits"),
        "{sent:?}"
    );
}

#[test]
fn a_preset_that_undoes_is_offered_with_what_it_would_have_asked() {
    for (missing, row) in [
        (None, "asks 0 times, not 4"),
        (Some(Guarantee::Attributes), "asks 0 times, not 4"),
    ] {
        let mut stage = stage();
        stage.confine(Stage::profile(missing));
        stage.press("+");
        let text = stage.text();
        let is_offered = text.contains("preset reversible: what cannot be undone") && text.contains(row);
        assert_eq!(is_offered, missing.is_none(), "{missing:?}: {text}");
    }
}

#[test]
fn a_danger_is_named_in_the_row_that_allows_it() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.has_tool("shell", EffectClass::Unknown, &["external"]);
    stage.awaiting("c3", "shell", &shell("rm -rf build"));
    stage.at_the_queue();
    stage.press("+");
    let text = stage.text();
    assert!(
        text.contains("allow exactly this line") && text.contains("allows c3 deletes"),
        "{text}"
    );
}
