//! Tests that earlier names of verbs, flags and edits still work.
//!
//! Must not know: what the verbs do.

use clap::Parser as _;
use overrule::cli::args::{Args, Verb, What};

use crate::cli::decisions::call;
use crate::cli::edits::finished;
use crate::cli::world::World;

/// The verb with its arguments, as it would be printed for a programmer.
fn parsed(words: &[&str]) -> String {
    let args = Args::try_parse_from(std::iter::once(&"overrule").chain(words)).unwrap();
    match args.what {
        Some(What::Verb(Verb::Act(verb))) => format!("{verb:?}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn take_is_another_name_of_copy() {
    let world = World::new();
    let id = finished(&world);
    let observation = call(&world.state(&id), "notes").observation().to_string();
    world
        .run(&[
            "edit",
            &id,
            &observation,
            "--value",
            "\"gamma\"",
            "--resume",
            "--headless",
        ])
        .ends(0);
    let preview = |verb: &str| {
        let args = [verb, &id, &observation, "--from", "0", "--preview"];
        world.run(&args).ends(0).out
    };
    assert_eq!(preview("take"), preview("copy"));
    let commit = |kind: &str| {
        let edits = serde_json::json!([{ "type": kind, "node": observation, "from": 0 }]);
        let file = world.aside("edits.json", &edits.to_string());
        world
            .run(&["commit", &id, "--edits", &file, "--preview"])
            .ends(0)
            .out
    };
    assert_eq!(commit("take"), commit("copy"));
}

#[test]
fn flags_keep_their_earlier_names() {
    for flag in ["--abandon", "--leave"] {
        let verb = parsed(&["resolve", "last", "c5", flag]);
        assert!(
            verb.starts_with("Resolve") && verb.contains("abandon: true"),
            "{flag}"
        );
    }
    for flag in ["--withdraw", "--take-back"] {
        let verb = parsed(&["allow-loop", "last", "1", flag]);
        let is_set = verb.starts_with("AllowLoop") && verb.contains("withdraw: true");
        assert!(is_set, "{flag}");
    }
    for flag in ["--unmute", "--listen"] {
        let verb = parsed(&["mute-loops", "last", "sequence", flag]);
        let is_set = verb.starts_with("MuteLoops") && verb.contains("unmute: true");
        assert!(is_set, "{flag}");
    }
}
