//! How often somebody was asked, by what, and whether anybody answered.
//!
//! Must not know: who shows it.

use crate::domain::call::{Call, Consequence, Decision};
use crate::domain::state::State;

/// Questions that were put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalStats {
    /// What the line is called: nobody was asked where none of the questions had an answer.
    pub name: &'static str,
    /// How often, and by what. Holds the names of files.
    pub words: String,
}

/// The questions of a run; none where there was none.
pub fn of(state: &State) -> Option<ApprovalStats> {
    let words = state.asks.describe()?;
    let all = state.asks.total() as usize;
    let left = unanswered(state);
    Some(match left {
        0 => ApprovalStats {
            name: "asked you",
            words,
        },
        left if left >= all => ApprovalStats {
            name: "asked",
            words: format!("{words}; nobody answered"),
        },
        left => ApprovalStats {
            name: "asked you",
            words: format!("{words}; nobody answered {left} of them"),
        },
    })
}

/// Questions that were over without an answer: there was no operator, or they did not come in time. One that goes on
/// waiting is none of them.
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
    use crate::console::testing::{Stage, id};
    use crate::domain::event::CallEvent;
    use crate::domain::id::Rev;

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
            Some((
                "asked",
                "twice: 2 by preset supervised; nobody answered".to_owned()
            ))
        );
        stage.awaiting("c5", "write_file", r#"{"path":"a","content":"b"}"#);
        expire(&mut stage, "c5", Consequence::Escalate);
        assert_eq!(
            text(&stage),
            Some((
                "asked you",
                "3 times: 3 by preset supervised; nobody answered 2 of them".to_owned()
            ))
        );
    }
}
