//! Opens and creates files that only their owner can read, and follows nothing unexpected. Must not know:
//! what is in the files.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens an existing file for reading. Pipes, devices and directories are refused without blocking; symbolic
/// links are followed only if `follow` is set.
pub(super) fn regular(path: &Path, follow: bool) -> io::Result<File> {
    open(path, OpenOptions::new().read(true), follow)
}

/// Opens an existing file for reading and appending, under the same rules.
pub(super) fn appendable(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true), false)
}

/// Creates a file for appending. It must not exist.
pub(super) fn create(path: &Path) -> io::Result<File> {
    open(
        path,
        OpenOptions::new().read(true).append(true).create_new(true),
        false,
    )
}

/// Creates a file, or truncates an existing one.
pub(super) fn rewrite(path: &Path) -> io::Result<File> {
    open(
        path,
        OpenOptions::new().write(true).create(true).truncate(true),
        false,
    )
}

/// Opens a file, creating it empty if it is missing.
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
    // The flags of open(2) fit into 32 bits on every supported system.
    let file = options.mode(0o600).custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(file)
}

/// Creates a directory that only its owner can access. It must not exist.
pub(super) fn make_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Creates a directory and its missing parents, accessible to the owner alone. The name of each new directory
/// is durable when this returns.
pub(super) fn make_dirs(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    for dir in missing
        .into_iter()
        .rev()
        .filter(|dir| !dir.as_os_str().is_empty())
    {
        match make_dir(dir) {
            // Another process was faster, or it is a dangling link: the next use of the path tells.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        match dir.parent() {
            Some(parent) if parent.as_os_str().is_empty() => sync_dir(Path::new("."))?,
            Some(parent) => sync_dir(parent)?,
            None => {}
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn directories_are_made_as_far_as_missing_and_for_the_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b/c");
        make_dirs(&path).unwrap();
        make_dirs(&path).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(place.path().join("file"), "").unwrap();
        assert!(make_dirs(&place.path().join("file/below")).is_err());
        std::os::unix::fs::symlink("nowhere", place.path().join("link")).unwrap();
        assert!(make_dirs(&place.path().join("link/below")).is_err());
    }
}
