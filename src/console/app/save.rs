//! Writes a shown text into a new file.
//!
//! Must not know: what the text is, how the file is named.

use std::fs::remove_file;
use std::io::{self, Write as _};
use std::path::{Path, absolute};

use overrule_regular_file as regular_file;

/// Writes a text into a new file. Returns a message about the file, or an error.
pub(super) fn save(path: &str, text: &str) -> Result<String, String> {
    let whole = absolute(path).unwrap_or_else(|_| path.into());
    let shown = overrule_base::text::visible(&whole.to_string_lossy());
    write(&whole, text).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{shown} exists already and is not overwritten: name another file")
        }
        _ if path.starts_with('~') => {
            format!("failed to write {shown}: {error}; `~` is not replaced here, write the whole path")
        }
        _ => format!("failed to write {shown}: {error}"),
    })?;
    Ok(format!("wrote {} bytes to {shown}", text.len()))
}

/// Creates the file, readable only by the operator. Deletes it after a failed write.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = regular_file::create(path)?;
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // A partial file is useless, and the error is reported in any case.
        let _ = remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn the_bytes_are_exact_and_nobody_else_reads_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        let text = "one\r\n\u{1b}[31m\u{202e}two";
        let output = save(path.to_str().unwrap(), text).unwrap();
        assert_eq!(
            output,
            format!("wrote {} bytes to {}", text.len(), path.display())
        );
        assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn nothing_is_overwritten_and_no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link, aim) = (
            dir.path().join("file"),
            dir.path().join("link"),
            dir.path().join("aim"),
        );
        fs::write(&file, "old").unwrap();
        symlink(&aim, &link).unwrap();
        for path in [&file, &link] {
            let why = save(path.to_str().unwrap(), "new").unwrap_err();
            assert!(why.contains("exists already and is not overwritten"), "{why}");
        }
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert!(!aim.exists());
        let why = save(dir.path().join("no/file").to_str().unwrap(), "new").unwrap_err();
        assert!(why.starts_with("failed to write "), "{why}");
        let why = save("~/nowhere/file", "new").unwrap_err();
        assert!(why.contains("write the whole path"), "{why}");
    }
}
