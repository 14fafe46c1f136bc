//! Tests of listing, showing and checking tools without a run.
//!
//! Must not know: how the program works inside.

use serde_json::Value;

use crate::mcp::servers::{Served, is_running};

#[test]
fn both_generations_are_listed_with_their_pages_classes_and_claims() {
    for (generation, protocol) in [("old", "2025-11-25"), ("new", "2026-07-28")] {
        let served = Served::new(&[("FAULTY_GENERATION", generation)]);
        let said = served.world.run(&["tools", "list", "--json"]).ends(0);
        let lines: Vec<Value> = said
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let server = &lines[0]["server"];
        assert_eq!(server["state"], "ready", "{server}");
        assert_eq!(server["protocol"], protocol);
        assert_eq!(server["tools"].as_array().unwrap().len(), 18, "all pages");
        let tool = |name: &str| {
            let found = lines.iter().find(|line| line["tool"]["name"] == name);
            found.unwrap_or_else(|| panic!("no {name} in {}", said.out))["tool"].clone()
        };
        let echo = tool("bad__echo");
        // The server claims that it only reads: that lowers nothing.
        assert_eq!(echo["effect"], "unknown");
        assert_eq!(echo["proposed"], "read");
        assert_eq!(
            echo["tags"],
            serde_json::json!(["claims:read_only", "claims:not_open_world"])
        );
        assert_eq!(tool("bad__die")["effect"], "unknown");
        assert_eq!(tool("read_file")["effect"], "read");
        assert!(
            !said.out.contains("\"bad__broken\""),
            "a schema that reads a file is not offered"
        );
        assert!(!is_running(&served.world), "no server is left");
        assert!(!said.err.contains("a word on standard error"), "{}", said.err);
        assert_eq!(served.calls(), [""; 0]);
    }
}

#[test]
fn a_tool_is_shown_and_called_by_hand() {
    let served = Served::new(&[]);
    let shown = served.world.run(&["tools", "show", "bad__echo"]).ends(0);
    for part in [
        "bad › echo",
        "the server suggests read",
        "Says the text again",
        "\"required\"",
        "pin",
    ] {
        assert!(shown.out.contains(part), "no `{part}` in\n{}", shown.out);
    }
    assert_eq!(served.call("echo", r#"{"text":"hello"}"#).ends(0).out, "hello\n");
    assert_eq!(served.call("structure", "{}").ends(0).out, "{\n  \"sum\": 3\n}\n");
    let picture = served.call("picture", "{}").ends(0).out;
    assert_eq!(picture, "[image, image/png, 300 bytes, not shown]\n");
    served.call("junk", "{}").ends(0);
    let big = served.call("big", "{}").ends(0);
    assert!(
        big.out.len() < 600_000 && big.err.contains("bytes left out"),
        "{}",
        big.err
    );
    // Arguments are checked here: nothing reaches the server.
    let before = served.calls().len();
    served.call("echo", r#"{"text":1}"#).ends(2).tells("/text");
    served.call("echo", "{}").ends(2).tells("text");
    let wrong = served.call("echo", r#"{"text":"a","tmies":2}"#).ends(2);
    assert!(
        wrong.err.contains("times"),
        "a misspelt name is found: {}",
        wrong.err
    );
    served
        .world
        .run(&["tools", "call", "bad__ecko"])
        .ends(2)
        .tells("bad__echo");
    assert_eq!(served.calls().len(), before);
}

#[test]
fn globs_of_the_settings_hide_tools() {
    let served = Served::new(&[]);
    let config = served.world.aside(
        "config.toml",
        "[mcp.bad]\ntools = [\"*\", \"!die\"]\n[tool.bad__echo]\neffect = \"read\"\n",
    );
    let said = served
        .world
        .run(&["tools", "list", "--json", "--config", &config])
        .ends(0);
    assert!(!said.out.contains("\"bad__die\""));
    let echo = said
        .out
        .lines()
        .find(|line| line.contains("\"name\":\"bad__echo\",\"source\""))
        .unwrap();
    assert!(
        echo.contains("\"effect\":\"read\""),
        "the operator's word decides: {echo}"
    );
}

#[test]
fn the_doctor_tells_of_each_server_and_ends_with_what_it_found() {
    let served = Served::new(&[]);
    let said = served.world.run(&["doctor"]).ends(0);
    let reach = said
        .out
        .lines()
        .find(|line| line.starts_with("warning  reach of tools: "))
        .unwrap();
    for words in ["/dev/pts/N", "tmux send-keys", "TIOCSTI"] {
        assert!(reach.contains(words), "{reach}");
    }
    assert!(
        said.out
            .contains("ok       MCP server bad: 18 tools, protocol 2025-11-25"),
        "{}",
        said.out
    );
    let broken = Served::new(&[("FAULTY_START", "exit")]);
    let said = broken.world.run(&["doctor", "--json"]).ends(1);
    let line = said
        .out
        .lines()
        .find(|line| line.contains("MCP server bad"))
        .unwrap();
    let check: Value = serde_json::from_str(line).unwrap();
    assert_eq!(check["status"], "failed");
    assert!(
        check["detail"].as_str().unwrap().contains("exit status: 3"),
        "{check}"
    );
    assert!(!is_running(&broken.world));
}

#[test]
fn a_server_that_does_not_answer_a_request_for_changes_is_used_all_the_same() {
    let served = Served::new(&[("FAULTY_GENERATION", "new"), ("FAULTY_LISTEN", "silent")]);
    let said = served.call("echo", r#"{"text":"a"}"#).ends(0);
    assert_eq!(said.out, "a\n");
    assert!(served.log().iter().any(|line| line == "listen"));
}
