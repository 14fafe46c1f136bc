//! Tests of a server over Streamable HTTP: its tools, its token, a log-in that is missing.
//!
//! Must not know: how the program works inside.

use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::world::World;

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
        crate::world::finish(command)
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
    let listed = crate::world::finish(command).ends(0);
    assert!(
        listed.out.contains("server remote  down") && listed.out.contains("token_env"),
        "{}",
        listed.out
    );
}
