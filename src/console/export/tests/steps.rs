//! Tests the steps of calls of recorded runs in the JSON format.
//!
//! Must not know: how a call is repaired.

use std::path::Path;

use overrule_domain::apply::fold;
use overrule_journal::{self as journal, Place};
use overrule_present::graph::{GraphView, Times};

/// Returns the steps of a call of a recorded run, and how it ends.
fn recorded(session: &str, name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("sessions/demos")
        .join(session);
    let envelopes = journal::read(&Place::at(&path).unwrap()).unwrap().envelopes;
    let state = fold(&envelopes);
    let value = serde_json::to_value(GraphView::of(&state, &Times::new())).unwrap();
    let nodes = value["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|one| one["id"] == name).unwrap();
    node["journey"].to_string()
}

#[test]
fn a_call_repaired_two_times_has_a_step_for_each_round() {
    // The check stopped the first revision, the tool the second.
    let steps = |rev: u32, states: &[&str]| {
        let one = |state: &&str| format!(r#"{{"state":"{state}","revision":{rev}}}"#);
        states.iter().map(one).collect::<Vec<_>>().join(",")
    };
    let ran =
        |rev: u32, times: u32| format!(r#"{{"state":"execute_tool","revision":{rev},"executions":{times}}}"#);
    let round = [
        "error_detected",
        "diagnose_error",
        "select_repair_strategy",
        "apply_repair_strategy",
        "validate_parameters",
    ];
    let all = [
        steps(1, &["start", "plan_tool_call"]),
        ran(1, 0),
        steps(1, &round),
        steps(2, &["retry_tool_call"]),
        ran(2, 1),
        steps(2, &round),
        steps(3, &["retry_tool_call"]),
        ran(3, 1),
        steps(3, &["tool_call_success", "end"]),
    ];
    assert_eq!(
        recorded("flights.jsonl", "c5"),
        format!(
            r#"{{"state":"end","attempt":2,"of":3,"left":null,"steps":[{}]}}"#,
            all.join(",")
        )
    );
}

#[test]
fn a_call_that_was_stopped_before_it_ran_has_no_execution_and_no_attempt() {
    assert_eq!(
        recorded("office.jsonl", "c4"),
        r#"{"state":"end","attempt":0,"of":3,"left":null,"steps":[{"state":"start","revision":1},{"state":"plan_tool_call","revision":1},{"state":"execute_tool","revision":1,"executions":0},{"state":"error_detected","revision":1},{"state":"diagnose_error","revision":1},{"state":"select_repair_strategy","revision":1},{"state":"no_further_repair_possible","revision":1},{"state":"report_failure","revision":1},{"state":"end","revision":1}]}"#
    );
}
