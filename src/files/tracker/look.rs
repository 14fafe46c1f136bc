//! Looks at the workspace, and attributes what is found.
//!
//! Must not know: how a scan goes through the directories, what a call does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use overrule_domain::files::FilePath;

use super::first_scan::First;
use super::{LastKnown, NOT_YET, Readiness, Shared, State, locked};
use crate::index::Index;
use crate::scan::{self, Context, Found};
use crate::watch::Watch;

/// Why the next changes would not be known after a look that was cut short.
const NOT_WHOLE: &str = "the last scan was not complete";
/// Why nothing is known after a look that panicked.
const DEFECT: &str = "a look at the files failed because of a defect";

/// What a look leaves unknown.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Why not everything is known or saved.
    pub(super) problem: Option<String>,
    /// What is found next may be older.
    pub(super) is_blind: bool,
}

impl Look {
    pub(super) fn blind(why: impl Into<String>) -> Self {
        Self {
            problem: Some(why.into()),
            is_blind: true,
        }
    }
}

impl Shared {
    /// Makes what a look found known.
    pub(super) fn publish(&self, state: &State) {
        let readiness = match (&state.problem, &state.index) {
            (Some(why), _) => Readiness::Not(why.clone()),
            (None, None) => return,
            (None, Some(_)) if state.is_unsure => Readiness::Not(NOT_WHOLE.to_owned()),
            (None, Some(_)) => Readiness::Ready,
        };
        let not_restorable = state.index.as_ref().map(Index::not_restorable);
        *locked(&self.last_known) = LastKnown {
            readiness,
            not_restorable: not_restorable.unwrap_or_default().into(),
        };
    }

    /// Looks at everything, unless nothing changed since the last look and all contents were saved.
    pub(super) fn look(&self, state: &mut State) -> Look {
        self.look_by(state, scan::again)
    }

    fn look_by(
        &self,
        state: &mut State,
        scan: impl FnOnce(&Context, &mut Index, &mut Watch) -> Found,
    ) -> Look {
        let Some(mut index) = state.index.take() else {
            return Look::blind(state.problem.as_deref().unwrap_or(NOT_YET));
        };
        // Asked before the look: what changes during it is found by the next one.
        let is_quiet = state.watch.is_quiet();
        if is_quiet && state.is_current && state.problem.is_none() {
            state.index = Some(index);
            return Look::default();
        }
        let watch = &mut state.watch;
        let found = catch_unwind(AssertUnwindSafe(|| scan(&self.context, &mut index, watch)));
        let Ok(found) = found else {
            // What is left of the index would make files look new that are not.
            state.problem = Some(DEFECT.to_owned());
            return Look::blind(DEFECT);
        };
        let is_unsure = std::mem::replace(&mut state.is_unsure, found.is_partial);
        state.is_current = !found.is_partial && !index.has_linked();
        state.index = Some(index);
        if !found.is_partial {
            state.problem = None;
        }
        Self::attribute(state, found, is_unsure)
    }

    fn attribute(state: &mut State, found: Found, is_unsure: bool) -> Look {
        let Found {
            changes,
            wrote,
            problem,
            is_partial,
        } = found;
        state.windows.found(changes, wrote, is_unsure);
        // Until a whole look has saved what was not saved.
        if !is_partial && problem.is_some() {
            state.problem.clone_from(&problem);
        }
        Look {
            problem: problem.or_else(|| state.problem.clone()),
            is_blind: is_partial,
        }
    }

    /// Looks at these paths alone. What is found is attributed like what a scan finds, unless it `is_known` whose it is.
    pub(super) fn look_at(&self, state: &mut State, paths: &[FilePath], is_known: bool) {
        let Some(index) = &mut state.index else {
            if is_known && *locked(&self.first) == First::Running {
                state.late.extend_from_slice(paths);
            }
            return;
        };
        let mut paths = paths.to_vec();
        paths.sort();
        let found = scan::paths(&self.context, index, &mut state.watch, &paths);
        if !is_known {
            let is_unsure = state.is_unsure;
            Self::attribute(state, found, is_unsure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Fixture, key};

    #[test]
    fn a_look_that_panics_leaves_nothing_that_looks_new() {
        let fixture = Fixture::new();
        fixture.write("a", "1");
        let tracker = fixture.tracker();
        tracker.begin(key(1));
        fixture.write("b", "1");
        let mut state = locked(&tracker.0.state);
        let look = tracker.0.look_by(&mut state, |_, index, _| {
            index.directories.clear();
            panic!("a defect")
        });
        assert_eq!((look.problem.as_deref(), look.is_blind), (Some(DEFECT), true));
        drop(state);
        let set = tracker.end(key(1));
        assert_eq!((set.changes.0.len(), set.untracked.as_deref()), (0, Some(DEFECT)));
        assert_eq!(tracker.readiness(), Readiness::Not(DEFECT.to_owned()));
        let begun = tracker.begin(key(2));
        assert_eq!(
            (begun.outside.0.len(), begun.untracked.as_deref()),
            (0, Some(DEFECT))
        );
    }
}
