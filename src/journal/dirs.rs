//! Creates directories that only their owner can access, and makes names in them durable.
//!
//! Must not know: what is in them.

use std::io;
use std::path::Path;

use overrule_regular_file as regular_file;

/// Creates a directory and its missing parents, accessible to the owner alone. The name of each new directory
/// is durable when this returns.
pub(super) fn make_dirs(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    for dir in missing
        .into_iter()
        .rev()
        .filter(|dir| !dir.as_os_str().is_empty())
    {
        match regular_file::make_directory(dir) {
            // Another process was faster, or it is a dangling link: the next use of the path shows
            // which.
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
    regular_file::open_dir(path)?.sync_all()
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
