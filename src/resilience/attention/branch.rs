//! Finds the smallest part of a run that a need belongs to and that can be stopped alone.
//!
//! Must not know: which key stops it, who is notified.
//!
//! Such a part is a call and its readers, a sub-agent, the calls that repeat, or else the run.

use std::fmt::Write as _;

use super::{Attention, AttentionReason};
use overrule_domain::graph::readers_of;
use overrule_domain::id::{NodeId, Rev, ThreadId};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;

/// Maximum number of readers that are named.
const NAMED: usize = 4;

/// What is stopped if a person stops the matter in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Branch {
    /// A call that has not run; its readers receive nothing.
    Call {
        /// The call.
        call: NodeId,
        /// Its revision.
        rev: Rev,
        /// The calls that read its result, directly or indirectly.
        readers: Vec<NodeId>,
    },
    /// A sub-agent, identified by the call that started it.
    Agent(NodeId),
    /// The calls that repeat in this incident: they were made, and must not be made again.
    Loop(u32),
    /// The whole run, because nothing smaller is left.
    Run,
}

impl Branch {
    /// Returns what a need belongs to.
    pub fn of(state: &State, need: &Attention) -> Self {
        let agent = |thread: ThreadId| {
            let child = state.threads.children.get(&thread).filter(|_| thread != ROOT);
            child.map(|child| Self::Agent(child.call))
        };
        match &need.cause {
            AttentionReason::Loop(no) => state
                .learned
                .escape
                .incident(*no)
                .and_then(|incident| agent(incident.finding.thread))
                .unwrap_or(Self::Loop(*no)),
            AttentionReason::Calls | AttentionReason::Repair | AttentionReason::Breaker => {
                let counts = |id: &&NodeId| state.nodes.get(id).is_some_and(|node| node.active);
                let node = need.calls.iter().find(counts).and_then(|id| state.nodes.get(id));
                node.map_or(Self::Run, |node| Self::Call {
                    call: node.id,
                    rev: node.rev(),
                    readers: readers_of(state, node.id).into_iter().collect(),
                })
            }
            AttentionReason::Stream(turn) => state
                .turns
                .get(turn)
                .and_then(|turn| agent(turn.thread))
                .unwrap_or(Self::Run),
            AttentionReason::Restore(_)
            | AttentionReason::Limit
            | AttentionReason::Stopped
            | AttentionReason::Edit
            | AttentionReason::Own => Self::Run,
        }
    }

    /// Describes what stopping it does; everything else continues.
    pub fn describe(&self) -> String {
        match self {
            Self::Call { call, readers, .. } => {
                let mut words = format!("skip {call}");
                if !readers.is_empty() {
                    let named: Vec<String> = readers.iter().take(NAMED).map(ToString::to_string).collect();
                    let _ = write!(words, " and what reads it ({}", named.join(", "));
                    let more = readers.len() - named.len();
                    if more > 0 {
                        let _ = write!(words, " and {more} more");
                    }
                    words.push(')');
                }
                words
            }
            Self::Agent(call) => format!("end the sub-agent of {call}"),
            Self::Loop(_) => "tell the model to leave these calls".to_owned(),
            Self::Run => "stop the run; resume continues it".to_owned(),
        }
    }
}

/// Returns the text for the model when a loop is stopped, or `None` without such an incident.
/// Contains untrusted text.
pub fn leave(state: &State, incident: u32) -> Option<String> {
    let finding = &state.learned.escape.incident(incident)?.finding;
    let mut tools: Vec<&str> = finding.signatures.iter().map(|one| &*one.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    Some(format!(
        "This led nowhere ({}). Leave this part of the task: do not make these calls of {} again, in any form. \
         Continue with the rest, or answer with what you have and say what is missing.",
        finding.describe(),
        tools.join(", ")
    ))
}
