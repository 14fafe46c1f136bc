//! Tests that only the right server gets the key and the conversation.
//!
//! Must not know: what the run was about.

use crate::wire::asking;
use crate::wire::server::{Reply, Server, answer_in_words};
use crate::wire::world::{World, finish};

const KEY: &str = "sk-canary-0987654321";

fn failing() -> Reply {
    Reply::Status(401, "", "{\"error\":{\"message\":\"no\"}}")
}

fn no_key(server: &Server) {
    for seen in server.seen() {
        let whole = format!("{}{}", seen.head, seen.body).to_lowercase();
        assert!(
            !whole.contains("authorization") && !whole.contains("sk-canary"),
            "{whole}"
        );
    }
}

/// A configuration of the user that has this server with a key.
fn configured(world: &World, server: &Server) {
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    let text = format!("base_url = \"{}\"\napi_key = \"{KEY}\"\n", server.base);
    std::fs::write(dir.join("config.toml"), text).unwrap();
}

#[test]
fn a_key_that_is_set_later_does_not_go_to_the_recorded_server() {
    let world = World::new();
    let server = Server::new(vec![failing(), answer_in_words("Done.")]);
    finish(asking(&world, &server, &[])).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let mut command = world.command(&["ask-again", &id, &turn, "--resume"]);
    command.env("NO_PROXY", "127.0.0.1").env("OPENAI_API_KEY", KEY);
    let output = finish(command).ends(0);
    assert_eq!(output.out, "Done.\n");
    assert_eq!(server.seen().len(), 2);
    no_key(&server);
}

#[test]
fn another_model_alone_goes_on_at_the_recorded_server() {
    let world = World::new();
    let server = Server::new(vec![failing(), answer_in_words("Done.")]);
    finish(asking(&world, &server, &[])).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let mut command = world.command(&["ask-again", &id, &turn, "--resume", "--model", "other"]);
    command.env("NO_PROXY", "127.0.0.1").env("OPENAI_API_KEY", KEY);
    finish(command).ends(0);
    let seen = server.seen();
    assert_eq!((seen.len(), seen[1].json()["model"].as_str()), (2, Some("other")));
    no_key(&server);
}

#[test]
fn the_key_of_a_file_goes_to_the_server_of_that_file_alone() {
    let world = World::new();
    let home = Server::new(vec![answer_in_words("Home.")]);
    configured(&world, &home);
    let mut command = world.command(&["run", "--headless", "--model", "test", "x"]);
    command.env("NO_PROXY", "127.0.0.1");
    assert_eq!(finish(command).ends(0).out, "Home.\n");
    assert!(home.seen()[0].head.to_lowercase().contains(KEY));

    let other = Server::new(vec![answer_in_words("Flag."), answer_in_words("Variable.")]);
    assert_eq!(finish(asking(&world, &other, &[])).ends(0).out, "Flag.\n");
    let mut command = world.command(&["run", "--headless", "--model", "test", "x"]);
    command
        .env("NO_PROXY", "127.0.0.1")
        .env("OPENAI_BASE_URL", &other.base);
    let output = finish(command).ends(0);
    assert_eq!(output.out, "Variable.\n");
    assert!(
        output.err.contains("is not used: it belongs to"),
        "{}",
        output.err
    );
    assert_eq!(other.seen().len(), 2);
    no_key(&other);
}

#[test]
fn a_server_far_away_is_not_asked_before_it_is_said_which_key_it_gets() {
    let world = World::new();
    let url = "http://model.invalid/v1";
    let mut command = world.command(&["run", "--headless", "--model", "test", "--base-url", url, "x"]);
    command.env("OPENAI_API_KEY", KEY);
    let output = finish(command).ends(3);
    for reported in [
        "cannot send OPENAI_API_KEY",
        "the key belongs to https://api.openai.com/v1",
        url,
        "OPENAI_BASE_URL and OPENAI_API_KEY",
    ] {
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    }
    assert!(!output.err.contains(KEY));
}
