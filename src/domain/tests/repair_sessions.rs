//! Draws a random session with repairs: wrong calls, tools that object, replies, operator decisions.
//!
//! Must not know: what must be true.

use super::flights;
use super::op_sequence::OpSequence;
use super::world::*;
use overrule_domain::call::{Outcome, Status};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::NodeId;
use overrule_domain::input::Block;
use overrule_domain::ladder::Stage;
use overrule_domain::repair::Passing;

/// Tools whose calls may be repaired; a session uses one of them.
const TOOLS: [&str; 3] = ["write", "read", "idem"];

/// Draws rules that repair the calls of one tool.
pub fn rules(tape: &mut OpSequence<'_>, rules: &mut Rules) {
    let tool = TOOLS[tape.draw(TOOLS.len())];
    let (strict, attended) = (tape.draw(2) == 0, tape.draw(4) > 0);
    let repairs = flights::rules(tool, strict, attended);
    (rules.steps, rules.schemas) = (repairs.steps, repairs.schemas);
    tape.repaired_tool = Some(tool);
}

/// A call of that tool; most are wrong.
pub fn call_of(tape: &mut OpSequence<'_>, tool: &str) -> Block {
    let parts = [
        ["\"_as\":\"l0\"", "\"_as\":\"l1\"", "", "\"_as\":\"l2\""][tape.draw(4)],
        [
            "\"origin\":\"JFK\"",
            "",
            "\"origin\":5",
            "\"origin\":\"†call.l0.v\"",
        ][tape.draw(4)],
        [
            "",
            "\"departure_date\":\"Oct 26, 2024\"",
            "\"departure_date\":\"10/11/2024\"",
            "\"departure_date\":\"2024-10-26\"",
        ][tape.draw(4)],
        [
            "",
            "\"class\":\"business class\"",
            "\"class\":\"x\"",
            "\"class\":\"first\"",
        ][tape.draw(4)],
        [
            "",
            "\"passengers\":2",
            "\"passengers\":\"2\"",
            "\"passengers\":12",
        ][tape.draw(4)],
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|one| !one.is_empty()).collect();
    call(tool, &format!("{{{}}}", parts.join(",")))
}

/// A refusal of an execution for its arguments.
pub fn refused(tape: &mut OpSequence<'_>) -> Outcome {
    let messages = [
        "Missing required parameter 'passengers'",
        "Invalid date format for 'departure_date'",
        "Value for 'class' must be one of [economy, business]",
        "Invalid date format for 'departure_date'; Value for 'class' must be one of [economy, business]",
        "Missing required parameter 'origin'",
        "this is not how it is called",
    ];
    flights::refused(messages[tape.draw(messages.len())])
}

/// An answer of the model about arguments, or a word of the operator; false where there is nothing to say.
pub fn step(w: &mut World, tape: &mut OpSequence<'_>) -> bool {
    let repairing = |call: &&overrule_domain::call::Call| matches!(call.status, Status::Repairing(_));
    let under_way: Vec<NodeId> = w
        .state
        .calls
        .values()
        .filter(repairing)
        .map(|call| call.id)
        .collect();
    match tape.draw(3) {
        0 if !w.questions.is_empty() => answer(w, tape),
        1 if !under_way.is_empty() => {
            let id = under_way[tape.draw(under_way.len())];
            let rev = w.rev(id);
            let choosing = w.status(id) == Status::Repairing(Stage::Choosing);
            let command = match tape.draw(6) {
                0 => ResilienceCommand::SkipRepair { call: id, rev },
                _ if choosing => {
                    let option = tape.draw(3);
                    ResilienceCommand::ChooseRepair {
                        call: id,
                        rev,
                        option,
                    }
                }
                _ => return false,
            };
            drop(w.cmd(Command::Resilience(command)));
        }
        _ => return false,
    }
    true
}

fn answer(w: &mut World, tape: &mut OpSequence<'_>) {
    let at = tape.draw(w.questions.len());
    w.questions.rotate_left(at);
    match tape.draw(9) {
        0 => flights::broke(w, None),
        1 => flights::broke(
            w,
            Some(Passing {
                retry_after_ms: None,
                is_cut: false,
            }),
        ),
        2 => flights::answer_question(w, ["{}", "77", "no idea"][tape.draw(3)]),
        3 => flights::answer_question(w, r#"{"passengers":1}"#),
        4 => flights::answer_question(w, r#"{"class":"business"}"#),
        5 => flights::answer_question(w, r#"{"origin":"OSL"}"#),
        6 => flights::answer_question(w, "economy"),
        7 => flights::answer_question(w, r#"{"departure_date":"2024-10-27"}"#),
        _ => flights::answer_question(w, r#"{"passengers":3,"origin":"LAX","class":"first"}"#),
    }
}
