//! Watches the protected paths of a workspace during a call, and undoes what it changed.
//!
//! Must not know: which call it is, how changes are shown.
//!
//! A change by the operator or another program during the call cannot be distinguished from one by the call: it is undone as
//! well, reported, and stored. Of a repository that the call itself creates, its settings and hooks are looked at; one that it
//! renames or removes as a whole is not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use overrule_base::text::visible;

use super::Protected;
use super::at::{Directory, ORDINARY, is_directory, is_link};
use super::copy::{Spot, opened};
use super::created::{self, Known};
use super::git;
use super::list::{self, Place};
use super::note::{Budget, Note, note};
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
    /// It was not searched as a whole, so that a change in it may have been missed.
    Unsearched,
}

impl How {
    /// Returns how, in a word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Unsearched => "not searched",
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
            Some(why) if self.how == How::Unsearched => {
                format!("protected paths were not searched completely: {why}")
            }
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
pub(super) struct Watch {
    workspace: PathBuf,
    store: PathBuf,
    /// The repositories, in which names of the table with `*` are looked for again.
    roots: Vec<PathBuf>,
    places: Vec<(Place, Note)>,
    /// The directories on the way to them that existed.
    ways: BTreeSet<PathBuf>,
    /// The git directories that existed.
    known: Known,
    /// False where not every repository was found.
    is_complete: bool,
}

impl Watch {
    /// Notes every protected path, existing or absent. Nothing is created.
    ///
    /// `store` is the directory to which changes are moved. It should lie on the file system of the workspace, where a
    /// move costs nothing, and outside of what a command can write.
    pub(super) fn begin(protected: &Protected, store: &Path) -> Self {
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
            known: Known::of(&roots.paths, &places, protected.linked()),
            is_complete: roots.is_complete,
            roots: roots.paths,
            workspace,
            store: store.to_owned(),
            places,
        }
    }

    /// Notes what is at or below a path again, and at what holds it.
    fn note_again(&mut self, path: &Path) {
        self.known.approve(path);
        let mut budget = Budget::default();
        let mut bases = Bases::default();
        let is_new = !self
            .places
            .iter()
            .any(|(place, _)| path.starts_with(place.path()));
        for (place, now) in &mut self.places {
            let at = place.path();
            if path.starts_with(&at) || at.starts_with(path) {
                *now = bases.note(place, &mut budget);
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
            let now = bases.note(&place, &mut budget);
            self.places.push((place, now));
        }
    }

    /// Undoes every change since the start, and returns what it undid and what it could not. Continues to watch.
    pub(super) fn check(&self) -> Vec<Undone> {
        let mut undo = Undo {
            store: &self.store,
            changes: Vec::new(),
        };
        let mut bases = Bases::default();
        for (place, note) in &self.places {
            if matches!(note, Note::Absent) && self.known.is_without(place) {
                // A repository that the call made: looked at below.
                continue;
            }
            let Some(base) = bases.still(&place.base, &mut undo) else {
                continue;
            };
            let (Some(way), Some(name)) = (
                self.clear_way(base, place, note, &mut undo),
                place.relative.file_name(),
            ) else {
                continue;
            };
            let path = place.path();
            let spot = Spot {
                directory: &way,
                name,
                path: &path,
            };
            undo.check(spot, note);
        }
        self.check_starred(&mut bases, &mut undo);
        let roots = git::roots(&self.workspace);
        created::check(&self.workspace, &roots.paths, &self.known, &mut undo);
        let changes = undo.changes.into_iter().map(|change| Undone {
            path: shown(change.path.strip_prefix(&self.workspace).unwrap_or(&change.path)),
            place: change.path,
            how: change.how,
            stored: change.stored,
            problem: change.problem.map(|problem| visible(&problem)),
        });
        let unsearched = (!self.is_complete || !roots.is_complete).then(|| Undone {
            path: ".".to_owned(),
            place: self.workspace.clone(),
            how: How::Unsearched,
            stored: None,
            problem: Some(git::BOUNDS.to_owned()),
        });
        changes.chain(unsearched).collect()
    }

    /// Undoes new names of the table with `*`.
    fn check_starred(&self, bases: &mut Bases, undo: &mut Undo<'_>) {
        let known: BTreeSet<PathBuf> = self.places.iter().map(|(place, _)| place.path()).collect();
        for root in &self.roots {
            let Ok(directory) = bases.open(root) else { continue };
            let mut names = directory.names(usize::MAX).unwrap_or_default();
            names.retain(|name| list::is_starred(name));
            names.sort();
            for name in names {
                let path = root.join(&name);
                if known.contains(&path) {
                    continue;
                }
                let spot = Spot {
                    directory,
                    name: &name,
                    path: &path,
                };
                undo.check(spot, &Note::Absent);
            }
        }
    }

    /// Opens the directory that holds a place, without a link on the way, and makes it if the place is to be restored. Returns
    /// nothing if there is nothing to compare.
    fn clear_way(
        &self,
        base: &Directory,
        place: &Place,
        note: &Note,
        undo: &mut Undo<'_>,
    ) -> Option<Directory> {
        let is_absent = matches!(note, Note::Absent);
        let again = base.again();
        let again = again.map_err(|error| undo.report(&place.base, How::Changed, Some(error.to_string())));
        let mut at = again.ok()?;
        let mut way = place.base.clone();
        for part in place.relative.parent()?.components() {
            let name = part.as_os_str();
            way.push(name);
            let spot = Spot {
                directory: &at,
                name,
                path: &way,
            };
            let found = spot.directory.look(name);
            let found = found.map_err(|error| undo.report(&way, How::Changed, Some(error.to_string())));
            match found.ok()? {
                Some(stat) if is_directory(&stat) => {}
                Some(stat) => {
                    // A file with the name of a directory holds no place; that of git names another directory.
                    if is_absent && !is_link(&stat) && name != git::ENTRY {
                        return None;
                    }
                    let is_moved = self.move_way(spot, undo);
                    if is_absent || !is_moved {
                        return None;
                    }
                    make(spot, undo)?;
                }
                // A repository below that is none any more was removed as a whole.
                None if is_absent || name == git::ENTRY && place.base != self.workspace => return None,
                None => make(spot, undo)?,
            }
            let child = spot.directory.child(name);
            let child = child.map_err(|error| undo.report(&way, How::Changed, Some(error.to_string())));
            at = child.ok()?;
        }
        Some(at)
    }

    /// Moves what is no directory away from the way to a place. Returns false where it stays.
    fn move_way(&self, spot: Spot<'_>, undo: &mut Undo<'_>) -> bool {
        let how = if self.ways.contains(spot.path) {
            How::Changed
        } else {
            How::Created
        };
        let before = undo.changes.len();
        undo.replace(spot, &Note::Absent, how);
        let change = undo.changes.get(before);
        change.is_some_and(|change| change.problem.is_none())
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
        let is_directory = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        (is_directory, !path.ends_with(HOOKS), path.components().count())
    });
    let mut budget = Budget::default();
    let mut bases = Bases::default();
    for (place, now) in order {
        *now = bases.note(place, &mut budget);
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// The directories that places belong to, each opened once, without links.
#[derive(Debug, Default)]
struct Bases(BTreeMap<PathBuf, io::Result<Directory>>);

impl Bases {
    fn open(&mut self, base: &Path) -> &io::Result<Directory> {
        self.0
            .entry(base.to_owned())
            .or_insert_with(|| Directory::open(base))
    }

    /// Notes what is at a place.
    fn note(&mut self, place: &Place, budget: &mut Budget) -> Note {
        match self.open(&place.base) {
            Ok(base) => note(base, &place.relative, budget),
            Err(error) if error.kind() == ErrorKind::NotFound => Note::Absent,
            Err(error) => Note::Unknown(error.to_string()),
        }
    }

    /// Opens a base, if it is still a directory of its own. One that is gone was removed or renamed as a whole; one that is
    /// something else is reported, once.
    fn still(&mut self, base: &Path, undo: &mut Undo<'_>) -> Option<&Directory> {
        let is_known = self.0.contains_key(base);
        match self.open(base) {
            Ok(base) => Some(base),
            Err(error) => {
                if !is_known && error.kind() != ErrorKind::NotFound {
                    let why = "it is no longer a directory of its own, so that the protected files in it were not compared";
                    undo.report(base, How::Changed, Some(why.to_owned()));
                }
                None
            }
        }
    }
}

/// Creates a directory on the way to a place.
fn make(spot: Spot<'_>, undo: &mut Undo<'_>) -> Option<()> {
    let made = opened(spot.directory, || {
        spot.directory.create_directory(spot.name, ORDINARY).map(drop)
    });
    made.map_err(|error| undo.report(spot.path, How::Removed, Some(error.to_string())))
        .ok()
}
