//! Tests requests that are too long for the model: what is shortened, what is never sent again.
//!
//! Must not know: how tokens are counted.

use serde_json::json;

use crate::asking;
use crate::server::{Reply, Server, answer_in_words, calls};
use crate::world::{World, finish};

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
