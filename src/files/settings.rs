//! The limits of what is tracked and saved.
//!
//! Must not know: where they are written.

use std::path::PathBuf;
use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// The names of directories that a build or an installation makes again, if they are ignored.
const REBUILDABLE: [&str; 27] = [
    ".cache",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "_build",
    "bower_components",
    "build",
    "coverage",
    "deps",
    "dist",
    "node_modules",
    "obj",
    "out",
    "target",
    "venv",
];

/// What is tracked and saved, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The most bytes of a file whose content is saved.
    pub max_file: u64,
    /// The most bytes that one run saves.
    pub max_session: u64,
    /// The most bytes of the contents of all workspaces together.
    pub max_store: u64,
    /// The most files of a workspace; above, only the paths that file tools name are tracked.
    pub max_files: usize,
    /// How many days after the last event of a session its contents are retained.
    pub keep_days: u32,
    /// How long a scan may take.
    pub scan: Duration,
    /// Patterns of ignored directories that are tracked all the same, as in `.gitignore`.
    pub include: Vec<String>,
    /// Patterns of paths that are not tracked, as in `.gitignore`.
    pub exclude: Vec<String>,
    /// Further names of directories that are made again by a build: if they are ignored, nothing in them is saved.
    pub rebuildable: Vec<String>,
    /// The operator's home directory: neither it nor a parent of it is tracked.
    pub home: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_file: 8 * MIB,
            max_session: 512 * MIB,
            max_store: 2048 * MIB,
            max_files: 200_000,
            keep_days: 30,
            scan: Duration::from_secs(2),
            include: Vec::new(),
            exclude: Vec::new(),
            rebuildable: Vec::new(),
            home: None,
        }
    }
}

impl Settings {
    /// Returns true for the name of a directory that is made again by a build.
    pub(crate) fn is_rebuildable(&self, name: &[u8]) -> bool {
        let own = REBUILDABLE.iter().any(|one| one.as_bytes() == name);
        own || self.rebuildable.iter().any(|one| one.as_bytes() == name)
    }
}
