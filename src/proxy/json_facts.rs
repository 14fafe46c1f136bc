//! Reads a JSON text of any format, and finds out whether it lists tools, has calls, or names a member twice.
//!
//! Must not know: paths, wire formats, requests and replies.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Members in which formats list tools, as [`plain`] writes them.
const LISTS: [&str; 4] = ["tools", "functions", "functiondeclarations", "tooldefinitions"];
/// Members that hold a call or several, as [`plain`] writes them.
const CALLS: [&str; 5] = [
    "toolcall",
    "toolcalls",
    "functioncall",
    "functioncalls",
    "tooluse",
];
/// Members that repeat the request, or report what the server did itself.
const OTHERS: [&str; 3] = ["tools", "usage", "executedtools"];
/// Members that hold the arguments of a call.
const ARGUMENTS: [&str; 3] = ["input", "arguments", "args"];
/// Types of calls that the provider executes itself, as [`plain`] writes them.
const BY_SERVER: [&str; 7] = [
    "websearchcall",
    "filesearchcall",
    "codeinterpretercall",
    "imagegenerationcall",
    "mcpcall",
    "servertooluse",
    "mcptooluse",
];

/// Types of calls that the provider may execute itself, as [`plain`] writes them.
const EITHER: [&str; 2] = ["toolsearchcall", "shellcall"];

/// What is known of a JSON value. Each of two members with one name counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// True if it lists tools.
    pub has_tools: bool,
    /// Number of members and objects in it that are calls, or lists of calls, which the provider does not execute itself.
    pub calls: usize,
    /// True if it has a call that the provider may execute itself.
    pub has_open_call: bool,
    /// True if an object in it has two members with one name: readers differ about which one counts. Those of the arguments
    /// of a call are checked with the call.
    pub repeats: bool,
    /// True for a list or an object that is not empty.
    is_filled: bool,
    /// The calls that a text is the name of.
    kind: Kind,
}

/// What a text names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// Calls for the agent.
    Calls,
    /// Calls for the agent or the provider.
    Either,
    #[default]
    Other,
}

/// A name in small letters and without signs: some programs read names so.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Says which calls have this type. Types that are not known end in the same way.
fn kind(text: &str) -> Kind {
    // No type is longer.
    if text.len() > 64 {
        return Kind::Other;
    }
    let kind = plain(text);
    let is_call = kind.ends_with("call") || kind.starts_with("tooluse") || kind.ends_with("tooluse");
    match &*kind {
        either if EITHER.contains(&either) => Kind::Either,
        server if BY_SERVER.contains(&server) => Kind::Other,
        "mcpapprovalrequest" => Kind::Calls,
        _ if is_call => Kind::Calls,
        _ => Kind::Other,
    }
}

impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

impl Facts {
    fn add(&mut self, inner: Self) {
        self.is_filled = true;
        self.has_tools |= inner.has_tools;
        self.calls += inner.calls;
        self.has_open_call |= inner.has_open_call;
        self.repeats |= inner.repeats;
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Facts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Facts, E> {
        Ok(Facts {
            kind: kind(text),
            ..Facts::default()
        })
    }

    fn visit_unit<E>(self) -> Result<Facts, E> {
        Ok(Facts::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Facts, A::Error> {
        let mut found = Facts::default();
        while let Some(value) = list.next_element::<Facts>()? {
            found.add(value);
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Facts, A::Error> {
        let mut found = Facts::default();
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            let mut value = members.next_value::<Facts>()?;
            let short = plain(&name);
            value.has_tools |= value.is_filled && LISTS.contains(&&*short);
            let is_of = |kind| value.kind == kind && short == "type";
            let is_call = value.is_filled && CALLS.contains(&&*short) || is_of(Kind::Calls);
            value.has_open_call |= is_of(Kind::Either);
            value.calls = match &*short {
                other if OTHERS.contains(&other) || ARGUMENTS.contains(&other) => 0,
                _ => value.calls + usize::from(is_call),
            };
            value.repeats &= !ARGUMENTS.contains(&&*short);
            found.add(value);
            found.repeats |= !names.insert(name);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_call_is_found_in_any_format() {
        for text in [
            r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"x"}}]}}]}"#,
            r#"{"choices":[{"message":{"function_call":{"name":"x"}}}]}"#,
            r#"{"content":[{"type":"tool_use","name":"x","input":{}}]}"#,
            r#"{"output":[{"type":"function_call","name":"x"}]}"#,
            r#"{"output":[{"type":"local_shell_call","action":{}}]}"#,
            r#"{"output":[{"type":"some_new_call"}]}"#,
            r#"{"content":[{"type":"tool_use_v2"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x"}}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"function_call":{"name":"x"}}]}}]}"#,
            r#"{"output":{"message":{"content":[{"toolUse":{"name":"x"}}]}}}"#,
            r#"{"required_action":{"submit_tool_outputs":{"tool_calls":[{}]}}}"#,
            r#"{"message":{"Tool_Calls":[{"function":{"name":"x"}}]}}"#,
            r#"{"message":{"tool\u005fcalls":[1]}}"#,
            r#"{"tool_calls":[{"name":"x"}],"tool_calls":[]}"#,
            r#"{"type":"tool_use","type":"text"}"#,
            r#"{"type":"message","type":"function_call"}"#,
        ] {
            assert!(facts(text).calls > 0, "{text}");
        }
    }

    #[test]
    fn what_asks_for_nothing_is_no_call() {
        for text in [
            "null",
            r#"{"tool_calls":[],"function_call":{},"tool_use":null}"#,
            r#"{"capabilities":{"tool_calls":true,"function_calling":true}}"#,
            r#"{"error":{"type":"invalid_request","message":"a message with 'tool_calls' has no tool_use"}}"#,
            r#"{"stop_reason":"tool_use","finish_reason":"tool_calls"}"#,
            r#"{"type":"function_call_output","output":"x"}"#,
            r#"{"type":"server_tool_use","name":"web_search"}"#,
            r#"{"type":"web_search_call","action":{}}"#,
            r#"{"type":"response.function_call_arguments.delta","delta":"x"}"#,
            r#"{"tools":[{"type":"function","name":"x"}]}"#,
            r#"{"usage":{"tool_calls":{"n":1}}}"#,
            r#"{"executed_tools":[{"type":"tool_call"}]}"#,
            r#"{"input":{"tool_calls":[1],"type":"tool_use"}}"#,
        ] {
            assert_eq!(facts(text).calls, 0, "{text}");
        }
    }

    #[test]
    fn a_member_that_is_there_twice_is_found_at_every_level() {
        assert!(facts(r#"{"a":1,"\u0061":2}"#).repeats);
        assert!(facts(r#"[{"x":{"a":1,"a":1}}]"#).repeats);
        assert!(facts(r#"{"input":1,"input":2}"#).repeats);
        assert!(!facts(r#"{"input":{"a":1,"a":2}}"#).repeats);
        assert!(!facts(r#"[{"a":1},{"a":2,"A":3}]"#).repeats);
    }
}
