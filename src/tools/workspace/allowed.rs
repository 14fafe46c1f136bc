//! Decides by kind, permissions and name of a file whether it may be read or written.
//!
//! Must not know: where it lies.

use std::io;
use std::path::Path;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::errors::{from_io, refused, shown};
use overrule_base::runs_later;
use overrule_domain::call::{ErrorClass, ToolError};

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Refuses anything but a regular file.
pub(super) fn regular(stat: &Stat, given: &str, action: &str) -> Result<(), ToolError> {
    match kind(stat) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(from_io(action, given, &io::Error::from(Errno::ISDIR), false)),
        _ => Err(refused(
            ErrorClass::Param,
            format!("`{}` is a device, pipe or socket, not a file", shown(given)),
            "checked by the tool",
            "name a regular file",
        )),
    }
}

/// Refuses files that a tool may not replace.
pub(super) fn writable(stat: &Stat, given: &str) -> Result<(), ToolError> {
    regular(stat, given, "write")?;
    // Root may write everything; a read-only mark is respected all the same.
    if stat.st_mode & 0o222 == 0 {
        return Err(refused(
            ErrorClass::Auth,
            format!("`{}` is marked read-only", shown(given)),
            "mode of the file",
            "write to a new path instead, or ask the operator",
        ));
    }
    if stat.st_nlink > 1 {
        return Err(refused(
            ErrorClass::Auth,
            format!(
                "`{}` has {} names (hard links), and one of them may lie outside of the workspace",
                shown(given),
                stat.st_nlink
            ),
            "path confinement",
            "write to a new path instead, or ask the operator to copy the file",
        ));
    }
    Ok(())
}

/// Returns why tools never write this place, if so.
pub(super) fn guarded(path: &Path) -> Option<&'static str> {
    let names: Vec<String> = path
        .iter()
        .map(|name| runs_later::folded(&name.to_string_lossy()))
        .collect();
    for name in &names {
        match name.as_str() {
            ".git" => return Some("it belongs to git, which runs hooks and settings found there"),
            ".ssh" => return Some("it holds keys and what they open"),
            "overrule.toml" => return Some("it says what tools may do"),
            _ if name.starts_with(".overrule") => return Some("it belongs to this program"),
            _ => {}
        }
    }
    runs_later::row(&path.to_string_lossy())
        .is_some_and(|row| row.is_refused)
        .then_some("it would be run or believed by a shell or another program without being asked")
}
