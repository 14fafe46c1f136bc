//! Collected edits as a file beside the session, so that a crash loses none of them.
//!
//! Written whenever they change, removed with the last of them. Must not know: what an edit does, who
//! reads the file back.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::console::model::collected::Collected;
use crate::domain::id::NodeId;
use crate::domain::state::State;
use crate::regular_file;

/// The nodes that the edits in a file of them touch: nothing that hangs on these may start before the console has the
/// edits again. A file that cannot be read is set aside.
pub fn held_by(path: &Path, state: &State) -> Result<Vec<NodeId>, String> {
    let drafts = Drafts::new(Some(path.to_path_buf()));
    let Some(draft) = drafts.read() else {
        return Ok(Vec::new());
    };
    let collected = draft.and_then(|text| Collected::from_draft(&text));
    if collected.is_err() {
        drafts.set_aside();
    }
    collected.map(|collected| collected.nodes(state))
}

/// What is kept in a file of collected edits, as its text; none where there is nothing.
pub fn kept(path: &Path) -> Option<Result<String, String>> {
    Drafts::new(Some(path.to_path_buf())).read()
}

/// Puts collected edits in the place of those that were read, or takes the file away where none are left. False
/// where the file says something else by now: somebody took it up, and it is theirs.
pub fn keep_instead(path: &Path, read: &str, left: &Collected) -> Result<bool, String> {
    if kept(path) != Some(Ok(read.to_owned())) {
        return Ok(false);
    }
    let mut drafts = Drafts::new(Some(path.to_path_buf()));
    // Nothing was written by these yet: any other stamp writes.
    drafts.keep(1, || left.draft())?;
    Ok(true)
}

/// Longest file that is read.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The file, and what was written of the collected edits.
#[derive(Debug)]
pub(super) struct Drafts {
    path: Option<PathBuf>,
    /// The state of the collected edits that is in the file.
    written: u64,
    /// True where they could not be written as they are now.
    failed: bool,
}

impl Drafts {
    /// Drafts in this file; none are kept where there is no place for it.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self {
            path,
            written: 0,
            failed: false,
        }
    }

    /// What was left by an earlier console; none where there is nothing.
    pub fn read(&self) -> Option<Result<String, String>> {
        let path = self.path.as_ref()?;
        let fail = |error: io::Error| format!("failed to read {}: {error}", path.display());
        match regular_file::read_text(path, LIMIT) {
            Ok(text) => Some(Ok(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(fail(error))),
        }
    }

    /// Puts what cannot be read out of the way of the next draft.
    pub fn set_aside(&self) {
        if let Some(path) = &self.path {
            // Where that fails the next draft takes its place: nothing of it could be used.
            let _ = fs::rename(path, path.with_extension("json.unreadable"));
        }
    }

    /// True where the collected edits are in the file as they were given last.
    pub fn are_kept(&self) -> bool {
        self.path.is_some() && !self.failed
    }

    /// Keeps the collected edits as they are now; `stamp` changes when they do.
    pub fn keep(&mut self, stamp: u64, draft: impl FnOnce() -> Option<String>) -> Result<(), String> {
        let Some(path) = self.path.as_ref().filter(|_| stamp != self.written) else {
            return Ok(());
        };
        self.written = stamp;
        let done = match draft() {
            Some(text) => replace(path, &text),
            None => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        };
        self.failed = done.is_err();
        done.map_err(|error| {
            format!(
                "the collected edits are not kept in {}: {error}; a crash would lose them",
                path.display()
            )
        })
    }
}

/// Writes a file so that a crash leaves the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("json.new");
    let mut file = regular_file::rewrite(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_goes_with_the_last_edit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        let mut drafts = Drafts::new(Some(path.clone()));
        assert_eq!(drafts.read(), None);
        drafts.keep(1, || Some("one".to_owned())).unwrap();
        drafts.keep(1, || panic!("nothing changed")).unwrap();
        drafts.keep(2, || Some("two".to_owned())).unwrap();
        assert_eq!(Drafts::new(Some(path.clone())).read(), Some(Ok("two".to_owned())));
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drafts.keep(3, || None).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn where_it_cannot_be_kept_that_is_said_once() {
        let mut drafts = Drafts::new(Some(PathBuf::from("/nowhere/at/all/draft.json")));
        assert!(
            drafts
                .keep(1, || Some("x".to_owned()))
                .unwrap_err()
                .contains("not kept")
        );
        assert_eq!(drafts.keep(1, || Some("x".to_owned())), Ok(()));
        assert!(!drafts.are_kept(), "nothing was written meanwhile");
        // There is nothing left that could be lost.
        let dir = tempfile::tempdir().unwrap();
        let mut drafts = Drafts::new(Some(dir.path().join("a").join("draft.json")));
        assert!(drafts.are_kept());
        assert!(drafts.keep(1, || Some("x".to_owned())).is_err() && !drafts.are_kept());
        assert_eq!(drafts.keep(2, || None), Ok(()));
        assert!(drafts.are_kept());
        assert_eq!(Drafts::new(None).keep(1, || Some("x".to_owned())), Ok(()));
    }

    #[test]
    fn what_cannot_be_read_is_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        fs::create_dir(&path).unwrap();
        let drafts = Drafts::new(Some(path.clone()));
        assert!(drafts.read().unwrap().is_err());
        drafts.set_aside();
        assert_eq!(drafts.read(), None);
    }
}
