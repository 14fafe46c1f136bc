//! One call of a streamed message: its pieces, and which pieces belong to another call.
//!
//! Must not know: frames of a stream, sockets.

use std::borrow::Cow;

use super::super::scan::{Extent, Scanner};
use crate::frame::{self, Object};
use crate::torn;

/// Members of a call and of its function that the program reads or makes itself. All others are the provider's own.
pub const CALL: &[&str] = &["index", "id", "type", "function"];
/// Members of the function of a call that the program makes itself.
pub const FUNCTION: &[&str] = &["name", "arguments"];

/// A call as far as it has arrived.
#[derive(Debug, Default)]
pub struct Call {
    /// The server's id.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// Argument text held back until the name is known to be complete.
    pub waiting: String,
    /// Whether it was passed on.
    pub announced: bool,
    /// Finds the end of the arguments.
    pub scanner: Scanner,
    /// All argument text.
    args: String,
    /// Members that the provider added, of the call and of its function, as JSON texts.
    added: Added,
    added_to_function: Added,
}

/// Members by name; the last value wins.
type Added = Vec<(String, String)>;

/// Which call a piece belongs to.
pub enum Owner {
    /// A new one.
    New,
    /// The call of this number.
    Part(usize),
    /// The call of this number, which it repeats from the beginning.
    Repeats(usize),
}

/// The part of a call in one delta.
#[derive(Debug, Default)]
pub struct Piece<'a> {
    /// The server's number of the call.
    pub index: Option<u64>,
    /// The server's id.
    pub id: Option<String>,
    /// Name of the tool, or a part of it.
    pub name: Option<String>,
    /// Argument text.
    pub args: torn::Piece<'a>,
    added: Added,
    added_to_function: Added,
}

impl<'a> Piece<'a> {
    /// Reads an entry of `tool_calls`.
    pub fn read(call: &Object<'a>) -> Self {
        let inner = call.object("function");
        let function = inner.as_ref().unwrap_or(call);
        Self {
            index: call.number("index"),
            id: call.filled("id").map(Cow::into_owned),
            added: added(call, &[CALL, FUNCTION]),
            added_to_function: inner
                .as_ref()
                .map(|function| added(function, &[FUNCTION]))
                .unwrap_or_default(),
            ..Self::of_function(function)
        }
    }

    /// Reads an old-style `function_call`, which has neither index nor id.
    pub fn of_function(function: &Object<'a>) -> Self {
        Self {
            name: function.filled("name").map(Cow::into_owned),
            args: argument_text(function),
            ..Self::default()
        }
    }
}

impl Call {
    /// A call whose name is complete.
    pub fn named(id: Option<String>, name: String) -> Self {
        Self {
            id,
            name,
            ..Self::default()
        }
    }

    /// Adds a member that the provider added.
    pub fn add_member(&mut self, key: &str, value: String) {
        add(&mut self.added, vec![(key.to_owned(), value)]);
    }

    /// Takes the content of a piece, except its id and name; `args` is the argument text that it completed. Returns the
    /// number of bytes that are buffered for it.
    pub fn take(&mut self, piece: &mut Piece<'_>, args: &str) -> usize {
        self.scanner.feed(args);
        self.args.push_str(args);
        let added = std::mem::take(&mut piece.added);
        let added_to_function = std::mem::take(&mut piece.added_to_function);
        add(&mut self.added, added) + add(&mut self.added_to_function, added_to_function)
    }

    /// Which call a piece with the id of this one belongs to. Some servers give all calls one id;
    /// others repeat the whole call at its end.
    pub fn of_same_id(&self, piece: &Piece<'_>, number: usize) -> Owner {
        let whole = self.scanner.extent() == Extent::Object;
        let Some(name) = piece.name.as_deref().filter(|_| whole) else {
            return Owner::Part(number);
        };
        if piece.args.is_blank() {
            return Owner::Part(number);
        }
        if name == self.name && piece.args.clone().whole().trim() == self.args.trim() {
            Owner::Repeats(number)
        } else {
            Owner::New
        }
    }

    /// Returns the members that the provider added, as one JSON object; none if there are none.
    pub fn opaque(&self) -> Option<String> {
        let member = |(key, value): &(String, String)| {
            let key = serde_json::Value::from(key.as_str());
            format!("{key}:{value}")
        };
        let mut members: Vec<String> = self.added.iter().map(member).collect();
        if !self.added_to_function.is_empty() {
            let inner: Vec<String> = self.added_to_function.iter().map(member).collect();
            members.push(format!("\"function\":{{{}}}", inner.join(",")));
        }
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    /// Returns true if a piece that seems to belong here must begin another call.
    pub fn is_left_by(&self, piece: &Piece<'_>) -> bool {
        let whole = self.scanner.extent() == Extent::Object;
        let other_id = piece.id.is_some() && self.id.is_some();
        let named = piece.name.is_some();
        let has_args = !piece.args.is_blank();
        if other_id {
            // Some servers invent an id for every delta: it begins a call only with a name, or after a whole
            // object.
            return named || (whole && has_args);
        }
        if !named {
            return false;
        }
        let renamed = piece.name.as_deref() != Some(self.name.as_str());
        match piece.index {
            Some(_) => whole && (renamed || has_args),
            None => has_args && (whole || renamed) || renamed && !self.name.is_empty(),
        }
    }
}

/// Returns the members that the provider added to a call, in the form of [`Call::opaque`].
pub fn added_members(call: &Object<'_>) -> Option<String> {
    let mut whole = Call::default();
    whole.take(&mut Piece::read(call), "");
    whole.opaque()
}

/// Returns the unknown members of an object that have a value.
fn added(object: &Object<'_>, known: &[&[&str]]) -> Added {
    object
        .entries()
        .filter(|(key, value)| !known.iter().any(|known| known.contains(key)) && !frame::is_empty(value))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Adds members to others; returns their bytes.
fn add(to: &mut Added, more: Added) -> usize {
    let mut bytes = 0;
    for (key, value) in more {
        bytes += key.len() + value.len();
        match to.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => to.push((key, value)),
        }
    }
    bytes
}

/// Returns the exact argument text: normally the content of a JSON string, from some servers the object
/// itself.
fn argument_text<'a>(function: &Object<'a>) -> torn::Piece<'a> {
    match function.get("arguments") {
        None => torn::Piece::default(),
        Some(raw) => frame::piece(raw).unwrap_or_else(|| raw.into()),
    }
}
