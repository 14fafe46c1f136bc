//! Finds what the sandbox refused in the output of a command.
//!
//! Must not know: which call it was.
