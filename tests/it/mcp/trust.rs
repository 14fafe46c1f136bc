//! Tests of the trust in a workspace's servers.
//!
//! Must not know: how the program works inside.

use serde_json::json;

use crate::mcp::servers::{ALLOW, Served};

#[test]
fn a_workspace_starts_nothing_before_its_file_is_trusted() {
    let served = Served::untrusted(&[]);
    let listed = served.world.run(&["tools", "list"]).ends(0);
    listed.tells("overrule trust");
    let said = served.play(&[("echo", json!({"text": "a"}))], ALLOW);
    assert!(said.err.contains("overrule trust"), "{}", said.err);
    assert_eq!(served.log(), [""; 0], "the server was not even started");
    // What would run is shown whole.
    let shown = served.world.run(&["trust"]).ends(0);
    assert!(shown.out.contains("bad starts: FAULTY_LOG="), "{}", shown.out);
    assert!(
        shown.out.contains("mcp::faulty_server --exact --nocapture"),
        "{}",
        shown.out
    );
    assert!(shown.out.contains("not trusted"));
    // A hash of something else trusts nothing.
    served.world.run(&["trust", "--hash", "0123"]).ends(2);
    served.world.run(&["tools", "list"]).ends(0);
    assert_eq!(served.log(), [""; 0]);
    served.trust();
    assert_eq!(
        served.play(&[("echo", json!({"text": "a"}))], ALLOW).ends(0).out,
        "a\n"
    );
    assert_eq!(served.calls(), ["echo {\"text\":\"a\"}"]);
}

#[test]
fn a_change_of_the_file_ends_the_trust() {
    let served = Served::new(&[]);
    served.world.run(&["tools", "list"]).ends(0);
    let started = served.log().len();
    assert!(started > 0);
    served.write(&[("FAULTY_VERSION", "2")]);
    served
        .world
        .run(&["tools", "list"])
        .ends(0)
        .tells("overrule trust");
    assert_eq!(served.log().len(), started, "nothing started");
    served.trust();
    served.world.run(&["trust", "--revoke"]).ends(0);
    served
        .world
        .run(&["tools", "list"])
        .ends(0)
        .tells("overrule trust");
    assert_eq!(served.log().len(), started);
}

#[test]
fn a_verb_on_a_stored_session_starts_no_server() {
    let served = Served::new(&[]);
    let policy = "preset = \"guarded\"\n";
    served.play(&[("echo", json!({"text": "a"}))], policy).ends(0);
    assert_eq!(served.calls(), [""; 0], "not approved: no operator");
    let id = served.world.id();
    let started = served.log().iter().filter(|line| *line == "start").count();
    let state = served.world.state(&id);
    let call = state.calls.keys().next().unwrap().to_string();
    served.world.run(&["queue", &id]).ends(0);
    served.world.run(&["retry", &id, &call]).ends(0);
    let digest = served
        .world
        .state(&id)
        .calls
        .values()
        .next()
        .unwrap()
        .digest
        .clone()
        .unwrap();
    served
        .world
        .run(&["approve", &id, &call, "--digest", &digest.0])
        .ends(0);
    let starts = served.log().iter().filter(|line| *line == "start").count();
    assert_eq!(starts, started, "no verb started the server");
    // The process that resumes the run starts it, and the approval of the same definition holds.
    served.world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(served.calls(), ["echo {\"text\":\"a\"}"]);
}

#[test]
fn a_command_of_the_agent_neither_trusts_nor_accepts() {
    let served = Served::new(&[]);
    let world = &served.world;
    served.call("echo", r#"{"text":"a"}"#).ends(0);
    served.change("2");
    let shown = world.run(&["tools", "accept", "bad"]).ends(0);
    let accept = shown.out.split("--hash ").nth(1).unwrap();
    let accept = accept.split('`').next().unwrap().to_owned();
    // Another file with another hash, which the agent could have written itself.
    served.write(&[("FAULTY_VERSION", "2")]);
    let trust = served.hash();
    let program = format!(
        "env HOME={} XDG_CONFIG_HOME={} XDG_DATA_HOME={} {}",
        world.path("home").display(),
        world.path("home/.config").display(),
        world.path("home/.local/share").display(),
        crate::support::program()
    );
    // Whatever stands between the run and the program, and in a session of its own.
    for before in ["", "exec ", "setsid --wait "] {
        for (what, refused) in [
            (format!("trust --hash {trust}"), "cannot trust the file"),
            (
                format!("tools accept bad --hash {accept}"),
                "cannot accept the definitions",
            ),
            (
                r#"tools call bad__echo "{\"text\":\"agent\"}""#.to_owned(),
                "cannot call bad__echo",
            ),
        ] {
            if what.starts_with("tools") {
                served.write(&[]);
            } else {
                served.write(&[("FAULTY_VERSION", "2")]);
            }
            let line = format!("({before}{program} {what}) 2>&1; echo code $?");
            let said = world
                .play(&command(&line), &["--policy", "auto", "--sandbox", "0"])
                .ends(0);
            assert!(said.out.contains(refused), "{line}: {}", said.out);
            assert!(said.out.contains("code 4"), "{line}: {}", said.out);
        }
    }
    assert!(
        !served.calls().iter().any(|call| call.contains("agent")),
        "{:?}",
        served.calls()
    );
    // Neither was changed, and the operator still decides.
    served.write(&[("FAULTY_VERSION", "2")]);
    assert!(world.run(&["trust"]).ends(0).out.contains("not trusted"));
    served.write(&[]);
    served
        .call("echo", r#"{"text":"b"}"#)
        .ends(4)
        .tells("tools accept bad");
    world.run(&["tools", "accept", "bad", "--hash", &accept]).ends(0);
    served.call("echo", r#"{"text":"b"}"#).ends(0);
}

#[test]
fn everything_that_a_workspace_sets_is_shown_before_it_is_trusted() {
    let served = Served::untrusted(&[]);
    let file = json!({ "mcpServers": {
        "api": { "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer ${T}" } },
        "kept": { "url": "https://k.example/mcp", "headers": { "Authorization": "Bearer canary-4711-canary" } },
        "local": { "command": "./serve", "cwd": "sub dir" },
        "shell": { "command": "sh", "args": ["-c", "token=/tmp/evil.sh; password=$(curl${IFS}c.example) secret=canary-4712"] }
    }});
    served.world.file(".mcp.json", &file.to_string());
    let settings = |header: &str| {
        format!(
            "[tool.send]\ndescription = \"Sends it.\"\nhttp.method = \"POST\"\nhttp.url = \"https://b.example/items\"\n\
             http.body.kind = \"secret kind\"\n[tool.send.http.headers]\nX-To = \"{header}\"\n\
             [tool.run]\ndescription = \"Runs it.\"\ncommand = [\"sh\", \"evil.sh\"]\nstdin = \"yes\"\n\
             [mcp.hidden]\nurl = \"https://c.example/\"\ntoken_cmd = [\"cat\", \"key file\"]\n\
             [mcp.named]\nurl = \"https://d.example/\"\ntoken_env = \"OTHER_TOKEN\"\n"
        )
    };
    served.world.file("overrule.toml", &settings("${HOME}"));
    let shown = served.world.run(&["trust"]).ends(0).out;
    for part in [
        "api connects to: https://a.example/mcp (header Authorization: 'Bearer ${T}')",
        "kept connects to: https://k.example/mcp (header Authorization: 'Bearer [redacted 18 bytes]')",
        "local starts: ./serve (in 'sub dir')",
        "token=/tmp/evil.sh; password=$(curl${IFS}c.example) secret=[redacted 11 bytes]",
        "\"method\":\"POST\"",
        "https://b.example/items",
        "secret kind",
        "\"X-To\":\"${HOME}\"",
        "[\"sh\",\"evil.sh\"]",
        "\"stdin\":\"yes\"",
        "hidden connects to: https://c.example/ (token printed by cat 'key file')",
        "named connects to: https://d.example/ (token in OTHER_TOKEN)",
    ] {
        assert!(shown.contains(part), "no `{part}` in\n{shown}");
    }
    assert!(!shown.contains("canary"), "{shown}");
    // A change in a table of its own makes another tool.
    let trusted = served.world.run(&["trust", "--json"]).ends(0).out;
    for line in trusted.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let hash = line["hash"].as_str().unwrap();
        served.world.run(&["trust", "--hash", hash]).ends(0);
    }
}

/// A playbook that runs one line in the shell and answers with what it printed.
fn command(line: &str) -> String {
    format!(
        "[meta]\nname = \"command\"\n\
         [[rule]]\nwhen = {{ seen_call = \"it\" }}\nanswer = \"{{{{ result.it | default('no result') | trim }}}}\"\n\
         [[rule]]\n[[rule.call]]\ntool = \"shell\"\nas = \"it\"\nargs = {{ command = '{line}' }}\n"
    )
}
