//! Stores what the sessions of a workspace learned, one small file for each workspace.
//!
//! Must not know: what was learned.
//!
//! The newest session that writes counts. All of it follows from the journals: a lost file costs a
//! run its start, nothing else.

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dirs;
use super::error::{Error, shown};
use overrule_base::canon::hash;
use overrule_domain::weight::Learned;
use overrule_regular_file as regular_file;

/// Maximum size of a file in bytes.
const LONGEST: u64 = 16 << 20;
/// The version of the format that this program reads and writes.
const VERSION: u32 = 1;

/// What the sessions of a workspace learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedFile {
    version: u32,
    /// True if the session omitted its starting values because they were reset.
    #[serde(default)]
    pub alone: bool,
    /// The workspace.
    pub workspace: String,
    /// The session that wrote it.
    pub session: String,
    /// What was learned.
    pub learned: Learned,
}

/// A directory of what sessions learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedFiles {
    dir: PathBuf,
}

impl LearnedFiles {
    /// Opens a directory, which need not exist.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns what earlier sessions of a workspace learned, or `None` if nothing is stored.
    pub fn read(&self, workspace: &Path) -> Result<Option<LearnedFile>, Error> {
        let path = self.path_of(workspace);
        let fail = |error| Error::io("read what earlier sessions learned", &path, error);
        let text = match regular_file::read_text(&path, LONGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let invalid = |why: String| fail(std::io::Error::new(std::io::ErrorKind::InvalidData, why));
        let stored: LearnedFile = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if stored.version != VERSION {
            let why = format!(
                "it has version {}, and this program reads version {VERSION}",
                stored.version
            );
            return Err(invalid(why));
        }
        Ok(Some(stored))
    }

    /// Replaces the stored data of a workspace atomically.
    pub fn replace(
        &self,
        workspace: &Path,
        (session, alone): (&str, bool),
        learned: Learned,
    ) -> Result<(), Error> {
        let path = self.path_of(workspace);
        let fail = |error| Error::io("store what this session learned", &path, error);
        let stored = LearnedFile {
            version: VERSION,
            alone,
            workspace: shown(workspace),
            session: session.to_owned(),
            learned,
        };
        let text = serde_json::to_string(&stored).map_err(|error| fail(error.into()))?;
        dirs::make_dirs(&self.dir).map_err(fail)?;
        // Two sessions may end at the same time.
        let draft = path.with_extension(format!("{}.part", std::process::id()));
        let written = regular_file::rewrite(&draft)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| std::fs::rename(&draft, &path));
        written.map_err(|error| {
            // If it stays, it is only in the way.
            std::fs::remove_file(&draft).unwrap_or_default();
            fail(error)
        })
    }

    /// Removes the stored data of a workspace. Returns false if there was none.
    pub fn remove(&self, workspace: &Path) -> Result<bool, Error> {
        let path = self.path_of(workspace);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("remove what earlier sessions learned", &path, error)),
        }
    }

    fn path_of(&self, workspace: &Path) -> PathBuf {
        let name = hash("workspace", &[workspace.as_os_str().as_bytes()]);
        self.dir.join(name).with_extension("json")
    }
}
