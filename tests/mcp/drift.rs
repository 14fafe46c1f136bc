//! Tests of definitions that change: no call runs under one that nobody accepted.
//!
//! Must not know: how the program works inside.

use serde_json::json;

use crate::servers::{ALLOW, Served};

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
        journal.contains("removed: fail") || journal.contains("changed this tool after the call was decided"),
        "the change is recorded"
    );
}
