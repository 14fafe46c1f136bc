//! Groups waiting calls of the same tool and argument names, and finds how they differ.
//!
//! Must not know: panes, looks.
//!
//! The operator then reads only the differences, and misses none in a row of similar calls.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::summary::{self, Argument, Summary};
use crate::ground::json;
use overrule_domain::id::NodeId;
use overrule_domain::ready;
use overrule_domain::state::State;
use overrule_schema::RESERVED;

/// Maximum number of calls that are compared.
const MOST: usize = 500;
/// Maximum size of arguments that are compared, in bytes.
const LONGEST: usize = 16 * 1024;
/// Maximum length of a value that is listed before longer ones.
const SHORT: usize = 80;

/// Maximum length of a common prefix that is still shown, in characters.
const SHOWN_PREFIX: usize = 16;
/// Characters that are shown before the first difference.
const BEFORE: usize = 8;

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    name: String,
    /// The JSON text of its value.
    value: String,
    /// Index of the first character to show; none to show the value from its start.
    from: Option<usize>,
}

/// How a call differs from the first one of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallGroup {
    /// The first one.
    pub first: NodeId,
    /// True if it has something in common with the first one.
    like: bool,
    /// The arguments that differ, short ones first.
    differs: Vec<Member>,
}

impl CallGroup {
    /// True if it has something in common with the first one.
    pub const fn is_like(&self) -> bool {
        self.like
    }

    /// The difference in a line; all arguments if every one differs.
    pub fn describe(&self) -> Summary {
        let all: Vec<Argument<'_>> = self
            .differs
            .iter()
            .map(|member| Argument {
                name: &member.name,
                value: &member.value,
                from: member.from,
            })
            .collect();
        let own = |words: String| Summary::default().own(words);
        match (self.like, all.is_empty()) {
            (false, _) => summary::listed(&all),
            (true, true) => own(format!("the same as {}", self.first)),
            (true, false) => own(format!("like {} but ", self.first)).and(summary::named(&all)),
        }
    }
}

/// The calls that have the tool and argument names of an earlier one.
pub fn of(state: &State, calls: impl IntoIterator<Item = NodeId>) -> BTreeMap<NodeId, CallGroup> {
    /// Tool and names of the arguments.
    type Shape = (String, Vec<String>);
    let mut firsts: BTreeMap<Shape, (NodeId, Vec<Member>)> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for id in calls.into_iter().take(MOST) {
        let Some((tool, members)) = members_of(state, id) else {
            continue;
        };
        let mut names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
        names.sort_unstable();
        // A call with a duplicate argument name belongs to no group.
        if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            continue;
        }
        match firsts.entry((tool, names)) {
            Entry::Occupied(one) => {
                let (first, before) = one.get();
                found.insert(id, compared(*first, before, members));
            }
            Entry::Vacant(place) => drop(place.insert((id, members))),
        }
    }
    found
}

/// How a call differs from the first one, which has the same argument names.
fn compared(first: NodeId, before: &[Member], members: Vec<Member>) -> CallGroup {
    let count = |members: &[Member]| {
        let own = members.iter().filter(|one| !is_reserved(one));
        own.count()
    };
    let all = count(&members);
    let mut differs: Vec<Member> = members
        .into_iter()
        .filter_map(|mut now| {
            let other = before.iter().find(|other| other.name == now.name)?;
            now.from = place(&now.value, &other.value);
            (now.value != other.value).then_some(now)
        })
        .collect();
    let like = all == 0 || count(&differs) < all;
    if like {
        differs.sort_by_key(|one| one.value.len() > SHORT);
    } else {
        differs.retain(|one| !is_reserved(one));
    }
    CallGroup { first, like, differs }
}

/// True for the name of the result, which is no argument of the tool.
fn is_reserved(member: &Member) -> bool {
    RESERVED.contains(&member.name.as_str())
}

/// The tool of a call and its arguments, in the order of their text.
fn members_of(state: &State, id: NodeId) -> Option<(String, Vec<Member>)> {
    let (tool, _) = state.node(id)?.as_call()?;
    let args = ready::resolved_args(state, state.call(id)?)?;
    if args.len() > LONGEST {
        return None;
    }
    let members: Vec<Member> = json::members(&args)
        .into_iter()
        .map(|(name, value)| Member {
            name,
            value: value.to_owned(),
            from: None,
        })
        .collect();
    (!members.is_empty()).then(|| (tool.to_string(), members))
}

/// Index of the character shortly before the first difference of two values. Otherwise long values
/// with a late difference would look the same.
pub(crate) fn place(value: &str, other: &str) -> Option<usize> {
    let plain = |value: &str| json::as_text(value).unwrap_or_else(|| json::compact(value));
    from(&plain(value), &plain(other))
}

/// Index of the character shortly before the first difference of two texts; none if it is near the
/// start.
pub fn from(text: &str, other: &str) -> Option<usize> {
    let same = text
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    (same > SHOWN_PREFIX).then(|| same - BEFORE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Stage, id};

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

    /// The description of the second of two calls of a tool, next to the first.
    fn second(tool: &str, first: &str, second: &str, columns: usize) -> (bool, String) {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", tool, first);
        stage.awaiting("c4", tool, second);
        let found = of(&stage.model.run.state, ["c3", "c4"].map(id));
        let similar = &found[&id("c4")];
        (similar.is_like(), similar.describe().visible(columns))
    }

    #[test]
    fn what_differs_is_named_and_nothing_else() {
        let stage = stage();
        let ids = ["c3", "c4", "c5", "c6", "c7"].map(id);
        let found = of(&stage.model.run.state, ids);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [id("c4"), id("c6")]);
        assert_eq!(found[&id("c4")].describe().visible(80), "like c3 but path=b");
        assert_eq!(found[&id("c6")].describe().visible(80), "the same as c3");
    }

    #[test]
    fn what_shares_nothing_is_not_like_anything() {
        let message = |tool, first, other| second(tool, first, other, 80);
        assert_eq!(
            message("shell", r#"{"command":"ls"}"#, r#"{"command":"make test"}"#),
            (false, "make test".to_owned())
        );
        let (first, other) = (r#"{"path":"a","content":"x"}"#, r#"{"path":"b","content":"y z"}"#);
        assert_eq!(
            message("write_file", first, other),
            (false, r#"path=b content="y z""#.to_owned())
        );
        // The name of the result is no argument.
        let (first, other) = (
            r#"{"command":"ls","_as":"one"}"#,
            r#"{"command":"make","_as":"one"}"#,
        );
        assert_eq!(message("shell", first, other), (false, "make".to_owned()));
    }

    #[test]
    fn a_value_that_differs_late_is_shown_from_there() {
        let base = "curl -s http://127.0.0.1:44457/page/ -o ".repeat(3);
        let args = |page: &str, dir: &str| format!(r#"{{"command":"{base}{page}","cwd":"{dir}"}}"#);
        assert_eq!(
            second("shell", &args("1", "a"), &args("27", "a"), 50),
            (true, r#"like c3 but command="curl -s…age/ -o 27""#.to_owned())
        );
        assert_eq!(
            second("shell", &args("1", "a"), &args("27", "b"), 37),
            (false, r#"command="curl …age/ -o 27" cwd=b"#.to_owned())
        );
    }

    #[test]
    fn a_place_that_differs_is_shown_before_what_is_long() {
        let args = |path: &str, content: &str| {
            let content = content.repeat(100);
            format!(r#"{{"mode":"w","content":"{content}","path":"{path}"}}"#)
        };
        let (like, words) = second(
            "write_file",
            &args("docs/a.md", "x"),
            &args("src/main.rs", "y"),
            50,
        );
        assert!(like);
        assert_eq!(words, "like c3 but path=src/main.rs content=yyyyyyyyyyyy…");
    }

    #[test]
    fn calls_with_duplicate_argument_names_are_not_compared() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        for name in ["c3", "c4"] {
            stage.awaiting(name, "read_file", r#"{"path":"a","path":"b"}"#);
        }
        assert!(of(&stage.model.run.state, ["c3", "c4"].map(id)).is_empty());
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
        let words = found[&id("c8")].describe().visible(80);
        assert!(words.starts_with("like c3 but content=yyy"), "{words}");
        assert!(words.ends_with("yyy…"), "{words}");
    }
}
