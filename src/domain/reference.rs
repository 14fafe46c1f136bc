//! References between calls: `†call.<label>.<path>`, `†state.<path>`, `†input.<path>`.
//!
//! Must not know: events, statuses.
//!
//! A reference is a whole string value in a call's arguments; `††` at the start escapes one dagger.
//! `||` (or `<|>`) falls back to the leftmost that has a value, `&&` (or `*>`) waits for all and
//! gives the last. Existence decides, not truth. Parsing and rendering only: what a reference is
//! bound to is decided in `advance`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The mark that begins a reference.
pub const DAGGER: char = '†';

/// Where a reference points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Target {
    /// `call`, `state` or `input`.
    pub root: Root,
    /// Label of the call, or first key of the state; empty for the whole input.
    pub head: String,
    /// Further keys and indices.
    #[serde(default)]
    pub path: Vec<String>,
}

/// First word of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// The result of a call, by label.
    Call,
    /// A value that calls wrote by output path.
    State,
    /// The session's input.
    Input,
}

/// An expression over targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expr {
    /// One place.
    Read(Target),
    /// The leftmost that has a value.
    Fallback(Vec<Expr>),
    /// All must have a value; gives the last.
    All(Vec<Expr>),
}

/// One reference in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// JSON pointer of the string that held it.
    pub at: String,
    /// What it says.
    pub expr: Expr,
}

/// Where a result is written besides `call.<label>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutPath {
    /// One path of the state.
    To(Target),
    /// The first on success, the second on failure.
    Branch(Target, Target),
    /// All of them.
    Fan(Vec<Target>),
}

impl OutPath {
    /// First keys of the state paths that it may write.
    pub fn heads(&self) -> Vec<&str> {
        self.targets().map(|target| target.head.as_str()).collect()
    }

    /// The state paths that it may write, by how it ends.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (first, second, many) = match self {
            Self::To(target) => (Some(target), None, &[][..]),
            Self::Branch(ok, err) => (Some(ok), Some(err), &[][..]),
            Self::Fan(targets) => (None, None, &targets[..]),
        };
        first.into_iter().chain(second).chain(many)
    }
}

impl Expr {
    /// True where nothing in it is a choice.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Read(_) => true,
            Self::Fallback(_) => false,
            Self::All(parts) => parts.iter().all(Self::is_plain),
        }
    }

    /// Visits every place that the expression reads.
    pub fn each(&self, visit: &mut impl FnMut(&Target)) {
        match self {
            Self::Read(target) => visit(target),
            Self::Fallback(parts) | Self::All(parts) => parts.iter().for_each(|part| part.each(visit)),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.root {
            Root::Call => "call",
            Root::State => "state",
            Root::Input => "input",
        })?;
        if !self.head.is_empty() {
            write!(f, ".{}", self.head)?;
        }
        for key in &self.path {
            write!(f, ".{key}")?;
        }
        Ok(())
    }
}

pub mod kept;
pub mod parse;
pub mod rewrite;
