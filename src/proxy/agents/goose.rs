//! goose.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate};

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
    home: Home {
        directories: &[".config/goose", ".local/share/goose", ".local/state/goose"],
        present: &[],
        files: &[],
        log_in: &[".config/goose/secrets.yaml"],
        settings: &[
            ".config/goose/config*.yaml",
            ".config/goose/.goosehints",
            ".config/goose/recipes",
        ],
        rewritten: &[],
        no_sandbox: &[],
        no_sandbox_arguments: &[],
    },
    user_agents: &[],
    note: "",
};
