//! The part of a list that a tab shows: revisions of a node, requests of a turn, newest first.
//!
//! Must not know: keys, how an entry is shown.

use std::fmt::Write as _;
use std::ops::Range;

use crate::ground::theme::Role;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::{Subject, Tab};
use crate::run::maker::Maker;
use crate::run::part::RunPart;
use overrule_domain::id::NodeId;
use overrule_domain::turn::Turn;

/// Revisions shown with their diffs at a time.
pub(crate) const REVISIONS: usize = 20;

/// The number of entries of a tab, and how many it shows at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Several {
    /// All.
    pub all: usize,
    /// At a time.
    pub most: usize,
}

impl Several {
    /// The shown entries, counted from 0, where `upto` is the newest of them.
    pub fn shown(self, upto: Option<usize>) -> Range<usize> {
        let end = upto.unwrap_or(self.all).clamp(1, self.all.max(1)).min(self.all);
        end.saturating_sub(self.most)..end
    }
}

/// The number of entries of a tab about a subject, if it shows a part at a time.
pub fn several(run: &RunPart, subject: Option<Subject>, tab: Tab) -> Option<Several> {
    let Some(Subject::Pick(Pick::Node(id))) = subject else {
        return None;
    };
    match tab {
        Tab::Revisions => {
            let all = nodes(id).into_iter().filter_map(|id| run.state.node(id));
            let all = all.map(|node| node.revisions.len()).max()?;
            Some(Several { all, most: REVISIONS })
        }
        Tab::Wire | Tab::Context => run.state.turn_of(id).map(requests),
        _ => None,
    }
}

/// The nodes whose revisions are shown for one: of a call, its observation too.
pub(crate) fn nodes(id: NodeId) -> Vec<NodeId> {
    let mut nodes = vec![id];
    nodes.extend(Some(id.observation()).filter(|other| *other != id));
    nodes
}

/// The requests of a turn: a stream that broke is asked for again.
pub fn requests(turn: &Turn) -> Several {
    Several {
        all: turn.asked as usize,
        most: 1,
    }
}

impl Maker<'_> {
    /// Which request of a turn is shown, counted from 1; says so where there are others.
    pub(crate) fn request(&mut self, turn: &Turn) -> u32 {
        let several = requests(turn);
        self.which(["request", "requests"], several);
        several.shown(self.older.upto).end as u32
    }

    /// Says which of several things are shown, and how the others are reached; nothing where these are all.
    pub(crate) fn which(&mut self, what: [&str; 2], several: Several) {
        if several.all <= several.most {
            return;
        }
        let shown = several.shown(self.older.upto);
        let (first, last, all) = (shown.start + 1, shown.end, several.all);
        let mut words = if first == last {
            format!("{} {last} of {all}", what[0])
        } else {
            format!("{} {first} to {last} of {all}", what[1])
        };
        let others = [(shown.start > 0, "older"), (last < all, "newer")];
        for ((is_there, name), key) in others.into_iter().zip(&self.older.keys) {
            if is_there && !key.is_empty() {
                let _ = write!(words, "  {key} {name}");
            }
        }
        self.own(Role::Key, words);
    }
}
