//! Tests of a server over Streamable HTTP: its tools, its token, a log-in that is missing.
//!
//! Must not know: how the program works inside.

use serde_json::{Value, json};

use crate::mcp::server::{Reply, Server};
use crate::mcp::world::World;

/// Answers as an MCP server of the older generation.
fn reply(body: &Value) -> Reply {
    let result = match body["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "remote", "version": "1" }
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "who", "description": "Says who.", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => json!({ "content": [{ "type": "text", "text": "it is me" }] }),
        _ if body["id"].is_null() => return Reply::Status(202, "", ""),
        _ => {
            let error =
                json!({ "jsonrpc": "2.0", "id": body["id"], "error": { "code": -32_601, "message": "no" } });
            return Reply::Stream(vec![format!("data: {error}\n\n")]);
        }
    };
    let answer = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
    Reply::Stream(vec![format!("event: message\ndata: {answer}\n\n")])
}

fn world(server: &Server) -> (World, String) {
    let world = World::new();
    let config = format!(
        "[mcp.remote]\nurl = \"{}\"\ntoken_env = \"REMOTE_TOKEN\"\n",
        server.base
    );
    let config = world.aside("config.toml", &config);
    (world, config)
}

#[test]
fn a_server_over_http_is_called_with_its_token_which_is_shown_nowhere() {
    let server = Server::answering(|_, body| reply(body));
    let (world, config) = world(&server);
    let run = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("REMOTE_TOKEN", "canary-token");
        crate::mcp::world::finish(command)
    };
    let listed = run(&["tools", "list", "--config", &config]).ends(0);
    // It reaches out of this machine, whatever it says.
    assert!(
        listed.out.contains("remote__who") && listed.out.contains("unknown, external"),
        "{}",
        listed.out
    );
    assert_eq!(
        run(&["tools", "call", "remote__who", "--config", &config])
            .ends(0)
            .out,
        "it is me\n"
    );
    let seen = server.seen();
    let call = seen.iter().find(|seen| seen.body.contains("tools/call")).unwrap();
    assert!(
        call.head
            .to_lowercase()
            .contains("authorization: bearer canary-token"),
        "{}",
        call.head
    );
    assert!(!listed.out.contains("canary") && !listed.err.contains("canary"));
    for (path, _) in world.everything() {
        let text = std::fs::read(&path).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&text).contains("canary-token"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_missing_token_and_a_wanted_log_in_are_told() {
    let server = Server::answering(|_, _| Reply::Status(401, "WWW-Authenticate: Bearer\r\n", "who are you?"));
    let (world, config) = world(&server);
    let listed = world.run(&["tools", "list", "--config", &config]).ends(0);
    listed.tells("the variable `REMOTE_TOKEN` is not set");
    assert_eq!(server.seen().len(), 0, "nothing was asked without the token");
    let mut command = world.command(&["tools", "list", "--config", &config]);
    command.env("REMOTE_TOKEN", "wrong");
    let listed = crate::mcp::world::finish(command).ends(1);
    assert!(
        listed.out.contains("server remote  down") && listed.out.contains("token_env"),
        "{}",
        listed.out
    );
}

/// A JSON answer with these headers.
fn json_reply(headers: &'static str, body: &Value, result: &Value) -> Reply {
    let answer = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
    Reply::Status(200, headers, answer.to_string().leak())
}

const PLAYBOOK: &str = r#"
[meta]
name = "remote"
[[rule]]
when = { seen_call = "it" }
answer = "{{ result.it | default('no result') }}"
[[rule]]
think = "I call."
[[rule.call]]
tool = "remote__who"
as = "it"
args = {}
"#;

#[test]
fn a_key_in_an_address_is_shown_nowhere() {
    let faults: [fn(&Value) -> Reply; 4] = [
        |_| {
            Reply::Status(
                404,
                "Content-Type: text/plain\r\n",
                "Cannot POST /v1?key=canary-key",
            )
        },
        |_| {
            Reply::Status(
                500,
                "Content-Type: application/json\r\n",
                "{\"path\": \"/v1?key=canary-key\"}",
            )
        },
        |_| Reply::Cut(vec!["data: {\"half\"".to_owned()]),
        |_| Reply::Status(200, "Content-Type: text/html\r\n", "<p>/v1?key=canary-key</p>"),
    ];
    for (at, fault) in faults.into_iter().enumerate() {
        for listed in [true, false] {
            let server = Server::answering(move |_, body| match body["method"].as_str() {
                Some("tools/call") if listed => fault(body),
                _ if listed => reply(body),
                _ => fault(body),
            });
            let world = World::new();
            let config = format!(
                "[mcp.remote]\nurl = \"{}?key=${{REMOTE_KEY}}\"\ntimeout = \"3s\"\n[tool.remote__who]\neffect = \"read\"\n",
                server.base
            );
            let config = world.aside("config.toml", &config);
            let policy = world.aside("policy.toml", "preset = \"auto\"\n");
            let mut command = world.playing(PLAYBOOK, &["--config", &config, "--policy", &policy]);
            command
                .env("REMOTE_KEY", "canary-key")
                .env("OVERRULE_LOG", "debug");
            let said = crate::mcp::world::finish(command);
            assert!(
                server.seen().iter().any(|seen| seen.head.contains("canary-key")),
                "the server was asked"
            );
            assert!(
                !said.out.contains("canary-key") && !said.err.contains("canary-key"),
                "{at} {listed}: {}{}",
                said.out,
                said.err
            );
            for path in world.everything().into_keys() {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains("canary-key"), "{at} {listed}: {}", path.display());
            }
        }
    }
}

#[test]
fn a_call_is_not_sent_again_in_a_session_whose_tools_were_not_read() {
    for (effect, code, expected) in [
        (
            "read",
            0,
            "initialize tools/list tools/call initialize tools/list tools/call",
        ),
        (
            "write",
            4,
            "initialize tools/list tools/call initialize tools/list",
        ),
    ] {
        let mut sessions = 0;
        let server = Server::answering(move |_, body| match body["method"].as_str() {
            Some("initialize") => {
                sessions += 1;
                let headers = format!("Content-Type: application/json\r\nMcp-Session-Id: s{sessions}\r\n");
                let result = json!({
                    "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                    "serverInfo": { "name": "remote", "version": "1" }
                });
                json_reply(headers.leak(), body, &result)
            }
            // It has forgotten the first session.
            Some("tools/call") if sessions == 1 => Reply::Status(404, "", ""),
            _ => reply(body),
        });
        let world = World::new();
        let config = format!(
            "[mcp.remote]\nurl = \"{}\"\n[tool.remote__who]\neffect = \"{effect}\"\n",
            server.base
        );
        let config = world.aside("config.toml", &config);
        let policy = world.aside(
            "policy.toml",
            "preset = \"auto\"\n[[rule]]\ntool = \"*\"\ngate = \"allow\"\n",
        );
        let said = world
            .play(PLAYBOOK, &["--config", &config, "--policy", &policy])
            .ends(code);
        let methods: Vec<String> = server
            .seen()
            .iter()
            .filter_map(|seen| {
                let body: Value = serde_json::from_str(&seen.body).ok()?;
                let method = body["method"].as_str()?;
                ["initialize", "tools/list", "tools/call"]
                    .contains(&method)
                    .then(|| method.to_owned())
            })
            .collect();
        let methods = methods.join(" ");
        // The process may end before a new session begins.
        assert!(
            expected.starts_with(&methods) && methods.contains("tools/call"),
            "{effect}: {methods}"
        );
        assert_eq!(said.out, if code == 0 { "it is me\n" } else { "" }, "{effect}");
    }
}

/// A world with a server, and what a call of its tool gives.
fn called(server: &Server) -> crate::mcp::world::Said {
    let world = World::new();
    let config = format!("[mcp.remote]\nurl = \"{}/mcp\"\ntimeout = \"10s\"\n", server.base);
    let config = world.aside("config.toml", &config);
    world.run(&["tools", "call", "remote__who", "--config", &config])
}

fn methods(server: &Server) -> Vec<String> {
    let seen = server.seen();
    let method = |body: &str| {
        serde_json::from_str::<Value>(body).ok()?["method"]
            .as_str()
            .map(str::to_owned)
    };
    seen.iter().filter_map(|seen| method(&seen.body)).collect()
}

#[test]
fn a_server_at_another_path_is_followed_and_another_server_is_not() {
    for redirect in [307, 308] {
        let mut is_sent_on = false;
        let server = Server::answering(move |_, body| {
            is_sent_on = !is_sent_on;
            if is_sent_on {
                return Reply::Status(redirect, "Location: /mcp/\r\n", "");
            }
            reply(body)
        });
        assert_eq!(called(&server).ends(0).out, "it is me\n", "{redirect}");
        let seen = server.seen();
        let last = &seen[seen.len() - 1];
        assert!(
            last.head.starts_with("POST ") && last.head.contains("/mcp/ "),
            "{}",
            last.head
        );
        assert!(last.body.contains("tools/call"), "method and body stay");
    }
    for (status, headers, words) in [
        (
            307,
            "Location: http://other.example/mcp?key=canary\r\n",
            "another server",
        ),
        (302, "Location: /mcp/\r\n", "write that address"),
        (308, "Location: /mcp\r\n", "again and again"),
    ] {
        let server = Server::answering(move |_, _| Reply::Status(status, headers, ""));
        let said = called(&server).ends(2);
        assert!(
            said.err.contains(words) && !said.err.contains("canary"),
            "{status}: {}",
            said.err
        );
        assert!(
            server.seen().len() <= 6,
            "it would be the same at the next attempt"
        );
    }
}

#[test]
fn a_refusal_that_will_not_change_is_not_tried_again() {
    for status in [400, 403, 404, 405, 410] {
        let server = Server::answering(move |_, _| Reply::Status(status, "", ""));
        let said = called(&server).ends(2);
        assert!(said.err.contains(&format!("HTTP {status}")), "{}", said.err);
        assert_eq!(methods(&server), ["server/discover", "initialize"], "{status}");
    }
}

#[test]
fn a_call_that_is_refused_or_whose_answer_breaks_off_ends_at_once() {
    /// A reply to a call, and what is said of it.
    type Row = (fn(&Value) -> Reply, &'static str);
    let calls: [Row; 7] = [
        (
            |_| Reply::Status(400, "", ""),
            "the server refused the call: HTTP 400",
        ),
        (
            |_| Reply::Status(429, "", ""),
            "the server refused the call: HTTP 429",
        ),
        (|_| Reply::Status(202, "", ""), "no way to receive its answer"),
        (
            |_| Reply::Status(200, "Content-Type: text/html\r\n", "<p>"),
            "no message of the protocol",
        ),
        (
            |_| Reply::Stream(vec![": nothing\n\n".to_owned()]),
            "the answer broke off",
        ),
        (
            |_| Reply::Cut(vec!["data: {\"jsonrpc\"".to_owned()]),
            "the answer broke off",
        ),
        (
            |body| {
                Reply::Stream(vec![format!(
                    "data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":oops}}\n\n",
                    body["id"]
                )])
            },
            "cannot be read",
        ),
    ];
    for (call, words) in calls {
        let server = Server::answering(move |_, body| match body["method"].as_str() {
            Some("tools/call") => call(body),
            _ => reply(body),
        });
        // At its time limit the call would say so.
        let said = called(&server).ends(1);
        assert!(said.err.contains(words), "no `{words}` in {}", said.err);
        let sent = methods(&server)
            .iter()
            .filter(|method| *method == "tools/call")
            .count();
        assert_eq!(sent, 1, "{words}");
    }
}

#[test]
fn replies_in_odd_forms_are_read() {
    let forms: [fn(String) -> Reply; 5] = [
        |answer| Reply::Status(200, "Content-Type: text/plain\r\n", answer.leak()),
        |answer| Reply::Status(200, "", answer.leak()),
        |answer| {
            Reply::Status(
                200,
                "Content-Type: application/json\r\n",
                format!("data: {answer}\n\n").leak(),
            )
        },
        |answer| {
            Reply::Stream(vec![format!(
                "odd\nevent: response\nretry: x\ndata: {answer}\n\n"
            )])
        },
        |answer| Reply::Stream(vec![format!("data: [{answer}]")]),
    ];
    for (at, form) in forms.into_iter().enumerate() {
        let server = Server::answering(move |_, body| {
            let result = match body["method"].as_str() {
                Some("tools/call") => json!({ "content": "it is me" }),
                Some("tools/list") => json!({ "tools": [{ "name": "who" }] }),
                Some("initialize") => json!({}),
                _ => return reply(body),
            };
            form(json!({ "jsonrpc": "2.0", "id": body["id"].to_string(), "result": result }).to_string())
        });
        assert_eq!(called(&server).ends(0).out, "it is me\n", "{at}");
    }
}
