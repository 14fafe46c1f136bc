//! Prints all files that a run wrote, as one difference against their state before the run.
//!
//! Must not know: what is recorded of a file.

use similar::TextDiff;

use super::Look;
use crate::cli::args::Common;
use crate::cli::build::AppContext;
use crate::cli::exit::{Code, Failure};
use crate::cli::{print, record};
use crate::domain::changes::{FileChange, FileText, Unrecorded, changes};
use crate::text::{visible, visible_lines};

/// Print the files that a run wrote, as one difference against their state before the run
#[derive(Debug, clap::Args)]
pub struct Changes {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub session: String,
}

impl Look for Changes {
    fn print(&self, common: &Common) -> Result<Code, Failure> {
        let context = AppContext::read(common)?;
        let found = record::as_found(&context.store.find(&self.session)?)?;
        let all = changes(&found.state);
        if common.json {
            let text = serde_json::to_string(&all).map_err(|error| Failure::new(Code::Other, error))?;
            print::out(&text);
            return Ok(Code::Ok);
        }
        for file in &all.files {
            if !print::out(&words(file).join("\n")) {
                return Ok(Code::Ok);
            }
        }
        if all.files.is_empty() {
            print::err("no file tool has written a file");
        }
        for one in &all.unrecorded {
            print::err(&unrecorded(one));
        }
        Ok(Code::Ok)
    }
}

/// A line on the file, and its difference in the unified form.
fn words(file: &FileChange) -> Vec<String> {
    let path = visible(&file.path);
    let mut lines = vec![format!("{path}: {}", file.describe())];
    if let Some((before, after)) = file.texts().filter(|(before, after)| before != after) {
        let old = match file.before {
            FileText::Missing => "/dev/null".to_owned(),
            _ => format!("a/{path}"),
        };
        let diff = TextDiff::from_lines(before, after);
        let text = diff.unified_diff().header(&old, &format!("b/{path}")).to_string();
        lines.extend(visible_lines(text.trim_end_matches('\n')));
    }
    lines
}

fn unrecorded(one: &Unrecorded) -> String {
    let (tool, entry) = (visible(&one.tool), one.entry);
    format!(
        "{} {tool} ({entry}) may have changed files; the record does not say which",
        one.call
    )
}
