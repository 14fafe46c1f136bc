//! Stub. Must not know: nothing.
