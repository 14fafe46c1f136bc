//! Caches values that are computed from the whole run, until the run changes.
//!
//! Must not know: what is computed, what shows it.

use std::collections::BTreeMap;

use super::edit_preview::{Change, EditPreview};
use crate::run::effects::Effects;
use overrule_domain::badge::MarkedCalls;
use overrule_domain::branch::{Branch, branches};
use overrule_domain::id::{Epoch, NodeId, Seq};
use overrule_domain::ready::{calls_in_conflict, same_targets};
use overrule_domain::state::{Mode, State};
use overrule_domain::thread::ROOT;
use overrule_domain::unresolved::failed_calls;
use overrule_present::branch_diff::BranchDiff;
use overrule_present::conflict::ConflictView;

/// A value computed from a state and a key.
#[derive(Debug, Clone)]
pub struct Cached<T, K = ()>(Option<CacheEntry<T, K>>);

#[derive(Debug, Clone)]
struct CacheEntry<T, K> {
    seq: Seq,
    about: K,
    value: T,
}

impl<T, K> Default for Cached<T, K> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T, K: PartialEq> Cached<T, K> {
    /// The value for this state, computed again if the state or the key has changed.
    pub fn renew(&mut self, state: &State, about: K, of: impl FnOnce(&State, &K) -> T) -> &T {
        let is_new = |stored: &CacheEntry<T, K>| stored.seq == state.seq && stored.about == about;
        let stored = self
            .0
            .take_if(|stored| is_new(stored))
            .unwrap_or_else(|| CacheEntry {
                seq: state.seq,
                value: of(state, &about),
                about,
            });
        &self.0.insert(stored).value
    }

    /// The last value; none before the first.
    pub fn value(&self) -> Option<&T> {
        self.0.as_ref().map(|stored| &stored.value)
    }
}

/// Values that several parts of the screen show.
#[derive(Debug, Clone, Default)]
pub struct Caches {
    edit_preview: Cached<EditPreview, Change>,
    branches: Cached<Vec<Branch>>,
    effects: Cached<Effects>,
    branch_diff: Cached<BranchDiff, (Epoch, Epoch)>,
    marked_calls: Cached<MarkedCalls>,
    same_targets: Cached<BTreeMap<NodeId, NodeId>>,
    conflicts: Cached<Vec<String>>,
}

impl Caches {
    /// Preview of a change.
    pub fn edit_preview(&mut self, state: &State, change: Change) -> &EditPreview {
        self.edit_preview.renew(state, change, EditPreview::of)
    }

    /// Preview of the last change.
    pub fn last_edit_preview(&self) -> Option<&EditPreview> {
        self.edit_preview.value()
    }

    /// The branches with their outcomes.
    pub fn branches(&mut self, state: &State) -> &[Branch] {
        self.branches.renew(state, (), |state, ()| branches(state))
    }

    /// Executions with effects.
    pub fn effects(&mut self, state: &State) -> &Effects {
        self.effects.renew(state, (), |state, ()| Effects::of(state))
    }

    /// Updates the calls that the badges of rows depend on. Without an answer, none counts as failed.
    pub fn renew_marked_calls(&mut self, state: &State) {
        let of = |state: &State, (): &()| MarkedCalls {
            failed: match state.mode {
                Mode::Finished(_) => failed_calls(state, ROOT),
                _ => Vec::new(),
            },
            in_conflict: calls_in_conflict(state),
        };
        self.marked_calls.renew(state, (), of);
    }

    /// The calls that the badges of rows depend on; none before the first frame.
    pub fn marked_calls(&self) -> Option<&MarkedCalls> {
        self.marked_calls.value()
    }

    /// Updates the write conflicts.
    pub fn renew_conflicts(&mut self, state: &State) {
        self.same_targets
            .renew(state, (), |state, ()| same_targets(state));
        let of = |state: &State, (): &()| {
            let all = ConflictView::all(state);
            all.iter().map(ConflictView::describe).collect()
        };
        self.conflicts.renew(state, (), of);
    }

    /// The write conflicts, a line each in visible form.
    pub fn conflicts(&self) -> &[String] {
        self.conflicts.value().map_or(&[], Vec::as_slice)
    }

    /// Another call of the turn that writes, or would write, a state path of this call.
    pub fn same_target(&self, call: NodeId) -> Option<NodeId> {
        self.same_targets.value()?.get(&call).copied()
    }

    /// Comparison of two branches.
    pub fn branch_diff(&mut self, state: &State, two: (Epoch, Epoch)) -> &BranchDiff {
        self.branch_diff.renew(state, two, |state, two| {
            #[cfg(test)]
            crate::testing::work::gone_through();
            BranchDiff::of(state, *two)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_worked_out_once_for_a_state_and_what_it_is_about() {
        let mut times = 0;
        let mut cached: Cached<u64, &str> = Cached::default();
        let mut renew = |seq: u64, about: &'static str| {
            let state = State {
                seq: Seq(seq),
                ..State::default()
            };
            let value = *cached.renew(&state, about, |state, about| {
                times += 1;
                state.seq.0 * 10 + about.len() as u64
            });
            (value, times)
        };
        assert_eq!(renew(1, "a"), (11, 1));
        assert_eq!(renew(1, "a"), (11, 1));
        assert_eq!(renew(1, "ab"), (12, 2));
        assert_eq!(renew(2, "ab"), (22, 3));
        assert_eq!(renew(1, "ab"), (12, 4), "a recorded run goes back, too");
    }
}
