//! Reads which tools a program in JavaScript calls, where a tool runs such a program.
//!
//! Must not know: which tool runs it, rules, screens.
//!
//! Agents give their model a tool that runs a program, in which every other tool is a function: `tools.exec_command({…})`.
//! Only calls with literal arguments are read. A program is whole if nothing in it can do more than these calls.

mod tokens;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use tokens::{Token, tokens};

/// The object that has the tools.
const TOOLS: &str = "tools";
/// Names that a whole program may use: keywords, and functions that only show values.
const HARMLESS: &[&str] = &[
    "const",
    "let",
    "var",
    "await",
    "text",
    "Promise",
    "JSON",
    "undefined",
    "null",
    "true",
    "false",
];
/// Names that may follow a dot in a whole program.
const MEMBERS: &[&str] = &["all", "allSettled", "stringify", "output", "exit_code", "length"];
/// Keywords that declare a name.
const DECLARES: &[&str] = &["const", "let", "var"];
/// Longest program that is read, in bytes.
const LONGEST: usize = 256 * 1024;
/// Maximum number of calls that are read.
const MOST: usize = 64;
/// Deepest nesting of a literal.
const DEEPEST: usize = 32;

/// A call of a tool in a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptCall {
    /// Name of the tool.
    pub tool: String,
    /// Its literal arguments. A text alone is the member `input`.
    pub args: Value,
    /// True if all arguments are literal.
    pub is_whole: bool,
}

/// What a program calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The calls, in the order of the text.
    pub calls: Vec<ScriptCall>,
    /// The tools that it names.
    pub names: BTreeSet<String>,
    /// True if it can do no more than these calls.
    pub is_whole: bool,
}

impl Script {
    /// Reads a program.
    pub fn read(text: &str) -> Self {
        if text.len() > LONGEST {
            return Self::default();
        }
        let (tokens, is_known) = tokens(text);
        let mut script = Self {
            is_whole: is_known,
            ..Self::default()
        };
        let mut rest = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if script.calls.len() == MOST {
                script.is_whole = false;
                script
                    .names
                    .extend(named(&tokens, at).map(|(name, _)| name.to_owned()));
                at += 1;
                continue;
            }
            let call = script.call(&tokens, at);
            if let Some((call, end)) = call {
                script.is_whole &= call.is_whole;
                script.calls.push(call);
                rest.push(Token::Value(Value::Null));
                at = end;
            } else {
                rest.push(token.clone());
                at += 1;
            }
        }
        script.is_whole &= !script.calls.is_empty() && is_harmless(&rest);
        script
    }

    /// Reads a call at a place; returns it with the place after it.
    fn call(&mut self, tokens: &[Token], at: usize) -> Option<(ScriptCall, usize)> {
        let (name, after) = named(tokens, at)?;
        self.names.insert(name.to_owned());
        if !is_sign(tokens.get(after), '(') {
            return None;
        }
        let (value, end) = literal(tokens, after + 1, 0);
        let is_closed = is_sign(tokens.get(end), ')');
        let (args, is_whole) = match value {
            Some(Literal { value, is_whole }) if value.is_object() => (value, is_whole),
            Some(Literal {
                value: Value::String(text),
                is_whole,
            }) => (json!({ "input": text }), is_whole),
            None if is_closed => (json!({}), true),
            _ => (json!({}), false),
        };
        let call = ScriptCall {
            tool: name.to_owned(),
            args,
            is_whole: is_whole && is_closed,
        };
        // What could not be read is looked at for further calls.
        let end = if call.is_whole { end + 1 } else { after + 1 };
        Some((call, end))
    }
}

fn is_sign(token: Option<&Token>, sign: char) -> bool {
    matches!(token, Some(Token::Sign(found)) if *found == sign)
}

fn name_of(token: Option<&Token>) -> Option<&str> {
    match token {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}

/// The tool that is named at a place, and the place after it: `tools.x`, `tools?.x`, `tools["x"]`.
fn named(tokens: &[Token], at: usize) -> Option<(&str, usize)> {
    if name_of(tokens.get(at)) != Some(TOOLS) {
        return None;
    }
    let mut next = at + 1;
    if is_sign(tokens.get(next), '?') {
        next += 1;
    }
    if is_sign(tokens.get(next), '.') {
        next += 1;
        if let Some(name) = name_of(tokens.get(next)) {
            return Some((name, next + 1));
        }
    }
    let text = tokens.get(next + 1);
    match text {
        Some(Token::Value(Value::String(name)))
            if is_sign(tokens.get(next), '[') && is_sign(tokens.get(next + 2), ']') =>
        {
            Some((name, next + 3))
        }
        _ => None,
    }
}

/// A literal value, as far as it could be read.
struct Literal {
    value: Value,
    is_whole: bool,
}

/// Reads a literal at a place; returns it with the place after it. Members that are no literals are left out.
fn literal(tokens: &[Token], at: usize, depth: usize) -> (Option<Literal>, usize) {
    let whole = |value: Value| {
        Some(Literal {
            value,
            is_whole: true,
        })
    };
    match tokens.get(at) {
        Some(Token::Value(Value::String(first))) => {
            let (mut text, mut end) = (first.clone(), at + 1);
            // Parts that are joined.
            while is_sign(tokens.get(end), '+')
                && let Some(Token::Value(Value::String(more))) = tokens.get(end + 1)
            {
                text.push_str(more);
                end += 2;
            }
            (whole(text.into()), end)
        }
        Some(Token::Value(value)) => (whole(value.clone()), at + 1),
        Some(Token::Name(name)) => match name.as_str() {
            "true" => (whole(true.into()), at + 1),
            "false" => (whole(false.into()), at + 1),
            "null" | "undefined" => (whole(Value::Null), at + 1),
            _ => (None, at),
        },
        Some(Token::Sign(sign @ ('{' | '['))) if depth < DEEPEST => {
            members(tokens, at + 1, *sign == '{', depth)
        }
        _ => (None, at),
    }
}

/// Reads the members of an object, or the elements of a list, after its sign.
fn members(tokens: &[Token], begin: usize, is_object: bool, depth: usize) -> (Option<Literal>, usize) {
    let close = if is_object { '}' } else { ']' };
    let (mut object, mut list, mut is_whole, mut at) = (Map::new(), Vec::new(), true, begin);
    while at < tokens.len() && !is_sign(tokens.get(at), close) {
        let mut name = None;
        if is_object {
            name = match tokens.get(at) {
                Some(Token::Name(name) | Token::Value(Value::String(name))) => Some(name.clone()),
                _ => None,
            };
            if name.is_none() || !is_sign(tokens.get(at + 1), ':') {
                name = None;
                is_whole = false;
            } else {
                at += 2;
            }
        }
        let (value, end) = literal(tokens, at, depth + 1);
        let is_end = is_sign(tokens.get(end), ',') || is_sign(tokens.get(end), close);
        match (value, name) {
            (Some(value), Some(name)) if is_end => {
                is_whole &= value.is_whole && !object.contains_key(&name);
                object.insert(name, value.value);
            }
            (Some(value), None) if is_end && !is_object => {
                is_whole &= value.is_whole;
                list.push(value.value);
            }
            _ => is_whole = false,
        }
        at = after_member(tokens, end, close);
    }
    let value = if is_object { object.into() } else { list.into() };
    (Some(Literal { value, is_whole }), at + 1)
}

/// The place of the next member, or of the sign that closes: what is in brackets is skipped.
fn after_member(tokens: &[Token], begin: usize, close: char) -> usize {
    let mut open = 0_usize;
    let mut at = begin;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign(',') if open == 0 => return at + 1,
            Token::Sign(sign) if open == 0 && *sign == close => return at,
            Token::Sign('(' | '[' | '{') => open += 1,
            Token::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    at
}

/// True if tokens without calls of tools can only declare names and show values.
fn is_harmless(tokens: &[Token]) -> bool {
    let mut declared: BTreeSet<&str> = BTreeSet::new();
    let mut is_declaring = false;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_fine = match token {
            Token::Name(name) if DECLARES.contains(&name.as_str()) => {
                is_declaring = true;
                true
            }
            Token::Name(name) if is_sign(before, '.') => MEMBERS.contains(&name.as_str()),
            Token::Name(name) if is_declaring => {
                declared.insert(name);
                !HARMLESS.contains(&name.as_str()) && name != TOOLS
            }
            Token::Name(name) => HARMLESS.contains(&name.as_str()) || declared.contains(name.as_str()),
            Token::Sign('=') => {
                is_declaring = false;
                true
            }
            // No member is computed: a list, or names that are declared.
            Token::Sign('[') => {
                matches!(before, None | Some(Token::Sign('(' | ',' | '=')))
                    || name_of(before).is_some_and(|name| DECLARES.contains(&name))
            }
            Token::Sign(sign) => ".,;()]".contains(*sign),
            Token::Value(_) => true,
        };
        if !is_fine {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
