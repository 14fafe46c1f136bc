//! Summarizes arguments in one line: the values, with their names where there are several.
//!
//! Must not know: styles, which tool is called.

use super::{HEAD, Keep, Summary, UntrustedText, text_of};
use crate::ground::json;
use crate::run::call_group;
use overrule_domain::state::State;
use overrule_schema::RESERVED;

/// Longest arguments that are parsed.
pub(super) const MAX_PARSED: usize = 256 * 1024;
/// Longest JSON text that is read whole for a line.
const DECODED: usize = 16 * 1024;
/// Characters of a JSON escape, and of the second half of a surrogate pair.
const ESCAPE: usize = 12;
/// The most arguments with their names.
const NAMED: usize = 64;
/// Longest value without blanks that can be the name of a place.
const PLACE: usize = 1000;
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

/// A path relative to the workspace; none where it is not inside of it.
pub(super) fn inside_workspace<'p>(state: &State, path: &'p str) -> Option<&'p str> {
    let workspace = state.started.as_ref()?.workspace.trim_end_matches('/');
    let rest = path.strip_prefix(workspace)?.strip_prefix('/')?;
    let is_inside = workspace.starts_with('/') && !rest.split('/').any(|part| part == "..");
    is_inside.then_some(if rest.is_empty() { "." } else { rest })
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
pub(crate) fn arguments_beside(args: &str, other: &str) -> Summary {
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

pub(super) fn argument_text(one: &Argument<'_>, text: &str, whole: usize) -> UntrustedText {
    let keep = match one.from {
        _ if is_place(one.name, text) => Keep::End,
        Some(from) => Keep::From(from),
        None => Keep::Head,
    };
    UntrustedText::new(text, keep).of_bytes(whole)
}

/// The text of a JSON string (the head of a long one) and its size; `None` for other JSON.
pub(crate) fn text(value: &str) -> Option<(String, Size)> {
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
pub(crate) enum Size {
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

    pub(crate) fn describe(self) -> String {
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
pub(super) fn is_unambiguous(text: &str) -> bool {
    let stop = text.find(|c: char| c.is_whitespace() || matches!(c, '=' | '"'));
    let named = stop
        .and_then(|at| text.get(at..))
        .is_some_and(|rest| rest.starts_with('='));
    !text.is_empty() && !named && !text.starts_with('"') && !reads_as_json(text)
}

/// True for a value that names a place. Its end distinguishes it.
fn is_place(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain = text.len() <= PLACE && text.contains(['/', '\\']) && !text.contains(char::is_whitespace);
    text.len() <= DECODED && (plain || PLACES.iter().any(|end| name.ends_with(end)))
}
