//! Tests the settings: layers, limits of a workspace, errors of faulty files.
//!
//! Must not know: the environment of the machine that runs the tests.

mod bad;
mod files;
mod keys;
mod layering;
mod loops;
mod models;
mod sandbox;
mod tags;
mod templates;
mod workspace;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Env, Error, Flags, Settings, Trust, load};

/// A home with a settings directory, and a workspace.
struct World {
    root: TempDir,
    env: Env,
    flags: Flags,
    trust: Trust,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| Some(root.path().join(name));
        let env = Env {
            home: path("home"),
            config_dir: path("home/.config"),
            data_dir: path("home/.local/share"),
            ..Env::default()
        };
        fs::create_dir_all(root.path().join("home/.config/overrule")).unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        Self {
            root,
            env,
            flags: Flags::default(),
            trust: Trust::No,
        }
    }

    fn user_file(&self) -> PathBuf {
        self.root.path().join("home/.config/overrule/config.toml")
    }

    fn workspace(&self) -> PathBuf {
        self.root.path().join("work")
    }

    fn workspace_file(&self) -> PathBuf {
        self.workspace().join("overrule.toml")
    }

    fn user(self, text: &str) -> Self {
        fs::write(self.user_file(), text).unwrap();
        self
    }

    fn theirs(self, text: &str) -> Self {
        fs::write(self.workspace_file(), text).unwrap();
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Env, &mut Flags)) -> Self {
        change(&mut self.env, &mut self.flags);
        self
    }

    fn trusted(mut self) -> Self {
        self.trust = Trust::Yes;
        self
    }

    fn load(&self) -> Settings {
        self.try_load().unwrap()
    }

    fn try_load(&self) -> Result<Settings, Error> {
        load(&self.env, &self.flags, &self.workspace(), self.trust)
    }

    /// Returns the error message, without the root of this world.
    fn fault(&self) -> String {
        self.short(&self.try_load().unwrap_err().to_string())
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.root.path().display()), "")
    }

    fn notices(&self) -> Vec<String> {
        self.load()
            .notices
            .iter()
            .map(|notice| self.short(&notice.0))
            .collect()
    }

    fn why(&self, key: &str) -> String {
        let why = self.load().why();
        let line = why.into_iter().find(|line| line.key == key).unwrap();
        self.short(&format!("{} by {}", line.value, line.origin))
    }
}

fn everything_below(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(everything_below(&path));
        } else if path.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
