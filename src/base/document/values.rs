//! Readers of single values, for `deserialize_with`: they check a value where it is read.
//!
//! Must not know: what the keys mean.

use std::fmt::Display;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

use super::explain::wrong;

/// A value with its place; `None` for an absent key.
pub type Field<T> = Option<Spanned<T>>;

/// Reads any value. `parse` returns what is wrong and what to do.
pub fn parsed<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    parse: impl FnOnce(&Value) -> Result<T, String>,
) -> Result<Field<T>, D::Error> {
    let at = Spanned::<Value>::deserialize(deserializer)?;
    let value = parse(at.get_ref()).map_err(D::Error::custom)?;
    Ok(Some(Spanned::new(at.span(), value)))
}

/// Reads a string. `check` returns what is wrong; `advice` says what to do.
pub fn checked<'de, T, W: Display, D: Deserializer<'de>>(
    deserializer: D,
    check: impl FnOnce(&str) -> Result<T, W>,
    advice: &str,
) -> Result<Field<T>, D::Error> {
    parsed(deserializer, |value| match value {
        Value::String(text) => check(text).map_err(|why| format!("{why}; {advice}")),
        other => Err(wrong(other.type_str(), "a string in quotes")),
    })
}

/// Defines readers of strings: name, type, check, advice.
#[macro_export]
macro_rules! strings {
    ($($name:ident: $type:ty = $check:expr, $advice:expr;)*) => {
        $(fn $name<'de, D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> Result<$crate::document::Field<$type>, D::Error> {
            $crate::document::checked(deserializer, $check, $advice)
        })*
    };
}
pub use crate::strings;

/// Reads a whole number within inclusive bounds.
pub fn whole<'de, const MIN: u64, const MAX: u64, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Field<T>, D::Error> {
    parsed(deserializer, |value| {
        let expected = format!("a whole number from {MIN} to {MAX}");
        let Value::Integer(number) = value else {
            return Err(wrong(value.type_str(), &expected));
        };
        let within = u64::try_from(*number).ok().filter(|n| (MIN..=MAX).contains(n));
        within
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| format!("{number} is out of range; write {expected}"))
    })
}

/// Returns a number in digits.
pub fn decimal(value: &Value) -> Result<String, String> {
    match value {
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        other => Err(wrong(other.type_str(), "a number")),
    }
}

/// Returns a string or the strings of a list that is not empty.
pub fn texts(value: &Value) -> Result<Vec<&str>, String> {
    let expected = "a string or a list of strings";
    match value {
        Value::String(text) => Ok(vec![text]),
        Value::Array(list) if list.is_empty() => {
            Err("the list is empty; name at least one, or leave the key out".to_owned())
        }
        Value::Array(list) => list
            .iter()
            .map(|item| item.as_str().ok_or_else(|| wrong(item.type_str(), expected)))
            .collect(),
        other => Err(wrong(other.type_str(), expected)),
    }
}

/// Any value that JSON has too; a time is its text.
#[derive(Debug, Clone)]
pub struct Json(pub serde_json::Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let json = json(value).ok_or("expected a value that JSON has too; write another number");
        json.map(Self).map_err(D::Error::custom)
    }
}

fn json(value: Value) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    Some(match value {
        Value::String(text) => Json::String(text),
        Value::Boolean(flag) => Json::Bool(flag),
        Value::Integer(number) => Json::Number(number.into()),
        Value::Float(number) => Json::Number(serde_json::Number::from_f64(number)?),
        Value::Datetime(time) => Json::String(time.to_string()),
        Value::Array(list) => Json::Array(list.into_iter().map(json).collect::<Option<_>>()?),
        Value::Table(table) => Json::Object(
            table
                .into_iter()
                .map(|(key, value)| Some((key, json(value)?)))
                .collect::<Option<_>>()?,
        ),
    })
}
