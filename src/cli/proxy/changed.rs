//! Notices what an agent changed of what starts programs later: its settings, and protected paths of the workspace.
//!
//! Must not know: how the agent is confined.
//!
//! Nothing is undone: the operator may have made the change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use overrule_base::text::visible;
use overrule_proxy::agents::Agent;
use overrule_sandbox::protected::Protected;

/// What starts programs later: the settings of the agent, and the protected paths of the workspace.
pub(super) struct Watched {
    agent: &'static Agent,
    home: PathBuf,
    workspace: PathBuf,
    before: BTreeMap<String, String>,
    /// What was there when it was looked at last.
    last: Mutex<BTreeMap<String, String>>,
}

impl Watched {
    /// Notes what is there now.
    pub(super) fn now(agent: &'static Agent, home: &Path, workspace: &Path) -> Self {
        let mut watched = Self {
            agent,
            home: home.to_owned(),
            workspace: workspace.to_owned(),
            before: BTreeMap::new(),
            last: Mutex::default(),
        };
        watched.before = watched.found();
        watched.last = Mutex::new(watched.before.clone());
        watched
    }

    /// What is there, by its name for people, with a text that differs once it changed.
    fn found(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let settings = self.agent.home.existing_settings(&self.home);
        for path in settings
            .into_iter()
            .chain(Protected::find(&self.workspace).existing())
        {
            found.insert(visible(&path.to_string_lossy()), mark(&path, 0));
        }
        for (place, members) in self.agent.home.rewritten {
            let path = self.home.join(place);
            let read = overrule_regular_file::read(&path, MOST).map_err(|error| error.to_string());
            let value = read.and_then(|text| {
                serde_json::from_slice::<serde_json::Value>(&text).map_err(|error| error.to_string())
            });
            for name in *members {
                let mut all = Vec::new();
                match &value {
                    Ok(value) => members_of(value, name, &mut all),
                    // One that cannot be read is another one than before.
                    Err(error) => all.push(error.clone()),
                }
                let of = format!("`{name}` in {}", visible(&path.to_string_lossy()));
                found.insert(of, all.join("\n"));
            }
        }
        found
    }

    /// Returns what was changed since the agent began, a sentence each.
    pub(super) fn changed(&self) -> Vec<String> {
        differences(&self.before, &self.found())
    }

    /// Returns what was changed since this was asked last, a sentence each.
    pub(super) fn news(&self) -> Vec<String> {
        // Two that ask at once do not report the same.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.found();
        let news = differences(&last, &now);
        *last = now;
        news
    }
}

fn differences(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let is_other = |name: &&String| before.get(*name) != now.get(*name);
    let changed = names.into_iter().filter(is_other);
    changed
        .map(|name| format!("{name} changed while the agent ran: it may start programs later; look at it"))
        .collect()
}

/// Bytes of a file whose members are looked at.
const MOST: u64 = 64 << 20;
/// How deep directories of settings are looked at.
const DEPTH: u8 = 4;

/// A text that differs once a file, or anything in a directory, changed.
fn mark(path: &Path, depth: u8) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(about) = path.symlink_metadata() else {
        return String::new();
    };
    if !about.is_dir() {
        let (changed, part) = (about.ctime(), about.ctime_nsec());
        return format!("{} {} {changed} {part}", about.ino(), about.size());
    }
    if depth == DEPTH {
        return String::new();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut all: Vec<String> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            format!("{name}: {}", mark(&entry.path(), depth + 1))
        })
        .collect();
    all.sort();
    all.join("\n")
}

/// Collects the members of this name that are not empty, at any depth: of the whole, and of each project.
fn members_of(value: &serde_json::Value, name: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (key, value) in members {
                let is_empty = value.as_object().is_some_and(serde_json::Map::is_empty)
                    || value.as_array().is_some_and(Vec::is_empty);
                if key == name && !is_empty {
                    found.push(value.to_string());
                }
                members_of(value, name, found);
            }
        }
        serde_json::Value::Array(values) => {
            for value in values {
                members_of(value, name, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_news_once_and_stays_a_change() {
        let home = tempfile::tempdir().unwrap();
        let workspace = tempfile::tempdir().unwrap();
        let agent = overrule_proxy::agents::AGENTS.first().unwrap();
        let watched = Watched::now(agent, home.path(), workspace.path());
        assert!(watched.news().is_empty() && watched.changed().is_empty());
        std::fs::write(workspace.path().join(".mcp.json"), "{}").unwrap();
        let news = watched.news();
        assert!(
            news.len() == 1 && news[0].contains(".mcp.json changed while the agent ran"),
            "{news:?}"
        );
        assert!(watched.news().is_empty());
        std::fs::remove_file(workspace.path().join(".mcp.json")).unwrap();
        assert_eq!(watched.news().len(), 1);
        assert!(watched.changed().is_empty(), "it is as it was");
    }
}
