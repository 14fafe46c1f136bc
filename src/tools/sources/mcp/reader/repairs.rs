//! What was repaired in the messages of a server, in words.
//!
//! Must not know: how a message is repaired, who reads the words.

use std::collections::HashSet;

use overrule_base::text::visible_head;

/// Characters kept of a name.
const NAME: usize = 100;
/// Maximum number of repairs that are named of a message; the others are counted.
const MOST: usize = 200;

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in super::super) enum Repair {
    /// Something was read in another way than it was written; nothing is lost.
    Read(String),
    /// Something was left out, or is not known any more.
    Left(String),
}

impl Repair {
    /// Returns the words.
    pub(in super::super) fn words(&self) -> &str {
        match self {
            Self::Read(words) | Self::Left(words) => words,
        }
    }
}

/// The repairs of a message, in order, each once.
#[derive(Debug, Default)]
pub(in super::super) struct Repairs {
    named: Vec<Repair>,
    known: HashSet<Repair>,
    /// Repairs that are not named.
    others: u64,
}

impl Repairs {
    fn add(&mut self, repair: Repair) {
        if self.known.contains(&repair) {
            return;
        }
        if self.named.len() == MOST {
            self.others = self.others.saturating_add(1);
            return;
        }
        self.known.insert(repair.clone());
        self.named.push(repair);
    }

    /// Returns the repairs. The last one counts those that are not named.
    pub(in super::super) fn all(mut self) -> Vec<Repair> {
        if self.others > 0 {
            let words = format!("{} more repairs of the same message are not named", self.others);
            self.named.push(Repair::Left(words));
        }
        self.named
    }

    /// Names something that was read in another way than it was written.
    pub(in super::super) fn read(&mut self, words: impl Into<String>) {
        self.add(Repair::Read(words.into()));
    }

    /// Names something that was left out.
    pub(in super::super) fn left(&mut self, words: impl Into<String>) {
        self.add(Repair::Left(words.into()));
    }
}

/// Returns a name of the server as it is shown.
pub(super) fn shown(name: &str) -> String {
    visible_head(name, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_repair_is_named_once_and_those_above_a_number_are_counted() {
        let mut repairs = Repairs::default();
        for no in 0..100_000 {
            repairs.left(format!("tool {no} is left out"));
            repairs.read("an id is a text");
        }
        let all = repairs.all();
        assert_eq!(all.len(), MOST + 1);
        assert_eq!(
            all.iter()
                .filter(|repair| matches!(repair, Repair::Read(_)))
                .count(),
            1
        );
        let last = all.last().map(Repair::words);
        assert_eq!(last, Some("99801 more repairs of the same message are not named"));
    }
}
