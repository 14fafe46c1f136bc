//! The thread of a sub-agent.
//!
//! Must not know: who decides, what the sub-agent does.

use std::sync::Arc;

use crate::id::{Attempt, NodeId, Rev, ThreadId};

/// The thread of a sub-agent, as it was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// The thread.
    pub thread: ThreadId,
    /// The thread of the call.
    pub parent: ThreadId,
    /// The call whose result the sub-agent's answer is.
    pub call: NodeId,
    /// The revision of the call.
    pub rev: Rev,
    /// The execution of the call.
    pub attempt: Attempt,
    /// 1 for a sub-agent of the root.
    pub depth: u32,
    /// Names of the tools that it is offered.
    pub tools: Vec<Arc<str>>,
    /// Turns of its model, at most.
    pub max_turns: u32,
}
