//! codex.
//!
//! Must not know: how a process is started.

use super::Agent;

/// codex, with a provider of its own, for a key and for the log-in of ChatGPT: by `OPENAI_BASE_URL` alone its WebSocket would go to the vendor.
pub(super) const CODEX: Agent = Agent {
    program: "codex",
    upstream: "https://api.openai.com/v1",
    other_log_in: Some(("chatgpt-account-id", "https://chatgpt.com/backend-api/codex")),
    upstream_variable: None,
    environment: &[],
    arguments: &[
        "-c",
        "model_provider=\"overrule\"",
        "-c",
        "model_providers.overrule={name=\"Overrule\", base_url=\"{base}\", wire_api=\"responses\", \
         requires_openai_auth=true, supports_websockets=false, stream_idle_timeout_ms=3600000}",
    ],
    note: "",
};
