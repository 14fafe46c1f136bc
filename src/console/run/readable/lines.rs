//! Prints a readable form as lines of text.
//!
//! Must not know: which form a call has, how the screen draws it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Part, Readable};
use crate::ground::diff;
use crate::ground::diff::Change;
use crate::ground::doc::readable;
use crate::ground::json;
use overrule_base::agent_plan::Step;
use overrule_base::text::{visible, visible_lines};

/// The readable form as lines to print, each safe to show.
pub fn lines(form: &Readable) -> Vec<String> {
    let mut out = Vec::new();
    for part in &form.parts {
        match part {
            Part::Note(words) => out.push(words.clone()),
            Part::Line(line) => command_lines(&mut out, &readable(line)),
            Part::Words(words) => command_lines(&mut out, words),
            Part::Argument(name, value) => {
                let text = in_quotes(value).map_or_else(|| readable(value), Arc::from);
                argument(&mut out, name, &text);
            }
            Part::Plan(plan) => out.extend(plan.steps.iter().map(step_line)),
            Part::New(value) => out.extend(
                visible_lines(&readable(value))
                    .iter()
                    .map(|line| format!("+ {line}")),
            ),
            Part::Lines(lines) => out.extend(lines.iter().map(difference_line)),
            Part::Replaces([old, new]) => {
                let found = diff::lines_around(&readable(old), &readable(new), diff::AROUND_DECIDED);
                let unnumbered = found.into_iter().map(|line| diff::Line { no: None, ..line });
                out.extend(unnumbered.map(|line| difference_line(&line)));
            }
        }
    }
    out
}

/// A string with quotation marks, if without them it would read as JSON of another kind or as a string with marks of
/// its own; none otherwise.
pub fn in_quotes(json: &str) -> Option<String> {
    let text = json::as_text(json)?;
    let is_like_json = text.starts_with('"') || json::is_valid(&text);
    is_like_json.then(|| format!("\"{text}\""))
}

/// A list of strings as `a, b`, if each is a word that cannot be mistaken; none otherwise.
pub fn list_of_words(json: &str) -> Option<String> {
    let list: Vec<String> = serde_json::from_str(json).ok()?;
    let is_plain = |word: &String| {
        !word.is_empty() && word.trim() == word && !word.contains([',', '"', '[', ']', '{', '}', '\n'])
    };
    (!list.is_empty() && list.iter().all(is_plain)).then(|| list.join(", "))
}

fn command_lines(out: &mut Vec<String>, text: &str) {
    for (at, line) in visible_lines(text).iter().enumerate() {
        out.push(format!("{} {line}", if at == 0 { '$' } else { ' ' }));
    }
}

fn argument(out: &mut Vec<String>, name: &str, text: &str) {
    let name = visible(name);
    let mut lines = visible_lines(text).into_iter();
    match (lines.next(), lines.next()) {
        (Some(one), None) => out.push(format!("{name} = {one}")),
        (first, second) => {
            out.push(format!("{name} ="));
            let all = first.into_iter().chain(second).chain(lines);
            out.extend(all.map(|line| format!("  {line}")));
        }
    }
}

fn step_line(step: &Step) -> String {
    let mut out = format!("{} {}", step.sign(), visible(&step.text));
    for word in step
        .progress
        .label()
        .into_iter()
        .chain(step.others.iter().map(String::as_str))
    {
        let _ = write!(out, "  {}", visible(word));
    }
    out
}

fn difference_line(line: &diff::Line) -> String {
    let sign = sign_of(line.change);
    let mut out = match line.no {
        Some(no) => format!("{no:>5} "),
        None => String::new(),
    };
    let _ = write!(out, "{sign} {}", visible(&line.text));
    out
}

/// The sign before a line of a difference.
pub const fn sign_of(change: Change) -> char {
    match change {
        Change::Same => ' ',
        Change::Removed => '-',
        Change::Added => '+',
        Change::Note => '~',
    }
}
