//! The readable form of a call for a decision: a difference, a command, or its arguments one by one.
//!
//! Must not know: how a form is drawn, who decides.
//!
//! It is made from the bytes that run. Where it would not tell everything, the exact bytes come
//! first.

pub(crate) mod args;
pub(crate) mod lines;
#[cfg(test)]
pub(crate) mod tests;

pub use lines::{in_quotes, lines, list_of_words, sign_of};

use std::sync::Arc;

use serde_json::Value;

use super::link::Replaced;
use crate::ground::{diff, json};
use args::Args;
use overrule_base::agent_plan::{self, AgentPlan};
use overrule_base::canon::scan_up_to;
use overrule_base::known_tool::{self, Kind, LINES, kind};
use overrule_base::text::{Survey, WarningKind, visible};
use overrule_domain::call::Shown;

/// Longest arguments that have a readable form, in bytes.
const MOST: usize = 256 * 1024;

/// A part of a readable form. Its texts are untrusted, except notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The console's own words.
    Note(String),
    /// The command line, as a JSON string.
    Line(Arc<str>),
    /// The program with its words, quoted as for a shell.
    Words(String),
    /// An argument: its name, and its value as JSON text.
    Argument(String, Arc<str>),
    /// The content of a new file, as a JSON string.
    New(Arc<str>),
    /// Lines of a difference.
    Lines(Arc<[diff::Line]>),
    /// A text and what replaces it, as JSON strings; the file is not known.
    Replaces([Arc<str>; 2]),
    /// The plan that an agent keeps.
    Plan(AgentPlan),
}

/// A readable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// What is recorded with a decision on it.
    pub shown: Shown,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// True for a tool that writes the whole content of a file.
pub fn writes_file(tool: &str) -> bool {
    kind(tool) == Some(Kind::Write)
}

/// True for a tool that replaces the whole content of the file with this hash; empty if there is no file.
pub fn replaces_file(tool: &str, base: Option<&str>) -> bool {
    writes_file(tool) && base.is_some_and(|base| !base.is_empty())
}

/// What a call would replace, with the hash of the file; empty if there is no file.
pub type Found<'f> = (&'f Replaced, Option<&'f Arc<str>>);

/// Why the exact bytes come first; none if the readable form tells everything.
pub fn why_exact(args: &str, survey: &Survey) -> Option<String> {
    if args.len() > MOST {
        return Some(format!("the arguments are longer than {} KiB", MOST >> 10));
    }
    if let Some(oddity) = scan_up_to(args, 1).first() {
        return Some(visible(&oddity.to_string()));
    }
    if !args.trim_start().starts_with('{') {
        return Some("the arguments are not an object".to_owned());
    }
    let hidden = [WarningKind::Direction, WarningKind::Control, WarningKind::Unseen];
    let found = survey.counts.iter().find(|(kind, _)| hidden.contains(kind));
    found.map(|(kind, count)| format!("the arguments hold {}", kind.counted(*count)))
}

/// The readable form of a call with these arguments, whose members are given with their JSON texts.
pub fn of(tool: &str, members: &[(String, Arc<str>)], found: Option<Found<'_>>) -> Readable {
    let flat = flat(tool, members);
    let args = Args(flat.as_deref().unwrap_or(members));
    let kind = kind(tool).filter(|_| flat.is_some() || !known_tool::has_inner(tool));
    let is_file = matches!(kind, Some(Kind::Write | Kind::Edit));
    let found = found.filter(|_| is_file);
    let base = found.and_then(|(_, base)| base);
    let (form, parts) = match (found, plan(tool, members)) {
        (Some((found, _)), _) => args.of_file(kind == Some(Kind::Write), found),
        (None, Some(plan)) => args.plan(plan),
        (None, None) => args.alone(kind),
    };
    Readable {
        shown: Shown {
            form,
            base: base.cloned(),
        },
        parts,
    }
}

/// The plan that a call with these members sets.
pub fn plan(tool: &str, members: &[(String, Arc<str>)]) -> Option<AgentPlan> {
    if !agent_plan::is_tool(tool) {
        return None;
    }
    let members = members.iter();
    let members: Vec<String> = members
        .map(|(name, value)| format!("{}:{value}", json::string(name)))
        .collect();
    agent_plan::of(tool, &format!("{{{}}}", members.join(",")))
}

/// The members of a call that has those of a known tool inside of one, and those besides; none if they would collide.
fn flat(tool: &str, members: &[(String, Arc<str>)]) -> Option<Vec<(String, Arc<str>)>> {
    let parsed = |(name, value): &(String, Arc<str>)| Some((name.clone(), serde_json::from_str(value).ok()?));
    let args = Value::Object(members.iter().map(parsed).collect::<Option<_>>()?);
    let (mut inner, outer) = (known_tool::inner(tool, &args)?, known_tool::outer(tool, &args)?);
    let lines = inner.get(LINES).and_then(Value::as_array);
    let lines: Option<Vec<&str>> = lines.and_then(|lines| lines.iter().map(Value::as_str).collect());
    if let (Some(lines), None) = (lines, inner.get("command")) {
        // Each is a line of its own.
        let line = lines.join("\n");
        let inner = inner.as_object_mut()?;
        inner.shift_remove(LINES);
        inner.insert("command".to_owned(), line.into());
    }
    let (inner, outer) = (inner.as_object()?, outer.as_object()?);
    let all = inner
        .iter()
        .chain(outer.iter().filter(|(name, _)| !inner.contains_key(*name)));
    let all: Vec<_> = all
        .map(|(name, value)| (name.clone(), value.to_string().into()))
        .collect();
    (all.len() == inner.len() + outer.len()).then_some(all)
}
