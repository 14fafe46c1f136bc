//! Tests of refusals as servers word them, in a run: repaired within one retry, or put to the operator with the argument
//! named, and never changed without a record.
//!
//! Must not know: how the program works inside.

use std::process::Stdio;

use overrule::domain::call::Status;
use serde_json::json;

use crate::mcp::servers::{ALLOW, Served, playbook};
use crate::mcp::world::{until, wait};

#[test]
fn a_refusal_that_names_the_fault_is_repaired_within_one_retry_and_recorded() {
    let words = "MCP error -32602: Invalid date format for 'when'";
    let served = Served::new(&[("FAULTY_SAYS", words)]);
    let said = served
        .play(&[("fail", json!({"when": "Oct 26, 2024"}))], ALLOW)
        .ends(0);
    assert_eq!(said.out, "booked\n", "{}", said.err);
    let calls = served.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(
        calls[0].contains("Oct 26, 2024") && calls[1].contains("2024-10-26"),
        "{calls:?}"
    );
    let journal = served.world.journal(&served.world.id());
    assert!(
        journal.contains("date_format_correction") && journal.contains("Oct 26, 2024"),
        "the change is recorded with what was there before"
    );
}

#[test]
fn a_refusal_without_a_code_is_repaired_by_what_its_lines_say() {
    for words in [
        "1 validation error for call[fail]\nwhen\n  Input should be a valid date or datetime, invalid character in year \
         [type=date_from_datetime_parsing, input_value='Oct 26, 2024', input_type=str]",
        "Parameter 'when' has invalid date format. Expected YYYY-MM-DD.",
    ] {
        let served = Served::new(&[("FAULTY_SAYS", words)]);
        let said = served
            .play(&[("fail", json!({"when": "Oct 26, 2024"}))], ALLOW)
            .ends(0);
        assert_eq!(said.out, "booked\n", "{}", said.err);
        let calls = served.calls();
        assert_eq!(calls.len(), 2, "{calls:?}");
        assert!(calls[1].contains("2024-10-26"), "{calls:?}");
    }
    // A text that only mentions the argument starts no repair.
    let served = Served::new(&[("FAULTY_SAYS", "the file when was deleted")]);
    served.play(&[("fail", json!({"when": "Oct 26, 2024"}))], ALLOW);
    let calls = served.calls();
    assert!(
        calls.iter().all(|call| call.contains("Oct 26, 2024")),
        "{calls:?}"
    );
}

#[test]
fn a_refusal_that_no_rule_can_mend_is_put_to_the_operator_with_the_argument_named() {
    let words = "Error executing tool fail: Invalid timezone: 'No time zone found with key Berlni'";
    let served = Served::new(&[("FAULTY_SAYS", words)]);
    let world = &served.world;
    let policy = world.aside("policy.toml", ALLOW);
    let config = world.aside("patient.toml", "[policy]\ndeadline = \"1h\"\n");
    let args = json!({"source_timezone": "Berlni", "other": "UTC"});
    let text = playbook(&[("fail", args)]);
    let mut command = world.playing(&text, &["--policy", &policy, "--config", &config, "--control"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    until("it is put to the operator", || {
        let id = world.ids().pop();
        id.is_some_and(|id| {
            let path = world.sessions().join(id).join("journal.jsonl");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            text.contains("no repair is left")
        })
    });
    let id = world.id();
    let queue = world.run(&["queue", &id]).ends(0).out;
    assert!(queue.contains("about the argument `source_timezone`"), "{queue}");
    let state = world.state(&id);
    let call = state.calls.values().next().unwrap();
    let (_, args) = state.nodes[&call.id].as_call().unwrap();
    assert!(args.contains("Berlni"), "nothing was changed: {args}");
    let name = call.id.to_string();
    world.run(&["skip-repair", &id, &name]).ends(0);
    wait(child).ends(0);
    assert_eq!(served.calls().len(), 1, "it ran once");
    let state = world.state(&id);
    let call = state.calls.values().next().unwrap();
    assert!(matches!(call.status, Status::Failed(_)), "{:?}", call.status);
}
