//! One spelling for equal JSON values. Must not know: what the values mean.
//!
//! Names sorted by their characters' code points, no blanks, strings with the shortest escapes.
//! Numbers stay as they are: [`canonical`] writes them as the value holds them, [`canonical_text`]
//! exactly as the text wrote them, so that two different numbers never come out as one.

use serde_json::Value;

use super::lex::{Lexer, Token};
use super::scan::{Oddity, OddityKind, scan};

/// Text without a canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not JSON, or says something twice, or says something that is no character.
    #[error("failed to bring a JSON text into canonical form: {0}")]
    Odd(Oddity),
}

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    // Pieces still to be written, the next one last: no recursion into deep values.
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

/// The canonical text of a JSON text. Numbers keep their spelling.
///
/// Refused where the text is not JSON, has a name twice in one object or half a surrogate pair:
/// there is no one value then that it stands for.
pub fn canonical_text(text: &str) -> Result<String, Error> {
    let odd = scan(text)
        .into_iter()
        .find(|odd| !matches!(odd.kind, OddityKind::Number { .. }));
    if let Some(odd) = odd {
        return Err(Error::Odd(odd));
    }
    let mut lexer = Lexer::new(text);
    let mut out = String::with_capacity(text.len());
    let mut open: Vec<Open> = Vec::new();
    // The scan found nothing wrong, so that reading goes through to the end.
    while let Ok(Some((_, token))) = lexer.next() {
        let node = match token {
            Token::Open { object } => {
                open.push(Open::new(object));
                continue;
            }
            Token::Key(name) => {
                if let Some(parent) = open.last_mut() {
                    parent.name = Some(name.decode().into_owned());
                }
                continue;
            }
            Token::Close => match open.pop() {
                Some(done) => done.node,
                None => continue,
            },
            Token::String(text) => {
                let mut quoted = String::new();
                quote(&mut quoted, &text.decode());
                Node::Leaf(quoted)
            }
            Token::Number(text) | Token::Word(text) => Node::Leaf(text.to_owned()),
        };
        match open.last_mut() {
            Some(parent) => parent.push(node),
            None => node.write(&mut out),
        }
    }
    Ok(out)
}

/// An array or object that is not closed yet.
struct Open {
    name: Option<String>,
    node: Node,
}

impl Open {
    const fn new(object: bool) -> Self {
        let node = if object {
            Node::Object(Vec::new())
        } else {
            Node::Array(Vec::new())
        };
        Self { name: None, node }
    }

    fn push(&mut self, node: Node) {
        match &mut self.node {
            Node::Array(items) => items.push(node),
            Node::Object(members) => members.push((self.name.take().unwrap_or_default(), node)),
            Node::Leaf(_) => {}
        }
    }
}

/// A value whose numbers keep their spelling. Never deeper than the scan allows.
enum Node {
    Leaf(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    fn write(self, out: &mut String) {
        match self {
            Self::Leaf(text) => out.push_str(&text),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(mut members) => {
                members.sort_unstable_by(|a, b| a.0.cmp(&b.0));
                out.push('{');
                for (index, (name, member)) in members.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    quote(out, &name);
                    out.push(':');
                    member.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn quote(out: &mut String, text: &str) {
    // Writing a string as JSON cannot fail; were it to, the value would be left out visibly.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
