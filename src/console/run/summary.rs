//! Summarizes a node in one line.
//!
//! Must not know: styles, where a line is shown.
//!
//! Its texts are untrusted: unsafe characters are marked when the line is fitted into columns.

pub(crate) mod arguments;
pub(crate) mod edit;
pub(crate) mod line;
pub(crate) mod object;
pub(crate) mod result;
mod styled;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod untrusted_text;

pub use arguments::{Argument, arguments, arguments_in, listed, named};
pub use edit::edit;
pub use line::Summary;
pub use object::object;
pub use result::{ResultLine, ends, result_line};
pub use untrusted_text::{Keep, Kind, Pieces, UntrustedText};

use super::call_group;
use arguments::{Size, arguments_beside, text};
use overrule_base::text::head;
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::ready;
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_domain::turn::Turn;

/// Characters that are read of a longer JSON text.
const HEAD: usize = 4 * 1024;
/// The most characters of the name of a replaced tool.
const OLD: usize = 40;
/// The fewest columns of a call next to its outcome.
const CALL: usize = 24;
/// Columns of the arrow between a call and its outcome.
const ARROW: usize = 3;

/// Summarizes a node in one line.
pub fn of(state: &State, node: &Node) -> Summary {
    content(state, node, &node.now().content)
}

/// The share of the model's window that the newest request and its reply use, in per cent; none where it is not known.
pub fn context_share(state: &State) -> Option<u64> {
    let limit = state.settings.limits.context?;
    let window = limit.window.or(limit.tokens).filter(|window| *window > 0)?;
    let is_root =
        |turn: &&Turn| turn.is_active() && turn.thread == thread::ROOT && turn.usage.input.is_some();
    let newest = state.turns.values().rev().find(is_root)?;
    let used = newest
        .usage
        .input
        .unwrap_or(0)
        .saturating_add(newest.usage.output.unwrap_or(0));
    Some(used.saturating_mul(100) / window)
}

/// The name of a session: as the operator gave it, or the first line of its first prompt. Untrusted text.
pub fn session_name(state: &State) -> Option<String> {
    let mut nodes = state.nodes.values();
    let named = state.settings.title.clone();
    named.or_else(|| {
        let prompt = nodes.find(|node| node.id.kind == NodeKind::Prompt);
        let first = prompt?.revisions.first()?;
        let Content::Text { text, .. } = &first.content else {
            return None;
        };
        let line = text.trim().lines().next().unwrap_or_default();
        (!line.is_empty()).then(|| line.to_owned())
    })
}

/// Summarizes the content of a node revision in one line.
pub fn content(state: &State, node: &Node, content: &Content) -> Summary {
    match content {
        Content::Text { text, .. } if text.is_empty() => Summary::default().own("(no words)"),
        Content::Text { text, .. } => text_of(without_ends(text)),
        Content::Call { tool, args } => {
            let call = Summary::default().name(tool).own(" ");
            labelled(state, node).and(call).and(object(state, tool, args))
        }
        Content::Observation { outcome, .. } => result(outcome),
        Content::Deleted => Summary::default().own("(deleted)"),
    }
}

/// Summarizes a node next to another revision of it. The differing part of long texts stays.
pub fn content_beside(state: &State, node: &Node, content: &Content, other: &Content) -> Summary {
    let from = |text: &str, other: &str| match call_group::from(text, other) {
        Some(from) => text_from(text, from),
        None => text_of(text),
    };
    match (content, other) {
        (Content::Text { text, .. }, Content::Text { text: other, .. }) if !text.is_empty() => {
            from(text, other)
        }
        (Content::Call { tool, args }, Content::Call { args: other, .. }) if args != other => {
            let named = arguments_beside(args, other);
            let call = Summary::default().name(tool).own(" ").and(named);
            labelled(state, node).and(call)
        }
        _ => self::content(state, node, content),
    }
}

/// The label that a call gave its result.
fn labelled(state: &State, node: &Node) -> Summary {
    let call = state.calls.get(&node.id);
    match call.filter(|call| *call.label != *node.id.to_string() && !call.label.is_empty()) {
        Some(call) => Summary::default().name(&call.label).own(" = "),
        None => Summary::default(),
    }
}

fn call_of(tool: &str, args: &str) -> Summary {
    Summary::default().name(tool).own(" ").and(arguments(args))
}

/// A text in one line.
pub fn text_of(text: &str) -> Summary {
    Summary::default().untrusted(text)
}

/// A text without blanks and line breaks around it; blanks alone stay.
fn without_ends(text: &str) -> &str {
    let words = text.trim_matches([' ', '\t', '\r', '\n']);
    if words.is_empty() { text } else { words }
}

/// A text in one line. In little room, the part from a character on stays.
pub fn text_from(text: &str, from: usize) -> Summary {
    // A part far from the start fits no line.
    let (shown, _) = head(text, from.saturating_add(HEAD));
    Summary::default().text(UntrustedText::new(shown, Keep::From(from)).of_bytes(text.len()))
}

/// A result in one line.
pub fn result(outcome: &Outcome) -> Summary {
    match outcome {
        Outcome::Err(error) => Summary::default()
            .own(format!("{}: ", error.class.ending()))
            .untrusted(&error.message),
        other => short_result(other),
    }
}

/// A result in one line, without the class of an error.
pub fn short_result(outcome: &Outcome) -> Summary {
    let own = |words: &str| Summary::default().own(words);
    match outcome {
        Outcome::Ok { value, .. } => match text(value) {
            Some((text, _)) if text.is_empty() => own("empty"),
            Some((text, size)) => {
                own(&size.describe()).text(UntrustedText::new(&text, Keep::Head).of_bytes(size.most()))
            }
            None => own(&Size::Text(value.len()).describe()).untrusted(value),
        },
        Outcome::Err(error) => text_of(&error.message),
        Outcome::Cancelled { executed: true } => own("cancelled; it may have had an effect"),
        Outcome::Cancelled { executed: false } => own("cancelled; nothing happened"),
    }
}

/// A call in one line, by id.
pub fn call(state: &State, id: NodeId) -> Summary {
    state.node(id).map(|node| of(state, node)).unwrap_or_default()
}

/// A call in one line with the bytes that it would run with.
pub fn ready_call(state: &State, id: NodeId) -> Summary {
    let args = state.call(id).and_then(|call| ready::resolved_args(state, call));
    match (state.node(id), args) {
        (Some(node), Some(args)) => match node.as_call() {
            Some((tool, _)) => call_of(tool, &args),
            None => of(state, node),
        },
        _ => call(state, id),
    }
}

/// A node by its id and summary, to name a place.
pub fn named_node(state: &State, id: NodeId) -> Summary {
    let name = Summary::default().own(format!("{id} "));
    match state.node(id) {
        Some(node) => name.and(of(state, node)),
        None => name,
    }
}

/// Describes who changed a call, in a few words; `None` for an unchanged call.
pub fn describe_change(node: &Node) -> Option<String> {
    let Content::Call {
        tool: old,
        args: first,
    } = &node.revisions.first()?.content
    else {
        return None;
    };
    let (tool, args) = node.as_call()?;
    let other_tool = old != tool;
    if !other_tool && first == args {
        return None;
    }
    let who = match &node.now().origin {
        Origin::Operator { .. } => "edited".to_owned(),
        Origin::Repair { .. } => "repaired".to_owned(),
        Origin::Engine { rule } => format!("changed by the engine ({})", overrule_base::text::visible(rule)),
        _ => "changed".to_owned(),
    };
    Some(if other_tool {
        format!(
            "{who}, another tool than {}",
            overrule_base::text::visible(head(old, OLD).0)
        )
    } else {
        who
    })
}

/// The columns of a call next to its outcome, if both share `columns`.
pub fn beside(room: usize, source: &Summary) -> usize {
    let rest = room.saturating_sub(source.columns(room) + ARROW);
    rest.max(room / 2).max(CALL)
}
