//! Tests how rules of different origins interact.
//!
//! Must not know: predicates on arguments.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Moment, Origin, Policy, Preset, Rule, Subject};
use overrule_domain::call::{Consequence, EffectClass, Gate};

use super::{EFFECTS, call, gate, read, verdict_at, with};

const TOOLS: [&str; 5] = ["read_file", "write_file", "shell", "ask_operator", "final_answer"];

fn preset() -> impl Strategy<Value = Preset> {
    prop::sample::select(Preset::ALL.to_vec())
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![
        Just(Origin::User),
        Just(Origin::Session),
        Just(Origin::Workspace { trusted: true }),
        Just(Origin::Workspace { trusted: false }),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let tool = prop::sample::select(vec![
        "*",
        "*_file",
        "shell",
        "{read,write}_file",
        "final_answer",
        "ask_*",
    ]);
    let effect = prop::option::of(prop::sample::select(EFFECTS.to_vec()));
    let tag = prop::option::of(prop::sample::select(vec!["external", "irreversible"]));
    let end = prop::sample::select(vec![
        "",
        "deadline = \"1s\"\n",
        "deadline = \"9s\"\non_expiry = \"halt\"\n",
    ]);
    let gate = prop::sample::select(vec!["allow", "ask", "deny"]);
    (tool, effect, tag, end, gate, origin()).prop_map(|(tool, effect, tag, end, gate, origin)| {
        let mut text = format!("[[rule]]\ntool = \"{tool}\"\ngate = \"{gate}\"\n");
        if let Some(effect) = effect {
            writeln!(text, "effect = \"{}\"", effect.label()).unwrap();
        }
        if let Some(tag) = tag {
            writeln!(text, "tag = \"{tag}\"").unwrap();
        }
        if gate == "ask" {
            text += end;
        }
        read(&text, origin).rules.remove(0)
    })
}

fn subject() -> impl Strategy<Value = (&'static str, EffectClass, Vec<String>, bool)> {
    (
        prop::sample::select(TOOLS.to_vec()),
        prop::sample::select(EFFECTS.to_vec()),
        prop::sample::subsequence(vec!["external".to_owned(), "irreversible".to_owned()], 0..=2),
        any::<bool>(),
    )
}

fn policy(preset: Preset, rules: &[Rule]) -> Policy {
    let mut policy = Policy::new(preset);
    for rule in rules {
        policy.add(rule.clone());
    }
    policy
}

proptest! {
    #![proptest_config(overrule_testing::cases(16))]

    #[test]
    fn a_further_rule_lifts_nothing_but_a_presets_question(
        preset in preset(),
        rules in prop::collection::vec(rule(), 0..8),
        further in rule(),
        (tool, effect, tags, served) in subject(),
    ) {
        let subject = Subject { tags: &tags, server: served.then_some("s"), ..call(tool, effect) };
        let mut policy = policy(preset, &rules);
        let before = policy.verdict(&subject);
        let (kind, origin) = (further.gate, further.origin);
        policy.add(further);
        let after = policy.verdict(&subject);

        if after.gate < before.gate {
            // The one way to loosen: a person's allow rule where only the preset had asked.
            prop_assert_eq!(before.gate, Gate::Ask);
            prop_assert_eq!(after.gate, Gate::Allow);
            prop_assert_eq!(kind, Gate::Allow);
            prop_assert!(origin.may_loosen());
            prop_assert!(before.rule.starts_with("preset "), "{}", before.rule);
        }
        if before.gate == Gate::Ask && after.gate == Gate::Ask {
            prop_assert!(after.deadline_ms.unwrap_or(u64::MAX) <= before.deadline_ms.unwrap_or(u64::MAX));
        }
    }

    #[test]
    fn an_untrusted_workspace_never_loosens(
        preset in preset(),
        rules in prop::collection::vec(rule(), 0..5),
        workspace in prop::collection::vec(rule(), 0..5),
        (tool, effect, tags, served) in subject(),
    ) {
        let subject = Subject { tags: &tags, server: served.then_some("s"), ..call(tool, effect) };
        let mut policy = policy(preset, &rules);
        let before = gate(&policy, &subject);
        for mut rule in workspace {
            rule.origin = Origin::Workspace { trusted: false };
            let allows = rule.gate == Gate::Allow;
            prop_assert_eq!(policy.add(rule).is_some(), allows);
        }
        prop_assert!(gate(&policy, &subject) >= before);
    }

    #[test]
    fn the_order_of_rules_decides_nothing(
        preset in preset(),
        rules in prop::collection::vec(rule(), 0..8),
        (tool, effect, tags, served) in subject(),
    ) {
        let subject = Subject { tags: &tags, server: served.then_some("s"), ..call(tool, effect) };
        let forth = policy(preset, &rules).verdict(&subject);
        let back: Vec<Rule> = rules.into_iter().rev().collect();
        let back = policy(preset, &back).verdict(&subject);
        prop_assert_eq!(
            (forth.gate, forth.deadline_ms, forth.on_expiry),
            (back.gate, back.deadline_ms, back.on_expiry)
        );
    }

    #[test]
    fn the_gate_equals_that_of_the_first_explained_rule(
        preset in preset(),
        rules in prop::collection::vec(rule(), 0..8),
        (tool, effect, tags, served) in subject(),
    ) {
        let subject = Subject { tags: &tags, server: served.then_some("s"), ..call(tool, effect) };
        let policy = policy(preset, &rules);
        let verdict = policy.verdict(&subject);
        let explained = policy.explain(&subject);
        prop_assert_eq!(&verdict.rule, &explained[0].0.cite());
        prop_assert_eq!(verdict.gate, explained[0].1);
        prop_assert!(!verdict.reason.is_empty());
    }
}

#[test]
fn a_persons_rule_answers_for_the_preset() {
    let text = "[[rule]]\ntool = \"write_file\"\ngate = \"allow\"";
    let write = call("write_file", EffectClass::Write);
    assert_eq!(
        gate(&with(Preset::Guarded, text, Origin::User), &write),
        Gate::Allow
    );
    assert_eq!(
        gate(&with(Preset::Supervised, text, Origin::Session), &write),
        Gate::Allow
    );
    assert_eq!(
        gate(&with(Preset::ReadOnly, text, Origin::User), &write),
        Gate::Deny
    );
    assert_eq!(
        gate(
            &with(Preset::Guarded, text, Origin::Workspace { trusted: true }),
            &write
        ),
        Gate::Allow
    );
    assert_eq!(
        gate(
            &with(Preset::Guarded, text, Origin::Workspace { trusted: false }),
            &write
        ),
        Gate::Ask
    );
}

#[test]
fn an_ignored_rule_is_reported_with_its_place() {
    let rule = read(
        "\n[[rule]]\ntool = \"shell\"\ngate = \"allow\"",
        Origin::Workspace { trusted: false },
    )
    .rules
    .remove(0);
    let notice = Policy::default().add(rule).unwrap();
    assert_eq!(
        notice.0,
        "ignored: workspace rules.toml:2: { tool = \"shell\", gate = \"allow\" }: a workspace may only tighten; \
         put the rule into your own configuration file"
    );
}

#[test]
fn the_words_of_a_workspace_are_quoted_and_cut() {
    let long = "y".repeat(500);
    let text = format!("[[rule]]\ntool = \"shell\"\ngate = \"ask\"\nreason = \"press a {long}\"");
    let shell = call("shell", EffectClass::Write);
    for trusted in [false, true] {
        let verdict = with(Preset::Auto, &text, Origin::Workspace { trusted }).verdict(&shell);
        let quoted = verdict.quoted.unwrap();
        assert!(quoted.place.ends_with(":1"), "{}", quoted.place);
        let words = quoted.words.unwrap();
        assert!(
            words.starts_with("press a yyy") && words.ends_with("y…"),
            "{words}"
        );
        assert!(words.chars().count() <= 201, "{words}");
        assert_eq!(verdict.reason, format!("the workspace's rule says \"{words}\""));
    }
    let mine = with(Preset::Auto, &text, Origin::User).verdict(&shell);
    assert_eq!(mine.quoted, None);
    assert_eq!(mine.reason, format!("press a {long}"));
}

#[test]
fn each_command_of_a_line_has_a_word_of_its_own_and_lets_nothing_run() {
    let text = "[[rule]]\ntool = \"shell\"\nargs = [{ at = \"/command\", glob = \"ls*\" }]\ngate = \"allow\"\n\
                [[rule]]\ntool = \"shell\"\nargs = [{ at = \"/command\", glob = \"*rm *\" }]\ngate = \"deny\"";
    let policy = with(Preset::Guarded, text, Origin::User);
    let word = |line: &str| {
        let args = serde_json::json!({ "command": line });
        let subject = Subject {
            args: &args,
            ..call("shell", EffectClass::Unknown)
        };
        let verdict = policy.verdict_of_parts(&subject, &Moment::default());
        let parts: Vec<Gate> = verdict.parts.iter().map(|part| part.gate).collect();
        (verdict.gate, parts)
    };
    assert_eq!(word("ls -la"), (Gate::Allow, vec![]));
    assert_eq!(word("ls && ls -a"), (Gate::Ask, vec![Gate::Allow, Gate::Allow]));
    assert_eq!(
        word("ls && rm -rf x | wc"),
        (Gate::Deny, vec![Gate::Allow, Gate::Deny, Gate::Ask])
    );
}

#[test]
fn the_soonest_question_counts() {
    let text = "[[rule]]\ntool = \"*\"\ngate = \"ask\"\ndeadline = \"1m\"\n\
                [[rule]]\ntool = \"shell\"\ngate = \"ask\"\ndeadline = \"1s\"\non_expiry = \"halt\"\nreason = \"soon.\"\n\
                [[rule]]\ntool = \"shell\"\ngate = \"ask\"";
    let verdict = with(Preset::Auto, text, Origin::User).verdict(&call("shell", EffectClass::Write));
    assert_eq!(
        (verdict.deadline_ms, verdict.on_expiry),
        (Some(1000), Consequence::Halt)
    );
    assert_eq!(verdict.reason, "soon.");
}

#[test]
fn an_allow_with_an_end_counts_only_while_it_is_known_to_count() {
    let text = "[[rule]]\ntool = \"shell\"\ngate = \"allow\"\nexpires = 1970-01-01T00:00:01Z";
    let policy = with(Preset::Guarded, text, Origin::User);
    let shell = call("shell", EffectClass::Write);
    assert_eq!(verdict_at(&policy, &shell, 999).gate, Gate::Allow);
    assert_eq!(verdict_at(&policy, &shell, 1000).gate, Gate::Ask);
    assert_eq!(gate(&policy, &shell), Gate::Ask);

    let text = "[[rule]]\ntool = \"shell\"\ngate = \"allow\"\nuses = 2";
    let policy = with(Preset::Guarded, text, Origin::Session);
    let cite = policy.rules()[0].cite();
    let after = |used: u32| {
        let moment = Moment {
            used: Some(&|rule: &str| if rule == cite { used } else { 0 }),
            ..Moment::default()
        };
        policy.verdict_at(&shell, &moment).gate
    };
    assert_eq!(
        (after(0), after(1), after(2)),
        (Gate::Allow, Gate::Allow, Gate::Ask)
    );
    assert_eq!(gate(&policy, &shell), Gate::Ask);
}

#[test]
fn a_deny_with_an_end_counts_until_it_is_known_to_be_over() {
    let text = "[[rule]]\ntool = \"shell\"\ngate = \"deny\"\nexpires = 1970-01-01T00:00:01Z";
    let policy = with(Preset::Auto, text, Origin::Workspace { trusted: false });
    let shell = call("shell", EffectClass::Write);
    assert_eq!(gate(&policy, &shell), Gate::Deny);
    assert_eq!(verdict_at(&policy, &shell, 999).gate, Gate::Deny);
    assert_eq!(verdict_at(&policy, &shell, 1000).gate, Gate::Allow);
}

#[test]
fn a_line_that_only_a_shell_can_resolve_is_approved_alone() {
    let policy = Policy::new(Preset::Supervised);
    let alone = |tool: &'static str, line: &str| {
        let args = serde_json::json!({ "command": line });
        let subject = Subject {
            args: &args,
            ..call(tool, EffectClass::Unknown)
        };
        policy.verdict_of_parts(&subject, &Moment::default()).alone
    };
    for line in ["rm $(cat x)", "ls | xargs rm `cat x`", "\"$TOOL\" a", "{ rm a; }"] {
        assert!(alone("shell", line), "{line}");
    }
    for line in [
        "cargo test",
        "cp a b && git add b",
        "echo 'a b'",
        "echo a >> b",
        "ls *.rs",
    ] {
        assert!(!alone("shell", line), "{line}");
    }
    let argv = |args: Value| {
        let subject = Subject {
            args: &args,
            ..call("shell", EffectClass::Unknown)
        };
        policy.verdict_of_parts(&subject, &Moment::default())
    };
    let verdict = argv(json!({"argv": ["sh", "-c", "a; curl $X | sh"]}));
    assert!(verdict.alone && verdict.parts.len() == 3, "{verdict:?}");
    assert!(argv(json!({"argv": ["sh", "-c", "rm $(cat x)"]})).alone);
    assert!(!argv(json!({"argv": ["grep", "$(x)", "a"]})).alone);
    assert!(
        !alone("write_file", "rm $(cat x)"),
        "a text is no line of a shell"
    );
}
