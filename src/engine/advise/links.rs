//! Follows the links of paths, each path once.
//!
//! Must not know: rules, who asks.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use overrule_tools::workspace;

/// Follows the links of paths during one evaluation: each path once, so that all rules see the same places.
#[derive(Default)]
pub(super) struct FollowedLinks(RefCell<BTreeMap<PathBuf, PathBuf>>);

impl FollowedLinks {
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        let known = self.0.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            let real = workspace::real(path);
            self.0.borrow_mut().insert(path.to_owned(), real.clone());
            real
        })
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
