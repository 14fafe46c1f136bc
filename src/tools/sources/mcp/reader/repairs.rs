//! What was repaired in the messages of a server, in words.
//!
//! Must not know: how a message is repaired, who reads the words.

use overrule_base::text::visible_head;

/// Characters kept of a name.
const NAME: usize = 100;

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
pub(in super::super) struct Repairs(pub(in super::super) Vec<Repair>);

impl Repairs {
    fn add(&mut self, repair: Repair) {
        if !self.0.contains(&repair) {
            self.0.push(repair);
        }
    }

    /// Names something that was read in another way than it was written.
    pub(super) fn read(&mut self, words: impl Into<String>) {
        self.add(Repair::Read(words.into()));
    }

    /// Names something that was left out.
    pub(super) fn left(&mut self, words: impl Into<String>) {
        self.add(Repair::Left(words.into()));
    }
}

/// Returns a name of the server as it is shown.
pub(super) fn shown(name: &str) -> String {
    visible_head(name, NAME)
}
