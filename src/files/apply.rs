//! Carries out a restore, step by step, so that nothing is lost wherever it ends.
//!
//! Must not know: which paths are selected, who asked for it.
//!
//! The new object is made under a temporary name in the same directory and then exchanged with the old one, in one system
//! call. Only afterwards is the old one compared with what it should be, when nobody can open it by its name any more: if
//! it differs, the two are exchanged back. It is compared again after the last step, before it is removed.
//!
//! A directory that is made or removed is writable meanwhile ([`Step::between`]): its entries are restored in it.

mod place;

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;

use overrule_base::text::visible;
use overrule_domain::files::{FilePath, FileState, Step};
use rustix::io::Errno;

use crate::Error;
use crate::deadline::file_time;
use crate::entry::{self, Why};
use crate::scan::{Context, is_same};
use crate::store::{self, Batch};
use place::Place;

/// Why a file with more than one name is not restored: the others may be anywhere.
pub(crate) const SEVERAL_NAMES: &str = "it has several names (hard links)";

/// Why a path is left as it is.
const CHANGED: &str = "changed since by something else";

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// The paths that have their new state, those that had it before included.
    pub done: Vec<FilePath>,
    /// The paths that were left as they are, and why. The reason is safe to show.
    pub skipped: Vec<(FilePath, String)>,
}

/// What a system call does instead of what it should. Nothing but the tests makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the tests stop a restore with it")]
pub(crate) enum Fault {
    /// The process ends before it.
    Stop,
    /// It fails.
    Errno(Errno),
}

/// Called before each system call that changes something, with its name.
pub(crate) type Hook<'a> = &'a mut dyn FnMut(&'static str) -> Result<(), Fault>;

/// Why a step was not carried out.
#[derive(Debug)]
enum Skip {
    Because(String),
    Stop,
}

impl From<Fault> for Skip {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Stop => Self::Stop,
            Fault::Errno(errno) => errno.into(),
        }
    }
}

impl From<Errno> for Skip {
    fn from(errno: Errno) -> Self {
        Self::Because(match errno {
            Errno::EXIST => CHANGED.to_owned(),
            Errno::NOTEMPTY => "it is not empty".to_owned(),
            Errno::NOENT => "its directory is missing".to_owned(),
            errno => std::io::Error::from(errno).to_string(),
        })
    }
}

impl Skip {
    fn changed() -> Self {
        Self::Because(CHANGED.to_owned())
    }
}

/// Reads what a path is now. `save` gets the content of a file.
pub(crate) fn state(
    context: &Context,
    path: &FilePath,
    save: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> FileState {
    match context.root.parent(path) {
        Ok((fd, _)) => state_in(context, fd.as_fd(), crate::root::split(path.bytes()).1, save),
        // What is a link, or no directory, on the way to it does not hold it.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => FileState::Missing {},
        Err(errno) => unreadable(errno),
    }
}

fn unreadable(errno: Errno) -> FileState {
    FileState::Unsaved {
        why: format!("cannot be read: {}", std::io::Error::from(errno)),
        size: 0,
        mtime: 0,
    }
}

/// Reads what an entry of a directory is now.
fn state_in(
    context: &Context,
    fd: std::os::fd::BorrowedFd<'_>,
    name: &[u8],
    save: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
) -> FileState {
    let mut save = |bytes: &[u8]| match save(bytes) {
        Ok(()) => Ok(*blake3::hash(bytes).as_bytes()),
        Err(_) => Err(Why::Full),
    };
    match entry::read(fd, name, context.settings.max_file, file_time(), &mut save) {
        Ok(entry) => entry.state().unwrap_or(FileState::Missing {}),
        Err(Errno::NOENT | Errno::NOTDIR) => FileState::Missing {},
        Err(errno) => unreadable(errno),
    }
}

/// Carries out the steps in their order.
///
/// # Errors
///
/// The present contents could not be saved, or there is no room: nothing was touched. Or the hook stopped it.
pub(crate) fn restore(context: &Context, steps: &[Step], hook: Hook<'_>) -> Result<Restored, Error> {
    check_room(context, steps)?;
    save_present(context, steps)?;
    let mut run = Run {
        context,
        restored: Restored::default(),
        carried_out: BTreeMap::new(),
    };
    let ended = run.open_directories(steps, hook);
    let ended = ended.and_then(|()| steps.iter().try_for_each(|step| run.step(step, hook)));
    let ended = ended.and_then(|()| run.settle_all(hook));
    let ended = ended.and_then(|()| run.close_directories(steps, hook));
    let ended = ended.and_then(|()| sync_directories(context, &run.restored.done, hook));
    match ended {
        Ok(()) => Ok(run.restored),
        Err(_) => Err(Error::io("restore", &context.root.path, Errno::CANCELED)),
    }
}

/// Removes what an interrupted restore of these steps left next to their paths. Directories that it opened get their own
/// permissions.
pub(crate) fn leave(context: &Context, steps: &[Step]) {
    let hook: Hook<'_> = &mut |_| Ok(());
    for step in steps {
        let now = state(context, &step.path, &mut |_| Ok(()));
        let place = Place::open(context, step);
        let _ = place.and_then(|place| place.clear(place::is_new(step, &now), hook));
    }
    for step in in_between(steps) {
        if step
            .between()
            .is_some_and(|between| is_now(context, step, &between))
        {
            let own = [&step.to, &step.from];
            let own = own
                .into_iter()
                .find(|state| matches!(state, FileState::Dir { .. }));
            let _ = set_mode(context, step, own.cloned(), hook);
        }
    }
}

/// A restore that is being carried out.
struct Run<'a> {
    context: &'a Context,
    restored: Restored,
    /// The steps whose old objects are still there, by their directories.
    carried_out: BTreeMap<&'a [u8], Vec<&'a Step>>,
}

impl<'a> Run<'a> {
    /// Carries out a step. Fails only if the hook stops it.
    fn step(&mut self, step: &'a Step, hook: Hook<'_>) -> Result<(), Skip> {
        if matches!(step.from, FileState::Dir { .. }) {
            // What was removed from it is set aside in it.
            self.settle(step.path.bytes(), hook)?;
        }
        match carry_out(self.context, step, hook) {
            // Before anything is restored in it.
            Ok(()) if matches!(step.to, FileState::Dir { .. }) => self.settle_one(step, hook),
            Ok(()) => {
                let parent = crate::root::split(step.path.bytes()).0;
                self.carried_out.entry(parent).or_default().push(step);
                Ok(())
            }
            Err(Skip::Because(why)) => {
                self.skip(step, &why);
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    fn skip(&mut self, step: &Step, why: &str) {
        self.restored.skipped.push((step.path.clone(), visible(why)));
    }

    /// Ends the steps of a directory.
    fn settle(&mut self, directory: &[u8], hook: Hook<'_>) -> Result<(), Skip> {
        for step in self.carried_out.remove(directory).unwrap_or_default() {
            self.settle_one(step, hook)?;
        }
        Ok(())
    }

    fn settle_one(&mut self, step: &Step, hook: Hook<'_>) -> Result<(), Skip> {
        let ended = Place::open(self.context, step).and_then(|place| place.settle(hook));
        match ended {
            Ok(()) => self.restored.done.push(step.path.clone()),
            // The directory of a removed path may be gone as well.
            Err(Skip::Because(_)) if is_now(self.context, step, &step.to) => {
                self.restored.done.push(step.path.clone());
            }
            Err(Skip::Because(why)) => self.skip(step, &why),
            Err(stop) => return Err(stop),
        }
        Ok(())
    }

    /// Makes the directories that are removed writable, so that their entries can be removed.
    fn open_directories(&self, steps: &[Step], hook: Hook<'_>) -> Result<(), Skip> {
        for step in in_between(steps).into_iter().rev() {
            let is_removed = matches!(step.from, FileState::Dir { .. });
            if is_removed && is_now(self.context, step, &step.from) {
                // Where it fails, so does what needs it.
                stopped(set_mode(self.context, step, step.between(), hook))?;
            }
        }
        Ok(())
    }

    /// Gives directories that were made, and those that were not removed, their own permissions, the deepest first.
    fn close_directories(&mut self, steps: &'a [Step], hook: Hook<'_>) -> Result<(), Skip> {
        for step in in_between(steps) {
            let between = step.between();
            if !between
                .as_ref()
                .is_some_and(|between| is_now(self.context, step, between))
            {
                continue;
            }
            let at = self.restored.done.iter().position(|path| *path == step.path);
            let own = if at.is_some() { &step.to } else { &step.from };
            match (set_mode(self.context, step, Some(own.clone()), hook), at) {
                (Err(Skip::Because(why)), Some(at)) => {
                    self.restored.done.remove(at);
                    self.skip(step, &why);
                }
                (result, _) => stopped(result)?,
            }
        }
        Ok(())
    }

    fn settle_all(&mut self, hook: Hook<'_>) -> Result<(), Skip> {
        while let Some(directory) = self.carried_out.keys().next().copied() {
            self.settle(directory, hook)?;
        }
        Ok(())
    }
}

/// The steps of directories that need other permissions while their entries are restored, the deepest first.
fn in_between(steps: &[Step]) -> Vec<&Step> {
    let differs = |step: &&Step| {
        let between = step.between();
        between.is_some_and(|between| ![&step.from, &step.to].contains(&&between))
    };
    let mut all: Vec<&Step> = steps.iter().filter(differs).collect();
    all.sort_by_key(|step| std::cmp::Reverse(step.path.depth()));
    all
}

fn is_now(context: &Context, step: &Step, expected: &FileState) -> bool {
    is_same(&state(context, &step.path, &mut |_| Ok(())), expected)
}

/// Gives the directory of a step its permissions in a state.
fn set_mode(context: &Context, step: &Step, of: Option<FileState>, hook: Hook<'_>) -> Result<(), Skip> {
    match of {
        Some(FileState::Dir { mode }) => Place::open(context, step)?.set_mode(mode, hook),
        _ => Ok(()),
    }
}

/// Passes on that the hook stopped a restore, and nothing else.
fn stopped(result: Result<(), Skip>) -> Result<(), Skip> {
    match result {
        Err(Skip::Because(_)) | Ok(()) => Ok(()),
        stop => stop,
    }
}

/// Refuses a restore for whose contents there is no room.
fn check_room(context: &Context, steps: &[Step]) -> Result<(), Error> {
    let size = |state: &FileState| match state {
        FileState::File { size, .. } => *size,
        _ => 0,
    };
    let present = steps.iter().map(|step| &step.from);
    let unsaved = present.filter(|from| from.hash().is_some_and(|hash| !context.store.has(hash)));
    let unsaved = unsaved.map(size).fold(0, u64::saturating_add);
    if unsaved > 0 {
        context.store.has_room(unsaved)?;
    }
    let written = steps
        .iter()
        .map(|step| size(&step.to))
        .fold(0, u64::saturating_add);
    let (free, _) = store::free(&context.root.path)?;
    if written > free {
        return Err(Error::NoRoom { bytes: written });
    }
    Ok(())
}

/// Saves the present contents.
fn save_present(context: &Context, steps: &[Step]) -> Result<(), Error> {
    let mut batch = Batch::default();
    let mut failure = None;
    let present = steps
        .iter()
        .filter(|step| step.from.hash().is_some_and(|hash| !context.store.has(hash)));
    for step in present {
        state(context, &step.path, &mut |bytes| {
            let put = context.store.put(bytes, &mut batch).map(|_| ());
            put.map_err(|error| {
                let text = error.to_string();
                failure = Some(error);
                Error::Full { why: text }
            })
        });
    }
    match failure {
        Some(error) => Err(error),
        None => context.store.commit(&mut batch),
    }
}

/// Carries out one step, or finds that it is done.
fn carry_out(context: &Context, step: &Step, hook: Hook<'_>) -> Result<(), Skip> {
    for state in [&step.from, &step.to] {
        if let FileState::Unsaved { why, .. } = state {
            return Err(Skip::Because(format!("not saved ({why})")));
        }
    }
    let mut nothing = |_: &[u8]| Ok(());
    let now = state(context, &step.path, &mut nothing);
    let place = Place::open(context, step);
    let is_done = place::is_new(step, &now);
    if let Ok(place) = &place {
        place.clear(is_done, hook)?;
    }
    if is_done {
        return Ok(());
    }
    if !place::is_old(step, &now) {
        return Err(Skip::changed());
    }
    let place = place?;
    place.refuse_several_names()?;
    match (&step.from, &step.to) {
        (FileState::Dir { .. }, FileState::Missing {}) => place.remove_directory(hook),
        (_, FileState::Missing {}) => place.move_aside(hook),
        (FileState::Dir { .. }, FileState::Dir { mode }) => place.set_mode(*mode, hook),
        (FileState::File { hash, .. }, FileState::File { hash: to, mode, .. }) if hash == to => {
            place.set_mode(*mode, hook)
        }
        (FileState::Missing {}, _) => {
            place.make(hook)?;
            place.put(hook)
        }
        _ => {
            place.make(hook)?;
            place.exchange(hook)
        }
    }
}

/// Syncs the directories of restored paths, as far as they are there.
fn sync_directories(context: &Context, paths: &[FilePath], hook: Hook<'_>) -> Result<(), Skip> {
    let parents = paths.iter().map(|path| crate::root::split(path.bytes()).0);
    let parents: std::collections::BTreeSet<&[u8]> = parents.collect();
    for parent in parents {
        if let Ok(fd) = context.root.directory(parent) {
            hook("sync directory")?;
            let _ = rustix::fs::fsync(&fd);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
