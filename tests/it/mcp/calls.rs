//! Tests of MCP calls in a run: policy by server, tool, argument and claim; what a rule would have done; long results.
//!
//! Must not know: how the program works inside.

use overrule::domain::call::Outcome;
use serde_json::{Value, json};

use crate::mcp::servers::{ALLOW, Served};

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
fn the_preview_of_a_rule_counts_the_calls_of_a_server() {
    let served = Served::new(&[]);
    let calls = [
        ("echo", json!({"text": "a"})),
        ("echo", json!({"text": "b"})),
        ("slow", json!({})),
    ];
    served.play(&calls, ALLOW).ends(0);
    let id = served.world.id();
    let preview = |rule: &str| {
        let args = ["add-rule", &id, rule, "--preview", "--json"];
        let said = served.world.run(&args).ends(0);
        let view: Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
        view
    };
    for (rule, matched) in [
        (r#"server = "bad", gate = "deny""#, 3),
        (r#"server = "good", gate = "deny""#, 0),
        (r#"tool = "bad__echo", gate = "ask""#, 2),
        (r#"tag = "claims:read_only", gate = "deny""#, 2),
        (
            r#"server = "bad", args = [{ at = "/text", is = "b" }], gate = "deny""#,
            1,
        ),
    ] {
        let history = preview(rule);
        assert_eq!(history["matched"], matched, "{rule}: {history}");
        assert_eq!(history["ran"], matched, "{rule}: {history}");
    }
    // No rule of a session allows them.
    let allow = ["add-rule", &id, r#"server = "bad", gate = "allow""#, "--preview"];
    served.world.run(&allow).ends(2).tells("one by one");
}

#[test]
fn the_standard_error_of_a_server_goes_to_the_session_alone() {
    let served = Served::new(&[("FAULTY_STDERR", "secret words")]);
    let said = served
        .play(&[("echo", json!({"text": "a"}))], crate::mcp::servers::ALLOW)
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
