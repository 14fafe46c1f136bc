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

/// The choices of one stream. The first one with content is the reply; a call counts in the lowest one only.
#[derive(Debug, Default)]
pub struct Choices {
    followed: Option<u64>,
    lowest: Option<u64>,
}

impl Choices {
    /// True if the piece is part of the reply. A call in another choice is not made, and the reply is no answer either.
    pub fn takes(&mut self, piece: ChoicePiece<'_>, reply: &mut Reply, out: &mut Vec<Chunk>) -> bool {
        let ChoicePiece {
            raw,
            index,
            has_content,
            called,
        } = piece;
        self.lowest = Some(self.lowest.map_or(index, |lowest| lowest.min(index)));
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
}
