//! Finds and describes the marks of danger of a call.
//!
//! Must not know: who decides, how a mark is drawn.

use std::collections::BTreeSet;
use std::path::Path;

use overrule_base::text::visible;
use overrule_domain::state::State;
use overrule_policy::{Danger, DangerKind, DangerMark};

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

/// The marks by kind: each kind with what it is about. A mark that only names the tool has nothing to add. Untrusted.
pub fn by_kind<'m>(marks: &'m [DangerMark], tool: &str) -> Vec<(DangerKind, Vec<&'m str>)> {
    let mut all: Vec<(DangerKind, Vec<&str>)> = Vec::new();
    for mark in marks {
        let because = (mark.because != tool).then_some(mark.because.as_str());
        match all.iter_mut().find(|(kind, _)| *kind == mark.kind) {
            Some((_, those)) => those.extend(because),
            None => all.push((mark.kind, because.into_iter().collect())),
        }
    }
    all
}

/// Describes the marks: `deletes (rm, git clean), network`; empty without any.
pub fn describe(marks: &[DangerMark]) -> String {
    let words = by_kind(marks, "").into_iter().map(|(kind, those)| {
        let those: Vec<String> = those.into_iter().map(visible).collect();
        format!("{} ({})", kind.label(), those.join(", "))
    });
    words.collect::<Vec<_>>().join(", ")
}
