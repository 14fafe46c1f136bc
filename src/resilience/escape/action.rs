//! What the calls of one turn came to, as symbols: equal things have equal symbols.
//!
//! A call counts once, however often it was tried or repaired. Must not know: where calls are kept.

use std::sync::Arc;

use crate::domain::escape::Signature;
use crate::domain::id::{NodeId, Seq, TurnId};

/// How a call ended, as far as repetition is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// With a value.
    Value,
    /// With an error, a fault of its arguments, or a rule that forbids it.
    Failure,
    /// A person said no, or nobody answered: that says nothing about the tool.
    Declined,
}

/// What one call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The call.
    pub node: NodeId,
    /// Its tool.
    pub tool: Arc<str>,
    /// Hash of its final arguments.
    pub args: Arc<str>,
    /// How it ended.
    pub end: End,
    /// True where its tool can change the world.
    pub acts: bool,
    /// What its error looks like; none where there is none.
    pub error: Option<Arc<str>>,
    /// Symbol of tool and arguments.
    pub call: u64,
    /// Symbol of the value, the error or the refusal.
    pub mark: u64,
}

impl Action {
    /// What one call came to. `said` is the value, or why there is none.
    pub fn new(
        node: NodeId,
        (tool, args): (Arc<str>, Arc<str>),
        (end, acts): (End, bool),
        error: Option<Arc<str>>,
        said: &[u8],
    ) -> Self {
        let call = symbol(&[tool.as_bytes(), args.as_bytes()]);
        let mark = match &error {
            Some(error) => symbol(&[b"error", error.as_bytes()]),
            None => symbol(&[b"said", &[end as u8], said]),
        };
        Self {
            node,
            tool,
            args,
            end,
            acts,
            error,
            call,
            mark,
        }
    }

    /// The signature that only equal calls have.
    pub fn exact(&self) -> Signature {
        Signature {
            tool: self.tool.clone(),
            args: Some(self.args.clone()),
            error: None,
        }
    }

    fn is_covered(&self, by: &[Signature]) -> bool {
        by.iter()
            .any(|one| one.covers(&self.tool, &self.args, self.error.as_deref()))
    }
}

/// What the calls of one turn came to, in no order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The turn.
    pub turn: TurnId,
    /// The event with which the turn was asked for.
    pub at: Seq,
    /// What its calls came to.
    pub actions: Vec<Action>,
    /// Symbol of all of it.
    pub symbol: u64,
    /// Symbol of what was observed through which tool, whatever was asked for.
    pub observed: u64,
}

impl Batch {
    /// The calls of one turn.
    pub fn new(turn: TurnId, at: Seq, mut actions: Vec<Action>) -> Self {
        actions.sort_by_key(|one| (one.call, one.mark, one.node));
        let whole: Vec<u8> = actions
            .iter()
            .flat_map(|one| [one.call.to_le_bytes(), one.mark.to_le_bytes()])
            .flatten()
            .collect();
        let by_tool = |one: &Action| symbol(&[one.tool.as_bytes(), &one.mark.to_le_bytes()]);
        let mut marks: Vec<u64> = actions.iter().map(by_tool).collect();
        marks.sort_unstable();
        marks.dedup();
        let observed: Vec<u8> = marks.into_iter().flat_map(u64::to_le_bytes).collect();
        Self {
            turn,
            at,
            symbol: symbol(&[b"turn", &whole]),
            observed: symbol(&[b"observed", &observed]),
            actions,
        }
    }

    /// The same without the calls that may repeat; none where nothing is left.
    pub fn without(self, allowed: &[Signature]) -> Option<Self> {
        if allowed.is_empty() || !self.actions.iter().any(|one| one.is_covered(allowed)) {
            return Some(self).filter(|one| !one.actions.is_empty());
        }
        let (turn, at) = (self.turn, self.at);
        let mut actions = self.actions;
        actions.retain(|one| !one.is_covered(allowed));
        (!actions.is_empty()).then(|| Self::new(turn, at, actions))
    }

    /// True where nothing came of it.
    pub fn fails(&self) -> bool {
        self.actions.iter().all(|one| one.end == End::Failure)
    }
}

/// The first bytes of a hash over parts with their lengths.
pub fn symbol(parts: &[&[u8]]) -> u64 {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + size_of::<u64>()).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    let mut first = [0_u8; 8];
    for (first, byte) in first.iter_mut().zip(blake3::hash(&bytes).as_bytes()) {
        *first = *byte;
    }
    u64::from_le_bytes(first)
}
