//! Completes edited arguments with what the old ones say about the call itself.
//!
//! Must not know: tools, schemas, who edits.

use std::borrow::Cow;
use std::ops::Range;

use overrule_base::canon::{Lexer, TokenKind as Kind};

use super::rewrite::edited;

/// Members that are no arguments of a tool: the name of the result, its place, what the call waits for, why it is made,
/// and why it runs outside of the sandbox.
const NAMES: [&str; 5] = ["_as", "_out", "_after", "_why", "_outside"];
/// Reasons for a call. They do not apply to another tool.
const REASONS: [&str; 2] = ["_why", "_outside"];

/// A member of an object, as written.
struct Member<'a> {
    name: Cow<'a, str>,
    /// Bytes of its value.
    value: &'a str,
    /// Byte range from its name to the end of its value.
    range: Range<usize>,
}

/// Returns the argument text of an edit: `new`, with the members `_as`, `_out`, `_after`, `_why` and `_outside` of `old` that
/// `new` does not have, and without those that are `null` in `new`. `_why` and `_outside` are kept for the same tool only. All other bytes
/// stay. Borrowed if nothing changes, also if `new` is no JSON object.
pub fn complete<'a>(old: &str, new: &'a str, same_tool: bool) -> Cow<'a, str> {
    let Some(own) = members(new) else {
        return Cow::Borrowed(new);
    };
    let old = members(old).unwrap_or_default();
    let is_kept = |name: &str| {
        (same_tool || !REASONS.contains(&name))
            && NAMES.contains(&name)
            && own.iter().all(|one| one.name != name)
    };
    let last = |at: usize, member: &Member<'_>| old.iter().skip(at + 1).all(|one| one.name != member.name);
    let kept: Vec<String> = (old.iter().enumerate())
        .filter(|(at, one)| is_kept(&one.name) && one.value != "null" && last(*at, one))
        .map(|(_, one)| format!("\"{}\":{}", one.name, one.value))
        .collect();
    let removed = (own.iter()).filter(|one| one.value == "null" && NAMES.contains(&&*one.name));
    let bare = edited(
        new,
        removed.map(|one| (one.range.clone(), String::new())).collect(),
    );
    if kept.is_empty() {
        return bare;
    }
    let is_empty = members(&bare).is_some_and(|members| members.is_empty());
    let comma = if is_empty { "" } else { "," };
    Cow::Owned(bare.replacen('{', &format!("{{{}{comma}", kept.join(",")), 1))
}

/// Returns `new` with a `null` for each of these members that `old` has and `new` lacks: the edit removes them.
pub fn removing(old: &str, new: &str) -> String {
    let (Some(old), Some(own)) = (members(old), members(new)) else {
        return new.to_owned();
    };
    let has = |members: &[Member<'_>], name: &str| members.iter().any(|one| one.name == name);
    let gone = NAMES.iter().filter(|name| has(&old, name) && !has(&own, name));
    let nulls: Vec<String> = gone.map(|name| format!("\"{name}\":null")).collect();
    if nulls.is_empty() {
        return new.to_owned();
    }
    let comma = if own.is_empty() { "" } else { "," };
    new.replacen('{', &format!("{{{}{comma}", nulls.join(",")), 1)
}

/// The members of a JSON object in their order; `None` for any other text.
fn members(text: &str) -> Option<Vec<Member<'_>>> {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).ok()?;
    let mut found = Vec::new();
    let (mut depth, mut end) = (0_usize, 0);
    let mut name: Option<(Cow<'_, str>, usize)> = None;
    let mut from: Option<usize> = None;
    for token in Lexer::new(text).filter(|token| !token.is_blank()) {
        let closes = matches!(token.kind, Kind::Punct(b'}' | b']'));
        if depth == 1 && (closes || token.kind == Kind::Punct(b',')) {
            if let (Some((name, at)), Some(from)) = (name.take(), from.take()) {
                let value = text.get(from..end)?;
                found.push(Member {
                    name,
                    value,
                    range: at..end,
                });
            }
        } else if depth == 1 && name.is_none() {
            name = Some((token.decode()?, token.at));
        } else if depth == 1 && from.is_none() && token.kind != Kind::Punct(b':') {
            from = Some(token.at);
        }
        match token.kind {
            Kind::Punct(b'{' | b'[') => depth += 1,
            Kind::Punct(b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        end = token.end();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{"_as":"readme","path":"a","_out":"†state.r","_after":"†call.x","_why":"to see"}"#;

    #[test]
    fn what_new_arguments_do_not_name_is_kept() {
        for (new, same, is) in [
            (
                r#"{"path": 1.10}"#,
                true,
                r#"{"_as":"readme","_out":"†state.r","_after":"†call.x","_why":"to see","path": 1.10}"#,
            ),
            (
                "{}",
                false,
                r#"{"_as":"readme","_out":"†state.r","_after":"†call.x"}"#,
            ),
            (
                r#"{"a":1,"_as":"other","_out":null,"_after":null,"_why":null}"#,
                true,
                r#"{"a":1,"_as":"other"}"#,
            ),
            (
                r#" { "_as" : null } "#,
                false,
                " {\"_out\":\"†state.r\",\"_after\":\"†call.x\"  } ",
            ),
            // A name may be written in another way, and a null next to another value of the name does not win.
            (
                r#"{"_\u0061s":"b","_out":"†state.s","_after":null}"#,
                false,
                r#"{"_\u0061s":"b","_out":"†state.s"}"#,
            ),
            // Only members of the arguments themselves count.
            (
                r#"{"in":{"_as":null},"_out":null,"_after":null}"#,
                false,
                r#"{"_as":"readme","in":{"_as":null}}"#,
            ),
        ] {
            assert_eq!(complete(OLD, new, same), is, "{new}");
        }
    }

    #[test]
    fn the_reason_to_leave_the_sandbox_is_kept_for_the_same_tool_only() {
        let old = r#"{"command":"a","_outside":"it needs docker"}"#;
        assert_eq!(
            complete(old, r#"{"command":"b"}"#, true),
            r#"{"_outside":"it needs docker","command":"b"}"#
        );
        assert_eq!(complete(old, r#"{"path":"b"}"#, false), r#"{"path":"b"}"#);
        assert_eq!(
            complete(old, r#"{"command":"b","_outside":null}"#, true),
            r#"{"command":"b"}"#
        );
    }

    #[test]
    fn nothing_changes_where_nothing_is_to_keep_or_remove() {
        for (old, new) in [
            (r#"{"path":"a"}"#, r#"{ "path" : "b", }"#),
            (r#"{"path":"a"}"#, r#"{ "path" : "b" }"#),
            (r#"{"path":"a","_as":null}"#, r#"{"path":"b"}"#),
            ("[1]", r#"{"path":"b"}"#),
            (OLD, "[1]"),
            (OLD, "{"),
            (OLD, ""),
        ] {
            assert!(
                matches!(complete(old, new, true), Cow::Borrowed(text) if text == new),
                "{old} {new}"
            );
        }
    }

    #[test]
    fn of_a_name_that_is_twice_the_last_is_kept() {
        assert_eq!(
            complete(r#"{"_as":"a","_as":"b"}"#, r#"{"n":[{"x":1}]}"#, true),
            r#"{"_as":"b","n":[{"x":1}]}"#
        );
    }

    #[test]
    fn a_whole_text_says_what_it_removes() {
        let text = r#"{"path":"b","_out":"†state.r"}"#;
        let said = removing(r#"{"_as":"x","_out":"†state.r","path":"a"}"#, text);
        assert_eq!(said, r#"{"_as":null,"path":"b","_out":"†state.r"}"#);
        assert_eq!(
            complete(r#"{"_as":"x","_out":"†state.r","path":"a"}"#, &said, true),
            text
        );
        assert_eq!(removing(r#"{"_as":"x"}"#, "{}"), r#"{"_as":null}"#);
        assert_eq!(removing(r#"{"a":1}"#, "{}"), "{}");
        assert_eq!(removing(r#"{"_as":"x"}"#, "{"), "{");
    }

    proptest::proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn any_text_is_completed_to_what_it_says(old in r#"[{}\[\],:"_asoutx1 ]{0,40}"#, new in r#"[{}\[\],:"_asoutx1 ]{0,40}"#) {
            let _ = (complete(&old, &new, true), removing(&old, &new));
            // A whole text that says what it removes is stored as it is.
            let whole = format!("{{\"path\":{}}}", serde_json::Value::from(new));
            let said = removing(OLD, &whole);
            proptest::prop_assert_eq!(complete(OLD, &said, true), whole);
        }
    }
}
