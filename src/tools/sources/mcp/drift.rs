//! The difference between two lists of definitions, line by line.
//!
//! Must not know: which of them was accepted, what follows from a difference.

use serde_json::Value;

use super::definition::Definition;
use super::pins::Pinned;
use overrule_base::text::{redact, visible, visible_head};
use overrule_domain::event::run::ToolOrigin;

/// Lines of a difference in a question; the rest is counted.
const LINES: usize = 40;
/// Characters shown of a name, and of a value from where it differs.
const VALUE: usize = 160;
/// Characters of a value shown before the place where it differs.
const BEFORE: usize = 40;

/// How much is shown of values that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// The part around the first difference.
    Excerpt,
    /// All.
    Whole,
}

/// Describes how a server's definitions differ from the accepted ones. Empty if they are the same.
pub fn difference(accepted: &Pinned, now: &Pinned, values: Values) -> Vec<String> {
    let mut lines = Vec::new();
    if accepted.identity != now.identity {
        // It may contain a key in plain text.
        let (old, new) = pair(&redact(&accepted.written), &redact(&now.written), values);
        lines.push(format!("the command line or address changed: {old} → {new}"));
    }
    for old in &accepted.tools {
        match find(&now.tools, &old.name) {
            None => lines.push(format!("removed: {}", shown(&old.name))),
            Some(new) if new.content != old.content => {
                lines.push(format!("changed: {}", shown(&old.name)));
                compare(&old.content, &new.content, "", values, &mut lines);
            }
            Some(_) => {}
        }
    }
    for new in &now.tools {
        if find(&accepted.tools, &new.name).is_none() {
            lines.push(format!("new: {}", shown(&new.name)));
            if values == Values::Whole {
                lines.push(format!("  {}", visible(&new.content.to_string())));
            }
        }
    }
    lines
}

/// Returns the beginning of a difference for a question, and the hash of what the definitions are now.
pub(super) fn excerpt(lines: &[String], hash: &str) -> String {
    let mut shown: Vec<&str> = lines.iter().take(LINES).map(String::as_str).collect();
    let more = lines.len().saturating_sub(LINES);
    let counted = format!("{more} more differences");
    if more > 0 {
        shown.push(&counted);
    }
    format!("{}\n{}{hash}", shown.join("\n"), ToolOrigin::HASH)
}

fn find<'d>(all: &'d [Definition], name: &str) -> Option<&'d Definition> {
    all.iter().find(|one| one.name == name)
}

fn compare(old: &Value, new: &Value, path: &str, values: Values, lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        let (old, new) = pair(&old.to_string(), &new.to_string(), values);
        lines.push(format!("  {path}: {old} → {new}"));
        return;
    };
    for (key, old) in before {
        let path = format!("{path}/{}", shown(key));
        match after.get(key) {
            Some(new) => compare(old, new, &path, values, lines),
            None => lines.push(format!("  {path}: {} → nothing", one(old, values))),
        }
    }
    for (key, new) in after {
        if !before.contains_key(key) {
            lines.push(format!("  {path}/{}: nothing → {}", shown(key), one(new, values)));
        }
    }
}

/// Shows two values that differ: of long ones the part around the first difference.
fn pair(old: &str, new: &str, values: Values) -> (String, String) {
    if values == Values::Whole {
        return (visible(old), visible(new));
    }
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let from = if same > VALUE - BEFORE { same - BEFORE } else { 0 };
    let part = |text: &str| {
        let rest: String = text.chars().skip(from).collect();
        let head = visible_head(&rest, VALUE);
        if from > 0 { format!("…{head}") } else { head }
    };
    (part(old), part(new))
}

fn one(value: &Value, values: Values) -> String {
    let text = value.to_string();
    match values {
        Values::Whole => visible(&text),
        Values::Excerpt => shown(&text),
    }
}

fn shown(text: &str) -> String {
    visible_head(text, VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pinned(tools: &[(&str, Value)]) -> Pinned {
        Pinned {
            identity: "i".into(),
            written: "run".into(),
            tools: tools
                .iter()
                .map(|(name, content)| Definition {
                    name: (*name).to_owned(),
                    content: content.clone(),
                })
                .collect(),
        }
    }

    #[test]
    fn every_kind_of_difference_has_its_line() {
        let old = pinned(&[
            (
                "a",
                json!({"description": "reads", "inputSchema": {"properties": {"x": {}}}}),
            ),
            ("b", json!({})),
            ("same", json!({"description": "d"})),
        ]);
        let new = pinned(&[
            (
                "a",
                json!({"description": "reads\u{1b}[2J", "inputSchema": {"properties": {"y": {}}}}),
            ),
            ("c", json!({})),
            ("same", json!({"description": "d"})),
        ]);
        assert_eq!(difference(&old, &old, Values::Whole), Vec::<String>::new());
        let lines = difference(&old, &new, Values::Excerpt);
        let target = [
            "changed: a",
            "  /description: \"reads\" → \"reads\\u001b[2J\"",
            "  /inputSchema/properties/x: {} → nothing",
            "  /inputSchema/properties/y: nothing → {}",
            "removed: b",
            "new: c",
        ];
        assert_eq!(lines, target);
        let moved = Pinned {
            identity: "other".into(),
            written: "run --fast".into(),
            ..old.clone()
        };
        assert_eq!(
            difference(&old, &moved, Values::Excerpt),
            ["the command line or address changed: run → run --fast"]
        );
    }

    #[test]
    fn a_long_difference_is_cut_and_counted() {
        let many: Vec<(String, Value)> = (0..100).map(|no| (format!("t{no}"), json!({}))).collect();
        let many: Vec<(&str, Value)> = many
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let lines = difference(&pinned(&[]), &pinned(&many), Values::Excerpt);
        assert_eq!(lines.len(), 100, "all of them are there to be accepted");
        let text = excerpt(&lines, "5ab7");
        assert_eq!(text.lines().count(), LINES + 2);
        assert!(
            text.ends_with("\n60 more differences\nhash of the definitions: 5ab7"),
            "{text}"
        );
    }

    #[test]
    fn a_change_at_the_end_of_a_long_value_is_shown() {
        let with =
            |end: &str| pinned(&[("a", json!({"description": format!("{}{end}", "x".repeat(5_000))}))]);
        let (old, new) = (with("reads"), with("reads, then sends it away"));
        let lines = difference(&old, &new, Values::Excerpt);
        assert!(lines[1].contains("reads, then sends it away"), "{lines:?}");
        assert!(
            lines[1].chars().count() < 500 && lines[1].contains("…xxx"),
            "{lines:?}"
        );
        let lines = difference(&old, &new, Values::Whole);
        assert!(
            lines[1].chars().count() > 10_000,
            "to be accepted it is shown whole"
        );
        let lines = difference(&pinned(&[]), &new, Values::Whole);
        assert!(lines[1].contains("then sends it away"), "also of a new tool");
    }
}
