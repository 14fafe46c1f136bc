//! Tests of `last`, and of sessions whose directory was moved.
//!
//! Must not know: how sessions are stored.

use crate::cli::playbooks::{HELLO, STEPS};
use crate::support::world::{Said, World, finish};

/// The program in a directory.
fn within(world: &World, dir: &str, args: &[&str]) -> Said {
    let dir = world.path(dir);
    std::fs::create_dir_all(&dir).unwrap();
    let mut command = world.command(args);
    command.current_dir(dir);
    finish(command)
}

/// A run that stops at its limit: it would write more.
fn open_session() -> World {
    let world = World::new();
    world
        .play(STEPS, &["--max-turns", "1", "--policy", "auto"])
        .ends(5);
    world
}

const RESUME: [&str; 7] = [
    "resume",
    "last",
    "--headless",
    "--policy",
    "auto",
    "--max-turns",
    "9",
];

#[test]
fn the_session_of_another_directory_is_named_and_nothing_is_done() {
    let world = open_session();
    let id = world.id();
    std::fs::create_dir(world.path("other")).unwrap();
    let before = world.everything();
    for args in [
        &RESUME[..],
        &["resume", "--headless"],
        &["graph", "last"],
        &["queue", "last"],
        &["replay", "last"],
        &["sessions", "show", "last"],
        &["guide", "last", "continue"],
        &["stop", "last"],
        &["fork", "last"],
    ] {
        let text = within(&world, "other", args).ends(7).tells(&id).tells("/ws");
        assert_eq!(text.out, "", "{args:?}");
        assert!(world.everything() == before, "{args:?} wrote something");
    }
    // With its id it is found from anywhere.
    within(&world, "other", &["sessions", "show", &id]).ends(0);
    // A session of its own comes first, though another one is newer.
    let file = world.aside("hello.toml", HELLO);
    let hello = [
        "run",
        "x",
        "--headless",
        "--model",
        "scripted",
        "--playbook",
        &file,
    ];
    within(&world, "other", &hello).ends(0);
    let own = world.ids().into_iter().find(|one| *one != id).unwrap();
    world.play(HELLO, &[]).ends(0);
    let shown = within(&world, "other", &["sessions", "show", "last"]).ends(0);
    assert!(shown.out.contains(&own), "{}", shown.out);
}

#[test]
fn a_session_without_a_record_is_passed_over_and_named() {
    let world = open_session();
    let id = world.id();
    for (empty, text) in [
        ("0fffffff-0000-7000-8000-000000000000", ""),
        ("0ffffffe-0000-7000-8000-000000000000", "\0\0\0\n"),
    ] {
        let dir = world.sessions().join(empty);
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("journal.jsonl"), text).unwrap();
    }
    let passed = "skipped session 0fffffff-0000-7000-8000-000000000000";
    let graph = world
        .run(&["graph", "last"])
        .ends(0)
        .tells(passed)
        .tells("0ffffffe");
    assert!(graph.out.contains("read_file"), "{}", graph.out);
    world.run(&RESUME).ends(0).tells(passed);
    assert!(!world.read("log.txt").is_empty());
    let newest = world.run(&["sessions", "path", "last"]).ends(0);
    assert_eq!(
        newest.out.trim_end(),
        world.place(&id).journal().to_str().unwrap()
    );
}

#[test]
fn a_run_continues_where_its_directory_was_moved_to() {
    let world = open_session();
    let id = world.id();
    std::fs::rename(world.ws(), world.path("moved")).unwrap();
    // Without the directory it is refused with what to do.
    within(&world, "moved", &["resume", &id, "--headless"])
        .ends(7)
        .tells("--workspace DIR");
    within(&world, "moved", &RESUME).ends(7).tells(&id);
    let moved = world.path("moved");
    let named = [&RESUME[..], &["--workspace", moved.to_str().unwrap()]].concat();
    let text = within(&world, "moved", &named).ends(0);
    assert!(text.err.contains("until now it was in"), "{}", text.err);
    assert!(!std::fs::read_to_string(moved.join("log.txt")).unwrap().is_empty());
    assert!(!world.ws().exists(), "nothing is written at the old place");
    let started = world.state(&id).started.unwrap();
    assert_eq!(started.workspace, moved.to_str().unwrap(), "it is recorded");
    // From here on it is a session of the new directory.
    within(&world, "moved", &["graph", "last"]).ends(0);
    std::fs::create_dir(world.ws()).unwrap();
    within(&world, "ws", &["graph", "last"]).ends(7).tells(&id);
    let list = within(&world, "ws", &["sessions", "--json"]).ends(0);
    assert!(list.out.contains(moved.to_str().unwrap()), "{}", list.out);
}

#[test]
fn what_was_approved_for_the_old_place_asks_again_at_the_new_one() {
    let world = World::new();
    let id = crate::cli::decisions::waiting(&world);
    let call = crate::cli::decisions::call(&world.state(&id), "start");
    let digest = crate::cli::decisions::digest(&world, &id, call);
    world
        .run(&["approve", &id, &call.to_string(), "--digest", &digest])
        .ends(0);
    std::fs::rename(world.ws(), world.path("moved")).unwrap();
    let moved = world.path("moved");
    let args = [
        "resume",
        &id,
        "--headless",
        "--workspace",
        moved.to_str().unwrap(),
    ];
    within(&world, "moved", &args).tells("ask again");
    assert!(
        !moved.join("log.txt").exists(),
        "the approval was for another directory"
    );
}
