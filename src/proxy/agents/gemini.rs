//! gemini-cli.
//!
//! Must not know: how a process is started.

use super::Agent;

/// gemini-cli, with a key of its own.
pub(super) const GEMINI: Agent = Agent {
    program: "gemini",
    upstream: "https://generativelanguage.googleapis.com",
    other_log_in: None,
    upstream_variable: Some("GOOGLE_GEMINI_BASE_URL"),
    environment: &[("GOOGLE_GEMINI_BASE_URL", "{base}")],
    arguments: &[],
    note: "name a model with -m: its own choice of one is not supervised",
};
