//! The written form of a playbook: the keys of its TOML and the types of their values.
//!
//! Must not know: templates, regular expressions, what a rule does.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

use overrule_base::document::{Field, Pairs, Text, Texts, parsed, wrong};

/// Advice for keys that a playbook needs.
pub(super) const MISSING: [(&str, &str); 3] = [
    ("meta", "add `[meta]` with the `name` of the playbook"),
    ("name", "add the name of the playbook"),
    ("tool", "name the tool to call"),
];

/// The first table of a playbook. Reads nothing else, so that no caller waits for the rules.
#[derive(Debug, Deserialize)]
pub(super) struct RawHead {
    pub meta: RawMeta,
}

/// A whole playbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlaybook {
    pub meta: RawMeta,
    #[serde(default)]
    pub values: Pairs<Texts>,
    #[serde(default)]
    pub rule: Vec<Spanned<RawRule>>,
}

/// `[meta]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMeta {
    pub name: String,
    #[serde(default)]
    pub version: String,
    pub tokens_per_s: Field<f64>,
    pub prompt: Option<String>,
    pub output_schema: Option<String>,
}

/// `[[rule]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    #[serde(default)]
    pub when: RawWhen,
    #[serde(default)]
    pub once: bool,
    #[serde(default)]
    pub reasoning: Texts,
    #[serde(default)]
    pub think: Texts,
    #[serde(default)]
    pub call: Vec<RawCall>,
    pub say: Option<Text>,
    pub answer: Option<Text>,
    pub fail: Option<RawFailure>,
}

/// `fail`
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawFailure {
    Hang,
    Truncated,
    Network,
    Timeout,
    RateLimit,
    Server,
    Garbage,
}

/// `[[rule.call]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCall {
    pub think: Option<Text>,
    pub tool: Text,
    #[serde(rename = "as")]
    pub label: Option<Text>,
    pub out: Option<Text>,
    pub each: Option<Text>,
    #[serde(default)]
    pub args: Pairs<Spanned<RawArg>>,
}

/// `when`
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawWhen {
    #[serde(deserialize_with = "numbers")]
    pub turn: Vec<u32>,
    pub tools: Option<bool>,
    pub prompt: Option<Text>,
    pub thought: Option<Text>,
    pub operator: Option<Text>,
    pub notice: Option<Text>,
    pub observation: Option<Text>,
    pub last_tool: Texts,
    pub last_status: Option<RawStatus>,
    #[serde(deserialize_with = "numbers")]
    pub last_exit: Vec<u32>,
    pub seen_call: Texts,
    pub done: Texts,
    pub failed: Texts,
    pub given: Option<Text>,
    pub missing: Option<Text>,
}

/// `last_status`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawStatus {
    Ok,
    Error,
}

/// An argument of a call.
#[derive(Debug)]
pub(super) enum RawArg {
    Text(String),
    Plain(serde_json::Value),
    List(Vec<Spanned<Self>>),
    Table(Pairs<Spanned<Self>>),
}

/// Reads a whole number or a list of them.
fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let expected = "a whole number or a list of them";
    let number = |value: &Value| match value {
        Value::Integer(number) => {
            u32::try_from(*number).map_err(|_| format!("{number} is out of range; write 0 or more"))
        }
        other => Err(wrong(other.type_str(), expected)),
    };
    let read = parsed(deserializer, |value| match value {
        Value::Array(items) => items.iter().map(number).collect(),
        one => number(one).map(|one| vec![one]),
    })?;
    Ok(read.map(Spanned::into_inner).unwrap_or_default())
}

impl<'de> Deserialize<'de> for RawArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = RawArg;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value that JSON has too")
            }

            fn visit_str<E>(self, text: &str) -> Result<RawArg, E> {
                Ok(RawArg::Text(text.to_owned()))
            }

            fn visit_bool<E>(self, yes: bool) -> Result<RawArg, E> {
                Ok(RawArg::Plain(yes.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<RawArg, E> {
                Ok(RawArg::Plain(number.into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<RawArg, E> {
                Ok(RawArg::Plain(number.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawArg, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(RawArg::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawArg, A::Error> {
                let pairs = Pairs::deserialize(MapAccessDeserializer::new(map))?;
                // The reader of TOML gives a time as a table with one private key.
                if pairs
                    .0
                    .iter()
                    .any(|(key, _)| key.get_ref().starts_with("$__toml"))
                {
                    return Err(A::Error::custom(
                        "expected a value that JSON has too; write the time in quotes",
                    ));
                }
                Ok(RawArg::Table(pairs))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}
