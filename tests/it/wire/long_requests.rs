//! Tests requests that are too long for the model: what is shortened, what is never sent again.
//!
//! Must not know: how tokens are counted.

use serde_json::json;

use crate::wire::asking;
use crate::wire::course::{answer, first, flags, second};
use crate::wire::formats::{Asked, Format, Message, formats};
use crate::wire::server::{Reply, Server, answer_in_words, calls};
use crate::wire::world::{World, finish};

const TOO_LONG: &str = "{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens.\",\"code\":\"context_length_exceeded\"}}";

fn reads(world: &World) -> Vec<Reply> {
    for name in ["one", "two", "three"] {
        let text = format!("{name} begins\n{}\n{name} ends", "lorem ipsum ".repeat(700));
        world.file(&format!("{name}.txt"), &text);
    }
    ["one", "two", "three"]
        .iter()
        .map(|name| {
            calls(
                "I read.",
                &[(name, "read_file", json!({"path": format!("{name}.txt")}))],
            )
        })
        .collect()
}

fn settings(world: &World, text: &str) {
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
}

#[test]
fn a_request_that_the_server_calls_too_long_is_shortened_by_a_verb_and_sent_once() {
    let world = World::new();
    let mut replies = reads(&world);
    replies.push(Reply::Status(400, "", TOO_LONG));
    replies.push(answer_in_words("Done."));
    let server = Server::new(replies);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(5);
    assert!(
        output.err.contains("request too long") && output.err.contains("overrule shorten"),
        "{}",
        output.err
    );
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let refused = world.run(&["ask-again", &id, &turn]).ends(4);
    assert!(refused.err.contains("has not changed"), "{}", refused.err);
    assert_eq!(server.seen().len(), 4, "the same request is not sent again");
    let mut command = world.command(&["shorten", &id, "--resume"]);
    command.env("NO_PROXY", "127.0.0.1");
    assert_eq!(finish(command).ends(0).out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    assert!(seen[4].body.len() < seen[3].body.len());
    assert!(seen[4].body.contains("one begins") && seen[4].body.contains("whole value at"));
    assert!(seen[4].body.contains("three ends"));
    assert!(!seen[3].body.contains("whole value at"));
}

#[test]
fn requests_near_the_end_of_the_window_are_shortened_by_themselves_where_that_is_allowed() {
    let world = World::new();
    let mut replies = reads(&world);
    replies.push(answer_in_words("Done."));
    let server = Server::new(replies);
    let entry = |reduce: &str, server: &Server| {
        format!(
            "[context]\nreduce = \"{reduce}\"\nshare = 60\n[models.small]\nbase_url = \"{}\"\nwindow = 11000\n",
            server.base
        )
    };
    settings(&world, &entry("auto", &server));
    let args = ["run", "--headless", "--policy", "auto", "--model", "small", "x"];
    assert_eq!(finish(world.command(&args)).ends(0).out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen[3].body.contains("whole value at"), "{}", seen[3].body.len());

    let world = World::new();
    let server = Server::new(reads(&world));
    settings(&world, &entry("ask", &server));
    let output = finish(world.command(&args)).ends(5);
    assert!(output.err.contains("the request is too long"), "{}", output.err);
    let sent = server.seen().len();
    assert!(sent < 4, "the long request was not sent");
}

#[test]
fn a_refused_request_is_shortened_by_itself_also_where_the_window_is_not_known() {
    let run = |reduce: &str| {
        let world = World::new();
        let mut replies = reads(&world);
        replies.push(Reply::Status(400, "", TOO_LONG));
        replies.push(answer_in_words("Done."));
        let server = Server::new(replies);
        settings(&world, &format!("[context]\nreduce = \"{reduce}\"\n"));
        (finish(asking(&world, &server, &["--policy", "auto"])), server)
    };
    let (output, server) = run("auto");
    assert_eq!(output.ends(0).out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    assert!(seen[4].body.len() < seen[3].body.len() && seen[4].body.contains("whole value at"));
    for reduce in ["ask", "off"] {
        let (output, server) = run(reduce);
        let output = output.ends(5);
        assert!(output.err.contains("overrule shorten"), "{}", output.err);
        assert_eq!(server.seen().len(), 4, "{reduce}: nothing was sent again");
    }
}

#[test]
fn everything_is_sent_where_nothing_may_be_reduced() {
    let world = World::new();
    let mut replies = reads(&world);
    replies.push(answer_in_words("Done."));
    let server = Server::new(replies);
    let text = format!(
        "[context]\nreduce = \"off\"\nshare = 60\n[models.small]\nbase_url = \"{}\"\nwindow = 11000\n",
        server.base
    );
    settings(&world, &text);
    let args = ["run", "--headless", "--policy", "auto", "--model", "small", "x"];
    assert_eq!(finish(world.command(&args)).ends(0).out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(!seen[3].body.contains("whole value at"), "{}", seen[3].body.len());
}

/// A run of two turns whose next request is too long for the server.
fn refused(format: &Format) -> (World, String) {
    let world = World::new();
    let server = Server::new(vec![
        format.message(&first()),
        format.message(&second()),
        Reply::Status(400, "", TOO_LONG),
    ]);
    let output = finish(asking(&world, &server, &flags(format, &["--policy", "auto"]))).ends(5);
    assert!(
        output.err.contains("`drop-turns`"),
        "{}: {}",
        format.name,
        output.err
    );
    assert_eq!(server.seen().len(), 3);
    let id = world.id();
    (world, id)
}

/// Carries out a verb on it, and resumes with these replies.
fn resumed(format: &Format, (world, id): &(World, String), verb: &str, replies: Vec<Reply>) -> Vec<Asked> {
    let server = Server::new(replies);
    let args = [
        verb,
        id,
        "--resume",
        "--policy",
        "auto",
        "--base-url",
        &server.base,
    ];
    let output = finish(world.command(&flags(format, &args))).ends(0);
    assert_eq!(output.out, "Done.\n", "{}", format.name);
    format.all(&server.seen())
}

/// Fails unless the first turn is absent from a request and the second is there.
#[track_caller]
fn without_the_first_turn(asked: &Asked) {
    asked.coherent();
    for absent in ["I look around.", "echo start", "signature-one", "notes.txt"] {
        assert!(!asked.has(absent), "{absent} in {asked}");
    }
    assert!(asked.has("I log the end."), "{asked}");
    assert_eq!(asked.call("echo finish").tool, "shell");
    assert!(asked.result("echo finish").contains("finished"));
}

#[test]
fn a_request_without_its_oldest_turns_is_coherent_in_every_format() {
    for format in formats() {
        let run = refused(format);
        let asked = resumed(format, &run, "drop-turns", vec![answer(format, "Done.")]);
        assert_eq!(asked.len(), 1);
        without_the_first_turn(&asked[0]);
        assert!(
            asked[0].console().contains("Earlier turns were left out here"),
            "{}",
            asked[0]
        );
        assert_eq!(run.0.read("log.txt"), "start\nfinish\n", "nothing ran again");
    }
}

#[test]
fn a_summary_by_the_model_stands_for_the_oldest_turns_in_every_format() {
    for format in formats() {
        let run = refused(format);
        let replies = vec![answer(format, "I copied the notes."), answer(format, "Done.")];
        let asked = resumed(format, &run, "summarize", replies);
        assert_eq!(asked.len(), 2);
        let question = &asked[0];
        assert!(
            question.has("I look around.") && question.has("Summarize the conversation"),
            "{question}"
        );
        assert!(!question.has("I log the end."), "{question}");
        let calls = |message: &Message| matches!(message, Message::Assistant { .. } | Message::Result(..));
        assert!(!question.messages.iter().any(calls), "the conversation is data");
        without_the_first_turn(&asked[1]);
        assert!(asked[1].console().contains("I copied the notes."), "{}", asked[1]);
        assert_eq!(run.0.read("log.txt"), "start\nfinish\n", "nothing ran again");
    }
}
