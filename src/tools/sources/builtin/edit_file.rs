//! Replaces a text in a file.
//!
//! Must not know: other tools.

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use memchr::memmem;
use serde::Deserialize;
use serde_json::{Value, json};

use super::common::{
    approved, arguments, blocking, find_out, intent, spec, state_of, text_of, text_outcome,
    with_file_templates, writes_nothing, written_path,
};
use crate::errors::{from_io, refused, shown, untouched};
use crate::replace;
use crate::tool::{Job, Replacement, Spec, Tool, Writes};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule_domain::input::Finding;

/// Maximum number of lines that a message names.
const NAMED: usize = 10;

/// The `edit_file` tool.
pub(super) struct EditFile {
    spec: Spec,
}

impl EditFile {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "File to change, relative to the workspace."
                },
                "old": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Exact text to replace, including whitespace. Must occur exactly once, unless `all` is true; add surrounding lines to make it unique."
                },
                "new": {
                    "type": "string",
                    "description": "Replacement text. Empty to delete."
                },
                "all": {
                    "type": "boolean",
                    "default": false,
                    "description": "True to replace every occurrence of `old`."
                }
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false
        });
        Self {
            spec: with_file_templates(spec(
                "edit_file",
                "Replace a text in a file of the workspace. The old text must match exactly and occur \
                 exactly once, unless `all` is true. Read the file first.",
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
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
}

impl Tool for EditFile {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn before(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Value> {
        let args: Args = arguments(args).ok()?;
        let now = state_of(workspace, private, &args.path).ok()??;
        let edited = edit(&now, &args).ok()?;
        let mut recorded = intent(Some(&now), &edited.bytes);
        // The value of a success cannot be derived from the file afterwards.
        recorded
            .as_object_mut()?
            .insert("value".to_owned(), edited.sentence(&args.path).into());
        Some(recorded)
    }

    fn writes(&self, args: &Value) -> Writes {
        written_path(args)
    }

    fn replaces(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Replacement> {
        let args: Args = arguments(args).ok()?;
        let found = text_of(workspace, private, &args.path).and_then(|now| {
            let now = now.ok_or_else(|| format!("there is no file `{}`", shown(&args.path)))?;
            let edited = edit(now.as_bytes(), &args).map_err(|error| error.message)?;
            let then = String::from_utf8(edited.bytes).map_err(|_| "the result is no text".to_owned())?;
            Ok((now, then))
        });
        Some(match found {
            Ok((now, then)) => Replacement {
                now: Ok(Some(now)),
                then,
            },
            Err(why) => Replacement {
                now: Err(why),
                then: String::new(),
            },
        })
    }

    fn probe(&self, args: &Value, before: &Value, workspace: &Path) -> Option<Finding> {
        let args: Args = arguments(args).ok()?;
        let now = state_of(workspace, &[], &args.path).ok()?;
        let value = before.get("value").and_then(Value::as_str).unwrap_or("replaced");
        find_out(before, now.as_deref(), |_| value.to_owned())
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        blocking(job, true, change)
    }
}

fn change(job: &Job) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    if let Some(error) = writes_nothing(job) {
        return Err(error);
    }
    if job.cancel.is_cancelled() {
        return Ok(untouched());
    }
    let target = Workspace::open(&job.workspace)?
        .without(&job.private)
        .target(&args.path, false)?;
    let Some(now) = replace::content(&target)? else {
        let error = std::io::Error::from(rustix::io::Errno::NOENT);
        return Err(from_io("edit", &args.path, &error, false));
    };
    let edited = edit(&now, &args)?;
    approved(job, &args.path, || replace::replace(&target, &edited.bytes))?;
    let meta = json!({
        "replaced": edited.count,
        "bytes": edited.bytes.len(),
        "line": edited.line
    });
    Ok(text_outcome(&edited.sentence(&args.path), &meta, 0))
}

struct Edited {
    bytes: Vec<u8>,
    /// Number of replacements.
    count: usize,
    /// Line of the first replacement, in the old content.
    line: usize,
}

impl Edited {
    fn sentence(&self, path: &str) -> String {
        match self.count {
            1 => format!("replaced 1 place in `{}` (line {})", shown(path), self.line),
            count => format!("replaced {count} places in `{}`", shown(path)),
        }
    }
}

fn edit(now: &[u8], args: &Args) -> Result<Edited, ToolError> {
    let old = args.old.as_bytes();
    if args.old == args.new || old.is_empty() {
        return Err(refused(
            ErrorClass::Param,
            if old.is_empty() {
                "`old` is empty"
            } else {
                "`old` and `new` are equal: nothing would change"
            },
            "compared by the tool",
            "give the current text of the file as `old`, and a different one as `new`",
        ));
    }
    let places = Places::of(now, old);
    let Some(line) = places.lines.first() else {
        return Err(absent(now, args));
    };
    if places.count > 1 && !args.all {
        return Err(ambiguous(&places, args));
    }
    // A probe must be able to read the whole result.
    let gone = now.len() - places.count * old.len();
    let then = (places.count.saturating_mul(args.new.len())).saturating_add(gone);
    if then as u64 > replace::MOST {
        return Err(refused(
            ErrorClass::Param,
            format!(
                "`{}` would have {then} bytes, and the maximum is {} MiB",
                shown(&args.path),
                replace::MOST >> 20
            ),
            "counted by the tool",
            "use the shell for files of this size",
        ));
    }
    let mut bytes = Vec::with_capacity(then);
    let mut from = 0;
    for at in memmem::find_iter(now, old) {
        bytes.extend_from_slice(now.get(from..at).unwrap_or_default());
        bytes.extend_from_slice(args.new.as_bytes());
        from = at + old.len();
    }
    bytes.extend_from_slice(now.get(from..).unwrap_or_default());
    Ok(Edited {
        bytes,
        count: places.count,
        line: *line,
    })
}

/// Where a text occurs, not counting overlaps.
struct Places {
    count: usize,
    /// Lines of the first occurrences, as many as a message names.
    lines: Vec<usize>,
}

impl Places {
    /// Finds them in one pass: there may be millions, in a file that is examined before every launch.
    fn of(bytes: &[u8], text: &[u8]) -> Self {
        let (mut line, mut counted) = (1, 0);
        let mut places = Self {
            count: 0,
            lines: Vec::new(),
        };
        for at in memmem::find_iter(bytes, text) {
            places.count += 1;
            if places.lines.len() < NAMED {
                let between = bytes.get(counted..at).unwrap_or_default();
                line += memchr::memchr_iter(b'\n', between).count();
                counted = at;
                places.lines.push(line);
            }
        }
        places
    }
}

fn ambiguous(places: &Places, args: &Args) -> ToolError {
    let some: Vec<String> = places.lines.iter().map(ToString::to_string).collect();
    refused(
        ErrorClass::Param,
        format!(
            "the text occurs {} times in `{}` (lines {}{})",
            places.count,
            shown(&args.path),
            some.join(", "),
            if places.count > some.len() { ", …" } else { "" }
        ),
        "counted by the tool",
        "add surrounding lines to `old` to make it unique, or set `all` to true",
    )
}

fn absent(now: &[u8], args: &Args) -> ToolError {
    let text = String::from_utf8_lossy(now);
    let first = args.old.lines().map(str::trim).find(|line| !line.is_empty());
    let like = first.and_then(|first| text.lines().position(|line| line.trim() == first));
    let hint = match like {
        _ if text.contains("\r\n") && !args.old.contains('\r') && args.old.contains('\n') => {
            "the file's lines end in CR LF; replace single lines, or write CR LF in `old`".to_owned()
        }
        Some(line) => format!(
            "line {} is similar, but the text differs there or after it, perhaps in whitespace; read the file again",
            line + 1
        ),
        None => "read the file again and copy the text exactly".to_owned(),
    };
    refused(
        ErrorClass::Param,
        format!("the text does not occur in `{}`", shown(&args.path)),
        "compared by the tool",
        &hint,
    )
}
