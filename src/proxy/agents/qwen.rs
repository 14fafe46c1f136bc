//! qwen-code.
//!
//! Must not know: how a process is started.

use super::{Agent, OneGate};

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
    user_agents: &["QwenCode/"],
    note: "",
};
