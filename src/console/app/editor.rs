//! The operator's own editor on a text. Must not know: what the text is for.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Command;

/// Longest text that is taken back, in bytes: as long as the longest that a journal keeps. An edit may have less, which
/// is said before it is opened and where it is refused.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Lets the operator edit a text in their editor. Gives the text, or what went wrong.
pub(super) async fn edit(editor: Option<&str>, scratch: &Path, text: &str) -> Result<String, String> {
    let editor = editor
        .filter(|editor| !editor.trim().is_empty())
        .ok_or_else(|| "no editor is known: set EDITOR or VISUAL and start again".to_owned())?;
    let path = create(scratch, text)
        .map_err(|error| format!("failed to write a file in {}: {error}", scratch.display()))?;
    let file = Scratch(path);
    open(editor, &file.0).await
}

/// A file that is taken away whatever happens to the edit.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing of the text stays behind; a file that cannot be removed is not worth losing the text for.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// An editor that is asked to end where nobody waits for it any more.
struct Asked(Option<Pid>);

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            // One that has ended meanwhile cannot be asked.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
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
    let failed = |error: io::Error| format!("failed to start `{editor}`: {error}");
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(path)
        .spawn()
        .map_err(failed)?;
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let mut asked = Asked(pid);
    let status = child.wait().await;
    asked.0 = None;
    let status = status.map_err(failed)?;
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
    async fn nothing_is_left_of_an_edit_that_nobody_waits_for() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("ended");
        let editor = format!(
            "trap 'echo > {}; exit' TERM; while :; do sleep 0.01; done; true",
            mark.display()
        );
        let edit = edit(Some(&editor), dir.path(), "a");
        let waited = tokio::time::timeout(std::time::Duration::from_millis(500), edit).await;
        assert!(waited.is_err(), "it goes on");
        let files = || std::fs::read_dir(dir.path()).unwrap().count();
        while !mark.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(files(), 1, "the text is gone, and the editor was asked to end");
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
