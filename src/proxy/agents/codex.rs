//! codex.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate, TOKEN_VARIABLE};

/// codex, with a provider of its own, for a key and for the log-in of ChatGPT: by `OPENAI_BASE_URL` alone its WebSocket would go to the vendor.
pub(super) const CODEX: Agent = Agent {
    program: "codex",
    upstream: "https://api.openai.com/v1",
    wires: &["openai-responses"],
    other_log_in: Some(("chatgpt-account-id", "https://chatgpt.com/backend-api/codex")),
    upstream_variable: None,
    // Every user of the machine can read the arguments of a process: the token is a header.
    environment: &[(TOKEN_VARIABLE, "{token}")],
    arguments: &[
        "-c",
        "model_provider=\"overrule\"",
        "-c",
        "model_providers.overrule={name=\"Overrule\", base_url=\"{host}\", \
         env_http_headers={\"x-overrule-token\"=\"OVERRULE_AGENT_TOKEN\"}, wire_api=\"responses\", \
         requires_openai_auth=true, supports_websockets=false, stream_idle_timeout_ms=3600000}",
    ],
    one_gate: OneGate {
        environment: &[],
        first: &["-c", "approval_policy=\"never\""],
        last: &[],
        unless: &[
            "-a",
            "--ask-for-approval",
            "--approve-for-me",
            "--dangerously-bypass-approvals-and-sandbox",
            "--yolo",
        ],
        words: "-c approval_policy=\"never\"; its sandbox stays",
    },
    home: Home {
        directories: &[".codex"],
        present: &[],
        files: &[],
        log_in: &[".codex/auth.json"],
        settings: &[
            ".codex/config*.toml",
            ".codex/hooks*",
            ".codex/agents",
            ".codex/prompts",
            ".codex/rules",
            ".codex/AGENTS*.md",
        ],
        rewritten: &[],
        no_sandbox: &[],
        no_sandbox_arguments: &["-c", "sandbox_mode=\"danger-full-access\""],
    },
    user_agents: &["codex_"],
    note: "",
};
