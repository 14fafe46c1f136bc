//! Which calls a rule is about: tool, server, effect class, tags, arguments.
//!
//! Where a match is in doubt it falls on the careful side: an allow rule matches less, an ask or
//! deny rule matches more. Must not know: what a match leads to, beyond that.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use regex::Regex;
use serde_json::Value;

use crate::domain::call::{EffectClass, Gate};

use super::place::{Leads, leads};

/// The built-in tool whose argument is a line for a shell.
pub(super) const SHELL: &str = "shell";

/// What a rule is held against.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// `external`, `irreversible`.
    pub tags: &'a [String],
    /// The final arguments.
    pub args: &'a Value,
    /// The server that offers the tool; none for the program's own.
    pub server: Option<&'a str>,
}

/// A name pattern as written and compiled.
#[derive(Debug, Clone)]
pub struct Pattern(GlobMatcher);

impl Pattern {
    /// Compiles a glob; `*` crosses `/`, because names and command lines are no paths.
    pub fn new(glob: &str) -> Result<Self, globset::Error> {
        Ok(Self(globset::Glob::new(glob)?.compile_matcher()))
    }

    fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Whether it is this very name, letter by letter, and no pattern that covers it.
    fn spells(&self, name: &str) -> bool {
        self.0.glob().glob() == name
    }
}

/// What an argument must be like.
#[derive(Debug, Clone)]
pub enum Test {
    /// A string that the glob covers from end to end.
    Glob(Pattern),
    /// A string in which the expression is found; for an allow rule it must cover the whole.
    Regex {
        /// Finds it anywhere.
        part: Regex,
        /// Finds it from end to end.
        whole: Regex,
    },
    /// Exactly this value.
    Is(Value),
    /// A number within bounds, both included.
    Range {
        /// The least.
        min: Option<f64>,
        /// The greatest.
        max: Option<f64>,
    },
    /// A path at or below a directory of the workspace, by its words alone.
    Under(PathBuf),
}

/// A condition on one argument.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// JSON pointer into the arguments.
    pub at: String,
    /// What must hold of it.
    pub test: Test,
    /// True where it must not hold.
    pub not: bool,
}

/// All conditions of a rule; they must hold together. An empty list holds always.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    /// Any of these names.
    pub tools: Vec<Pattern>,
    /// Any of these servers.
    pub servers: Vec<Pattern>,
    /// Any of these classes.
    pub effects: Vec<EffectClass>,
    /// Any of these tags.
    pub tags: Vec<String>,
    /// All of these.
    pub args: Vec<Predicate>,
}

impl Matcher {
    /// Calls of these classes.
    pub fn effects(effects: &[EffectClass]) -> Self {
        Self {
            effects: effects.to_vec(),
            ..Self::default()
        }
    }

    /// And only those with this tag.
    pub fn tagged(mut self, tag: &str) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// True where it names no condition at all, so that every call matches.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.servers.is_empty()
            && self.effects.is_empty()
            && self.tags.is_empty()
            && self.args.is_empty()
    }

    /// Whether one of its tools is written as this name.
    pub fn spells(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.spells(tool))
    }

    /// Whether it may be about some call of a tool of the program's own, whatever its arguments.
    pub fn reaches(&self, tool: &str, effect: EffectClass, tags: &[String]) -> bool {
        let named = self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(tool));
        named
            && (self.effects.is_empty() || self.effects.contains(&effect))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
    }

    /// Whether it is about this call. `gate` says which side is the careful one.
    pub fn matches(&self, subject: &Subject<'_>, gate: Gate, workspace: Option<&Path>) -> bool {
        let any = |patterns: &[Pattern], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
        };
        let server = match subject.server {
            Some(server) => any(&self.servers, server),
            None => self.servers.is_empty(),
        };
        server
            && any(&self.tools, subject.tool)
            && (self.effects.is_empty() || self.effects.contains(&subject.effect))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| subject.tags.contains(tag)))
            && self
                .args
                .iter()
                .all(|predicate| predicate.holds(subject, gate, workspace))
    }
}

impl Predicate {
    fn holds(&self, subject: &Subject<'_>, gate: Gate, workspace: Option<&Path>) -> bool {
        let found = subject.args.pointer(&self.at);
        if gate == Gate::Allow && self.in_doubt(subject, found) {
            return false;
        }
        // For an allow rule the narrow reading of a test is the careful one, and the wide one
        // where the test is negated.
        let whole = (gate == Gate::Allow) != self.not;
        let held = found.map_or(Held::No, |value| self.test.holds(value, whole, workspace));
        match held {
            // What cannot be known holds neither as it is nor negated where a call would run for it.
            Held::Unknown => gate != Gate::Allow,
            Held::Yes => !self.not,
            Held::No => self.not,
        }
    }

    /// A pattern cannot vouch for a shell line that holds more than one plain command: `cargo *`
    /// covers `cargo test; rm -r .` too.
    fn in_doubt(&self, subject: &Subject<'_>, found: Option<&Value>) -> bool {
        subject.server.is_none()
            && subject.tool == SHELL
            && matches!(self.test, Test::Glob(_) | Test::Regex { .. })
            && found.and_then(Value::as_str).is_some_and(|line| !is_plain(line))
    }
}

/// True for a line that a shell takes as one command without substitutions or redirections.
pub(super) fn is_plain(line: &str) -> bool {
    !line.contains(|c: char| c.is_control() || ";&|<>()$`\\!{}#".contains(c))
}

/// What comes of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Yes,
    No,
    Unknown,
}

impl Test {
    fn holds(&self, value: &Value, whole: bool, workspace: Option<&Path>) -> Held {
        let yes = match self {
            Self::Glob(pattern) => value.as_str().is_some_and(|text| pattern.matches(text)),
            Self::Regex { part, whole: all } => {
                let regex = if whole { all } else { part };
                value.as_str().is_some_and(|text| regex.is_match(text))
            }
            Self::Is(wanted) => equal(wanted, value),
            Self::Range { min, max } => value
                .as_f64()
                .is_some_and(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
            Self::Under(directory) => match value.as_str().map(|path| leads(path, directory, workspace)) {
                Some(Leads::Unknown) => return Held::Unknown,
                found => found == Some(Leads::Inside),
            },
        };
        if yes { Held::Yes } else { Held::No }
    }
}

/// Equality that takes 1 and 1.0 as the same number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            x == y || ((x.is_f64() || y.is_f64()) && x.as_f64() == y.as_f64())
        }
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| equal(x, y)))
        }
        _ => a == b,
    }
}
