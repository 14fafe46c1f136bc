//! Looks at the repository of the workspace in the background: at the beginning, and after calls that ended.
//!
//! Must not know: what a repository is made of, how it is shown.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;
use tokio_util::task::AbortOnDropHandle;

use overrule_console::run::link::{Repository, Update};
use overrule_domain::event::{CallEvent, Event};
use overrule_tools::child::Environment;
use overrule_tools::repository;

/// The least time between two looks.
const BETWEEN: Duration = Duration::from_secs(2);

/// Looks at one repository until it is dropped.
pub struct RepositoryWatcher {
    wake: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl RepositoryWatcher {
    /// Begins to look, and reports each change to `answers`. Git gets these variables.
    pub fn new(workspace: PathBuf, environment: Environment, answers: Sender<Update>) -> Self {
        let wake = Arc::new(Notify::new());
        wake.notify_one();
        let task = tokio::spawn(follow((workspace, environment), Arc::clone(&wake), answers));
        Self {
            wake,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Looks again after an event that may have changed a file.
    pub fn note(&self, event: &Event) {
        if matches!(event, Event::Call(CallEvent::Finished { .. })) {
            self.wake.notify_one();
        }
    }
}

async fn follow(
    (workspace, environment): (PathBuf, Environment),
    wake: Arc<Notify>,
    answers: Sender<Update>,
) {
    let mut told = None;
    loop {
        wake.notified().await;
        let found = repository::look(&workspace, &environment).await;
        let found = found.map(|one| Repository {
            branch: one.branch,
            changed: one.changed,
        });
        if found != told {
            told.clone_from(&found);
            if answers.send(Update::Repository(found)).await.is_err() {
                return;
            }
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn it_is_looked_at_once_and_again_after_a_call() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join(".git");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("HEAD"), "ref: refs/heads/one\n").unwrap();
        let (answers, mut told) = channel(8);
        let watcher = RepositoryWatcher::new(dir.path().to_owned(), Environment::default(), answers);
        let mut branch = async || match told.recv().await {
            Some(Update::Repository(Some(found))) => found.branch,
            other => panic!("{other:?}"),
        };
        assert_eq!(branch().await, "one");
        std::fs::write(own.join("HEAD"), "ref: refs/heads/two\n").unwrap();
        let ended = CallEvent::Finished {
            call: "c3".parse().unwrap(),
            rev: overrule_domain::id::Rev(1),
            attempt: overrule_domain::id::Attempt(1),
            outcome: overrule_domain::call::Outcome::ok("1"),
            ms: 1,
            digest: None,
        };
        watcher.note(&Event::Call(ended));
        assert_eq!(branch().await, "two");
    }
}
