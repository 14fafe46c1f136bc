//! Searches files for a regular expression.
//!
//! Must not know: other tools.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::common::{arguments, blocking, name_line, spec, text_outcome};
use super::read_file::SNIFFED;
use super::walk;
use crate::errors::{refused, shown, untouched};
use crate::output::marked;
use crate::tool::{Job, Spec, Tool};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};

/// Maximum number of matching lines returned.
const MOST: usize = 200;
/// Maximum number of characters returned of a matching line.
const WIDTH: usize = 200;
/// Files of more bytes than this are not searched.
const LARGE: u64 = 16 * 1024 * 1024;
/// Bytes that a compiled pattern may take: the time for a byte of a file grows with them.
const PATTERN: usize = 512 * 1024;
/// Bytes of a long line that are searched at one time.
const PIECE: usize = 32 * 1024;
/// Bytes of a piece that are searched again with the next one: a longer match may be missed in a long line.
const OVERLAP: usize = 4 * 1024;

/// The `search` tool.
pub(super) struct Search {
    spec: Spec,
}

impl Search {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Regular expression, matched against each line. No look-around, no back-references."
                },
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "default": ".",
                    "description": "File or directory to search, relative to the workspace. Omit for the whole workspace."
                },
                "glob": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Search only files whose name matches, for example `*.rs`. With a slash, matches the whole path, for example `src/**/*.rs`."
                },
                "ignore_case": {
                    "type": "boolean",
                    "default": false,
                    "description": "True to ignore case."
                },
                "max": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MOST,
                    "default": MOST,
                    "description": "Maximum number of matching lines."
                }
            },
            "required": ["pattern"],
            "additionalProperties": false
        });
        Self {
            spec: spec(
                "search",
                "Search the files of the workspace for a regular expression. Returns `path:line:text` for every \
                 matching line, sorted by path, or an empty text. Leaves out hidden, binary and ignored \
                 files, and says how many if there was nothing else; also what the operator's rules keep from you.",
                &schema,
                EffectClass::Read,
            ),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    max: Option<usize>,
}

impl Tool for Search {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        blocking(job, false, search)
    }
}

/// The results so far.
#[derive(Default)]
struct SearchResults {
    lines: Vec<String>,
    files: u64,
    searched: u64,
    binary: u64,
    large: u64,
    unreadable: u64,
    truncated: bool,
    /// The file with the most returned lines, the first among equals, and their number.
    top: Option<(usize, String)>,
}

fn search(job: &Job) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    let pattern = compile(&args)?;
    let filter = args.glob.as_deref().map(glob).transpose()?;
    let most = args.max.unwrap_or(MOST).clamp(1, MOST);
    let workspace = Arc::new(Workspace::open(&job.workspace)?.without(&job.private));
    let place = workspace.find(args.path.as_deref().unwrap_or("."))?;
    let mut found = SearchResults::default();
    let left_out: Arc<walk::LeftOut> = Arc::default();
    let requested = SearchQuery {
        workspace: &workspace,
        pattern: &pattern,
        most,
        cancel: &job.cancel,
    };
    let whole = workspace.root().join(&place.path);
    if whole.is_dir() {
        for step in walk::below(&workspace, &place, None, (&job.withheld, &left_out)) {
            if job.cancel.is_cancelled() {
                return Ok(untouched());
            }
            match step {
                None => found.unreadable += 1,
                Some(step) if step.is_file => {
                    if filter.as_ref().is_none_or(|filter| filter.takes(&step.path)) {
                        look(&requested, &step.path, &mut found);
                    }
                }
                Some(_) => {}
            }
            if found.truncated {
                break;
            }
        }
    } else {
        // A named file is searched even if an ignore file or the glob excludes it.
        let (_, _, place) = workspace.file(args.path.as_deref().unwrap_or("."))?;
        if (job.withheld)(&place.path).is_some() {
            left_out.count_by_rule();
        } else {
            look(&requested, &place.path, &mut found);
        }
    }
    if job.cancel.is_cancelled() {
        return Ok(untouched());
    }
    let mut meta = json!({
        "matches": found.lines.len(),
        "files": found.files,
        "searched": found.searched,
        "truncated": found.truncated,
        "skipped": {"binary": found.binary, "large": found.large, "unreadable": found.unreadable}
    });
    // Absent if nothing was found, so that a reference to it can fall back to another value.
    if let (Some((_, top)), Some(map)) = (&found.top, meta.as_object_mut()) {
        map.insert("top".to_owned(), top.as_str().into());
    }
    let is_empty = found.lines.is_empty() && found.searched == 0;
    left_out.tell(is_empty, &mut found.lines, &mut meta);
    Ok(text_outcome(&found.lines.join("\n"), &meta, 0))
}

fn compile(args: &Args) -> Result<Regex, ToolError> {
    RegexBuilder::new(&args.pattern)
        .case_insensitive(args.ignore_case)
        .size_limit(PATTERN)
        .build()
        .map_err(|error| {
            if let regex::Error::CompiledTooBig(_) = error {
                return refused(
                    ErrorClass::Param,
                    format!("the pattern `{}` is too large", shown(&args.pattern)),
                    "compiled by the tool",
                    "use a shorter pattern, and lower counts than `{1000}`",
                );
            }
            let content = error.to_string();
            let last = content.lines().last().unwrap_or_default().trim();
            refused(
                ErrorClass::Param,
                format!(
                    "`{}` is not a regular expression: {}",
                    shown(&args.pattern),
                    shown(last.trim_start_matches("error: "))
                ),
                "compiled by the tool",
                "escape special characters such as `(` or `[` with a backslash",
            )
        })
}

struct Filter {
    matcher: GlobMatcher,
    whole: bool,
}

impl Filter {
    fn takes(&self, path: &Path) -> bool {
        if self.whole {
            self.matcher.is_match(path)
        } else {
            path.file_name().is_some_and(|name| self.matcher.is_match(name))
        }
    }
}

fn glob(text: &str) -> Result<Filter, ToolError> {
    let bare = text.trim_start_matches("./").trim_start_matches('/');
    let matcher = GlobBuilder::new(bare)
        .literal_separator(true)
        .build()
        .map_err(|error| {
            refused(
                ErrorClass::Param,
                format!(
                    "`{}` is not a file pattern: {}",
                    shown(text),
                    shown(&error.kind().to_string())
                ),
                "compiled by the tool",
                "use `*`, `?`, `[a-z]`, `{a,b}` and `**`, for example `src/**/*.rs`",
            )
        })?
        .compile_matcher();
    Ok(Filter {
        matcher,
        whole: bare.contains('/'),
    })
}

/// The pattern and the place of a search.
struct SearchQuery<'a> {
    workspace: &'a Workspace,
    pattern: &'a Regex,
    most: usize,
    cancel: &'a CancellationToken,
}

impl SearchQuery<'_> {
    /// The byte at which the first match of a line begins. A long line is searched in pieces, until a cancellation.
    fn begins(&self, line: &[u8]) -> Option<usize> {
        let (mut from, mut to) = (0, line.len().min(PIECE));
        while !self.cancel.is_cancelled() {
            let hit = self.pattern.find_at(line.get(..to)?, from);
            let more = match hit {
                // At the end of a piece it may only seem to end.
                Some(hit) if hit.end() < to || to == line.len() => return Some(hit.start()),
                Some(hit) => {
                    from = hit.start();
                    // Do not restart a match as long as the line for each piece.
                    (to - from).max(PIECE)
                }
                None if to == line.len() => return None,
                None => {
                    from = to.saturating_sub(OVERLAP);
                    PIECE
                }
            };
            to = line.len().min(to + more);
        }
        None
    }
}

fn look(requested: &SearchQuery<'_>, path: &Path, found: &mut SearchResults) {
    let Ok(mut file) = requested.workspace.found(path) else {
        found.unreadable += 1;
        return;
    };
    let regular = rustix::fs::fstat(&file).map(|stat| (FileType::from_raw_mode(stat.st_mode), stat.st_size));
    match regular {
        Ok((FileType::RegularFile, size)) if size as u64 <= LARGE => {}
        Ok((FileType::RegularFile, _)) => {
            found.large += 1;
            return;
        }
        _ => {
            found.unreadable += 1;
            return;
        }
    }
    let mut bytes = Vec::new();
    if file.by_ref().take(LARGE).read_to_end(&mut bytes).is_err() {
        found.unreadable += 1;
        return;
    }
    if bytes.iter().take(SNIFFED).any(|byte| *byte == 0) {
        found.binary += 1;
        return;
    }
    found.searched += 1;
    if bytes.is_empty() {
        return;
    }
    let before = found.lines.len();
    // A final line break does not begin another line.
    let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    for (number, line) in lines.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if requested.cancel.is_cancelled() {
            return;
        }
        let Some(begins) = requested.begins(line) else {
            continue;
        };
        if found.lines.len() == requested.most {
            found.truncated = true;
            break;
        }
        let text = excerpt(line, begins);
        found
            .lines
            .push(format!("{}:{}:{text}", name_line(path), number + 1));
    }
    let here = found.lines.len() - before;
    found.files += u64::from(here > 0);
    if found.top.as_ref().is_none_or(|(most, _)| here > *most)
        && here > 0
        && let Some(path) = path.to_str()
    {
        found.top = Some((here, path.to_owned()));
    }
}

/// Returns the line or, if it is long, the part with the match.
fn excerpt(line: &[u8], at: usize) -> String {
    let (text, _) = marked(line);
    if text.chars().count() <= WIDTH {
        return text;
    }
    let (before, _) = marked(line.get(..at).unwrap_or_default());
    let skipped = before.chars().count();
    let from = if skipped > WIDTH / 2 {
        skipped - WIDTH / 4
    } else {
        0
    };
    let mut part: String = text.chars().skip(from).take(WIDTH).collect();
    if from > 0 {
        part.insert(0, '…');
    }
    if from + WIDTH < text.chars().count() {
        part.push('…');
    }
    part
}
