//! The difference between two lists of definitions, line by line.
//!
//! Must not know: which of them was accepted, what follows from a difference.

use serde_json::Value;

use super::definition::Definition;
use super::pins::Pinned;
use crate::text::visible_head;

/// Maximum number of lines; the rest is counted.
const LINES: usize = 40;
/// Characters shown of a value.
const VALUE: usize = 160;

/// Describes how a server's definitions differ from the accepted ones. Empty if they are the same.
pub fn difference(accepted: &Pinned, now: &Pinned) -> Vec<String> {
    let mut lines = Vec::new();
    if accepted.identity != now.identity {
        lines.push(format!(
            "the command line or address changed: {} → {}",
            shown(&accepted.written),
            shown(&now.written)
        ));
    }
    for old in &accepted.tools {
        match find(&now.tools, &old.name) {
            None => lines.push(format!("removed: {}", shown(&old.name))),
            Some(new) if new.content != old.content => {
                lines.push(format!("changed: {}", shown(&old.name)));
                compare(&old.content, &new.content, "", &mut lines);
            }
            Some(_) => {}
        }
    }
    for new in &now.tools {
        if find(&accepted.tools, &new.name).is_none() {
            lines.push(format!("new: {}", shown(&new.name)));
        }
    }
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("{more} more differences"));
    }
    lines
}

fn find<'d>(all: &'d [Definition], name: &str) -> Option<&'d Definition> {
    all.iter().find(|one| one.name == name)
}

fn compare(old: &Value, new: &Value, path: &str, lines: &mut Vec<String>) {
    if old == new {
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        lines.push(format!("  {path}: {} → {}", value(old), value(new)));
        return;
    };
    for (key, old) in before {
        let path = format!("{path}/{}", shown(key));
        match after.get(key) {
            Some(new) => compare(old, new, &path, lines),
            None => lines.push(format!("  {path}: {} → nothing", value(old))),
        }
    }
    for (key, new) in after {
        if !before.contains_key(key) {
            lines.push(format!("  {path}/{}: nothing → {}", shown(key), value(new)));
        }
    }
}

fn value(value: &Value) -> String {
    visible_head(&value.to_string(), VALUE)
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
        assert_eq!(difference(&old, &old), Vec::<String>::new());
        let lines = difference(&old, &new);
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
            difference(&old, &moved),
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
        let lines = difference(&pinned(&[]), &pinned(&many));
        assert_eq!(lines.len(), LINES + 1);
        assert_eq!(lines.last().unwrap(), "60 more differences");
    }
}
