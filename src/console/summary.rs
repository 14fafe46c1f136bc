//! A node in one line. Holds untrusted text: pass it through `crate::text` before it is shown.
//!
//! Must not know: looks, widths.

use crate::domain::branch;
use crate::domain::call::Outcome;
use crate::domain::command::Edit;
use crate::domain::id::{NodeId, TurnId};
use crate::domain::node::{Content, Node};
use crate::domain::state::State;

/// Characters that a line is made from.
const MOST: usize = 300;

/// Longest JSON string that is read for its line.
const DECODED: usize = 16 * 1024;

/// A node in one line.
pub fn of(state: &State, node: &Node) -> String {
    content(state, node, &node.now().content)
}

/// What a node says, or said, in one line.
pub fn content(state: &State, node: &Node, content: &Content) -> String {
    match content {
        Content::Text { text, .. } if text.is_empty() => "(no words)".to_owned(),
        Content::Text { text, .. } => flat(text),
        Content::Call { tool, args } => {
            let label = state
                .calls
                .get(&node.id)
                .filter(|call| *call.label != *node.id.to_string() && !call.label.is_empty())
                .map(|call| format!("{} = ", call.label))
                .unwrap_or_default();
            format!("{label}{tool} {}", arguments(args))
        }
        Content::Observation { outcome, .. } => result(outcome),
        Content::Deleted => "(deleted)".to_owned(),
    }
}

/// Arguments in one line: the values, with their names where there are several.
pub fn arguments(args: &str) -> String {
    if args.len() > 64 * 1024 {
        return flat(args);
    }
    let members = super::json::members(args);
    let own: Vec<_> = members
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "_as" | "_out" | "_after"))
        .collect();
    match own.as_slice() {
        // What is no object of arguments is shown as it is; a name and a path for the result are none.
        [] if members.is_empty() => flat(args),
        [] => String::new(),
        [(_, value)] => flat(&plain(value)),
        many => {
            let words: Vec<String> = many
                .iter()
                .map(|(name, value)| format!("{name}={}", clip(&plain(value), 60)))
                .collect();
            flat(&words.join(" "))
        }
    }
}

/// A value for reading: the text of a JSON string, other JSON as it is.
fn plain(value: &str) -> String {
    let text = if value.len() <= DECODED {
        super::json::as_text(value)
    } else {
        None
    };
    text.unwrap_or_else(|| clip(value, MOST).to_owned())
}

/// A result in one line.
pub fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Err(error) => format!("{}: {}", error.class.word(), flat(&error.message)),
        other => short_result(other),
    }
}

/// A result in one line, where the kind of an error is told already.
pub fn short_result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok { value, .. } => {
            let text = if value.len() <= DECODED {
                super::json::as_text(value)
            } else {
                None
            };
            match text {
                Some(text) if text.is_empty() => "empty".to_owned(),
                Some(text) => format!("{} bytes: {}", text.len(), flat(&text)),
                None => format!("{} bytes: {}", value.len(), flat(value)),
            }
        }
        Outcome::Err(error) => flat(&error.message),
        Outcome::Cancelled { executed: true } => "cancelled; it may have had an effect".to_owned(),
        Outcome::Cancelled { executed: false } => "cancelled; nothing happened".to_owned(),
    }
}

/// A call in one line, by id.
pub fn call(state: &State, id: NodeId) -> String {
    state.node(id).map(|node| of(state, node)).unwrap_or_default()
}

/// An edit in one line.
pub fn edit(state: &State, edit: &Edit) -> String {
    let after = |turn: &Option<TurnId>| turn.map_or("at the end".to_owned(), |turn| format!("after {turn}"));
    match edit {
        Edit::Call {
            node,
            base,
            tool,
            args,
            ..
        } => {
            let said = state.node(*node).and_then(Node::as_call);
            match said.filter(|(old, _)| *old != tool) {
                Some((old, _)) => format!("{node} {base} replace {old} by {tool}: {}", arguments(args)),
                None => format!("{node} {base} arguments: {}", arguments(args)),
            }
        }
        Edit::Text { node, base, text } => format!("{node} {base} rewrite: {}", flat(text)),
        Edit::Observation { node, base, value } => format!("{node} {base} result: {}", flat(&plain(value))),
        Edit::InsertPrompt { after: turn, text } => format!("guidance {}: {}", after(turn), flat(text)),
        Edit::InsertThought { after: place, text } => {
            let place = place.map_or("at the end".to_owned(), |place| format!("behind {place}"));
            format!("thought {place}: {}", flat(text))
        }
        Edit::InsertCall {
            after: turn,
            tool,
            args,
        } => format!("call {}: {tool} {}", after(turn), arguments(args)),
        Edit::RejectAnswer { node, reason, .. } => format!("{node} refuse: {}", flat(reason)),
        Edit::Take { node, from, .. } => {
            let id = node.observation();
            let line = branch::line(state, *from);
            let says = branch::counted(state, id, &line).and_then(|rev| {
                let node = state.node(id)?;
                Some(content(state, node, &node.revision(rev)?.content))
            });
            format!("{id} take from branch {}: {}", from.0, says.unwrap_or_default())
        }
        Edit::Delete { node, base } => format!("{node} {base} take away: {}", call(state, *node)),
    }
}

fn clip(text: &str, most: usize) -> &str {
    super::doc::head(text, most).0
}

/// A text on one line: line breaks and runs of blanks become one blank.
pub fn on_one_line(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The head of a text on one line.
fn flat(text: &str) -> String {
    on_one_line(clip(text, MOST))
}
