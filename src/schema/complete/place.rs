//! Finds the context of a place in an unfinished JSON text, and the word at the cursor.
//!
//! Must not know: schemas.

use std::borrow::Cow;
use std::collections::BTreeSet;

use overrule_base::canon::{Inside, Lexer, Token, TokenKind as Kind};

/// Maximum nesting of the text that is followed.
const NESTED: usize = 128;

/// A step down into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// What is expected next inside a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Key,
    Colon,
    Value,
    Comma,
}

#[derive(Debug)]
struct Frame {
    /// Offset at which the container begins.
    start: usize,
    /// The index in an array; `None` for an object.
    index: Option<usize>,
    key: Option<String>,
    expect: Expect,
}

impl Frame {
    /// Passes a comma or a colon.
    fn pass(&mut self, punct: u8) {
        self.expect = match &mut self.index {
            _ if punct == b':' => Expect::Value,
            Some(index) => {
                *index += 1;
                Expect::Value
            }
            None => Expect::Key,
        };
    }

    /// Passes a whole string or word.
    fn end_word(&mut self, token: &Token<'_>) {
        if self.expect == Expect::Key && token.kind == Kind::String {
            self.key = token.decode().map(Cow::into_owned);
            self.expect = Expect::Colon;
        } else {
            self.expect = Expect::Comma;
        }
    }
}

/// The place at the end of a text that was cut off at the cursor.
pub(super) struct Place {
    pub(super) path: Vec<Step>,
    pub(super) wants_key: bool,
    /// Offset at which the innermost object begins.
    pub(super) object: usize,
    /// Offset at which the word before the cursor begins.
    pub(super) word: usize,
}

impl Place {
    pub(super) fn find(before: &str) -> Option<Self> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut word = before.len();
        for token in Lexer::new(before) {
            match token.kind {
                Kind::Blank => {}
                Kind::Punct(open @ (b'{' | b'[')) => {
                    if stack.len() >= NESTED {
                        return None;
                    }
                    stack.push(Frame {
                        start: token.at,
                        index: (open == b'[').then_some(0),
                        key: None,
                        expect: if open == b'{' { Expect::Key } else { Expect::Value },
                    });
                }
                Kind::Punct(b'}' | b']') => {
                    stack.pop();
                    if let Some(frame) = stack.last_mut() {
                        frame.expect = Expect::Comma;
                    }
                }
                Kind::Punct(punct) => {
                    if let Some(frame) = stack.last_mut() {
                        frame.pass(punct);
                    }
                }
                // The word is still being typed.
                _ if token.kind != Kind::String && token.end() == before.len() => word = token.at,
                _ => {
                    if let Some(frame) = stack.last_mut() {
                        frame.end_word(&token);
                    }
                }
            }
        }
        Self::within(stack, word)
    }

    /// Builds the place from its containers, the innermost last.
    fn within(stack: Vec<Frame>, word: usize) -> Option<Self> {
        let last = stack.last()?;
        let wants_key = match last.expect {
            Expect::Key => true,
            Expect::Value => false,
            Expect::Colon | Expect::Comma => return None,
        };
        let object = last.start;
        let mut path: Vec<Step> = Vec::with_capacity(stack.len());
        let depth = stack.len();
        for (level, frame) in stack.into_iter().enumerate() {
            // The key of the innermost object is the one being typed.
            if wants_key && level + 1 == depth {
                break;
            }
            path.push(match frame.index {
                Some(index) => Step::Index(index),
                None => Step::Key(frame.key?),
            });
        }
        Some(Self {
            path,
            wants_key,
            object,
            word,
        })
    }
}

/// Returns the end of the word that begins at `from` and continues after the cursor. A string that is not
/// closed on its line ends at the cursor.
pub(super) fn end_of_word(text: &str, from: usize, at: usize) -> usize {
    let token = Lexer::resume(text, from, Inside::No).next();
    let end = token.and_then(|token| match token.kind {
        Kind::String => (!token.text.contains('\n')).then(|| token.end()),
        Kind::Number | Kind::Word => Some(token.end()),
        _ => None,
    });
    end.unwrap_or(at).max(at)
}

/// Returns the keys of the object that begins at `object`, except the one being typed at `except`.
pub(super) fn keys_around(text: &str, object: usize, except: usize) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let (mut depth, mut expects) = (0_usize, false);
    for token in Lexer::resume(text, object, Inside::No) {
        match token.kind {
            Kind::Punct(b'{' | b'[') => {
                depth += 1;
                expects = depth == 1;
            }
            Kind::Punct(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            Kind::Punct(b',') => expects = depth == 1,
            Kind::String => {
                if expects && token.at != except {
                    keys.extend(token.decode().map(Cow::into_owned));
                }
                expects = false;
            }
            _ => {}
        }
    }
    keys
}
