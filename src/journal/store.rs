//! Manages the directory of sessions.
//!
//! Must not know: where it is by default on this machine.

use std::io;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::dirs;
use super::error::{Error, shown};
use super::lock::{self, Lock, Making};
use super::summary::{self, Summary};
use super::writer::Writer;
use overrule_regular_file::Links;

/// Name of the journal in a session's directory.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// Name of the directory of long strings in a session's directory.
pub(super) const PAYLOAD: &str = "payload";

/// Name of the file that repeats the session's title for lists.
pub(super) const TITLE: &str = "title";

/// Session and record from which this one was forked, repeated here for lists.
pub(super) const FORK: &str = "fork";

/// Name of the file that repeats the directory of a session that was resumed with other settings.
pub(super) const WORKSPACE: &str = "workspace";

/// Ending of the directory of a session that is not whole yet; nothing lists it.
const PART: &str = "part";

/// Ending of a session in a single file.
const SINGLE: &str = "jsonl";

/// How many sessions a message about an ambiguous prefix names.
const NAMED: usize = 5;

/// Where one session is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A directory that can be written to.
    Dir {
        /// The session's id, which is also the name of the directory.
        id: Uuid,
        /// Path of the directory.
        path: PathBuf,
    },
    /// A single file, read-only.
    File {
        /// Path of the file.
        path: PathBuf,
    },
}

impl Place {
    /// Returns the place at a path: a session's directory or a single file.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let meta = std::fs::metadata(path).map_err(|error| Error::io("open the session", path, error))?;
        if !meta.is_dir() {
            return Ok(Self::File {
                path: path.to_owned(),
            });
        }
        // A path such as `.` has a name only once it is resolved.
        let whole =
            std::fs::canonicalize(path).map_err(|error| Error::io("open the session", path, error))?;
        id_of(&whole)
            .map(|id| Self::Dir {
                id,
                path: path.to_owned(),
            })
            .ok_or_else(|| Error::NotAJournal {
                path: shown(path),
                why: "it is a directory, and a session's directory is named by a UUID".to_owned(),
            })
    }

    /// Returns the path of the file of records.
    pub fn journal(&self) -> PathBuf {
        match self {
            Self::Dir { path, .. } => path.join(JOURNAL),
            Self::File { path } => path.clone(),
        }
    }

    /// Returns the id that people type; for a single file, its name without the extension.
    pub fn id(&self) -> String {
        match self {
            Self::Dir { id, .. } => id.to_string(),
            Self::File { path } => path
                .file_stem()
                .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        }
    }

    /// Summarises the session as a list shows it.
    pub fn summary(&self) -> Summary {
        summary::of(self)
    }

    /// Returns the directory that the session's tools work in; none if its first record is missing or not intact.
    pub fn workspace(&self) -> Option<PathBuf> {
        summary::workspace(self)
    }

    /// Whether the file of records may be named by a link.
    pub(super) const fn links(&self) -> Links {
        match self {
            Self::Dir { .. } => Links::Refuse,
            Self::File { .. } => Links::Follow,
        }
    }

    pub(super) fn payloads(&self) -> Option<PathBuf> {
        match self {
            Self::Dir { path, .. } => Some(path.join(PAYLOAD)),
            Self::File { .. } => None,
        }
    }
}

/// The newest session of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastSession {
    /// The session.
    pub place: Place,
    /// Ids of newer sessions that have no intact first record, newest first.
    pub without_record: Vec<String>,
}

/// A directory of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Opens a directory of sessions, which need not exist before the first session is created.
    pub fn open(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns the path of the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates a session and opens it for writing. It is durable with its first records.
    pub fn create(&self, id: Uuid) -> Result<Writer, Error> {
        dirs::make_dirs(&self.dir)
            .map_err(|error| Error::io("make the sessions directory", &self.dir, error))?;
        let dir = self.dir.join(id.to_string());
        Writer::create(id, &dir).inspect_err(|error| {
            if !matches!(error, Error::Exists { .. }) {
                // Remove a half-made session; if removing it fails too, it is merely empty.
                std::fs::remove_dir_all(&dir).unwrap_or_default();
            }
        })
    }

    /// Removes a session in which nothing was ever recorded, so that a failed start leaves nothing
    /// on disk.
    pub fn forget_unbegun(&self, id: Uuid) {
        let path = self.dir.join(id.to_string());
        let place = Place::Dir { id, path };
        let unbegun = |loaded: super::reader::Loaded| loaded.envelopes.is_empty() && loaded.damage.is_none();
        if super::reader::read(&place).is_ok_and(unbegun) {
            // If it cannot be removed, it is listed as empty.
            self.delete(&place).unwrap_or_default();
        }
    }

    /// Makes a session that is there with all of its first records or not at all: they are durable when this returns,
    /// and until then nothing lists it. Gives its place.
    pub fn create_whole<E: From<Error>>(
        &self,
        id: Uuid,
        fill: impl FnOnce(&mut Writer) -> Result<(), E>,
    ) -> Result<Place, E> {
        dirs::make_dirs(&self.dir)
            .map_err(|error| Error::io("make the sessions directory", &self.dir, error))?;
        let _making = Making::together(&self.dir);
        let path = self.dir.join(id.to_string());
        let part = path.with_extension(PART);
        let made = self.whole(id, (&part, &path), fill);
        if made.is_err() {
            // The name was generated for this session alone, so the content is ours. If it stays,
            // it is only in the way.
            std::fs::remove_dir_all(&part).unwrap_or_default();
        }
        made
    }

    /// Removes what killed processes left of sessions that they were making, and returns how many those were. One that
    /// is being made stays, and so does everything while any is.
    pub fn sweep(&self) -> Result<usize, Error> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let parts: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| is_part(path))
            .collect();
        if parts.is_empty() {
            return Ok(0);
        }
        let Some(_alone) = Making::alone(&self.dir) else {
            return Ok(0);
        };
        let mut removed = 0;
        for path in parts {
            // A process that does not ask for the directory's lock still has that of the session.
            let id = Uuid::nil();
            let held = lock::is_held(&Place::Dir {
                id,
                path: path.clone(),
            });
            if !held && is_part(&path) {
                std::fs::remove_dir_all(&path)
                    .map_err(|error| Error::io("remove the rest of an unfinished session", &path, error))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn whole<E: From<Error>>(
        &self,
        id: Uuid,
        (part, path): (&Path, &Path),
        fill: impl FnOnce(&mut Writer) -> Result<(), E>,
    ) -> Result<Place, E> {
        let fail = |error| Error::io("make the session", path, error);
        let mut writer = Writer::create(id, part)?;
        fill(&mut writer)?;
        writer.sync()?;
        drop(writer);
        if path.exists() {
            return Err(Error::Exists { path: shown(path) }.into());
        }
        std::fs::rename(part, path).map_err(fail)?;
        dirs::sync_dir(&self.dir).map_err(fail)?;
        Ok(Place::Dir {
            id,
            path: path.to_owned(),
        })
    }

    /// Lists every session, newest first. Reads each journal without decoding its events.
    pub fn list(&self) -> Result<Vec<Summary>, Error> {
        let mut all = summary::of_all(&self.places()?);
        all.sort_by(|a, b| (b.started, &b.id).cmp(&(a.started, &a.id)));
        Ok(all)
    }

    /// The newest session, out of at most `most`, for which the test is true.
    pub fn newest(&self, most: usize, mut test: impl FnMut(&Place) -> bool) -> Option<Place> {
        let mut dirs = self.newest_first().ok()?.take(most);
        dirs.find(|place| test(place))
    }

    /// Finds the newest session that has a record and works in this directory. If there is none and `or_moved` is true: the
    /// newest one of all, if its directory does not exist any more and was a neighbour or had the same name.
    pub fn last(&self, workspace: &Path, or_moved: bool) -> Result<LastSession, Error> {
        let mut without_record = Vec::new();
        let mut newest = None;
        for place in self.newest_first()? {
            match place.workspace() {
                None => without_record.push(place.id()),
                Some(own) if own == workspace => {
                    return Ok(LastSession {
                        place,
                        without_record,
                    });
                }
                Some(own) => _ = newest.get_or_insert((place, own)),
            }
        }
        match newest {
            Some((place, own)) if or_moved && may_be_moved(&own, workspace) => Ok(LastSession {
                place,
                without_record,
            }),
            Some((other, own)) => Err(Error::NotHere {
                here: shown(workspace),
                session: other.id(),
                workspace: shown(&own),
            }),
            None => Err(Error::NoSessions {
                place: shown(&self.dir),
            }),
        }
    }

    /// Returns the directories of sessions, newest first.
    fn newest_first(&self) -> Result<impl Iterator<Item = Place>, Error> {
        // The id of a directory begins with the time at which it was generated.
        let places = self.places()?.into_iter().rev();
        Ok(places.filter(|place| matches!(place, Place::Dir { .. })))
    }

    /// Finds a session by its id, a unique prefix of the id, or a path.
    pub fn find(&self, what: &str) -> Result<Place, Error> {
        let single = Path::new(what).extension().is_some_and(|ending| ending == SINGLE);
        if what.contains('/') || single {
            let path = listed_as(Path::new(what));
            if what.contains('/') || path.exists() {
                return Place::at(&path);
            }
        }
        let mut places = self.places()?;
        let missing = || Error::NotFound {
            what: overrule_base::text::visible(what),
            place: shown(&self.dir),
        };
        // A session is also found by the name under which it is listed.
        let names = |place: &Place| [place.id(), overrule_base::text::visible(&place.id())];
        let mut exact = places
            .iter()
            .filter(|place| names(place).iter().any(|name| name == what));
        if let (Some(exact), None) = (exact.next(), exact.next()) {
            return Ok(exact.clone());
        }
        let requested = what.to_lowercase();
        let begins = |name: &String| !requested.is_empty() && name.to_lowercase().starts_with(&requested);
        places.retain(|place| names(place).iter().any(begins));
        if places.len() > 1 {
            return Err(Error::Ambiguous {
                prefix: overrule_base::text::visible(what),
                matches: places
                    .iter()
                    .take(NAMED)
                    .map(|place| overrule_base::text::visible(&place.id()))
                    .collect(),
            });
        }
        places.pop().ok_or_else(missing)
    }

    /// Deletes a session and everything in it, unless it is open for writing.
    pub fn delete(&self, place: &Place) -> Result<(), Error> {
        match place {
            Place::File { path } => Err(Error::ReadOnly { path: shown(path) }),
            Place::Dir { path, .. } => {
                let fail = |error| Error::io("delete the session", path, error);
                // Delete only sessions, never a directory that merely has such a name.
                let meta = std::fs::symlink_metadata(place.journal()).map_err(fail)?;
                if !meta.is_file() || path.is_symlink() {
                    return Err(Error::NotAJournal {
                        path: shown(path),
                        why: "it is not a directory with a journal in it".to_owned(),
                    });
                }
                let _lock = Lock::take(path)?;
                std::fs::remove_dir_all(path).map_err(fail)
            }
        }
    }

    /// Returns every place that looks like a session, in the order of ids.
    fn places(&self) -> Result<Vec<Place>, Error> {
        let fail = |error| Error::io("read the sessions directory", &self.dir, error);
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error)),
        };
        let mut places = Vec::new();
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            let place = match id_of(&path) {
                Some(id) => Place::Dir { id, path },
                None if path.extension().is_some_and(|ending| ending == SINGLE) => Place::File { path },
                None => continue,
            };
            // What cannot be read is listed as well, with the reason; a directory without a journal is no session.
            let is_there = match place.journal().symlink_metadata() {
                Ok(meta) => matches!(place, Place::Dir { .. }) || !meta.is_dir(),
                Err(_) => false,
            };
            if is_there {
                places.push(place);
            }
        }
        places.sort_by_key(Place::id);
        Ok(places)
    }
}

/// Returns the path that is displayed like this one, if no path has this name and only one is
/// displayed like it. A name that is not UTF-8 is displayed with marks for the unprintable parts.
fn listed_as(path: &Path) -> PathBuf {
    let (Some(name), Some(dir), false) = (path.file_name(), path.parent(), path.exists()) else {
        return path.to_owned();
    };
    let name = name.to_string_lossy();
    let is_listed = |other: &std::ffi::OsStr| {
        let other = other.to_string_lossy();
        other == name || overrule_base::text::visible(&other) == name
    };
    let dir = if dir.as_os_str().is_empty() {
        Path::new(".")
    } else {
        dir
    };
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut paths = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|other| other.file_name().is_some_and(is_listed));
    match (paths.next(), paths.next()) {
        (Some(one), None) => one,
        _ => path.to_owned(),
    }
}

/// True if a directory does not exist any more, and another one may be the same under another name or in another place.
fn may_be_moved(from: &Path, to: &Path) -> bool {
    let gone = matches!(from.try_exists(), Ok(false));
    gone && (from.parent() == to.parent() || from.file_name() == to.file_name())
}

/// True for the directory of a session that was unfinished at the last check.
fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == PART)
        && id_of(&path.with_extension("")).is_some()
        && std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Parses the name of a directory as an id, in the spelling that this program writes.
fn id_of(path: &Path) -> Option<Uuid> {
    let name = path.file_name()?.to_str()?;
    Uuid::parse_str(name).ok().filter(|id| id.to_string() == name)
}
