//! Reads a whole settings file, or says in one sentence why it cannot.
//!
//! Must not know: what is in it.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::text::visible;

use super::error::Error;

/// Maximum size in bytes; no settings file written by a person is larger.
const MOST: u64 = 1 << 20;

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
    // Opened without blocking, so that a pipe in place of the file cannot hang the program.
    let opened = File::options()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(failed(path, &error)),
    };
    let meta = file.metadata().map_err(|error| failed(path, &error))?;
    if !meta.is_file() {
        let what = if meta.is_dir() {
            "it is a directory"
        } else {
            "it is not a regular file"
        };
        return Err(Error::read(
            path,
            what,
            "move it away or write a file in its place",
        ));
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| failed(path, &error))?;
    if bytes.len() as u64 > MOST {
        return Err(Error::read(
            path,
            "it is larger than 1 MiB",
            "check that it is the right file",
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(Text {
            text,
            open_to_others: meta.permissions().mode() & 0o044 != 0,
            same: (meta.dev(), meta.ino()),
        })),
        Err(error) => {
            let before = error
                .as_bytes()
                .get(..error.utf8_error().valid_up_to())
                .unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            let why = format!("line {line} is not UTF-8 text");
            Err(Error::read(path, why, "save it as UTF-8"))
        }
    }
}

/// Reads a file that somebody named, so that it must exist.
pub fn read_named(path: &Path) -> Result<Text, Error> {
    read(path)?.ok_or_else(|| Error::read(path, "there is no such file", "check the path"))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::PermissionDenied => "give yourself the right to read it",
        _ => "check the path and the disk",
    };
    Error::read(path, visible(&error.to_string()), advice)
}
