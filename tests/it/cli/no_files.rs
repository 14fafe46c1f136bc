//! Tests of pipes and of endless or oversized files: refused with the path and the reason.
//!
//! Must not know: where in the program a file is opened.

#![expect(clippy::disallowed_methods, reason = "a test has a patience of its own")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::cli::playbooks::HELLO;
use crate::cli::world::World;

/// Puts what is no regular file, or one without end, at a path.
type Put = fn(&Path);

/// Things that are no usable file, and the reason that is shown.
const WRONG: [(&str, Put, &str); 3] = [
    (
        "pipe",
        |path| mkfifoat(CWD, path, Mode::RWXU).unwrap(),
        "a named pipe",
    ),
    ("zero", |path| symlink("/dev/zero", path).unwrap(), "a device"),
    (
        "large",
        // A terabyte that takes no place.
        |path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
        "larger than",
    ),
];

/// Fails unless the program refuses immediately, with this code, the path and these words, and no new session.
#[track_caller]
fn refused(world: &World, args: &[&str], code: i32, words: &[&str]) {
    let before = world.ids();
    let begun = Instant::now();
    let output = world.run(args).ends(code);
    assert!(begun.elapsed() < Duration::from_secs(20), "{args:?}");
    for word in words {
        assert!(
            output.err.contains(word),
            "{args:?}: no `{word}` in\n{}",
            output.err
        );
    }
    assert!(output.out.is_empty(), "{args:?}: {}", output.out);
    assert_eq!(world.ids(), before, "{args:?}");
}

fn run<'a>(playbook: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "run",
        "x",
        "--headless",
        "--model",
        "scripted",
        "--playbook",
        playbook,
    ];
    args.extend(more);
    args
}

#[test]
fn a_file_that_the_command_line_names() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let good = world.aside("good.toml", HELLO);
    let id = world.id();
    for (name, put, kind) in WRONG {
        let path = world.path(&format!("{name}.toml"));
        put(&path);
        let path = path.to_str().unwrap();
        let input = format!("@{path}");
        let session = path.replace(".toml", ".jsonl");
        put(Path::new(&session));
        let settings = world.aside("priors.toml", &format!("[routing]\npriors = \"{path}\"\n"));
        let cases: [(Vec<&str>, i32, &str); 9] = [
            (run(path, &[]), 3, path),
            (run(&good, &["--config", path]), 3, path),
            (run(&good, &["--policy", path]), 3, path),
            (run(&good, &["--theme", path]), 3, path),
            (run(&good, &["--config", &settings]), 3, path),
            (run(&good, &["--input", &input]), 2, path),
            (vec!["commit", &id, "--edits", path], 2, path),
            (vec!["decode", path], 2, path),
            (vec!["graph", &session], 7, &session),
        ];
        for (args, code, path) in cases {
            refused(&world, &args, code, &[kind, path]);
        }
    }
}

#[test]
fn a_file_that_is_looked_for_by_itself() {
    for (_, put, kind) in WRONG {
        for (place, code) in [
            ("ws/overrule.toml", 3),
            ("home/.config/overrule/config.toml", 3),
            ("home/.config/overrule/keys.toml", 3),
        ] {
            let world = World::new();
            let good = world.aside("good.toml", HELLO);
            let path = world.path(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            put(&path);
            refused(
                &world,
                &run(&good, &[]),
                code,
                &[kind, path.file_name().unwrap().to_str().unwrap()],
            );
            assert_eq!(world.ids(), [""; 0]);
        }
    }
}

#[test]
fn a_file_of_a_session() {
    for (_, put, kind) in WRONG.into_iter().filter(|(name, ..)| *name != "large") {
        for name in ["lock", "journal.jsonl"] {
            let world = World::new();
            world.play(HELLO, &[]).ends(0);
            let id = world.id();
            let path: PathBuf = world.sessions().join(&id).join(name);
            fs::remove_file(&path).unwrap();
            put(&path);
            // A link is refused as one, wherever it leads.
            let kind = if kind == "a device" {
                "a symbolic link"
            } else {
                kind
            };
            for verb in [&["resume", &id, "--headless"][..], &["pause", &id]] {
                refused(&world, verb, 7, &[kind, name]);
            }
            let listed = world.run(&["sessions"]).ends(0).out;
            assert_eq!(listed.contains(kind), name == "journal.jsonl", "{listed}");
        }
    }
}

#[test]
fn the_null_device_is_an_empty_file() {
    let world = World::new();
    let good = world.aside("good.toml", HELLO);
    world.run(&run(&good, &["--config", "/dev/null"])).ends(0);
    let output = world.run(&run("/dev/null", &[])).ends(3);
    assert!(output.err.contains("[meta]"), "{}", output.err);
}
