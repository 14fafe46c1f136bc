//! Tests of the preset `reversible` with tools that are no shell: for files, of servers, declared commands.
//!
//! Must not know: how files are tracked.

use super::*;

#[test]
fn tools_that_are_no_commands() {
    use EffectClass::{Idempotent, Pure, Read, Unknown, Write};
    use Gate::{Allow, Ask};
    let external = || vec!["external".to_owned()];
    let path = |path: &str| json!({ "path": path, "content": "x", "old": "a", "new": "b" });
    for tracking in trackings() {
        // What they change could be restored only while files are tracked.
        let edits = if tracking == Tracking::ready() { Allow } else { Ask };
        for sandbox in [Placement::Unconfined, Placement::Partial, Placement::Full] {
            for (tool, effect, tags, server, args, gate) in [
                ("read_file", Read, vec![], None, path("a"), Allow),
                ("list_dir", Read, vec![], None, path("."), Allow),
                ("search", Read, vec![], None, path("."), Allow),
                ("write_file", Write, vec![], None, path("src/a"), edits),
                ("edit_file", Write, vec![], None, path("/w/src/a"), edits),
                ("write_file", Write, vec![], None, path("../a"), Ask),
                ("write_file", Write, vec![], None, path("/etc/a"), Ask),
                ("edit_file", Write, vec![], None, path(".vscode/a"), Ask),
                ("http_request", Read, external(), None, json!({}), Ask),
                ("http_request", Write, external(), None, json!({}), Ask),
                ("get", Read, vec![], Some("s"), json!({}), Allow),
                ("get", Read, external(), Some("s"), json!({}), Ask),
                ("put", Write, vec![], Some("s"), json!({}), Ask),
                ("put", Idempotent, vec![], Some("s"), json!({}), Ask),
                ("put", Unknown, vec![], Some("s"), json!({}), Ask),
                ("shell", Unknown, vec![], Some("s"), json!({"command": "ls"}), Ask),
                ("write_file", Write, vec![], Some("s"), path("a"), Ask),
                ("convert", Pure, vec![], None, json!({}), Allow),
                ("report", Read, vec![], None, json!({}), Allow),
                ("ask_operator", Read, vec![], None, json!({}), Ask),
                ("final_answer", Pure, vec![], None, json!({}), Allow),
            ] {
                let given = Given {
                    tracking: tracking.clone(),
                    // Only a server of its own settings is confined.
                    sandbox: if server.is_some() {
                        sandbox
                    } else {
                        Placement::Unconfined
                    },
                    effect,
                    tags,
                    server,
                    ..given()
                };
                let verdict = given.verdict(tool, &args);
                assert_eq!(verdict.gate, gate, "{tool} {effect:?} {args}: {verdict:?}");
                assert_ne!(
                    verdict.rule == UNDOABLE,
                    effect <= Read || gate == Ask,
                    "{tool} {verdict:?}"
                );
            }
        }
    }
}

#[test]
fn a_declared_command_needs_what_a_line_needs() {
    for sandbox in SANDBOXES {
        for tracking in trackings() {
            let given = Given {
                sandbox,
                tracking: tracking.clone(),
                ..given()
            };
            let holds = sandbox == Placement::Full && tracking == Tracking::ready();
            let gate = if holds { Gate::Allow } else { Gate::Ask };
            for effect in [EffectClass::Idempotent, EffectClass::Write, EffectClass::Unknown] {
                let given = Given {
                    effect,
                    sandbox,
                    tracking: tracking.clone(),
                    ..self::given()
                };
                let verdict = given.verdict("build", &json!({ "target": "all" }));
                assert_eq!(verdict.gate, gate, "{sandbox:?} {tracking:?} {effect:?}");
            }
            if holds {
                let read_only = given.read_only("build", &json!({})).unwrap();
                assert!(read_only.repositories, "its commands are not known");
            }
        }
    }
}

fn edits(not_restorable: &[&str]) -> Given {
    Given {
        tracking: ready(not_restorable),
        effect: EffectClass::Write,
        sandbox: Placement::Unconfined,
        ..given()
    }
}

fn edit(path: &str) -> Value {
    json!({ "path": path, "old": "a", "new": "b" })
}

#[test]
fn a_file_that_could_not_be_restored_is_not_edited_unasked() {
    let given = edits(&["big.bin", "data", "up/one/x"]);
    for (path, gate) in [
        ("big.bin", Gate::Ask),
        ("/w/big.bin", Gate::Ask),
        ("data/a/b", Gate::Ask),
        ("./data/a", Gate::Ask),
        ("src/../data/a", Gate::Ask),
        ("../w/data/a", Gate::Ask),
        ("up/one", Gate::Ask),
        ("up", Gate::Ask),
        ("up/one/x/y", Gate::Ask),
        ("up/two", Gate::Allow),
        ("data2", Gate::Allow),
        ("src/a", Gate::Allow),
    ] {
        let verdict = given.verdict("edit_file", &edit(path));
        assert_eq!(verdict.gate, gate, "{path}");
        if gate == Gate::Ask {
            assert_eq!(verdict.reason, format!("`{path}` cannot be restored."));
        }
    }
}

#[test]
fn a_file_is_found_by_its_links_and_by_a_name_that_is_no_text() {
    let given = edits(&["data"]);
    let args = edit("src/link/a");
    let leads = |path: &Path| match path.strip_prefix("/w/src/link") {
        Ok(rest) => Path::new("/w/data").join(rest),
        Err(_) => path.to_path_buf(),
    };
    let gate = given.with("edit_file", &args, |subject, moment| {
        let moment = Moment {
            links: Some(&leads),
            ..*moment
        };
        given.policy.verdict_of_parts(subject, &moment).gate
    });
    assert_eq!(gate, Gate::Ask);
    let mut given = given;
    given.tracking = Tracking::Ready {
        not_restorable: [FilePath::new(b"\xff".to_vec()).unwrap()].into(),
    };
    assert_eq!(given.verdict("edit_file", &edit("a")).gate, Gate::Allow);
    // This name is another one.
    assert_eq!(given.verdict("edit_file", &edit("\u{fffd}")).gate, Gate::Allow);
}

#[test]
fn no_file_is_edited_unasked_while_files_are_not_tracked() {
    let mut given = edits(&[]);
    assert_eq!(given.verdict("write_file", &edit("big.bin")).gate, Gate::Allow);
    given.tracking = Tracking::not("`[files] track` is false");
    let verdict = given.verdict("write_file", &edit("big.bin"));
    assert_eq!(
        (verdict.gate, verdict.reason.as_str()),
        (Gate::Ask, "`[files] track` is false.")
    );
    // During the first scan it waits, as commands do.
    given.tracking = Tracking::NotYet;
    assert_eq!(given.verdict("write_file", &edit("big.bin")).gate, Gate::Ask);
    let awaits = given.with("write_file", &edit("big.bin"), |subject, moment| {
        given.policy.awaits_files(subject, moment)
    });
    assert!(awaits);
}
