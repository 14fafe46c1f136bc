//! Paths below the workspace. They are bytes, because a file system promises nothing else.
//!
//! Must not know: which files exist.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::RawText;

/// A path below the workspace: at least one part, parts separated by `/`, none of them empty, `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawText", into = "RawText")]
pub struct FilePath(Box<[u8]>);

/// A text that is no path below the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it is no path below the workspace")]
pub struct InvalidPath;

impl FilePath {
    /// Reads a path.
    ///
    /// # Errors
    ///
    /// The path is absolute, empty, climbs, or has an empty part or a NUL.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, InvalidPath> {
        let bytes = bytes.into();
        let is_bad = |part: &[u8]| matches!(part, b"" | b"." | b"..") || part.contains(&0);
        if bytes.split(|byte| *byte == b'/').any(is_bad) {
            return Err(InvalidPath);
        }
        Ok(Self(bytes.into_boxed_slice()))
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its text; bytes that are not UTF-8 become U+FFFD. For a screen it needs `visible` as well.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// The directory that it is in; none for an entry of the workspace itself.
    pub fn parent(&self) -> Option<Self> {
        let at = self.0.iter().rposition(|byte| *byte == b'/')?;
        Some(Self(self.0.get(..at)?.into()))
    }

    /// Returns some paths and the directories that they are in, each once, in their order.
    pub fn with_parents(paths: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all = BTreeSet::new();
        for path in paths {
            all.extend(path.parent());
            all.insert(path);
        }
        all.into_iter().collect()
    }

    /// Returns true if it is below a directory, or is that directory.
    pub fn is_within(&self, directory: &Self) -> bool {
        (self.0.strip_prefix(&*directory.0)).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }

    /// The number of its parts, from 1.
    pub fn depth(&self) -> usize {
        self.0.split(|byte| *byte == b'/').count()
    }
}

impl TryFrom<RawText> for FilePath {
    type Error = InvalidPath;

    fn try_from(raw: RawText) -> Result<Self, InvalidPath> {
        Self::new(raw.0)
    }
}

impl From<FilePath> for RawText {
    fn from(path: FilePath) -> Self {
        Self(path.0)
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_workspace_is_read_and_anything_else_refused() {
        for good in ["a", "a/b", ".git/HEAD", "a b", "..a", "a/...", "ä"] {
            assert_eq!(FilePath::new(good).unwrap().text(), good);
        }
        for bad in [
            "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0b",
        ] {
            assert_eq!(FilePath::new(bad), Err(InvalidPath), "{bad:?}");
        }
    }

    #[test]
    fn every_path_survives_its_record() {
        for bytes in [&b"a/b"[..], b"\xff\xfe", b"a/\x80", "ä/ö".as_bytes(), b"a\nb"] {
            let path = FilePath::new(bytes).unwrap();
            let json = serde_json::to_string(&path).unwrap();
            assert_eq!(serde_json::from_str::<FilePath>(&json).unwrap(), path, "{json}");
        }
        for bad in [
            "\"..\"",
            r#"{"bytes":"2f"}"#,
            r#"{"bytes":"6"}"#,
            r#"{"bytes":"zz"}"#,
            r#"{"bytes":"+6"}"#,
        ] {
            assert!(serde_json::from_str::<FilePath>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parents_and_depths_follow_the_parts() {
        let path = FilePath::new("a/b/c").unwrap();
        assert_eq!(path.depth(), 3);
        assert_eq!(path.parent(), Some(FilePath::new("a/b").unwrap()));
        assert_eq!(FilePath::new("a").unwrap().parent(), None);
        assert!(path.is_within(&FilePath::new("a/b").unwrap()) && path.is_within(&path));
        assert!(
            !FilePath::new("ab")
                .unwrap()
                .is_within(&FilePath::new("a").unwrap())
        );
    }
}
