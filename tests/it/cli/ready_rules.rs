//! Tests ready rules from the shell: listed, taken, kept in a file of the operator, and in force in the next session.
//!
//! Must not know: how rules are matched.

use std::os::unix::fs::PermissionsExt as _;

use crate::cli::decisions::{call, executions, interrupted, refused};
use crate::cli::world::World;

/// Two runs of a script, and one of another.
const SCRIPTS: &str = r#"
[meta]
name = "scripts"

[[rule]]
when = { seen_call = "other" }
answer = "done"

[[rule]]
when = { seen_call = "two" }
think = "The other one."
[[rule.call]]
tool = "shell"
as = "other"
args = { command = "sh u.sh" }

[[rule]]
when = { seen_call = "one" }
think = "Again."
[[rule.call]]
tool = "shell"
as = "two"
args = { command = "ls && sh t.sh two 2>&1 | tail -1" }

[[rule]]
think = "Run it."
[[rule.call]]
tool = "shell"
as = "one"
args = { command = "sh t.sh one" }
"#;

fn world() -> World {
    let world = World::new();
    world.file("t.sh", "echo $1 >> ran.txt\n");
    world.file("u.sh", "echo other >> ran.txt\n");
    world
}

#[test]
fn a_ready_rule_is_taken_from_a_call_and_holds_in_the_next_session_of_the_workspace() {
    let world = world();
    let id = interrupted(&world, SCRIPTS, 1);
    let one = call(&world.state(&id), "one").to_string();
    let before = world.everything();
    let list = world.run(&["add-rule", &id, "--from", &one]).ends(0).out;
    assert_eq!(world.everything(), before, "a list changes nothing");
    for row in [
        " 1  allow sh t.sh …",
        " 2  allow exactly this line",
        " 3  ask about sh …",
        " 4  deny sh t.sh …",
        &format!("allows {one}"),
        "preset auto: irreversible tools",
    ] {
        assert!(list.contains(row), "{row}: {list}");
    }
    let json = world
        .run(&["add-rule", &id, "--from", &one, "--json"])
        .ends(0)
        .out;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first["label"], "allow sh t.sh …");
    assert_eq!(
        first["rule"],
        "tool = \"shell\"\nwords = [\"sh\", \"t.sh\"]\ngate = \"allow\""
    );
    refused(&world, &["add-rule", &id, "--from", &one, "--row", "99"], 2);
    refused(
        &world,
        &["add-rule", &id, "--from", &one, "--row", "1", "--words", "9"],
        2,
    );
    refused(&world, &["add-rule", &id, "--from", "c99"], 2);
    refused(&world, &["add-rule", &id], 2);

    let taken = ["add-rule", &id, "--from", &one, "--row", "1"];
    let preview = world.run(&[&taken[..], &["--preview"]].concat()).ends(0).out;
    let digest = preview
        .lines()
        .find_map(|line| line.strip_prefix("digest     "))
        .unwrap();
    let keep = ["--for", "workspace", "--digest", digest];
    world.run(&[&taken[..], &keep].concat()).ends(0).tells("kept in");
    let kept = world.path("home/.config/overrule/workspaces");
    let files: Vec<_> = kept.read_dir().unwrap().map(|one| one.unwrap().path()).collect();
    let [file] = files.as_slice() else {
        panic!("one file: {files:?}");
    };
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        file.file_name().unwrap().to_str().unwrap().starts_with("ws-"),
        "{file:?}"
    );
    // The same rule again: nothing is written twice.
    refused(&world, &[&taken[..], &keep].concat(), 4);

    world.run(&["resume", &id, "--headless", "--policy", "guarded"]);
    let state = world.state(&id);
    assert_eq!(
        world.read("ran.txt"),
        "one\ntwo\n",
        "the line that only reads besides runs, too"
    );
    assert_eq!(
        executions(&state, call(&state, "other")),
        0,
        "another script asks"
    );

    // The next session of the workspace has the rule from the file.
    world.play(SCRIPTS, &["--policy", "guarded"]);
    assert_eq!(world.read("ran.txt"), "one\ntwo\none\ntwo\n");
    let shown = world.run(&["config"]).ends(0).out;
    let name = file.file_name().unwrap().to_str().unwrap();
    let line = shown.lines().find(|line| line.contains(name)).unwrap();
    assert!(
        line.contains("words = [\"sh\", \"t.sh\"]"),
        "with its place: {line}"
    );
    let of_session = |shown: &str| shown.contains("session rule 1");
    assert!(!of_session(&shown), "the newest session has none: {shown}");
    world
        .run(&["add-rule", "last", "tool = \"read_file\", gate = \"ask\""])
        .ends(0);
    let shown = world.run(&["config"]).ends(0).out;
    assert!(of_session(&shown), "{shown}");
}

#[test]
fn a_preset_is_kept_for_the_workspace() {
    let world = world();
    let id = interrupted(&world, SCRIPTS, 1);
    let one = call(&world.state(&id), "one").to_string();
    let list = world.run(&["add-rule", &id, "--from", &one]).ends(0).out;
    let row = list.lines().find(|line| line.contains("preset auto")).unwrap();
    let number = row.split_whitespace().next().unwrap();
    world
        .run(&[
            "add-rule",
            &id,
            "--from",
            &one,
            "--row",
            number,
            "--for",
            "workspace",
        ])
        .ends(0)
        .tells("kept in");
    assert_eq!(world.state(&id).settings.policy, "auto");
    let shown = world.run(&["config"]).ends(0).out;
    let line = shown
        .lines()
        .find(|line| line.starts_with("policy.preset"))
        .unwrap();
    assert!(line.contains("auto") && line.contains("workspaces/ws-"), "{line}");
}
