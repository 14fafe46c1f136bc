//! Tests of rules about the sandbox, and of calls that ask to leave it.
//!
//! Must not know: how a child is confined.

use serde_json::{Value, json};

use super::{call, fault, gate, with};
use crate::session;
use crate::{Origin, Placement, Policy, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::event::run::ToolCard;

const FULL: &str = "[[rule]]\ntool = \"shell\"\nsandbox = \"full\"\ngate = \"allow\"";
const ALL: [Placement; 4] = [
    Placement::Unconfined,
    Placement::Outside,
    Placement::Partial,
    Placement::Full,
];

fn shell(args: &Value, sandbox: Placement) -> Subject<'_> {
    Subject {
        args,
        sandbox,
        ..call("shell", EffectClass::Unknown)
    }
}

fn inside() -> Value {
    json!({"command": "cargo test"})
}

fn outside() -> Value {
    json!({"command": "cargo test", "_outside": "it needs docker"})
}

fn gates(policy: &Policy) -> [Gate; 4] {
    let (inside, outside) = (inside(), outside());
    ALL.map(|placement| {
        let args = if placement == Placement::Outside {
            &outside
        } else {
            &inside
        };
        gate(policy, &shell(args, placement))
    })
}

#[test]
fn a_rule_about_the_full_sandbox_matches_nothing_else() {
    use Gate::{Allow, Ask, Deny};
    let of = |preset, text: &str| gates(&with(preset, text, Origin::User));
    assert_eq!(of(Preset::Guarded, FULL), [Ask, Ask, Ask, Allow]);
    let denies = FULL.replace("allow", "deny");
    assert_eq!(of(Preset::Auto, &denies), [Allow, Ask, Allow, Deny]);
}

#[test]
fn a_call_that_asks_to_leave_the_sandbox_asks_under_every_preset() {
    let args = outside();
    let subject = shell(&args, Placement::Outside);
    for preset in Preset::ALL {
        let verdict = Policy::new(preset).verdict(&subject);
        let denied = preset == Preset::ReadOnly;
        assert_eq!(
            verdict.gate,
            if denied { Gate::Deny } else { Gate::Ask },
            "{preset}"
        );
        if !denied {
            assert_eq!(
                verdict.rule,
                "built in: a call that asks to leave the sandbox asks"
            );
            assert_eq!(verdict.reason, "asks to leave the sandbox: it needs docker");
            assert!(verdict.alone && verdict.operator_only);
        }
    }
}

#[test]
fn the_reason_is_shown_as_visible_text_and_cut() {
    let args = json!({"command": "ls", "_outside": format!("a\u{1b}[2J{}", "x".repeat(500))});
    let reason = Policy::new(Preset::Auto)
        .verdict(&shell(&args, Placement::Outside))
        .reason;
    assert!(!reason.contains('\u{1b}'), "{reason}");
    assert!(reason.chars().count() < 260, "{reason}");
}

#[test]
fn only_a_written_rule_for_it_lets_a_call_leave_the_sandbox() {
    use Gate::{Allow, Ask, Deny};
    let any = "[[rule]]\ntool = \"shell\"\ngate = \"allow\"";
    let leaves = "[[rule]]\ntool = \"shell\"\noutside = true\ngate = \"allow\"";
    let trusted = Origin::Workspace { trusted: true };
    for (text, origin, is) in [
        (any, Origin::User, [Allow, Ask, Allow, Allow]),
        (leaves, Origin::User, [Ask, Allow, Ask, Ask]),
        (leaves, trusted, [Ask, Allow, Ask, Ask]),
        (leaves, Origin::Workspace { trusted: false }, [Ask; 4]),
        (leaves, Origin::Session, [Ask; 4]),
    ] {
        assert_eq!(
            gates(&with(Preset::Guarded, text, origin)),
            is,
            "{text} {origin:?}"
        );
    }
    // Another rule that denies it, or asks, wins.
    for (other, is) in [("deny", Deny), ("ask", Ask)] {
        let text = format!("{leaves}\n[[rule]]\ntool = \"shell\"\ngate = \"{other}\"");
        assert_eq!(gates(&with(Preset::Auto, &text, Origin::User))[1], is, "{other}");
    }
    let denies = "[[rule]]\noutside = true\ngate = \"deny\"";
    assert_eq!(
        gates(&with(Preset::Auto, denies, Origin::Workspace { trusted: false })),
        [Allow, Deny, Allow, Allow]
    );
}

#[test]
fn a_line_that_cannot_be_read_leaves_no_sandbox_by_a_rule() {
    let text = "[[rule]]\ntool = \"shell\"\noutside = true\ngate = \"allow\"";
    let args = json!({"command": "$X a", "_outside": "why"});
    let policy = with(Preset::Guarded, text, Origin::User);
    assert_eq!(gate(&policy, &shell(&args, Placement::Outside)), Gate::Ask);
}

#[test]
fn the_session_lets_nothing_leave_the_sandbox() {
    let shell = ToolCard {
        confined: true,
        ..ToolCard::bare("shell", EffectClass::Unknown, &[])
    };
    let check = |text: &str| session::check_admissible(&session::read(text)?, [&shell]);
    let refused = check(r#"tool = "shell", outside = true, gate = "allow""#).unwrap_err();
    assert!(refused.contains("leave the sandbox"), "{refused}");
    let wide = check(r#"tool = "shell", sandbox = "full", gate = "allow""#).unwrap_err();
    assert!(wide.contains("`shell`"), "{wide}");
    check(r#"tool = "shell", outside = true, gate = "deny""#).unwrap();
    check(r#"tool = "shell", sandbox = "full", gate = "ask""#).unwrap();
}

#[test]
fn a_rule_about_the_sandbox_reaches_confined_tools_only() {
    let rule = session::read(r#"sandbox = "full", gate = "deny""#).unwrap();
    let card = |confined| ToolCard {
        confined,
        ..ToolCard::bare("shell", EffectClass::Unknown, &[])
    };
    assert!(rule.matcher.reaches(&card(true)) && !rule.matcher.reaches(&card(false)));
}

#[test]
fn mistakes_in_conditions_on_the_sandbox_are_told() {
    for (text, key) in [
        ("sandbox = \"partial\"", "sandbox"),
        ("sandbox = true", "sandbox"),
        ("outside = false", "outside"),
        ("outside = \"yes\"", "outside"),
    ] {
        let error = fault(&format!("[[rule]]\ntool = \"shell\"\n{text}\ngate = \"allow\""));
        assert!(error.key.ends_with(key), "{text}: {error:?}");
    }
    let both = fault("[[rule]]\nsandbox = \"full\"\noutside = true\ngate = \"allow\"");
    assert!(both.what.contains("remove sandbox or outside"), "{both:?}");
}
