//! The readable form of a call for a decision: a difference, a command, or its arguments one by one.
//!
//! Must not know: how a form is drawn, who decides.
//!
//! It is made from the bytes that run. Where it would not tell everything, the exact bytes come
//! first.

use std::fmt::Write as _;
use std::sync::Arc;

use super::diff::{self, Change};
use super::doc::readable;
use super::json;
use super::link::Replaced;
use crate::canon::scan_up_to;
use crate::domain::call::{Shown, ShownForm};
use crate::shell_line::quote;
use crate::text::{Survey, WarningKind, visible, visible_lines};

/// Longest arguments that have a readable form, in bytes.
const MOST: usize = 256 * 1024;
/// The most lines of a difference. A longer one is shown as its new content.
const MOST_LINES: usize = 2_000;
/// The built-in tools with a form of their own.
const SHELL: &str = "shell";
const WRITES: &str = "write_file";
const EDITS: &str = "edit_file";

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
}

/// A readable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// What is recorded with a decision on it.
    pub shown: Shown,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// True for a tool that replaces the whole content of the file with this hash; empty if there is no file.
pub fn replaces_file(tool: &str, base: Option<&str>) -> bool {
    tool == WRITES && base.is_some_and(|base| !base.is_empty())
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
    let value = |name: &str| {
        members
            .iter()
            .find(|(one, _)| one == name)
            .map(|(_, value)| Arc::clone(value))
    };
    let rest = |covered: &[&str]| -> Vec<Part> {
        let others = members
            .iter()
            .filter(|(name, _)| !covered.contains(&name.as_str()));
        let parts = others.map(|(name, value)| Part::Argument(name.clone(), Arc::clone(value)));
        parts.collect()
    };
    let replaced = ["content", "old", "new"];
    let (form, base, parts) = match (tool, found) {
        (WRITES | EDITS, Some((Replaced::Text(lines), base))) if lines.len() <= MOST_LINES => {
            let mut parts = rest(&replaced);
            parts.push(Part::Lines(Arc::clone(lines)));
            (ShownForm::Difference, base, parts)
        }
        (WRITES, Some((Replaced::Nothing, base))) => {
            let mut parts = rest(&["content"]);
            parts.push(Part::Note("a new file".to_owned()));
            parts.extend(value("content").map(Part::New));
            (ShownForm::Difference, base, parts)
        }
        (WRITES | EDITS, Some((Replaced::Unreadable(why), base))) => {
            let mut parts = vec![Part::Note(format!("no difference: {}", visible(why)))];
            parts.extend(edited(tool, &value).into_iter().flatten());
            parts.extend(rest(if parts.len() > 1 { &replaced } else { &[] }));
            (ShownForm::Fields, base, parts)
        }
        (WRITES | EDITS, Some((Replaced::Text(_), base))) => {
            let mut parts = vec![Part::Note(format!(
                "no difference: it has more than {MOST_LINES} lines"
            ))];
            parts.extend(rest(&[]));
            (ShownForm::Fields, base, parts)
        }
        (EDITS, _) => match edited(tool, &value) {
            Some(edited) => {
                let mut parts = rest(&replaced);
                parts.extend(edited);
                (ShownForm::Difference, None, parts)
            }
            None => (ShownForm::Fields, None, rest(&[])),
        },
        (SHELL, _) => match command(&value) {
            Some(command) => {
                let mut parts = vec![command];
                parts.extend(rest(&["command", "argv"]));
                (ShownForm::Command, None, parts)
            }
            None => (ShownForm::Fields, None, rest(&[])),
        },
        _ if members.is_empty() => (
            ShownForm::Fields,
            None,
            vec![Part::Note("no arguments".to_owned())],
        ),
        _ => (ShownForm::Fields, None, rest(&[])),
    };
    Readable {
        shown: Shown {
            form,
            base: base.cloned(),
        },
        parts,
    }
}

/// What an edit replaces by what, if its arguments say both.
fn edited(tool: &str, value: &impl Fn(&str) -> Option<Arc<str>>) -> Option<Vec<Part>> {
    let both = (tool == EDITS).then(|| value("old").zip(value("new")))?;
    both.map(|(old, new)| vec![Part::Replaces([old, new])])
}

/// The command of a shell call; none where it has not exactly one.
fn command(value: &impl Fn(&str) -> Option<Arc<str>>) -> Option<Part> {
    match (value("command"), value("argv")) {
        (Some(line), None) => json::as_text(&line).map(|_| Part::Line(line)),
        (None, Some(words)) => {
            let words: Vec<String> = serde_json::from_str(&words).ok()?;
            let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
            Some(Part::Words(words.join(" ")))
        }
        _ => None,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::survey;

    fn members(args: &str) -> Vec<(String, Arc<str>)> {
        let members = json::members(args).into_iter();
        members.map(|(name, value)| (name, Arc::from(value))).collect()
    }

    fn form(tool: &str, args: &str, found: Option<Found<'_>>) -> (ShownForm, Vec<String>) {
        let form = of(tool, &members(args), found);
        (form.shown.form, lines(&form))
    }

    #[test]
    fn a_command_is_shown_as_it_is_typed() {
        assert_eq!(
            form(
                "shell",
                r#"{"command":"cargo test\n--all \"x\"","timeout_s":9}"#,
                None
            ),
            (
                ShownForm::Command,
                vec![
                    "$ cargo test".into(),
                    "  --all \"x\"".into(),
                    "timeout_s = 9".into()
                ]
            )
        );
        assert_eq!(
            form("shell", r#"{"argv":["echo","a b"]}"#, None),
            (ShownForm::Command, vec!["$ echo 'a b'".into()])
        );
        let both = form("shell", r#"{"command":"a","argv":["b"]}"#, None);
        assert_eq!(
            both,
            (
                ShownForm::Fields,
                vec![
                    "command = a".into(),
                    "argv =".into(),
                    "  [".into(),
                    "    \"b\"".into(),
                    "  ]".into()
                ]
            )
        );
    }

    #[test]
    fn an_argument_of_several_lines_cannot_look_like_another_one() {
        let (shown, lines) = form("send", r#"{"to":"a\u001b[2K","text":"x\nto = b"}"#, None);
        assert_eq!(shown, ShownForm::Fields);
        let escape = visible("\u{1b}");
        assert_eq!(
            lines,
            [&*format!("to = a{escape}[2K"), "text =", "  x", "  to = b"]
        );
        assert_eq!(form("send", "{}", None).1, ["no arguments"]);
    }

    #[test]
    fn a_string_is_not_shown_like_another_value() {
        let shown = |json: &str| {
            let args = format!(r#"{{"a":{json}}}"#);
            form("send", &args, None).1.join("\n")
        };
        let all = [
            "false",
            r#""false""#,
            r#""\"false\"""#,
            "1",
            r#""1""#,
            r#""1 ""#,
            "null",
            r#""null""#,
            r#""""#,
            r#""\"""#,
            "{}",
            r#""{}""#,
            r#""\"{}\"""#,
        ];
        for (at, one) in all.iter().enumerate() {
            for other in &all[..at] {
                assert_ne!(shown(one), shown(other), "{one} {other}");
            }
        }
        assert_eq!(shown(r#""false""#), "a = \"false\"");
        assert_eq!(shown(r#""it's 5 o'clock""#), "a = it's 5 o'clock");
    }

    #[test]
    fn a_write_is_a_difference_once_the_file_is_known() {
        let args = r#"{"path":"a.md","content":"one\nthree\n"}"#;
        let lines: Arc<[diff::Line]> = diff::lines("one\ntwo\n", "one\nthree\n").into();
        let base: Arc<str> = "h".into();
        let found = Replaced::Text(lines);
        let known = of("write_file", &members(args), Some((&found, Some(&base))));
        assert_eq!(
            (known.shown.form, known.shown.base.as_deref()),
            (ShownForm::Difference, Some("h"))
        );
        let base = known.shown.base.as_deref();
        assert!(replaces_file("write_file", base) && !replaces_file("edit_file", base));
        assert_eq!(
            super::lines(&known),
            ["path = a.md", "    1   one", "    2 - two", "    2 + three"]
        );
        let none: Arc<str> = "".into();
        let new = of(
            "write_file",
            &members(args),
            Some((&Replaced::Nothing, Some(&none))),
        );
        assert_eq!(
            super::lines(&new),
            ["path = a.md", "a new file", "+ one", "+ three", "+ "]
        );
        assert!(!replaces_file("write_file", new.shown.base.as_deref()));
        let unread = Replaced::Unreadable("`a.md` is no text".into());
        let (shown, lines) = form("write_file", args, Some((&unread, None)));
        assert_eq!(shown, ShownForm::Fields);
        assert_eq!(lines[0], "no difference: `a.md` is no text");
        assert_eq!(
            form("write_file", args, None).0,
            ShownForm::Fields,
            "the file is not known yet"
        );
    }

    #[test]
    fn an_edit_shows_what_it_replaces_by_what() {
        let args = r#"{"path":"a","old":"x = 1","new":"x = 2"}"#;
        assert_eq!(
            form("edit_file", args, None),
            (
                ShownForm::Difference,
                vec!["path = a".into(), "- x = 1".into(), "+ x = 2".into()]
            )
        );
        let missing = Replaced::Unreadable("the text does not occur in `a`".into());
        let (shown, lines) = form("edit_file", args, Some((&missing, None)));
        assert_eq!(shown, ShownForm::Fields);
        assert_eq!(
            lines,
            [
                "no difference: the text does not occur in `a`",
                "- x = 1",
                "+ x = 2",
                "path = a"
            ]
        );
    }

    #[test]
    fn the_exact_bytes_come_first_where_the_form_would_not_tell_everything() {
        let why = |args: &str| why_exact(args, &survey(args));
        for plain in [
            r#"{"a":"b\nc","n":1.5}"#,
            "{}",
            r#"{"a":"C:\\build\\file"}"#,
            r#"{"a":"日本"}"#,
        ] {
            assert_eq!(why(plain), None, "{plain}");
        }
        for (args, words) in [
            (r#"{"a":1,"a":2}"#, "occurs twice"),
            (r#"{"a":"x\u202ey"}"#, "turns the direction"),
            (r#"{"a":"x\u200by"}"#, "cannot be seen"),
            (r#"{"a":"rm x\b\b\b\bls"}"#, "control"),
            (r#"{"a":"x\fy"}"#, "control"),
            (r#"{"n":12345678901234567890123}"#, "would become"),
            ("[1]", "not an object"),
            ("{", "not JSON"),
        ] {
            assert!(
                why(args).is_some_and(|why| why.contains(words)),
                "{args}: {:?}",
                why(args)
            );
        }
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MOST));
        assert!(why(&long).is_some_and(|why| why.contains("256 KiB")));
    }
}
