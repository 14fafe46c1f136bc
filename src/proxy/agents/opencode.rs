//! opencode.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate};

/// opencode: the addresses of its two largest providers are set in a configuration that only this process has.
pub(super) const OPENCODE: Agent = Agent {
    program: "opencode",
    upstream: "https://api.anthropic.com/v1",
    wires: &["anthropic", "openai-responses", "openai-chat"],
    other_log_in: None,
    upstream_variable: None,
    environment: &[(
        "OPENCODE_CONFIG_CONTENT",
        "{\"provider\":{\"anthropic\":{\"options\":{\"baseURL\":\"{base}\"}},\"openai\":{\"options\":{\"baseURL\":\"{base}\"}}}}",
    )],
    arguments: &[],
    one_gate: OneGate {
        environment: &[],
        first: &[],
        last: &["--auto"],
        unless: &["--auto", "--yolo", "--dangerously-skip-permissions"],
        words: "--auto; what its settings deny stays denied",
    },
    home: Home {
        directories: &[
            ".local/share/opencode",
            ".local/state/opencode",
            ".config/opencode",
        ],
        present: &[".cache"],
        files: &[],
        log_in: &[".local/share/opencode/auth.json"],
        settings: &[
            ".config/opencode/opencode*",
            ".config/opencode/config*",
            ".config/opencode/plugin*",
            ".config/opencode/command*",
            ".config/opencode/agent*",
            ".config/opencode/tool*",
            ".config/opencode/mode*",
            ".config/opencode/skill*",
            ".config/opencode/AGENTS.md",
        ],
        rewritten: &[],
        no_sandbox: &[],
        no_sandbox_arguments: &[],
    },
    user_agents: &["opencode/"],
    note: "only its providers anthropic and openai come to the proxy",
};
