//! Settings for failures: one tree, changed key by key and checked as a whole.
//!
//! Must not know: files, where a value came from, who changed it.
//!
//! Its text is recorded whenever it changes; what a rule did under it is part of that rule's own
//! event.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{breaker, classify, loops, notify, repair, retry, routing};
use overrule_domain::ladder::parse_span;
use overrule_domain::setting_change;
use overrule_domain::state::{Configured, State};

/// How failures are met.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Retries of the same bytes.
    pub retry: retry::Settings,
    /// Requests to the model that break for a passing reason.
    pub model: ModelSettings,
    /// Breakers.
    pub breaker: breaker::Settings,
    /// Repair of arguments.
    pub repair: repair::Settings,
    /// Words that identify errors.
    pub errors: classify::Settings,
    /// What is learned about tools.
    pub routing: routing::Settings,
    /// Loop detection and the steps against loops.
    pub loops: loops::Config,
    /// How the operator is notified, as far as it differs from their files.
    pub notify: notify::Settings,
}

/// What happens when the model is overloaded, gone or unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// For how long it is waited for; zero to leave the first failure to the operator.
    pub wait: Ms,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            wait: Ms(Configured::MODEL_WAIT_MS),
        }
    }
}

/// An invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {why}")]
pub struct Bad {
    /// Its key, with the enclosing tables.
    pub key: String,
    /// What is wrong with it, and what to write instead.
    pub why: String,
}

impl Bad {
    /// Returns an error unless `holds`.
    pub fn unless(key: &str, holds: bool, why: &str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::of(key, why)) }
    }

    fn of(key: &str, why: impl Into<String>) -> Self {
        Self {
            key: key.to_owned(),
            why: why.into(),
        }
    }
}

impl Policy {
    /// Returns the same for the agent of another program. What it executes is never run again by itself, and its arguments
    /// are never repaired: the agent and its model do that. A repeated call is refused in the first step: the agent gets
    /// the words about the loop as its result.
    #[must_use]
    pub fn of_agent(mut self, unattended: bool) -> Self {
        self.retry.retries = 0;
        // The agent asks again by itself.
        self.model.wait = Ms(0);
        self.repair.on = false;
        self.breaker.consecutive = 0;
        self.breaker.rate = 0;
        self.loops.ladder.guidance = 0;
        if unattended {
            self.loops.ladder = loops::Ladder::REFUSE;
        }
        self
    }

    /// Parses and checks a whole tree.
    pub fn parse(text: &str) -> Result<Self, Bad> {
        let policy: Self =
            serde_json::from_str(text).map_err(|error| Bad::of("resilience", error.to_string()))?;
        policy.check()?;
        Ok(policy)
    }

    /// Parses a tree that was checked before it was recorded. Returns `None` if an older program wrote
    /// something that this one cannot read.
    pub fn recorded(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns how many executions with different arguments a call of a tool may cost under the settings of a
    /// run: one if its arguments are not repaired.
    pub fn executions_in(state: &State, tool: &str) -> u32 {
        let recorded = state.settings.resilience.as_ref();
        let repair = recorded
            .and_then(|one| Self::recorded(&one.policy))
            .map(|one| one.repair);
        let repair = repair.unwrap_or_default();
        let own = repair.tools.get(tool).and_then(|one| one.on);
        if own.unwrap_or(repair.on) {
            repair.executions
        } else {
            1
        }
    }

    /// Returns the whole tree as text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the tree with one value replaced; the key is written like `retry.retries`.
    pub fn with(&self, key: &str, value: Value) -> Result<Self, Bad> {
        if let Some(why) = loops::Removed::removed_key_hint(key) {
            return Err(Bad::of(key, why));
        }
        let mut tree = serde_json::to_value(self).map_err(|error| Bad::of(key, error.to_string()))?;
        let mut here = &mut tree;
        let names: Vec<&str> = key.split('.').collect();
        for (at, name) in names.iter().enumerate() {
            let Value::Object(table) = here else {
                let table = names.get(..at).unwrap_or_default().join(".");
                return Err(Bad::of(key, format!("`{table}` is a value and holds no keys")));
            };
            let known: Vec<String> = table.keys().cloned().collect();
            // Tables whose keys a person chooses may grow; others have fixed keys.
            let open = matches!(
                names[..],
                ["routing", "kinds", ..] | ["repair", "tools", ..] | ["loops", "substitutes", _]
            );
            if !table.contains_key(*name) && !open {
                let there = if known.is_empty() {
                    "it is no setting".to_owned()
                } else {
                    format!("there is: {}", known.join(", "))
                };
                return Err(Bad::of(key, format!("unknown; {there}")));
            }
            let empty = || {
                if at + 1 < names.len() {
                    Value::Object(serde_json::Map::new())
                } else {
                    Value::Null
                }
            };
            here = table.entry((*name).to_owned()).or_insert_with(empty);
        }
        *here = value;
        let policy: Self = serde_json::from_value(tree).map_err(|error| Bad::of(key, error.to_string()))?;
        policy.check()?;
        Ok(policy)
    }

    /// Returns every key of every table with its value as JSON text, for [`Policy::with`]; a nested table is
    /// one value.
    pub fn values(&self) -> Vec<(String, String)> {
        let tree = serde_json::to_value(self).unwrap_or_default();
        let tables = tree.as_object().into_iter().flatten();
        let keys = tables.filter_map(|(table, keys)| Some((table, keys.as_object()?)));
        keys.flat_map(|(table, keys)| {
            keys.iter()
                .map(move |(key, value)| (format!("{table}.{key}"), value.to_string()))
        })
        .collect()
    }

    /// Refuses values out of bounds.
    pub fn check(&self) -> Result<(), Bad> {
        self.retry.check()?;
        Bad::unless(
            "model.wait",
            self.model.wait.0 <= 24 * 3_600_000,
            "write at most 24h",
        )?;
        self.breaker.check()?;
        self.loops
            .check()
            .map_err(|wrong| Bad::of(&format!("loops.{}", wrong.key), wrong.message))?;
        self.repair.check()?;
        self.errors.check()?;
        self.notify.check()?;
        self.routing
            .check()
            .map_err(|bad| Bad::of(&format!("routing.{}", bad.key), bad.to_string()))
    }

    /// Returns every key with its value as text.
    pub fn entries(&self) -> Vec<(String, String)> {
        fn of(path: &str, value: &Value, out: &mut Vec<(String, String)>) {
            match value {
                Value::Object(table) if !table.is_empty() => {
                    for (name, value) in table {
                        let path = if path.is_empty() {
                            name.clone()
                        } else {
                            format!("{path}.{name}")
                        };
                        of(&path, value, out);
                    }
                }
                // The values of the operator's files are unknown here.
                Value::Null if path.starts_with("notify.") => {}
                value if setting_change::is_secret(path) && !value.is_null() => {
                    out.push((path.to_owned(), setting_change::HIDDEN.to_owned()));
                }
                Value::String(text) => out.push((path.to_owned(), text.clone())),
                other => out.push((path.to_owned(), other.to_string())),
            }
        }
        let mut out = Vec::new();
        of("", &serde_json::to_value(self).unwrap_or_default(), &mut out);
        out
    }
}

/// A duration, written as `200ms`, `10s`, `5m` or `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ms(pub u64);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ms) = self;
        match ms {
            0 => f.write_str("0s"),
            ms if ms % 3_600_000 == 0 => write!(f, "{}h", ms / 3_600_000),
            ms if ms % 60_000 == 0 => write!(f, "{}m", ms / 60_000),
            ms if ms % 1_000 == 0 => write!(f, "{}s", ms / 1_000),
            ms => write!(f, "{ms}ms"),
        }
    }
}

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_span(&text).map(Self).ok_or_else(|| {
            serde::de::Error::custom(
                "this is no span of time: write one such as \"200ms\", \"10s\" or \"5m\"",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_key_changes_and_nothing_else() {
        let policy = Policy::default();
        let changed = policy.with("retry.retries", json!(2)).unwrap();
        assert_eq!(changed.retry.retries, 2);
        let back = changed.with("retry.retries", json!(4)).unwrap();
        assert_eq!(back, policy);
        let other = policy
            .with("loops.substitutes.primary", json!("replica"))
            .unwrap();
        assert_eq!(other.loops.substitutes("primary"), ["replica".into()]);
        let two = other
            .with("loops.substitutes.primary", json!(["near", "far"]))
            .unwrap();
        assert_eq!(two.loops.substitutes("primary"), ["near".into(), "far".into()]);
        assert_eq!(Policy::parse(&two.to_text()).unwrap(), two);
        assert_eq!(two.loops.substitutes("replica"), []);
        let steps = policy.with("loops.ladder.roll_back", json!(0)).unwrap();
        let waits = policy.with("model.wait", json!("90s")).unwrap();
        assert_eq!(waits.model.wait, Ms(90_000));
        let recorded = |policy: &Policy| Configured::of(1, policy.to_text().into(), false).model_wait_ms;
        assert_eq!((recorded(&waits), recorded(&policy)), (90_000, 600_000));
        assert_eq!((steps.loops.ladder.roll_back, steps.loops.ladder.human), (0, 2));
        let slow = policy.with("breaker.open", json!("2m")).unwrap();
        assert_eq!(slow.breaker.open, Ms(120_000));
        assert_eq!(Policy::parse(&slow.to_text()).unwrap(), slow);
    }

    #[test]
    fn each_value_can_be_set_from_its_printed_form() {
        let mut policy = Policy::default();
        policy.retry.retries = 7;
        policy.loops.ladder.guidance = 1;
        let mut other = Policy::default();
        for (key, value) in policy.values() {
            other = other.with(&key, serde_json::from_str(&value).unwrap()).unwrap();
        }
        assert_eq!(other, policy);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_key() {
        let policy = Policy::default();
        for (key, value, words) in [
            ("retry.retires", json!(1), "there is: retries, first"),
            ("retry", json!(1), "invalid type"),
            ("retry.retries.x", json!(1), "`retry.retries` is a value"),
            ("retry.first", json!("soon"), "no span of time"),
            ("retry.retries", json!(-1), "invalid value"),
            ("retry.jitter", json!(101), "0 to 100"),
            ("model.wait", json!("25h"), "at most 24h"),
            ("model.wait", json!(10), "invalid type"),
            ("model.patience", json!("10m"), "there is: wait"),
            ("breaker.rate", json!(101), "0 to 100"),
            ("breaker.when_open", json!("explode"), "unknown variant"),
            ("routing.decay", json!(0.5), "0.85"),
            (
                "loops.window",
                json!(961),
                "loops.window: 961 is not between 6 and 960",
            ),
            ("loops.widnow", json!(9), "there is: enabled"),
            ("loops.muted", json!(["all"]), "unknown variant"),
            ("loops.substitutes.a", json!("a"), "cannot replace itself"),
            ("loops.substitutes.a", json!(["b", "a"]), "cannot replace itself"),
            ("loops.substitutes.a", json!([]), "names no other tool"),
            (
                "loops.substitutes.a",
                json!(1),
                "a name of a tool, or a list of names",
            ),
            ("loops.substitutes.a.b", json!("c"), "unknown; it is no setting"),
            (
                "errors.patterns",
                json!([{"matches": "(", "class": "auth"}]),
                "unclosed group",
            ),
            (
                "errors.patterns",
                json!([{"matches": "a", "class": "odd"}]),
                "unknown variant",
            ),
            ("", json!({}), "unknown"),
        ] {
            let bad = policy.with(key, value).unwrap_err();
            assert!(bad.to_string().contains(words), "{key}: {bad}");
        }
    }

    #[test]
    fn spans_are_written_as_they_are_read() {
        for text in ["0s", "200ms", "10s", "5m", "1h", "90s"] {
            let ms: Ms = serde_json::from_value(json!(text)).unwrap();
            assert_eq!(ms.to_string(), text);
        }
        for bad in ["", "10", "s", "1 d", "99999999999999999999s"] {
            assert!(serde_json::from_value::<Ms>(json!(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_value_has_a_line() {
        let words = Policy::default().entries();
        assert!(
            words.contains(&("retry.first".into(), "200ms".into())),
            "{words:?}"
        );
        assert!(words.contains(&("breaker.consecutive".into(), "5".into())));
    }
}
