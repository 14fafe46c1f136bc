//! Decides which calls a rule is about: tool, server, effect class, tags, arguments.
//!
//! In doubt, the careful result counts: an allow rule matches less, an ask or deny rule matches more.
//! Must not know: what a match leads to, beyond that.

use std::path::{Component, Path, PathBuf};

use globset::GlobMatcher;
use regex::Regex;
use serde_json::Value;

use crate::domain::call::{EffectClass, Gate};

/// The built-in tool that takes a shell line.
pub(super) const SHELL: &str = "shell";

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
    }
}

impl Predicate {
    fn holds(&self, subject: &Subject<'_>, gate: Gate, workspace: Option<&Path>) -> bool {
        let found = subject.args.pointer(&self.at);
        if gate == Gate::Allow && self.in_doubt(subject, found) {
            return false;
        }
        // For an allow rule the careful reading of a test is the narrow one, or the wide one if the test is
        // negated.
        let whole = (gate == Gate::Allow) != self.not;
        found.is_some_and(|value| self.test.holds(value, whole, workspace)) != self.not
    }

    /// A pattern cannot vouch for a shell line of more than one plain command: `cargo *` also covers `cargo
    /// test; rm -r .`.
    fn in_doubt(&self, subject: &Subject<'_>, found: Option<&Value>) -> bool {
        subject.server.is_none()
            && subject.tool == SHELL
            && matches!(self.test, Test::Glob(_) | Test::Regex { .. })
            && found.and_then(Value::as_str).is_some_and(|line| !is_plain(line))
    }
}

/// Returns true if a shell reads the line as one command without substitutions or redirections.
pub(super) fn is_plain(line: &str) -> bool {
    !line.contains(|c: char| c.is_control() || ";&|<>()$`\\!{}#".contains(c))
}

impl Test {
    fn holds(&self, value: &Value, whole: bool, workspace: Option<&Path>) -> bool {
        match self {
            Self::Glob(pattern) => value.as_str().is_some_and(|text| pattern.matches(text)),
            Self::Regex { part, whole: all } => {
                let regex = if whole { all } else { part };
                value.as_str().is_some_and(|text| regex.is_match(text))
            }
            Self::Is(wanted) => equal(wanted, value),
            Self::Range { min, max } => value
                .as_f64()
                .is_some_and(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
            Self::Under(directory) => value
                .as_str()
                .is_some_and(|path| is_under(path, directory, workspace)),
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

/// Returns true if the text of a path leads to `directory` or below it. Links are not followed: the tools see
/// to that, and never leave the workspace.
fn is_under(path: &str, directory: &Path, workspace: Option<&Path>) -> bool {
    let path = Path::new(path);
    let relative = if path.is_absolute() {
        let (Some(workspace), Some(path)) = (workspace, flatten(path)) else {
            return false;
        };
        match path.strip_prefix(workspace) {
            Ok(rest) => rest.to_path_buf(),
            Err(_) => return false,
        }
    } else {
        match flatten(path) {
            Some(path) => path,
            None => return false,
        }
    };
    relative.starts_with(directory)
}

/// Resolves `.` and `..` in a path; returns `None` if it climbs above its beginning.
pub(super) fn flatten(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if flat.file_name().is_none() || !flat.pop() {
                    return None;
                }
            }
            other => flat.push(other),
        }
    }
    Some(flat)
}
