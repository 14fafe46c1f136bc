//! Safe display of untrusted text. Must not know: where text comes from.
