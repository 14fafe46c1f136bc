//! Walks the files of a workspace in a fixed order, without ignored, hidden and linked files.
//!
//! Must not know: what is done with them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::{DirEntry, WalkBuilder};
use serde_json::{Map, Value};

use super::ignored::Ignored;
use crate::tool::Withheld;
use crate::workspace::{Place, Workspace};
use overrule_domain::advice::Extent;

/// An entry that a walk found.
pub(super) struct Step {
    /// Its path, relative to the workspace.
    pub(super) path: PathBuf,
    pub(super) is_dir: bool,
    pub(super) is_file: bool,
    /// True for a directory that a rule keeps from the call, and not what is below it.
    pub(super) is_withheld: bool,
}

/// The entries that a walk left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    ignored: AtomicU64,
    by_rule: AtomicU64,
}

impl LeftOut {
    /// The number of hidden and ignored entries, without what is below them.
    fn ignored(&self) -> u64 {
        self.ignored.load(Ordering::Relaxed)
    }

    /// The number of places that a rule keeps from the call.
    fn by_rule(&self) -> u64 {
        self.by_rule.load(Ordering::Relaxed)
    }

    /// Counts a place that a rule keeps from the call.
    pub(super) fn count_by_rule(&self) {
        self.by_rule.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds to an answer and its metadata what was left out, as far as a reader must know.
    pub(super) fn tell(&self, is_empty: bool, lines: &mut Vec<String>, meta: &mut Value) {
        let (by_rule, ignored) = (self.by_rule_line(), self.ignored_line().filter(|_| is_empty));
        let mut told = Map::new();
        if by_rule.is_some() {
            told.insert("by_rule".to_owned(), self.by_rule().into());
        }
        if ignored.is_some() {
            told.insert("hidden_or_ignored".to_owned(), self.ignored().into());
        }
        if let Some(members) = meta.as_object_mut().filter(|_| !told.is_empty()) {
            members.insert("left_out".to_owned(), told.into());
        }
        lines.extend(ignored);
        lines.extend(by_rule);
    }

    /// Says how many places rules keep from the call; nothing if there are none.
    fn by_rule_line(&self) -> Option<String> {
        match self.by_rule() {
            0 => None,
            1 => Some("[… 1 place left out by a rule …]".to_owned()),
            many => Some(format!("[… {many} places left out by rules …]")),
        }
    }

    /// Says why an answer is empty if everything was hidden or ignored.
    fn ignored_line(&self) -> Option<String> {
        match self.ignored() {
            0 => None,
            1 => Some("[… 1 hidden or ignored entry left out, nothing else found …]".to_owned()),
            many => Some(format!(
                "[… {many} hidden or ignored entries left out, nothing else found …]"
            )),
        }
    }
}

/// What a walk leaves out, and the count of it.
#[derive(Clone)]
struct Limits {
    /// The place that was named.
    start: PathBuf,
    root: PathBuf,
    private: Vec<PathBuf>,
    withheld: Withheld,
    left_out: Arc<LeftOut>,
}

/// Iterates over everything below a place, but not the place itself, down to a depth. `None` stands for an
/// unreadable entry.
///
/// The walk begins at the workspace so that its ignore files apply. A place that they ignore is walked all
/// the same if it was named.
pub(super) fn below(
    workspace: &Arc<Workspace>,
    place: &Place,
    depth: Option<usize>,
    (withheld, left_out): (&Withheld, &Arc<LeftOut>),
) -> impl Iterator<Item = Option<Step>> + use<> {
    let root = workspace.root().to_owned();
    let start = root.join(&place.path);
    let level = place.path.components().count();
    let limits = Limits {
        start: start.clone(),
        root: root.clone(),
        private: workspace.private().to_vec(),
        withheld: withheld.clone(),
        left_out: left_out.clone(),
    };
    let from_root = level == 0 || reaches(workspace, &limits, level);
    let withheld = withheld.clone();
    let builder = if from_root {
        let mut builder = toward(workspace, limits);
        builder.max_depth(depth.map(|depth| depth + level));
        builder
    } else {
        let ignored = Ignored::below(workspace, &place.path);
        let mut builder = plain(&start);
        let filter = filter(ignored, limits);
        builder.filter_entry(filter);
        builder.max_depth(depth);
        builder
    };
    builder.build().filter_map(move |entry| {
        let Ok(entry) = entry else {
            return Some(None);
        };
        let path = entry.path();
        if path == start || !path.starts_with(&start) {
            return None;
        }
        let kind = entry.file_type();
        let path = path.strip_prefix(&root).ok()?.to_owned();
        let is_dir = kind.is_some_and(|kind| kind.is_dir());
        Some(Some(Step {
            is_withheld: is_dir && withheld(&path).is_some(),
            path,
            is_dir,
            is_file: kind.is_some_and(|kind| kind.is_file()),
        }))
    })
}

/// A walk without the library's ignore files: the library would open any kind of file under such a name.
fn plain(start: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_name(std::cmp::Ord::cmp);
    builder
}

/// True for entries that are neither private nor left out. The start of the walk was named, so it is included. Counts what
/// is left out below it.
fn filter(ignored: Ignored, limits: Limits) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    move |entry| {
        let path = entry.path();
        if limits.private.iter().any(|private| path.starts_with(private)) {
            return false;
        }
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        let is_below = path != limits.start && path.starts_with(&limits.start);
        if entry.depth() > 0 && ignored.leaves_out(path, is_dir) {
            limits
                .left_out
                .ignored
                .fetch_add(u64::from(is_below), Ordering::Relaxed);
            return false;
        }
        let extent = path
            .strip_prefix(&limits.root)
            .ok()
            .filter(|_| is_below)
            .and_then(|path| (limits.withheld)(path));
        let is_left_out = extent == Some(Extent::Below) || (extent.is_some() && !is_dir);
        if is_left_out {
            limits.left_out.count_by_rule();
        }
        !is_left_out
    }
}

/// A walk from the root that enters only the ancestors of the start, and everything below it.
fn toward(workspace: &Arc<Workspace>, limits: Limits) -> WalkBuilder {
    let mut builder = plain(workspace.root());
    let start = limits.start.clone();
    let filter = filter(Ignored::below(workspace, Path::new("")), limits);
    builder.filter_entry(move |entry| {
        let path = entry.path();
        (path.starts_with(&start) || start.starts_with(path)) && filter(entry)
    });
    builder
}

/// True if no ignore file leaves out the place or a directory above it.
fn reaches(workspace: &Arc<Workspace>, limits: &Limits, level: usize) -> bool {
    let unlimited = Limits {
        private: Vec::new(),
        left_out: Arc::default(),
        ..limits.clone()
    };
    let mut builder = toward(workspace, unlimited);
    builder.max_depth(Some(level));
    builder
        .build()
        .flatten()
        .any(|entry| entry.path() == limits.start)
}
