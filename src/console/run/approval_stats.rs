//! Counts the questions to the operator, by origin, and those without an answer.
//!
//! Must not know: who shows it.

use overrule_domain::call::{Call, Consequence, Decision};
use overrule_domain::state::State;
use overrule_present::many;

/// Statistics of questions to the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalStats {
    /// Name of the line.
    pub name: &'static str,
    /// Number of questions by origin. Holds file names.
    pub words: String,
}

/// The statistics of a run; none without questions.
pub fn of(state: &State) -> Option<ApprovalStats> {
    let asked = state.operator.asks.describe()?;
    let all = state.operator.asks.total() as usize;
    let left = match unanswered(state) {
        0 => String::new(),
        left if left >= all => "; none answered".to_owned(),
        left => format!("; {left} unanswered"),
    };
    Some(match decided(state) {
        Some(decided) => ApprovalStats {
            name: "decisions",
            words: format!("{decided}{left}"),
        },
        None => ApprovalStats {
            name: "asked",
            words: format!("{asked}{left}"),
        },
    })
}

/// What the operator decided: `You approved 2 calls and rejected 1`; none without a decision of theirs.
pub fn decided(state: &State) -> Option<String> {
    let (mut approved, mut rejected) = (0, 0);
    for (_, _, decision) in state.calls.values().flat_map(|call| &call.decisions) {
        match **decision {
            Decision::Approve { .. } | Decision::RunAgain { .. } => approved += 1,
            Decision::Reject { .. } => rejected += 1,
            _ => {}
        }
    }
    match (approved, rejected) {
        (0, 0) => None,
        (0, rejected) => Some(format!("You rejected {}", many(rejected, "call"))),
        (approved, 0) => Some(format!("You approved {}", many(approved, "call"))),
        (approved, rejected) => Some(format!(
            "You approved {} and rejected {rejected}",
            many(approved, "call")
        )),
    }
}

/// True if the operator decided about a call in this session.
pub fn has_decided(state: &State) -> bool {
    let mut decisions = state.calls.values().flat_map(|call| &call.decisions);
    decisions.any(|(_, _, decision)| {
        matches!(
            **decision,
            Decision::Approve { .. }
                | Decision::RunAgain { .. }
                | Decision::Reject { .. }
                | Decision::Answer
                | Decision::Edited
        )
    })
}

/// Number of questions that ended without an answer: without an operator, or after the deadline. A
/// question that still waits is not included.
fn unanswered(state: &State) -> usize {
    let is_over = |decision: &Decision| match decision {
        Decision::Expire { consequence } => *consequence != Consequence::Escalate,
        _ => false,
    };
    let of_call = |call: &Call| {
        let decisions = call.decisions.iter();
        decisions.filter(|(_, _, decision)| is_over(decision)).count()
    };
    state.calls.values().map(of_call).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Stage, id};
    use overrule_domain::event::CallEvent;
    use overrule_domain::id::Rev;

    fn expire(stage: &mut Stage, node: &str, consequence: Consequence) {
        stage.call(CallEvent::Decided {
            call: id(node),
            rev: Rev(1),
            digest: None,
            decision: Decision::Expire { consequence },
        });
    }

    #[test]
    fn unanswered_approvals_are_not_reported_as_asked_of_the_operator() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        assert_eq!(of(&stage.model.run.state), None);
        for name in ["c3", "c4"] {
            stage.awaiting(name, "write_file", r#"{"path":"a","content":"b"}"#);
            expire(&mut stage, name, Consequence::Deny);
        }
        let text = |stage: &Stage| of(&stage.model.run.state).map(|asked| (asked.name, asked.words));
        assert_eq!(
            text(&stage),
            Some(("asked", "twice: 2 by preset supervised; none answered".to_owned()))
        );
        stage.awaiting("c5", "write_file", r#"{"path":"a","content":"b"}"#);
        expire(&mut stage, "c5", Consequence::Escalate);
        assert_eq!(
            text(&stage),
            Some((
                "asked",
                "3 times: 3 by preset supervised; 2 unanswered".to_owned()
            ))
        );
        let decisions = [
            Decision::Reject { reason: "no".into() },
            Decision::Approve {
                unread: 0,
                shown: None,
            },
        ];
        for (name, decision) in ["c6", "c7"].into_iter().zip(decisions) {
            stage.awaiting(name, "write_file", r#"{"path":"a","content":"b"}"#);
            stage.call(CallEvent::Decided {
                call: id(name),
                rev: Rev(1),
                digest: None,
                decision,
            });
        }
        assert_eq!(
            text(&stage),
            Some((
                "decisions",
                "You approved 1 call and rejected 1; 2 unanswered".to_owned()
            ))
        );
    }
}
