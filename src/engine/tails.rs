//! Holds the newest output of each running call: shared with its tool, bounded, never recorded.
//!
//! Must not know: what a tool prints, who looks at it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::live::LiveOutput;
use overrule_tools::output::{Bounded, marked, whole_start};

/// Bytes that are kept of an output.
const KEPT: usize = 8 * 1024;

/// The newest output of the running calls; cheap to clone.
#[derive(Debug, Clone)]
pub struct Tails {
    open: Arc<Mutex<BTreeMap<NodeId, (Attempt, Bounded)>>>,
    /// Counts the changes.
    changed: watch::Sender<u64>,
}

impl Default for Tails {
    fn default() -> Self {
        Self {
            open: Arc::default(),
            changed: watch::channel(0).0,
        }
    }
}

impl Tails {
    /// Begins with the output of an execution.
    pub(super) fn begin(&self, call: NodeId, attempt: Attempt) {
        self.lock().insert(call, (attempt, Bounded::new(0, KEPT)));
    }

    /// Adds output of an execution.
    pub(super) fn push(&self, call: NodeId, attempt: Attempt, bytes: &[u8]) {
        if let Some((_, tail)) = self.lock().get_mut(&call).filter(|(open, _)| *open == attempt) {
            tail.push(bytes);
        }
        self.changed.send_modify(|count| *count += 1);
    }

    /// Forgets the output of an execution that has ended.
    pub(super) fn end(&self, call: NodeId, attempt: Attempt) {
        let mut open = self.lock();
        if open.get(&call).is_some_and(|(newest, _)| *newest == attempt) {
            open.remove(&call);
        }
    }

    /// The number of changes so far, to wait for more.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The newest output of every running call that has any. It begins and ends with a whole character.
    pub fn now(&self) -> BTreeMap<NodeId, LiveOutput> {
        let open = self.lock();
        let some = open.iter().filter(|(_, (_, tail))| tail.total() > 0);
        some.map(|(call, (attempt, tail))| {
            let bytes = tail.kept_tail();
            let (text, _) = marked(if tail.is_whole() {
                &bytes
            } else {
                whole_start(&bytes)
            });
            let output = LiveOutput {
                attempt: *attempt,
                text: text.into(),
                bytes: tail.total(),
            };
            (*call, output)
        })
        .collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<NodeId, (Attempt, Bounded)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(no: u32) -> NodeId {
        format!("c{no}").parse().unwrap()
    }

    #[test]
    fn only_the_newest_output_of_what_runs_is_kept() {
        let tails = Tails::default();
        let mut changes = tails.changes();
        tails.begin(id(1), Attempt(1));
        assert!(tails.now().is_empty(), "nothing was printed yet");
        tails.push(id(1), Attempt(1), "é first\n".as_bytes());
        assert!(changes.has_changed().unwrap());
        let now = tails.now();
        assert_eq!((&*now[&id(1)].text, now[&id(1)].bytes), ("é first\n", 9));
        // Ten megabytes.
        let line = "ü".repeat(500);
        for _ in 0..10_000 {
            tails.push(id(1), Attempt(1), line.as_bytes());
        }
        let now = tails.now();
        assert!(now[&id(1)].text.len() <= KEPT, "{}", now[&id(1)].text.len());
        assert!(now[&id(1)].text.chars().all(|c| c == 'ü'), "no character is torn");
        assert_eq!(now[&id(1)].bytes, 10_000_009);
        tails.push(id(1), Attempt(2), b"late");
        tails.end(id(1), Attempt(2));
        assert_eq!(tails.now()[&id(1)].bytes, 10_000_009, "another execution");
        tails.end(id(1), Attempt(1));
        tails.push(id(1), Attempt(1), b"late");
        assert!(tails.now().is_empty());
        changes.borrow_and_update();
    }
}
