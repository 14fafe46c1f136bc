//! Notices what an agent changed of what starts programs later: its settings, and protected paths of the workspace.
//!
//! Must not know: how the agent is confined.
//!
//! Nothing is undone: the operator may have made the change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use overrule_base::text::visible;
use overrule_proxy::agents::Agent;
use overrule_sandbox::protected::Protected;

/// What starts programs later: the settings of the agent, and the protected paths of the workspace.
pub(super) struct Watched {
    agent: &'static Agent,
    home: PathBuf,
    workspace: PathBuf,
    before: BTreeMap<String, String>,
}

impl Watched {
    /// Notes what is there now.
    pub(super) fn now(agent: &'static Agent, home: &Path, workspace: &Path) -> Self {
        let mut watched = Self {
            agent,
            home: home.to_owned(),
            workspace: workspace.to_owned(),
            before: BTreeMap::new(),
        };
        watched.before = watched.found();
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

    /// Returns what was changed since, a sentence each.
    pub(super) fn changed(&self) -> Vec<String> {
        let now = self.found();
        let names: BTreeSet<&String> = self.before.keys().chain(now.keys()).collect();
        let is_other = |name: &&String| self.before.get(*name) != now.get(*name);
        let changed = names.into_iter().filter(is_other);
        changed
            .map(|name| {
                format!("{name} changed while the agent ran: it may start programs later; look at it")
            })
            .collect()
    }
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
