//! Finds what the sandbox refused in the output of a command.
//!
//! Must not know: which call it was.
//!
//! Words alone prove nothing. A refusal is a path that the output names next to the words, that the profile forbids, and
//! that this process itself could reach. Still, a text that a command prints may look the same: such a refusal is not exact
//! ([`Refused::exact`]). The words are those of the English messages: a command that runs in another
//! language is refused as well, but not reported.

mod message;
#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use overrule_domain::sandbox::{Guarantee, Level, Profile, Refused, RefusedKind};
use rustix::fs::{AtFlags, CWD, StatVfsMountFlags, accessat, statvfs};

use message::{Message, Reason};

/// Refusals of one output.
const MOST_REFUSALS: usize = 16;
/// Paths of one output that are looked up on the disk.
const MOST_PATHS: usize = 2000;
/// Files of which it is checked whether the output quotes them.
const MOST_FILES: usize = 100;
/// Directories whose entries are devices, not files outside.
const DEVICES: &str = "/dev";
/// True where a write outside fails because of a read-only mount, and never by a denied permission.
const READ_ONLY_MOUNTS: bool = cfg!(target_os = "linux");

/// A kind of access to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To change it, or to create it in its directory.
    Write,
}

/// How the command was confined that wrote the output.
#[derive(Debug, Clone, Copy)]
pub struct Confinement<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The directory in which the command ran.
    pub cwd: &'a Path,
    /// The home directory, for `~/…`.
    pub home: Option<&'a Path>,
    /// More that the command could write: its temporary directories as it names them, and caches.
    pub writable: &'a [&'a Path],
    /// What was mounted read-only for this call: protected paths, and what could not be restored.
    pub read_only: &'a [PathBuf],
    /// Directories that could not be renamed.
    pub pinned: &'a [PathBuf],
}

/// Returns what the sandbox refused, each path once. `able` tells whether this process may access a path ([`able`]).
pub fn found(output: &str, confinement: &Confinement, able: &dyn Fn(&Path, Access) -> bool) -> Vec<Refused> {
    let mut found: Vec<Refused> = Vec::new();
    if confinement.profile.level == Level::Off {
        return found;
    }
    let judge = Judge { confinement, able };
    let (mut paths_left, mut files_left) = (MOST_PATHS, MOST_FILES);
    message::each(output, &mut |message| {
        for path in &message.paths {
            // Most files that are not there are not hidden: only names decide, so that they use up no bound.
            if message.reason == Reason::Missing && !judge.names_hidden(path) {
                continue;
            }
            paths_left = paths_left.saturating_sub(1);
            let refused = judge.refused(path, message);
            let Some(refused) = refused.filter(|refused| !found.contains(refused)) else {
                continue;
            };
            files_left = files_left.saturating_sub(1);
            if !judge.is_quoted(message) {
                found.push(refused);
            }
        }
        found.len() < MOST_REFUSALS && paths_left > 0 && files_left > 0
    });
    found.truncate(MOST_REFUSALS);
    found
}

/// Returns true if this process may access a path now. Writing a path that does not exist is judged on its directory.
pub fn able(path: &Path, access: Access) -> bool {
    let (path, kind) = match access {
        Access::Read => (path, rustix::fs::Access::READ_OK),
        Access::Write if path.symlink_metadata().is_ok() => (path, rustix::fs::Access::WRITE_OK),
        Access::Write => match path.parent() {
            Some(parent) if parent.is_dir() => {
                (parent, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
            }
            _ => return false,
        },
    };
    // Root may write to a read-only file system as far as permissions go.
    let is_read_only = || statvfs(path).is_ok_and(|fs| fs.f_flag.contains(StatVfsMountFlags::RDONLY));
    accessat(CWD, path, kind, AtFlags::EACCESS).is_ok() && (access == Access::Read || !is_read_only())
}

/// Decides about the paths of one output.
struct Judge<'a> {
    confinement: &'a Confinement<'a>,
    able: &'a dyn Fn(&Path, Access) -> bool,
}

impl Judge<'_> {
    fn refused(&self, named: &str, message: &Message) -> Option<Refused> {
        let path = resolved(&self.absolute(named)?);
        let kind = if message.reason == Reason::Missing {
            let is_there = path.symlink_metadata().is_ok() && (self.able)(&path, Access::Read);
            (self.is_hidden(&path) && is_there).then_some(RefusedKind::Read)
        } else if self.is_hidden(&path) && message.reason == Reason::Denied {
            (self.able)(&path, Access::Read).then_some(RefusedKind::Read)
        } else if message.reason == Reason::Busy && self.confinement.pinned.contains(&path) {
            let is_refused = self.may_refuse_writing(message.reason) && (self.able)(&path, Access::Write);
            is_refused.then_some(RefusedKind::Protected)
        } else {
            // A read-only path is mounted onto itself, so that nothing is renamed over it.
            let is_busy = message.reason == Reason::Busy;
            let is_refused = self.may_refuse_writing(message.reason)
                && (!is_busy || self.is_mounted(&path))
                && self.forbids_writing(&path)
                && self.could_write(&path, message.reason);
            is_refused.then_some(RefusedKind::Write)
        }?;
        Some(Refused {
            kind,
            what: path.to_string_lossy().into_owned(),
            exact: false,
            kept: None,
        })
    }

    /// The path that a message names. A name that is no path gives nothing.
    fn absolute(&self, named: &str) -> Option<PathBuf> {
        if named.is_empty() || named.contains(char::is_control) {
            return None;
        }
        let path = match named.strip_prefix("~/") {
            Some(below) => self.confinement.home?.join(below),
            None => self.confinement.cwd.join(named),
        };
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                // The root has no parent, and stays.
                Component::ParentDir => _ = plain.pop(),
                part => plain.push(part),
            }
        }
        // The root itself is no target of a command.
        plain.parent().is_some().then_some(plain)
    }

    /// True if a name is that of a hidden path, as it is written.
    fn names_hidden(&self, named: &str) -> bool {
        self.absolute(named).is_some_and(|path| self.is_hidden(&path))
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let hidden = &self.confinement.profile.hidden;
        hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// True if the sandbox refuses a write with this reason. Where everything outside is mounted read-only, a denied
    /// permission comes from elsewhere.
    fn may_refuse_writing(&self, reason: Reason) -> bool {
        let is_mounted = READ_ONLY_MOUNTS && self.confinement.profile.holds(Guarantee::Attributes);
        match reason {
            Reason::ReadOnly => true,
            Reason::Denied => !is_mounted,
            Reason::Busy => is_mounted,
            Reason::Missing => false,
        }
    }

    fn forbids_writing(&self, path: &Path) -> bool {
        let confinement = self.confinement;
        if path.starts_with(DEVICES) && !confinement.read_only.iter().any(|one| path.starts_with(one)) {
            return false;
        }
        let in_profile = confinement.profile.write.iter().map(Path::new);
        let mut in_profile = in_profile.filter(|_| confinement.profile.level == Level::Workspace);
        let mut private = confinement.writable.iter().copied();
        let is_writable = in_profile.any(|one| path.starts_with(one))
            || private.any(|one| path.starts_with(one) && !self.is_shown_in(one, path));
        !is_writable || confinement.read_only.iter().any(|one| path.starts_with(one))
    }

    /// True if a path belongs to a home or a workspace that lies in a private directory: those are shown there as they are.
    fn is_shown_in(&self, private: &Path, path: &Path) -> bool {
        let shown = self.confinement.profile.write.iter().map(Path::new);
        let mut shown = shown.chain(self.confinement.home);
        shown.any(|one| one != private && one.starts_with(private) && path.starts_with(one))
    }

    fn is_mounted(&self, path: &Path) -> bool {
        self.confinement.read_only.iter().any(|one| one == path)
    }

    /// True if this process could write a path. On a file system that is not read-only here, it is enough that it could
    /// change the directory, or the nearest one that exists.
    fn could_write(&self, path: &Path, reason: Reason) -> bool {
        if (self.able)(path, Access::Write) {
            return true;
        }
        let near = path.ancestors().skip(1).find(|parent| parent.is_dir());
        reason == Reason::ReadOnly && near.is_some_and(|near| (self.able)(near, Access::Write))
    }

    /// True if a message is a line of a file, as `grep` prints it.
    fn is_quoted(&self, message: &Message) -> bool {
        let Some((file, rest)) = message.line.split_once(':') else {
            return false;
        };
        let rest = match rest.split_once(':') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
            _ => rest,
        };
        let text = self.absolute(file).filter(|path| path.is_file());
        let text = text.and_then(|path| overrule_regular_file::read_text(&path, MOST_BYTES).ok());
        text.is_some_and(|text| text.contains(rest.trim()))
    }
}

/// Bytes of a file of which a line may be quoted.
const MOST_BYTES: u64 = 1 << 20;

/// Resolves the links of a path as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    for parent in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (parent.canonicalize(), path.strip_prefix(parent)) {
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path.to_owned()
}
