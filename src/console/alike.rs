//! Which waiting calls are of one shape (tool and names of arguments), and what sets each apart from the
//! first of them: so that nobody reads the same words again and again and misses the one that differs.
//!
//! Must not know: panes, looks.

use std::collections::BTreeMap;

use super::{doc, json, summary};
use crate::domain::id::NodeId;
use crate::domain::ready;
use crate::domain::state::State;

/// Calls that are compared.
const MOST: usize = 500;
/// Longest arguments that are taken apart.
const LONGEST: usize = 16 * 1024;
/// Characters of a value that differs.
const SHOWN: usize = 80;

/// Characters that are the same at the beginning and shown nevertheless, where they are so few.
const KEPT: usize = 16;
/// Characters that are shown before the first one that differs.
const BEFORE: usize = 8;

/// How a call differs from the first one of its shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike {
    /// The first one.
    pub first: NodeId,
    /// The arguments that differ, with their values; holds untrusted text. Empty where none does.
    pub differs: Vec<(String, String)>,
}

impl Alike {
    /// The difference in a few words; holds untrusted text.
    pub fn words(&self) -> String {
        if self.differs.is_empty() {
            return format!("the same as {}", self.first);
        }
        let parts: Vec<String> = self
            .differs
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("like {} but {}", self.first, parts.join(" "))
    }
}

/// The calls that are of the shape of one before them.
pub fn of(state: &State, calls: impl IntoIterator<Item = NodeId>) -> BTreeMap<NodeId, Alike> {
    /// Tool and names of the arguments.
    type Shape = (String, Vec<String>);
    let mut firsts: BTreeMap<Shape, (NodeId, Vec<(String, String)>)> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for id in calls.into_iter().take(MOST) {
        let Some((tool, members)) = members_of(state, id) else {
            continue;
        };
        let shape = (tool, members.iter().map(|(name, _)| name.clone()).collect());
        let Some((first, before)) = firsts.get(&shape) else {
            firsts.insert(shape, (id, members));
            continue;
        };
        let differs = members
            .iter()
            .zip(before)
            .filter(|((_, now), (_, before))| now != before)
            .map(|((name, now), (_, before))| (name.clone(), short(now, before)))
            .collect();
        found.insert(
            id,
            Alike {
                first: *first,
                differs,
            },
        );
    }
    found
}

/// The tool of a call and its arguments by name, in the order of the names.
fn members_of(state: &State, id: NodeId) -> Option<(String, Vec<(String, String)>)> {
    let (tool, _) = state.node(id)?.as_call()?;
    let args = ready::resolved_args(state, state.call(id)?)?;
    if args.len() > LONGEST {
        return None;
    }
    let mut members: Vec<(String, String)> = json::members(&args)
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    members.sort();
    (!members.is_empty()).then(|| (tool.to_string(), members))
}

/// A value from shortly before the place where it begins to differ from another one: long values that
/// differ late would look the same otherwise.
fn short(value: &str, other: &str) -> String {
    let plain = |value: &str| json::as_text(value).unwrap_or_else(|| value.to_owned());
    let (text, other) = (plain(value), plain(other));
    let same = text
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let from = if same > KEPT { same - BEFORE } else { 0 };
    let at = text.char_indices().nth(from).map_or(text.len(), |(at, _)| at);
    let (head, cut) = doc::head(text.get(at..).unwrap_or(&text), SHOWN);
    let head = summary::on_one_line(head);
    let before = if from > 0 { "…" } else { "" };
    let after = if cut { "…" } else { "" };
    format!("{before}{head}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};

    fn stage() -> Stage {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a","content":"x"}"#);
        stage.awaiting("c4", "write_file", r#"{"content":"x","path":"b"}"#);
        stage.awaiting("c5", "read_file", r#"{"path":"a"}"#);
        stage.awaiting("c6", "write_file", r#"{"path":"a","content":"x"}"#);
        stage.awaiting("c7", "write_file", r#"{"path":"a"}"#);
        stage
    }

    #[test]
    fn what_differs_is_named_and_nothing_else() {
        let stage = stage();
        let ids = ["c3", "c4", "c5", "c6", "c7"].map(id);
        let found = of(&stage.model.run.state, ids);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [id("c4"), id("c6")]);
        assert_eq!(found[&id("c4")].words(), "like c3 but path=b");
        assert_eq!(found[&id("c6")].words(), "the same as c3");
    }

    #[test]
    fn a_value_that_differs_late_is_shown_from_there() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        let base = "http://127.0.0.1:44457/page/".repeat(4);
        for (name, page) in [("c3", "1"), ("c4", "27"), ("c5", "")] {
            stage.awaiting(name, "read_file", &format!(r#"{{"path":"{base}{page}"}}"#));
        }
        let found = of(&stage.model.run.state, ["c3", "c4", "c5"].map(id));
        assert_eq!(found[&id("c4")].words(), "like c3 but path=…57/page/27");
        assert_eq!(found[&id("c5")].words(), "like c3 but path=…57/page/");
    }

    #[test]
    fn a_long_value_is_cut_and_a_huge_one_is_not_compared() {
        let mut stage = stage();
        let long = "y".repeat(500);
        stage.awaiting(
            "c8",
            "write_file",
            &format!(r#"{{"path":"a","content":"{long}"}}"#),
        );
        let huge = "z".repeat(LONGEST);
        stage.awaiting(
            "c9",
            "write_file",
            &format!(r#"{{"path":"a","content":"{huge}"}}"#),
        );
        let found = of(&stage.model.run.state, ["c3", "c8", "c9"].map(id));
        assert_eq!(found.len(), 1);
        assert!(
            found[&id("c8")].words().ends_with("yyy…"),
            "{:?}",
            found[&id("c8")]
        );
    }
}
