//! One rule: which errors it applies to, its strategies and its weight against other rules.
//!
//! Must not know: the built-in rules, where rules are written.
//!
//! It is compiled when it is read.

use std::sync::Arc;

use regex::{Captures, Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::code::{Code, CodePattern};
use overrule_domain::repair::{ErrorKind, Strategy};

/// Maximum number of matches of a rule within one message.
const MOST_PLACES: usize = 16;
/// Maximum number of characters of a description.
const MOST_DESCRIBED: usize = 200;
/// Maximum size of a compiled pattern in bytes.
const MOST_COMPILED: usize = 1 << 20;

/// How a rule is weighed; `Critical` ends repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// The lowest: used if nothing better matches.
    Low,
    /// Between low and high.
    Medium,
    /// The default.
    High,
    /// No repair, whatever else matches.
    Critical,
}

impl Priority {
    /// Returns the priority of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "low" => Self::Low,
            "medium" => Self::Medium,
            "high" => Self::High,
            "critical" => Self::Critical,
            _ => return None,
        })
    }
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It has neither a code nor a pattern.
    #[error("the rule is for no error: give it a `code`, a `message`, or both")]
    Empty,
    /// It has no strategy.
    #[error("the rule does nothing: name at least one strategy")]
    Idle,
    /// The code is invalid.
    #[error("{0}")]
    Code(String),
    /// The pattern does not compile.
    #[error("the pattern of `message` does not compile: {0}")]
    Pattern(String),
    /// There is no strategy of this name.
    #[error("there is no strategy `{name}`; near it: {near}")]
    Strategy {
        /// The name as written.
        name: String,
        /// Similar names, or all names.
        near: String,
    },
    /// The description is too long.
    #[error("the description has {0} characters; write at most {MOST_DESCRIBED}")]
    Description(usize),
    /// There is no priority of this name.
    #[error("there is no priority `{0}`; write low, medium, high or critical")]
    Priority(String),
}

/// A rule as a person writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawRule {
    /// Codes; one must match. Empty for any error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// Regular expression over the message, regardless of case. Its first group names the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Names of strategies, in the order in which they are tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<String>,
    /// Parameters, if the message names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
    /// Name of the priority; high by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Its purpose, shown where it acts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A compiled rule.
#[derive(Debug, Clone)]
pub struct Entry {
    codes: Vec<CodePattern>,
    message: Option<Regex>,
    /// The strategies, in the order in which they are tried.
    pub strategies: Vec<Strategy>,
    /// Parameters that it concerns, as names or paths.
    pub params: Vec<String>,
    /// Its priority.
    pub priority: Priority,
    /// Its purpose.
    pub description: Option<Arc<str>>,
}

/// What a rule found in an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    /// The code that matched.
    pub code: Option<Code>,
    /// What the groups of the pattern captured.
    pub captures: Vec<String>,
}

impl Entry {
    /// Compiles a rule.
    pub fn new(written: &RawRule) -> Result<Self, Error> {
        if written.codes.is_empty() && written.message.is_none() {
            return Err(Error::Empty);
        }
        if written.strategies.is_empty() {
            return Err(Error::Idle);
        }
        let codes: Result<Vec<CodePattern>, String> = written.codes.iter().map(|code| code.parse()).collect();
        let compile = |pattern: &String| {
            RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(MOST_COMPILED)
                .build()
                .map_err(|error| Error::Pattern(error.to_string()))
        };
        let strategies: Result<Vec<Strategy>, Error> =
            written.strategies.iter().map(|name| strategy(name)).collect();
        let priority = match &written.priority {
            None => Priority::High,
            Some(name) => Priority::named(name).ok_or_else(|| Error::Priority(name.clone()))?,
        };
        let description = written.description.as_deref().map(str::trim);
        let characters = description.map_or(0, |output| output.chars().count());
        if characters > MOST_DESCRIBED {
            return Err(Error::Description(characters));
        }
        Ok(Self {
            codes: codes.map_err(Error::Code)?,
            message: written.message.as_ref().map(compile).transpose()?,
            strategies: strategies?,
            params: written.params.clone(),
            priority,
            description: description.filter(|output| !output.is_empty()).map(Arc::from),
        })
    }

    /// Returns how specific its conditions are.
    pub(super) fn specificity(&self) -> u8 {
        match (self.codes.is_empty(), self.message.is_some()) {
            (false, true) => 2,
            (true, _) => 1,
            (false, false) => 0,
        }
    }

    /// Returns its matches in an error, one for each place in the message, or none if it does not apply. Code
    /// and message must both match.
    pub(super) fn find(&self, codes: &[Code], message: &str) -> Vec<Match> {
        let code = codes
            .iter()
            .find(|code| self.codes.iter().any(|pattern| pattern.matches(code)));
        if !self.codes.is_empty() && code.is_none() {
            return Vec::new();
        }
        let matched = |captures| Match {
            code: code.cloned(),
            captures,
        };
        let Some(pattern) = &self.message else {
            return vec![matched(Vec::new())];
        };
        let panicked = |found: Captures<'_>| {
            let groups = found.iter().skip(1).flatten();
            matched(groups.map(|group| group.as_str().to_owned()).collect())
        };
        pattern
            .captures_iter(message)
            .take(MOST_PLACES)
            .map(panicked)
            .collect()
    }

    /// Returns the kind of error that it stands for, by its first strategy.
    pub(super) fn kind(&self) -> ErrorKind {
        match self.strategies.first() {
            Some(
                Strategy::LlmInferMissingParam
                | Strategy::DefaultValueAssignment
                | Strategy::NearestName
                | Strategy::WrapperRemoval,
            ) => ErrorKind::MissingRequired,
            Some(
                Strategy::DateFormatCorrection
                | Strategy::LlmBasedFormatCorrection
                | Strategy::TextCleanup
                | Strategy::JsonCorrection,
            ) => ErrorKind::FormatError,
            Some(Strategy::SchemaTypeConversion) => ErrorKind::TypeMismatch,
            Some(Strategy::ClampValueToMin | Strategy::ClampValueToMax) => ErrorKind::OutOfRange,
            Some(Strategy::EnumValueCorrection | Strategy::LlmSuggestEnum) => ErrorKind::SchemaValidation,
            _ => ErrorKind::BusinessLogic,
        }
    }
}

fn strategy(name: &str) -> Result<Strategy, Error> {
    let requested = name.to_ascii_lowercase();
    let known = || Strategy::ALL.iter().filter(|strategy| !strategy.proposes());
    let names = || known().map(|strategy| strategy.name());
    if let Some(found) = known().find(|strategy| strategy.name() == requested) {
        return Ok(*found);
    }
    let near = overrule_schema::near(name, names());
    let near = if near.is_empty() {
        names().map(str::to_owned).collect()
    } else {
        near
    };
    Err(Error::Strategy {
        name: overrule_base::text::visible(name),
        near: near.join(", "),
    })
}
