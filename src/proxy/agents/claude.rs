//! Claude Code.
//!
//! Must not know: how a process is started.

use super::{Agent, Home, OneGate};

/// Settings of one process: a hook answers each question about a call, in every mode but that for plans. Its user still
/// answers questions and approves plans; what a setting denies stays denied.
const SETTINGS: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"^(?!(AskUserQuestion|ExitPlanMode)$).*","hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}]}}"#;

/// Claude Code: its log-in passes through; its timers are raised, so that it waits for a person.
pub(super) const CLAUDE: Agent = Agent {
    program: "claude",
    upstream: "https://api.anthropic.com",
    wires: &["anthropic"],
    other_log_in: None,
    upstream_variable: Some("ANTHROPIC_BASE_URL"),
    environment: &[
        ("ANTHROPIC_BASE_URL", "{base}"),
        // Other providers of its models come here, too, and are refused: their formats cannot be gated.
        ("ANTHROPIC_AWS_BASE_URL", "{base}"),
        ("ANTHROPIC_BEDROCK_BASE_URL", "{base}"),
        ("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "{base}"),
        ("ANTHROPIC_FOUNDRY_BASE_URL", "{base}"),
        ("ANTHROPIC_VERTEX_BASE_URL", "{base}"),
        ("ENABLE_TOOL_SEARCH", "true"),
        ("CLAUDE_STREAM_IDLE_TIMEOUT_MS", "1800000"),
        ("CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS", "1800000"),
        ("API_TIMEOUT_MS", "3600000"),
        ("API_FORCE_IDLE_TIMEOUT", "0"),
        ("CLAUDE_ASYNC_AGENT_STALL_TIMEOUT_MS", "3600000"),
        ("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", "0"),
        ("CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK", "1"),
    ],
    arguments: &[],
    one_gate: OneGate {
        environment: &[],
        first: &["--settings", SETTINGS],
        last: &[],
        unless: &["--settings", "--dangerously-skip-permissions"],
        words: "a hook in --settings allows each call",
    },
    home: Home {
        directories: &[".claude"],
        present: &[],
        files: &[(".claude.json", "{}")],
        log_in: &[".claude/.credentials.json", ".claude.json"],
        settings: &[
            ".claude/settings*.json",
            ".claude/hooks",
            ".claude/agents",
            ".claude/commands",
            ".claude/skills",
            ".claude/plugins",
            ".claude/output-styles",
            ".claude/CLAUDE.md",
        ],
        rewritten: &[(".claude.json", &["mcpServers", "hooks"])],
        no_sandbox: &[],
        no_sandbox_arguments: &[],
    },
    user_agents: &["claude-cli/"],
    note: "calls that it makes outside of its model's replies are not gated",
};
