//! What was skipped or repaired of what a server says; each thing is told once.
//!
//! Must not know: the protocol, who is told.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::log::ServerLog;
use super::reader::{Repair, Repairs};

/// Maximum number of different repairs that are noted.
const MOST: usize = 200;
/// Maximum number of those that are told to the operator; the log has the others.
const TOLD: usize = 20;

/// The repairs of a server.
pub(super) struct Told {
    log: Arc<ServerLog>,
    kept: Mutex<Kept>,
    added: Notify,
}

#[derive(Default)]
struct Kept {
    known: BTreeSet<String>,
    /// What was left out.
    left: Vec<String>,
    /// The number of those that the operator knows.
    told: usize,
}

impl Told {
    pub(super) fn new(log: Arc<ServerLog>) -> Self {
        Self {
            log,
            kept: Mutex::default(),
            added: Notify::new(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the repairs of a message.
    pub(super) fn note(&self, repairs: Repairs) {
        for repair in repairs.all() {
            self.add(&repair);
        }
    }

    /// Notes something that was left out.
    pub(super) fn left(&self, words: String) {
        self.add(&Repair::Left(words));
    }

    fn add(&self, repair: &Repair) {
        let words = self.log.clean(repair.words()).into_owned();
        let mut kept = self.kept();
        if kept.known.len() == MOST || !kept.known.insert(words.clone()) {
            return;
        }
        self.log.note(&words);
        if matches!(repair, Repair::Left(_)) && kept.left.len() < TOLD {
            kept.left.push(words);
            self.added.notify_one();
        }
    }

    /// Returns what was left out so far.
    pub(super) fn all(&self) -> Vec<String> {
        self.kept().left.clone()
    }

    /// Takes what the operator does not know yet, as one text.
    pub(super) fn take(&self) -> Option<String> {
        let mut kept = self.kept();
        let new = kept.left.get(kept.told..).unwrap_or_default();
        let words = (!new.is_empty()).then(|| new.join("; "));
        kept.told = kept.left.len();
        words
    }

    /// Waits for something that the operator does not know yet, and takes it.
    pub(super) async fn next(&self) -> String {
        loop {
            if let Some(words) = self.take() {
                return words;
            }
            self.added.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_is_told_once_and_what_lost_nothing_is_only_in_the_log() {
        let log = Arc::new(ServerLog::default());
        let told = Told::new(Arc::clone(&log));
        for _ in 0..3 {
            let mut repairs = Repairs::default();
            repairs.left("a tool is left out");
            repairs.read("an id is a text");
            told.note(repairs);
        }
        assert_eq!(told.take().as_deref(), Some("a tool is left out"));
        assert_eq!(told.take(), None);
        told.left("a block is left out".to_owned());
        assert_eq!(told.take().as_deref(), Some("a block is left out"));
        assert_eq!(told.all().len(), 2);
        assert_eq!(log.last().len(), 3, "{:?}", log.last());
    }

    #[test]
    fn a_server_that_sends_nothing_but_nonsense_does_not_fill_the_memory() {
        let told = Told::new(Arc::default());
        for no in 0..10_000 {
            told.left(format!("line {no}"));
        }
        assert_eq!(told.all().len(), TOLD);
        assert_eq!(told.kept().known.len(), MOST);
    }
}
