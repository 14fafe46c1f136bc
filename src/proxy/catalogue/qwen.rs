//! The tools of qwen-code.
//!
//! Must not know: rules.

use super::{Table, any, idempotent, pure, read, read_far, write};

/// Those of its requests and of the names in its program.
pub(super) const TABLE: Table = Table {
    agent: "qwen",
    version: "0.24.4",
    tools: &[
        any("agent"),
        pure("ask_user_question"),
        any("create_sub_session"),
        any("cron_create"),
        any("cron_delete"),
        read("cron_list"),
        write("edit"),
        pure("enter_plan_mode"),
        any("enter_worktree"),
        any("exec"),
        pure("exit_plan_mode"),
        any("exit_worktree"),
        pure("get_goal"),
        read("glob"),
        read("grep_search"),
        read("list_agents"),
        read("list_directory"),
        any("loop_wakeup"),
        read("lsp"),
        any("monitor"),
        write("notebook_edit"),
        read("read_file"),
        pure("report_findings"),
        any("run_shell_command"),
        write("save_memory"),
        any("send_message"),
        any("skill"),
        pure("structured_output"),
        pure("task_create"),
        read("task_list"),
        any("task_stop"),
        pure("task_update"),
        pure("todo_write"),
        any("tool_call"),
        read("tool_search"),
        pure("update_goal"),
        read_far("web_fetch"),
        read_far("web_search"),
        any("workflow"),
        idempotent("write_file"),
    ],
};
