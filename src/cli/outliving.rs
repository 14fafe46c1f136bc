//! Looks whether processes still run that may have outlived the program which had started them, off the thread that
//! draws, and once more every second until they have ended.
//!
//! Must not know: which calls they ran for, how that is shown.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

use crate::console::link::{Outliving, Update};
use crate::tools::child;

/// How long after a look the next one comes.
const AGAIN: Duration = Duration::from_secs(1);

/// Watches the processes that were named last.
pub struct Watcher {
    answers: UnboundedSender<Update>,
    watching: Option<AbortHandle>,
}

impl Watcher {
    /// Tells there what it sees.
    pub const fn new(answers: UnboundedSender<Update>) -> Self {
        Self {
            answers,
            watching: None,
        }
    }

    /// Watches these from now on, and no other.
    pub fn watch(&mut self, processes: Vec<Outliving>) {
        self.end();
        if !processes.is_empty() {
            let watching = follow(processes, self.answers.clone());
            self.watching = Some(tokio::spawn(watching).abort_handle());
        }
    }

    fn end(&mut self) {
        if let Some(watching) = self.watching.take() {
            watching.abort();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.end();
    }
}

/// Tells of each at once, and once more when it has ended: one that has never runs again.
async fn follow(mut left: Vec<Outliving>, answers: UnboundedSender<Update>) {
    let mut told = false;
    while !left.is_empty() {
        let looked = tokio::task::spawn_blocking(move || {
            let lives = |one: Outliving| (one, child::still_running(one.pid, one.ticks));
            left.into_iter().map(lives).collect::<Vec<_>>()
        });
        let Ok(seen) = looked.await else { return };
        for (process, lives) in &seen {
            let (process, lives) = (*process, *lives);
            let is_news = !told || !lives;
            if is_news && answers.send(Update::Outlives { process, lives }).is_err() {
                return;
            }
        }
        told = true;
        left = seen
            .into_iter()
            .filter(|(_, lives)| *lives)
            .map(|(one, _)| one)
            .collect();
        if !left.is_empty() {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::tools::child::{Environment, start};

    async fn sleeper() -> child::Started {
        let environment = Environment::allowed([]);
        let dir = std::env::temp_dir();
        start("/bin/sleep".as_ref(), &["600"], &dir, &environment)
            .await
            .unwrap()
    }

    fn heard(update: Option<Update>) -> (u32, bool) {
        let Some(Update::Outlives { process, lives }) = update else {
            panic!("{update:?}");
        };
        (process.pid, lives)
    }

    #[tokio::test]
    async fn what_runs_is_told_and_its_end_too_and_nothing_after_that() {
        let mut runs = sleeper().await;
        let of = |ticks: u64| Outliving {
            call: "c3".parse().unwrap(),
            pid: runs.tree.pid(),
            ticks,
        };
        let (answers, mut updates) = unbounded_channel();
        let mut watcher = Watcher::new(answers);
        let pid = runs.tree.pid();
        watcher.watch(vec![of(runs.tree.ticks())]);
        assert_eq!(heard(updates.recv().await), (pid, true));
        runs.child.start_kill().unwrap();
        runs.child.wait().await.unwrap();
        assert_eq!(heard(updates.recv().await), (pid, false));
        assert!(!updates.is_closed());
        assert!(updates.is_empty(), "an end is told once");
        watcher.watch(Vec::new());
        drop(watcher);
        assert!(updates.recv().await.is_none());
    }
}
