//! The texts of a call below its row, in the graph and in the transcript: what it changes of a file, and what it gave.
//!
//! Must not know: which of them are shown.

use std::sync::Arc;

use crate::ground::diff::{self, Change};
use crate::ground::doc::{Styled, readable};
use crate::ground::json;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::run::readable::{self, Part};
use crate::surfaces::documents::changed_lines;
use overrule_base::known_tool::{self, Kind};
use overrule_domain::call::{Call, Outcome};

/// The most bytes of arguments whose difference is shown.
const ARGUMENTS: usize = 64 * 1024;

/// What a call changes of a file, as its arguments say it; empty for other calls.
pub(crate) fn difference(model: &Model, (tool, args): (&Arc<str>, &Arc<str>), room: usize) -> Vec<Styled> {
    let is_change = matches!(
        known_tool::kind(tool),
        Some(Kind::Write | Kind::Edit | Kind::Patch)
    );
    if !is_change || args.len() > ARGUMENTS {
        return Vec::new();
    }
    let members = json::members(args).into_iter();
    let members: Vec<(String, Arc<str>)> = members.map(|(name, value)| (name, Arc::from(value))).collect();
    let mut out = Vec::new();
    for part in readable::of(tool, &members, None).parts {
        match part {
            Part::Lines(lines) => {
                for line in lines.iter() {
                    changed(model, line, room, &mut out);
                }
            }
            Part::Replaces([old, new]) => {
                let lines = diff::lines_around(&readable(&old), &readable(&new), diff::AROUND);
                for line in &lines {
                    changed(model, line, room, &mut out);
                }
            }
            Part::Argument(name, value) if name == "content" => {
                let text = readable(&value);
                for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
                    let line = diff::Line {
                        change: Change::Added,
                        text: line.into(),
                        no: None,
                        changed: Vec::new(),
                    };
                    changed(model, &line, room, &mut out);
                }
            }
            _ => {}
        }
    }
    out
}

/// Adds a line of a difference.
fn changed(model: &Model, line: &diff::Line, room: usize, out: &mut Vec<Styled>) {
    let role = match line.change {
        Change::Same | Change::Note => Role::Dim,
        Change::Removed => Role::DiffRemove,
        Change::Added => Role::DiffAdd,
    };
    let sign = changed_lines::sign(line.change, model.settings.charset);
    for (at, row) in plain(&line.text, role, room.saturating_sub(2))
        .into_iter()
        .enumerate()
    {
        let sign = if at == 0 { sign } else { ' ' };
        let mut lead = Styled::new().own(role, format!("{sign} "));
        lead.0.extend(row.0);
        out.push(lead);
    }
}

/// A line of a text, with its leading blanks, over as many rows as it needs.
pub(crate) fn plain(line: &str, role: Role, room: usize) -> Vec<Styled> {
    Styled::new().laid_out(role, line).over(room.max(8), 0)
}

/// The text that a call gave; none for one that was cancelled, or without an end.
pub(crate) fn given(model: &Model, call: &Call) -> Option<Arc<str>> {
    let is_separate = model.graph.settings.split.contains(&call.id);
    let observation = model.run.state.observation(call.id).filter(|_| !is_separate)?;
    match observation.outcome()? {
        Outcome::Ok { value, .. } => Some(readable(value)),
        Outcome::Err(error) => Some(Arc::from(error.message.as_str())),
        Outcome::Cancelled { .. } => None,
    }
}
