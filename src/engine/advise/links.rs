//! Follows the links of paths, each path once.
//!
//! Must not know: rules, who asks.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::reader::Reader;
use overrule_tools::workspace;

/// Follows the links of paths during one evaluation of a call: each path once, so that all rules see the same places.
pub(super) struct FollowedLinks<'a> {
    reader: &'a Reader,
    /// The call: its tool and its arguments.
    call: (&'a str, &'a str),
    known: RefCell<BTreeMap<PathBuf, PathBuf>>,
    is_late: Cell<bool>,
}

impl<'a> FollowedLinks<'a> {
    pub(super) fn of(reader: &'a Reader, call: (&'a str, &'a str)) -> Self {
        Self {
            reader,
            call,
            known: RefCell::default(),
            is_late: Cell::new(false),
        }
    }

    /// The path without links. One that cannot be read in time stays as it is, see [`Self::is_late`].
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        let known = self.known.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            let given = path.to_owned();
            let real = self
                .read(move || workspace::real(&given))
                .unwrap_or_else(|| path.to_owned());
            self.known.borrow_mut().insert(path.to_owned(), real.clone());
            real
        })
    }

    /// Reads something else for the call.
    pub(super) fn read<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let found = self.reader.read(self.call, job);
        self.is_late.set(self.is_late.get() || found.is_none());
        found
    }

    /// True if something could not be read in time.
    pub(super) fn is_late(&self) -> bool {
        self.is_late.get()
    }
}

/// Follows the links of the paths of a walk, which comes to a directory before what is in it. So each path costs one
/// look, not one for each directory above it.
#[derive(Default)]
pub(super) struct WalkedLinks(pub(super) Mutex<HashMap<PathBuf, PathBuf>>);

impl WalkedLinks {
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return workspace::real(path);
        };
        let Some(there) = path.symlink_metadata().ok().filter(|there| !there.is_symlink()) else {
            return workspace::real(path);
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = known
            .entry(parent.to_owned())
            .or_insert_with(|| workspace::real(parent));
        let real = parent.join(name);
        if there.is_dir() {
            known.insert(path.to_owned(), real.clone());
        }
        real
    }
}
