//! Replaces a whole file atomically: readers see the old content or the new, never a mixture.
//!
//! Must not know: what is written, paths outside an opened directory.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;

use super::errors::{from_io, refused, shown};
use super::workspace::Target;
use overrule_domain::call::{ErrorClass, ToolError};

/// Maximum bytes of a file that is edited or compared as a whole.
pub(super) const MOST: u64 = 32 * 1024 * 1024;

/// Returns the content of the target, or `None` if there is no file.
pub(super) fn content(target: &Target) -> Result<Option<Vec<u8>>, ToolError> {
    let shown_place = target.place.shown();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let fd = match rustix::fs::openat(&target.dir, &target.name, flags, Mode::empty()) {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(from_io("read", &shown_place, &errno.into(), false)),
    };
    let mut bytes = Vec::new();
    File::from(fd)
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| from_io("read", &shown_place, &error, false))?;
    if bytes.len() as u64 > MOST {
        return Err(refused(
            ErrorClass::Param,
            format!("`{}` is larger than {} MiB", shown(&shown_place), MOST >> 20),
            "checked by the tool",
            "use the shell for files of this size",
        ));
    }
    Ok(Some(bytes))
}

/// Writes the new content to a temporary file next to the target, syncs it and renames it, keeping the mode of an
/// existing file. On error nothing was changed.
pub(super) fn replace(target: &Target, bytes: &[u8]) -> Result<(), ToolError> {
    let failed = |error: io::Error| from_io("write", &target.place.shown(), &error, false);
    let (name, mut file) = temporary(target).map_err(failed)?;
    let written = fill(target, &mut file, bytes).map_err(failed).and_then(|()| {
        unchanged(target)?;
        rustix::fs::renameat(&target.dir, &name, &target.dir, &target.name)
            .map_err(|errno| failed(errno.into()))
    });
    if let Err(error) = written {
        let _ = rustix::fs::unlinkat(&target.dir, &name, AtFlags::empty());
        return Err(error);
    }
    // The content is in place, even if the directory cannot be synced.
    let _ = rustix::fs::fsync(&target.dir);
    Ok(())
}

/// Checks that the target is still what it was before the content was made.
fn unchanged(target: &Target) -> Result<(), ToolError> {
    let now = rustix::fs::statat(&target.dir, &target.name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let mark = |stat: &Stat| {
        (
            stat.st_dev,
            stat.st_ino,
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec,
        )
    };
    if now.as_ref().map(mark) == target.stat.as_ref().map(mark) {
        return Ok(());
    }
    Err(refused(
        ErrorClass::Conflict,
        format!(
            "`{}` was changed by something else meanwhile",
            shown(&target.place.shown())
        ),
        "the file's identity, size or time differs",
        "read the file again and repeat the change on its current content",
    ))
}

fn temporary(target: &Target) -> io::Result<(String, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Tools cannot name it, because the prefix is protected.
        let name = format!(".overrule-{}-{number}.tmp", std::process::id());
        // A new file gets the default mode less the umask; that of an existing file is copied below.
        match rustix::fs::openat(&target.dir, &name, flags, Mode::from_raw_mode(0o666)) {
            Ok(fd) => return Ok((name, File::from(fd))),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

fn fill(target: &Target, file: &mut File, bytes: &[u8]) -> io::Result<()> {
    if let Some(stat) = &target.stat {
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        // Only root may give files away; others keep what they create.
        let _ = rustix::fs::fchown(&*file, Some(owner), Some(group));
        rustix::fs::fchmod(&*file, Mode::from_raw_mode(stat.st_mode & 0o7777))?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}
