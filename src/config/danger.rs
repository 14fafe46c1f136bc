//! Reads `[danger]`: the table of what marks a call as dangerous.
//!
//! Must not know: how a call is matched, how a mark is shown.
//!
//! A list of your own file replaces the built-in one. A workspace can only add to it.

use serde::{Deserialize, Deserializer};
use toml::Value;

use super::layers::Files;
use super::settings::{Origin, Setting, Why};
use overrule_base::document::{Field, parsed, wrong};
use overrule_base::text::visible;
use overrule_policy::{Danger, DangerKind};

/// Maximum length of an entry in characters.
const LONGEST: usize = 200;
/// What a list holds.
const ENTRIES: &str = "a list of programs with words, or tools, such as [\"rm\", \"git push --force\"]";

/// The contents of `[danger]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawDanger {
    #[serde(deserialize_with = "entries")]
    deletes: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    overwrites: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    network: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    outside: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    privilege: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    stops: Field<Vec<String>>,
    #[serde(deserialize_with = "entries")]
    runs_later: Field<Vec<String>>,
}

impl RawDanger {
    fn take(self) -> [(DangerKind, Field<Vec<String>>); 7] {
        [
            (DangerKind::Deletes, self.deletes),
            (DangerKind::Overwrites, self.overwrites),
            (DangerKind::Network, self.network),
            (DangerKind::Outside, self.outside),
            (DangerKind::Privilege, self.privilege),
            (DangerKind::Stops, self.stops),
            (DangerKind::RunsLater, self.runs_later),
        ]
    }
}

/// The table in force, and where each list came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DangerSettings {
    /// The table.
    pub table: Danger,
    /// The files that set or extended a list, the last one last.
    origins: Vec<(DangerKind, Origin)>,
}

fn entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<String>>, D::Error> {
    parsed(deserializer, |value| {
        let Value::Array(list) = value else {
            return Err(wrong(value.type_str(), ENTRIES));
        };
        list.iter().map(entry).collect()
    })
}

fn entry(value: &Value) -> Result<String, String> {
    let text = value.as_str().ok_or_else(|| wrong(value.type_str(), ENTRIES))?;
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() || text.chars().count() > LONGEST {
        return Err(format!("an entry has 1 to {LONGEST} characters"));
    }
    Ok(words.join(" "))
}

/// Resolves the table.
pub(super) fn weigh(files: &Files, mine: RawDanger, theirs: RawDanger) -> DangerSettings {
    let mut found = DangerSettings::default();
    for (kind, given) in mine.take() {
        if let Some(Setting { value, origin }) = files.user(given) {
            found.table.set(kind, value);
            found.origins.push((kind, origin));
        }
    }
    for (kind, given) in theirs.take() {
        if let Some(Setting { value, origin }) = files.workspace(given) {
            found.table.add(kind, value);
            found.origins.push((kind, origin));
        }
    }
    found
}

impl DangerSettings {
    /// Explains each list with its entries and origins.
    pub(super) fn why(&self) -> Vec<Why> {
        let line = |kind: DangerKind| {
            let entries = self.table.entries(kind).iter().map(|one| visible(one));
            let origins = self.origins.iter().filter(|(one, _)| *one == kind);
            Why::of_list(
                format!("danger.{}", kind.key()),
                entries,
                origins.map(|(_, origin)| origin),
            )
        };
        DangerKind::ALL.into_iter().map(line).collect()
    }
}
