//! What the screen looks like, and that nothing untrusted reaches it raw.

mod pictures;
mod rules;
