//! Settings. Must not know: engine internals.
