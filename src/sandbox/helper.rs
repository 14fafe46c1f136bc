//! Confines this process and becomes the command.
//!
//! Must not know: what the command is for.
