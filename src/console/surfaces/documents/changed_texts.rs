//! The texts of a content before and after a change, without what stays.
//!
//! Must not know: who changes it, how the lines are drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::revisions::content_text;
use crate::ground::json;
use overrule_base::known_tool;
use overrule_domain::node::Content;
use overrule_schema::RESERVED;

/// The most bytes of arguments that are compared one by one.
const MOST: usize = 64 * 1024;
/// A line of a text with more bytes is compared by its sentences.
const LONG: usize = 120;

/// The texts of two contents of a node: of a call of the same tool the arguments that differ, of a text its sentences, of
/// others the whole. Contains untrusted text.
pub(crate) fn of(old: &Content, new: &Content) -> [Arc<str>; 2] {
    let texts = match (old, new) {
        (
            Content::Call { tool, args },
            Content::Call {
                tool: other,
                args: after,
            },
        ) if tool == other => arguments(tool, args, after),
        (Content::Text { text, .. }, Content::Text { text: after, .. }) => {
            Some([sentences(text), sentences(after)])
        }
        _ => None,
    };
    // What differs in its bytes must not look equal.
    let texts = texts.filter(|[old, new]| old != new);
    texts
        .unwrap_or_else(|| [content_text(old), content_text(new)])
        .map(Arc::from)
}

/// The arguments that differ; none if their names do not distinguish them.
fn arguments(tool: &str, old: &str, new: &str) -> Option<[String; 2]> {
    if old.len().max(new.len()) > MOST || !is_object(old) || !is_object(new) {
        return None;
    }
    let (before, after) = (json::members(old), json::members(new));
    if has_twice(&before) || has_twice(&after) {
        return None;
    }
    let value = |members: &[(String, &str)], name: &str| {
        let found = members.iter().find(|(one, _)| one == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let added = after
        .iter()
        .filter(|(name, _)| before.iter().all(|(one, _)| one != name));
    let names = before.iter().chain(added).map(|(name, _)| name.as_str());
    let changed: Vec<(&str, [Option<String>; 2])> = names
        .map(|name| (name, [value(&before, name), value(&after, name)]))
        // A member of the program's own that an edit lacks stays as it is.
        .filter(|(name, [old, new])| old != new && (new.is_some() || !RESERVED.contains(name)))
        .map(|(name, values)| (name, value_texts(values)))
        .collect();
    let is_line = |name: &str| known_tool::is_shell(tool) && name == "command";
    let alone = matches!(changed.as_slice(), [(name, _)] if is_line(name));
    let mut texts = [String::new(), String::new()];
    for (name, values) in &changed {
        let long = values.iter().flatten().any(|value| value.contains('\n'));
        for (text, value) in texts.iter_mut().zip(values) {
            let Some(value) = value else { continue };
            if !alone {
                text.push_str(name);
                text.push_str(if long { ":\n" } else { ": " });
            }
            for line in value.strip_suffix('\n').unwrap_or(value).split('\n') {
                // A line of a value is not taken for another argument.
                text.push_str(if long && !alone { "  " } else { "" });
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    Some(texts)
}

fn is_object(args: &str) -> bool {
    args.trim_start().starts_with('{')
}

fn has_twice(members: &[(String, &str)]) -> bool {
    let names: BTreeSet<&String> = members.iter().map(|(name, _)| name).collect();
    names.len() < members.len()
}

/// Values as texts. They keep their JSON form where a text could be taken for another value, or only one of them ends its line.
fn value_texts(values: [Option<String>; 2]) -> [Option<String>; 2] {
    let texts = values.each_ref().map(|value| {
        let text = value.as_deref().and_then(json::as_text);
        text.filter(|text| !text.is_empty() && !json::is_valid(text))
    });
    let ends = |text: &Option<String>| text.as_deref().map(|text| text.ends_with('\n'));
    match &texts {
        [old, new] if old.is_some() && new.is_some() && ends(old) != ends(new) => values,
        _ => {
            let [old, new] = values;
            let [old_text, new_text] = texts;
            [old_text.or(old), new_text.or(new)]
        }
    }
}

/// A text with a sentence in a line, where its lines are long.
fn sentences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.len() <= LONG {
            out.push_str(line);
            continue;
        }
        let mut rest = line;
        while let Some(at) = ["! ", ". ", "? "].iter().filter_map(|end| rest.find(end)).min() {
            let (sentence, after) = rest.split_at(at + 1);
            out.push_str(sentence);
            out.push('\n');
            rest = after.strip_prefix(' ').unwrap_or(after);
        }
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use overrule_domain::node::Channel;

    use super::*;

    fn call(tool: &str, args: &str) -> Content {
        Content::Call {
            tool: tool.into(),
            args: args.into(),
        }
    }

    fn between(tool: &str, old: &str, new: &str) -> [String; 2] {
        of(&call(tool, old), &call(tool, new)).map(|text| text.to_string())
    }

    #[test]
    fn of_a_call_only_the_arguments_that_differ_are_left() {
        let old = r#"{"_as":"x","command":"ls","timeout_s":1}"#;
        let new = r#"{"_as":"x","command":"ls -l","timeout_s":1}"#;
        assert_eq!(between("shell", old, new), ["ls\n", "ls -l\n"]);
        let new = r#"{"_as":"x","command":"ls","timeout_s":"1"}"#;
        assert_eq!(
            between("shell", old, new),
            ["timeout_s: 1\n", "timeout_s: \"1\"\n"],
            "a number is no text"
        );
        let new = r#"{"_as":"x","command":"ls","cwd":"a"}"#;
        assert_eq!(between("shell", old, new), ["timeout_s: 1\n", "cwd: a\n"]);
        let texts = between("write_file", r#"{"content":"1\n2\n"}"#, r#"{"content":"1\n2"}"#);
        assert_eq!(
            texts,
            ["content: \"1\\n2\\n\"\n", "content: \"1\\n2\"\n"],
            "the end of the last line is part of it"
        );
        let texts = between(
            "write_file",
            r#"{"path":"a","content":"x\ny"}"#,
            r#"{"path":"b","content":"x"}"#,
        );
        assert_eq!(
            texts,
            ["path: a\ncontent:\n  x\n  y\n", "path: b\ncontent:\n  x\n"]
        );
    }

    #[test]
    fn no_byte_of_a_line_is_dropped_and_no_line_looks_like_an_argument() {
        let old = r#"{"content":"x\r\ny"}"#;
        let new = r#"{"content":"x\npath: b"}"#;
        assert_eq!(
            between("write_file", old, new),
            ["content:\n  x\r\n  y\n", "content:\n  x\n  path: b\n"]
        );
    }

    #[test]
    fn what_cannot_be_told_apart_by_names_is_shown_whole() {
        for (old, new) in [
            (r#"{"a":1,"a":2}"#, r#"{"a":1,"a":3}"#),
            (r#"{"a":1}"#, r#"{ "a": 1 }"#),
            ("[1]", "[2]"),
        ] {
            let [before, after] = between("x", old, new);
            assert!(
                before.starts_with("x\n") && after.starts_with("x\n"),
                "{old} {new}"
            );
        }
        let other = of(&call("x", r#"{"a":1}"#), &call("y", r#"{"a":1}"#));
        assert!(other[0].starts_with("x\n") && other[1].starts_with("y\n"));
    }

    #[test]
    fn a_long_text_is_compared_by_its_sentences() {
        let first = "One test is left, and it is about the median of an even number of values. ".repeat(2);
        let text = |end: &str| Content::Text {
            text: format!("{first}{end}").into(),
            channel: Channel::default(),
            opaque: None,
        };
        let [old, new] = of(&text("Leave it."), &text("Mend it."));
        assert_eq!(old.lines().count(), 3);
        assert_eq!(old.lines().zip(new.lines()).filter(|(a, b)| a != b).count(), 1);
        let [old, _] = of(&text(""), &text("x"));
        assert!(old.ends_with('\n'));
    }
}
