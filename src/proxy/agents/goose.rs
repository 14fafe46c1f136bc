//! goose.
//!
//! Must not know: how a process is started.

use super::{Agent, OneGate};

/// goose: host and path are two variables.
pub(super) const GOOSE: Agent = Agent {
    program: "goose",
    upstream: "https://api.openai.com",
    wires: &["openai-chat"],
    other_log_in: None,
    upstream_variable: Some("OPENAI_HOST"),
    environment: &[
        ("OPENAI_HOST", "{host}"),
        ("OPENAI_BASE_PATH", "{base_path}/v1/chat/completions"),
    ],
    arguments: &[],
    one_gate: OneGate {
        environment: &[("GOOSE_MODE", "auto")],
        first: &[],
        last: &[],
        unless: &[],
        words: "GOOSE_MODE=auto",
    },
    user_agents: &[],
    note: "",
};
