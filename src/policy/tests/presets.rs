//! Tests the gates of each preset, and what no preset changes.
//!
//! Must not know: rules of files, except where they interact with a preset.

use crate::{Origin, Policy, Preset, Subject, headless};
use overrule_domain::call::{
    Consequence,
    Gate::{self, Allow, Ask, Deny},
};

use super::{EFFECTS, call, gate, with};
use std::path::Path;

use crate::Moment;
use overrule_domain::call::EffectClass;
use serde_json::{Value, json};

#[test]
fn tables() {
    let table: [(Preset, [Gate; 5], [Gate; 5]); 6] = [
        // pure, read, idempotent, write, unknown; then the same with the tag `external`
        (
            Preset::Supervised,
            [Ask, Ask, Ask, Ask, Ask],
            [Ask, Ask, Ask, Ask, Ask],
        ),
        (
            Preset::Guarded,
            [Allow, Allow, Ask, Ask, Ask],
            [Ask, Ask, Ask, Ask, Ask],
        ),
        (
            Preset::Edits,
            [Allow, Allow, Ask, Ask, Ask],
            [Ask, Ask, Ask, Ask, Ask],
        ),
        (
            Preset::Reversible,
            [Allow, Allow, Ask, Ask, Ask],
            [Ask, Ask, Ask, Ask, Ask],
        ),
        (Preset::Auto, [Allow; 5], [Allow; 5]),
        (
            Preset::ReadOnly,
            [Allow, Allow, Deny, Deny, Deny],
            [Allow, Allow, Deny, Deny, Deny],
        ),
    ];
    let external = ["external".to_owned()];
    for (preset, plain, outside) in table {
        let policy = Policy::new(preset);
        for (i, effect) in EFFECTS.into_iter().enumerate() {
            let subject = call("t", effect);
            assert_eq!(gate(&policy, &subject), plain[i], "{preset} {effect:?}");
            let subject = Subject {
                tags: &external,
                ..subject
            };
            assert_eq!(
                gate(&policy, &subject),
                outside[i],
                "{preset} {effect:?} external"
            );
        }
    }
}

#[test]
fn what_cannot_be_undone_asks_under_every_preset_unless_a_rule_names_it() {
    let tags = ["irreversible".to_owned()];
    let launch = |effect| Subject {
        tags: &tags,
        ..call("launch", effect)
    };
    for preset in Preset::ALL {
        for effect in EFFECTS {
            let plain = gate(&Policy::new(preset), &call("launch", effect));
            let expected = if plain == Deny { Deny } else { Ask };
            assert_eq!(
                gate(&Policy::new(preset), &launch(effect)),
                expected,
                "{preset} {effect:?}"
            );
        }
    }
    let verdict = Policy::new(Preset::Auto).verdict(&launch(EFFECTS[3]));
    assert_eq!(verdict.rule, "preset auto: what cannot be undone asks");
    assert_eq!(
        verdict.reason,
        "launch is of class write and cannot be undone, which asks under auto."
    );
    for (about, lets) in [
        ("tool = \"launch\"", Allow),
        ("tool = [\"land\", \"launch\"]", Allow),
        ("tag = \"irreversible\"", Allow),
        // These may have been written without the tag in mind.
        ("tool = \"*\"", Ask),
        ("tool = \"l*\"", Ask),
        ("tool = \"launc[h]\"", Ask),
        ("effect = [\"write\", \"unknown\"]", Ask),
    ] {
        let text = format!("[[rule]]\n{about}\ngate = \"allow\"");
        for preset in [Preset::Auto, Preset::Guarded, Preset::Supervised] {
            let policy = with(preset, &text, Origin::User);
            assert_eq!(gate(&policy, &launch(EFFECTS[3])), lets, "{preset} {about}");
        }
        let policy = with(Preset::Guarded, &text, Origin::Workspace { trusted: false });
        assert_eq!(gate(&policy, &launch(EFFECTS[3])), Ask, "{about} of a workspace");
    }
}

#[test]
fn names_read_back_and_others_do_not() {
    for preset in Preset::ALL {
        assert_eq!(preset.label().parse::<Preset>(), Ok(preset));
    }
    let error = "Auto".parse::<Preset>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown policy `Auto`; use supervised, guarded, edits, reversible, auto or read-only"
    );
}

#[test]
fn a_decision_gives_rule_and_reason() {
    let verdict = Policy::default().verdict(&call("write_file", EFFECTS[3]));
    assert_eq!(verdict.rule, "preset guarded: changes ask");
    assert_eq!(
        verdict.reason,
        "write_file is of class write, which asks under guarded."
    );
    assert_eq!(
        (verdict.deadline_ms, verdict.on_expiry),
        (None, Consequence::Deny)
    );
}

#[test]
fn the_answer_always_goes_and_a_question_always_asks() {
    let deny_all = "[[rule]]\ntool = \"*\"\ngate = \"deny\"";
    for preset in Preset::ALL {
        for effect in EFFECTS {
            assert_eq!(
                gate(
                    &with(preset, deny_all, Origin::User),
                    &call("final_answer", effect)
                ),
                Allow
            );
            assert_eq!(gate(&Policy::new(preset), &call("ask_operator", effect)), Ask);
            let allow_all = with(preset, "[[rule]]\ntool = \"*\"\ngate = \"allow\"", Origin::User);
            assert_eq!(gate(&allow_all, &call("ask_operator", effect)), Ask);
        }
    }
    assert_eq!(
        gate(
            &with(Preset::Auto, deny_all, Origin::User),
            &call("ask_operator", EFFECTS[1])
        ),
        Deny
    );
}

#[test]
fn a_server_cannot_borrow_a_built_in_name() {
    let subject = Subject {
        server: Some("mail"),
        ..call("final_answer", EFFECTS[3])
    };
    assert_eq!(gate(&Policy::new(Preset::Guarded), &subject), Ask);
    assert_eq!(gate(&Policy::new(Preset::ReadOnly), &subject), Deny);
}

#[test]
fn another_preset_keeps_the_rules() {
    let policy = with(
        Preset::Guarded,
        "[[rule]]\ntool = \"shell\"\ngate = \"deny\"",
        Origin::User,
    )
    .with_preset(Preset::Auto);
    assert_eq!(policy.preset(), Preset::Auto);
    assert_eq!(gate(&policy, &call("shell", EFFECTS[3])), Deny);
    assert_eq!(gate(&policy, &call("write_file", EFFECTS[3])), Allow);
}

#[test]
fn headless_questions_end() {
    let ask = |text: &str| with(Preset::Auto, text, Origin::User).verdict(&call("shell", EFFECTS[3]));
    let plain = headless(ask("[[rule]]\ntool = \"shell\"\ngate = \"ask\""));
    assert_eq!(
        (plain.gate, plain.deadline_ms, plain.on_expiry),
        (Ask, Some(0), Consequence::Deny)
    );

    let halt = ask("[[rule]]\ntool = \"shell\"\ngate = \"ask\"\ndeadline = \"5s\"\non_expiry = \"halt\"");
    assert_eq!(headless(halt.clone()), halt);

    let louder =
        ask("[[rule]]\ntool = \"shell\"\ngate = \"ask\"\ndeadline = \"5s\"\non_expiry = \"escalate\"");
    let louder = headless(louder);
    assert_eq!(
        (louder.deadline_ms, louder.on_expiry),
        (Some(5000), Consequence::Halt)
    );

    let goes = Policy::new(Preset::Auto).verdict(&call("shell", EFFECTS[3]));
    assert_eq!(headless(goes.clone()), goes);
}

#[test]
fn a_tool_of_an_agent_is_no_built_in_one_by_its_name() {
    let deny = "[[rule]]\ntool = \"*\"\ngate = \"deny\"";
    let allow = "[[rule]]\ntool = \"*\"\ngate = \"allow\"";
    for tool in ["final_answer", "ask_operator"] {
        for effect in EFFECTS {
            let own = call(tool, effect);
            let of_agent = Subject {
                is_of_agent: true,
                ..own
            };
            let of_server = Subject {
                server: Some("s"),
                ..own
            };
            for other in [of_agent, of_server] {
                for preset in Preset::ALL {
                    let policy = Policy::new(preset);
                    let plain = gate(&policy, &call("t", effect));
                    assert_eq!(gate(&policy, &other), plain, "{preset} {tool} {effect:?}");
                }
                assert_eq!(
                    gate(&with(Preset::Auto, deny, Origin::User), &other),
                    Deny,
                    "{tool}"
                );
                assert_eq!(
                    gate(&with(Preset::Guarded, allow, Origin::User), &other),
                    Allow,
                    "{tool}"
                );
            }
            let expected = if tool == "final_answer" { Allow } else { Ask };
            assert_eq!(
                gate(&with(Preset::Guarded, allow, Origin::User), &own),
                expected,
                "{tool}"
            );
        }
    }
}

#[test]
fn edits_allows_changes_of_files_in_the_workspace_alone() {
    let policy = Policy::new(Preset::Edits).in_workspace(Path::new("/w/ws"));
    let links = |path: &Path| match path.strip_prefix("/w/ws/out") {
        Ok(rest) => Path::new("/etc").join(rest),
        Err(_) => path.to_path_buf(),
    };
    let gate = |tool: &str, is_of_agent: bool, args: &Value| {
        let subject = Subject {
            tool,
            effect: EffectClass::Write,
            tags: &[],
            args,
            server: None,
            is_of_agent,
            sandbox: crate::Placement::default(),
        };
        let moment = Moment {
            links: Some(&links),
            ..Moment::default()
        };
        policy.verdict_at(&subject, &moment).gate
    };
    let patch = |lines: &str| json!({ "input": format!("*** Begin Patch\n{lines}\n*** End Patch\n") });
    for (tool, is_of_agent, args) in [
        ("write_file", false, json!({"path": "a.rs", "content": "x"})),
        (
            "edit_file",
            false,
            json!({"path": "src/a.rs", "old": "x", "new": "y"}),
        ),
        (
            "edit_file",
            false,
            json!({"path": "/w/ws/src/a.rs", "old": "x", "new": "y"}),
        ),
        (
            "Edit",
            true,
            json!({"file_path": "/w/ws/a", "old_string": "x", "new_string": "y"}),
        ),
        ("Write", true, json!({"file_path": "/w/ws/a", "content": "y"})),
        (
            "apply_patch",
            true,
            patch("*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z"),
        ),
    ] {
        assert_eq!(gate(tool, is_of_agent, &args), Allow, "{tool} {args}");
    }
    for (tool, is_of_agent, args) in [
        ("write_file", false, json!({"path": "../a", "content": "x"})),
        (
            "write_file",
            false,
            json!({"path": "/etc/passwd", "content": "x"}),
        ),
        ("write_file", false, json!({"path": "out/passwd", "content": "x"})),
        ("write_file", false, json!({"content": "x"})),
        // Places that another program runs.
        (
            "Write",
            true,
            json!({"file_path": "/w/ws/.git/hooks/pre-commit", "content": "x"}),
        ),
        (
            "Write",
            true,
            json!({"file_path": "/w/ws/.claude/settings.json", "content": "x"}),
        ),
        ("Edit", true, json!({"file_path": "/w/ws/a", "path": "/etc/b"})),
        ("apply_patch", true, patch("*** Update File: /etc/a\n@@\n-x\n+y")),
        ("apply_patch", true, patch("*** Delete File: a")),
        (
            "apply_patch",
            true,
            patch("*** Update File: a\n*** Move to: ../b"),
        ),
        ("apply_patch", true, json!({"input": "what is this"})),
        ("Edit", false, json!({"file_path": "a"})),
        ("shell", false, json!({"command": "touch a"})),
        ("Bash", true, json!({"command": "touch a"})),
        ("send_mail", false, json!({"path": "a"})),
    ] {
        assert_eq!(gate(tool, is_of_agent, &args), Ask, "{tool} {args}");
    }
    let served = Subject {
        server: Some("files"),
        args: &json!({"path": "a", "content": "x"}),
        ..call("write_file", EffectClass::Write)
    };
    assert_eq!(
        policy.verdict(&served).gate,
        Ask,
        "a server's tool may do anything"
    );
}
