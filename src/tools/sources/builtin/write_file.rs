//! Writes a whole file.
//!
//! Must not know: other tools.

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::common::{
    approved, arguments, blocking, find_out, intent, spec, state_of, text_of, text_outcome,
    with_file_templates, writes_nothing, written_path,
};
use crate::errors::{shown, untouched};
use crate::replace;
use crate::tool::{Job, Replacement, Spec, Tool, Writes};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, Outcome, ToolError};
use overrule_domain::input::Finding;

/// The `write_file` tool.
pub(super) struct WriteFile {
    spec: Spec,
}

impl WriteFile {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "File to write, relative to the workspace. Missing directories are created."
                },
                "content": {
                    "type": "string",
                    "description": "Exact and complete new content of the file."
                }
            },
            "required": ["path", "content"],
            "additionalProperties": false
        });
        Self {
            spec: with_file_templates(spec(
                "write_file",
                "Create a file of the workspace, or replace its whole content. To change a part of a file, \
                 use edit_file. Refuses files of git, files of this program and start-up files of shells.",
                &schema,
                EffectClass::Write,
            )),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    content: String,
}

impl Tool for WriteFile {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn before(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Value> {
        let args: Args = arguments(args).ok()?;
        let now = state_of(workspace, private, &args.path).ok()?;
        Some(intent(now.as_deref(), args.content.as_bytes()))
    }

    fn writes(&self, args: &Value) -> Writes {
        written_path(args)
    }

    fn replaces(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Replacement> {
        let args: Args = arguments(args).ok()?;
        Some(Replacement {
            now: text_of(workspace, private, &args.path),
            then: args.content,
        })
    }

    fn probe(&self, args: &Value, before: &Value, workspace: &Path) -> Option<Finding> {
        let args: Args = arguments(args).ok()?;
        let now = state_of(workspace, &[], &args.path).ok()?;
        find_out(before, now.as_deref(), |created| {
            sentence(&args.path, args.content.len(), created)
        })
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        blocking(job, true, write)
    }
}

fn write(job: &Job) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    if let Some(error) = writes_nothing(job) {
        return Err(error);
    }
    if job.cancel.is_cancelled() {
        return Ok(untouched());
    }
    let target = Workspace::open(&job.workspace)?
        .without(&job.private)
        .target(&args.path, true)?;
    let created = target.stat.is_none();
    let write = || replace::replace(&target, args.content.as_bytes());
    approved(job, &args.path, write).map_err(|error| target.failed(error))?;
    let meta = json!({"bytes": args.content.len(), "created": created});
    Ok(text_outcome(
        &sentence(&args.path, args.content.len(), created),
        &meta,
        0,
    ))
}

fn sentence(path: &str, bytes: usize, created: bool) -> String {
    let what = if created { "created" } else { "replaced" };
    format!("{what} `{}` ({bytes} bytes)", shown(path))
}
