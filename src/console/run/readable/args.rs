//! Picks the form of a call by its arguments: which of them are a command, a difference or a patch.
//!
//! Must not know: how a form is drawn, which tool was called.

use std::sync::Arc;

use super::Part;
use crate::ground::diff;
use crate::ground::json;
use crate::run::link::Replaced;
use overrule_base::agent_plan::AgentPlan;
use overrule_base::known_tool::{CONTENT, Kind, LINE, NEW, OLD, TEXT, WORDS, name_in, patch_lines};
use overrule_base::shell_line::quote;
use overrule_base::text::visible;
use overrule_domain::call::ShownForm;

/// The most lines of a difference. A longer one is shown as its new content.
pub(crate) const MOST_LINES: usize = 2_000;

/// The members of the arguments of a call.
pub(crate) struct Args<'a>(pub(crate) &'a [(String, Arc<str>)]);

impl Args<'_> {
    fn value(&self, name: &str) -> Option<Arc<str>> {
        let mut members = self.0.iter();
        members
            .find(|(one, _)| one == name)
            .map(|(_, value)| Arc::clone(value))
    }

    /// An argument of a known tool by its names: its name and its value.
    fn named(&self, names: &[&'static str]) -> Option<(&'static str, Arc<str>)> {
        let name = name_in(names, |name| self.value(name).is_some())?;
        Some((name, self.value(name)?))
    }

    /// All arguments but these, one by one.
    fn rest(&self, covered: &[&str]) -> Vec<Part> {
        let others = self
            .0
            .iter()
            .filter(|(name, _)| !covered.contains(&name.as_str()));
        let parts = others.map(|(name, value)| Part::Argument(name.clone(), Arc::clone(value)));
        parts.collect()
    }

    /// The form of a call that changes a file. This was found of the file.
    pub(crate) fn of_file(&self, is_write: bool, found: &Replaced) -> (ShownForm, Vec<Part>) {
        // A member that means nothing to the tool is no part of the difference.
        let own = |names: &[&'static str], is_own: bool| self.named(names).filter(|_| is_own);
        let content = own(CONTENT, is_write);
        let (old, new) = (own(OLD, !is_write), own(NEW, !is_write));
        let names = [&content, &old, &new];
        let replaced: Vec<&str> = names.into_iter().flatten().map(|(name, _)| *name).collect();
        match found {
            Replaced::Text(lines) if lines.len() <= MOST_LINES => {
                let mut parts = self.rest(&replaced);
                parts.push(Part::Lines(Arc::clone(lines)));
                (ShownForm::Difference, parts)
            }
            Replaced::Nothing if content.is_some() => {
                let mut parts = self.rest(&replaced);
                parts.push(Part::Note("a new file".to_owned()));
                parts.extend(content.map(|(_, value)| Part::New(value)));
                (ShownForm::Difference, parts)
            }
            Replaced::Text(_) => {
                let mut parts = vec![Part::Note(format!(
                    "no difference: it has more than {MOST_LINES} lines"
                ))];
                parts.extend(self.rest(&[]));
                (ShownForm::Fields, parts)
            }
            Replaced::Unreadable(why) => {
                let mut parts = vec![Part::Note(format!("no difference: {}", visible(why)))];
                let edited = self.edited().filter(|_| !is_write);
                let covered = if edited.is_some() { &replaced[..] } else { &[] };
                parts.extend(edited.map(|(part, _)| part));
                parts.extend(self.rest(covered));
                (ShownForm::Fields, parts)
            }
            Replaced::Nothing => (ShownForm::Fields, self.rest(&[])),
        }
    }

    /// The form of a call that sets a plan.
    pub(crate) fn plan(&self, plan: AgentPlan) -> (ShownForm, Vec<Part>) {
        let mut parts = self.rest(&[plan.name]);
        parts.push(Part::Plan(plan));
        (ShownForm::Fields, parts)
    }

    /// The form of a call by its arguments alone.
    pub(crate) fn alone(&self, kind: Option<Kind>) -> (ShownForm, Vec<Part>) {
        let special = match kind {
            Some(Kind::Edit) => self.edited().map(|(part, covered)| {
                let mut parts = self.rest(&covered);
                parts.push(part);
                (ShownForm::Difference, parts)
            }),
            Some(Kind::Shell) => self.command().map(|(part, covered)| {
                let mut parts = vec![part];
                parts.extend(self.rest(&[covered]));
                (ShownForm::Command, parts)
            }),
            Some(Kind::Patch) => self.patch().map(|(patch, covered)| {
                let mut parts = self.rest(&[covered]);
                parts.extend(patch);
                (ShownForm::Difference, parts)
            }),
            _ => None,
        };
        let fields = || match self.rest(&[]) {
            none if none.is_empty() => vec![Part::Note("no arguments".to_owned())],
            all => all,
        };
        special.unwrap_or_else(|| (ShownForm::Fields, fields()))
    }

    /// What an edit replaces by what, if its arguments say both; with their names.
    fn edited(&self) -> Option<(Part, [&'static str; 2])> {
        let ((old, from), (new, to)) = (self.named(OLD)?, self.named(NEW)?);
        Some((Part::Replaces([from, to]), [old, new]))
    }

    /// The command of a shell call and its name; none where it has not exactly one.
    fn command(&self) -> Option<(Part, &'static str)> {
        let is_text = |name: &str| {
            self.value(name)
                .is_some_and(|value| json::as_text(&value).is_some())
        };
        let words = |name: &str| -> Option<Vec<String>> { serde_json::from_str(&self.value(name)?).ok() };
        let has = |names: &[&str]| names.iter().filter(|name| self.value(name).is_some()).count();
        // `command` may be either.
        if has(LINE) + has(WORDS) - usize::from(self.value("command").is_some()) != 1 {
            return None;
        }
        if let Some(name) = name_in(LINE, is_text) {
            return Some((Part::Line(self.value(name)?), name));
        }
        let name = name_in(WORDS, |name| words(name).is_some())?;
        let words: Vec<String> = words(name)?.iter().map(|word| quote(word)).collect();
        Some((Part::Words(words.join(" ")), name))
    }

    /// The files of a patch with their lines, and the name of the argument.
    fn patch(&self) -> Option<(Vec<Part>, &'static str)> {
        let (name, text) = self.named(TEXT)?;
        let text = json::as_text(&text)?;
        if text.split('\n').count() > MOST_LINES {
            return None;
        }
        let mut parts = Vec::new();
        let mut lines: Vec<diff::Line> = Vec::new();
        let end = |lines: &mut Vec<diff::Line>, parts: &mut Vec<Part>| {
            if !lines.is_empty() {
                parts.push(Part::Lines(std::mem::take(lines).into()));
            }
        };
        for (line, file) in patch_lines(&text) {
            match file {
                Some((what, path)) => {
                    end(&mut lines, &mut parts);
                    parts.push(Part::Argument(what.to_owned(), json::string(path).into()));
                }
                None => lines.push(diff::Line::of_patch(line)),
            }
        }
        end(&mut lines, &mut parts);
        Some((parts, name))
    }
}
