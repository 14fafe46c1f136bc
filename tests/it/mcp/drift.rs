//! Tests of definitions that change: no call runs under one that nobody accepted.
//!
//! Must not know: how the program works inside.

use serde_json::json;

use crate::mcp::servers::{ALLOW, Served};

#[test]
fn changed_definitions_ask_whatever_the_rules_allow_until_they_are_accepted() {
    let served = Served::new(&[]);
    let play = || served.play(&[("echo", json!({"text": "a"}))], ALLOW);
    assert_eq!(play().ends(0).out, "a\n");
    assert_eq!(served.calls().len(), 1);
    // The command line stays the same, so the trust holds; only the definitions differ.
    let ids = served.world.ids().len();
    served.change("2");
    let said = play().ends(0);
    assert_eq!(said.out, "no result\n");
    assert_eq!(served.calls().len(), 1, "nothing ran");
    let id = served.world.ids()[ids].clone();
    let journal = served.world.journal(&id);
    assert!(
        journal.contains("changed definitions") && journal.contains("version 2"),
        "the difference is recorded"
    );
    served
        .call("echo", r#"{"text":"b"}"#)
        .ends(4)
        .tells("tools accept bad");
    assert_eq!(served.calls().len(), 1);
    let shown = served.world.run(&["tools", "accept", "bad"]).ends(0);
    assert!(shown.out.contains("changed: echo"), "{}", shown.out);
    assert!(
        shown
            .out
            .contains("/description: \"Says the text again (version 1).\""),
        "{}",
        shown.out
    );
    let hash = shown
        .out
        .split("--hash ")
        .nth(1)
        .unwrap()
        .split('`')
        .next()
        .unwrap()
        .to_owned();
    served
        .world
        .run(&["tools", "accept", "bad", "--hash", "0000"])
        .ends(2);
    served
        .world
        .run(&["tools", "accept", "bad", "--hash", &hash])
        .ends(0);
    assert_eq!(play().ends(0).out, "a\n");
    assert_eq!(served.calls().len(), 2);
}

#[test]
fn a_change_in_the_middle_of_a_run_stops_the_next_call() {
    let served = Served::new(&[]);
    let playbook = r#"
[meta]
name = "drift"
[[rule]]
when = { seen_call = "after" }
answer = "{{ result.after | default('no result') }}"
[[rule]]
when = { seen_call = "change" }
think = "Now again."
[[rule.call]]
tool = "bad__echo"
as = "after"
args = { text = "late" }
[[rule]]
think = "I change it."
[[rule.call]]
tool = "bad__drift"
as = "change"
args = {}
"#;
    let policy = served.world.aside("policy.toml", ALLOW);
    let said = served.world.play(playbook, &["--policy", &policy]).ends(0);
    assert_eq!(said.out, "no result\n");
    assert_eq!(
        served.calls(),
        ["drift {}"],
        "no call ran under the new definition"
    );
    // The run sees the difference, or the call that was already on its way is stopped.
    let journal = served.world.journal(&served.world.id());
    assert!(
        journal.contains("removed: fail") || journal.contains("changed its tools after the call was decided"),
        "the change is recorded"
    );
}

#[test]
fn two_tools_of_one_name_are_no_list() {
    for (fault, why) in [
        ("double", "it lists the tool `echo` twice"),
        ("endless", "its list of tools has more than 64 pages"),
    ] {
        let served = Served::new(&[("FAULTY_LIST", fault)]);
        let said = served.world.run(&["tools", "list"]).ends(1);
        assert!(said.out.contains(why), "{}", said.out);
        assert!(!said.out.contains("bad__echo"), "{}", said.out);
        let starts = served.log().iter().filter(|line| *line == "start").count();
        // The probe for the newer protocol may cost one more.
        assert!(starts <= 2, "it would be the same at the next attempt: {starts}");
    }
}

/// Lets a call wait, and approves it as an operator does while no process runs the session.
fn approved(served: &Served) -> String {
    served
        .play(&[("echo", json!({"text": "a"}))], "preset = \"guarded\"\n")
        .ends(0);
    let id = served.world.id();
    let call = served.world.state(&id).calls.keys().next().unwrap().to_string();
    served.world.run(&["retry", &id, &call]).ends(0);
    let state = served.world.state(&id);
    let digest = state.calls.values().next().unwrap().digest.clone().unwrap();
    served
        .world
        .run(&["approve", &id, &call, "--digest", &digest.0])
        .ends(0);
    id
}

#[test]
fn another_new_tool_ends_the_approval_of_a_call_that_has_not_started() {
    let served = Served::new(&[]);
    let id = approved(&served);
    served.change("more");
    served.world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(
        served.calls(),
        [""; 0],
        "nothing ran under definitions that nobody saw"
    );
    assert!(served.world.journal(&id).contains("new: more"));
}

#[test]
fn a_server_that_is_late_gets_the_calls_that_were_approved_before() {
    let served = Served::new(&[]);
    let id = approved(&served);
    // It takes longer than a run waits for its servers.
    served.world.aside("faulty.log.start", "late");
    served.world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(served.calls(), ["echo {\"text\":\"a\"}"]);
}

#[test]
fn no_program_decides_about_changed_definitions() {
    let served = Served::new(&[]);
    let asked = served.world.path("asked");
    let config = format!(
        "[approver]\ncommand = [\"sh\", \"-c\", \"touch {}; echo '{{\\\"decision\\\":\\\"allow\\\"}}'\"]\n",
        asked.display()
    );
    let config = served.world.aside("config.toml", &config);
    let policy = served.world.aside("policy.toml", "preset = \"guarded\"\n");
    let playbook = crate::mcp::servers::playbook(&[("echo", json!({"text": "a"}))]);
    let play = || {
        let more = ["--policy", &policy, "--config", &config];
        served.world.play(&playbook, &more).ends(0)
    };
    assert_eq!(play().out, "a\n");
    assert!(asked.exists());
    std::fs::remove_file(&asked).unwrap();
    served.change("more");
    assert_eq!(play().out, "no result\n");
    assert!(!asked.exists(), "only the operator decides");
    assert_eq!(served.calls().len(), 1);
}
