//! The tools of codex.
//!
//! Must not know: rules.

use super::{Table, any, known, pure, read, read_far, write};
use overrule_domain::call::EffectClass;
use overrule_model::wire::agent::CallForm;

/// Those of its requests, with the models that have one tool for a program (`exec`, `wait`) and with others.
pub(super) const TABLE: Table = Table {
    agent: "codex",
    version: "0.171.0",
    tools: &[
        known("apply_patch", CallForm::Text, EffectClass::Write, false),
        write("apply_patch"),
        write("apply_patch_call"),
        any("close_agent"),
        pure("create_goal"),
        pure("curr_time"),
        known("exec", CallForm::Text, EffectClass::Unknown, true),
        any("exec_command"),
        any("followup_task"),
        pure("get_goal"),
        any("interrupt_agent"),
        read("list_agents"),
        any("local_shell_call"),
        pure("request_user_input"),
        pure("request_user_input_async"),
        any("resume_agent"),
        any("send_input"),
        any("send_message"),
        pure("send_message_to_user_async"),
        any("shell"),
        any("shell_call"),
        any("shell_command"),
        pure("sleep"),
        any("spawn_agent"),
        pure("update_goal"),
        pure("update_plan"),
        read("view_image"),
        // It may end a program that an earlier call began.
        read("wait"),
        read("wait_agent"),
        read_far("web_search"),
        any("write_stdin"),
    ],
};
