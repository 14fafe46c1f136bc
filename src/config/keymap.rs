//! Places of the operator's own files, and the text of the key file.
//!
//! Must not know: which commands there are, what a key is called.

use std::path::{Path, PathBuf};

use super::env::Env;
use super::error::Error;
use super::files;
use super::load::OWN;

/// Returns the directory of the operator's own files, or `None` without a home directory.
pub fn own_dir(env: &Env) -> Option<PathBuf> {
    Some(env.config_dir.as_ref()?.join(OWN))
}

/// Returns the path of the key file in that directory.
pub fn file(own: &Path) -> PathBuf {
    own.join("keys.toml")
}

/// Returns the path of the operator's themes in that directory.
pub fn themes_dir(own: &Path) -> PathBuf {
    own.join("themes")
}

/// Reads the text of a key file; `None` if there is none.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    Ok(files::read(path)?.map(|text| text.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_text() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(&file(dir.path())).unwrap(), None, "no file changes nothing");
        std::fs::write(file(dir.path()), "zoom = []").unwrap();
        assert_eq!(read(&file(dir.path())).unwrap().as_deref(), Some("zoom = []"));
        std::fs::write(file(dir.path()), b"\xff").unwrap();
        let text = read(&file(dir.path())).unwrap_err().to_string();
        assert!(text.contains("line 1 is not UTF-8"), "{text}");
    }
}
