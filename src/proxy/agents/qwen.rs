//! qwen-code.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate};

/// qwen-code.
pub(super) const QWEN: Agent = Agent {
    program: "qwen",
    upstream: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    wires: &["openai-chat"],
    other_log_in: None,
    upstream_variable: Some("OPENAI_BASE_URL"),
    environment: &[
        ("OPENAI_BASE_URL", "{base}"),
        ("QWEN_STREAM_IDLE_TIMEOUT_MS", "3600000"),
        ("QWEN_STREAM_MAX_LIFETIME_MS", "3600000"),
    ],
    // Under another log-in it would ask its model without the proxy.
    arguments: &["--auth-type", "openai"],
    one_gate: OneGate {
        environment: &[],
        first: &["--approval-mode", "yolo"],
        last: &[],
        unless: &["--approval-mode", "-y", "--yolo"],
        words: "--approval-mode yolo",
    },
    home: Home {
        directories: &[".qwen"],
        present: &[],
        files: &[],
        log_in: &[".qwen/oauth_creds.json"],
        settings: &[
            ".qwen/settings*.json",
            ".qwen/commands",
            ".qwen/extensions",
            ".qwen/agents",
            ".qwen/skills",
            ".qwen/hooks",
            ".qwen/trustedFolders.json",
            ".qwen/QWEN.md",
            ".qwen/.env",
        ],
        rewritten: &[],
        no_sandbox: &[("QWEN_SANDBOX", "false"), ("GEMINI_SANDBOX", "false")],
        no_sandbox_arguments: &[],
    },
    user_agents: &["QwenCode/"],
    note: "",
};
