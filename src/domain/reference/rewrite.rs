//! Finds references in an argument text and replaces them, leaving every other byte as it was.
//!
//! Must not know: what a reference is bound to.
//!
//! The text is scanned, not re-serialised: big numbers, key order and whitespace survive. The
//! scanner trusts that the text is valid JSON (the schema check runs before it) and stops quietly
//! where it is not.

use std::borrow::Cow;
use std::ops::Range;

use super::parse::{self, is_reference};
use super::{DAGGER, OutPath, Reference};
use crate::call::Fault;
use overrule_base::canon::pointer::escaped;
use overrule_base::canon::{Lexer, Token, TokenKind as Kind};

/// What an argument text says besides the arguments themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Its references. Of a reference in `_after` only the existence of the value matters.
    pub references: Vec<Reference>,
    /// The name it gives to its result (`_as`).
    pub label: Option<String>,
    /// Where it wants the result written (`_out`).
    pub out: Option<OutPath>,
    /// What is wrong with these.
    pub faults: Vec<Fault>,
}

/// One string value of an argument text.
struct StringValue<'a> {
    /// JSON pointer.
    at: String,
    /// Byte range with the quotes.
    range: Range<usize>,
    /// The decoded value.
    value: Cow<'a, str>,
    /// Byte range of the whole member (key, colon, value) where it stands in the top-level object.
    member: Option<Range<usize>>,
}

/// Reads references, label and output path of an argument text.
pub fn scan(args: &str) -> Scanned {
    let mut scanned = Scanned::default();
    for found in strings(args) {
        match found.at.as_str() {
            "/_as" => match check_label(&found.value) {
                Ok(()) => scanned.label = Some(found.value.into_owned()),
                Err(message) => scanned.faults.push(fault(&found.at, "label", message)),
            },
            // The model's reasons: no arguments, and no references whatever they say.
            "/_why" | "/_outside" => {}
            "/_out" => match parse::out_path(&found.value) {
                Ok(out) => scanned.out = Some(out),
                Err(error) => scanned
                    .faults
                    .push(fault(&found.at, "reference", error.to_string())),
            },
            at if (at == "/_after" && !is_reference(&found.value)) || at.starts_with("/_after/") => {
                let why = "`_after` says what the call waits for in one text, such as \"†call.c3\" or \"†call.c3 && †call.c4\"";
                scanned.faults.push(fault(at, "reference", why.to_owned()));
            }
            _ if is_reference(&found.value) => match parse::expression(&found.value) {
                Ok(expr) => scanned.references.push(Reference { at: found.at, expr }),
                Err(error) => scanned
                    .faults
                    .push(fault(&found.at, "reference", error.to_string())),
            },
            _ => {}
        }
    }
    scanned
}

fn fault(path: &str, keyword: &str, message: String) -> Fault {
    Fault {
        path: path.to_owned(),
        keyword: keyword.to_owned(),
        message,
    }
}

fn check_label(label: &str) -> Result<(), String> {
    let mut bytes = label.bytes();
    let good = label.len() <= 32
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if good {
        Ok(())
    } else {
        Err(format!(
            "`{}` is not a label: use a lower-case letter, then letters, digits or _, at most 32",
            label.chars().take(40).collect::<String>()
        ))
    }
}

/// The bytes that run: references replaced by what `value` gives for them (compact JSON text),
/// escaped daggers unescaped, `_as`, `_out`, `_after` and `_why` taken out. `_outside` stays as it was written. Borrowed
/// where nothing changes.
pub fn resolve(args: &str, mut value: impl FnMut(&str) -> Option<String>) -> Cow<'_, str> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for found in strings(args) {
        if matches!(found.at.as_str(), "/_as" | "/_out" | "/_after" | "/_why") {
            if let Some(member) = found.member {
                edits.push((member, String::new()));
            }
        } else if found.at == "/_outside" {
            // It is part of what is decided, as it was written.
        } else if is_reference(&found.value) {
            if let Some(text) = value(&found.at) {
                edits.push((found.range, text));
            }
        } else if let Some(rest) = found.value.strip_prefix(DAGGER)
            && rest.starts_with(DAGGER)
        {
            edits.push((
                found.range,
                serde_json::Value::String(rest.to_owned()).to_string(),
            ));
        }
    }
    edited(args, edits)
}

/// Replaces ranges of a text, which are in order. Borrowed where there are none.
pub(super) fn edited(args: &str, edits: Vec<(Range<usize>, String)>) -> Cow<'_, str> {
    if edits.is_empty() {
        return Cow::Borrowed(args);
    }
    let mut out = String::with_capacity(args.len());
    let mut from = 0;
    for (range, text) in edits {
        out.push_str(args.get(from..range.start).unwrap_or_default());
        out.push_str(&text);
        from = range.end;
    }
    out.push_str(args.get(from..).unwrap_or_default());
    Cow::Owned(tidy(&out))
}

/// The reason that the model gives for the call (`_why`): its text, or the JSON of what is no text; none for `null`.
pub fn why(args: &str) -> Option<String> {
    let found = strings(args).into_iter().rfind(|found| found.at == "/_why")?;
    (found.value != "null").then(|| found.value.into_owned())
}

/// The values of `_outside`: each as its text, or the JSON of what is no text, and whether it is a text.
pub(crate) fn outside(args: &str) -> Vec<(String, bool)> {
    let found = strings(args).into_iter().filter(|found| found.at == "/_outside");
    let is_text = |range: &Range<usize>| args.get(range.clone()).is_some_and(|raw| raw.starts_with('"'));
    found
        .map(|found| (found.value.into_owned(), is_text(&found.range)))
        .collect()
}

/// The argument text without the reason for the call. Borrowed where there is none.
pub fn without_why(args: &str) -> Cow<'_, str> {
    without(args, "/_why")
}

/// The argument text without the reason to run outside of the sandbox. Borrowed where there is none.
pub(crate) fn without_outside(args: &str) -> Cow<'_, str> {
    without(args, "/_outside")
}

fn without<'a>(args: &'a str, at: &str) -> Cow<'a, str> {
    let found = strings(args).into_iter().filter(|found| found.at == at);
    let members = found.filter_map(|found| found.member);
    edited(args, members.map(|member| (member, String::new())).collect())
}

/// Fixes the commas around a member that was removed.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The last token that is not blank, and the bytes of `out` up to its end.
    let mut last = (Kind::Blank, 0);
    for token in Lexer::new(text) {
        match (last.0, token.kind) {
            (Kind::Punct(b'{' | b','), Kind::Punct(b',')) => continue,
            (Kind::Punct(b','), Kind::Punct(b'}')) => out.truncate(last.1 - 1),
            _ => {}
        }
        out.push_str(token.text);
        if !token.is_blank() {
            last = (token.kind, out.len());
        }
    }
    out
}

/// The special string values of a JSON text, in order: label, output path, everything that the call
/// waits for, and values that begin with a dagger.
fn strings(text: &str) -> Vec<StringValue<'_>> {
    let mut found = Vec::new();
    let mut stack: Vec<Level<'_>> = Vec::new();
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next_solid() {
        match token.kind {
            Kind::Punct(b'{') => stack.push(Level::Object {
                key: Cow::Borrowed(""),
                from: token.at,
                value: false,
            }),
            Kind::Punct(b'[') => stack.push(Level::Array { index: 0 }),
            Kind::Punct(b'}' | b']') => {
                stack.pop();
            }
            Kind::Punct(b',') => match stack.last_mut() {
                Some(Level::Object { value, .. }) => *value = false,
                Some(Level::Array { index }) => *index += 1,
                None => {}
            },
            Kind::Punct(_) => {
                if let Some(Level::Object { value, .. }) = stack.last_mut() {
                    *value = true;
                }
                if let [Level::Object { key, from, .. }] = stack.as_slice()
                    && matches!(&**key, "_why" | "_outside")
                    && let Some(range) = no_string(lexer.clone())
                {
                    lexer.seek(range.end);
                    found.push(StringValue {
                        at: pointer(&stack),
                        value: Cow::Borrowed(text.get(range.clone()).unwrap_or_default()),
                        member: Some(*from..range.end),
                        range,
                    });
                }
            }
            Kind::String => {
                if let Some(Level::Object {
                    key,
                    from,
                    value: false,
                }) = stack.last_mut()
                {
                    *key = decode(token);
                    *from = token.at;
                    continue;
                }
                let member = match stack.as_slice() {
                    [Level::Object { from, .. }] => Some(*from..token.end()),
                    _ => None,
                };
                let is_reserved = match stack.first() {
                    Some(Level::Object { key, .. }) => {
                        **key == *"_after"
                            || (member.is_some() && matches!(&**key, "_as" | "_out" | "_why" | "_outside"))
                    }
                    _ => false,
                };
                let value = decode(token);
                if is_reserved || value.starts_with(DAGGER) {
                    found.push(StringValue {
                        at: pointer(&stack),
                        range: token.span(),
                        value,
                        member,
                    });
                }
            }
            Kind::StringPart | Kind::Number | Kind::Word | Kind::Blank => {}
        }
    }
    found
}

/// Position of a scan in a JSON text.
enum Level<'a> {
    /// In an object: the last key, where it began, and whether its colon was passed.
    Object {
        key: Cow<'a, str>,
        from: usize,
        value: bool,
    },
    /// In an array.
    Array { index: usize },
}

fn pointer(stack: &[Level<'_>]) -> String {
    let mut out = String::new();
    for level in stack {
        out.push('/');
        match level {
            Level::Object { key, .. } => out.push_str(&escaped(key)),
            Level::Array { index } => out.push_str(&index.to_string()),
        }
    }
    out
}

/// Returns the range of the next value, unless it is a string or the text breaks off.
fn no_string(lexer: Lexer<'_>) -> Option<Range<usize>> {
    let mut tokens = lexer.filter(|token| !token.is_blank()).peekable();
    let first = *tokens.peek()?;
    let (mut depth, mut end) = (0_usize, first.at);
    if first.kind == Kind::String {
        return None;
    }
    for token in tokens {
        match token.kind {
            Kind::Punct(b'{' | b'[') => depth += 1,
            Kind::Punct(b',' | b'}') if depth == 0 => return Some(first.at..end),
            Kind::Punct(b'}' | b']') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        end = token.end();
    }
    None
}

/// Decodes a string as far as that is possible.
fn decode(token: Token<'_>) -> Cow<'_, str> {
    match token.inner() {
        Some(inner) if !inner.contains('\\') => Cow::Borrowed(inner),
        _ => token.decode().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_at_their_place() {
        let scanned = scan(r#"{"a":"†call.x","b":["no",{"c/d":"†state.y"}],"e":"††text","k":"†"}"#);
        let places: Vec<_> = scanned.references.iter().map(|one| one.at.as_str()).collect();
        assert_eq!(places, ["/a", "/b/1/c~1d"]);
        assert_eq!(scanned.faults.len(), 1, "a lone dagger is a fault, never text");
    }

    #[test]
    fn label_and_output_path_are_read_and_taken_out() {
        let args = r#"{"_as":"readme", "path":"a", "_out":"†state.r"}"#;
        let scanned = scan(args);
        assert_eq!(scanned.label.as_deref(), Some("readme"));
        assert!(scanned.out.is_some());
        assert_eq!(resolve(args, |_| None), r#"{ "path":"a"}"#);
        assert_eq!(resolve(r#"{"_as":"x"}"#, |_| None), "{}");
        assert_eq!(
            resolve(r#"{"a":1,"_as":"x","b":2}"#, |_| None),
            r#"{"a":1,"b":2}"#
        );
    }

    #[test]
    fn what_a_call_waits_for_is_read_and_taken_out() {
        let args = r#"{"path":"a","_after":"†call.c3 && †call.b"}"#;
        let scanned = scan(args);
        assert_eq!(scanned.references.len(), 1);
        assert_eq!(scanned.references[0].at, "/_after");
        assert!(scanned.faults.is_empty());
        assert_eq!(
            resolve(args, |_| panic!("no value of it is sent")),
            r#"{"path":"a"}"#
        );
        for bad in [
            r#"{"_after":"c3"}"#,
            r#"{"_after":["†call.c3"]}"#,
            r#"{"_after":{"one":["c3"]}}"#,
            r#"{"_after":"†"}"#,
        ] {
            assert_eq!(scan(bad).faults.len(), 1, "{bad}");
            assert!(scan(bad).references.is_empty(), "{bad}");
        }
    }

    #[test]
    fn the_reason_is_read_and_taken_out_whatever_it_is() {
        for (args, is) in [
            (r#"{"_why":"to see","path":"a"}"#, Some("to see")),
            (r#"{"path":"a", "_why" : "say \"hi\", }"}"#, Some("say \"hi\", }")),
            (r#"{"path":"a","_w\u0068y":"hidden key"}"#, Some("hidden key")),
            (r#"{"path":"a","_why":"†call.c1"}"#, Some("†call.c1")),
            (
                r#"{"_why": ["†call.c1", {"a":"}"}] ,"path":"a"}"#,
                Some(r#"["†call.c1", {"a":"}"}]"#),
            ),
            (r#"{"_why":null,"path":"a"}"#, None),
            (r#"{"_why":1,"path":"a","_why":"twice"}"#, Some("twice")),
            (r#"{"path":"a"}"#, None),
        ] {
            assert_eq!(why(args).as_deref(), is, "{args}");
            let scanned = scan(args);
            assert_eq!(scanned, Scanned::default(), "{args}");
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            let bare = value(r#"{"path":"a"}"#);
            assert_eq!(value(&resolve(args, |_| panic!("no reference"))), bare, "{args}");
            assert_eq!(value(&without_why(args)), bare, "{args}");
        }
        assert!(matches!(without_why(r#"{"_as":"x"}"#), Cow::Borrowed(_)));
        assert_eq!(without_why(r#"{"_why":"no":"json"}"#), "{}");
        let inner = r#"{"in":{"_why":"an argument"}}"#;
        assert_eq!(resolve(inner, |_| None), inner);
    }

    #[test]
    fn a_bad_label_is_a_fault() {
        for label in ["", "A", "1a", "a b", "ä", &"a".repeat(33)] {
            assert_eq!(
                scan(&format!(r#"{{"_as":"{label}"}}"#)).faults.len(),
                1,
                "{label}"
            );
        }
    }

    #[test]
    fn nothing_but_the_reference_changes() {
        let args = "{\"n\":12345678901234567890123, \"x\" : \"†call.a\",\n\"f\":1.10,\"x2\":\"†state.b\"}";
        let resolved = resolve(args, |at| {
            Some(if at == "/x" {
                "[1, 2]".into()
            } else {
                "null".into()
            })
        });
        assert_eq!(
            resolved,
            "{\"n\":12345678901234567890123, \"x\" : [1, 2],\n\"f\":1.10,\"x2\":null}"
        );
        assert!(matches!(resolve(r#"{"a":"b, }"}"#, |_| None), Cow::Borrowed(_)));
    }

    #[test]
    fn an_escaped_dagger_loses_one() {
        assert_eq!(resolve(r#"{"a":"††call.x"}"#, |_| None), r#"{"a":"†call.x"}"#);
    }

    #[test]
    fn keys_are_never_references_and_nested_names_are_arguments() {
        let scanned = scan(r#"{"†call.x":1,"in":{"_as":"Not A Label"}}"#);
        assert_eq!(scanned, Scanned::default());
    }

    #[test]
    fn strings_with_commas_and_braces_survive_a_taken_member() {
        let args = r#"{"_as":"x","a":"{,,}\"}","b":[",}"]}"#;
        assert_eq!(resolve(args, |_| None), r#"{"a":"{,,}\"}","b":[",}"]}"#);
    }

    proptest::proptest! {
    #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn no_text_makes_the_scanner_panic(text in ".{0,80}") {
            let _ = scan(&text);
            let _ = resolve(&text, |_| Some("1".into()));
            let _ = (why(&text), without_why(&text));
            let _ = why(&format!("{{\"_why\":{text}"));
            let _ = without_why(&format!("{{\"_why\":\"a\":{text}"));
        }
    }
}
