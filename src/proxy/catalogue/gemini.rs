//! The tools of gemini-cli.
//!
//! Must not know: rules.

use super::{Table, any, idempotent, pure, read, read_far, write};

/// Those of its requests and of the names in its program; some are of older versions.
pub(super) const TABLE: Table = Table {
    agent: "gemini",
    version: "0.61.0",
    tools: &[
        any("activate_skill"),
        pure("ask_user"),
        pure("complete_task"),
        pure("enter_plan_mode"),
        pure("exit_plan_mode"),
        read("get_internal_docs"),
        read("glob"),
        read_far("google_web_search"),
        read("grep_search"),
        any("invoke_agent"),
        read("list_background_processes"),
        read("list_directory"),
        read("read_background_output"),
        read("read_file"),
        read("read_many_files"),
        write("replace"),
        any("run_shell_command"),
        write("save_memory"),
        read("search_file_content"),
        pure("update_topic"),
        read_far("web_fetch"),
        idempotent("write_file"),
        pure("write_todos"),
    ],
};
