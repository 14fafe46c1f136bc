//! Tests of corrected error classes: what is written, and what is retried before and after.
//!
//! Must not know: how an error is classified.

use std::os::unix::fs::symlink;

use crate::cli::decisions::{call, executions};
use crate::cli::world::World;

/// Looks at a server that is not there, then reads a file that is not there.
const FAILING: &str = r#"
[meta]
name = "failing"

[[rule]]
when = { turn = 1 }
[[rule.call]]
tool = "http_request"
as = "get"
args = { method = "GET", url = "http://127.0.0.1:1/status" }
[[rule.call]]
tool = "read_file"
as = "file"
args = { path = "notes.missing" }

[[rule]]
answer = "done"
"#;

const SETTINGS: &str = "# mine, and it stays\n[resilience.retry]   # fast\nfirst = \"1ms\"\n[resilience.breaker]\nconsecutive = 0\nrate = 0\n";

/// A world with settings, and a session in which both calls failed.
fn failed() -> (World, String, String) {
    let world = World::new();
    let settings = world.aside("mine.toml", SETTINGS);
    let id = played(&world, &settings);
    (world, settings, id)
}

fn played(world: &World, settings: &str) -> String {
    world
        .play(FAILING, &["--policy", "auto", "--config", settings])
        .ends(0);
    world.ids().pop().unwrap()
}

/// How often each of the two calls was executed.
fn ran(world: &World, id: &str) -> (usize, usize) {
    let state = world.state(id);
    let of = |label| executions(&state, call(&state, label));
    (of("get"), of("file"))
}

fn classify(world: &World, settings: &str, id: &str, rest: &[&str]) -> crate::cli::world::Said {
    let mut args = vec!["classify", id];
    args.extend(rest);
    args.extend(["--config", settings]);
    world.run(&args)
}

#[test]
fn a_correction_is_kept_with_its_evidence_and_counts_from_then_on() {
    let (world, settings, id) = failed();
    assert_eq!(ran(&world, &id), (5, 1), "one is retried, the other is not");
    let state = world.state(&id);
    let get = call(&state, "get").to_string();
    let file = call(&state, "file").to_string();
    let output = classify(&world, &settings, &id, &[&get, "permanent"]).ends(0);
    for words in [
        "saved in ",
        "errors of http_request that match `",
        "are permanent: they are not retried",
        "does not change",
        "recorded as #",
    ] {
        assert!(output.out.contains(words), "no `{words}` in {}", output.out);
    }
    classify(
        &world,
        &settings,
        &id,
        &[&file, "temporary", "--pattern", "notes\\.\\w+"],
    )
    .ends(0);
    let text = std::fs::read_to_string(&settings).unwrap();
    assert!(text.starts_with(SETTINGS), "what was there stays: {text}");
    for words in [
        "[[resilience.errors.corrections]]\ntool = \"http_request\"",
        "error = \"permanent\"",
        &format!("session = \"{id}\""),
        &format!("call = \"{get}\""),
        "by = \"tester\"",
        "date = \"20",
        "tool = \"read_file\"\nmatches = \"notes\\\\.\\\\w+\"\nerror = \"temporary\"",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // In this session, and in one that begins later; nothing was run by the words alone.
    assert_eq!(ran(&world, &id), (5, 1));
    for node in [&get, &file] {
        world
            .run(&[
                "retry",
                &id,
                node,
                "--resume",
                "--headless",
                "--policy",
                "auto",
                "--config",
                &settings,
            ])
            .ends(0);
    }
    assert_eq!(ran(&world, &id), (6, 6), "one more of the one, five of the other");
    let journal = world.journal(&id);
    assert!(
        journal.contains("your correction (permanent): "),
        "what classified it is recorded"
    );
    assert_eq!(
        journal.matches("\"key\":\"errors.corrections\"").count(),
        2,
        "each change is a recorded fact"
    );
    let later = played(&world, &settings);
    assert_eq!(ran(&world, &later), (1, 5));
    let shown = world.run(&["config", "--config", &settings]).ends(0).out;
    assert!(shown.contains("errors.corrections"), "{shown}");
    // The newest correction is used.
    classify(&world, &settings, &later, &[&get, "temporary"]).ends(0);
    let last = played(&world, &settings);
    assert_eq!(ran(&world, &last), (5, 5));
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_written() {
    let (world, settings, id) = failed();
    let get = call(&world.state(&id), "get").to_string();
    let before = world.everything();
    for (args, code, words) in [
        (&[&*get, "permanent", "--pattern", "("][..], 2, "unclosed group"),
        (&[&get, "permanent", "--pattern", ".*"], 2, "matches everything"),
        (
            &[&get, "permanent", "--pattern", "unrelated"],
            2,
            "does not match the error",
        ),
        (&["c99", "permanent"], 4, "there is no call c99"),
        (&[&get, "odd"], 2, "permanent"),
    ] {
        let output = classify(&world, &settings, &id, args).ends(code);
        assert!(output.err.contains(words), "no `{words}` in {}", output.err);
    }
    assert_eq!(
        world.everything(),
        before,
        "neither the settings nor the session changed"
    );
}

#[test]
fn a_file_that_cannot_take_the_rule_stays_as_it_is() {
    let (world, _, id) = failed();
    let get = call(&world.state(&id), "get").to_string();
    let journal = world.journal(&id);
    let inline = "resilience.errors = { patterns = [] }\n";
    let taken = world.aside("inline.toml", inline);
    let output = classify(&world, &taken, &id, &[&get, "permanent"]).ends(3);
    assert!(output.err.contains("by hand"), "{}", output.err);
    assert_eq!(std::fs::read_to_string(&taken).unwrap(), inline);
    assert_eq!(
        world.journal(&id),
        journal,
        "nor does the session use what is kept nowhere"
    );
    // A link to the file stays a link.
    let aim = world.aside("aim.toml", SETTINGS);
    let link = format!("{aim}.link.toml");
    symlink(&aim, &link).unwrap();
    classify(&world, &link, &id, &[&get, "permanent"]).ends(0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&aim).unwrap().contains("corrections"));
}

#[test]
fn a_workspace_brings_no_corrections() {
    let (world, settings, id) = failed();
    let get = call(&world.state(&id), "get").to_string();
    classify(&world, &settings, &id, &[&get, "permanent"]).ends(0);
    let rule = std::fs::read_to_string(&settings).unwrap();
    world.aside("mine.toml", SETTINGS);
    world.file("overrule.toml", &rule);
    let later = played(&world, &settings);
    assert_eq!(ran(&world, &later), (5, 1));
}
