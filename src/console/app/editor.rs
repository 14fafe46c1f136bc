//! The operator's own editor on a text. Must not know: what the text is for.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tokio::process::Command;

/// Longest text that is taken back.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Lets the operator edit a text in his editor. Gives the text, or what went wrong.
pub(super) async fn edit(editor: Option<&str>, scratch: &Path, text: &str) -> Result<String, String> {
    let editor = editor
        .filter(|editor| !editor.trim().is_empty())
        .ok_or_else(|| "no editor is known: set EDITOR or VISUAL and start again".to_owned())?;
    let path = create(scratch, text)
        .map_err(|error| format!("failed to write a file in {}: {error}", scratch.display()))?;
    let result = open(editor, &path).await;
    // Nothing of the text stays behind; a file that cannot be removed is not worth losing the text for.
    let _ = std::fs::remove_file(&path);
    result
}

fn create(scratch: &Path, text: &str) -> io::Result<PathBuf> {
    let mut number = 0_u32;
    loop {
        let path = scratch.join(format!("overrule-edit-{}-{number}.txt", std::process::id()));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

async fn open(editor: &str, path: &Path) -> Result<String, String> {
    // The editor is a command line of the operator's, as everywhere; the path is an argument of its own.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(path)
        .status()
        .await
        .map_err(|error| format!("failed to start `{editor}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{editor}` ended with {status}"));
    }
    let size = std::fs::metadata(path)
        .map_err(|error| format!("failed to read the text back: {error}"))?
        .len();
    if size > LIMIT {
        return Err(format!(
            "the text has {size} bytes now, at most {LIMIT} can be taken back"
        ));
    }
    std::fs::read_to_string(path).map_err(|error| format!("failed to read the text back: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_text_comes_back_changed_and_the_file_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let edited = edit(Some("sed -i s/a/b/"), dir.path(), "a\n").await.unwrap();
        assert_eq!(edited, "b\n");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn an_editor_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let error = edit(Some("false"), dir.path(), "a").await.unwrap_err();
        assert!(error.contains("`false` ended"), "{error}");
        assert!(edit(None, dir.path(), "a").await.is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
