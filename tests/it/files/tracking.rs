//! Tests which changes of files are recorded, and for which call.
//!
//! Must not know: how a change is found.

use overrule::domain::event::{Event, FilesEvent};
use overrule::domain::files::FileState;

use serde_json::Value;

use super::{changed, playbook, sets};
use crate::support::world::{World, until, wait};

#[test]
fn what_a_shell_command_changed_is_recorded_exactly() {
    let world = changed();
    let sets = sets(&world);
    let [set] = sets.as_slice() else {
        panic!("one change set: {sets:?}");
    };
    assert_eq!(set.untracked, None);
    let changes = set.changes.0.iter();
    let changes: Vec<(String, bool, bool)> = changes
        .map(|one| {
            (
                one.path.text().into_owned(),
                one.before.is_there(),
                one.after.is_there(),
            )
        })
        .collect();
    let expected = [
        ("a.txt", true, true),
        ("b.txt", true, false),
        ("d.txt", false, true),
    ];
    assert_eq!(
        changes,
        expected.map(|(name, before, after)| (name.to_owned(), before, after))
    );
    let printed = world.run(&["changes", "last"]).ends(0).out;
    for line in ["-one", "+changed", "-two", "+new"] {
        assert!(printed.lines().any(|one| one == line), "{line}\n{printed}");
    }
    assert!(!printed.contains("other"), "{printed}");
}

#[test]
fn a_read_and_an_untracked_run_record_nothing() {
    let world = World::new();
    let config = world.path("home/.config/overrule");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[files]\ntrack = false\n").unwrap();
    world
        .play(&playbook(&["echo x > made.txt"]), &["--policy", "auto"])
        .ends(0);
    assert_eq!(world.read("made.txt"), "x\n");
    assert!(sets(&world).is_empty());
    assert!(!world.path("home/.local/share/overrule/files").exists());

    let world = World::new();
    world
        .play(&playbook(&["cat notes.txt"]), &["--policy", "auto"])
        .ends(0);
    assert!(sets(&world).iter().all(|set| set.changes.0.is_empty()));
}

#[test]
fn calls_that_overlap_share_what_either_may_have_changed() {
    let world = World::new();
    let first = "echo 1 > one.txt; until [ -e two.txt ]; do sleep 0.01; done";
    let second = "until [ -e one.txt ]; do sleep 0.01; done; echo 2 > two.txt";
    world
        .play(&playbook(&[first, second]), &["--policy", "auto"])
        .ends(0);
    let sets = sets(&world);
    assert_eq!(sets.len(), 2, "{sets:?}");
    let changed = sets.iter().filter(|set| !set.changes.0.is_empty());
    assert!(changed.clone().count() > 0);
    for set in changed {
        assert!(!set.shared.is_empty(), "{set:?}");
    }
}

#[test]
fn what_others_changed_between_two_calls_is_recorded_as_theirs() {
    let world = World::new();
    let book = "[meta]\nname = \"files\"\n[[rule]]\nwhen = { done = [\"b\"] }\nanswer = \"done\"\n\
                [[rule]]\nwhen = { done = [\"a\"] }\nthink = \"Again.\"\n[[rule.call]]\ntool = \"shell\"\nas = \"b\"\n\
                args = { command = 'echo b > b.txt' }\n\
                [[rule]]\nthink = \"I run it.\"\n[[rule.call]]\ntool = \"shell\"\nas = \"a\"\n\
                args = { command = 'echo a > a.txt' }\n";
    let run = world
        .playing(book, &["--policy", "supervised", "--control"])
        .spawn();
    let waiting = |command: &str| {
        let mut found = Value::Null;
        until(&format!("`{command}` waits"), || {
            let queue = (world.ids().first()).map(|id| world.run(&["queue", id, "--json"]).out);
            let queue = queue.unwrap_or_default();
            let mut calls = queue
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let is_it = |call: &Value| call.to_string().contains(command);
            found = calls.find(is_it).unwrap_or_default();
            !found.is_null()
        });
        ["call", "digest"].map(|name| found[name].as_str().unwrap().to_owned())
    };
    let approve = |[call, digest]: [String; 2]| {
        let args = ["approve", "last", &call, "--digest", &digest];
        world.run(&args).ends(0);
    };
    approve(waiting("echo a"));
    let second = waiting("echo b");
    // Nothing runs, and somebody writes a file.
    world.file("theirs.txt", "theirs\n");
    approve(second);
    wait(run.unwrap()).ends(0);
    let facts = world.facts(&world.id());
    let own = sets(&world).into_iter().flat_map(|set| set.changes.0);
    let own: Vec<String> = own.map(|one| one.path.text().into_owned()).collect();
    assert_eq!(own, ["a.txt", "b.txt"]);
    let outside = facts.iter().filter_map(|fact| match &fact.event {
        Event::Files(FilesEvent::ChangedOutside { changes }) => Some(changes),
        _ => None,
    });
    let outside: Vec<String> = outside
        .flat_map(|changes| &changes.0)
        .map(|one| one.path.text().into_owned())
        .collect();
    assert_eq!(outside, ["theirs.txt"]);
}

#[test]
fn a_file_tool_names_its_file_and_the_content_is_saved_at_any_size() {
    let world = World::new();
    let long = "x".repeat(100_000);
    world.file("long.txt", &long);
    let book = "[meta]\nname = \"files\"\n[[rule]]\nwhen = { done = [\"a\"] }\nanswer = \"done\"\n\
                [[rule]]\nthink = \"I write it.\"\n[[rule.call]]\ntool = \"write_file\"\nas = \"a\"\n\
                args = { path = \"long.txt\", content = \"short\" }\n";
    world.play(book, &["--policy", "auto"]).ends(0);
    let sets = sets(&world);
    let [set] = sets.as_slice() else {
        panic!("one change set: {sets:?}");
    };
    let [change] = set.changes.0.as_slice() else {
        panic!("one change: {set:?}");
    };
    assert!(matches!(change.before, FileState::File { size: 100_000, .. }));
    let digest = super::digest(&world, &["restore", "last", "c3"]);
    world.run(&["restore", "last", "c3", "--digest", &digest]).ends(0);
    assert_eq!(world.read("long.txt"), long);
}

#[test]
fn what_a_file_tool_writes_through_a_link_is_recorded_and_restored() {
    let world = World::new();
    world.file("AGENTS.md", "old\n");
    std::os::unix::fs::symlink("AGENTS.md", world.ws().join("CLAUDE.md")).unwrap();
    let book = "[meta]\nname = \"files\"\n[[rule]]\nwhen = { done = [\"a\"] }\nanswer = \"done\"\n\
                [[rule]]\nthink = \"I write it.\"\n[[rule.call]]\ntool = \"write_file\"\nas = \"a\"\n\
                args = { path = \"CLAUDE.md\", content = \"new\" }\n";
    world.play(book, &["--policy", "auto"]).ends(0);
    assert_eq!(world.read("AGENTS.md"), "new");
    let sets = sets(&world);
    let [set] = sets.as_slice() else {
        panic!("one change set: {sets:?}");
    };
    let changed: Vec<_> = set.changes.0.iter().map(|one| one.path.text()).collect();
    assert_eq!(changed, ["AGENTS.md"], "the link itself is as it was");
    let digest = super::digest(&world, &["restore", "last", "c3"]);
    world.run(&["restore", "last", "c3", "--digest", &digest]).ends(0);
    assert_eq!(world.read("AGENTS.md"), "old\n");
    assert!(world.ws().join("CLAUDE.md").is_symlink());
}

#[test]
fn a_deleted_file_is_deleted_by_the_patch() {
    let world = changed();
    let patch = world.run(&["changes", "last"]).ends(0).out;
    assert!(patch.contains("b.txt: deleted by c3"), "{patch}");
    assert!(patch.contains("--- a/b.txt\n+++ /dev/null\n"), "{patch}");
    assert!(patch.contains("--- /dev/null\n+++ b/d.txt\n"), "{patch}");
}
