//! What an agent needs to work in a sandbox: its own state, its log-in, and what it must not change of itself.
//!
//! Must not know: how a process is confined.

use std::fs;
use std::path::{Path, PathBuf};

/// What an agent keeps, below the home directory.
#[derive(Debug, Clone, Copy)]
pub struct Home {
    /// Directories that it writes. Those that are missing are made.
    pub directories: &'static [&'static str],
    /// Directories that must be there, though it does not write them: private layers lie over caches.
    pub present: &'static [&'static str],
    /// Files that it writes besides, each with the content of an empty one. Those that are missing are made.
    pub files: &'static [(&'static str, &'static str)],
    /// Files with its log-in, which are hidden from every other command.
    pub log_in: &'static [&'static str],
    /// Its settings, hooks and instructions, which it cannot change in the sandbox. A `*` stands for any part of the last
    /// name.
    pub settings: &'static [&'static str],
    /// Files with settings that it writes itself, and the members that start programs.
    pub rewritten: &'static [(&'static str, &'static [&'static str])],
    /// Variables that switch its own sandbox off: one cannot be made in another one.
    pub no_sandbox: &'static [(&'static str, &'static str)],
    /// Arguments that do so, before its own.
    pub no_sandbox_arguments: &'static [&'static str],
}

impl Home {
    /// Returns the existing settings below a home directory, sorted.
    pub fn existing_settings(&self, home: &Path) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = self
            .settings
            .iter()
            .flat_map(|place| matching(&home.join(place)))
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// Returns the existing files of the log-in below a home directory.
    pub fn existing_log_in(&self, home: &Path) -> Vec<PathBuf> {
        let files = self.log_in.iter().map(|place| home.join(place));
        files.filter(|path| path.exists()).collect()
    }
}

fn matching(path: &Path) -> Vec<PathBuf> {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let Some((start, end)) = name.split_once('*') else {
        return if path.exists() {
            vec![path.to_owned()]
        } else {
            Vec::new()
        };
    };
    let entries = path.parent().and_then(|parent| fs::read_dir(parent).ok());
    let entries = entries.into_iter().flatten().flatten();
    let is_like =
        |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    let entries = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_like));
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{AGENTS, named};

    #[test]
    fn settings_and_log_ins_lie_in_what_an_agent_writes_or_where_nothing_is_written() {
        for agent in AGENTS {
            let home = agent.home;
            assert!(!home.directories.is_empty(), "{}", agent.program);
            let all = home
                .directories
                .iter()
                .chain(home.present)
                .chain(home.log_in)
                .chain(home.settings)
                .chain(home.files.iter().map(|(file, _)| file))
                .chain(home.rewritten.iter().map(|(file, _)| file));
            for place in all {
                assert!(place.starts_with('.') && !place.contains(".."), "{place}");
            }
            for (file, _) in home.rewritten {
                assert!(
                    home.files.iter().any(|(one, _)| one == file),
                    "{file} cannot be written"
                );
                assert!(!home.settings.contains(file), "{file} is read only");
            }
            // No directory that is written is a setting as a whole.
            assert!(home.directories.iter().all(|one| !home.settings.contains(one)));
        }
    }

    #[test]
    fn existing_settings_are_found_by_their_pattern() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at(".claude/hooks")).unwrap();
        for name in [
            "settings.json",
            "settings.local.json",
            "history.jsonl",
            "settings",
        ] {
            fs::write(at(".claude").join(name), "{}").unwrap();
        }
        let claude = named("claude").unwrap().home;
        assert_eq!(
            claude.existing_settings(home.path()),
            [
                ".claude/hooks",
                ".claude/settings.json",
                ".claude/settings.local.json"
            ]
            .map(at)
        );
        assert!(claude.existing_log_in(home.path()).is_empty());
    }
}
