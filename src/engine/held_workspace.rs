//! Holds the directory that the tools work in, and notices if another one gets its name.
//!
//! Must not know: tools, calls.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::reader::{LATE, Reader};
use overrule_regular_file as regular_file;

/// The workspace of a process, opened once: while it is held, its number is given to no other directory.
pub struct HeldWorkspace {
    /// The path, without links.
    pub path: Arc<PathBuf>,
    /// None if it could not be opened: then the tools say why.
    held: Option<Arc<File>>,
    /// What the first launch of a batch found, an error if nothing may start; none before it.
    found: Option<Result<(), String>>,
}

impl HeldWorkspace {
    /// Opens the directory.
    pub fn open(path: Arc<PathBuf>) -> Self {
        let held = regular_file::open_dir(&path).ok().map(Arc::new);
        Self {
            path,
            held,
            found: None,
        }
    }

    /// Begins a batch of launches: the first of them looks again.
    pub fn begin_batch(&mut self) {
        self.found = None;
    }

    /// Returns what [`Self::is_replaced`] found for the first launch of the batch.
    pub fn is_replaced_in_batch(&mut self, reader: &Reader) -> Option<String> {
        if self.found.is_none() {
            self.found = Some(self.is_replaced(reader).map_or(Ok(()), Err));
        }
        self.found.clone().and_then(Result::err)
    }

    /// Returns why nothing may start: the path leads to another directory than at the beginning, or to none.
    pub fn is_replaced(&self, reader: &Reader) -> Option<String> {
        let (held, path) = (Arc::clone(self.held.as_ref()?), Arc::clone(&self.path));
        let is_same = reader.read(("", ""), move || {
            let id = |about: Metadata| (about.dev(), about.ino());
            let held = held.metadata().ok().map(id);
            held.is_none() || path.metadata().ok().map(id) == held
        });
        let Some(is_same) = is_same else {
            return Some(format!("the workspace {} {LATE}", self.path.display()));
        };
        (!is_same).then(|| {
            format!(
                "the workspace {} is not the directory that it was when the run began: it was moved or replaced. Nothing \
                 starts in it; end the run and resume it there, with --workspace if it has another name",
                self.path.display()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn another_directory_with_its_name_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let (work, old) = (root.path().join("work"), root.path().join("old"));
        fs::create_dir(&work).unwrap();
        let held = HeldWorkspace::open(Arc::new(work.clone()));
        assert_eq!(held.is_replaced(&Reader::default()), None);
        fs::write(work.join("a"), "a").unwrap();
        assert_eq!(
            held.is_replaced(&Reader::default()),
            None,
            "what is in it may change"
        );
        fs::rename(&work, &old).unwrap();
        assert!(
            held.is_replaced(&Reader::default())
                .unwrap()
                .contains("moved or replaced")
        );
        fs::create_dir(&work).unwrap();
        assert!(held.is_replaced(&Reader::default()).is_some());
        fs::remove_dir(&work).unwrap();
        std::os::unix::fs::symlink(root.path(), &work).unwrap();
        assert!(held.is_replaced(&Reader::default()).is_some());
        fs::remove_file(&work).unwrap();
        std::os::unix::fs::symlink(&old, &work).unwrap();
        assert_eq!(held.is_replaced(&Reader::default()), None, "it is the same one");
    }

    #[test]
    fn each_batch_of_launches_looks_once() {
        let root = tempfile::tempdir().unwrap();
        let (work, old) = (root.path().join("work"), root.path().join("old"));
        fs::create_dir(&work).unwrap();
        let mut held = HeldWorkspace::open(Arc::new(work.clone()));
        let reader = Reader::default();
        assert_eq!(held.is_replaced_in_batch(&reader), None);
        fs::rename(&work, &old).unwrap();
        assert_eq!(held.is_replaced_in_batch(&reader), None, "they begin together");
        held.begin_batch();
        assert!(held.is_replaced_in_batch(&reader).is_some());
        fs::rename(&old, &work).unwrap();
        assert!(
            held.is_replaced_in_batch(&reader).is_some(),
            "none of them starts"
        );
        held.begin_batch();
        assert_eq!(held.is_replaced_in_batch(&reader), None);
    }

    #[test]
    fn a_workspace_that_was_never_there_is_left_to_the_tools() {
        let root = tempfile::tempdir().unwrap();
        let held = HeldWorkspace::open(Arc::new(root.path().join("missing")));
        assert_eq!(held.is_replaced(&Reader::default()), None);
    }
}
