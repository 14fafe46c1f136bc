//! Tests of runs that reach an answer: what the server saw of them.

use serde_json::{Value, json};

use crate::wire::asking;
use crate::wire::formats::FORMATS;
use crate::wire::server::{Reply, Seen, Server, answer_in_words, call, calls, end, text};
use crate::wire::world::{World, finish};

/// Fails unless every call has its one result.
fn each_call_has_one_result(seen: &Seen) {
    (FORMATS[0].read)(seen).coherent();
}

/// The text of the list of messages, without its end.
fn messages_text(seen: &Seen) -> &str {
    let begin = seen.body.find("\"messages\":[").unwrap() + "\"messages\":[".len();
    let rest = &seen.body[begin..];
    let whole: Vec<&serde_json::value::RawValue> = {
        let mut stream = serde_json::Deserializer::from_str(&seen.body[begin - 1..]).into_iter();
        stream.next().unwrap().unwrap()
    };
    let last = whole.last().unwrap().get();
    let end = last.as_ptr() as usize + last.len() - rest.as_ptr() as usize;
    &rest[..end]
}

fn three_turns() -> Vec<Reply> {
    vec![
        calls(
            "I look at two things at once.",
            &[
                (
                    "call_a",
                    "read_file",
                    json!({"_as": "notes", "path": "notes.txt"}),
                ),
                ("call_b", "list_dir", json!({"path": "."})),
                (
                    "call_c",
                    "write_file",
                    json!({"path": "copy.txt", "content": "†call.notes"}),
                ),
            ],
        ),
        calls(
            "I log it.",
            &[(
                "call_d",
                "shell",
                json!({"command": "echo once >> log.txt; echo ok"}),
            )],
        ),
        answer_in_words("All is done — żółć 🦀."),
    ]
}

#[test]
fn several_streamed_calls_run_and_the_run_comes_to_its_answer() {
    let (world, server) = (World::new(), Server::new(three_turns()));
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "All is done — żółć 🦀.\n");
    assert_eq!(
        world.read("copy.txt"),
        "alpha\nbeta\n",
        "the reference was filled in"
    );
    assert_eq!(world.read("log.txt"), "once\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    seen.iter().for_each(each_call_has_one_result);
    let roles = |seen: &Seen| -> Vec<String> {
        seen.messages()
            .iter()
            .map(|one| one["role"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(roles(&seen[0]), ["system", "user"]);
    assert_eq!(
        roles(&seen[1]),
        ["system", "user", "assistant", "tool", "tool", "tool"]
    );
    assert_eq!(seen[0].json()["model"], "test");
    assert_eq!(seen[0].json()["stream"], true);
    let names: Vec<Value> = seen[0].json()["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].clone())
        .collect();
    for name in [
        "read_file",
        "write_file",
        "edit_file",
        "shell",
        "search",
        "list_dir",
    ] {
        assert!(names.contains(&json!(name)), "{name}");
    }
    assert!(seen[1].body.contains("alpha\\\\nbeta") || seen[1].body.contains("alpha\\nbeta"));
}

#[test]
fn what_was_sent_before_is_sent_again_byte_for_byte() {
    let (world, server) = (World::new(), Server::new(three_turns()));
    finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    let seen = server.seen();
    for pair in seen.windows(2) {
        let (before, after) = (messages_text(&pair[0]), messages_text(&pair[1]));
        assert!(after.starts_with(before), "\n{before}\n---\n{after}");
        let tools = |seen: &Seen| seen.json()["tools"].to_string();
        assert_eq!(tools(&pair[0]), tools(&pair[1]));
    }
    // Two equal runs send the same, at any time.
    let (other, again) = (World::new(), Server::new(three_turns()));
    finish(asking(&other, &again, &["--policy", "auto"])).ends(0);
    assert_eq!(messages_text(&again.seen()[2]), messages_text(&seen[2]));
}

#[test]
fn calls_without_ids_are_told_apart_all_the_same() {
    let mut frames = vec![text("Two at once.")];
    frames.extend(call(0, None, "read_file", &json!({"path": "notes.txt"})));
    frames.extend(call(1, None, "list_dir", &json!({"path": "."})));
    frames.extend(end("tool_calls"));
    let world = World::new();
    let server = Server::new(vec![Reply::Stream(frames), answer_in_words("Both.")]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Both.\n");
    each_call_has_one_result(&server.seen()[1]);
}

#[test]
fn what_was_not_approved_is_told_as_a_result() {
    let world = World::new();
    let server = Server::new(vec![
        calls(
            "I try.",
            &[("x", "shell", json!({"command": "echo no >> log.txt"}))],
        ),
        answer_in_words("Without."),
    ]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Without.\n");
    assert_eq!(world.read("log.txt"), "");
    let seen = server.seen();
    each_call_has_one_result(&seen[1]);
    let last = seen[1].messages().pop().unwrap();
    assert!(
        last["content"].as_str().unwrap().contains("not approved"),
        "{last}"
    );
}

#[test]
fn broken_arguments_are_told_and_the_run_goes_on() {
    let mut frames = vec![text("I try.")];
    let bad = json!({"path": 3});
    frames.extend(call(0, Some("x"), "read_file", &bad));
    frames.extend(call(1, Some("y"), "no_such_tool", &json!({})));
    frames.extend(end("tool_calls"));
    let world = World::new();
    let server = Server::new(vec![Reply::Stream(frames), answer_in_words("I see.")]);
    finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    let seen = server.seen();
    each_call_has_one_result(&seen[1]);
    assert!(seen[1].body.contains("no_such_tool"));
}

#[test]
fn the_key_goes_to_the_server_and_nowhere_else() {
    let (world, server) = (World::new(), Server::new(three_turns()));
    let mut command = asking(&world, &server, &["--policy", "auto", "--json"]);
    command.env("OPENAI_BASE_URL", &server.base);
    command.env("OPENAI_API_KEY", "sk-canary-0987654321");
    let output = finish(command).ends(0);
    for seen in server.seen() {
        let head = seen.head.to_lowercase();
        assert!(
            head.contains("authorization: bearer sk-canary-0987654321"),
            "{head}"
        );
        assert!(!seen.body.contains("sk-canary"));
    }
    assert!(!output.out.contains("sk-canary"));
    assert!(!output.err.contains("sk-canary"));
    for path in world.everything().keys() {
        let bytes = std::fs::read(path).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("sk-canary"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_run_that_was_interrupted_goes_on_with_the_same_request() {
    // The turn is cut by the end of the program; asked again, an equal stream keeps what ran.
    let world = World::new();
    let first = Server::new(vec![
        calls(
            "I log.",
            &[("x", "shell", json!({"command": "echo once >> log.txt"}))],
        ),
        Reply::Status(401, "", "{\"error\":{\"message\":\"expired\"}}"),
    ]);
    finish(asking(&world, &first, &["--policy", "auto"])).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let second = Server::new(vec![answer_in_words("Done.")]);
    let mut command = world.command(&["ask-again", &id, &turn, "--resume", "--base-url", &second.base]);
    command.env("NO_PROXY", "127.0.0.1");
    let output = finish(command).ends(0);
    assert_eq!(output.out, "Done.\n");
    assert_eq!(world.read("log.txt"), "once\n");
    assert_eq!(messages_text(&second.seen()[0]), messages_text(&first.seen()[1]));
}

/// Every file below the sessions, by its name.
pub fn wire_files(world: &World) -> std::collections::BTreeMap<String, String> {
    let mut found = std::collections::BTreeMap::new();
    // The program may not have made it yet.
    let sessions = std::fs::read_dir(world.sessions());
    for session in sessions.into_iter().flatten().flatten() {
        let wire = session.path().join("wire");
        for file in std::fs::read_dir(wire).into_iter().flatten().flatten() {
            let name = file.file_name().into_string().unwrap();
            found.insert(name, std::fs::read_to_string(file.path()).unwrap());
        }
    }
    found
}

#[test]
fn replies_are_kept_by_default_and_requests_where_that_is_asked_for() {
    let (world, server) = (World::new(), Server::new(three_turns()));
    finish(asking(&world, &server, &["--policy", "auto", "--keep-wire"])).ends(0);
    let stored = wire_files(&world);
    let seen = server.seen();
    assert_eq!(stored.len(), 2 * seen.len(), "{:?}", stored.keys());
    let sent: Vec<&String> = stored
        .iter()
        .filter(|(name, _)| name.strip_suffix(".sent").is_some())
        .map(|(_, text)| text)
        .collect();
    let bodies: Vec<&String> = seen.iter().map(|seen| &seen.body).collect();
    assert_eq!(sent, bodies, "byte by byte, in the order of the turns");
    let last = stored
        .iter()
        .rfind(|(name, _)| name.ends_with(".received"))
        .unwrap()
        .1;
    assert!(last.contains("żółć") && last.contains("[DONE]"), "{last}");

    let (world, server) = (World::new(), Server::new(three_turns()));
    finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    let replies = wire_files(&world);
    assert_eq!(replies.len(), server.seen().len(), "{:?}", replies.keys());
    let of_reply = |name: &String| name.strip_suffix(".received").is_some();
    assert!(replies.keys().all(of_reply), "{:?}", replies.keys());
    for (name, text) in &replies {
        assert_eq!(
            stored.get(name),
            Some(text),
            "the same bytes as with the requests"
        );
    }
    let id = world.id();
    let path = world
        .sessions()
        .join(&id)
        .join("wire")
        .join(replies.keys().next().unwrap());
    let decoded = world.run(&["decode", path.to_str().unwrap()]).ends(0);
    assert!(!decoded.out.is_empty());
    // A fork has the facts and not the bytes; a deleted session leaves none.
    world.run(&["fork", &id]).ends(0);
    assert_eq!(wire_files(&world).len(), replies.len());
    world.run(&["sessions", "delete", &id, "--yes"]).ends(0);
    assert!(wire_files(&world).is_empty());

    let (world, server) = (World::new(), Server::new(three_turns()));
    let config = world.aside("config.toml", "keep_replies = false\n");
    finish(asking(
        &world,
        &server,
        &["--policy", "auto", "--config", &config],
    ))
    .ends(0);
    assert!(wire_files(&world).is_empty(), "nothing is kept where that is off");
}
