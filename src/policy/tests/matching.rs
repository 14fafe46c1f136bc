//! Which calls a rule is about.
//!
//! Must not know: presets, but as a background.

use std::path::Path;

use serde_json::{Value, json};

use crate::domain::call::{EffectClass, Gate};
use crate::policy::{Origin, Preset, Subject};

use super::{call, gate, on_args, with};

const ALLOW: Gate = Gate::Allow;
const ASK: Gate = Gate::Ask;
const DENY: Gate = Gate::Deny;

#[test]
fn names_servers_classes_and_tags_hold_together() {
    let text = "[[rule]]\ntool = [\"mail_*\", \"post\"]\nserver = \"work*\"\neffect = [\"write\", \"unknown\"]\n\
                tag = \"external\"\ngate = \"deny\"";
    let policy = with(Preset::Auto, text, Origin::User);
    let tags = ["external".to_owned()];
    let hit = Subject {
        server: Some("work-mail"),
        tags: &tags,
        ..call("mail_send", EffectClass::Write)
    };
    assert_eq!(gate(&policy, &hit), DENY);
    assert_eq!(gate(&policy, &Subject { tool: "post", ..hit }), DENY);
    assert_eq!(gate(&policy, &Subject { tool: "mail", ..hit }), ALLOW);
    assert_eq!(
        gate(
            &policy,
            &Subject {
                server: Some("home"),
                ..hit
            }
        ),
        ALLOW
    );
    assert_eq!(gate(&policy, &Subject { server: None, ..hit }), ALLOW);
    assert_eq!(
        gate(
            &policy,
            &Subject {
                effect: EffectClass::Read,
                ..hit
            }
        ),
        ALLOW
    );
    assert_eq!(gate(&policy, &Subject { tags: &[], ..hit }), ALLOW);
}

#[test]
fn globs_cover_a_value_from_end_to_end() {
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\" }]\ngate = \"allow\"";
    assert_eq!(
        on_args(rule, "shell", &json!({"command": "cargo test --lib a/b"})),
        ALLOW
    );
    assert_eq!(
        on_args(rule, "shell", &json!({"command": "sudo cargo test"})),
        ASK
    );
    assert_eq!(on_args(rule, "shell", &json!({"command": ["cargo ", "x"]})), ASK);
    assert_eq!(on_args(rule, "shell", &json!({})), ASK);
}

#[test]
fn no_pattern_vouches_for_a_compound_line() {
    let glob = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\" }]\ngate = \"allow\"";
    let regex =
        "tool = \"shell\"\nargs = [{ at = \"/command\", regex = \"(?s)cargo .*\" }]\ngate = \"allow\"";
    let not =
        "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"rm *\", not = true }]\ngate = \"allow\"";
    for line in [
        "cargo test; rm -r .",
        "cargo test && rm -r .",
        "cargo test | sh",
        "cargo test &",
        "cargo test > /etc/passwd",
        "cargo $(rm -r .)",
        "cargo `rm -r .`",
        "cargo test\nrm -r .",
        "cargo test\u{85}rm -r .",
        "cargo \\\nrm",
        "cargo {a,b}",
    ] {
        for rule in [glob, regex, not] {
            assert_eq!(
                on_args(rule, "shell", &json!({ "command": line })),
                ASK,
                "{line} by {rule}"
            );
        }
    }
    let exact = "tool = \"shell\"\nargs = [{ at = \"/command\", is = \"a | b\" }]\ngate = \"allow\"";
    assert_eq!(on_args(exact, "shell", &json!({"command": "a | b"})), ALLOW);
    let deny = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"*rm *\" }]\ngate = \"deny\"";
    assert_eq!(on_args(deny, "shell", &json!({"command": "true\nrm -r ."})), DENY);
}

#[test]
fn expressions_are_narrow_for_allow_and_wide_for_deny() {
    let allow = "tool = \"t\"\nargs = [{ at = \"/x\", regex = 'a|b+' }]\ngate = \"allow\"";
    assert_eq!(on_args(allow, "t", &json!({"x": "bb"})), ALLOW);
    assert_eq!(on_args(allow, "t", &json!({"x": "abb"})), ASK);
    assert_eq!(on_args(allow, "t", &json!({"x": "a\nx"})), ASK);
    let deny = "tool = \"t\"\nargs = [{ at = \"/x\", regex = 'rm\\s+-r' }]\ngate = \"deny\"";
    assert_eq!(on_args(deny, "t", &json!({"x": "sudo rm  -r /"})), DENY);
    // Turned round, the careful sides change places.
    let allow = "tool = \"t\"\nargs = [{ at = \"/x\", regex = 'secret', not = true }]\ngate = \"allow\"";
    assert_eq!(on_args(allow, "t", &json!({"x": "my secret file"})), ASK);
    let deny = "tool = \"t\"\nargs = [{ at = \"/x\", regex = 'docs', not = true }]\ngate = \"deny\"";
    assert_eq!(on_args(deny, "t", &json!({"x": "docs2"})), DENY);
    assert_eq!(on_args(deny, "t", &json!({"x": "docs"})), ALLOW);
}

#[test]
fn values_and_ranges() {
    let rule = |test: &str| format!("tool = \"t\"\nargs = [{{ at = \"/a/b\", {test} }}]\ngate = \"deny\"");
    let with_b = |b: Value| json!({"a": {"b": b}});
    assert_eq!(on_args(&rule("is = true"), "t", &with_b(json!(true))), DENY);
    assert_eq!(on_args(&rule("is = true"), "t", &with_b(json!("true"))), ALLOW);
    assert_eq!(on_args(&rule("is = 1"), "t", &with_b(json!(1.0))), DENY);
    assert_eq!(
        on_args(&rule("is = { k = [1, 2] }"), "t", &with_b(json!({"k": [1, 2.0]}))),
        DENY
    );
    assert_eq!(
        on_args(&rule("is = { k = [1, 2] }"), "t", &with_b(json!({"k": [2, 1]}))),
        ALLOW
    );
    assert_eq!(
        on_args(&rule("min = 10, max = 20.5"), "t", &with_b(json!(10))),
        DENY
    );
    assert_eq!(
        on_args(&rule("min = 10, max = 20.5"), "t", &with_b(json!(20.6))),
        ALLOW
    );
    assert_eq!(on_args(&rule("max = 20"), "t", &with_b(json!(-1))), DENY);
    assert_eq!(on_args(&rule("max = 20"), "t", &with_b(json!("1"))), ALLOW);
}

#[test]
fn paths_by_their_words() {
    let text =
        "[[rule]]\ntool = \"write_file\"\nargs = [{ at = \"/path\", under = \"src/\" }]\ngate = \"allow\"";
    let policy = with(Preset::Guarded, text, Origin::User);
    let there = policy.clone().in_workspace(Path::new("/w"));
    let on = |policy: &crate::policy::Policy, path: &str| {
        let args = json!({ "path": path });
        gate(
            policy,
            &Subject {
                args: &args,
                ..call("write_file", EffectClass::Write)
            },
        )
    };
    for path in ["src", "src/a.rs", "./src/b/../c", "x/../src/y"] {
        assert_eq!(on(&policy, path), ALLOW, "{path}");
    }
    for path in [
        "srcs/a",
        "src/../a",
        "../src/a",
        "src/../../src/a",
        "",
        "/w/src/a",
    ] {
        assert_eq!(on(&policy, path), ASK, "{path}");
    }
    assert_eq!(on(&there, "/w/src/a"), ALLOW);
    assert_eq!(on(&there, "/w/src/../b"), ASK);
    assert_eq!(on(&there, "/w/../src/a"), ASK);
    assert_eq!(on(&there, "/ww/src/a"), ASK);
}

#[test]
fn a_negated_condition_holds_of_what_is_absent() {
    let rule = "tool = \"t\"\nargs = [{ at = \"/path\", under = \".\", not = true }]\ngate = \"deny\"";
    assert_eq!(on_args(rule, "t", &json!({"path": "/etc/passwd"})), DENY);
    assert_eq!(on_args(rule, "t", &json!({})), DENY);
    assert_eq!(on_args(rule, "t", &json!({"path": "a"})), ALLOW);
}

#[test]
fn a_path_that_comes_from_outside_is_denied_and_never_let_run() {
    let under = |not: bool, gate: &str| {
        let text = format!(
            "[[rule]]\ntool = \"read_file\"\nargs = [{{ at = \"/path\", under = \"secrets\", not = {not} }}]\ngate = \"{gate}\""
        );
        let preset = if gate == "allow" { Preset::Supervised } else { Preset::Auto };
        with(preset, &text, Origin::User).in_workspace(Path::new("/w/ws"))
    };
    let on = |policy: &crate::policy::Policy, path: &str| {
        let args = json!({ "path": path });
        gate(
            policy,
            &Subject {
                args: &args,
                ..call("read_file", EffectClass::Read)
            },
        )
    };
    let strange = ["/proc/self/cwd/secrets/k", "/linked/secrets/k", "../../x/secrets/k"];
    let (deny, ask, open) = (under(false, "deny"), under(false, "ask"), under(true, "allow"));
    for path in strange.into_iter().chain(["../ws/secrets/k", "secrets/k"]) {
        assert_eq!(on(&deny, path), DENY, "{path}");
        assert_eq!(on(&ask, path), ASK, "{path}");
        assert_eq!(on(&open, path), ASK, "{path}");
    }
    for path in ["docs/k", "../ws/docs/k", "/w/ws/docs/k", "secrets/../k"] {
        assert_eq!(on(&deny, path), ALLOW, "{path}");
        assert_eq!(on(&open, path), ALLOW, "{path}");
    }
    // Neither side of the condition lets it run, both keep it from running.
    for path in strange {
        assert_eq!(on(&under(false, "allow"), path), ASK, "{path}");
        assert_eq!(on(&under(true, "deny"), path), DENY, "{path}");
    }
}
