//! The place of one step of a restore: an open directory, a name in it, and a temporary name next to it.
//!
//! Must not know: the other steps.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use overrule_domain::files::{FileState, Step, WRITABLE};
use rustix::fs::{AtFlags, Mode, RawMode, RenameFlags};
use rustix::io::Errno;

use super::{Fault, Hook, SEVERAL_NAMES, Skip, state_in};
use crate::entry::Meta;
use crate::scan::{Context, is_same};
use crate::{repository, root, temporary};

/// The place of one step.
pub(super) struct Place<'a> {
    context: &'a Context,
    step: &'a Step,
    directory: OwnedFd,
    name: &'a OsStr,
    /// Where the new object waits, complete, and then the old one.
    temporary: OsString,
    /// Where the new object is being made.
    draft: OsString,
}

/// Returns true for the state that a step changes. A directory may be writable in addition.
pub(super) fn is_old(step: &Step, state: &FileState) -> bool {
    is_same(state, &step.from)
        || matches!(step.from, FileState::Dir { .. }) && step.between().as_ref() == Some(state)
}

/// Returns true for the state that a step leads to. A directory may be writable in addition.
pub(super) fn is_new(step: &Step, state: &FileState) -> bool {
    is_same(state, &step.to)
        || matches!(step.to, FileState::Dir { .. }) && step.between().as_ref() == Some(state)
}

impl<'a> Place<'a> {
    /// Opens the directory of a step's path. Nothing of git's own is opened: a forged journal could make git run a program.
    pub(super) fn open(context: &'a Context, step: &'a Step) -> Result<Self, Skip> {
        let mut parts = step.path.bytes().split(|byte| *byte == b'/');
        // Some file systems do not tell the cases of letters apart.
        if parts.any(|part| part.eq_ignore_ascii_case(repository::ENTRY)) {
            return Err(Skip::Because("git's own files are not restored".to_owned()));
        }
        let (directory, name) = context.root.parent(&step.path).map_err(|errno| match errno {
            Errno::LOOP | Errno::NOTDIR => Skip::changed(),
            errno => errno.into(),
        })?;
        let (temporary, draft) = temporary::names(&step.path);
        Ok(Self {
            context,
            step,
            directory,
            name,
            temporary,
            draft,
        })
    }

    fn state(&self, name: &OsStr) -> FileState {
        state_in(self.context, self.directory.as_fd(), name.as_bytes(), &mut |_| {
            Ok(())
        })
    }

    /// Removes an entry; nothing may be there.
    fn remove(&self, name: &OsStr, hook: Hook<'_>) -> Result<(), Skip> {
        hook("remove")?;
        let removed = match rustix::fs::unlinkat(&self.directory, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => {
                rustix::fs::unlinkat(&self.directory, name, AtFlags::REMOVEDIR)
            }
            other => other,
        };
        match removed {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Clears what a restore that ended in the middle left here. What it had exchanged and not compared is compared now.
    pub(super) fn clear(&self, is_done: bool, hook: Hook<'_>) -> Result<(), Skip> {
        if self.state(&self.draft).is_there() {
            self.remove(&self.draft, hook)?;
        }
        let old = self.state(&self.temporary);
        if !old.is_there() {
            return Ok(());
        }
        if is_old(self.step, &old) || is_new(self.step, &old) {
            match self.remove(&self.temporary, hook) {
                // A directory that is not empty returns.
                Err(Skip::Because(why)) if is_done && matches!(self.step.from, FileState::Dir { .. }) => {
                    self.exchange_back(hook)?;
                    return Err(Skip::Because(why));
                }
                // The path has its new state, and the old one is saved.
                Err(Skip::Because(why)) if is_done => {
                    tracing::warn!(why, "cannot remove what a restore set aside");
                    return Ok(());
                }
                other => return other,
            }
        }
        if is_done {
            self.exchange_back(hook)?;
        }
        Err(Skip::changed())
    }

    /// Compares what was replaced again, and removes it.
    pub(super) fn settle(&self, hook: Hook<'_>) -> Result<(), Skip> {
        self.clear(true, hook)
    }

    /// Refuses a file that has more than one name: the others may lie anywhere.
    pub(super) fn refuse_several_names(&self) -> Result<(), Skip> {
        let stat = rustix::fs::statat(&self.directory, self.name, AtFlags::SYMLINK_NOFOLLOW);
        match stat.map(|stat| Meta::of(&stat)) {
            Ok(meta) if meta.is_linked => Err(Skip::Because(SEVERAL_NAMES.to_owned())),
            _ => Ok(()),
        }
    }

    /// Makes the new object under the temporary name.
    pub(super) fn make(&self, hook: Hook<'_>) -> Result<(), Skip> {
        let made = self.draft(hook).and_then(|()| {
            hook("name")?;
            let (at, draft) = (&self.directory, &self.draft);
            Ok(rustix::fs::renameat(at, draft, at, &self.temporary)?)
        });
        made.inspect_err(|skip| {
            if !matches!(skip, Skip::Stop) {
                let _ = self.remove(&self.draft, &mut |_| Ok(()));
            }
        })
    }

    fn draft(&self, hook: Hook<'_>) -> Result<(), Skip> {
        match &self.step.to {
            FileState::File { hash, mode, .. } => {
                let content = self.context.store.get(hash);
                let content = content.map_err(|error| Skip::Because(error.to_string()))?;
                hook("create")?;
                let mut file = root::create(self.directory.as_fd(), &self.draft)?;
                hook("write")?;
                let failed = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
                file.write_all(&content).map_err(failed)?;
                hook("mode")?;
                rustix::fs::fchmod(&file, Mode::from_raw_mode(*mode as RawMode))?;
                hook("sync")?;
                file.sync_all().map_err(failed)?;
            }
            FileState::Symlink { target } => {
                hook("link")?;
                rustix::fs::symlinkat(OsStr::from_bytes(&target.0), &self.directory, &self.draft)?;
            }
            FileState::Dir { mode } => {
                hook("make directory")?;
                rustix::fs::mkdirat(&self.directory, &self.draft, Mode::RWXU)?;
                hook("mode")?;
                root::set_mode(self.directory.as_fd(), &self.draft, *mode | WRITABLE)?;
            }
            FileState::Missing {} | FileState::Unsaved { .. } => {}
        }
        Ok(())
    }

    /// Changes the permissions of the present object.
    pub(super) fn set_mode(&self, mode: u32, hook: Hook<'_>) -> Result<(), Skip> {
        hook("mode")?;
        Ok(root::set_mode(self.directory.as_fd(), self.name, mode)?)
    }

    /// Removes the directory if it is empty.
    pub(super) fn remove_directory(&self, hook: Hook<'_>) -> Result<(), Skip> {
        hook("remove")?;
        Ok(rustix::fs::unlinkat(
            &self.directory,
            self.name,
            AtFlags::REMOVEDIR,
        )?)
    }

    /// Moves the old object to the temporary name.
    pub(super) fn move_aside(&self, hook: Hook<'_>) -> Result<(), Skip> {
        hook("rename")?;
        self.rename_new(self.name, &self.temporary)?;
        self.compare(hook)
    }

    /// Gives the new object its name, which nothing has.
    pub(super) fn put(&self, hook: Hook<'_>) -> Result<(), Skip> {
        let put = hook("rename").map_err(Skip::from);
        let put = put.and_then(|()| Ok(self.rename_new(&self.temporary, self.name)?));
        self.or_remove(put)
    }

    /// Exchanges the old object and the new one.
    pub(super) fn exchange(&self, hook: Hook<'_>) -> Result<(), Skip> {
        let exchanged = hook("exchange").map_err(Skip::from);
        let exchanged = exchanged.and_then(|()| Ok(self.swap()?));
        self.or_remove(exchanged)?;
        if matches!(self.step.from, FileState::Dir { .. }) {
            let removed = hook("remove").map_err(Skip::from).and_then(|()| {
                let removed = rustix::fs::unlinkat(&self.directory, &self.temporary, AtFlags::REMOVEDIR);
                Ok(removed?)
            });
            // A directory that is not empty returns.
            return match removed {
                Err(Skip::Because(why)) => {
                    self.exchange_back(hook)?;
                    Err(Skip::Because(why))
                }
                other => other,
            };
        }
        self.compare(hook)
    }

    /// Compares the old object, which has no other name now, with what it should be. If it differs, it returns.
    fn compare(&self, hook: Hook<'_>) -> Result<(), Skip> {
        let old = self.state(&self.temporary);
        // Where names cannot be exchanged, nothing was set aside.
        if !old.is_there() || is_old(self.step, &old) {
            return Ok(());
        }
        self.exchange_back(hook)?;
        Err(Skip::changed())
    }

    /// Gives the old object its name again, and removes the new one.
    fn exchange_back(&self, hook: Hook<'_>) -> Result<(), Skip> {
        hook("exchange")?;
        if !self.step.to.is_there() {
            return Ok(self.rename_new(&self.temporary, self.name)?);
        }
        self.swap()?;
        let new = self.state(&self.temporary);
        if is_new(self.step, &new) {
            return self.remove(&self.temporary, hook);
        }
        // It was changed in the moment in which it had the name: that is the newest content, and the old one is saved
        // nowhere else. Both stay.
        let name = self.temporary.to_string_lossy();
        Err(Skip::Because(format!(
            "changed twice meanwhile; one content is in {name}"
        )))
    }

    /// Removes the new object if it did not get its name.
    fn or_remove(&self, result: Result<(), Skip>) -> Result<(), Skip> {
        result.inspect_err(|skip| {
            if !matches!(skip, Skip::Stop) {
                let _ = self.remove(&self.temporary, &mut |_| Ok::<(), Fault>(()));
            }
        })
    }

    /// Renames to a name that nothing has.
    fn rename_new(&self, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        let at = &self.directory;
        match rustix::fs::renameat_with(at, from, at, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other,
        }
        match rustix::fs::statat(at, to, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => rustix::fs::renameat(at, from, at, to),
            Ok(_) => Err(Errno::EXIST),
            Err(errno) => Err(errno),
        }
    }

    /// Exchanges the names. Where the file system cannot, compares again and replaces.
    fn swap(&self) -> Result<(), Errno> {
        let at = &self.directory;
        match rustix::fs::renameat_with(at, &self.temporary, at, self.name, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other,
        }
        if !is_old(self.step, &self.state(self.name)) {
            return Err(Errno::EXIST);
        }
        rustix::fs::renameat(at, &self.temporary, at, self.name)
    }
}
