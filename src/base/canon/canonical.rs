//! Writes equal JSON values with equal bytes.
//!
//! Must not know: what the values mean.
//!
//! Names are sorted by code points, there is no whitespace, and strings have the shortest escapes.
//! Numbers stay as they are: [`canonical`] writes them as the value holds them, [`canonical_text`]
//! exactly as in the text, so two different numbers never come out the same.

use std::borrow::Cow;

use serde_json::Value;

use super::grammar::{Element, Reader};
use super::lex::first_special;
use super::scan::{Oddity, OddityKind, scan};

/// The text has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not JSON, contains a duplicate name, or contains something that is not a character.
    #[error("failed to bring a JSON text into canonical form: {0}")]
    Odd(Oddity),
}

/// Returns the canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    // Pieces still to be written, the next one last, to avoid recursion into deep values.
    let mut todo = vec![Piece::Value(value)];
    while let Some(piece) = todo.pop() {
        match piece {
            Piece::Mark(mark) => out.push(mark),
            Piece::Name(name) => {
                quote(&mut out, name);
                out.push(':');
            }
            Piece::Value(Value::Array(items)) => {
                out.push('[');
                todo.push(Piece::Mark(']'));
                for (index, item) in items.iter().enumerate().rev() {
                    todo.push(Piece::Value(item));
                    if index > 0 {
                        todo.push(Piece::Mark(','));
                    }
                }
            }
            Piece::Value(Value::Object(members)) => {
                out.push('{');
                todo.push(Piece::Mark('}'));
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                for (index, (name, member)) in members.into_iter().enumerate().rev() {
                    todo.push(Piece::Value(member));
                    todo.push(Piece::Name(name));
                    if index > 0 {
                        todo.push(Piece::Mark(','));
                    }
                }
            }
            Piece::Value(Value::String(text)) => quote(&mut out, text),
            Piece::Value(Value::Number(number)) => out.push_str(&number.to_string()),
            Piece::Value(Value::Bool(true)) => out.push_str("true"),
            Piece::Value(Value::Bool(false)) => out.push_str("false"),
            Piece::Value(Value::Null) => out.push_str("null"),
        }
    }
    out
}

enum Piece<'a> {
    Mark(char),
    Name(&'a str),
    Value(&'a Value),
}

/// Returns the canonical text of a JSON text. Numbers keep their spelling.
///
/// Fails if the text is not JSON, has a duplicate name in one object, or contains half a surrogate
/// pair, because it then does not represent a single value.
pub fn canonical_text(text: &str) -> Result<String, Error> {
    if let Some(written) = Writer::new(text.len()).write(text) {
        return Ok(written);
    }
    // The text has a fault, and only the scan finds it.
    let odd = scan(text)
        .into_iter()
        .find(|odd| !matches!(odd.kind, OddityKind::Number { .. }));
    Err(Error::Odd(odd.unwrap_or_else(|| Oddity {
        at: 0,
        path: String::new(),
        kind: OddityKind::Syntax("it cannot be read"),
    })))
}

/// Rewrites a JSON text in one pass.
struct Writer<'a> {
    out: String,
    /// Members of all open objects, those of the innermost last.
    members: Vec<Member<'a>>,
    /// Open arrays and objects, the innermost last.
    open: Vec<Open>,
}

/// An open array or object.
struct Open {
    object: bool,
    /// Offset in the output at which its content begins.
    from: usize,
    /// Index in the list of all members at which its own begin.
    members: usize,
}

/// A member of an object.
struct Member<'a> {
    name: Cow<'a, str>,
    /// Offset in the output at which it begins, with its name.
    from: usize,
}

impl<'a> Writer<'a> {
    fn new(length: usize) -> Self {
        Self {
            out: String::with_capacity(length),
            members: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns the text in canonical form, or `None` if it has none.
    fn write(mut self, text: &'a str) -> Option<String> {
        let mut reader = Reader::new(text);
        while let Some((_, element)) = reader.next().ok()? {
            match element {
                Element::Open { object } => {
                    self.comma();
                    self.out.push(if object { '{' } else { '[' });
                    self.open.push(Open {
                        object,
                        from: self.out.len(),
                        members: self.members.len(),
                    });
                }
                Element::Key(name) if !name.lone => {
                    if self.open.last().is_some_and(|open| self.out.len() > open.from) {
                        self.out.push(',');
                    }
                    let (name, from) = (name.decode(), self.out.len());
                    quote(&mut self.out, &name);
                    self.out.push(':');
                    self.members.push(Member { name, from });
                }
                Element::Close => self.close()?,
                Element::String(text) if !text.lone => {
                    self.comma();
                    quote(&mut self.out, &text.decode());
                }
                Element::Number(text) | Element::Word(text) => {
                    self.comma();
                    self.out.push_str(text);
                }
                Element::Key(_) | Element::String(_) => return None,
            }
        }
        Some(self.out)
    }

    /// Writes a comma before every value of an array but the first.
    fn comma(&mut self) {
        if let Some(open) = self.open.last()
            && !open.object
            && self.out.len() > open.from
        {
            self.out.push(',');
        }
    }

    /// Closes the innermost array or object; returns `None` if a name occurs twice in it.
    fn close(&mut self) -> Option<()> {
        let open = self.open.pop()?;
        if !open.object {
            self.out.push(']');
            return Some(());
        }
        let members = self.members.get(open.members..)?;
        let in_order = members.is_sorted_by(|one, next| one.name < next.name);
        if !in_order {
            let content = sorted(&self.out, members)?;
            self.out.truncate(open.from);
            self.out.push_str(&content);
        }
        self.members.truncate(open.members);
        self.out.push('}');
        Some(())
    }
}

/// Sorts the members of the object at the end of a text by name; returns `None` if a name occurs twice.
fn sorted(text: &str, members: &[Member<'_>]) -> Option<String> {
    // A comma follows each member but the last.
    let ends = members.iter().skip(1).map(|next| next.from - 1);
    let ends = ends.chain(std::iter::once(text.len()));
    let mut members: Vec<(&str, &str)> = members
        .iter()
        .zip(ends)
        .map(|(member, end)| Some((&*member.name, text.get(member.from..end)?)))
        .collect::<Option<_>>()?;
    members.sort_unstable_by_key(|(name, _)| *name);
    if !members.is_sorted_by(|one, next| one.0 < next.0) {
        return None;
    }
    let members: Vec<&str> = members.into_iter().map(|(_, member)| member).collect();
    Some(members.join(","))
}

/// Writes a text as a JSON string with the shortest escapes.
pub(super) fn quote(out: &mut String, text: &str) {
    if first_special(text.as_bytes()).is_none() {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    // Encoding a string as JSON cannot fail; if it did, the value would visibly be missing.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
