//! Goes to another conversation of an agent on the same screen, decides there, and comes back.
//!
//! Must not know: how conversations are distinguished.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver};

use serde_json::{Value, json};

use crate::pty_terminal::harness::{Run, at_home};
use crate::pty_terminal::server::{Server, answer_in_words, calls};

const TOKEN: &str = "token-of-the-test-1234";

/// Sends the first request of a conversation; the response comes once it is whole.
fn ask(at: &str, task: &str) -> Receiver<String> {
    let body = json!({
        "model": "m", "stream": true,
        "messages": [{"role": "user", "content": task}],
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {
            "type": "object", "properties": {"command": {"type": "string"}}
        }}}],
    });
    let body = body.to_string();
    let head = format!(
        "POST /s/{TOKEN}/chat/completions HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut socket = TcpStream::connect(at).unwrap();
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(body.as_bytes()).unwrap();
    let (done, response) = mpsc::channel();
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // A proxy that ends closes the connection.
        let _ = socket.read_to_end(&mut all);
        done.send(String::from_utf8_lossy(&all).into_owned())
            .unwrap_or_default();
    });
    response
}

/// The arguments of the call in a response.
fn arguments(response: &str) -> String {
    let events = response.lines().filter_map(|line| line.strip_prefix("data: {"));
    let events = events.map(|rest| serde_json::from_str::<Value>(&format!("{{{rest}")).unwrap());
    let piece = |event: Value| {
        let call = &event["choices"][0]["delta"]["tool_calls"][0];
        call["function"]["arguments"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    events.map(piece).collect()
}

fn shown(run: &Run) -> String {
    run.screen().screen().contents()
}

#[test]
fn a_key_goes_to_the_conversation_that_waits_and_back() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    std::fs::create_dir_all(&work).unwrap();
    let model = Server::answering(|_, body| {
        let task = body["messages"][0]["content"].as_str().unwrap_or_default();
        match body["messages"].as_array().map(Vec::len) {
            Some(1) => calls(
                "I look.",
                &[("c1", "bash", json!({"command": format!("env echo {task}")}))],
            ),
            _ => answer_in_words("Done."),
        }
    });
    let args = [
        "proxy",
        "--listen",
        "127.0.0.1:0",
        "--upstream",
        &model.base,
        "--wire",
        "openai-chat",
    ];
    let mut run = Run::with(crate::support::program(), &args, |command| {
        at_home(command, root.path(), "");
        command.cwd(&work);
        command.env("OVERRULE_PROXY_TOKEN", TOKEN);
        command.env("NO_PROXY", "127.0.0.1");
    });
    run.wait_for("the proxy serves http://");
    let text = shown(&run);
    let (_, at) = text.split_once("the proxy serves http://").unwrap();
    let (at, _) = at.split_once("/s/").unwrap();
    let first = ask(at, "the first task");
    run.wait_for("env echo the first task");
    let second = ask(at, "another task");
    run.wait_for("1 decision waits in another conversation: another task");

    run.send("\x1bw");
    run.wait_for("env echo another task");
    run.wait_for("waits in another conversation: the first task");
    assert!(
        !shown(&run).contains("env echo the first task"),
        "{}",
        shown(&run)
    );
    run.send("t");
    run.wait_for("┏━ c");
    run.armed();
    run.send("a");
    let given = second.recv_timeout(crate::pty_terminal::harness::SOON).unwrap();
    assert_eq!(arguments(&given), r#"{"command":"env echo another task"}"#);
    assert!(first.try_recv().is_err(), "the other one still waits");

    // Leaving would end the conversation that waits, so it asks.
    run.send("\x1bw");
    run.wait_for("env echo the first task");
    run.send("\x1bw");
    run.wait_for("env echo another task");
    run.send("q");
    run.wait_for("is not over: it ends as well");
    run.send("\x1b");
    run.until("the question is closed", || !shown(&run).contains("is not over"));
    run.send("\x1bw");
    run.wait_for("env echo the first task");
    run.send("t");
    run.wait_for("┏━ c");
    run.armed();
    run.send("a");
    let given = first.recv_timeout(crate::pty_terminal::harness::SOON).unwrap();
    assert_eq!(arguments(&given), r#"{"command":"env echo the first task"}"#);
    assert_eq!(model.seen().len(), 2, "each was asked once");
}
