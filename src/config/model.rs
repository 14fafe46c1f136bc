//! Reads `[models.NAME]`: a model with its server, its key and what is asked of it.
//!
//! Must not know: other settings, which model is chosen.

use std::collections::BTreeMap;
use std::fmt;

use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

use super::checks;
use super::key::{Key, KeyCommand};
use super::price::{self, RawPrice};
use overrule_base::document::{At, Document, Error, Field, Json, parsed, strings, whole, wrong};
use overrule_domain::price::Price;
use overrule_model::wire::{Options, Thinking, ToolChoice, Wire};

/// Most tokens of a window or a limit.
const MOST_TOKENS: u64 = u32::MAX as u64;
/// Members of a body that the program writes itself.
const OWN_MEMBERS: [&str; 8] = [
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "tools",
    "stream",
    "instructions",
];

/// A table `[models.NAME]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelTable {
    #[serde(deserialize_with = "wire")]
    wire: Field<Wire>,
    #[serde(deserialize_with = "base_url")]
    base_url: Field<String>,
    #[serde(deserialize_with = "model")]
    model: Field<String>,
    #[serde(deserialize_with = "variable")]
    key_env: Field<String>,
    #[serde(deserialize_with = "key_command")]
    key_command: Field<String>,
    #[serde(deserialize_with = "headers")]
    headers: Field<Headers>,
    #[serde(deserialize_with = "extra")]
    extra_body: Field<BTreeMap<String, serde_json::Value>>,
    #[serde(deserialize_with = "whole::<1, MOST_TOKENS, _, _>")]
    max_output_tokens: Field<u32>,
    #[serde(deserialize_with = "thinking")]
    thinking: Field<Thinking>,
    parallel_calls: Field<bool>,
    #[serde(deserialize_with = "tool_choice")]
    tool_choice: Field<ToolChoice>,
    strict: Field<bool>,
    structured_answer: Field<bool>,
    price: Option<RawPrice>,
    #[serde(deserialize_with = "whole::<1, MOST_TOKENS, _, _>")]
    window: Field<u64>,
    #[serde(deserialize_with = "proxy")]
    proxy: Field<ProxySetting>,
}

/// Further headers. Their values may be secrets.
#[derive(Clone, Default)]
pub struct Headers(pub Vec<(String, SecretString)>);

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}

/// How requests reach the server of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxySetting {
    /// Directly.
    Off,
    /// By this proxy.
    Url(String),
}

/// A checked table `[models.NAME]`. `None` stands for an absent key.
#[derive(Debug, Clone)]
pub struct RawModel {
    /// The wire format.
    pub wire: Option<Wire>,
    /// Base URL of the server.
    pub base_url: Option<String>,
    /// Name of the model at the server.
    pub model: Option<String>,
    /// The key.
    pub key: Option<RawKey>,
    /// Further headers.
    pub headers: Headers,
    /// The proxy.
    pub proxy: Option<ProxySetting>,
    /// What is asked of the model.
    pub options: Options,
    /// Its price.
    pub price: Option<Price>,
    /// Tokens of its window.
    pub window: Option<u64>,
}

/// Where the key of a model comes from.
#[derive(Debug, Clone)]
pub enum RawKey {
    /// A variable of the environment.
    Variable(String),
    /// A shell command that prints it.
    Command(KeyCommand),
}

impl RawKey {
    /// Returns the key. `variable` gives the value of a variable of the environment.
    pub fn key(&self, variable: impl Fn(&str) -> Option<SecretString>) -> Key {
        match self {
            Self::Variable(name) => Key::Variable {
                name: name.clone(),
                value: variable(name),
            },
            Self::Command(command) => Key::Command(command.clone()),
        }
    }
}

/// Checks the tables across their keys.
pub(super) fn compiled(
    tables: BTreeMap<Spanned<String>, ModelTable>,
    document: &Document<'_>,
) -> Result<BTreeMap<String, At<RawModel>>, Error> {
    let mut all = BTreeMap::new();
    for (name, table) in tables {
        let error = |what: &str| document.error(name.span(), what);
        if let Err(why) = checks::name(name.get_ref()) {
            return Err(error(&format!("{why}; name the model")));
        }
        if name.get_ref() == SCRIPTED || name.get_ref() == RECORDED {
            return Err(error(
                "is the name of a model of the program; choose another name",
            ));
        }
        let place = document.source().place(name.span().start);
        let value = one(table, document)?;
        all.insert(name.into_inner(), At { value, place });
    }
    Ok(all)
}

/// Name of the scripted model.
pub const SCRIPTED: &str = "scripted";
/// Name of the model that answers from a recording.
pub const RECORDED: &str = "recorded";

fn one(table: ModelTable, document: &Document<'_>) -> Result<RawModel, Error> {
    fn value<T>(field: Field<T>) -> Option<T> {
        field.map(Spanned::into_inner)
    }
    let key = match (table.key_env, table.key_command) {
        (Some(_), Some(second)) => {
            let what = "the key is given in two ways; keep one of key_env and key_command";
            return Err(document.error(second.span(), what));
        }
        (Some(name), None) => Some(RawKey::Variable(name.into_inner())),
        (None, Some(command)) => Some(RawKey::Command(command.into_inner().into())),
        (None, None) => None,
    };
    if let (Some(thinking), Some(most)) = (&table.thinking, &table.max_output_tokens)
        && let Thinking::Budget(budget) = thinking.get_ref()
        && budget >= most.get_ref()
    {
        let what = format!(
            "{budget} is not below max_output_tokens, which counts thoughts as well; write less than {}",
            most.get_ref()
        );
        return Err(document.error(thinking.span(), &what));
    }
    Ok(RawModel {
        wire: value(table.wire),
        base_url: value(table.base_url),
        model: value(table.model),
        key,
        headers: value(table.headers).unwrap_or_default(),
        proxy: value(table.proxy),
        options: Options {
            max_output: value(table.max_output_tokens),
            thinking: value(table.thinking),
            parallel_calls: value(table.parallel_calls),
            tool_choice: value(table.tool_choice),
            strict: value(table.strict).unwrap_or_default(),
            structured: value(table.structured_answer).unwrap_or_default(),
            extra: value(table.extra_body).unwrap_or_default(),
        },
        price: table.price.map(|raw| price::price(raw).into_inner()),
        window: value(table.window),
    })
}

strings! {
    model: String = checks::name, "write the model's name in quotes";
    base_url: String = checks::base_url, checks::BASE_URL;
    wire: Wire = |text| Wire::named(text).ok_or_else(|| super::written::unknown(text)), &format!("use {}", Wire::names());
    key_command: String = checks::name, "write a shell command that prints the key";
    // The text may be the key itself, so that no message shows it.
    variable: String = |text| is_variable(text).then(|| text.to_owned()).ok_or("is no name of a variable"),
        "write the name of the environment variable with the key, such as \"LLM_KEY\"";
    tool_choice: ToolChoice = |text| ToolChoice::named(text).ok_or_else(|| super::written::unknown(text)),
        "use auto, required or none";
    proxy: ProxySetting = |text| match text {
        "off" => Ok(ProxySetting::Off),
        url if is_proxy(url) => Ok(ProxySetting::Url(url.to_owned())),
        _ => Err("is no address of a proxy"),
    }, "write it such as \"http://127.0.0.1:3128\", or \"off\"";
}

fn is_variable(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_proxy(text: &str) -> bool {
    let host = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"))
        .unwrap_or_default();
    !host.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Reads a level, or a number of tokens.
fn thinking<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Thinking>, D::Error> {
    const ADVICE: &str = "write \"off\", \"low\", \"medium\", \"high\" or a number of tokens";
    parsed(deserializer, |value| match value {
        Value::String(text) => {
            Thinking::named(text).ok_or_else(|| format!("{}; {ADVICE}", super::written::unknown(text)))
        }
        Value::Integer(number) => u32::try_from(*number)
            .map(Thinking::Budget)
            .map_err(|_| format!("{number} is out of range; {ADVICE}")),
        other => Err(wrong(other.type_str(), "a level in quotes or a number of tokens")),
    })
}

/// Reads further headers. A message shows no value.
fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Headers>, D::Error> {
    parsed(deserializer, |value| {
        let Value::Table(table) = value else {
            return Err(wrong(value.type_str(), "a table of texts"));
        };
        let header = |(name, value): (&String, &Value)| {
            let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            if name.is_empty() || !name.chars().all(is_token) {
                return Err(format!(
                    "`{name}` is no name of a header; write it such as x-team"
                ));
            }
            let text = value.as_str().filter(|text| {
                let text = text.as_bytes();
                text.iter().all(|byte| (0x20..0x7f).contains(byte))
            });
            let text = text.ok_or_else(|| {
                format!("the value of `{name}` is no printable text; write a string without line breaks")
            })?;
            Ok((name.clone(), SecretString::from(text)))
        };
        table.iter().map(header).collect::<Result<_, _>>().map(Headers)
    })
}

/// Reads further members of a body.
fn extra<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Field<BTreeMap<String, serde_json::Value>>, D::Error> {
    parsed(deserializer, |value| {
        let Value::Table(table) = value else {
            return Err(wrong(value.type_str(), "a table"));
        };
        if let Some(own) = OWN_MEMBERS.iter().find(|own| table.contains_key(**own)) {
            return Err(format!("`{own}` is written by the program; leave it out"));
        }
        let json = Json::deserialize(value.clone()).map_err(|error| error.to_string())?;
        match json.0 {
            serde_json::Value::Object(members) => Ok(members.into_iter().collect()),
            _ => Err("is no table".to_owned()),
        }
    })
}
