//! Tests of MCP calls in a run: policy by server, tool and claim; declared tools beside them.
//!
//! Must not know: how the program works inside.

use overrule::domain::call::Outcome;
use serde_json::{Value, json};

use crate::servers::{ALLOW, Served};

#[test]
fn rules_match_the_server_the_tool_its_arguments_and_its_claims() {
    let table = [
        ("preset = \"guarded\"\n", false),
        ("preset = \"read-only\"\n", false),
        ("[[rule]]\nserver = \"bad\"\ngate = \"allow\"\n", true),
        ("[[rule]]\nserver = \"good\"\ngate = \"allow\"\n", false),
        ("[[rule]]\ntool = \"bad__e*\"\ngate = \"allow\"\n", true),
        ("[[rule]]\ntag = \"claims:read_only\"\ngate = \"allow\"\n", true),
        (
            "[[rule]]\nserver = \"bad\"\nargs = [{ at = \"/text\", is = \"a\" }]\ngate = \"allow\"\n",
            true,
        ),
        (
            "[[rule]]\nserver = \"bad\"\nargs = [{ at = \"/text\", is = \"b\" }]\ngate = \"allow\"\n",
            false,
        ),
        (
            "[[rule]]\nserver = \"bad\"\ngate = \"allow\"\n[[rule]]\nserver = \"b*\"\ngate = \"deny\"\n",
            false,
        ),
    ];
    for (policy, runs) in table {
        let served = Served::new(&[]);
        let said = served.play(&[("echo", json!({"text": "a"}))], policy).ends(0);
        assert_eq!(said.out, if runs { "a\n" } else { "no result\n" }, "{policy}");
        assert_eq!(served.calls().len(), usize::from(runs), "{policy}");
    }
}

#[test]
fn the_standard_error_of_a_server_goes_to_the_session_alone() {
    let served = Served::new(&[("FAULTY_STDERR", "secret words")]);
    let said = served
        .play(&[("echo", json!({"text": "a"}))], crate::servers::ALLOW)
        .ends(0);
    assert!(
        !said.err.contains("secret words") && !said.out.contains("secret words"),
        "{}",
        said.err
    );
    let log = served
        .world
        .sessions()
        .join(served.world.id())
        .join("servers/bad.log");
    assert!(std::fs::read_to_string(log).unwrap().contains("secret words"));
    // It goes with its session.
    served
        .world
        .run(&["sessions", "delete", &served.world.id(), "--yes"])
        .ends(0);
    assert_eq!(served.world.ids(), [""; 0]);
}

#[test]
fn a_declared_tool_runs_its_command_without_a_shell() {
    let served = Served::untrusted(&[]);
    let config = served.world.aside(
        "config.toml",
        r#"
[tool.count]
description = "Counts the lines of a file of the workspace."
command = ["wc", "-l", "{file}"]
schema = { type = "object", properties = { file = { type = "string" } }, required = ["file"], additionalProperties = false }
effect = "read"
"#,
    );
    let call = |args: &str| {
        served
            .world
            .run(&["tools", "call", "count", args, "--config", &config])
    };
    assert_eq!(call(r#"{"file":"notes.txt"}"#).ends(0).out, "2 notes.txt\n\n");
    // No shell reads it, and it is no option.
    call(r#"{"file":"notes.txt; touch made"}"#).ends(1);
    call(r#"{"file":"--files0-from=notes.txt"}"#)
        .ends(1)
        .tells("option");
    assert_eq!(served.world.read("made"), "");
    assert!(!served.world.ws().join("made").exists());
    call(r#"{"fiel":"notes.txt"}"#).ends(2);
}

#[test]
fn a_wrong_declaration_is_refused_with_its_place() {
    let served = Served::untrusted(&[]);
    let table = [
        ("command = \"wc -l\"", "no shell reads it"),
        ("command = [\"{file}\"]", "the program is a placeholder"),
        ("command = [\"wc\", \"{fiel}\"]", "did you mean `{file}`?"),
        (
            "http = { method = \"GET\", url = \"https://{file}/\" }",
            "choose the server",
        ),
        (
            "command = [\"wc\", \"{file}\", \"-l\"]",
            "is left out if `file` is absent",
        ),
        (
            "http = { method = \"GET\", url = \"https://a/../{file}\" }",
            "a part `.` or `..`",
        ),
        ("http = { method = \"GOT\", url = \"https://a/\" }", "no method"),
        ("stdin = \"x\"", "only goes with command or http"),
        ("command = [\"wc\"]\nsucces = [0]", "did you mean `success`?"),
        (
            "command = [\"wc\"]\nhttp = { method = \"GET\", url = \"https://a/\" }",
            "keep one of them",
        ),
    ];
    let schema = "schema = { type = \"object\", properties = { file = { type = \"string\" } } }";
    for (keys, why) in table {
        let text = format!("[tool.count]\ndescription = \"d\"\n{schema}\n{keys}\n");
        let config = served.world.aside("config.toml", &text);
        let said = served.world.run(&["tools", "list", "--config", &config]).ends(3);
        assert!(said.err.contains(why), "{keys}: {}", said.err);
        assert!(
            said.err.contains("config.toml:") && said.err.contains("tool.count"),
            "{keys}: {}",
            said.err
        );
    }
}

/// A playbook that calls a declared tool.
const DECLARED: &str = r#"
[meta]
name = "declared"
[[rule]]
when = { seen_call = "it" }
answer = "{{ result.it | default('no result') | trim }}"
[[rule]]
think = "I call."
[[rule.call]]
tool = "it"
as = "it"
args = {}
"#;

#[test]
fn the_script_of_a_declared_command_is_part_of_what_is_approved() {
    for changed in [false, true] {
        let world = crate::world::World::new();
        world.file("deploy.sh", "echo approved");
        let config = world.aside(
            "config.toml",
            "[tool.it]\ndescription = \"Deploys.\"\ncommand = [\"sh\", \"deploy.sh\"]\n",
        );
        let with = ["--config", &config];
        world.play(DECLARED, &with).ends(0);
        let id = world.id();
        let call = world.state(&id).calls.keys().next().unwrap().to_string();
        world.run(&["retry", &id, &call, "--config", &config]).ends(0);
        let state = world.state(&id);
        let life = state.calls.values().next().unwrap();
        assert_eq!(&*life.operands()[0].path, "deploy.sh");
        let digest = life.digest.clone().unwrap();
        world
            .run(&["approve", &id, &call, "--digest", &digest.0, "--config", &config])
            .ends(0);
        if changed {
            world.file("deploy.sh", "touch made; echo evil");
        }
        let said = world
            .run(&["resume", &id, "--headless", "--config", &config])
            .ends(0);
        let expected = if changed { "no result\n" } else { "approved\n" };
        assert_eq!(said.out, expected);
        assert!(!world.ws().join("made").exists());
    }
}

#[test]
fn the_key_that_is_sent_is_the_one_that_was_recorded() {
    use overrule::domain::event::{CallEvent, Event};
    let server = crate::server::Server::answering(|_, _| crate::server::Reply::Status(200, "", "done"));
    let world = crate::world::World::new();
    let config = format!(
        "[tool.it]\ndescription = \"Sends.\"\nhttp = {{ method = \"PUT\", url = \"{}\" }}\n\
         idempotency_key = \"header:Idempotency-Key\"\n",
        server.base
    );
    let config = world.aside("config.toml", &config);
    let policy = world.aside(
        "policy.toml",
        "preset = \"auto\"\n[[rule]]\ntool = \"it\"\ngate = \"allow\"\n",
    );
    world
        .play(DECLARED, &["--config", &config, "--policy", &policy])
        .ends(0);
    let facts = world.facts(&world.id());
    let recorded = facts.iter().find_map(|fact| match &fact.event {
        Event::Call(CallEvent::Started { key, .. }) => Some(key.to_string()),
        _ => None,
    });
    let seen = server.seen();
    let head = seen[0].head.to_lowercase();
    let sent = head
        .lines()
        .find_map(|line| line.strip_prefix("idempotency-key: "));
    assert_eq!(sent.map(str::trim), recorded.as_deref());
}

#[test]
fn a_result_that_is_too_long_is_stored_whole_in_the_folder_of_the_session() {
    let served = Served::new(&[]);
    served.play(&[("big", json!({}))], ALLOW).ends(0);
    let id = served.world.id();
    let state = served.world.state(&id);
    let call = state.calls.values().next().unwrap();
    let Some(Outcome::Ok {
        value,
        meta,
        discarded,
        ..
    }) = &call.attempts[0].outcome
    else {
        panic!("{:?}", call.attempts)
    };
    assert!(*discarded > 1 << 20 && value.len() < 1 << 20 && value.contains("bytes left out"));
    let meta: Value = serde_json::from_str(meta.as_deref().unwrap()).unwrap();
    assert_eq!(meta["whole"], format!("outputs/{}.txt", call.id));
    let whole = served
        .world
        .sessions()
        .join(&id)
        .join(meta["whole"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(whole).unwrap(), "y".repeat(2 << 20));
    // A short result is in the record alone.
    served.play(&[("echo", json!({"text": "a"}))], ALLOW).ends(0);
    let id = served.world.ids().pop().unwrap();
    assert!(!served.world.sessions().join(id).join("outputs").exists());
}
