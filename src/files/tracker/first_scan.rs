//! Runs the first scan of a workspace on a thread of its own.
//!
//! Must not know: what the scan finds.

use std::sync::{Arc, PoisonError};

use super::{NOT_YET, Readiness, Shared, locked};
use crate::Error;
use crate::scan;
use crate::watch::Watch;

/// The first scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum First {
    NotStarted,
    Running,
    Done,
    Failed(String),
}

impl Shared {
    /// Starts the first scan, unless it was started.
    pub(super) fn start(self: &Arc<Self>) {
        let mut first = locked(&self.first);
        if *first != First::NotStarted {
            return;
        }
        *first = First::Running;
        drop(first);
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("files".to_owned());
        if let Err(error) = thread.spawn(move || shared.first_scan()) {
            self.end_first(First::Failed(format!("cannot start the first scan: {error}")));
        }
    }

    fn first_scan(&self) {
        let mut watch = Watch::new(self.context.root.fd());
        let space = self.context.store.has_space().map_err(|error| match error {
            Error::Full { why } => why,
            error => error.label(),
        });
        let how = match space.and_then(|()| scan::first(&self.context, &mut watch)) {
            Err(why) => First::Failed(why),
            Ok((index, problem)) => {
                let mut state = locked(&self.state);
                state.index = Some(index);
                state.watch = watch;
                state.problem = problem;
                let late = std::mem::take(&mut state.late);
                self.look_at(&mut state, &late, true);
                self.publish(&state);
                First::Done
            }
        };
        self.end_first(how);
    }

    fn end_first(&self, how: First) {
        if let First::Failed(why) = &how {
            locked(&self.last_known).readiness = Readiness::Not(why.clone());
        }
        *locked(&self.first) = how;
        self.changed.notify_all();
    }

    /// Waits for the first scan as long as a scan may take. Returns why nothing is known without it.
    pub(super) fn wait_first(&self) -> Option<String> {
        let first = locked(&self.first);
        let is_running = |first: &mut First| *first == First::Running;
        let waited = self
            .changed
            .wait_timeout_while(first, self.context.settings.scan, is_running);
        let (first, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &*first {
            First::Done => None,
            First::Failed(why) => Some(why.clone()),
            First::NotStarted | First::Running => Some(NOT_YET.to_owned()),
        }
    }
}
