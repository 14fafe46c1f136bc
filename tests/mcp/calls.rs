//! Tests of MCP calls in a run: policy by server, tool and claim; declared tools beside them.
//!
//! Must not know: how the program works inside.

use serde_json::json;

use crate::servers::Served;

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
