//! A summary as styled pieces.
//!
//! Must not know: where it is drawn.

use super::{Kind, Pieces, Summary};
use crate::ground::doc::{Piece, Styled};
use crate::ground::theme::Role;

impl Styled {
    /// Adds a line fitted into `columns`; a sign marks omitted text.
    pub fn summary(self, role: Role, line: &Summary, columns: usize) -> Self {
        self.pieces(role, line.fitted(columns))
    }

    /// Adds a line that will be broken into rows. Each text has at most `columns` columns, followed
    /// by its size in bytes if it is cut off.
    pub fn summary_at_length(self, role: Role, line: &Summary, columns: usize) -> Self {
        self.pieces(role, line.at_length(columns))
    }

    fn pieces(mut self, role: Role, pieces: Pieces) -> Self {
        for (kind, text) in pieces {
            let role = match kind {
                Kind::Plain => role,
                Kind::Mark => Role::Escaped,
                Kind::Blank | Kind::Cut => Role::Dim,
            };
            self.0.push(Piece::new(role, text));
        }
        self
    }
}
