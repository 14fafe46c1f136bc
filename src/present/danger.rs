//! Finds and describes the marks of danger of a call.
//!
//! Must not know: who decides, how a mark is drawn.

use std::collections::BTreeSet;
use std::path::Path;

use overrule_base::text::visible;
use overrule_domain::state::State;
use overrule_policy::{Danger, DangerKind, DangerMark};

/// What is shown instead of marks if there are none.
pub const NO_MATCH: &str = "no rule matched";

/// The marks of a call by this table.
pub fn marks(table: &Danger, state: &State, tool: &str, args: &str) -> Vec<DangerMark> {
    let workspace = state.started.as_ref().map_or("", |started| &started.workspace);
    table.marks(tool, args, Path::new(workspace))
}

/// Adds the mark of a call that replaces the whole content of a file that exists.
pub fn add_overwrite(marks: &mut Vec<DangerMark>) {
    if !marks.iter().any(|mark| mark.kind == DangerKind::Overwrites) {
        marks.push(DangerMark {
            kind: DangerKind::Overwrites,
            because: "the file exists".to_owned(),
        });
    }
}

/// The kinds of the marks, each once, in their order.
pub fn kinds(marks: &[DangerMark]) -> BTreeSet<DangerKind> {
    marks.iter().map(|mark| mark.kind).collect()
}

/// Describes the marks; without any, says that no rule matched.
pub fn describe(marks: &[DangerMark]) -> String {
    if marks.is_empty() {
        return NO_MATCH.to_owned();
    }
    let words = marks
        .iter()
        .map(|mark| format!("{} ({})", mark.kind.label(), visible(&mark.because)));
    words.collect::<Vec<_>>().join(", ")
}
