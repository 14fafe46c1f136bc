//! Summarizes a node in one line.
//!
//! Must not know: styles, where a line is shown.
//!
//! Its texts are untrusted: unsafe characters are marked when the line is fitted into columns.

mod line;
mod untrusted_text;

#[cfg(test)]
mod tests;

pub use line::Summary;
pub use untrusted_text::{Keep, Kind, Pieces, UntrustedText};

use super::{call_group, json};
use overrule_base::text::head;
use overrule_domain::branch;
use overrule_domain::call::Outcome;
use overrule_domain::command::Edit;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::ready;
use overrule_domain::state::State;
use overrule_schema::RESERVED;

/// Longest arguments that are parsed.
const MAX_PARSED: usize = 256 * 1024;
/// Longest JSON text that is read whole for a line.
const DECODED: usize = 16 * 1024;
/// Characters that are read of a longer JSON text.
const HEAD: usize = 4 * 1024;
/// Characters of a JSON escape, and of the second half of a surrogate pair.
const ESCAPE: usize = 12;
/// The most arguments with their names.
const NAMED: usize = 64;
/// Longest value without blanks that can be the name of a place.
const PLACE: usize = 1000;
/// The most characters of the name of a replaced tool.
const OLD: usize = 40;
/// The fewest columns of a call next to its outcome.
const CALL: usize = 24;
/// Columns of the arrow between a call and its outcome.
const ARROW: usize = 3;
/// Endings of argument names that name a place.
const PLACES: [&str; 15] = [
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "file_name",
    "dir",
    "directory",
    "folder",
    "cwd",
    "url",
    "uri",
    "src",
    "dst",
    "destination",
];

/// Summarizes a node in one line.
pub fn of(state: &State, node: &Node) -> Summary {
    content(state, node, &node.now().content)
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
        Content::Call { tool, args } => labelled(state, node).and(call_of(tool, args)),
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
        (Content::Call { tool, args }, Content::Call { args: other, .. }) => {
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

/// One argument of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The name.
    pub name: &'a str,
    /// The JSON text of the value.
    pub value: &'a str,
    /// The first character that differs from the same argument of the other call.
    pub from: Option<usize>,
}

/// Arguments in one line: the values, with their names where there are several.
pub fn arguments(args: &str) -> Summary {
    if args.len() > MAX_PARSED {
        return text_of(args);
    }
    let members = json::members(args);
    let own: Vec<_> = members
        .iter()
        .filter(|(name, _)| !RESERVED.contains(&name.as_str()))
        .map(|(name, value)| Argument {
            name,
            value,
            from: None,
        })
        .collect();
    // Other JSON than an object is shown as it is. The label and result path of a call are not arguments.
    if members.is_empty() {
        return text_of(args);
    }
    listed(&own)
}

/// The same, with a path inside of the run's workspace relative to it.
pub fn arguments_in(state: &State, args: &str) -> Summary {
    let workspace = state
        .started
        .as_ref()
        .map_or("", |started| started.workspace.as_str());
    match without_workspace(args, workspace) {
        Some(shorter) => arguments(&shorter),
        None => arguments(args),
    }
}

/// Arguments with paths relative to the workspace; none where no path is inside of it.
fn without_workspace(args: &str, workspace: &str) -> Option<String> {
    if args.len() > MAX_PARSED || !args.contains(workspace) || !workspace.starts_with('/') {
        return None;
    }
    let prefix = format!("{}/", workspace.trim_end_matches('/'));
    let mut is_changed = false;
    let mut shorter = Vec::new();
    for (name, value) in json::members(args) {
        let text = json::as_text(value).filter(|text| is_place(&name, text));
        // What goes up again may lead anywhere.
        let inside = text.as_deref().and_then(|text| text.strip_prefix(&prefix));
        let inside = inside.filter(|rest| !rest.split('/').any(|part| part == ".."));
        is_changed |= inside.is_some();
        let value = inside.map_or_else(
            || value.to_owned(),
            |rest| serde_json::Value::from(if rest.is_empty() { "." } else { rest }).to_string(),
        );
        shorter.push(format!("{}:{value}", serde_json::Value::from(name)));
    }
    is_changed.then(|| format!("{{{}}}", shorter.join(",")))
}

/// Arguments in one line, next to others with the same names.
fn arguments_beside(args: &str, other: &str) -> Summary {
    let (members, others) = (json::members(args), json::members(other));
    if args.len().max(other.len()) > DECODED || members.is_empty() {
        return arguments(args);
    }
    let own = members
        .iter()
        .filter(|(name, _)| !RESERVED.contains(&name.as_str()));
    let own: Vec<_> = own
        .map(|(name, value)| Argument {
            name,
            value,
            from: others
                .iter()
                .find(|(other, _)| other == name)
                .filter(|(_, other)| other != value)
                .and_then(|(_, other)| call_group::place(value, other)),
        })
        .collect();
    listed(&own)
}

/// Arguments in one line. A single text has no name, unless it could be mistaken for other arguments.
pub fn listed(all: &[Argument<'_>]) -> Summary {
    match all {
        [one] => match text(one.value) {
            Some((text, whole)) if is_unambiguous(&text) => {
                Summary::default().text(argument_text(one, &text, whole.most()))
            }
            _ => named(all),
        },
        all => named(all),
    }
}

/// Arguments with their names.
pub fn named(all: &[Argument<'_>]) -> Summary {
    let mut line = Summary::default();
    for (at, one) in all.iter().take(NAMED).enumerate() {
        if at > 0 {
            line = line.own(" ");
        }
        let name = UntrustedText::new(one.name, Keep::Name);
        line = line.text(if is_clear(one.name) { name } else { name.quoted() });
        line = line.own("=").text(value(one));
    }
    match all.len().checked_sub(NAMED) {
        None | Some(0) => line,
        Some(more) => line.own(format!(" … and {more} more")),
    }
}

/// A value after its name. Quotes a text that could be mistaken for another argument or for a value that is no
/// text.
fn value(one: &Argument<'_>) -> UntrustedText {
    match text(one.value) {
        Some((text, whole)) if is_clear(&text) && !reads_as_json(&text) => {
            argument_text(one, &text, whole.most())
        }
        Some((text, whole)) => argument_text(one, &text, whole.most()).quoted(),
        None => {
            let text = json::compact(one.value);
            argument_text(one, &text, text.len())
        }
    }
}

fn argument_text(one: &Argument<'_>, text: &str, whole: usize) -> UntrustedText {
    let keep = match one.from {
        _ if is_place(one.name, text) => Keep::End,
        Some(from) => Keep::From(from),
        None => Keep::Head,
    };
    UntrustedText::new(text, keep).of_bytes(whole)
}

/// The text of a JSON string (the head of a long one) and its size; `None` for other JSON.
pub fn text(value: &str) -> Option<(String, Size)> {
    if value.len() <= DECODED {
        let text = json::as_text(value)?;
        let whole = text.len();
        return Some((text, Size::Text(whole)));
    }
    if !value.starts_with('"') {
        return None;
    }
    // The cut may be inside an escape.
    let end = value.char_indices().nth(HEAD).map_or(value.len(), |(at, _)| at);
    let head = value.get(..end)?;
    let text = (0..=ESCAPE)
        .filter_map(|less| head.get(..head.len().checked_sub(less)?))
        .find_map(|head| json::as_text(&format!("{head}\"")))?;
    Some((text, Size::Json(value.len())))
}

/// The size of a text that may be read only in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Bytes of the text.
    Text(usize),
    /// Bytes of the text as JSON, where a quotation mark or a line end takes two. A long text is not read whole
    /// for a row.
    Json(usize),
}

impl Size {
    /// The upper bound of the bytes.
    pub const fn most(self) -> usize {
        match self {
            Self::Text(bytes) | Self::Json(bytes) => bytes,
        }
    }

    fn describe(self) -> String {
        match self {
            Self::Text(bytes) => format!("{bytes} bytes: "),
            Self::Json(bytes) => format!("{bytes} bytes of JSON: "),
        }
    }
}

/// True for a text that is unambiguous after a name.
fn is_clear(text: &str) -> bool {
    let other = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '=' | '"' | '\'' | '`');
    !text.is_empty() && !text.contains(other)
}

/// True for a text that looks like a number, a list or another value that is no text.
fn reads_as_json(text: &str) -> bool {
    if text.len() <= PLACE {
        json::is_valid(text)
    } else {
        text.starts_with(['{', '['])
    }
}

/// True for a text that cannot be mistaken for named arguments, nor for a value that is no text.
fn is_unambiguous(text: &str) -> bool {
    let stop = text.find(|c: char| c.is_whitespace() || matches!(c, '=' | '"'));
    let named = stop
        .and_then(|at| text.get(at..))
        .is_some_and(|rest| rest.starts_with('='));
    !text.is_empty() && !named && !text.starts_with('"') && !reads_as_json(text)
}

/// True for a value that names a place. Its end distinguishes it.
pub fn is_place(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain = text.len() <= PLACE && text.contains(['/', '\\']) && !text.contains(char::is_whitespace);
    text.len() <= DECODED && (plain || PLACES.iter().any(|end| name.ends_with(end)))
}

/// A result in one line.
pub fn result(outcome: &Outcome) -> Summary {
    match outcome {
        Outcome::Err(error) => Summary::default()
            .own(format!("{}: ", error.class.label()))
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
            Some((tool, _)) => labelled(state, node).and(call_of(tool, &args)),
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

/// An edit in one line.
pub fn edit(state: &State, edit: &Edit) -> Summary {
    let own = |words: String| Summary::default().own(words);
    let after = |turn: &Option<TurnId>| turn.map_or("at the end".to_owned(), |turn| format!("after {turn}"));
    match edit {
        Edit::Call {
            node,
            base,
            tool,
            args,
            ..
        } => {
            let call_content = state.node(*node).and_then(Node::as_call);
            match call_content.filter(|(old, _)| *old != tool) {
                Some((old, _)) => own(format!("{node} {base} replace "))
                    .name(old)
                    .own(" by ")
                    .name(tool)
                    .own(": ")
                    .and(arguments(args)),
                None => own(format!("{node} {base} arguments: ")).and(arguments(args)),
            }
        }
        Edit::Text { node, base, text } => own(format!("{node} {base} rewrite: ")).untrusted(text),
        Edit::Observation { node, base, value } => {
            let line = own(format!("{node} {base} result: "));
            match text(value) {
                Some((text, size)) => line.text(UntrustedText::new(&text, Keep::Head).of_bytes(size.most())),
                None => line.untrusted(value),
            }
        }
        Edit::InsertPrompt { after: turn, text } => {
            own(format!("guidance {}: ", after(turn))).untrusted(text)
        }
        Edit::InsertThought { after: place, text } => {
            let place = place.map_or("at the end".to_owned(), |place| format!("after {place}"));
            own(format!("thought {place}: ")).untrusted(text)
        }
        Edit::InsertCall {
            after: turn,
            tool,
            args,
        } => own(format!("call {}: ", after(turn))).and(call_of(tool, args)),
        Edit::RejectAnswer { node, reason, .. } => own(format!("{node} reject: ")).untrusted(reason),
        Edit::Copy { node, from, .. } => {
            let id = node.observation();
            let line = branch::line(state, *from);
            let claims = branch::counted(state, id, &line).and_then(|rev| {
                let node = state.node(id)?;
                Some(content(state, node, &node.revision(rev)?.content))
            });
            own(format!("{id} copy from branch {}: ", from.0)).and(claims.unwrap_or_default())
        }
        Edit::Delete { node, base } => own(format!("{node} {base} delete: ")).and(call(state, *node)),
    }
}
