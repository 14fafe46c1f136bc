//! Tests that a recorded exchange repeats a run without its server, and answers nothing else.
//!
//! Must not know: how a recording is written.

use overrule::cli::request_text;
use overrule::console::run::link::Update;
use overrule::domain::id::TurnId;
use overrule::domain::state::State;
use overrule::journal::Place;
use serde_json::json;

use crate::wire::asking;
use crate::wire::course::{answer, first, flags, second};
use crate::wire::formats::FORMATS;
use crate::wire::server::{Reply, Server, answer_in_words, calls};
use crate::wire::world::{Said, World, finish};

const KEY: &str = "sk-canary-0987654321";

fn replies() -> Vec<Reply> {
    vec![
        // A refusal of the form and an overload are parts of the exchange.
        Reply::Status(
            400,
            "",
            "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\"}}",
        ),
        Reply::Status(
            503,
            "retry-after-ms: 1\r\n",
            "{\"error\":{\"message\":\"busy sk-canary-0987654321\"}}",
        ),
        calls(
            "I look.",
            &[("call_a", "read_file", json!({"path": "notes.txt"}))],
        ),
        answer_in_words("All is done — żółć 🦀."),
    ]
}

/// Records a run in a file next to the workspace.
fn record(world: &World, server: &Server) -> String {
    let file = world.path("run.jsonl").to_str().unwrap().to_owned();
    let mut command = asking(world, server, &["--policy", "auto", "--record", &file]);
    command
        .env("OPENAI_BASE_URL", &server.base)
        .env("OPENAI_API_KEY", KEY);
    finish(command).ends(0);
    file
}

fn again(world: &World, file: &str, task: &str) -> Said {
    let args = [
        "run",
        "--headless",
        "--policy",
        "auto",
        "--model",
        "recorded",
        "--from",
        file,
        task,
    ];
    world.run(&args)
}

#[test]
fn a_run_is_repeated_from_its_recording_without_a_server() {
    let (world, server) = (World::new(), Server::new(replies()));
    let file = record(&world, &server);
    assert_eq!(server.seen().len(), 4);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("canary") && !text.to_lowercase().contains("authorization"),
        "{text}"
    );
    let first = world.id();
    let output = again(&world, &file, "the task").ends(0);
    assert_eq!(output.out, "All is done — żółć 🦀.\n");
    assert_eq!(server.seen().len(), 4, "no server was asked");
    let ids = world.ids();
    let (one, other) = (
        world.state(&first),
        world.state(ids.iter().find(|id| **id != first).unwrap()),
    );
    assert_eq!(one.tally.requests, other.tally.requests);
    assert_eq!(one.tally.usage, other.tally.usage);
    assert_eq!(one.learned.quirks, other.learned.quirks);
    let started = |state: &overrule::domain::state::State| state.started.clone().unwrap();
    assert_eq!(started(&one).model, started(&other).model);
}

#[test]
fn a_recording_repeats_a_run_in_every_format() {
    for format in FORMATS {
        let world = World::new();
        let server = Server::new(vec![
            format.message(&first()),
            format.message(&second()),
            answer(format, "All is done."),
        ]);
        let file = world.path("run.jsonl").to_str().unwrap().to_owned();
        let args = flags(format, &["--policy", "auto", "--record", &file]);
        finish(asking(&world, &server, &args)).ends(0);
        let first = world.id();
        // Results that differ would be another request.
        std::fs::remove_file(world.ws().join("log.txt")).unwrap();
        std::fs::remove_file(world.ws().join("copy.txt")).unwrap();
        let output = again(&world, &file, "the task").ends(0);
        assert_eq!(output.out, "All is done.\n", "{}", format.name);
        assert_eq!(server.seen().len(), 3, "{}: no server was asked", format.name);
        assert_eq!(world.read("log.txt"), "start\nfinish\n", "tools ran as always");
        let ids = world.ids();
        let second = ids.iter().find(|id| **id != first).unwrap();
        assert_eq!(
            world.state(&first).tally.usage,
            world.state(second).tally.usage,
            "{}",
            format.name
        );
    }
}

#[test]
fn a_request_that_differs_is_refused_with_its_first_difference() {
    let (world, server) = (World::new(), Server::new(replies()));
    let file = record(&world, &server);
    let output = again(&world, &file, "the other task").ends(6);
    for words in [
        "cannot answer from the recording",
        "request 1 at byte",
        "`task",
        "`other task",
    ] {
        assert!(output.err.contains(words), "no `{words}` in {}", output.err);
    }
    // A file that changed since gives another second request.
    world.file("notes.txt", "gamma\n");
    let output = again(&world, &file, "the task").ends(6);
    assert!(output.err.contains("its request 4"), "{}", output.err);
    assert_eq!(server.seen().len(), 4);
}

#[test]
fn what_cannot_be_recorded_or_read_is_refused_before_anything_starts() {
    let world = World::new();
    let file = world.aside("there.txt", "kept");
    let server = Server::new(Vec::new());
    let output = finish(asking(&world, &server, &["--record", &file])).ends(2);
    assert!(
        output.err.contains("cannot record into") && output.err.contains("name a new file"),
        "{}",
        output.err
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    let output = again(&world, &file, "x").ends(3);
    assert!(
        output.err.contains("is not the beginning of a recording"),
        "{}",
        output.err
    );
    world
        .run(&["run", "--headless", "--model", "recorded", "x"])
        .ends(2)
        .tells("--from FILE");
    assert!(server.seen().is_empty());
    assert_eq!(world.ids(), [""; 0]);
}

#[test]
fn the_context_of_a_turn_has_the_exact_body_that_was_sent_in_every_format() {
    for format in FORMATS {
        let world = World::new();
        let server = Server::new(vec![
            format.message(&first()),
            format.message(&second()),
            answer(format, "Done."),
        ]);
        finish(asking(
            &world,
            &server,
            &flags(format, &["--policy", "auto", "--keep-wire"]),
        ))
        .ends(0);
        let id = world.id();
        let asked = |state: &State| -> Vec<TurnId> {
            let turns = state.turns.values().filter(|turn| turn.asked > 0);
            turns.map(|turn| turn.id).collect()
        };
        let turns = asked(&world.state(&id));
        let seen = server.seen();
        assert_eq!(turns.len(), seen.len());
        let place = Place::at(&world.sessions().join(&id)).unwrap();
        let bodies = |is_kept: bool| {
            for (turn, seen) in turns.iter().zip(&seen) {
                let Update::Sent { body: Some(body), .. } = request_text::update(&place, *turn, 1) else {
                    panic!("{}: no body of {turn}", format.name)
                };
                assert_eq!(&*body.text, seen.body, "{} {turn}", format.name);
                assert_eq!((&*body.wire, body.is_kept), (format.name, is_kept));
            }
        };
        bodies(true);
        // Without the stored bytes it is written again from the record: the same bytes.
        std::fs::remove_dir_all(world.sessions().join(&id).join("wire")).unwrap();
        bodies(false);
    }
}
