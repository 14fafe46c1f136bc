//! Draws the screen around the surfaces: header, banner, status line, frames, lists.
//!
//! Must not know: what is on a surface.

pub(crate) mod banner;
pub(crate) mod dialog;
pub(crate) mod document;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod listing;
pub(crate) mod replay;
pub(crate) mod sheet;
pub(crate) mod shell;
pub(crate) mod status;
