//! Identities of the things in a run: nodes, turns, threads, revisions, attempts, epochs.
//!
//! Must not know: clocks, randomness, how ids are drawn.
//!
//! All are small copyable numbers given out in journal order, so that a fold of the same journal
//! gives the same ids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The highest number of a node, turn, thread, revision, attempt or epoch that is read and written.
/// No session needs more, and adding to it does not overflow.
pub const MOST: u32 = 1 << 28;

/// What a node is. The letter is the first character of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// What the operator asked, or guidance added later (`p`).
    Prompt,
    /// A thought of the model, or its text before or between calls (`t`).
    Thought,
    /// A tool call (`c`).
    Call,
    /// The result or error of a call; shares the number of its call (`o`).
    Observation,
    /// A final answer (`a`).
    Answer,
    /// One attempt to repair the arguments of a call (`r`).
    Repair,
    /// What a person or the engine did to the graph (`i`).
    Intervention,
}

impl NodeKind {
    /// Every kind, in the order of their declaration.
    pub const ALL: [Self; 7] = [
        Self::Prompt,
        Self::Thought,
        Self::Call,
        Self::Observation,
        Self::Answer,
        Self::Repair,
        Self::Intervention,
    ];

    /// The letter that begins an id of this kind.
    pub const fn letter(self) -> char {
        match self {
            Self::Prompt => 'p',
            Self::Thought => 't',
            Self::Call => 'c',
            Self::Observation => 'o',
            Self::Answer => 'a',
            Self::Repair => 'r',
            Self::Intervention => 'i',
        }
    }

    /// The kind in one lower-case word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Thought => "thought",
            Self::Call => "call",
            Self::Observation => "observation",
            Self::Answer => "answer",
            Self::Repair => "repair",
            Self::Intervention => "intervention",
        }
    }
}

/// A node of the graph: a letter for its kind and a number that is never used again in a session.
///
/// An observation has the number of its call (`c5` and `o5`). Ordered by number first, so that a
/// sorted list is in journal order and a call comes directly before its observation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// What the node is.
    pub kind: NodeKind,
    /// Session-wide number, from 1.
    pub no: u32,
}

impl NodeId {
    /// No node of a run comes before it.
    pub const FIRST: Self = Self::new(NodeKind::Prompt, 0);

    /// A node id from its parts.
    pub const fn new(kind: NodeKind, no: u32) -> Self {
        Self { kind, no }
    }

    /// The observation that belongs to this call (or the id itself for another kind).
    pub const fn observation(self) -> Self {
        match self.kind {
            NodeKind::Call => Self::new(NodeKind::Observation, self.no),
            _ => self,
        }
    }

    /// The call that this observation belongs to (or the id itself for another kind).
    pub const fn call(self) -> Self {
        match self.kind {
            NodeKind::Observation => Self::new(NodeKind::Call, self.no),
            _ => self,
        }
    }
}

impl PartialOrd for NodeId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NodeId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.no, self.kind).cmp(&(other.no, other.kind))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.letter(), self.no)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is not a node id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a node: a node is a letter (p, t, c, o, a, r or i) and a number, such as c5")]
pub struct BadNodeId(pub String);

impl FromStr for NodeId {
    type Err = BadNodeId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BadNodeId(text.chars().take(40).collect());
        let mut chars = text.chars();
        let letter = chars.next().ok_or_else(bad)?;
        let kind = NodeKind::ALL
            .into_iter()
            .find(|kind| kind.letter() == letter)
            .ok_or_else(bad)?;
        let digits = chars.as_str();
        if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let no = digits.parse().ok().filter(|no| *no <= MOST);
        Ok(Self::new(kind, no.ok_or_else(bad)?))
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // What could not be read again is not written.
        if self.no > MOST {
            return Err(serde::ser::Error::custom(BadNodeId(self.to_string())));
        }
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal $(, $most:expr)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $inner);

        impl $name {
            /// The number after this one.
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $(if self.0 > $most {
                    let why = format_args!("{self} is beyond the last number, {}", $most);
                    return Err(serde::ser::Error::custom(why));
                })?
                self.0.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let no = <$inner>::deserialize(deserializer)?;
                $(if no > $most {
                    let why = format_args!(concat!($prefix, "{} is beyond the last number, {}"), no, $most);
                    return Err(serde::de::Error::custom(why));
                })?
                Ok(Self(no))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

number!(
    /// Position of an event in the journal, from 1; 0 means "before the first".
    Seq(u64), "#"
);
number!(
    /// A turn of a thread: one request to the model, or one thing that the operator inserted.
    /// Session-wide, from 1.
    TurnId(u32), "turn ", MOST
);
number!(
    /// A line of turns: 0 is the root, others belong to delegated sub-agents.
    ThreadId(u32), "thread ", MOST
);
number!(
    /// Revision of a node, from 1. Changed content is a new revision; none is ever altered.
    Rev(u32), "r", MOST
);
number!(
    /// One execution of a revision of a call, counted per call from 1.
    Attempt(u32), "attempt ", MOST
);
number!(
    /// Counts committed edits; recorded with every launch, never compared.
    Epoch(u32), "epoch ", MOST
);
