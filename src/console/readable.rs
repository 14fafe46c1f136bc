//! The readable form of a call for a decision: a difference, a command, or its arguments one by one.
//!
//! Must not know: how a form is drawn, who decides.
//!
//! It is made from the bytes that run. Where it would not tell everything, the exact bytes come
//! first.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::diff::{self, Change};
use super::doc::readable;
use super::json;
use super::link::Replaced;
use overrule_base::canon::scan_up_to;
use overrule_base::known_tool::{
    self, CONTENT, Kind, LINE, LINES, NEW, OLD, TEXT, WORDS, kind, name_in, patch_lines,
};
use overrule_base::shell_line::quote;
use overrule_base::text::{Survey, WarningKind, visible, visible_lines};
use overrule_domain::call::{Shown, ShownForm};

/// Longest arguments that have a readable form, in bytes.
const MOST: usize = 256 * 1024;
/// The most lines of a difference. A longer one is shown as its new content.
const MOST_LINES: usize = 2_000;

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
    let (form, parts) = found.map_or_else(
        || args.alone(kind),
        |(found, _)| args.of_file(kind == Some(Kind::Write), found),
    );
    Readable {
        shown: Shown {
            form,
            base: base.cloned(),
        },
        parts,
    }
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

/// The members of the arguments of a call.
struct Args<'a>(&'a [(String, Arc<str>)]);

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

    /// The form of a call that changes a file of which this was found.
    fn of_file(&self, is_write: bool, found: &Replaced) -> (ShownForm, Vec<Part>) {
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

    /// The form of a call by its arguments alone.
    fn alone(&self, kind: Option<Kind>) -> (ShownForm, Vec<Part>) {
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
    use overrule_base::text::survey;

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
    fn the_tools_of_other_agents_read_like_the_built_in_ones() {
        for (tool, args) in [
            (
                "Edit",
                r#"{"file_path":"a","old_string":"x = 1","new_string":"x = 2"}"#,
            ),
            (
                "edit",
                r#"{"filePath":"a","oldString":"x = 1","newString":"x = 2"}"#,
            ),
            (
                "replace",
                r#"{"file_path":"a","old_string":"x = 1","new_string":"x = 2"}"#,
            ),
        ] {
            let (shown, lines) = form(tool, args, None);
            assert_eq!(shown, ShownForm::Difference, "{tool}");
            assert!(lines[0].ends_with(" = a"), "{tool} {lines:?}");
            assert_eq!(lines[1..], ["- x = 1", "+ x = 2"], "{tool}");
        }
        for (tool, args, line) in [
            ("Bash", r#"{"command":"ls -l"}"#, "$ ls -l"),
            ("exec_command", r#"{"cmd":"ls -l"}"#, "$ ls -l"),
            (
                "shell",
                r#"{"command":["bash","-lc","ls -l"]}"#,
                "$ bash -lc 'ls -l'",
            ),
        ] {
            assert_eq!(
                form(tool, args, None),
                (ShownForm::Command, vec![line.into()]),
                "{tool}"
            );
        }
        let more = form("Bash", r#"{"command":"ls","description":"look"}"#, None);
        assert_eq!(more.1, ["$ ls", "description = look"]);
        let both = form("exec_command", r#"{"cmd":"ls","command":"rm"}"#, None);
        assert_eq!(
            both,
            (ShownForm::Fields, vec!["cmd = ls".into(), "command = rm".into()])
        );
        assert_eq!(form("other", r#"{"command":"ls"}"#, None).0, ShownForm::Fields);
        let new = of(
            "Write",
            &members(r#"{"file_path":"a.md","content":"one"}"#),
            Some((&Replaced::Nothing, Some(&"".into()))),
        );
        assert_eq!(super::lines(&new), ["file_path = a.md", "a new file", "+ one"]);
        assert!(replaces_file("Write", Some("h")) && !replaces_file("Edit", Some("h")));
    }

    #[test]
    fn calls_of_the_providers_types_read_like_the_known_tools() {
        let words = r#"{"action":{"type":"exec","command":["ls","a b"],"env":{}},"user":"u"}"#;
        let (shown, lines) = form("local_shell_call", words, None);
        assert_eq!(shown, ShownForm::Command);
        assert_eq!(lines, ["$ ls 'a b'", "type = exec", "env = {}", "user = u"]);
        let several = r#"{"action":{"commands":["ls","rm x"]}}"#;
        assert_eq!(
            form("shell_call", several, None),
            (ShownForm::Command, vec!["$ ls".into(), "  rm x".into()])
        );
        let patch = r#"{"operation":{"type":"update_file","path":"a.rs","diff":"-x\n+y"}}"#;
        assert_eq!(
            form("apply_patch_call", patch, None),
            (
                ShownForm::Difference,
                vec!["updates = a.rs".into(), "- x".into(), "+ y".into()]
            )
        );
        // What is not known is not left out.
        for (tool, args) in [
            (
                "apply_patch_call",
                r#"{"operation":{"type":"rm","path":"a","diff":""}}"#,
            ),
            ("apply_patch_call", r#"{"operation":{"type":1,"path":"rm"}}"#),
            (
                "apply_patch_call",
                r#"{"operation":{"type":"update_file","path":"a","mode":"777"}}"#,
            ),
            (
                "local_shell_call",
                r#"{"action":{"command":["ls"]},"command":"rm"}"#,
            ),
        ] {
            let (shown, lines) = form(tool, args, None);
            assert_eq!(shown, ShownForm::Fields, "{tool}");
            assert!(
                lines.concat().contains("777") || lines.concat().contains("rm"),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_member_of_another_kind_of_tool_is_shown() {
        let lines_found = Replaced::Text(Vec::new().into());
        let unreadable = Replaced::Unreadable("it is too long".into());
        let edit = r#"{"file_path":"a","old_string":"x","new_string":"y","content":"extra"}"#;
        let write = r#"{"file_path":"a","content":"x","old":"extra","new":"more"}"#;
        for found in [&lines_found, &unreadable, &Replaced::Nothing] {
            let lines = |tool: &str, args: &str| {
                super::lines(&of(tool, &members(args), Some((found, None)))).join("\n")
            };
            let shown = lines("Edit", edit);
            assert!(
                shown.contains("content = extra") && !shown.contains("+ extra"),
                "{shown}"
            );
            let shown = lines("Write", write);
            assert!(
                shown.contains("old = extra") && shown.contains("new = more"),
                "{shown}"
            );
        }
    }

    #[test]
    fn a_patch_is_shown_file_by_file_and_its_lines_cannot_look_like_a_file() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n same\n-old\n+new\n+*** Delete File: b\n\
                     \x20*** Delete File: d\n*** Delete File: c\u{1b}\n*** End Patch\n";
        let args = serde_json::json!({ "input": patch }).to_string();
        let (shown, lines) = form("apply_patch", &args, None);
        assert_eq!(shown, ShownForm::Difference);
        let escape = visible("\u{1b}");
        assert_eq!(
            lines,
            [
                "  *** Begin Patch",
                "updates = a.rs",
                "  @@ fn x",
                "  same",
                "- old",
                "+ new",
                "+ *** Delete File: b",
                "  *** Delete File: d",
                &*format!("deletes = c{escape}"),
                "  *** End Patch",
            ]
        );
        let long = serde_json::json!({ "input": "+\n".repeat(MOST_LINES + 1) }).to_string();
        assert_eq!(form("apply_patch", &long, None).0, ShownForm::Fields);
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
