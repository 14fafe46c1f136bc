//! Runs that come to an answer: what the server saw of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::asking;
use crate::server::{Reply, Seen, Server, answer_in_words, call, calls, end, text};
use crate::world::{World, finish};

/// Fails unless every call of the messages has exactly one result, right after the message that it
/// was made in.
fn each_call_has_one_result(seen: &Seen) {
    let messages = seen.messages();
    for (at, message) in messages.iter().enumerate() {
        let Some(made) = message["tool_calls"].as_array() else {
            continue;
        };
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        for one in made {
            assert!(
                open.insert(one["id"].as_str().unwrap(), 0).is_none(),
                "an id twice"
            );
        }
        let results = messages[at + 1..].iter().take_while(|one| one["role"] == "tool");
        for result in results {
            let id = result["tool_call_id"].as_str().unwrap();
            *open.get_mut(id).expect("a result without a call") += 1;
        }
        assert!(open.values().all(|count| *count == 1), "{open:?}");
    }
    let made: usize = messages
        .iter()
        .filter_map(|one| one["tool_calls"].as_array().map(Vec::len))
        .sum();
    let results = messages.iter().filter(|one| one["role"] == "tool").count();
    assert_eq!(made, results);
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
    let said = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(said.out, "All is done — żółć 🦀.\n");
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
    // And what two runs of one course send is the same, whenever they are.
    let (other, again) = (World::new(), Server::new(three_turns()));
    finish(asking(&other, &again, &["--policy", "auto"])).ends(0);
    assert_eq!(messages_text(&again.seen()[2]), messages_text(&seen[2]));
}

#[test]
fn edited_arguments_are_what_the_model_is_shown_as_executed() {
    let world = World::new();
    let server = Server::new(three_turns());
    finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    let id = world.id();
    let state = world.state(&id);
    let (logged, _) = state
        .calls
        .iter()
        .find(|(id, _)| {
            state.nodes[id]
                .as_call()
                .is_some_and(|(tool, _)| &**tool == "shell")
        })
        .unwrap();
    let args = r#"{"command":"echo edited >> log.txt; echo better"}"#;
    let next = Server::new(vec![answer_in_words("As edited.")]);
    let mut command = world.command(&[
        "edit",
        &id,
        &logged.to_string(),
        "--args",
        args,
        "--resume",
        "--policy",
        "auto",
        "--base-url",
        &next.base,
    ]);
    command.env("NO_PROXY", "127.0.0.1");
    let said = finish(command).ends(0);
    assert_eq!(said.out, "As edited.\n");
    assert_eq!(world.read("log.txt"), "once\nedited\n");
    let seen = next.seen();
    assert_eq!(seen.len(), 1);
    each_call_has_one_result(&seen[0]);
    let messages = seen[0].messages();
    let shown = messages
        .iter()
        .filter_map(|one| one["tool_calls"].as_array())
        .flatten()
        .find(|one| one["function"]["name"] == "shell")
        .unwrap();
    let shown: Value = serde_json::from_str(shown["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(shown["command"], "echo edited >> log.txt; echo better");
    let told = |role: &str| {
        let of = messages.iter().filter(|one| one["role"] == role);
        of.map(ToString::to_string).collect::<String>()
    };
    assert!(
        !told("assistant").contains("echo once"),
        "what did not run in the end is not told as if it had"
    );
    assert!(
        told("user").contains("Already happened"),
        "but that it happened is told"
    );
    assert!(seen[0].body.contains("better"));
    assert!(
        seen[0].body.contains("operator"),
        "the model is told who changed it"
    );
    // All before the edited call is sent as it was.
    let before = messages_text(&server.seen()[1]).to_owned();
    assert!(messages_text(&seen[0]).starts_with(&before));
}

#[test]
fn calls_without_ids_are_told_apart_all_the_same() {
    let mut frames = vec![text("Two at once.")];
    frames.extend(call(0, None, "read_file", &json!({"path": "notes.txt"})));
    frames.extend(call(1, None, "list_dir", &json!({"path": "."})));
    frames.extend(end("tool_calls"));
    let world = World::new();
    let server = Server::new(vec![Reply::Stream(frames), answer_in_words("Both.")]);
    let said = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(said.out, "Both.\n");
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
    let said = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(said.out, "Without.\n");
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
    command.env("OPENAI_API_KEY", "sk-canary-0987654321");
    let said = finish(command).ends(0);
    for seen in server.seen() {
        let head = seen.head.to_lowercase();
        assert!(
            head.contains("authorization: bearer sk-canary-0987654321"),
            "{head}"
        );
        assert!(!seen.body.contains("sk-canary"));
    }
    assert!(!said.out.contains("sk-canary"));
    assert!(!said.err.contains("sk-canary"));
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
    let said = finish(command).ends(0);
    assert_eq!(said.out, "Done.\n");
    assert_eq!(world.read("log.txt"), "once\n");
    assert_eq!(messages_text(&second.seen()[0]), messages_text(&first.seen()[1]));
}
