//! Tracks the files of a run, collects saved contents that no session names, and shows them to the other verbs.
//!
//! Must not know: how files are tracked, what is restored.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::build::AppContext;
use super::print;
use overrule_base::text::visible;
use overrule_config::{FileSettings, OWN};
use overrule_domain::event::{Event, FilesEvent, RunEvent};
use overrule_domain::files::{Change, FilePath, FileState, Step};
use overrule_engine::clock::Clock;
use overrule_files::{self as files, Collected, Session, Settings, Tracker};
use overrule_journal::{self as journal, Store, Summary};
use overrule_regular_file::{self as regular_file, Links};
use rustix::fs::{FlockOperation, flock};

/// The directory of all saved contents, in that of this program.
pub const DIRECTORY: &str = "files";
/// The file in it that lists the directories of sessions whose contents are saved there.
const SESSIONS: &str = "sessions.json";
/// The file in it that is written at each collection.
const COLLECTED: &str = "collected";
/// Most bytes of each of the two.
const MOST: u64 = 1 << 20;
/// Most bytes of a file that is shown.
const MOST_SHOWN: u64 = 8 << 20;
/// How long after a collection the next one takes place.
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// Tracks the files of a run.
pub struct Tracked {
    /// The tracker; none where nothing is tracked.
    pub tracker: Option<Tracker>,
    /// Why not, for the operator.
    pub notice: Option<String>,
}

impl AppContext {
    /// Returns the limits of what is tracked and saved.
    pub fn file_settings(&self) -> Settings {
        let set = &self.settings.files;
        Settings {
            max_file: set.max_file.value,
            max_session: set.max_session.value,
            max_store: set.max_store.value,
            max_files: usize::try_from(set.max_files.value).unwrap_or(usize::MAX),
            keep_days: set.keep_days.value,
            scan: set.scan(),
            include: FileSettings::all(&set.include),
            exclude: FileSettings::all(&set.exclude),
            rebuildable: FileSettings::all(&set.rebuildable),
            home: self.env.home.clone(),
        }
    }

    /// Begins to track the files of a workspace for a run. A run without a tracker goes on, with a notice.
    pub fn tracked(&self, workspace: &Path) -> Tracked {
        let none = |notice: Option<String>| Tracked {
            tracker: None,
            notice,
        };
        if !self.settings.files.track.value {
            return none(None);
        }
        let Some(dir) = self.data_dir() else {
            let why = "what calls change in the files is not recorded: there is no directory for data; hint: set HOME or \
                       XDG_DATA_HOME";
            return none(Some(why.to_owned()));
        };
        let opened = Tracker::open(workspace, &dir, self.file_settings());
        match opened {
            Ok(tracker) => Tracked {
                tracker: Some(tracker),
                notice: self.note_sessions(&dir).err(),
            },
            Err(error) => {
                let why = error.to_string().replace('\n', "; ");
                none(Some(format!(
                    "what calls change in the files is not recorded: {why}"
                )))
            }
        }
    }

    /// Returns the tracker with which a verb looks at the files of a recorded run.
    ///
    /// # Errors
    ///
    /// Nothing can be saved or is saved of its workspace here, as text for a person.
    pub fn tracker_of_recorded(&self, workspace: &Path) -> Result<Tracker, String> {
        let dir = self.data_dir().ok_or("there is no directory for data")?;
        let opened = Tracker::open(workspace, &dir, self.file_settings());
        opened.map_err(|error| visible(&error.to_string().replace('\n', "; ")))
    }

    /// The directory of this program's data.
    fn data_dir(&self) -> Option<PathBuf> {
        Some(self.env.data_dir.as_ref()?.join(OWN))
    }

    /// Returns the directory of all saved contents.
    pub fn contents(&self) -> Option<PathBuf> {
        Some(self.data_dir()?.join(DIRECTORY))
    }

    /// Notes that the sessions of this directory name contents: a collection reads them all.
    fn note_sessions(&self, dir: &Path) -> Result<(), String> {
        let list = dir.join(DIRECTORY).join(SESSIONS);
        let sessions = self.store.dir();
        let sessions = std::path::absolute(sessions).unwrap_or_else(|_| sessions.to_owned());
        let failed = |error: String| {
            format!(
                "cannot note in {} where the sessions are, so their contents may be deleted: {error}",
                visible(&list.display().to_string())
            )
        };
        // Another run that adds its directory would be forgotten.
        let lock = regular_file::ensure(&list.with_extension("lock"));
        let lock = lock.and_then(|lock| Ok(flock(&lock, FlockOperation::LockExclusive).map(|()| lock)?));
        let _lock = lock.map_err(|error| failed(error.to_string()))?;
        let mut known = directories(&list).map_err(failed)?;
        if !known.insert(sessions) {
            return Ok(());
        }
        let text = serde_json::to_string(&known).map_err(|error| failed(error.to_string()))?;
        regular_file::replace(&list, text.as_bytes()).map_err(|error| failed(error.to_string()))
    }

    /// Deletes contents that no session names any more, at most once a day unless it is `due` in any case.
    pub fn collect(&self, due: bool) {
        match self.collected(due) {
            Ok(Some(done)) => {
                tracing::debug!(
                    deleted = done.deleted,
                    freed = done.freed,
                    "collected saved contents"
                );
            }
            Ok(None) => {}
            Err(why) => print::err(&format!("cannot delete saved contents that nothing names: {why}")),
        }
    }

    fn collected(&self, due: bool) -> Result<Option<Collected>, String> {
        let Some(dir) = self.data_dir().filter(|dir| dir.join(DIRECTORY).is_dir()) else {
            return Ok(None);
        };
        let mark = dir.join(DIRECTORY).join(COLLECTED);
        let now = at(Clock::start().utc_ms());
        let last = fs::metadata(&mark).and_then(|about| about.modified()).ok();
        let is_fresh = last.is_some_and(|last| now.duration_since(last).is_ok_and(|age| age < DAY));
        if is_fresh && !due {
            return Ok(None);
        }
        // Written first: where it fails, it is tried and told once a day.
        regular_file::replace(&mark, b"").map_err(|error| error.to_string())?;
        let list = dir.join(DIRECTORY).join(SESSIONS);
        let done = files::collect(&dir, || sessions(&list), &self.file_settings(), now);
        done.map(Some).map_err(|error| error.to_string())
    }
}

/// The sessions of all directories in a list. One that cannot be read is an error.
fn sessions(list: &Path) -> Result<Vec<Session>, String> {
    let mut sessions = Vec::new();
    for directory in directories(list)? {
        if !is_there(&directory)? {
            continue;
        }
        let store = Store::open(directory);
        for summary in store.list().map_err(|error| error.to_string())? {
            sessions.extend(session(&summary)?);
        }
    }
    Ok(sessions)
}

/// Returns true if a directory of sessions is there, and false if it was removed from one that has other entries. Otherwise,
/// it may be on a disk that is not mounted.
fn is_there(directory: &Path) -> Result<bool, String> {
    let failed = |why: &str| {
        format!(
            "cannot read the sessions in {}: {why}",
            visible(&directory.display().to_string())
        )
    };
    let has_entries = |dir: &Path| fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    match fs::metadata(directory) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&error.to_string())),
        Err(_) if directory.parent().is_some_and(has_entries) => Ok(false),
        Err(_) => Err(failed(&format!(
            "it is not there; hint: mount its disk, or remove it from {SESSIONS}"
        ))),
    }
}

/// The directories of sessions in a list. A list that cannot be read is an error: nothing is deleted then.
fn directories(list: &Path) -> Result<BTreeSet<PathBuf>, String> {
    match regular_file::read_text(list, MOST) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error.to_string()),
    }
}

/// What a session needs of the contents, for each workspace in which it ran; nothing if it never began. One that cannot be
/// read to its end is an error.
fn session(summary: &Summary) -> Result<Vec<Session>, String> {
    let unread = |why: &str| {
        let hint = "hint: delete it, or repair it";
        Err(format!(
            "cannot read what session {} names: {why}; {hint}",
            visible(&summary.id)
        ))
    };
    if summary.workspace.is_none() {
        return summary.problem.as_deref().map_or(Ok(Vec::new()), unread);
    }
    let loaded = journal::read(&summary.place).map_err(|error| error.to_string())?;
    if let Some(damage) = &loaded.damage {
        return unread(&damage.to_string());
    }
    let last_event = at(loaded.envelopes.last().map_or(0, |last| last.at));
    let (mut workspaces, mut named) = (BTreeSet::new(), HashSet::new());
    for envelope in &loaded.envelopes {
        if let Event::Run(RunEvent::Started(started) | RunEvent::Refitted { started }) = &envelope.event {
            workspaces.insert(PathBuf::from(&started.workspace));
        }
        named.extend(hashes(&envelope.event));
    }
    let of = |workspace: PathBuf| Session {
        workspace: workspace.canonicalize().unwrap_or(workspace),
        last_event,
        hashes: named.clone(),
    };
    Ok(workspaces.into_iter().map(of).collect())
}

/// A time in milliseconds since 1970.
fn at(ms: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(ms).unwrap_or_default());
    SystemTime::UNIX_EPOCH
        .checked_add(since)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The contents that an event names.
fn hashes(event: &Event) -> Vec<String> {
    let of_change = |one: &Change| {
        [
            one.before.hash().map(str::to_owned),
            one.after.hash().map(str::to_owned),
        ]
    };
    let of_step = |one: &Step| {
        [
            one.from.hash().map(str::to_owned),
            one.to.hash().map(str::to_owned),
        ]
    };
    let changed = |all: &[Change]| all.iter().flat_map(of_change).flatten().collect();
    match event {
        Event::Files(FilesEvent::Changed { set, .. }) => changed(&set.changes.0),
        Event::Files(FilesEvent::ChangedOutside { changes }) => changed(&changes.0),
        Event::Files(FilesEvent::RestoreStarted(started)) => {
            started.steps.0.iter().flat_map(of_step).flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the content of a file in a state: the saved one, or that of the file itself while it has this state.
pub fn content(tracker: &Tracker, path: &FilePath, state: &FileState) -> Result<Vec<u8>, String> {
    let hash = state.hash().ok_or_else(|| "it has no content".to_owned())?;
    let why = match tracker.content(hash) {
        Ok(bytes) => return Ok(bytes),
        Err(error) => visible(&error.to_string()),
    };
    let place = tracker.workspace().join(OsStr::from_bytes(path.bytes()));
    let is_now = || tracker.states(std::slice::from_ref(path)) == std::slice::from_ref(state);
    let read = is_now().then(|| regular_file::open_bounded(&place, Links::Refuse, MOST_SHOWN));
    let bytes = read
        .and_then(Result::ok)
        .and_then(|file| regular_file::read_open(file, MOST_SHOWN).ok());
    bytes.filter(|_| is_now()).ok_or(why)
}

#[cfg(test)]
mod tests {
    use super::{Session, sessions};
    use std::path::PathBuf;

    #[test]
    fn a_missing_directory_of_sessions_is_an_error_unless_it_was_removed() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("sessions.json");
        let read = |named: PathBuf| -> Result<Vec<Session>, String> {
            std::fs::write(&list, serde_json::to_string(&[named]).unwrap()).unwrap();
            sessions(&list)
        };
        assert_eq!(read(dir.path().join("removed")).unwrap().len(), 0);
        // The place of a disk that is not mounted.
        std::fs::create_dir(dir.path().join("disk")).unwrap();
        for name in ["disk/sessions", "gone/sessions"] {
            let why = read(dir.path().join(name)).unwrap_err();
            assert!(why.contains("it is not there; hint: mount its disk"), "{why}");
        }
        std::fs::create_dir(dir.path().join("disk/sessions")).unwrap();
        assert_eq!(read(dir.path().join("disk/sessions")).unwrap().len(), 0);
    }
}
