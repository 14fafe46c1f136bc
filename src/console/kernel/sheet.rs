//! A document on a surface: its rows, its position, the search in it.
//!
//! Must not know: what is written on it.

use crate::ground::doc::Doc;
use crate::ground::motion::{Move, by};
use crate::ground::seek::Seek;
use overrule_domain::id::Seq;

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// The rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in it.
    pub seek: Option<Seek>,
    /// Event and width that the rows were made for.
    pub made: Option<(Seq, u16)>,
}

/// Scrolls a document.
pub(crate) fn scroll(top: &mut usize, doc: &Doc, to: Move, page: usize) {
    *top = match to {
        Move::Top => 0,
        Move::Bottom => doc.rows(),
        other => top.saturating_add_signed(by(other, page)),
    };
}
