//! Pure geometry: the layout of the screen.
//!
//! Must not know: ratatui, colours, the domain.

pub mod fold;
pub mod gutter;
pub mod map;
