//! Runs the operator's own editor on a text.
//!
//! Must not know: what the text is for.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Command;

use crate::kernel::msg::EditedFile;
use overrule_regular_file as regular_file;

/// Longest text that is read back, in bytes: the longest that a journal stores. An edit may allow less; other code
/// reports that.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Marks the process of this number as a program of the operator, until the returned value is dropped; with 0, one that is
/// about to start.
type Mark = fn(u32) -> Box<dyn Send + Sync>;
/// The command line of the editor, if one is known, and what marks its process.
type Editor<'e> = (Option<&'e str>, Mark);

/// Opens a text in the operator's editor. Returns the edited text, or an error. Written text is never lost: the
/// file stays until [`discard`], or permanently if it cannot be read back.
pub(super) async fn edit(editor: Editor<'_>, scratch: &Path, text: &str) -> Result<EditedFile, String> {
    let (file, read) = run_editor(editor, scratch, text).await?;
    match read {
        Ok(text) => Ok(EditedFile {
            text,
            file: file.keep(),
        }),
        Err(why) if file.is_written_to() => Err(format!(
            "what you wrote is kept in {}: {why}",
            file.keep().display()
        )),
        Err(why) => Err(why),
    }
}

/// Opens a text in the operator's editor for reading. Leaves no file.
pub(super) async fn show(editor: Editor<'_>, scratch: &Path, text: &str) -> Result<(), String> {
    let (file, read) = run_editor(editor, scratch, text).await?;
    discard(&file.path);
    read.map(drop)
}

/// Deletes a file whose whole text was read back.
pub(super) fn discard(file: &Path) {
    // A failure is ignored: no text is lost.
    let _ = std::fs::remove_file(file);
}

/// The file and the text that the editor left.
async fn run_editor<'t>(
    (editor, mark): Editor<'_>,
    scratch: &Path,
    text: &'t str,
) -> Result<(Scratch<'t>, Result<String, String>), String> {
    let editor = editor
        .filter(|editor| !editor.trim().is_empty())
        .ok_or_else(|| "no editor is known: set EDITOR or VISUAL and start again".to_owned())?;
    let path = create(scratch, text)
        .map_err(|error| format!("failed to write a file in {}: {error}", scratch.display()))?;
    let file = Scratch { path, text };
    let read = open((editor, mark), &file.path).await;
    Ok((file, read))
}

/// A file that is deleted when dropped, unless the editor changed it.
struct Scratch<'t> {
    path: PathBuf,
    /// The original text.
    text: &'t str,
}

impl Scratch<'_> {
    /// True if the file differs from the original text, or cannot be read.
    fn is_written_to(&self) -> bool {
        match std::fs::metadata(&self.path) {
            Err(error) => error.kind() != io::ErrorKind::NotFound,
            Ok(now) if now.len() != self.text.len() as u64 => true,
            Ok(_) => !regular_file::read(&self.path, LIMIT).is_ok_and(|now| now == self.text.as_bytes()),
        }
    }

    /// Keeps the file.
    fn keep(self) -> PathBuf {
        std::mem::take(&mut std::mem::ManuallyDrop::new(self).path)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        if !self.is_written_to() {
            discard(&self.path);
        }
    }
}

/// An editor that is asked to end when its future is dropped.
struct TerminateOnDrop(Option<Pid>);

impl Drop for TerminateOnDrop {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            // An editor that has ended cannot be asked.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

fn create(scratch: &Path, text: &str) -> io::Result<PathBuf> {
    let mut number = 0_u32;
    loop {
        let path = scratch.join(format!("overrule-edit-{}-{number}.txt", std::process::id()));
        match regular_file::create(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            Err(error) => return Err(error),
        }
    }
}

async fn open((editor, mark): (&str, Mark), path: &Path) -> Result<String, String> {
    // The editor is a command line, as usual; the path is a separate argument.
    let failed = |error: io::Error| format!("failed to start `{editor}`: {error}");
    let starts = mark(0);
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(path)
        .spawn()
        .map_err(failed)?;
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let mut asked = TerminateOnDrop(pid);
    let mark = child.id().map(mark);
    drop(starts);
    let status = child.wait().await;
    drop(mark);
    asked.0 = None;
    let status = status.map_err(failed)?;
    if !status.success() {
        return Err(format!("`{editor}` ended with {status}"));
    }
    regular_file::read_text(path, LIMIT).map_err(|error| format!("failed to read the text back: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmarked(_: u32) -> Box<dyn Send + Sync> {
        Box::new(())
    }

    /// The number of files.
    fn file_count(dir: &Path) -> usize {
        std::fs::read_dir(dir).unwrap().count()
    }

    #[tokio::test]
    async fn the_text_comes_back_changed_and_the_file_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let edited = edit((Some("sed -i s/a/b/"), unmarked), dir.path(), "a\n")
            .await
            .unwrap();
        assert_eq!(edited.text, "b\n");
        let file = edited.file;
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "b\n",
            "the file stays until it is discarded"
        );
        discard(&file);
        assert_eq!(file_count(dir.path()), 0);
        show((Some("sed -i s/a/b/"), unmarked), dir.path(), "a\n")
            .await
            .unwrap();
        assert_eq!(file_count(dir.path()), 0, "a text for reading leaves no file");
    }

    /// The marks that are set, as far as a test follows them.
    static MARKED: std::sync::Mutex<Vec<u32>> = std::sync::Mutex::new(Vec::new());

    struct Marked(u32);

    impl Drop for Marked {
        fn drop(&mut self) {
            MARKED.lock().unwrap().retain(|pid| *pid != self.0);
        }
    }

    fn mark(pid: u32) -> Box<dyn Send + Sync> {
        MARKED.lock().unwrap().push(pid);
        Box::new(Marked(pid))
    }

    #[tokio::test]
    async fn the_editor_is_marked_until_it_ends_or_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let editor = format!("f() {{ echo $$ > {}; }}; f", pid.display());
        edit((Some(&editor), mark), dir.path(), "a\n").await.unwrap();
        assert!(MARKED.lock().unwrap().is_empty());
        let editor = format!("f() {{ echo $$ > {}; sleep 100; }}; f", pid.display());
        std::fs::remove_file(&pid).unwrap();
        let edit = edit((Some(&editor), mark), dir.path(), "a\n");
        let is_marked = async {
            loop {
                let text = std::fs::read_to_string(&pid).unwrap_or_default();
                if let Ok(pid) = text.trim().parse::<u32>() {
                    break MARKED.lock().unwrap().contains(&pid);
                }
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = edit => unreachable!("it sleeps"),
            is_marked = is_marked => assert!(is_marked, "it is the process of the editor"),
        }
        assert!(MARKED.lock().unwrap().is_empty(), "nobody waits for it any more");
    }

    #[tokio::test]
    async fn editor_output_that_cannot_be_read_back_is_preserved_and_located() {
        let too_long = format!("truncate -s {}", LIMIT + 1);
        let all = [
            "printf '\\377' >",
            too_long.as_str(),
            "f() { echo written > \"$1\"; false; }; f",
            "f() { echo x > \"$1\"; false; }; f",
        ];
        for editor in all {
            let dir = tempfile::tempdir().unwrap();
            let error = edit((Some(editor), unmarked), dir.path(), "a\n")
                .await
                .unwrap_err();
            let file = std::fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap();
            let message = format!("what you wrote is kept in {}: ", file.path().display());
            assert!(error.starts_with(&message), "{error}");
            assert_ne!(std::fs::metadata(file.path()).unwrap().len(), 0, "{editor}");
            // A text for reading is not the operator's work.
            let dir = tempfile::tempdir().unwrap();
            let error = show((Some(editor), unmarked), dir.path(), "a\n")
                .await
                .unwrap_err();
            assert!(!error.contains("kept"), "{error}");
            assert_eq!(file_count(dir.path()), 0);
        }
    }

    #[tokio::test]
    async fn what_was_written_stays_where_nobody_waits_for_it_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let editor = "f() { echo written > \"$1\"; while :; do sleep 0.01; done; }; f";
        let edit = edit((Some(editor), unmarked), dir.path(), "a");
        let waited = tokio::time::timeout(std::time::Duration::from_millis(500), edit).await;
        assert!(waited.is_err(), "the editor still runs");
        assert_eq!(file_count(dir.path()), 1);
    }

    #[tokio::test]
    async fn nothing_is_left_of_an_edit_that_nobody_waits_for() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("ended");
        let editor = format!(
            "trap 'echo > {}; exit' TERM; while :; do sleep 0.01; done; true",
            mark.display()
        );
        let edit = edit((Some(&editor), unmarked), dir.path(), "a");
        let waited = tokio::time::timeout(std::time::Duration::from_millis(500), edit).await;
        assert!(waited.is_err(), "the editor still runs");
        let files = || std::fs::read_dir(dir.path()).unwrap().count();
        while !mark.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(files(), 1, "the text is gone, and the editor was asked to end");
    }

    #[tokio::test]
    async fn an_editor_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let error = edit((Some("false"), unmarked), dir.path(), "a")
            .await
            .unwrap_err();
        assert!(error.contains("`false` ended"), "{error}");
        assert!(edit((None, unmarked), dir.path(), "a").await.is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
