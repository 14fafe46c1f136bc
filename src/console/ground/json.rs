//! Formats and splits JSON text without changing any number or escape.
//!
//! Must not know: schemas, tools.
//!
//! Works on tokens, so that unchanged parts keep their bytes.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::value::RawValue;

use overrule_base::canon::{Lexer, Token, TokenKind, pointer};
use overrule_schema::RESERVED;

/// Maximum nesting of formatted text. Deeper text is left as it is.
const DEPTH: usize = 128;

/// The tokens of a JSON text without blanks; ends at the first string that is not closed.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    Lexer::new(text)
        .filter(|token| !token.is_blank())
        .take_while(|token| token.kind != TokenKind::StringPart)
}

/// True for one complete JSON value.
pub fn is_valid(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The fault of a JSON text with line and column; none for a valid value.
pub fn fault(text: &str) -> Option<(usize, usize, String)> {
    let error = serde_json::from_str::<&RawValue>(text).err()?;
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    Some((error.line(), error.column(), message))
}

/// The text formatted over lines, two blanks per level. Tokens keep their bytes. Text that is
/// invalid or too deep is returned unchanged.
pub fn pretty(text: &str) -> String {
    if !is_valid(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth: usize = 0;
    let mut list: Vec<Token<'_>> = tokens(text).collect();
    list.reverse();
    while let Some(token) = list.pop() {
        match token.text {
            open @ ("{" | "[") => {
                out.push_str(open);
                if list.last().is_some_and(|next| matches!(next.text, "}" | "]")) {
                    out.push_str(list.pop().map_or("", |next| next.text));
                    continue;
                }
                depth += 1;
                if depth > DEPTH {
                    return text.to_owned();
                }
                line(&mut out, depth);
            }
            close @ ("}" | "]") => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push_str(close);
            }
            "," => {
                out.push(',');
                line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            other => out.push_str(other),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// The text without blanks between its tokens. Invalid text is returned unchanged.
pub fn compact(text: &str) -> String {
    if is_valid(text) {
        tokens(text).map(|token| token.text).collect()
    } else {
        text.to_owned()
    }
}

/// The text of a JSON string; none for another value.
pub fn as_text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// The end of a JSON string as text, of at most `most` bytes of JSON, from the beginning of a line on; all of a shorter one.
/// None for other JSON.
pub fn text_end(json: &str, most: usize) -> Option<String> {
    if json.len() <= most {
        return as_text(json);
    }
    if !json.starts_with('"') {
        return None;
    }
    let from = (json.len() - most..json.len()).find(|at| json.is_char_boundary(*at))?;
    let end = json.get(from..)?;
    let breaks = end.match_indices("\\n").map(|(at, found)| at + found.len());
    let mut lines = breaks.filter_map(|at| end.get(at..));
    lines.find_map(|line| as_text(&format!("\"{line}")))
}

/// A text as a JSON string.
pub fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The top-level members of an object, with the exact text of their values, in order.
pub fn members(json: &str) -> Vec<(String, &str)> {
    if !is_valid(json) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let (mut depth, mut key, mut from) = (0_usize, None, None);
    let mut is_object = false;
    for token in tokens(json) {
        match token.text {
            "," | "}" | "]" if depth == 1 => {
                if let (Some(name), Some(start)) = (key.take(), from.take()) {
                    out.push((name, json.get(start..token.at).unwrap_or_default().trim_end()));
                }
                if token.text != "," {
                    depth = 0;
                }
            }
            "{" | "[" => {
                if depth == 0 {
                    is_object = token.text == "{";
                } else if depth == 1 && from.is_none() {
                    from = Some(token.at);
                }
                depth += 1;
            }
            "}" | "]" => depth = depth.saturating_sub(1),
            ":" | "," => {}
            _ if depth == 1 && key.is_none() => key = token.decode().map(Cow::into_owned),
            _ if depth == 1 && from.is_none() => from = Some(token.at),
            _ => {}
        }
    }
    if is_object { out } else { Vec::new() }
}

/// The line and character (from 0) at which the value at a JSON pointer begins.
pub fn place_of(json: &str, pointer: &str) -> Option<(usize, usize)> {
    let before = json.get(..offset_of(json, pointer)?)?;
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    Some((line, before.get(start..)?.chars().count()))
}

/// Position of the value at a JSON pointer. Accepts unfinished text.
fn offset_of(json: &str, pointer: &str) -> Option<usize> {
    let mut path: Vec<(String, usize)> = Vec::new();
    let mut expect_key = false;
    let mut in_array: Vec<bool> = Vec::new();
    for token in tokens(json) {
        match token.text {
            "}" | "]" => {
                path.pop();
                in_array.pop();
                expect_key = false;
                continue;
            }
            "," => {
                expect_key = in_array.last() == Some(&false);
                if let (Some(true), Some((key, index))) = (in_array.last(), path.last_mut()) {
                    *index += 1;
                    *key = index.to_string();
                }
                continue;
            }
            ":" => {
                expect_key = false;
                continue;
            }
            _ if expect_key => {
                if let Some((key, _)) = path.last_mut() {
                    *key = pointer::escaped(&token.decode().unwrap_or_default());
                }
                continue;
            }
            _ => {}
        }
        let mut here = String::new();
        for (key, _) in &path {
            let _ = write!(here, "/{key}");
        }
        if here == pointer {
            return Some(token.at);
        }
        if matches!(token.text, "{" | "[") {
            let array = token.text == "[";
            path.push(if array {
                ("0".to_owned(), 0)
            } else {
                (String::new(), 0)
            });
            in_array.push(array);
            expect_key = !array;
            if path.len() > DEPTH {
                return None;
            }
        }
    }
    None
}

/// Arguments for another tool. Members of the same name are copied with their bytes; missing
/// required ones get an empty value of their type. The label and the output path stay, because
/// other calls may read the result by them.
pub fn carry_over(old_args: &str, schema: &str) -> String {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap_or_default();
    let old = members(old_args);
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(serde_json::Value::as_array)
        .map(|list| list.iter().filter_map(serde_json::Value::as_str).collect())
        .unwrap_or_default();
    let mut parts: Vec<String> = old
        .iter()
        // The reasons for the old call do not apply to another tool.
        .filter(|(key, _)| RESERVED.contains(&key.as_str()) && key != "_why" && key != "_outside")
        .map(|(key, value)| format!("{}:{value}", string(key)))
        .collect();
    for (name, property) in properties.into_iter().flatten() {
        let value = match old.iter().find(|(key, _)| key == name) {
            Some((_, value)) => (*value).to_owned(),
            None if required.contains(&name.as_str()) => empty_of(property),
            None => continue,
        };
        parts.push(format!("{}:{value}", string(name)));
    }
    format!("{{{}}}", parts.join(","))
}

fn empty_of(property: &serde_json::Value) -> String {
    if let Some(first) = property.get("enum").and_then(|list| list.get(0)) {
        return first.to_string();
    }
    if let Some(default) = property.get("default") {
        return default.to_string();
    }
    match property.get("type").and_then(serde_json::Value::as_str) {
        Some("integer" | "number") => "0",
        Some("boolean") => "false",
        Some("array") => "[]",
        Some("object") => "{}",
        Some("null") => "null",
        _ => "\"\"",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn laying_out_keeps_every_token() {
        let text = r#"{"n":12345678901234567890123,"x":1.10,"e":1e2,"u":"\u0041","l":[],"m":{"a":[1,2]}}"#;
        let laid = pretty(text);
        assert_eq!(laid.lines().count(), 13);
        assert_eq!(compact(&laid), text);
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!(pretty("{\"a\": "), "{\"a\": ");
        assert_eq!(compact("{\"a\": "), "{\"a\": ");
        assert!(fault("{\"a\": ").is_some());
        assert_eq!(fault("{}"), None);
    }

    #[test]
    fn the_end_of_a_text_begins_with_a_line() {
        let text = format!("{}\nlast but \"one\"\nlast é", "x".repeat(400));
        let json = string(&text);
        assert_eq!(text_end(&json, 40).unwrap(), "last but \"one\"\nlast é");
        assert_eq!(text_end(&json, 12).unwrap(), "last é");
        assert_eq!(text_end(&json, 1000).unwrap(), text);
        assert_eq!(text_end(&string(&"x".repeat(99)), 20), None);
        assert_eq!(text_end("[\"a\\nb\"]", 5), None);
    }

    #[test]
    fn members_keep_the_bytes_of_their_values() {
        assert_eq!(
            members(r#"{"a": 1.10, "b" : {"c":[1, 2]}, "d":"x,}"}"#),
            [
                ("a".to_owned(), "1.10"),
                ("b".to_owned(), r#"{"c":[1, 2]}"#),
                ("d".to_owned(), r#""x,}""#)
            ]
        );
        assert!(members("[1]").is_empty());
    }

    #[test]
    fn a_pointer_leads_to_its_place() {
        let text = pretty(r#"{"a":{"b":[1,{"c":2}]},"d":3}"#);
        assert_eq!(place_of(&text, ""), Some((0, 0)));
        assert_eq!(place_of(&text, "/a/b/0"), Some((3, 6)));
        assert_eq!(place_of(&text, "/a/b/1/c"), Some((5, 13)));
        assert_eq!(place_of(&text, "/d"), Some((9, 7)));
        assert_eq!(place_of(&text, "/zz"), None);
    }

    #[test]
    fn another_tool_takes_over_arguments_by_name() {
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},
            "why":{"type":"string"},"mode":{"enum":["r","w"]}},"required":["path","limit","mode"]}"#;
        assert_eq!(
            carry_over(r#"{"path":"a\u0041","content":"x"}"#, schema),
            r#"{"path":"a\u0041","limit":0,"mode":"r"}"#
        );
        assert_eq!(
            carry_over(r#"{"path":"a","_out":["state.x"],"_as":"x"}"#, schema),
            r#"{"_out":["state.x"],"_as":"x","path":"a","limit":0,"mode":"r"}"#
        );
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn layout_of_anything_is_undone_by_packing(text in r#"[\[\]{},:"\\a1 \n]{0,40}"#) {
            let laid = pretty(&text);
            if is_valid(&text) {
                prop_assert_eq!(compact(&laid), compact(&text));
            } else {
                prop_assert_eq!(laid, text.clone());
            }
            let _ = (members(&text), place_of(&text, "/a"), carry_over(&text, &text));
        }
    }
}
