//! Classes of errors corrected by the operator: permanent or temporary errors of one tool.
//!
//! Must not know: where they are written, who asks.
//!
//! A correction wins over everything else that is known of the error.

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::classify::compile;
use super::policy::{Bad, Policy};
use overrule_domain::call::{AttemptRecord, ErrorClass, Outcome, ToolError};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// Maximum number of corrections.
const MOST: usize = 64;
/// Maximum number of bytes of each of their texts.
const LONGEST: usize = 1024;
/// Maximum number of characters of an error's text that are stored as evidence.
const MAX_MESSAGE: usize = 300;
/// What follows the address in the message of an answer over HTTP.
const ANSWERED: &str = "` answered ";
/// Maximum number of characters of a suggested pattern's source.
const SUGGESTED: usize = 120;

/// The operator's verdict on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It does not pass by itself: it is not retried.
    Permanent,
    /// It passes by itself: it is retried where that is harmless.
    Temporary,
}

impl Verdict {
    /// Returns the word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Temporary => "temporary",
        }
    }

    /// Returns the new class of an error. A permanent error keeps a class that is not retried
    /// anyway.
    pub const fn class(self, before: ErrorClass) -> ErrorClass {
        match (self, before) {
            (Self::Temporary, _) => ErrorClass::Transient,
            (Self::Permanent, ErrorClass::Transient | ErrorClass::Unknown) => ErrorClass::Business,
            (Self::Permanent, other) => other,
        }
    }
}

/// A correction, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The tool whose errors it applies to.
    pub tool: String,
    /// A regular expression, matched between word boundaries and regardless of case.
    pub matches: String,
    /// The operator's verdict on such errors.
    pub error: Verdict,
    /// The session in which it was made.
    #[serde(default)]
    pub session: String,
    /// The call for which it was made.
    #[serde(default)]
    pub call: String,
    /// The beginning of the error's text.
    #[serde(default)]
    pub text: String,
    /// The day on which it was made.
    #[serde(default)]
    pub date: String,
    /// Who made it.
    #[serde(default)]
    pub by: String,
}

impl Correction {
    /// Refuses one that could not be read back, or that fits everything.
    pub fn check(&self, key: &str) -> Result<(), Bad> {
        Bad::unless(
            key,
            !self.tool.is_empty(),
            "name the tool whose errors it is about",
        )?;
        let texts = [
            &self.tool,
            &self.matches,
            &self.session,
            &self.call,
            &self.text,
            &self.date,
            &self.by,
        ];
        let short = texts.iter().all(|text| text.len() <= LONGEST);
        Bad::unless(key, short, "each of its texts has at most 1024 bytes")?;
        let pattern = self.compiled().map_err(|why| Bad {
            key: key.to_owned(),
            why,
        })?;
        Bad::unless(
            key,
            !self.matches.is_empty() && !pattern.is_match(""),
            "a pattern that matches an empty text matches everything",
        )
    }

    /// Its pattern, compiled.
    pub fn compiled(&self) -> Result<Regex, String> {
        compile(&self.matches)
    }
}

/// Refuses corrections that are not valid.
pub fn check(all: &[Correction]) -> Result<(), Bad> {
    Bad::unless(
        "errors.corrections",
        all.len() <= MOST,
        "at most 64 corrections can be set: remove some from the file",
    )?;
    for (at, one) in all.iter().enumerate() {
        one.check(&format!("errors.corrections[{}]", at + 1))?;
    }
    Ok(())
}

/// The corrections in force in a run, with one more, as the value of their setting. `otherwise` are those of the
/// settings, which are in force where the run recorded none.
pub fn with(state: &State, otherwise: &[Correction], new: &Correction) -> String {
    let recorded = state.settings.resilience.as_ref();
    let recorded = recorded.and_then(|one| Policy::recorded(&one.policy));
    let mut all = recorded.map_or_else(|| otherwise.to_vec(), |one| one.errors.corrections);
    all.push(new.clone());
    serde_json::to_string(&all).unwrap_or_default()
}

/// True where a correction is in force in a run.
pub fn holds(state: &State, one: &Correction) -> bool {
    let recorded = state.settings.resilience.as_ref();
    let recorded = recorded.and_then(|one| Policy::recorded(&one.policy));
    recorded.is_some_and(|policy| policy.errors.corrections.contains(one))
}

/// The error of a call that can be corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrigible {
    /// The call.
    pub call: NodeId,
    /// Its tool.
    pub tool: String,
    /// The error of its newest execution.
    pub error: ToolError,
}

impl Corrigible {
    /// The error of the newest execution of a call, or why there is none to be corrected.
    pub fn of(state: &State, call: NodeId) -> Result<Self, String> {
        let call = call.call();
        let life = state
            .call(call)
            .ok_or_else(|| format!("there is no call {call}"))?;
        let tool = state.node(call).and_then(Node::as_call).map(|(tool, _)| tool);
        let ended = |one: &AttemptRecord| one.outcome.clone();
        let outcome = life.attempts.iter().rev().find_map(ended);
        match (tool, outcome) {
            (Some(tool), Some(Outcome::Err(error))) if error.class != ErrorClass::Cancelled => Ok(Self {
                call,
                tool: tool.to_string(),
                error: *error,
            }),
            (Some(_), None) => Err(format!("{call} was not executed: it has no error to correct")),
            _ => Err(format!(
                "the newest execution of {call} did not fail: there is no error to correct"
            )),
        }
    }

    /// A pattern for errors like this one: its first words, with numbers left open. Of an answer over HTTP it is the status
    /// and the first words of the body, without the address. Empty where there are none.
    pub fn pattern(&self) -> String {
        let words = self.error.text();
        let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        let Some((_, status)) = first.split_once(ANSWERED).filter(|_| first.starts_with('`')) else {
            return suggested(first);
        };
        let status = format!("answered {}", regex::escape(status));
        let body = lines.next().map(|line| suggested(told(line))).unwrap_or_default();
        let whole = format!("{status}[\\s\\S]*?{body}");
        // A word that is cut off, or escaped in JSON, would fit nothing.
        let fits = compile(&whole).is_ok_and(|pattern| pattern.is_match(&words));
        if body.is_empty() || !fits { status } else { whole }
    }

    /// The correction, refused where its pattern is wrong or does not fit this error.
    pub fn corrected(
        &self,
        error: Verdict,
        matches: &str,
        (session, date, by): (&str, &str, &str),
    ) -> Result<Correction, String> {
        let correction = Correction {
            tool: self.tool.clone(),
            matches: matches.to_owned(),
            error,
            session: session.to_owned(),
            call: self.call.to_string(),
            text: self.error.text().chars().take(MAX_MESSAGE).collect(),
            date: date.to_owned(),
            by: by.to_owned(),
        };
        correction
            .check("pattern")
            .map_err(|bad| format!("cannot use the pattern `{matches}`: {}", bad.why))?;
        let fits = correction.compiled()?.is_match(&self.error.text());
        if !fits {
            return Err(format!(
                "cannot use the pattern `{matches}`: it does not match the error of {}",
                self.call
            ));
        }
        Ok(correction)
    }
}

/// Returns the message in a line of JSON; the line itself if it is none.
fn told(line: &str) -> &str {
    let inner = [
        "\"message\"",
        "\"detail\"",
        "\"error\"",
        "\"msg\"",
        "\"title\"",
        "\"reason\"",
    ]
    .iter()
    .find_map(|key| {
        let rest = line.split_once(key)?.1.trim_start().strip_prefix(':')?;
        let text = rest.trim_start().strip_prefix('"')?;
        text.split('"').next().filter(|text| text.contains(' '))
    });
    inner.unwrap_or(line)
}

/// The first words of a text as a pattern.
fn suggested(line: &str) -> String {
    let mut words = Vec::new();
    let mut length = 0;
    for word in line.split_whitespace() {
        length += word.chars().count() + 1;
        if length > SUGGESTED {
            break;
        }
        words.push(open_numbers(word));
    }
    let plain = words_only(line);
    words.join(if plain { " " } else { r"\s+" })
}

/// Returns true if each gap between words is one blank, without other whitespace.
fn words_only(line: &str) -> bool {
    let odd = |c: char| c.is_whitespace() && c != ' ';
    !line.contains(odd) && !line.contains("  ")
}

/// A word as a pattern in which every number may be another one.
fn open_numbers(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if digits > 0 {
            out.push_str(r"\d+");
        }
        rest = rest.get(digits..).unwrap_or_default();
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        out.push_str(&regex::escape(rest.get(..words).unwrap_or_default()));
        rest = rest.get(words..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests;
