//! Defines what the helper is told: the profile, and the places on this machine that carry it out.
//!
//! Must not know: how a kernel confines.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use overrule_domain::sandbox::{Level, Profile};

/// The directory that holds everything of the sandboxes, below the data directory of the program.
pub const DIRECTORY: &str = "sandbox";

/// How one child is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What is promised.
    pub profile: Profile,
    /// False where the helper makes no namespaces, because the system refuses them.
    pub namespaces: bool,
    /// The workspace, resolved.
    pub workspace: PathBuf,
    /// The private directory of the session, which exists: `tmp`, `var-tmp` and `cover` lie in it.
    pub scratch: PathBuf,
    /// Directories that are read and written through a private layer.
    pub caches: Vec<Cache>,
    /// The home directory, resolved.
    pub home: Option<PathBuf>,
    /// True where the child keeps the terminal of its parent.
    pub keeps_terminal: bool,
}

/// A directory of a cache: reads reach it, writes go to a private directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// The real one.
    pub lower: PathBuf,
    /// Where writes go.
    pub upper: PathBuf,
    /// An empty directory beside `upper`, for the kernel.
    pub work: PathBuf,
}

impl Plan {
    /// Returns the temporary directory of the session.
    pub fn temporary(&self) -> PathBuf {
        self.scratch.join("tmp")
    }

    /// Returns the directories that a child may write, the workspace first.
    pub fn writable(&self) -> Vec<&Path> {
        match self.profile.level {
            Level::Scratch => Vec::new(),
            _ => self.profile.write.iter().map(Path::new).collect(),
        }
    }

    /// Returns the paths that a child cannot read.
    pub fn hidden(&self) -> impl Iterator<Item = &Path> {
        self.profile.hidden.iter().map(Path::new)
    }
}
