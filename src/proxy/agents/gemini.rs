//! gemini-cli.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate};

/// gemini-cli, with a key of its own.
pub(super) const GEMINI: Agent = Agent {
    program: "gemini",
    upstream: "https://generativelanguage.googleapis.com",
    wires: &["gemini"],
    other_log_in: None,
    upstream_variable: Some("GOOGLE_GEMINI_BASE_URL"),
    environment: &[
        ("GOOGLE_GEMINI_BASE_URL", "{base}"),
        // Requests under its other log-ins come here, too, and are refused.
        ("CODE_ASSIST_ENDPOINT", "{base}"),
        ("GOOGLE_VERTEX_BASE_URL", "{base}"),
    ],
    arguments: &[],
    one_gate: OneGate {
        environment: &[],
        first: &["--approval-mode", "yolo"],
        last: &[],
        unless: &["--approval-mode", "-y", "--yolo"],
        words: "--approval-mode yolo",
    },
    home: Home {
        directories: &[".gemini"],
        present: &[],
        files: &[],
        log_in: &[".gemini/oauth_creds.json"],
        settings: &[
            ".gemini/settings*.json",
            ".gemini/commands",
            ".gemini/extensions",
            ".gemini/policies",
            ".gemini/agents",
            ".gemini/skills",
            ".gemini/hooks",
            ".gemini/trustedFolders.json",
            ".gemini/GEMINI.md",
            ".gemini/.env",
        ],
        rewritten: &[],
        no_sandbox: &[("GEMINI_SANDBOX", "false")],
        no_sandbox_arguments: &[],
    },
    user_agents: &["GeminiCLI"],
    note: "name a model with -m: its own choice of one is not supervised",
};
