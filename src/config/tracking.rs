//! Reads `[files]`: what is recorded of the files that calls change, and how much of it.
//!
//! Must not know: how files are tracked or restored.
//!
//! A workspace can add paths that are tracked; a trusted one also paths that are not. Everything else is the operator's.

use std::time::Duration;

use serde::Deserialize;

use super::layers::{Files, ignored, last};
use super::settings::{Setting, Why};
use overrule_base::document::{Field, strings, whole};
use overrule_base::text::visible;
use overrule_policy::Notice;

/// The table.
pub(super) const TABLE: &str = "files";
/// Its keys that no workspace sets, trusted or not.
pub(super) const OPERATORS: [&str; 8] = [
    "keep_days",
    "max_file",
    "max_files",
    "max_session",
    "max_store",
    "on_edit",
    "scan_ms",
    "track",
];
/// Most files that are tracked.
const MOST_FILES: u64 = 10_000_000;
/// Most days that contents are retained.
const MOST_DAYS: u64 = 36_500;
/// Longest scan in milliseconds.
const LONGEST_SCAN: u64 = 60_000;
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// The units of a size.
const UNITS: [(&str, u64); 3] = [("KiB", KIB), ("MiB", MIB), ("GiB", GIB)];
/// The largest size.
const MOST_BYTES: u64 = 1 << 50;

/// What the preview of an edit, an undo, a redo or a switch proposes for the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnEdit {
    /// Restore them if there is no conflict, and show which.
    #[default]
    Ask,
    /// Leave them as they are.
    Keep,
    /// Restore those without a conflict.
    Restore,
}

impl OnEdit {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Keep => "keep",
            Self::Restore => "restore",
        }
    }
}

/// What is recorded of the files that calls change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSettings {
    /// True if changes by commands are tracked.
    pub track: Setting<bool>,
    /// The most bytes of a file whose content is saved.
    pub max_file: Setting<u64>,
    /// The most bytes that one run saves.
    pub max_session: Setting<u64>,
    /// The most bytes of the contents of all workspaces together.
    pub max_store: Setting<u64>,
    /// The most files of a workspace.
    pub max_files: Setting<u64>,
    /// Days after the last event of a session for which its contents are retained.
    pub keep_days: Setting<u32>,
    /// Milliseconds that a scan may take.
    pub scan_ms: Setting<u64>,
    /// Patterns of ignored directories that are tracked all the same, by file.
    pub include: Vec<Setting<Vec<String>>>,
    /// Patterns of paths that are not tracked, by file.
    pub exclude: Vec<Setting<Vec<String>>>,
    /// Names of directories that a build makes again, by file.
    pub rebuildable: Vec<Setting<Vec<String>>>,
    /// What a preview proposes.
    pub on_edit: Setting<OnEdit>,
}

impl FileSettings {
    /// Returns how long a scan may take.
    pub const fn scan(&self) -> Duration {
        Duration::from_millis(self.scan_ms.value)
    }

    /// Returns all entries of a list, those of the user's file first.
    pub fn all(list: &[Setting<Vec<String>>]) -> Vec<String> {
        list.iter().flat_map(|one| one.value.iter().cloned()).collect()
    }

    /// Explains each setting with its value and origin.
    pub(super) fn why(&self) -> Vec<Why> {
        let size = |bytes: &u64| size_text(*bytes);
        let list = |key: &'static str, list: &[Setting<Vec<String>>]| {
            let entries = Self::all(list);
            Why::of_list(
                key,
                entries.iter().map(|one| visible(one)),
                list.iter().map(|one| &one.origin),
            )
        };
        vec![
            Why::of("files.track", &self.track, bool::to_string),
            Why::of("files.max_file", &self.max_file, size),
            Why::of("files.max_session", &self.max_session, size),
            Why::of("files.max_store", &self.max_store, size),
            Why::of("files.max_files", &self.max_files, u64::to_string),
            Why::of("files.keep_days", &self.keep_days, u32::to_string),
            Why::of("files.scan_ms", &self.scan_ms, u64::to_string),
            list("files.include", &self.include),
            list("files.exclude", &self.exclude),
            list("files.rebuildable", &self.rebuildable),
            Why::of("files.on_edit", &self.on_edit, |on_edit| on_edit.label().into()),
        ]
    }
}

/// Returns a size in the largest unit in which it is whole.
fn size_text(bytes: u64) -> String {
    let whole = UNITS
        .iter()
        .rev()
        .find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    whole.map_or_else(
        || format!("{bytes} bytes"),
        |(name, unit)| format!("{} {name}", bytes / unit),
    )
}

/// Reads a size.
fn bytes(text: &str) -> Result<u64, &'static str> {
    let unit = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
    let (number, unit) = unit.ok_or("it has no unit")?;
    let number: u64 = number
        .trim_end()
        .parse()
        .map_err(|_| "it is no whole number of a unit")?;
    let size = number
        .checked_mul(*unit)
        .filter(|size| (1..=MOST_BYTES).contains(size));
    size.ok_or("it is out of range")
}

strings! {
    size: u64 = bytes, "write a size such as \"8 MiB\", in KiB, MiB or GiB";
}

/// `[files]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilesTable {
    track: Field<bool>,
    #[serde(deserialize_with = "size")]
    max_file: Field<u64>,
    #[serde(deserialize_with = "size")]
    max_session: Field<u64>,
    #[serde(deserialize_with = "size")]
    max_store: Field<u64>,
    #[serde(deserialize_with = "whole::<1, MOST_FILES, _, _>")]
    max_files: Field<u64>,
    #[serde(deserialize_with = "whole::<0, MOST_DAYS, _, _>")]
    keep_days: Field<u32>,
    #[serde(deserialize_with = "whole::<100, LONGEST_SCAN, _, _>")]
    scan_ms: Field<u64>,
    include: Texts,
    exclude: Texts,
    rebuildable: Texts,
    on_edit: Field<OnEdit>,
}

/// A list of texts as written.
type Texts = Field<Vec<String>>;

/// Resolves the settings. What an untrusted workspace would leave out is ignored, with a notice.
pub(super) fn weigh(
    trusted: bool,
    files: &Files,
    (mine, mut theirs): (FilesTable, FilesTable),
    notices: &mut Vec<Notice>,
) -> FileSettings {
    if !trusted {
        for (key, list) in [
            ("files.exclude", &mut theirs.exclude),
            ("files.rebuildable", &mut theirs.rebuildable),
        ] {
            if let Some(at) = list.take() {
                notices.push(ignored(key, &files.workspace.place(at.span().start)));
            }
        }
    }
    let lists = |mine: Texts, theirs: Texts| -> Vec<Setting<Vec<String>>> {
        let both = [files.user(mine), files.workspace(theirs)];
        both.into_iter().flatten().collect()
    };
    FileSettings {
        track: last(true, [files.user(mine.track)]),
        max_file: last(8 * MIB, [files.user(mine.max_file)]),
        max_session: last(512 * MIB, [files.user(mine.max_session)]),
        max_store: last(2 * GIB, [files.user(mine.max_store)]),
        max_files: last(200_000, [files.user(mine.max_files)]),
        keep_days: last(30, [files.user(mine.keep_days)]),
        scan_ms: last(2_000, [files.user(mine.scan_ms)]),
        include: lists(mine.include, theirs.include),
        exclude: lists(mine.exclude, theirs.exclude),
        rebuildable: lists(mine.rebuildable, theirs.rebuildable),
        on_edit: last(OnEdit::default(), [files.user(mine.on_edit)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_and_shown_in_the_same_form() {
        for text in ["1 KiB", "8 MiB", "2 GiB", "1500 KiB"] {
            assert_eq!(bytes(text).map(size_text).as_deref(), Ok(text));
        }
        assert_eq!(bytes("8MiB"), Ok(8 * MIB));
        assert_eq!(size_text(1_000), "1000 bytes");
        for bad in [
            "8",
            "8 MB",
            "0 MiB",
            "-1 MiB",
            "1.5 MiB",
            "MiB",
            "99999999999999999999 GiB",
            "9999999 GiB",
        ] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
