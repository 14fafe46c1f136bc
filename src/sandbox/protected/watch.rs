//! Watches the protected paths of a workspace during a call, and undoes what it changed.
//!
//! Must not know: which call it is, how changes are shown.
//!
//! A change by the operator or another program during the call cannot be distinguished from one by the call: it is undone as
//! well, reported, and stored. A repository that the call itself creates, renames or removes is not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use overrule_base::text::visible;

use super::Protected;
use super::git;
use super::list::{self, Place};
use super::note::{Budget, Note, look, note};
use super::undo::Undo;

/// The directory that git runs programs of.
const HOOKS: &str = "hooks";

/// How a protected path was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It was not there before.
    Created,
    /// It has other content, another kind or other permissions.
    Changed,
    /// It is gone.
    Removed,
}

impl How {
    /// Returns how, in a word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// A change of a protected path that was undone, or could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The path in its visible form, relative to the workspace if it lies there.
    pub path: String,
    /// The path itself.
    pub place: PathBuf,
    /// How it was changed.
    pub how: How,
    /// Where the changed content lies.
    pub stored: Option<PathBuf>,
    /// Why it is not undone, or not all of it, in its visible form.
    pub problem: Option<String>,
}

impl Undone {
    /// Says what became of the change, in one sentence without its full stop.
    pub fn sentence(&self) -> String {
        match &self.problem {
            None => format!("undid: {} is protected", self.path),
            Some(why) => format!("could not undo: {} is protected; {why}", self.path),
        }
    }
}

/// The watch that calls of one workspace share while they overlap.
///
/// A call that notes the paths while another one runs would take that one's change for the earlier content, and would
/// give it back. So the first call notes them, each end undoes what differs, and the last one forgets.
#[derive(Debug)]
pub struct Watches {
    store: PathBuf,
    running: usize,
    watch: Option<Watch>,
}

impl Watches {
    /// Returns one without calls. Nothing is looked at yet.
    pub fn new(store: &Path) -> Self {
        Self {
            store: store.to_owned(),
            running: 0,
            watch: None,
        }
    }

    /// Begins a call in a workspace in which this is protected.
    pub fn begin(&mut self, protected: &Protected) {
        self.running += 1;
        if self.watch.is_none() {
            self.watch = Some(Watch::begin(protected, &self.store));
        }
    }

    /// Does what the operator approved with a path that may be protected: a call that runs meanwhile is not blamed for it.
    pub fn approved<T>(&mut self, path: &Path, change: impl FnOnce() -> T) -> T {
        let changed = change();
        if let Some(watch) = &mut self.watch {
            watch.note_again(path);
        }
        changed
    }

    /// Ends a call, and undoes what it changed. What a call that still runs changed is undone as well.
    pub fn end(&mut self) -> Vec<Undone> {
        self.running = self.running.saturating_sub(1);
        let undone = self.watch.as_ref().map(Watch::check);
        if self.running == 0 {
            self.watch = None;
        }
        undone.unwrap_or_default()
    }
}

/// The protected paths of a workspace as they were at the start of a call. Calls that overlap share one: [`Watches`].
#[derive(Debug)]
pub struct Watch {
    workspace: PathBuf,
    store: PathBuf,
    /// The repositories, in which names of the table with `*` are looked for again.
    roots: Vec<PathBuf>,
    places: Vec<(Place, Note)>,
    /// The directories on the way to them that existed.
    ways: BTreeSet<PathBuf>,
}

impl Watch {
    /// Notes every protected path, existing or absent. Nothing is created.
    ///
    /// `store` is the directory to which changes are moved. It should lie on the file system of the workspace, where a
    /// move costs nothing, and outside of what a command can write.
    pub fn begin(protected: &Protected, store: &Path) -> Self {
        let Protected {
            workspace,
            roots,
            places,
        } = protected.clone();
        let mut places: Vec<(Place, Note)> = places.into_iter().map(|place| (place, Note::Absent)).collect();
        note_all(&mut places);
        let ways = places.iter().flat_map(|(place, _)| ways(place));
        Self {
            ways: ways.filter(|way| way.is_dir()).collect(),
            roots,
            workspace,
            store: store.to_owned(),
            places,
        }
    }

    /// Notes what is at or below a path again, and at what holds it.
    fn note_again(&mut self, path: &Path) {
        let mut budget = Budget::default();
        let is_new = !self
            .places
            .iter()
            .any(|(place, _)| path.starts_with(place.path()));
        for (place, now) in &mut self.places {
            let at = place.path();
            if path.starts_with(&at) || at.starts_with(path) {
                *now = note(&at, &mut budget);
                self.ways
                    .extend(ways(place).into_iter().filter(|way| way.is_dir()));
            }
        }
        let (Some(base), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        if is_new && self.roots.iter().any(|root| root == base) {
            let place = Place {
                base: base.to_owned(),
                relative: name.into(),
                is_mounted: false,
            };
            let now = note(path, &mut budget);
            self.places.push((place, now));
        }
    }

    /// Undoes every change since the start, and returns what it undid and what it could not.
    pub fn end(self) -> Vec<Undone> {
        self.check()
    }

    /// Does the same, and continues to watch.
    fn check(&self) -> Vec<Undone> {
        let mut undo = Undo {
            store: &self.store,
            changes: Vec::new(),
        };
        let mut bases: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for (place, note) in &self.places {
            if is_there(&place.base, &mut bases, &mut undo) && self.clear_way(place, note, &mut undo) {
                undo.check(&place.path(), note);
            }
        }
        let known: BTreeSet<PathBuf> = self.places.iter().map(|(place, _)| place.path()).collect();
        for root in self.roots.iter().filter(|root| is_real(root)) {
            let mut new: Vec<PathBuf> = list::starred(root)
                .into_iter()
                .map(|name| root.join(name))
                .collect();
            new.sort();
            for path in new.into_iter().filter(|path| !known.contains(path)) {
                undo.check(&path, &Note::Absent);
            }
        }
        let changes = undo.changes.into_iter().map(|change| Undone {
            path: shown(change.path.strip_prefix(&self.workspace).unwrap_or(&change.path)),
            place: change.path,
            how: change.how,
            stored: change.stored,
            problem: change.problem.map(|problem| visible(&problem)),
        });
        changes.collect()
    }

    /// Sees that the way to a place has no link in it, and makes it if the place is to come back. Returns false if there is
    /// nothing to compare.
    fn clear_way(&self, place: &Place, note: &Note, undo: &mut Undo) -> bool {
        let is_absent = matches!(note, Note::Absent);
        for way in ways(place) {
            match look(&way) {
                Ok(Some(meta)) if meta.is_dir() => {}
                Ok(Some(meta)) => {
                    // A file with the name of a directory holds no place; that of git names another directory.
                    if is_absent && !meta.is_symlink() && !way.ends_with(git::ENTRY) {
                        return false;
                    }
                    let how = if self.ways.contains(&way) {
                        How::Changed
                    } else {
                        How::Created
                    };
                    let before = undo.changes.len();
                    undo.replace(&way, &Note::Absent, how);
                    let is_moved = undo
                        .changes
                        .get(before)
                        .is_some_and(|change| change.problem.is_none());
                    if is_absent || !is_moved || make(&way, undo).is_none() {
                        return false;
                    }
                }
                // A repository below that is none any more was removed as a whole.
                Ok(None) if is_absent || way.ends_with(git::ENTRY) && place.base != self.workspace => {
                    return false;
                }
                Ok(None) => {
                    if make(&way, undo).is_none() {
                        return false;
                    }
                }
                Err(error) => {
                    undo.report(&way, How::Changed, Some(error.to_string()));
                    return false;
                }
            }
        }
        true
    }
}

/// The directories between a base and a place, the outermost first.
fn ways(place: &Place) -> Vec<PathBuf> {
    let parents = place.relative.ancestors().skip(1);
    let parents = parents.filter(|parent| !parent.as_os_str().is_empty());
    let mut ways: Vec<PathBuf> = parents.map(|parent| place.base.join(parent)).collect();
    ways.reverse();
    ways
}

/// Notes what is at each place: single files first, then hooks, then other directories, so that what is large does not use
/// up the bounds.
fn note_all(places: &mut [(Place, Note)]) {
    let mut order: Vec<&mut (Place, Note)> = places.iter_mut().collect();
    order.sort_by_cached_key(|(place, _)| {
        let path = place.path();
        let is_directory = look(&path).ok().flatten().is_some_and(|meta| meta.is_dir());
        (is_directory, !path.ends_with(HOOKS), path.components().count())
    });
    let mut budget = Budget::default();
    for (place, now) in order {
        *now = note(&place.path(), &mut budget);
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// True for a directory that is reached without links.
fn is_real(base: &Path) -> bool {
    base.is_dir() && base.canonicalize().is_ok_and(|resolved| resolved == base)
}

/// True if a base is still the directory that it was. One that is gone was removed or renamed as a whole; one that is
/// something else is reported, once.
fn is_there(base: &Path, known: &mut BTreeMap<PathBuf, bool>, undo: &mut Undo) -> bool {
    if let Some(known) = known.get(base) {
        return *known;
    }
    let is_there = is_real(base);
    known.insert(base.to_owned(), is_there);
    if !is_there && !matches!(look(base), Ok(None)) {
        let problem =
            "it is no longer a directory of its own, so that the protected files in it were not compared";
        undo.report(base, How::Changed, Some(problem.to_owned()));
    }
    is_there
}

/// Creates a directory on the way to a place.
fn make(way: &Path, undo: &mut Undo) -> Option<()> {
    let made = super::copy::opened(way, || std::fs::create_dir(way));
    made.map_err(|error| undo.report(way, How::Removed, Some(error.to_string())))
        .ok()
}
