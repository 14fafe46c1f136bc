//! Replaces a settings file by a longer one, durably and only if nobody else changed it.
//!
//! Must not know: what is in it.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use overrule_regular_file as regular_file;

use crate::files;

/// Replaces the text that was read, unless the file has changed since.
pub(super) fn write(path: &Path, before: Option<&str>, text: &str) -> io::Result<()> {
    let dir = path
        .parent()
        .filter(|dir| !dir.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    let mode = if before.is_some() {
        mode_of(path)?
    } else {
        fs::create_dir_all(dir)?;
        0o600
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = dir.join(format!(".{name}.{}.part", std::process::id()));
    let written = replace(path, (before, text), &draft, mode);
    if written.is_err() {
        // Remove the incomplete draft; the error already says that nothing was changed.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// The permissions of a file that may be replaced: a regular file that is not read-only. A device in its
/// place can be read as an empty file, and must not be replaced.
fn mode_of(path: &Path) -> io::Result<u32> {
    let meta = regular_file::appendable(path)?.metadata()?;
    if meta.is_file() {
        return Ok(meta.permissions().mode());
    }
    Err(io::Error::other("it is not a regular file"))
}

fn replace(path: &Path, (before, text): (Option<&str>, &str), draft: &Path, mode: u32) -> io::Result<()> {
    let mut file = regular_file::create(draft)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(fs::Permissions::from_mode(mode & 0o7777))?;
    file.sync_all()?;
    let now = match regular_file::read(path, files::MOST) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if now.as_deref() != before.map(str::as_bytes) {
        return Err(io::Error::other("another program changed it meanwhile"));
    }
    fs::rename(draft, path)?;
    // The file is replaced, even if the directory cannot be synced.
    if let Some(dir) = path.parent() {
        let _ = regular_file::open_dir(dir).and_then(|dir| dir.sync_all());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_never_replaced() {
        // Only looked at: a mistake here must not cost the machine its device.
        let refused = mode_of(Path::new("/dev/null")).unwrap_err();
        assert!(refused.to_string().contains("not a regular file"), "{refused}");
    }
}
