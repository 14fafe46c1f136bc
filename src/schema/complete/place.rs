//! Finds the context of a place in an unfinished JSON text, and the word at the cursor.
//!
//! Must not know: schemas.

use std::collections::BTreeSet;

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
    fn end_value(&mut self) {
        self.expect = Expect::Comma;
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
        let mut at = 0;
        let mut word = None;
        while let Some(&byte) = before.as_bytes().get(at) {
            word = None;
            match byte {
                blank if is_blank(char::from(blank)) => at += 1,
                b'{' | b'[' => {
                    if stack.len() >= NESTED {
                        return None;
                    }
                    stack.push(Frame {
                        start: at,
                        index: (byte == b'[').then_some(0),
                        key: None,
                        expect: if byte == b'{' { Expect::Key } else { Expect::Value },
                    });
                    at += 1;
                }
                b'}' | b']' => {
                    stack.pop();
                    if let Some(frame) = stack.last_mut() {
                        frame.end_value();
                    }
                    at += 1;
                }
                b',' => {
                    if let Some(frame) = stack.last_mut() {
                        frame.expect = match &mut frame.index {
                            Some(index) => {
                                *index += 1;
                                Expect::Value
                            }
                            None => Expect::Key,
                        };
                    }
                    at += 1;
                }
                b':' => {
                    if let Some(frame) = stack.last_mut() {
                        frame.expect = Expect::Value;
                    }
                    at += 1;
                }
                b'"' => {
                    let Some(end) = string_end(before, at) else {
                        word = Some(at);
                        break;
                    };
                    if let Some(frame) = stack.last_mut() {
                        if frame.expect == Expect::Key {
                            frame.key = before
                                .get(at..end)
                                .and_then(|text| serde_json::from_str(text).ok());
                            frame.expect = Expect::Colon;
                        } else {
                            frame.end_value();
                        }
                    }
                    at = end;
                }
                _ => {
                    let end = before
                        .get(at..)
                        .and_then(|rest| rest.find(is_delimiter))
                        .map_or(before.len(), |len| at + len);
                    if end == before.len() {
                        word = Some(at);
                        break;
                    }
                    if let Some(frame) = stack.last_mut() {
                        frame.end_value();
                    }
                    at = end;
                }
            }
        }
        Self::within(stack, word.unwrap_or(before.len()))
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

/// Returns true for JSON whitespace. It does not include a form feed, which is therefore part of a
/// word.
const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_delimiter(c: char) -> bool {
    is_blank(c) || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"')
}

/// Returns the offset after the closing quote of the string that begins at `at`.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in text.as_bytes().get(at..)?.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + offset + 1),
            _ => {}
        }
    }
    None
}

/// Returns the end of the word that begins at `from` and continues after the cursor. A string that is not
/// closed on its line ends at the cursor.
pub(super) fn end_of_word(text: &str, from: usize, at: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    if rest.starts_with('"') {
        return string_end(text, from)
            .filter(|end| {
                text.get(from..*end)
                    .is_some_and(|word| !word.contains('\n') && *end >= at)
            })
            .unwrap_or(at);
    }
    rest.find(is_delimiter)
        .map_or(text.len(), |len| from + len)
        .max(at)
}

/// Returns the keys of the object that begins at `object`, except the one being typed at `except`.
pub(super) fn keys_around(text: &str, object: usize, except: usize) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let (mut depth, mut at, mut expects) = (0_usize, object, false);
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                expects = depth == 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
                at += 1;
            }
            b',' => {
                expects = depth == 1;
                at += 1;
            }
            b'"' => {
                let Some(end) = string_end(text, at) else { break };
                let key = text.get(at..end).and_then(|key| serde_json::from_str(key).ok());
                if let (true, Some(key)) = (expects && at != except, key) {
                    keys.insert(key);
                }
                expects = false;
                at = end;
            }
            _ => at += 1,
        }
    }
    keys
}
