//! Converts the outcomes of a turn's calls to symbols: equal outcomes have equal symbols.
//!
//! Must not know: where calls are kept.
//!
//! A call counts once, however often it was retried or repaired.

use std::sync::Arc;

use overrule_domain::escape::Signature;
use overrule_domain::id::{NodeId, Seq, TurnId};

/// How a call ended, as far as repetition is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// With a value.
    Value,
    /// With an error, faulty arguments, or a rule that denies it.
    Failure,
    /// The operator rejected it, or the question expired; this says nothing about the tool.
    Declined,
}

/// The outcome of one call.
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
    /// True if its tool can change the world.
    pub acts: bool,
    /// Fingerprint of its error, if there is one.
    pub error: Option<Arc<str>>,
    /// Symbol of its tool and arguments.
    pub call: u64,
    /// Symbol of the result: a value, an error or a rejection.
    pub mark: u64,
    /// Symbols of the state paths that its result was written to.
    pub paths: Vec<u64>,
}

impl Action {
    /// Builds the outcome of one call. `said` represents the result, and is equal for equal
    /// results.
    pub fn new(
        node: NodeId,
        (tool, args): (Arc<str>, Arc<str>),
        (end, acts): (End, bool),
        error: Option<Arc<str>>,
        text: &[u8],
    ) -> Self {
        let call = symbol(&[tool.as_bytes(), args.as_bytes()]);
        let mark = symbol(&[b"said", &[end as u8], text]);
        Self {
            node,
            tool,
            args,
            end,
            acts,
            error,
            call,
            mark,
            paths: Vec::new(),
        }
    }

    /// Returns its signature: the call and its result.
    pub const fn signature(&self) -> (u64, u64) {
        (self.call, self.mark)
    }

    /// Returns the signature that only equal calls have.
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

/// The outcomes of one turn's calls, without order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The turn.
    pub turn: TurnId,
    /// The event by which the turn was requested.
    pub at: Seq,
    /// The outcomes of its calls.
    pub actions: Vec<Action>,
    /// Symbol of all of them.
    pub symbol: u64,
}

impl Batch {
    /// Builds the batch of one turn.
    pub fn new(turn: TurnId, at: Seq, mut actions: Vec<Action>) -> Self {
        actions.sort_by_key(|one| (one.call, one.mark, one.node));
        let whole: Vec<u8> = actions
            .iter()
            .flat_map(|one| [one.call.to_le_bytes(), one.mark.to_le_bytes()])
            .flatten()
            .collect();
        Self {
            turn,
            at,
            symbol: symbol(&[b"turn", &whole]),
            actions,
        }
    }

    /// Removes the calls that may repeat; returns `None` if nothing is left.
    pub fn without(self, allowed: &[Signature]) -> Option<Self> {
        if allowed.is_empty() || !self.actions.iter().any(|one| one.is_covered(allowed)) {
            return Some(self).filter(|one| !one.actions.is_empty());
        }
        let (turn, at) = (self.turn, self.at);
        let mut actions = self.actions;
        actions.retain(|one| !one.is_covered(allowed));
        (!actions.is_empty()).then(|| Self::new(turn, at, actions))
    }

    /// Returns true if every call failed.
    pub fn fails(&self) -> bool {
        self.actions.iter().all(|one| one.end == End::Failure)
    }
}

/// Returns the first bytes of a hash over the parts and their lengths.
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
