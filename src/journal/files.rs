//! Opening and making files so that nobody else reads them and nothing odd is followed.
//! Must not know: what is in the files.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens an existing file to read. A pipe, device or directory is refused and never waited for; a
/// symbolic link is followed only where that is asked for.
pub(super) fn regular(path: &Path, follow: bool) -> io::Result<File> {
    open(path, OpenOptions::new().read(true), follow)
}

/// Opens an existing file to read and append, under the same rules.
pub(super) fn appendable(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true), false)
}

/// Makes a file that must not exist yet, for appending.
pub(super) fn create(path: &Path) -> io::Result<File> {
    open(
        path,
        OpenOptions::new().read(true).append(true).create_new(true),
        false,
    )
}

/// Makes a file or empties the one that is there.
pub(super) fn rewrite(path: &Path) -> io::Result<File> {
    open(
        path,
        OpenOptions::new().write(true).create(true).truncate(true),
        false,
    )
}

/// Opens a file, or makes it empty.
pub(super) fn ensure(path: &Path) -> io::Result<File> {
    open(
        path,
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
        false,
    )
}

fn open(path: &Path, options: &mut OpenOptions, follow: bool) -> io::Result<File> {
    let mut flags = OFlags::NONBLOCK;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    // The bits of open(2) fit into 32 on every system that this is built for.
    let file = options.mode(0o600).custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(file)
}

/// Makes a directory for the owner alone. It must not exist.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a directory and what is above it, as far as missing.
pub(super) fn make_dirs(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
