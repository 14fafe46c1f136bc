//! Lists a directory.
//!
//! Must not know: other tools.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::common::{arguments, blocking, name_line, spec, text_outcome};
use super::walk;
use crate::errors::untouched;
use crate::tool::{Job, Spec, Tool};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, Outcome, ToolError};

/// Maximum number of entries listed.
const MOST: usize = 2_000;

/// The `list_dir` tool.
pub(super) struct ListDir {
    spec: Spec,
}

impl ListDir {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "default": ".",
                    "description": "Directory to list, relative to the workspace. Omit for the workspace itself."
                },
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "default": 1,
                    "description": "Number of levels to list. 1 lists only the directory's own entries."
                }
            },
            "additionalProperties": false
        });
        Self {
            spec: spec(
                "list_dir",
                "List a directory of the workspace: one path per line, relative to the workspace, sorted, \
                 directories with a trailing slash. Leaves out hidden files and files named in ignore files, and says how \
                 many if there is nothing else; also what the operator's rules keep from you.",
                &schema,
                EffectClass::Read,
            ),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: Option<String>,
    depth: Option<u8>,
}

impl Tool for ListDir {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        blocking(job, false, list)
    }
}

fn list(job: &Job) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    let workspace = Arc::new(Workspace::open(&job.workspace)?.without(&job.private));
    let place = workspace.directory(args.path.as_deref().unwrap_or("."))?;
    let depth = usize::from(args.depth.unwrap_or(1).max(1));
    let mut lines = Vec::new();
    let (mut files, mut dirs, mut unreadable, mut truncated) = (0_u64, 0_u64, 0_u64, false);
    let left_out: Arc<walk::LeftOut> = Arc::default();
    for step in walk::below(&workspace, &place, Some(depth), (&job.withheld, &left_out)) {
        if job.cancel.is_cancelled() {
            return Ok(untouched());
        }
        let Some(step) = step else {
            unreadable += 1;
            continue;
        };
        if step.is_withheld {
            left_out.count_by_rule();
            continue;
        }
        if lines.len() == MOST {
            truncated = true;
            break;
        }
        let mut line = name_line(&step.path);
        if step.is_dir {
            line.push('/');
            dirs += 1;
        } else {
            files += 1;
        }
        lines.push(line);
    }
    let mut meta = json!({
        "path": args.path.as_deref().unwrap_or("."),
        "entries": lines.len(),
        "files": files,
        "dirs": dirs,
        "unreadable": unreadable,
        "truncated": truncated
    });
    if truncated {
        lines.push(format!("[… more than {MOST} entries; list a part of it …]"));
    }
    left_out.tell(lines.is_empty(), &mut lines, &mut meta);
    Ok(text_outcome(&lines.join("\n"), &meta, 0))
}
