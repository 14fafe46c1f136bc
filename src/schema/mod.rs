//! JSON Schema checks, offline. Must not know: tools, calls.
