//! Checks every second in the background whether orphan processes still run.
//!
//! Must not know: which calls they ran for, how that is shown.
//!
//! It checks until they have ended.

use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::task::AbortHandle;

use overrule_console::run::link::{OrphanCandidate, Update};
use overrule_domain::orphan_process::OrphanProcess;
use overrule_tools::child;

/// Interval between two checks.
const AGAIN: Duration = Duration::from_secs(1);

/// Watches the most recently named processes.
pub struct Watcher {
    answers: Sender<Update>,
    watching: Option<AbortHandle>,
}

impl Watcher {
    /// Creates a watcher that reports to `answers`.
    pub const fn new(answers: Sender<Update>) -> Self {
        Self {
            answers,
            watching: None,
        }
    }

    /// Watches these processes instead of the previous ones.
    pub fn watch(&mut self, processes: Vec<OrphanCandidate>) {
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

/// Reports each process immediately, and again when part of it has ended, until all have ended.
async fn follow(mut watched: Vec<OrphanCandidate>, answers: Sender<Update>) {
    let mut message: Vec<(OrphanCandidate, Option<OrphanProcess>)> = Vec::new();
    while !watched.is_empty() {
        let looked = tokio::task::spawn_blocking(move || {
            let look = |one: OrphanCandidate| (one, child::orphan_process(one.pid, one.ticks));
            watched.into_iter().map(look).collect::<Vec<_>>()
        });
        let Ok(seen) = looked.await else { return };
        for (process, left) in &seen {
            let (process, left) = (*process, *left);
            let is_news = !message.contains(&(process, left));
            if is_news && answers.send(Update::OrphanFound { process, left }).await.is_err() {
                return;
            }
        }
        watched = seen
            .iter()
            .filter(|(_, left)| left.is_some())
            .map(|(one, _)| *one)
            .collect();
        message = seen;
        if !watched.is_empty() {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;

    use super::*;
    use overrule_tools::child::{Environment, Start, start};

    async fn sleeper() -> child::Started {
        let environment = Environment::allowed([]);
        let dir = std::env::temp_dir();
        let what = Start {
            program: "/bin/sleep".as_ref(),
            args: &["600"],
            cwd: &dir,
            environment: &environment,
            confinement: None,
        };
        start(what).await.unwrap()
    }

    fn expect_orphan_update(update: Option<Update>) -> (u32, Option<OrphanProcess>) {
        let Some(Update::OrphanFound { process, left }) = update else {
            panic!("{update:?}");
        };
        (process.pid, left)
    }

    #[tokio::test]
    async fn a_running_process_and_its_end_are_reported_once() {
        let mut runs = sleeper().await;
        let of = |ticks: u64| OrphanCandidate {
            call: "c3".parse().unwrap(),
            pid: runs.tree.pid(),
            ticks,
        };
        let (answers, mut updates) = channel(64);
        let mut watcher = Watcher::new(answers);
        let pid = runs.tree.pid();
        watcher.watch(vec![of(runs.tree.ticks())]);
        assert_eq!(
            expect_orphan_update(updates.recv().await),
            (pid, Some(OrphanProcess::Process))
        );
        runs.child.start_kill().unwrap();
        runs.child.wait().await.unwrap();
        assert_eq!(expect_orphan_update(updates.recv().await), (pid, None));
        assert!(!updates.is_closed());
        assert!(updates.is_empty(), "an end is reported once");
        watcher.watch(Vec::new());
        drop(watcher);
        assert!(updates.recv().await.is_none());
    }

    #[tokio::test]
    async fn a_group_that_outlasts_its_leader_is_reported() {
        let environment = Environment::allowed([]);
        let dir = std::env::temp_dir();
        let args = ["-c", "sleep 600 & echo begun; wait"];
        let what = Start {
            program: "/bin/sh".as_ref(),
            args: &args,
            cwd: &dir,
            environment: &environment,
            confinement: None,
        };
        let mut runs = start(what).await.unwrap();
        let mut begun = [0; 6];
        let out = runs.child.stdout.as_mut().unwrap();
        tokio::io::AsyncReadExt::read_exact(out, &mut begun)
            .await
            .unwrap();
        let process = OrphanCandidate {
            call: "c3".parse().unwrap(),
            pid: runs.tree.pid(),
            ticks: runs.tree.ticks(),
        };
        let (answers, mut updates) = channel(64);
        let mut watcher = Watcher::new(answers);
        watcher.watch(vec![process]);
        assert_eq!(
            expect_orphan_update(updates.recv().await),
            (process.pid, Some(OrphanProcess::Process))
        );
        runs.child.start_kill().unwrap();
        runs.child.wait().await.unwrap();
        assert_eq!(
            expect_orphan_update(updates.recv().await),
            (process.pid, Some(OrphanProcess::Group))
        );
        runs.tree.end().await;
        assert_eq!(expect_orphan_update(updates.recv().await), (process.pid, None));
        assert!(updates.is_empty());
    }
}
