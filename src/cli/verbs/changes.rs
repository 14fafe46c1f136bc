//! Prints all files that a run wrote, as one difference against their state before the run.
//!
//! A terminal gets its visible form. A pipe or a file gets a patch, byte for byte.
//!
//! Must not know: what is recorded of a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use similar::TextDiff;

use super::Look;
use super::target::{no_call, node};
use crate::args::{Common, number};
use crate::build::AppContext;
use crate::exit::{Code, Failure};
use crate::{print, record};
use overrule_base::text::{visible, visible_lines};
use overrule_domain::branch;
use overrule_domain::changes::{FileChange, FileText, Unrecorded, changes_with};
use overrule_domain::files::FilesChange;
use overrule_domain::id::{Epoch, NodeId};
use overrule_domain::state::State;

/// Print the files that the calls of a run changed, as one difference against their state before the run
#[derive(Debug, clap::Args)]
pub struct Changes {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub session: String,
    /// Print only what this call changed
    #[arg(long, value_name = "CALL", conflicts_with = "branch")]
    pub call: Option<String>,
    /// Print only what the calls of this branch changed
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub branch: Option<u32>,
}

impl Look for Changes {
    fn print(&self, common: &Common) -> Result<Code, Failure> {
        let context = AppContext::read(common)?;
        let mut state = record::as_found(&context.find(&self.session)?)?.state;
        self.narrow(&mut state)?;
        let started = state
            .started
            .as_deref()
            .filter(|_| !state.operator.files.log.is_empty());
        let tracker = started.map(|started| context.tracker_of_recorded(Path::new(&started.workspace)));
        if let Some(Err(why)) = &tracker {
            print::err(&format!("the contents cannot be read: {why}"));
        }
        let content = |hash: &str| {
            let bytes = tracker.as_ref()?.as_ref().ok()?.content(hash).ok()?;
            String::from_utf8(bytes).ok().map(Arc::from)
        };
        let all = changes_with(&state, &content);
        if common.json {
            let text = serde_json::to_string(&all).map_err(|error| Failure::new(Code::Other, error))?;
            print::out(&text);
            return Ok(Code::Ok);
        }
        for file in &all.files {
            if !print::out(&describe(file, !print::is_terminal())) {
                return Ok(Code::Ok);
            }
        }
        if all.files.is_empty() {
            print::err("no recorded call has changed a file");
        }
        for one in &all.unrecorded {
            print::err(&unrecorded(one));
        }
        Ok(Code::Ok)
    }
}

impl Changes {
    /// Leaves only what the named call, or the calls of the named branch, changed.
    fn narrow(&self, state: &mut State) -> Result<(), Failure> {
        let only: BTreeSet<NodeId> = if let Some(call) = &self.call {
            let call = node(call)?;
            if !state.calls.contains_key(&call) {
                return Err(no_call(call));
            }
            BTreeSet::from([call])
        } else if let Some(number) = self.branch {
            let epoch = Epoch(number);
            if !branch::is_one(state, epoch) {
                return Err(Failure::new(Code::Usage, branch::unknown(state, epoch)));
            }
            let line = branch::line(state, branch::end(state, epoch));
            let calls = state.calls.keys().copied();
            calls
                .filter(|call| branch::counted(state, *call, &line).is_some())
                .collect()
        } else {
            return Ok(());
        };
        state.ledger.retain(|_, entry| only.contains(&entry.call));
        state.operator.files.log.retain(|_, change| match change {
            FilesChange::Execution(execution) => only.contains(&execution.call),
            FilesChange::Outside(_) | FilesChange::Restore(_) => false,
        });
        Ok(())
    }
}

/// A line on the file, and its difference in the unified form. With the `exact` bytes it is a patch.
fn describe(file: &FileChange, exact: bool) -> String {
    let mut text = format!("{}: {}", visible(&file.path), file.describe());
    if let Some((before, after)) = file.texts().filter(|(before, after)| before != after) {
        text.push('\n');
        let diff = difference(file, before, after);
        if exact {
            text.push_str(&diff);
        } else {
            text.push_str(&visible_lines(&diff).join("\n"));
        }
    }
    text
}

/// The difference as programs read it, without its last line break. Only line feeds end a line.
fn difference(file: &FileChange, before: &str, after: &str) -> String {
    let old = match file.before {
        FileText::Missing => "/dev/null".to_owned(),
        _ => name("a", &file.path),
    };
    let new = match file.after {
        FileText::Missing => "/dev/null".to_owned(),
        _ => name("b", &file.path),
    };
    let mut text = format!("--- {old}\n+++ {new}");
    let [before, after] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let diff = TextDiff::from_slices(&before, &after);
    for hunk in diff.unified_diff().iter_hunks() {
        // Writing into a string cannot fail.
        let _ = write!(text, "\n{}", hunk.header());
        for change in hunk.iter_changes() {
            let line: &str = change.value();
            let shown = line.strip_suffix('\n').unwrap_or(line);
            let _ = write!(text, "\n{}{shown}", change.tag());
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file");
            }
        }
    }
    text
}

/// The name of a file in a patch: in quotes with escapes if it has control characters, and with a tab after blanks.
fn name(side: &str, path: &str) -> String {
    let path = format!("{side}/{path}");
    let is_special = |c: char| c.is_control() || matches!(c, '"' | '\\');
    if !path.contains(is_special) {
        return if path.contains(' ') {
            format!("{path}\t")
        } else {
            path
        };
    }
    let mut quoted = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_special(c) => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn unrecorded(one: &Unrecorded) -> String {
    let (tool, entry) = (visible(&one.tool), one.entry);
    format!(
        "{} {tool} ({entry}) may have changed files; the record does not say which",
        one.call
    )
}

#[cfg(test)]
mod tests {
    use super::{FileChange, FileText, describe, name};

    #[test]
    fn a_terminal_gets_the_visible_form_and_a_pipe_the_bytes() {
        let file = FileChange {
            path: "a\u{1b}[2J".into(),
            before: FileText::Text("\tone\n".into()),
            after: FileText::Text("\u{1b}[2J\u{202e}\ttwo\n".into()),
            calls: Vec::new(),
            unsure: None,
            foreign: None,
        };
        let shown = describe(&file, false);
        assert_eq!(overrule_base::text::escaped(&shown), shown);
        assert!(shown.contains("+⟨U+001B⟩[2J⟨U+202E⟩"), "{shown}");
        let exact = describe(&file, true);
        assert!(exact.ends_with("\n-\tone\n+\u{1b}[2J\u{202e}\ttwo"), "{exact:?}");
    }

    #[test]
    fn a_name_in_a_patch_is_quoted_if_it_has_to_be() {
        for (path, expected) in [
            ("a.md", "a/a.md"),
            ("two words", "a/two words\t"),
            ("q\"\\\n", "\"a/q\\\"\\\\\\012\""),
        ] {
            assert_eq!(name("a", path), expected);
        }
    }
}
