//! Shares helpers among tools: specs, arguments, hashes, file work off the async threads.
//!
//! Must not know: any one tool.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::errors::{from_io, refused, shown};
use crate::output::{BoundedText, json_text};
use crate::replace;
use crate::run::panicked;
use crate::tool::{Job, Spec, Writes};
use crate::workspace::Workspace;
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule_domain::event::run::ToolCard;
use overrule_domain::input::Finding;
use overrule_domain::sandbox::Level;
use overrule_domain::template::{NOT_SAVED, Purpose, Template};
use overrule_schema::RESERVED;

/// Maximum length in bytes of a text that is kept so that it can be restored.
const MAX_BACKUP: usize = 64 << 10;

/// Maximum length in bytes of a text that is shown with its replacement.
const MOST_SHOWN: u64 = 64 << 10;

/// Builds a spec without tags or special facts.
pub(crate) fn spec(name: &str, description: &str, schema: &Value, effect: EffectClass) -> Spec {
    Spec {
        card: ToolCard {
            name: name.into(),
            description: description.into(),
            schema: schema.to_string().into(),
            effect,
            effect_by: None,
            tags: Vec::new(),
            pause_ms: 0,
            takes_truncated: false,
            confined: false,
            probe: None,
            compensate: None,
            origin: None,
        },
        facts: ToolFacts {
            effect,
            takes_truncated: false,
            show_difference: false,
            special: None,
        },
    }
}

/// Converts the arguments to the tool's own type. They were checked before, so a failure is a defect.
pub(super) fn arguments<T: DeserializeOwned>(args: &Value) -> Result<T, ToolError> {
    let mut args = args.clone();
    if let Value::Object(map) = &mut args {
        for key in RESERVED {
            map.shift_remove(key);
        }
        map.values_mut().for_each(whole);
    }
    T::deserialize(args).map_err(|error| {
        refused(
            ErrorClass::Param,
            format!("the arguments do not fit: {}", shown(&error.to_string())),
            "read by the tool",
            "follow the tool's schema",
        )
    })
}

/// Whole numbers up to this are exact in any notation.
const EXACT: f64 = 9_007_199_254_740_991.0;

/// Converts `1.0` and `1E3`, which are integers to a schema, to integers.
fn whole(value: &mut Value) {
    if let Value::Number(number) = value
        && !number.is_i64()
        && !number.is_u64()
        && let Some(float) = number.as_f64()
        && float.fract() == 0.0
        && float.abs() <= EXACT
    {
        *value = Value::from(float as i64);
    }
}

/// Does file work on a thread where it may block. `changes` says whether a panic may have left a change.
pub(super) fn blocking(
    job: Job,
    changes: bool,
    work: fn(&Job) -> Result<Outcome, ToolError>,
) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        match tokio::task::spawn_blocking(move || work(&job)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => Outcome::err(error),
            Err(error) if error.is_panic() => Outcome::err(panicked(&*error.into_panic(), changes)),
            Err(_) => Outcome::Cancelled { executed: changes },
        }
    })
}

/// Writes a file of the workspace as it was approved.
pub(super) fn approved<T>(job: &Job, path: &str, write: impl FnOnce() -> T) -> T {
    match &job.sandbox {
        Some(sandbox) => sandbox.approved(&job.workspace.join(path), write),
        None => write(),
    }
}

/// Returns why a file tool writes nothing: in a run at level 2, nothing of the workspace is written.
pub(super) fn writes_nothing(job: &Job) -> Option<ToolError> {
    let level = job.sandbox.as_ref()?.level();
    (level == Level::Scratch).then(|| {
        refused(
            ErrorClass::Auth,
            "cannot write: at sandbox level 2 nothing in the workspace is written",
            "refused by the tool",
            "give the text in your answer, or ask the operator",
        )
    })
}

/// Returns the file that a call writes.
pub(super) fn written_path(args: &Value) -> Writes {
    let path = args.get("path").and_then(Value::as_str);
    Writes::Paths(path.map(PathBuf::from).into_iter().collect())
}

/// Builds the outcome of a text with its metadata.
pub(super) fn text_outcome(text: &str, meta: &Value, discarded: u64) -> Outcome {
    Outcome::Ok {
        value: json_text(text).into(),
        meta: Some(meta.to_string().into()),
        discarded,
        exit: None,
    }
}

/// Builds the outcome of a truncated output.
pub(super) fn output_outcome(stored: &BoundedText, meta: &Value) -> Outcome {
    text_outcome(&stored.text, meta, stored.discarded)
}

/// Formats a file name as one line: nothing in it can begin another.
pub(super) fn name_line(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let (text, _) = crate::output::marked(path.as_os_str().as_bytes());
    text.chars()
        .map(|c| {
            if c.is_control() {
                format!("⟨0x{:02x}⟩", u32::from(c))
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Returns the content of a file, or `None` if there is none. An error means that it is unknown or private.
pub(super) fn state_of(
    workspace: &Path,
    private: &[PathBuf],
    path: &str,
) -> Result<Option<Vec<u8>>, ToolError> {
    let place = Workspace::open(workspace)?.without(private).target(path, false);
    match place {
        Ok(target) => replace::content(&target),
        Err(error) if error.class == ErrorClass::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the present text of a file for a person to read, `None` if there is no file, or why it is not
/// shown.
pub(super) fn text_of(workspace: &Path, private: &[PathBuf], path: &str) -> Result<Option<String>, String> {
    let open = || Workspace::open(workspace)?.without(private).file_if_any(path);
    let Some(file) = open().map_err(|error| error.message)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let read = file.take(MOST_SHOWN + 1).read_to_end(&mut bytes);
    read.map_err(|error| from_io("read", path, &error, false).message)?;
    if bytes.len() as u64 > MOST_SHOWN {
        return Err(format!(
            "`{}` is longer than {} KiB",
            shown(path),
            MOST_SHOWN >> 10
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Some(text)),
        _ => Err(format!("`{}` is no text", shown(path))),
    }
}

/// Builds the record made before a write: the hashes of the present and the intended content, and the present
/// text, so that it can be restored.
pub(super) fn intent(now: Option<&[u8]>, then: &[u8]) -> Value {
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    let mut intent = json!({"before": now.map(hash), "after": hash(then)});
    let (key, value) = match now {
        None => (NOT_SAVED, "there was no file, and no tool deletes one"),
        Some(bytes) if bytes.len() > MAX_BACKUP => (NOT_SAVED, "the file was larger than 64 KiB"),
        Some(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => ("content", text),
            Err(_) => (NOT_SAVED, "the file was no UTF-8 text"),
        },
    };
    if let Some(map) = intent.as_object_mut() {
        map.insert(key.to_owned(), value.into());
    }
    intent
}

/// Adds the templates of a tool that writes the file at `/path`: one reads it, one restores its earlier text.
pub(super) fn with_file_templates(mut spec: Spec) -> Spec {
    let look = json!({"path": "{/path}"});
    let restore = json!({"path": "{/path}", "content": "{before/content}"});
    spec.card.probe = Template::new(Purpose::Probe, "read_file", &look).ok();
    spec.card.compensate = Template::new(Purpose::Compensate, "write_file", &restore).ok();
    spec
}

#[derive(Deserialize)]
struct Intent {
    before: Option<String>,
    after: String,
}

/// Finds out whether a write happened, by the present content of the file.
pub(super) fn find_out(
    recorded: &Value,
    now: Option<&[u8]>,
    value: impl Fn(bool) -> String,
) -> Option<Finding> {
    let recorded = Intent::deserialize(recorded).ok()?;
    let hash = now.map(|bytes| blake3::hash(bytes).to_hex().to_string());
    if hash.as_deref() == Some(recorded.after.as_str()) {
        let created = recorded.before.is_none();
        return Some(Finding {
            happened: true,
            value: Some(json_text(&value(created)).into()),
            evidence: Arc::from("the file has the intended content"),
        });
    }
    (hash == recorded.before).then(|| Finding {
        happened: false,
        value: None,
        evidence: Arc::from(if hash.is_some() {
            "the file has the content from before"
        } else {
            "the file does not exist, as before"
        }),
    })
}
