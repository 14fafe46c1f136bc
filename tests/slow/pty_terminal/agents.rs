//! Two agents of different vendors on one screen: each is held and decided there, and a key goes from one to the other.
//!
//! Must not know: how requests are told apart.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{self, Receiver};

use overrule::domain::turn::Stop;
use overrule::model::Chunk;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::{ReplyHead, encode_stream};
use serde_json::{Value, json};

use crate::pty_terminal::harness::{Run, SOON, at_home};
use crate::pty_terminal::server::{Reply, Server};

const TOKEN: &str = "token-of-the-test-1234";

/// An agent, as its requests show it.
struct Agent {
    wire: &'static str,
    path: &'static str,
    sent_as: &'static str,
    log_in: &'static str,
}

const CLAUDE: Agent = Agent {
    wire: "anthropic",
    path: "/v1/messages",
    sent_as: "claude-cli/2.1.332 (external, cli)",
    log_in: "key-for-anthropic",
};

const CODEX: Agent = Agent {
    wire: "openai-responses",
    path: "/responses",
    sent_as: "codex_cli_rs/0.171.0",
    log_in: "key-for-openai",
};

impl Agent {
    /// Its model, which calls a shell with this line.
    fn model(&self, line: &'static str) -> Server {
        let wire = Wire::named(self.wire).unwrap();
        Server::answering(move |_, _| {
            let head = ReplyHead {
                id: "r".into(),
                model: "m".into(),
                created: 1,
            };
            let call = [
                Chunk::Call {
                    part: 0,
                    id: Some("c1".into()),
                    name: "bash".into(),
                },
                Chunk::Args {
                    part: 0,
                    delta: json!({ "command": line }).to_string(),
                },
                Chunk::Sealed {
                    part: 0,
                    opaque: None,
                },
                Chunk::Finish(Stop::Calls),
            ];
            let body = encode_stream(wire, head, &call);
            Reply::Stream(body.split_inclusive("\n\n").map(str::to_owned).collect())
        })
    }

    fn body(&self, task: &str) -> Value {
        let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
        if self.wire == "anthropic" {
            json!({"model": "claude-m", "stream": true, "max_tokens": 9, "messages": [{"role": "user", "content": task}],
                "tools": [{"name": "bash", "description": "d", "input_schema": schema}]})
        } else {
            json!({"model": "gpt-m", "stream": true, "tools": [{"type": "function", "name": "bash", "parameters": schema}],
                "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": task}]}]})
        }
    }

    /// Sends its first request; the response comes once it is whole.
    fn ask(&self, at: &str, task: &str) -> Receiver<String> {
        let body = self.body(task).to_string();
        let (path, sent_as, log_in) = (self.path, self.sent_as, self.log_in);
        let head = format!(
            "POST /s/{TOKEN}{path} HTTP/1.1\r\nHost: {at}\r\nUser-Agent: {sent_as}\r\nAuthorization: Bearer {log_in}\r\n\
             Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
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
}

fn shown(run: &Run) -> String {
    run.screen().screen().contents()
}

/// Approves the call on the screen.
fn approve(run: &mut Run) {
    run.send("t");
    run.wait_for("┏━ c");
    run.armed();
    run.send("a");
}

#[test]
fn two_agents_are_decided_on_one_screen_and_each_vendor_sees_its_own() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    let bin = root.path().join("bin");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::create_dir_all(&bin).unwrap();
    for name in ["claude", "codex"] {
        std::fs::write(bin.join(name), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let models = [
        CLAUDE.model("env echo of-claude"),
        CODEX.model("env echo of-codex"),
    ];
    let upstreams = [
        format!("anthropic={}", models[0].base),
        format!("openai-responses={}", models[1].base),
    ];
    let args = [
        "proxy",
        "--upstream",
        &upstreams[0],
        "--upstream",
        &upstreams[1],
        "claude",
    ];
    let mut run = Run::with(crate::support::program(), &args, |command| {
        at_home(command, root.path(), "");
        command.cwd(&work);
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        command.env("OVERRULE_PROXY_TOKEN", TOKEN);
        command.env("NO_PROXY", "127.0.0.1");
    });
    // A second agent joins by its own line.
    run.until("the lines", || {
        run.text().contains("another agent joins this screen")
    });
    run.until("the line of codex", || run.text().contains("model_provider="));
    let text = run.text();
    assert_eq!(text.matches("ANTHROPIC_BASE_URL=").count(), 1, "{text}");
    let (_, at) = text.split_once("ANTHROPIC_BASE_URL=http://").unwrap();
    let (at, _) = at.split_once("/s/").unwrap();

    let of_claude = CLAUDE.ask(at, "mend it");
    run.wait_for("env echo of-claude");
    // A narrow header has no room for the name of the model.
    run.resize(120, 24);
    run.wait_for("claude: claude-m");
    let of_codex = CODEX.ask(at, "read it");
    run.wait_for("1 decision waits in another conversation: codex: read it");
    run.send("\x1bw");
    run.wait_for("env echo of-codex");
    run.wait_for("codex: gpt-m");
    run.wait_for("in another conversation: claude: mend it");
    assert!(!shown(&run).contains("env echo of-claude"), "{}", shown(&run));
    approve(&mut run);
    let given = of_codex.recv_timeout(SOON).unwrap();
    assert!(
        given.contains("of-codex") && given.contains("function_call"),
        "{given}"
    );
    assert!(of_claude.try_recv().is_err(), "the other one still waits");
    run.send("\x1bw");
    run.wait_for("env echo of-claude");
    approve(&mut run);
    let given = of_claude.recv_timeout(SOON).unwrap();
    assert!(
        given.contains("of-claude") && given.contains("tool_use"),
        "{given}"
    );
    for (model, own, other) in [(&models[0], &CLAUDE, &CODEX), (&models[1], &CODEX, &CLAUDE)] {
        let seen = model.seen();
        assert_eq!(seen.len(), 1);
        let all = format!("{}{}", seen[0].head, seen[0].body);
        assert!(all.contains(own.log_in) && !all.contains(other.log_in), "{all}");
    }
    run.send("q");
    run.wait_for("over: it ends as well");
    run.armed();
    run.send("q");
    run.until("how to continue", || run.text().contains("-- codex"));
    let text = run.text();
    for program in ["claude", "codex"] {
        let flags = format!(
            "--upstream {} --upstream {} -- {program}",
            upstreams[0], upstreams[1]
        );
        assert!(text.replace("\r\n", "").contains(&flags), "{text}");
    }
}
