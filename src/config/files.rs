//! Reads a whole settings file, or returns the reason why it cannot.
//!
//! Must not know: what is in it.

use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use overrule_base::text::visible;
use overrule_regular_file::{self as regular_file, Links};

use super::error::Error;

/// Maximum size in bytes; no settings file written by a person is larger.
pub(super) const MOST: u64 = 1 << 20;

/// The text of a file, and what else matters about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its content.
    pub text: String,
    /// True if users other than its owner may read it.
    pub open_to_others: bool,
    /// Device and inode, which are the same for two names of one file.
    pub same: (u64, u64),
}

/// Reads a file; returns `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<Text>, Error> {
    let file = match regular_file::open(path, Links::Follow) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(path, &error)),
    };
    let meta = file.metadata().map_err(|error| failed(path, &error))?;
    let text = regular_file::read_open(file, MOST).and_then(regular_file::text);
    Ok(Some(Text {
        text: text.map_err(|error| failed(path, &error))?,
        open_to_others: meta.permissions().mode() & 0o044 != 0,
        same: (meta.dev(), meta.ino()),
    }))
}

/// Reads a file that a flag or setting names; it must exist.
pub fn read_named(path: &Path) -> Result<Text, Error> {
    read(path)?.ok_or_else(|| Error::read(path, "there is no such file", "check the path"))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::PermissionDenied => "give yourself the right to read it",
        ErrorKind::InvalidInput => "move it away or write a file in its place",
        ErrorKind::InvalidData => "save it as UTF-8",
        ErrorKind::FileTooLarge => "check that it is the right file",
        _ => "check the path and the disk",
    };
    Error::read(path, visible(&error.to_string()), advice)
}
