//! Reads a text file, whole or some of its lines.
//!
//! Must not know: other tools.

use std::io::Read;
use std::num::NonZeroU64;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::common::{arguments, blocking, output_outcome, spec};
use crate::errors::{from_io, refused, shown, untouched};
use crate::output::Bounded;
use crate::tool::{Job, Spec, Tool};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};

/// A NUL among this many first bytes shows that a file is not text.
pub(super) const SNIFFED: usize = 8 * 1024;

/// The `read_file` tool.
pub(super) struct ReadFile {
    spec: Spec,
}

impl ReadFile {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "File to read, relative to the workspace, for example `src/main.rs`."
                },
                "from_line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "First line to return, counted from 1. Omit to start at line 1."
                },
                "lines": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "Number of lines to return. Omit for all lines up to the end."
                }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Self {
            spec: spec(
                "read_file",
                "Read a text file of the workspace. Returns its exact text, without line numbers. \
                 For a very large file, returns the beginning and the end; use from_line and lines for a part.",
                &schema,
                EffectClass::Read,
            ),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    path: String,
    from_line: Option<NonZeroU64>,
    lines: Option<NonZeroU64>,
}

impl Tool for ReadFile {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        blocking(job, false, read)
    }
}

fn read(job: &Job) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    let workspace = Workspace::open(&job.workspace)?.without(&job.private);
    let (mut file, _, _) = workspace.file(&args.path)?;
    let mut reader = Lines::new(args.from_line, args.lines);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        if job.cancel.is_cancelled() {
            return Ok(untouched());
        }
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(from_io("read", &args.path, &error, false)),
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        if reader.bytes < SNIFFED as u64 && bytes.iter().take(SNIFFED).any(|byte| *byte == 0) {
            return Err(not_text(&args.path));
        }
        reader.push(bytes);
    }
    let total = reader.lines();
    if let Some(from) = args.from_line
        && from.get() > total.max(1)
    {
        return Err(refused(
            ErrorClass::Param,
            format!(
                "`{}` has {total} lines, so there is no line {from}",
                shown(&args.path)
            ),
            "counted by the tool",
            "choose a smaller from_line",
        ));
    }
    let bytes = reader.bytes;
    let stored = reader.output.finish();
    let mut meta = json!({"bytes": bytes, "lines": total, "truncated": stored.discarded > 0});
    if stored.invalid > 0
        && let Some(map) = meta.as_object_mut()
    {
        map.insert("invalid_utf8".to_owned(), stored.invalid.into());
    }
    Ok(output_outcome(&stored, &meta))
}

fn not_text(path: &str) -> ToolError {
    refused(
        ErrorClass::Param,
        format!("`{}` is not text: it holds NUL bytes", shown(path)),
        "looked at by the tool",
        "use the shell with a program that understands this kind of file",
    )
}

/// Keeps the requested lines of a stream and counts all lines.
struct Lines {
    output: Bounded,
    first: u64,
    end: Option<u64>,
    line: u64,
    bytes: u64,
    open: bool,
}

impl Lines {
    fn new(from: Option<NonZeroU64>, count: Option<NonZeroU64>) -> Self {
        let first = from.map_or(0, |from| from.get() - 1);
        Self {
            output: Bounded::default(),
            first,
            end: count.map(|count| first.saturating_add(count.get())),
            line: 0,
            bytes: 0,
            open: false,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line >= self.first && self.end.is_none_or(|end| self.line < end) {
                self.output.push(piece);
            }
            self.open = !piece.ends_with(b"\n");
            if !self.open {
                self.line += 1;
            }
        }
    }

    fn lines(&self) -> u64 {
        self.line + u64::from(self.open)
    }
}
