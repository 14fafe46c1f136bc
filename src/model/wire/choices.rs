//! Follows one of several choices of a reply.
//!
//! Must not know: wire formats.

use super::Reply;
use crate::Chunk;

/// Where a call is not made.
const OTHER_CHOICE: &str = "another choice than the first";

/// A piece of one choice.
#[derive(Debug)]
pub struct ChoicePiece<'a> {
    /// The JSON text of the choice.
    pub raw: &'a str,
    /// The number of the choice.
    pub index: u64,
    /// True if it holds anything of a reply.
    pub has_content: bool,
    /// The name of its first call, if it holds one.
    pub called: Option<String>,
}

/// The choices of one stream. The first by index that has content is the reply; a call counts in the lowest one only.
#[derive(Debug)]
pub struct Choices {
    followed: Option<u64>,
    lowest: Option<u64>,
    /// Pieces of later choices, which count if the first choice has no content: index and JSON text.
    held: Vec<(u64, String)>,
    /// True while later choices are held back.
    holds: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            followed: None,
            lowest: None,
            held: Vec::new(),
            holds: true,
        }
    }
}

impl Choices {
    /// Creates choices of a reply to an agent: the first choice that comes with content is the reply. An agent has the
    /// bytes of a piece as soon as the piece is read, so nothing is held back.
    pub fn of_agent() -> Self {
        Self {
            holds: false,
            ..Self::default()
        }
    }

    /// True if the piece is part of the reply. A call in another choice is not made, and the reply is no answer either.
    pub fn takes(&mut self, piece: ChoicePiece<'_>, reply: &mut Reply, out: &mut Vec<Chunk>) -> bool {
        let ChoicePiece {
            raw,
            index,
            has_content,
            called,
        } = piece;
        self.lowest = Some(self.lowest.map_or(index, |lowest| lowest.min(index)));
        if self.holds && self.followed.is_none() && index > 0 {
            reply.hold(raw);
            self.held.push((index, raw.to_owned()));
            return false;
        }
        let misplaced = called.is_some() && self.lowest != Some(index);
        if has_content && !misplaced && self.followed.is_none() {
            self.followed = Some(index);
            // Only a choice without content has ended so far.
            reply.finish = None;
        }
        let is_other = self.followed.is_some_and(|followed| followed != index);
        if !misplaced && !is_other {
            return true;
        }
        if let Some(tool) = called {
            reply.misplaced.get_or_insert((tool, OTHER_CHOICE));
        }
        if has_content {
            out.push(Chunk::Unknown { raw: raw.to_owned() });
        }
        false
    }

    /// Ends the stream: returns index and JSON text of the pieces that were held back, in the order of their choices.
    pub fn release(&mut self) -> Vec<(u64, String)> {
        self.holds = false;
        let mut held = std::mem::take(&mut self.held);
        held.sort_by_key(|(index, _)| *index);
        held
    }
}
