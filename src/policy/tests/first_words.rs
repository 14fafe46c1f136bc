//! Tests rules about the first words of commands.
//!
//! Must not know: files on disk.

use std::path::Path;

use serde_json::{Value, json};

use super::{call, fault, with};
use crate::read_only::ReadOnlyCall;
use crate::{Danger, DangerKind, Moment, Origin, Policy, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate};

const RULE: &str = "[[rule]]\ntool = \"shell\"\nwords = [\"python3\", \"-m\", \"unittest\"]\n";

fn policy(preset: Preset, gate: &str) -> Policy {
    let text = format!("{RULE}gate = \"{gate}\"");
    with(preset, &text, Origin::User).in_workspace(Path::new("/w"))
}

/// True for commands whose places are in the workspace, as a run would find by looking.
fn reads(call: &ReadOnlyCall) -> bool {
    let is_inside = |path: &str| !path.starts_with('/') && !path.contains("..");
    let mut places = call.commands.iter().flat_map(|one| &one.places);
    call.directory.as_deref().is_none_or(is_inside) && places.all(|place| is_inside(&place.path))
}

fn gate_of(policy: &Policy, args: &Value) -> Gate {
    let subject = Subject {
        args,
        ..call("shell", EffectClass::Unknown)
    };
    let moment = Moment {
        reads: Some(&reads),
        ..Moment::default()
    };
    policy.verdict_at(&subject, &moment).gate
}

fn on(gate: &str, line: &str) -> Gate {
    let preset = if gate == "allow" {
        Preset::Guarded
    } else {
        Preset::Auto
    };
    gate_of(&policy(preset, gate), &json!({ "command": line }))
}

#[test]
fn a_line_is_allowed_if_every_command_begins_so_or_only_reads() {
    for line in [
        "python3 -m unittest",
        "python3 -m unittest discover -s tests -v",
        "python3 -m unittest a; python3 -m unittest b",
        "cd tests && python3 -m unittest",
        "python3 -m unittest 2>&1 | tail -20",
        "python3 -m unittest > /dev/null 2>&1",
        "ls tests && python3 -m unittest && git status",
        "echo begin; python3 -m unittest",
    ] {
        assert_eq!(on("allow", line), Gate::Allow, "{line}");
    }
    for line in [
        "python3 -m pytest",
        "python3 -m unittest; rm a",
        "python3 -m unittest && make",
        "PYTHONPATH=x python3 -m unittest",
        "sudo python3 -m unittest",
        "env python3 -m unittest",
        "timeout 5 python3 -m unittest",
        "/tmp/python3 -m unittest",
        "./python3 -m unittest",
        "python3 -m $MODULE",
        "cd .. && python3 -m unittest",
        "cd /etc && python3 -m unittest",
        "python3 -m unittest > report.txt",
        "python3 -m unittest >> report.txt",
        "python3 -m unittest | tee report.txt",
        "python3 -m unittest < /etc/passwd",
        "python3 -m unittest $(rm a)",
        "python3 -m unittest `rm a`",
        "python3 -m unittest <<EOF\nx\nEOF",
        "cat /etc/passwd; python3 -m unittest",
        "python3 -m unittest ../elsewhere",
        "python3 -m unittest 'unfinished",
        "eval python3 -m unittest",
        "ls",
        "",
    ] {
        assert_ne!(on("allow", line), Gate::Allow, "{line}");
    }
}

#[test]
fn other_arguments_of_the_call_may_change_what_runs() {
    let policy = policy(Preset::Guarded, "allow");
    let line = "python3 -m unittest";
    for (args, expected) in [
        (
            json!({ "command": line, "timeout_s": 5, "cwd": "tests" }),
            Gate::Allow,
        ),
        (json!({ "command": line, "cwd": "/etc" }), Gate::Ask),
        (json!({ "command": line, "env": { "PATH": "." } }), Gate::Ask),
        (json!({ "command": line, "stdin": "x" }), Gate::Ask),
        (
            json!({ "command": line, "dangerouslyDisableSandbox": true }),
            Gate::Ask,
        ),
        (
            json!({ "argv": ["python3", "-m", "unittest", "a b"] }),
            Gate::Allow,
        ),
        (json!({ "argv": ["sh", "-c", line] }), Gate::Allow),
        (
            json!({ "argv": ["sh", "-c", "python3 -m unittest; rm a"] }),
            Gate::Ask,
        ),
        (
            json!({ "argv": ["sudo", "python3", "-m", "unittest"] }),
            Gate::Ask,
        ),
    ] {
        assert_eq!(gate_of(&policy, &args), expected, "{args}");
    }
}

#[test]
fn a_mark_of_danger_asks_although_the_words_are_the_same() {
    let policy = |danger: Danger| policy(Preset::Guarded, "allow").with_danger(danger);
    let args = json!({ "command": "python3 -m unittest --erase" });
    assert_eq!(gate_of(&policy(Danger::default()), &args), Gate::Allow);
    let mut danger = Danger::default();
    danger.add(DangerKind::Deletes, vec!["python3 --erase".to_owned()]);
    assert_eq!(gate_of(&policy(danger), &args), Gate::Ask);
    let text = "[[rule]]\nwords = [\"git\", \"push\"]\ngate = \"allow\"";
    let push = with(Preset::Guarded, text, Origin::User);
    assert_eq!(
        gate_of(&push, &json!({ "command": "git push" })),
        Gate::Ask,
        "the network"
    );
}

#[test]
fn nothing_is_allowed_where_nobody_can_look() {
    let subject = Subject {
        args: &json!({ "command": "python3 -m unittest" }),
        ..call("shell", EffectClass::Unknown)
    };
    assert_eq!(policy(Preset::Guarded, "allow").verdict(&subject).gate, Gate::Ask);
    let served = Subject {
        server: Some("s"),
        ..subject
    };
    let moment = Moment {
        reads: Some(&reads),
        ..Moment::default()
    };
    assert_eq!(
        policy(Preset::Guarded, "allow").verdict_at(&served, &moment).gate,
        Gate::Ask
    );
}

#[test]
fn ask_and_deny_rules_hold_for_any_command_that_begins_so() {
    for gate in ["ask", "deny"] {
        for line in [
            "python3 -m unittest",
            "cd a; python3 -m unittest -v",
            "A=1 python3 -m unittest",
            "sudo python3 -m unittest",
            "/usr/bin/python3 -m unittest",
            "python3 -m unittest > report.txt",
            "sh -c 'python3 -m unittest'",
            "echo $(python3 -m unittest)",
        ] {
            assert_ne!(on(gate, line), Gate::Allow, "{gate} {line}");
        }
        for line in ["python3 -m pytest", "python3", "unittest", "ls"] {
            assert_eq!(on(gate, line), Gate::Allow, "{gate} {line}");
        }
        assert_ne!(on(gate, "$X -m unittest"), Gate::Allow, "what cannot be read");
    }
    let one = with(
        Preset::Auto,
        "[[rule]]\nwords = [\"python3\"]\ngate = \"deny\"",
        Origin::Workspace { trusted: false },
    );
    assert_eq!(gate_of(&one, &json!({ "command": "ls | python3" })), Gate::Deny);
}

#[test]
fn words_that_do_not_tell_what_runs_are_refused_in_an_allow_rule() {
    for (words, why) in [
        ("[\"python3\"]", "does not tell what runs"),
        ("[\"python3\", \"-c\"]", "does not tell what runs"),
        ("[\"npm\", \"run\"]", "does not tell what runs"),
        ("[\"psql\", \"x\", \"-c\"]", "does not tell what runs"),
        ("[\"make\"]", "does not tell what runs"),
        ("[]", "empty"),
        ("[\"a\", \"\"]", "an empty word"),
        ("[\"a\", \"b\\nc\"]", "a line break"),
        ("\"cargo test\"", "a list of words"),
        ("[1]", "strings"),
    ] {
        let error = fault(&format!("[[rule]]\nwords = {words}\ngate = \"allow\""));
        assert!(error.to_string().contains(why), "{words}: {error}");
    }
    let denied = "[[rule]]\nwords = [\"make\"]\ngate = \"deny\"";
    assert!(
        crate::parse::file("f", denied, Origin::User).is_ok(),
        "any number of words"
    );
}
