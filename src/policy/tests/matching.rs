//! Tests which calls a rule matches.
//!
//! Must not know: presets, except as a background.

use std::path::Path;

use serde_json::{Value, json};

use crate::{Origin, Policy, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate};

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
    // With a negated test, the careful sides are swapped.
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

/// The gate of a call with this path.
fn on_path(policy: &Policy, (tool, effect): (&'static str, EffectClass), path: &str) -> Gate {
    let args = json!({ "path": path });
    gate(
        policy,
        &Subject {
            args: &args,
            ..call(tool, effect)
        },
    )
}

#[test]
fn paths_by_their_words() {
    let text =
        "[[rule]]\ntool = \"write_file\"\nargs = [{ at = \"/path\", under = \"src/\" }]\ngate = \"allow\"";
    let policy = with(Preset::Guarded, text, Origin::User);
    let there = policy.clone().in_workspace(Path::new("/w"));
    let on = |policy: &Policy, path: &str| on_path(policy, ("write_file", EffectClass::Write), path);
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
fn a_path_via_outside_the_workspace_is_denied_and_never_allowed() {
    let under = |not: bool, gate: &str| {
        let text = format!(
            "[[rule]]\ntool = \"read_file\"\nargs = [{{ at = \"/path\", under = \"secrets\", not = {not} }}]\ngate = \"{gate}\""
        );
        let preset = if gate == "allow" {
            Preset::Supervised
        } else {
            Preset::Auto
        };
        with(preset, &text, Origin::User).in_workspace(Path::new("/w/ws"))
    };
    let on = |policy: &Policy, path: &str| on_path(policy, ("read_file", EffectClass::Read), path);
    let strange = [
        "/proc/self/cwd/secrets/k",
        "/linked/secrets/k",
        "../../x/secrets/k",
    ];
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
    // Neither side of the condition allows the call, both prevent it.
    for path in strange {
        assert_eq!(on(&under(false, "allow"), path), ASK, "{path}");
        assert_eq!(on(&under(true, "deny"), path), DENY, "{path}");
    }
}

#[test]
fn a_rule_about_the_line_is_about_a_program_with_its_words_too() {
    let deny = |glob: &str| {
        format!("tool = \"shell\"\nargs = [{{ at = \"/command\", glob = \"{glob}\" }}]\ngate = \"deny\"")
    };
    let argv = |words: &[&str]| json!({ "argv": words });
    for words in [
        &["git", "push"][..],
        &["sh", "-c", "git push"],
        &["bash", "-lc", "git push"],
        &["env", "A=1", "sh", "-ec", "git push"],
        &["git", "push", "a b"],
    ] {
        assert_eq!(
            on_args(&deny("*git push*"), "shell", &argv(words)),
            DENY,
            "{words:?}"
        );
    }
    // The line of a shell is matched as if it were alone.
    assert_eq!(
        on_args(&deny("git push"), "shell", &argv(&["sh", "-c", "git push"])),
        DENY
    );
    assert_eq!(
        on_args(
            &deny("git push"),
            "shell",
            &json!({"command": "sh -c 'git push'"})
        ),
        DENY
    );
    assert_eq!(
        on_args(&deny("git push *"), "shell", &argv(&["git", "push", "a b"])),
        DENY
    );
    assert_eq!(
        on_args(&deny("git push a b"), "shell", &argv(&["git", "push", "a b"])),
        DENY
    );
    assert_eq!(
        on_args(&deny("*git push*"), "shell", &argv(&["git", "pull"])),
        ALLOW
    );
    assert_eq!(on_args(&deny("*git push*"), "t", &argv(&["git", "push"])), ALLOW);
    let only =
        "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\", not = true }]\ngate = \"deny\"";
    assert_eq!(on_args(only, "shell", &argv(&["cargo", "test"])), ALLOW);
    assert_eq!(on_args(only, "shell", &argv(&["rm", "-r", "x"])), DENY);
    assert_eq!(on_args(only, "shell", &argv(&["sh", "-c", "rm -r x"])), DENY);
    assert_eq!(on_args(only, "shell", &json!({})), DENY);
    // A line that is not followed to its end asks, and no rule about the line allows a program.
    let deep: Vec<&str> = ["env"].into_iter().cycle().take(600).collect();
    assert_eq!(on_args(&deny("git push"), "shell", &argv(&deep)), ASK);
    let allow = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\" }]\ngate = \"allow\"";
    assert_eq!(on_args(allow, "shell", &argv(&["cargo", "test"])), ASK);
}

#[test]
fn a_negated_condition_lets_nothing_run_for_what_is_absent() {
    let allow = |test: &str| format!("tool = \"shell\"\nargs = [{{ {test}, not = true }}]\ngate = \"allow\"");
    let rm = json!({"argv": ["rm", "-rf", "."]});
    assert_eq!(
        on_args(&allow("at = \"/command\", glob = \"rm *\""), "shell", &rm),
        ASK
    );
    assert_eq!(
        on_args(&allow("at = \"/cwd\", under = \"secrets\""), "shell", &rm),
        ASK
    );
    assert_eq!(on_args(&allow("at = \"/force\", is = true"), "shell", &rm), ASK);
    assert_eq!(
        on_args(&allow("at = \"/argv\", glob = \"rm *\""), "shell", &rm),
        ASK,
        "no text"
    );
    assert_eq!(
        on_args(
            &allow("at = \"/force\", is = true"),
            "shell",
            &json!({"argv": ["rm"], "force": false})
        ),
        ALLOW
    );
    assert_eq!(
        on_args(
            &allow("at = \"/command\", glob = \"rm *\""),
            "shell",
            &json!({"command": "ls"})
        ),
        ALLOW
    );
}

#[test]
fn no_pattern_about_anything_vouches_for_a_compound_line() {
    let allow = |args: &str| format!("tool = \"shell\"\nargs = [{args}]\ngate = \"allow\"");
    let cwd = "{ at = \"/cwd\", glob = \"build\" }";
    let in_build = |line: &str| json!({"command": line, "cwd": "build"});
    assert_eq!(on_args(&allow(cwd), "shell", &in_build("make")), ALLOW);
    assert_eq!(on_args(&allow(cwd), "shell", &in_build("make; rm -r .")), ASK);
    let argv = |line: &str| json!({"argv": ["sh", "-c", line], "cwd": "build"});
    assert_eq!(on_args(&allow(cwd), "shell", &argv("make")), ALLOW);
    assert_eq!(on_args(&allow(cwd), "shell", &argv("make; rm -r .")), ASK);
    // A rule that spells out the command means it.
    for spelled in [
        "{ at = \"/command\", is = \"a | b\" }",
        "{ at = \"\", is = { command = \"a | b\", cwd = \"build\" } }",
    ] {
        let rule = allow(&format!("{cwd}, {spelled}"));
        assert_eq!(on_args(&rule, "shell", &in_build("a | b")), ALLOW, "{spelled}");
        assert_eq!(on_args(&rule, "shell", &in_build("a | c")), ASK, "{spelled}");
    }
    let rule = allow(&format!("{cwd}, {{ at = \"/argv/2\", is = \"a | b\" }}"));
    assert_eq!(on_args(&rule, "shell", &argv("a | b")), ALLOW);
    let rule = allow(&format!("{cwd}, {{ at = \"/argv/0\", is = \"sh\" }}"));
    assert_eq!(on_args(&rule, "shell", &argv("a | b")), ASK);
    let rule = allow(&format!("{cwd}, {{ at = \"/command\", is = \"x\", not = true }}"));
    assert_eq!(on_args(&rule, "shell", &in_build("a | b")), ASK);
}

#[test]
fn rules_and_marks_see_the_commands_of_calls_of_the_providers_types() {
    let deny = |tool: &str, args: &Value| {
        let rule =
            format!("tool = \"{tool}\"\nargs = [{{ at = \"/command\", glob = \"rm *\" }}]\ngate = \"deny\"");
        on_args(&rule, tool, args)
    };
    let words = |words: &[&str]| json!({"action": {"type": "exec", "command": words}});
    let lines = |lines: &[&str]| json!({"action": {"commands": lines, "timeout_ms": 1}});
    assert_eq!(deny("local_shell_call", &words(&["rm", "-rf", "x"])), DENY);
    assert_eq!(
        deny("local_shell_call", &words(&["bash", "-lc", "ls; rm -rf x"])),
        DENY
    );
    assert_eq!(deny("local_shell_call", &words(&["ls"])), ALLOW);
    assert_eq!(deny("shell_call", &lines(&["ls", "rm x"])), DENY);
    assert_eq!(
        deny("shell_call", &lines(&["ls \\", "rm x"])),
        DENY,
        "each is a line of its own"
    );
    assert_eq!(deny("shell_call", &lines(&["ls", "pwd"])), ALLOW);
    // An allow rule holds for an argument where it is written.
    let allow = "tool = \"shell_call\"\nargs = [{ at = \"/command\", glob = \"ls*\" }]\ngate = \"allow\"";
    assert_eq!(on_args(allow, "shell_call", &lines(&["ls"])), ASK);
    assert_eq!(on_args(allow, "shell_call", &lines(&["ls", "rm x"])), ASK);
    // An argument of the same name outside of the action does not run.
    let both = json!({"command": "ls", "action": {"command": ["rm", "x"]}});
    assert_eq!(deny("local_shell_call", &both), DENY);

    let danger = crate::Danger::default();
    let marks = |tool: &str, args: &Value| {
        let marks = danger.marks(tool, &args.to_string(), Path::new("/w"));
        marks.len()
    };
    assert!(
        marks("local_shell_call", &words(&["rm", "-rf", "x"])) > marks("local_shell_call", &words(&["ls"]))
    );
    assert!(marks("shell_call", &lines(&["ls", "rm -rf x"])) > marks("shell_call", &lines(&["ls"])));
    let patch = |kind: &str, path: &str| json!({"operation": {"type": kind, "path": path, "diff": ""}});
    let plain = marks("apply_patch_call", &patch("update_file", "a"));
    assert!(marks("apply_patch_call", &patch("delete_file", "a")) > plain);
    assert!(marks("apply_patch_call", &patch("update_file", "/etc/x")) > plain);
}
