//! Refuses a verb without a target on screen: nothing selected, nothing open, or something else.
//!
//! Must not know: how something is selected.

use std::fmt;

use overrule_domain::id::NodeId;

/// Why the screen has nothing that the verb acts on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTarget {
    /// The cursor is on no such row.
    #[error("No {0} selected")]
    NotSelected(Row),
    /// The cursor of a lower pane is on no such row.
    #[error("Put the cursor on a {0} first")]
    NotUnderCursor(Row),
    /// The verb acts in an overlay that is not on top.
    #[error("{0} is not open")]
    NotOpen(Part),
    /// The run has no such node.
    #[error("{0} does not exist")]
    NotFound(NodeId),
    /// The run has it no longer.
    #[error("The {0} no longer exists")]
    Removed(Row),
    /// The node is of another kind.
    #[error("{0} is not a call")]
    NotCall(NodeId),
    /// The open question is about something else.
    #[error("This is not about a call")]
    NotAboutCall,
    /// No stream of the selected turn is broken.
    #[error("No stream is broken here")]
    NoBrokenStream,
    /// Nothing belongs to the row.
    #[error("This row leads nowhere")]
    Nowhere,
    /// A rule starts from a call.
    #[error("{}, and a rule starts with one: {}", rule_start(*node), rule_way(next.as_ref(), write))]
    NoCallForRule {
        /// The selected node.
        node: Option<NodeId>,
        /// The key that goes to the next waiting call, if one waits.
        next: Option<String>,
        /// The key that writes a rule.
        write: String,
    },
}

/// A kind of row that a verb acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A node of the graph.
    Node,
    /// A call.
    Call,
    /// A turn.
    Turn,
    /// A branch.
    Branch,
    /// An effect.
    Effect,
    /// A staged edit.
    Edit,
    /// A rule of the session.
    Rule,
    /// A weight of a tool.
    Weight,
    /// A server.
    Server,
    /// A breaker.
    Breaker,
    /// A loop.
    Loop,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Node => "node",
            Self::Call => "call",
            Self::Turn => "turn",
            Self::Branch => "branch",
            Self::Effect => "effect",
            Self::Edit => "edit",
            Self::Rule => "rule",
            Self::Weight => "weight",
            Self::Server => "server",
            Self::Breaker => "breaker",
            Self::Loop => "loop",
        })
    }
}

/// An overlay that a verb acts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The list of branches.
    Branches,
    /// The comparison of two branches.
    Comparison,
    /// The definitions of a server.
    Definitions,
    /// An error to classify.
    Error,
    /// A question.
    Question,
    /// The preview of a rule.
    Rule,
    /// The list of rules.
    Rules,
    /// The list of staged edits.
    StagedEdits,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Branches => "The list of branches",
            Self::Comparison => "The comparison",
            Self::Definitions => "The page of definitions",
            Self::Error => "The page of an error",
            Self::Question => "The question",
            Self::Rule => "The preview of a rule",
            Self::Rules => "The list of rules",
            Self::StagedEdits => "The list of staged edits",
        })
    }
}

fn rule_start(node: Option<NodeId>) -> String {
    match node {
        Some(id) => NoTarget::NotCall(id).to_string(),
        None => NoTarget::NotSelected(Row::Call).to_string(),
    }
}

fn rule_way(next: Option<&String>, write: &str) -> String {
    match next {
        Some(next) => format!("{next} goes to the next one that waits, then {write} again"),
        None => format!("put the cursor on one in the graph, then {write} again"),
    }
}
