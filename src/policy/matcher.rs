//! Decides which calls a rule is about: tool, server, effect class, tags, arguments.
//!
//! In doubt, the careful result counts: an allow rule matches less, an ask or deny rule matches more.
//! Must not know: what a match leads to, beyond that.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use regex::Regex;
use serde_json::Value;

use crate::domain::call::{EffectClass, Gate};

use super::place::{Leads, leads};
use super::shell::{self, Handed};

/// The built-in tool whose argument is a line for a shell.
pub(super) const SHELL: &str = "shell";
/// Where that line stands among its arguments.
const LINE: &str = "/command";

/// What a rule is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Its effect class.
    pub effect: EffectClass,
    /// Its tags, such as `external` and `irreversible`.
    pub tags: &'a [String],
    /// The final arguments.
    pub args: &'a Value,
    /// The server that offers the tool; `None` for a built-in tool.
    pub server: Option<&'a str>,
}

/// A glob for names, as written and compiled.
#[derive(Debug, Clone)]
pub struct Pattern(GlobMatcher);

impl Pattern {
    /// Compiles a glob. Here `*` matches `/` too, because names and command lines are not paths.
    pub fn new(glob: &str) -> Result<Self, globset::Error> {
        Ok(Self(globset::Glob::new(glob)?.compile_matcher()))
    }

    fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns true if the pattern is this very name and not merely one that covers it.
    fn spells(&self, name: &str) -> bool {
        self.0.glob().glob() == name
    }
}

/// A test of one argument.
#[derive(Debug, Clone)]
pub enum Test {
    /// A string that the glob covers from end to end.
    Glob(Pattern),
    /// A string that contains a match; for an allow rule the match must cover the whole string.
    Regex {
        /// Matches anywhere in the string.
        part: Regex,
        /// Matches the whole string.
        whole: Regex,
    },
    /// Exactly this value.
    Is(Value),
    /// A number within inclusive bounds.
    Range {
        /// The lower bound.
        min: Option<f64>,
        /// The upper bound.
        max: Option<f64>,
    },
    /// A path at or below a directory of the workspace, judged by its text alone.
    Under(PathBuf),
}

/// A condition on one argument.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// JSON pointer into the arguments.
    pub at: String,
    /// The test of the value there.
    pub test: Test,
    /// Negates the test.
    pub not: bool,
}

/// All conditions of a rule. Each of them must hold; an empty list always holds.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    /// One of these names.
    pub tools: Vec<Pattern>,
    /// One of these servers.
    pub servers: Vec<Pattern>,
    /// One of these classes.
    pub effects: Vec<EffectClass>,
    /// One of these tags.
    pub tags: Vec<String>,
    /// All of these conditions.
    pub args: Vec<Predicate>,
}

impl Matcher {
    /// Matches calls of these effect classes.
    pub fn effects(effects: &[EffectClass]) -> Self {
        Self {
            effects: effects.to_vec(),
            ..Self::default()
        }
    }

    /// Adds a tag to match.
    pub fn tagged(mut self, tag: &str) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Returns true if there are no conditions, so that every call matches.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.servers.is_empty()
            && self.effects.is_empty()
            && self.tags.is_empty()
            && self.args.is_empty()
    }

    /// Returns true if one of the tool patterns is exactly this name.
    pub fn spells(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.spells(tool))
    }

    /// Returns true if some call of this built-in tool may match, depending on its arguments.
    pub fn reaches(&self, tool: &str, effect: EffectClass, tags: &[String]) -> bool {
        let named = self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(tool));
        named
            && (self.effects.is_empty() || self.effects.contains(&effect))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
    }

    /// Returns true if the call matches. `gate` says which side is the careful one.
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
            && !(gate == Gate::Allow && self.in_doubt(subject))
    }

    /// A pattern cannot vouch for a shell line that holds more than one plain command, whatever of the call it is
    /// about: `cargo *` covers `cargo test; rm -r .` too. Only who spells the line out means it.
    fn in_doubt(&self, subject: &Subject<'_>) -> bool {
        if !subject.is_shell() || !self.args.iter().any(Predicate::is_pattern) {
            return false;
        }
        let handed = shell::handed(subject.args);
        !handed.is_plain() && !self.args.iter().any(|predicate| predicate.spells(&handed))
    }
}

impl Subject<'_> {
    /// True for the program's own shell.
    pub(super) fn is_shell(&self) -> bool {
        self.server.is_none() && self.tool == SHELL
    }
}

impl Predicate {
    fn holds(&self, subject: &Subject<'_>, gate: Gate, workspace: Option<&Path>) -> bool {
        if gate == Gate::Allow {
            // The narrow reading of a test is the careful one here, and the wide one where it is negated.
            let held = self.held(subject.args.pointer(&self.at), !self.not, workspace);
            return held == if self.not { Held::No } else { Held::Yes };
        }
        let meets = |value: Option<&Value>| match self.held(value, self.not, workspace) {
            // What cannot be known is asked about or denied, whether the test is negated or not.
            Held::Unknown => true,
            Held::Absent | Held::No => self.not,
            Held::Yes => !self.not,
        };
        let found = subject.args.pointer(&self.at);
        if self.at != LINE || !subject.is_shell() {
            return meets(found);
        }
        // A rule about the line is one about every other way to say it.
        let handed = shell::handed(subject.args);
        let inner = handed.inner.iter().filter(|_| !self.not);
        let mut texts = handed
            .outer
            .iter()
            .chain(inner)
            .map(|text| Value::from(text.as_str()));
        handed.cut || (handed.outer.is_empty() && meets(found)) || texts.any(|text| meets(Some(&text)))
    }

    fn held(&self, value: Option<&Value>, whole: bool, workspace: Option<&Path>) -> Held {
        value.map_or(Held::Absent, |value| self.test.holds(value, whole, workspace))
    }

    const fn is_pattern(&self) -> bool {
        matches!(self.test, Test::Glob(_) | Test::Regex { .. })
    }

    /// Whether it names the very lines that a shell reads.
    fn spells(&self, handed: &Handed) -> bool {
        let Test::Is(wanted) = &self.test else {
            return false;
        };
        let whole = matches!(&*self.at, "" | LINE | "/argv");
        let only = || matches!(handed.inner.as_slice(), [line] if !handed.cut && wanted == line);
        !self.not && (whole || (self.at.starts_with("/argv/") && only()))
    }
}

/// What comes of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Yes,
    No,
    /// The words do not tell.
    Unknown,
    /// There is nothing of the kind that the test is about.
    Absent,
}

impl Test {
    fn holds(&self, value: &Value, whole: bool, workspace: Option<&Path>) -> Held {
        let yes = match self {
            Self::Is(wanted) => Some(equal(wanted, value)),
            Self::Glob(pattern) => value.as_str().map(|text| pattern.matches(text)),
            Self::Regex { part, whole: all } => {
                let regex = if whole { all } else { part };
                value.as_str().map(|text| regex.is_match(text))
            }
            Self::Range { min, max } => value
                .as_f64()
                .map(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
            Self::Under(directory) => match value.as_str().map(|path| leads(path, directory, workspace)) {
                Some(Leads::Unknown) => return Held::Unknown,
                found => found.map(|found| found == Leads::Inside),
            },
        };
        match yes {
            None => Held::Absent,
            Some(true) => Held::Yes,
            Some(false) => Held::No,
        }
    }
}

/// Compares two values, treating 1 and 1.0 as the same number.
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
