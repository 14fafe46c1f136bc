//! Makes directories that only their owner can access.
//!
//! Must not know: what is in them.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Permissions of a private directory.
const OWNER_ALONE: u32 = 0o700;

/// Makes a directory for its owner alone. It must not exist, and those above it must.
pub fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNER_ALONE).create(path)
}

/// Makes a directory for its owner alone, with those above it that are missing. One that exists stays as it is.
pub fn make_directories(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNER_ALONE).recursive(true).create(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_made_is_for_its_owner_alone_and_what_exists_stays() {
        let place = tempfile::tempdir().unwrap();
        let open = place.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        let deep = open.join("a/b");
        assert!(make_directory(&deep).is_err() && !open.join("a").exists());
        make_directories(&deep).unwrap();
        make_directories(&deep).unwrap();
        assert_eq!(
            (mode(&open), mode(&open.join("a")), mode(&deep)),
            (0o755, 0o700, 0o700)
        );

        make_directory(&deep.join("c")).unwrap();
        assert_eq!(mode(&deep.join("c")), 0o700);
        let again = make_directory(&deep.join("c")).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }
}
