//! Canonical JSON and domain-tagged hashes. Must not know: what is hashed.
