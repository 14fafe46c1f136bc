//! The tools of opencode.
//!
//! Must not know: rules.

use super::{Table, any, idempotent, pure, read, read_far, write};

/// Those of its requests; some are of older versions or of experiments.
pub(super) const TABLE: Table = Table {
    agent: "opencode",
    version: "1.18.33",
    tools: &[
        write("apply_patch"),
        any("bash"),
        any("batch"),
        read_far("codesearch"),
        write("edit"),
        read("glob"),
        read("grep"),
        read("list"),
        read("lsp"),
        write("multiedit"),
        write("patch"),
        pure("question"),
        read("read"),
        any("skill"),
        any("task"),
        pure("todoread"),
        pure("todowrite"),
        read_far("webfetch"),
        read_far("websearch"),
        idempotent("write"),
    ],
};
