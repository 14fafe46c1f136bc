//! When the executions of a tool ended, how long they took, whether they gave a value, and which choices of the tool
//! came to one: a few bytes for each.
//!
//! Must not know: tools, what is concluded.

use std::collections::BTreeMap;

use crate::compact::{Reader, make_room, push_flagged, push_signed};
use crate::domain::id::{NodeId, NodeKind, Rev};

/// Calls with numbers next to each other that share a page.
const PAGE: u32 = 64;

/// The ends of executions, in the order in which they were told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ends {
    bytes: Vec<u8>,
    count: usize,
    last: i64,
}

/// The end of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// UTC milliseconds.
    pub at: i64,
    /// Milliseconds that it took.
    pub ms: u64,
    /// True where it gave a value.
    pub ok: bool,
}

impl Ends {
    /// Adds one.
    pub fn push(&mut self, End { at, ms, ok }: End) {
        make_room(&mut self.bytes, 20);
        push_signed(&mut self.bytes, at.wrapping_sub(self.last));
        push_flagged(&mut self.bytes, ok, ms);
        self.last = at;
        self.count += 1;
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = End> + '_ {
        let mut reader = Reader::new(&self.bytes);
        let mut last = 0_i64;
        std::iter::from_fn(move || {
            last = last.wrapping_add(reader.signed()?);
            let (ok, ms) = reader.flagged()?;
            Some(End { at: last, ms, ok })
        })
    }
}

/// Whether each choice of a tool, that is a call with its arguments, led to a value in the end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Choices {
    /// The first revisions of calls.
    pages: BTreeMap<u32, Page>,
    /// All others.
    others: BTreeMap<(NodeId, Rev), bool>,
    all: u64,
    good: u64,
}

/// A bit for each call of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Page {
    there: u64,
    good: u64,
}

impl Choices {
    /// Notes how a choice ended now; true where it had been there before.
    pub fn note(&mut self, call: NodeId, rev: Rev, ok: bool) -> bool {
        let before = if call.kind == NodeKind::Call && rev == Rev(1) {
            let page = self.pages.entry(call.no / PAGE).or_default();
            let bit = 1_u64 << (call.no % PAGE);
            let before = (page.there & bit != 0).then_some(page.good & bit != 0);
            page.there |= bit;
            page.good = if ok { page.good | bit } else { page.good & !bit };
            before
        } else {
            self.others.insert((call, rev), ok)
        };
        self.all += u64::from(before.is_none());
        self.good -= u64::from(before == Some(true));
        self.good += u64::from(ok);
        before.is_some()
    }

    /// How many led to a value, and how many there are.
    pub const fn count(&self) -> (u64, u64) {
        (self.good, self.all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ends_are_a_list(all in prop::collection::vec((any::<i64>(), any::<u64>(), any::<bool>()), 0..40)) {
            let all: Vec<End> = all.into_iter().map(|(at, ms, ok)| End { at, ms, ok }).collect();
            let mut ends = Ends::default();
            for end in &all { ends.push(*end); }
            prop_assert_eq!(ends.len(), all.len());
            prop_assert!(ends.iter().eq(all));
        }

        #[test]
        fn choices_are_a_map(
            steps in prop::collection::vec((0..200_u32, 1..3_u32, any::<bool>(), any::<bool>()), 0..80),
        ) {
            let (mut choices, mut map) = (Choices::default(), BTreeMap::new());
            for (no, rev, is_call, ok) in steps {
                let kind = if is_call { NodeKind::Call } else { NodeKind::Observation };
                let choice = (NodeId::new(kind, no), Rev(rev));
                prop_assert_eq!(choices.note(choice.0, choice.1, ok), map.insert(choice, ok).is_some());
                let good = map.values().filter(|ok| **ok).count() as u64;
                prop_assert_eq!(choices.count(), (good, map.len() as u64));
            }
        }
    }

    #[test]
    fn an_ordinary_end_takes_five_bytes_at_most() {
        let mut ends = Ends::default();
        for no in 0..1000 {
            ends.push(End {
                at: 1_700_000_000_000 + no * 700,
                ms: no as u64 * 3,
                ok: no % 9 != 0,
            });
        }
        assert!(ends.bytes.len() <= 5 * 1000, "{}", ends.bytes.len());
    }
}
