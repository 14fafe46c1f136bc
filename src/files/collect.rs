//! Deletes saved contents that no session names any more.
//!
//! Must not know: how a session is read.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::FlockOperation;

use crate::{Error, Settings, store};

/// What a session needs of the store.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its workspace, with all links resolved.
    pub workspace: PathBuf,
    /// When its last event was recorded.
    pub last_event: SystemTime,
    /// The hashes that its journal names.
    pub hashes: HashSet<String>,
}

/// What a collection did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// Contents that were deleted.
    pub deleted: usize,
    /// The bytes that they took.
    pub freed: u64,
    /// Workspaces that were left alone, because a run uses their contents.
    pub in_use: usize,
}

/// Contents that are younger may belong to something that no journal names yet.
const YOUNG: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A content in a store.
struct Object {
    path: PathBuf,
    size: u64,
    is_young: bool,
}

/// A store that nothing else uses.
struct Held {
    objects: HashMap<String, Object>,
    _lock: File,
}

/// Deletes the contents of all workspaces that no session names and that are older than an hour. Sessions past `keep_days`
/// name nothing; over `max_store`, the oldest ones lose their contents first. Contents that a run is using are left alone.
///
/// `sessions` reads all sessions, or returns why it cannot. It is called when no run can use the contents any longer: what
/// a run recorded until then is in its journal.
///
/// # Errors
///
/// The directory of the contents or the sessions cannot be read: nothing was deleted.
pub fn collect(
    data_dir: &Path,
    sessions: impl FnOnce() -> Result<Vec<Session>, String>,
    settings: &Settings,
    now: SystemTime,
) -> Result<Collected, Error> {
    let all = store::stores(data_dir);
    let mut collected = Collected::default();
    let stores = match std::fs::read_dir(&all) {
        Ok(stores) => stores,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(collected),
        Err(error) => return Err(Error::io("read", &all, error)),
    };
    let mut held: HashMap<String, Held> = HashMap::new();
    let mut used = 0_u64;
    for dir in stores
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
    {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Ok(lock) = store::lock(&dir, FlockOperation::NonBlockingLockExclusive) {
            clear_temporary(&dir);
            let objects = objects(&dir, now);
            held.insert(name, Held { objects, _lock: lock });
        } else {
            used = used.saturating_add(store::size_of(&dir));
            collected.in_use = collected.in_use.saturating_add(1);
        }
    }
    let mut sessions = sessions().map_err(|why| Error::Sessions { why })?;
    let keep = DAY.saturating_mul(settings.keep_days);
    sessions.retain(|session| {
        now.duration_since(session.last_event)
            .is_ok_and(|age| age <= keep)
            || session.last_event > now
    });
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_event));
    let named = within(&held, &sessions, settings.max_store.saturating_sub(used));
    for (name, store) in &held {
        for (hash, object) in &store.objects {
            let is_named = named.contains(&(name.as_str(), hash.as_str()));
            if !is_named && !object.is_young && std::fs::remove_file(&object.path).is_ok() {
                collected.deleted = collected.deleted.saturating_add(1);
                collected.freed = collected.freed.saturating_add(object.size);
            }
        }
    }
    Ok(collected)
}

/// What the newest sessions name, until it takes `room` bytes. A session whose contents do not fit loses all of them that
/// no newer one names, and so do all older ones.
fn within<'a>(
    held: &'a HashMap<String, Held>,
    sessions: &'a [Session],
    room: u64,
) -> HashSet<(&'a str, &'a str)> {
    let mut named = HashSet::new();
    let mut size = 0_u64;
    for session in sessions {
        let Some((name, store)) = held.get_key_value(&store::name_of(&session.workspace)) else {
            continue;
        };
        let objects = session
            .hashes
            .iter()
            .filter_map(|hash| store.objects.get_key_value(hash));
        let new = objects.filter(|(hash, _)| !named.contains(&(name.as_str(), hash.as_str())));
        let new: Vec<(&String, &Object)> = new.collect();
        size = new
            .iter()
            .fold(size, |size, (_, object)| size.saturating_add(object.size));
        if size > room {
            break;
        }
        named.extend(new.iter().map(|(hash, _)| (name.as_str(), hash.as_str())));
    }
    named
}

/// Nothing else uses the store: a temporary name was left by a crash.
fn clear_temporary(dir: &Path) {
    let entries = std::fs::read_dir(dir.join(store::TEMPORARY))
        .into_iter()
        .flatten()
        .flatten();
    for entry in entries {
        let _ = std::fs::remove_file(entry.path());
    }
}

/// The contents of a store by their hashes.
fn objects(dir: &Path, now: SystemTime) -> HashMap<String, Object> {
    let heads = std::fs::read_dir(dir.join(store::OBJECTS))
        .into_iter()
        .flatten()
        .flatten();
    let mut found = HashMap::new();
    for head in heads {
        let rests = std::fs::read_dir(head.path()).into_iter().flatten().flatten();
        for rest in rests {
            let Ok(meta) = rest.metadata() else {
                continue;
            };
            let hash = format!(
                "{}{}",
                head.file_name().to_string_lossy(),
                rest.file_name().to_string_lossy()
            );
            let age = meta
                .modified()
                .ok()
                .and_then(|time| now.duration_since(time).ok());
            let object = Object {
                path: rest.path(),
                size: meta.len(),
                is_young: age.is_none_or(|age| age < YOUNG),
            };
            found.insert(hash, object);
        }
    }
    found
}
