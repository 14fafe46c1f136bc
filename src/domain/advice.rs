//! What the rules need to be told about tools and policy. The advice taken is written into the
//! event, so that a fold never needs it again. Must not know: who gives it.

use super::call::{Digest, EffectClass, Fault, Verdict};
use super::id::{NodeId, Rev};

/// What a decision or an advance of the run may ask. Implementations are pure: same question, same answer.
pub trait Advice {
    /// Effect class and tags of a tool; none for an unknown tool.
    fn tool(&self, name: &str) -> Option<ToolFacts>;

    /// Names of tools that look like this one, best first.
    fn near(&self, name: &str) -> Vec<String>;

    /// Everything wrong with an argument text by the tool's schema. References count as wildcards
    /// while `resolved` is false.
    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault>;

    /// The policy's word on a call with its final arguments.
    fn verdict(&self, tool: &str, args: &str) -> Verdict;

    /// Hash of what is shown for a decision and would run.
    fn digest(&self, call: NodeId, rev: Rev, tool: &str, args: &str) -> Digest;

    /// Hash of tool and final arguments alone: equal effects have equal hashes.
    fn sameness(&self, tool: &str, args: &str) -> String;

    /// What an execution must have for itself (a file); two calls that name the same never overlap.
    fn resource(&self, tool: &str, args: &str) -> Option<String>;

    /// What is known of the world before an execution, as JSON text, for a later probe.
    fn before(&self, tool: &str, args: &str) -> Option<String>;
}

/// What the rules know of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFacts {
    /// What it can do to the world.
    pub effect: EffectClass,
    /// Whether a truncated value may be passed to it by reference.
    pub takes_truncated: bool,
    /// Whether an operator must see the difference on screen before an edit counts as approval.
    pub show_difference: bool,
    /// True for the tool that ends the run with a structured answer.
    pub is_answer: bool,
    /// True for the tool that asks the operator: its result is typed by him.
    pub asks_operator: bool,
}
