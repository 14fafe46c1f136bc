//! Tests of recorded sessions: listed, shown, named, checked, deleted.
//!
//! Must not know: what a session executes.

use crate::cli::damaged::PAYS;
use crate::cli::decisions::refused;
use crate::cli::playbooks::{HELLO, STEPS};
use crate::cli::world::World;

#[test]
fn an_empty_place_has_no_sessions() {
    let world = World::new();
    let text = world.run(&["sessions"]).ends(0);
    assert_eq!(text.out, "");
    assert!(text.err.contains("no sessions"), "{}", text.err);
    let text = world.run(&["sessions", "path"]).ends(0);
    assert_eq!(text.out.trim_end(), world.sessions().to_str().unwrap());
    assert!(!world.sessions().exists(), "looking makes nothing");
    for args in [
        &["resume", "--headless"][..],
        &["queue"],
        &["sessions", "show", "last"],
        &["sessions", "delete", "0"],
    ] {
        let text = refused(&world, args, 7);
        let named = text.err.contains("overrule sessions") || text.err.contains("no run was recorded in");
        assert!(named, "{}", text.err);
    }
}

#[test]
fn sessions_are_kept_where_the_data_of_programs_is() {
    let world = World::new();
    let file = world.aside("hello.toml", HELLO);
    let mut command = world.command(&[
        "run",
        "x",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "--headless",
    ]);
    command.env_remove("OVERRULE_SESSIONS");
    crate::cli::world::finish(command).ends(0);
    let place = world.path("home/.local/share/overrule/sessions");
    assert_eq!(std::fs::read_dir(place).unwrap().count(), 1);
    assert!(!world.sessions().exists());
    assert_eq!(
        std::fs::read_dir(world.ws()).unwrap().count(),
        1,
        "nothing is written into the workspace"
    );
}

#[test]
fn sessions_are_listed_and_shown_by_any_beginning_of_their_id() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    world
        .play(STEPS, &["--max-turns", "1", "--policy", "auto"])
        .ends(5);
    let ids = world.ids();
    let text = world.run(&["sessions"]).ends(0);
    let lines: Vec<&str> = text.out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].contains("finished") && lines[0].contains("scripted: hello"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].contains("open") && lines[1].contains("scripted: steps"),
        "{}",
        lines[1]
    );
    let printed = lines[1].split_whitespace().next().unwrap();
    assert!(ids[1].starts_with(printed));
    for name in [&ids[1], printed, "last"] {
        let text = world.run(&["sessions", "show", name]).ends(0);
        for message in [ids[1].as_str(), "scripted: steps", "requests   1", "paused: "] {
            assert!(text.out.contains(message), "no `{message}` in {}", text.out);
        }
    }
    let text = refused(&world, &["sessions", "show", "0"], 7);
    assert!(text.err.contains("ambiguous ("), "{}", text.err);
}

#[test]
fn a_session_with_an_answer_is_listed_as_finished_whatever_is_noted_after_it() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let last = world.facts(&id).pop().unwrap();
    let noted = matches!(last.event, overrule::domain::event::Event::Weight(_));
    assert!(noted, "weights are written down after the answer");
    let listed = |word: &str| {
        let text = world.run(&["sessions"]).ends(0);
        assert!(text.out.contains(word), "no `{word}` in {}", text.out);
        assert!(text.out.contains(" UTC "), "{}", text.out);
    };
    listed("finished");
    world.run(&["guide", "last", "once more"]).ends(0);
    listed("open");
    world.run(&["stop", "last"]).ends(0);
    listed("stopped");
}

#[test]
#[cfg(target_os = "linux")]
fn what_could_not_be_printed_is_no_success() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let mut command = world.command(&["graph", "last"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    command.stdout(full).stderr(std::process::Stdio::piped());
    let out = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(7));
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("cannot write standard output"), "{text}");
}

#[test]
fn a_session_can_be_named() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    world
        .run(&["sessions", "name", "last", "Tuesday\u{1b}[31m"])
        .ends(0);
    for args in [&["sessions"][..], &["sessions", "show", "last"]] {
        let text = world.run(args).ends(0);
        assert!(text.out.contains("Tuesday"), "{}", text.out);
        assert!(!text.out.contains('\u{1b}'), "{:?}", text.out);
    }
    refused(&world, &["sessions", "name", "last", " "], 2);
}

#[test]
fn a_session_is_deleted_only_by_its_id() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let id = world.id();
    refused(&world, &["sessions", "delete", "last"], 2);
    refused(&world, &["sessions", "delete", "ffffffff"], 7);
    let text = world.run(&["sessions", "delete", &id]).ends(0);
    assert!(text.out.contains(&id));
    assert_eq!(world.ids(), [""; 0]);
}

/// Runs the program where no file can grow, as on a full disk.
fn without_room(world: &World, args: &[&str]) -> crate::cli::world::Said {
    let inner = world.command(args);
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", r#"trap "" XFSZ; ulimit -f 0; exec "$0" "$@""#])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(inner.get_current_dir().unwrap());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    crate::cli::world::finish(command)
}

#[test]
fn without_room_on_the_disk_nothing_piles_up_and_a_session_can_be_deleted() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let id = world.id();
    let journal = world.place(&id).journal();
    let mut torn = std::fs::read(&journal).unwrap();
    torn.extend_from_slice(b"{\"half of a line");
    std::fs::write(&journal, &torn).unwrap();
    let files = || {
        let entries = std::fs::read_dir(journal.parent().unwrap()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let before = files();
    for _ in 0..3 {
        let text = without_room(&world, &["guide", &id, "more"]);
        assert!(text.err.contains("repair the session"), "{}", text.err);
    }
    assert_eq!(std::fs::read(&journal).unwrap(), torn, "nothing was cut off");
    assert_eq!(files(), before);
    without_room(&world, &["sessions", "delete", &id]).ends(0);
    assert_eq!(world.ids(), [""; 0]);
}

#[test]
fn a_check_finds_every_change() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let text = world.run(&["sessions", "verify", &id]).ends(0);
    let records = world.facts(&id).len();
    assert!(
        text.out.contains(&format!("{records} records intact")),
        "{}",
        text.out
    );
    let path = world.place(&id).journal();
    let whole = std::fs::read_to_string(&path).unwrap();
    // Another word in the middle of the record of a call.
    std::fs::write(&path, whole.replacen("echo started", "echo STARTED", 1)).unwrap();
    let text = world.run(&["sessions", "verify", &id]).ends(7);
    assert!(text.out.contains("damaged: line "), "{}", text.out);
    // An end that is cut off.
    std::fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    let text = world.run(&["sessions", "verify", &id]).ends(7);
    assert!(text.out.contains("last write is incomplete"), "{}", text.out);
    let text = world.run(&["sessions", "show", &id]).ends(0);
    assert!(text.out.contains("torn "), "{}", text.out);
}

#[test]
fn a_single_file_is_read_and_never_written() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let file = world.aside("sample.jsonl", &world.journal(&world.id()));
    assert!(
        world
            .run(&["sessions", "show", &file])
            .ends(0)
            .out
            .contains("scripted: hello")
    );
    world.run(&["sessions", "verify", &file]).ends(0);
    world.run(&["queue", &file]).ends(0);
    for args in [
        &["guide", &file, "more"][..],
        &["resume", &file, "--headless"],
        &["sessions", "delete", &file],
        &["sessions", "name", &file, "x"],
    ] {
        refused(&world, args, 7);
    }
}

#[test]
fn what_was_let_run_does_not_begin_under_a_stricter_policy() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let whole = world.journal(&id);
    let before: Vec<&str> = whole
        .lines()
        .take_while(|line| !line.contains("call.started"))
        .collect();
    // As if the program had died right before the launch.
    let killed = || {
        std::fs::write(world.place(&id).journal(), before.join("\n") + "\n").unwrap();
        world.own(&id);
        let _ = std::fs::remove_file(world.ws().join("paid.txt"));
    };
    let paid = || world.read("paid.txt") == "paid\n";
    let resumes = |more: &[&str]| {
        // The playbook continues until it has paid.
        let args = ["resume", &id, "--headless", "--max-turns", "3"];
        world.run(&[&args, more].concat());
    };
    killed();
    resumes(&["--policy", "read-only"]);
    assert!(!paid(), "the policy of the process that goes on denies it");
    killed();
    resumes(&["--policy", "supervised"]);
    assert!(!paid(), "it asks, and nobody is there");
    killed();
    world.run(&["set-policy", &id, "read-only"]).ends(0);
    resumes(&[]);
    assert!(!paid(), "the policy that was set denies it");
    killed();
    resumes(&["--policy", "auto"]);
    assert!(paid(), "and begins where nothing is stricter");
}

#[test]
fn sessions_and_weights_are_told_as_lines_of_json() {
    let world = World::new();
    assert_eq!(world.run(&["sessions", "--json"]).ends(0).out, "");
    world.play(HELLO, &[]).ends(0);
    world
        .play(STEPS, &["--max-turns", "1", "--policy", "auto"])
        .ends(5);
    let ids = world.ids();
    let text = |args: &[&str]| -> Vec<serde_json::Value> {
        let text = world.run(args).ends(0);
        let lines = text.out.lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = text(&["sessions", "--json"]);
    let named: Vec<&str> = all.iter().filter_map(|one| one["session"].as_str()).collect();
    assert_eq!(named, [&ids[0], &ids[1]], "{all:?}");
    assert_eq!(
        (&all[0]["state"], &all[1]["state"]),
        (&"finished".into(), &"open".into())
    );
    assert!(
        all[0]["problem"].is_null() && all[0]["started"].is_i64(),
        "{all:?}"
    );

    let shown = text(&["sessions", "show", &ids[1], "--json"]);
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["session"], ids[1]);
    assert_eq!(shown[0]["model"], "scripted: steps");
    let found = text(&["sessions", "verify", &ids[1], "--json"]);
    assert_eq!(
        (found.len(), &found[0]["whole"], &found[0]["records"]),
        (1, &true.into(), &shown[0]["events"])
    );
    let path = text(&["sessions", "path", "--json"]);
    assert_eq!(path[0]["path"], world.sessions().to_str().unwrap());

    let weights = text(&["weights", &ids[1], "--json"]);
    assert_eq!(weights.len(), 1, "one object, one line");
    let tool = weights[0]["weights"][0]["tool"].as_str().unwrap();
    let changes = text(&["weights", &ids[1], tool, "--json"]);
    assert!(!changes.is_empty() && changes.iter().all(|one| one["tool"] == tool));

    let gone = text(&["sessions", "delete", &ids[0], "--json"]);
    assert_eq!(gone[0]["deleted"], ids[0]);
    assert_eq!(world.ids().len(), 1);
}

/// Verbs that print something, each with a word of what it says.
#[test]
fn every_verb_prints_json_where_it_is_asked_for() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let recorded = r#"{"type":"recorded","seq":"#;
    let verbs: &[(&[&str], &str)] = &[
        (&["sessions", "name", &id, "one"], recorded),
        (&["guide", &id, "And be brief."], recorded),
        (&["branches", &id, "name", "1", "brief"], recorded),
        (&["pause", &id], recorded),
        (&["set-limits", &id, "--max-turns", "9"], recorded),
        (&["unpause", &id], recorded),
        (&["undo", &id], recorded),
        (&["sessions"], r#""name":"one""#),
        (&["sessions", "show", &id], "\"one\""),
        (&["sessions", "verify", &id], "{"),
        (&["sessions", "path"], r#""path""#),
        (&["branches", &id], r#""branch":0"#),
        (&["compare", &id, "0", "1"], r#""equal""#),
        (&["effects", &id], "{"),
        (&["weights", &id], "{"),
        (&["graph", &id], r#""nodes""#),
        (&["replay", &id], r#"{"seq":1,"#),
        (&["demo", "--list"], r#"{"name":"audit""#),
    ];
    for (verb, word) in verbs {
        let text = world.run(&[verb, &["--json"][..]].concat()).ends(0);
        assert!(
            text.out.contains(word),
            "{verb:?} does not say {word}: {}",
            text.out
        );
        for line in text.out.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value.is_object(), "{verb:?}: {line}");
        }
    }
    // Without anything to report, nothing but JSON is printed.
    for verb in ["queue", "loops"] {
        assert_eq!(world.run(&[verb, &id, "--json"]).ends(0).out, "");
    }
}

#[test]
fn without_sessions_the_newest_is_not_looked_for_in_vain() {
    let world = World::new();
    for args in [
        &["resume", "last"][..],
        &["resume"],
        &["graph", "last"],
        &["queue"],
    ] {
        let text = refused(&world, args, 7);
        assert!(text.err.contains("no run was recorded in"), "{}", text.err);
        assert!(text.err.contains("overrule run TASK"), "{}", text.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_session_opens_by_the_name_under_which_it_is_listed() {
    use std::os::unix::ffi::OsStringExt as _;

    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let journal = world.place(&world.id()).journal();
    let name = |bytes: &[u8]| std::ffi::OsString::from_vec([bytes, b".jsonl"].concat());
    for bytes in [&b"caf\xe9"[..], b"a\x1bb"] {
        std::fs::copy(&journal, world.sessions().join(name(bytes))).unwrap();
    }
    let listed = world.run(&["sessions"]).ends(0).out;
    for shown in ["caf\u{fffd}", "a⟨U+001B⟩b"] {
        assert!(listed.contains(shown), "{listed}");
        world.run(&["sessions", "show", shown]).ends(0);
    }
    let path = |name: &str| world.sessions().join(name).to_str().unwrap().to_owned();
    world
        .run(&["sessions", "show", &path("caf\u{fffd}.jsonl")])
        .ends(0);
    // Also with the bytes of its name.
    for arg in [name(b"caf\xe9").into_vec(), b"caf\xe9".to_vec()] {
        let mut command = world.command(&["sessions", "show"]);
        command.current_dir(world.sessions());
        command.arg(std::ffi::OsString::from_vec(arg));
        crate::cli::world::finish(command).ends(0);
    }
    // Of two that are listed alike neither is meant.
    std::fs::copy(&journal, world.sessions().join(name(b"caf\xe8"))).unwrap();
    for similar in ["caf\u{fffd}", &path("caf\u{fffd}.jsonl")] {
        world.run(&["sessions", "show", similar]).ends(7);
    }
}
