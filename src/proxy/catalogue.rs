//! What the tools of known agents can do to the world. The agents' own words are no evidence.
//!
//! Must not know: which agent runs, rules.

use overrule_base::known_tool::is_shell;
use overrule_domain::call::EffectClass;

/// Tools that look and change nothing.
const READ: [&str; 26] = [
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "TaskOutput",
    "WebFetch",
    "WebSearch",
    "ToolSearch",
    "BashOutput",
    "glob",
    "google_web_search",
    "grep",
    "grep_search",
    "list",
    "list_directory",
    "lsp",
    "read",
    "read_file",
    "read_many_files",
    "search_file_content",
    "view_image",
    "web_fetch",
    "web_search",
    "webfetch",
    "websearch",
];
/// Tools that change only what the agent itself remembers or shows.
const PURE: [&str; 12] = [
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "TodoWrite",
    "TodoRead",
    "todo_write",
    "todoread",
    "todowrite",
    "update_plan",
    "write_todos",
    "question",
    "request_user_input",
];
/// Tools that write files: the same call again changes nothing more.
const IDEMPOTENT: [&str; 4] = ["Write", "write", "write_file", "NotebookEdit"];
/// Tools that change files.
const WRITE: [&str; 9] = [
    "Edit",
    "MultiEdit",
    "apply_patch",
    "apply_patch_call",
    "edit",
    "multiedit",
    "patch",
    "replace",
    "save_memory",
];
/// Tools that reach beyond this machine.
const EXTERNAL: [&str; 8] = [
    "WebFetch",
    "WebSearch",
    "google_web_search",
    "web_fetch",
    "web_search",
    "webfetch",
    "websearch",
    "ToolSearch",
];
/// Returns the effect class of a tool by its name; unknown for everything that is not listed, such as tools of servers.
pub fn effect(tool: &str) -> EffectClass {
    if READ.contains(&tool) {
        EffectClass::Read
    } else if PURE.contains(&tool) {
        EffectClass::Pure
    } else if IDEMPOTENT.contains(&tool) {
        EffectClass::Idempotent
    } else if WRITE.contains(&tool) {
        EffectClass::Write
    } else {
        EffectClass::Unknown
    }
}

/// Returns true for a tool that reaches beyond this machine, or may.
pub fn is_external(tool: &str) -> bool {
    EXTERNAL.contains(&tool) || is_shell(tool) || tool.starts_with("mcp__")
}
