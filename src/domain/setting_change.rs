//! Lists the values that differ between two trees of settings.
//!
//! Must not know: what a setting does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One changed value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// Its key, with the tables around it.
    pub key: Arc<str>,
    /// JSON text before; `None` if there was no value, or it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// JSON text now; `None` if there is no value any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
}

impl SettingChange {
    /// Describes it: `retry.retries from 4 to 2`.
    pub fn describe(&self) -> String {
        let from = self.from.as_deref().map(|from| format!(" from {from}"));
        let to = self.to.as_deref().unwrap_or("nothing");
        format!("{}{} to {to}", self.key, from.unwrap_or_default())
    }
}

/// Shown instead of a value that may contain a secret.
pub const HIDDEN: &str = "(not shown)";

/// True for a setting whose value may contain a secret.
pub fn is_secret(key: &str) -> bool {
    matches!(key, "notify.command" | "notify.webhook")
}

/// A value as it may be shown.
fn shown(key: &str, text: &str) -> Arc<str> {
    let is_set = text != "null";
    Arc::from(if is_secret(key) && is_set { HIDDEN } else { text })
}

/// What two trees, given as JSON texts, differ in. A list is one value. Nothing where one cannot be read.
pub fn between(before: &str, after: &str) -> Vec<SettingChange> {
    let (Some(before), Some(after)) = (leaves(before), leaves(after)) else {
        return Vec::new();
    };
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    keys.into_iter()
        .filter(|key| before.get(*key) != after.get(*key))
        .map(|key| SettingChange {
            key: Arc::from(key.as_str()),
            from: before.get(key).map(|text| shown(key, text)),
            to: after.get(key).map(|text| shown(key, text)),
        })
        .collect()
}

/// The values of a key, or of the table that it names, in a tree that is given as JSON text. What they were before is not
/// known.
pub fn set(tree: &str, key: &str) -> Vec<SettingChange> {
    let of_key = |name: &str| {
        let rest = name.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let values = leaves(tree).unwrap_or_default();
    let values = values.iter().filter(|(name, _)| of_key(name));
    let change = |(name, text): (&String, &String)| SettingChange {
        key: Arc::from(name.as_str()),
        from: None,
        to: Some(shown(name, text)),
    };
    values.map(change).collect()
}

fn leaves(text: &str) -> Option<BTreeMap<String, String>> {
    fn of(key: String, value: &Value, out: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(table) if !table.is_empty() => {
                for (name, value) in table {
                    let dot = if key.is_empty() { "" } else { "." };
                    of(format!("{key}{dot}{name}"), value, out);
                }
            }
            other => {
                out.insert(key, other.to_string());
            }
        }
    }
    let mut out = BTreeMap::new();
    of(String::new(), &serde_json::from_str(text).ok()?, &mut out);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_a_value_before_has_the_value_of_the_tree() {
        let tree = r#"{"retry":{"retries":2,"first":"1s"},"retry2":1,"loops":{"muted":["visits"]},"notify":{"command":"k"}}"#;
        let words =
            |key: &str| -> Vec<String> { set(tree, key).iter().map(SettingChange::describe).collect() };
        assert_eq!(words("loops.muted"), ["loops.muted to [\"visits\"]"]);
        assert_eq!(words("retry"), ["retry.first to \"1s\"", "retry.retries to 2"]);
        assert_eq!(words("notify.command"), ["notify.command to (not shown)"]);
        assert_eq!(words("nothing"), Vec::<String>::new());
    }

    #[test]
    fn each_value_that_differs_is_named_and_no_other() {
        let before = r#"{"retry":{"retries":4,"first":"200ms"},"loops":{"muted":[],"substitutes":{}}}"#;
        let after = r#"{"retry":{"retries":2,"first":"200ms"},"loops":{"muted":["sequence"],"substitutes":{"a":["b"]}}}"#;
        let words: Vec<String> = between(before, after)
            .iter()
            .map(SettingChange::describe)
            .collect();
        assert_eq!(
            words,
            [
                "loops.muted from [] to [\"sequence\"]",
                "loops.substitutes from {} to nothing",
                "loops.substitutes.a to [\"b\"]",
                "retry.retries from 4 to 2",
            ]
        );
        assert_eq!(between(before, before), []);
        assert_eq!(between("no json", after), []);
    }
}
