//! Summarises a session for a list, from the two ends of its journal. Must not know: what the events in
//! between are.
//!
//! This is best effort: a session that cannot be read is listed with the reason.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::SystemTime;

use serde::Deserialize;

use super::files;
use super::line::{self, Head};
use super::store::{FORK, Place, TITLE};

/// Bytes read at each end; a first record with many tools takes some 20 KiB.
const WINDOW: u64 = 256 << 10;

/// Maximum number of characters of a title.
const SHOWN: usize = 120;

/// A session in a list. Its texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The id that people type.
    pub id: String,
    /// Where the session is stored.
    pub place: Place,
    /// Its name, or the beginning of the first prompt.
    pub title: Option<String>,
    /// The model it was started with.
    pub model: Option<String>,
    /// The directory that its tools work in.
    pub workspace: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub started: Option<i64>,
    /// Its last event.
    pub last: Option<Last>,
    /// Its state.
    pub standing: Standing,
    /// Size of its journal in bytes.
    pub bytes: u64,
    /// When its journal was last written.
    pub modified: Option<SystemTime>,
    /// The session that it is a fork of, and the last event of that which it begins with.
    pub fork: Option<(String, u64)>,
    /// Why it cannot be read, or not to its end.
    pub problem: Option<String>,
}

/// The state of a session, as far as a list needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The run can continue.
    Open,
    /// The run has an answer.
    Finished,
    /// The run was stopped.
    Stopped,
}

impl Standing {
    /// Returns the word for this state.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
        }
    }

    /// Returns the state after an event. Most events leave it unchanged: weights are recorded and breakers
    /// open even after the answer.
    fn after(self, kind: &str) -> Self {
        match kind {
            "run.finished" => Self::Finished,
            "run.stopped" => Self::Stopped,
            "run.resumed" if self == Self::Stopped => Self::Open,
            "edit.committed" | "edit.recalled" | "turn.opened" | "turn.requested" | "turn.prompted"
                if self == Self::Finished =>
            {
                Self::Open
            }
            _ => self,
        }
    }
}

/// The last event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// Its sequence number, which is also the number of events.
    pub seq: u64,
    /// When it was recorded, in milliseconds since 1970.
    pub at: i64,
    /// Its type, such as `run.finished`.
    pub kind: String,
}

/// The members that matter here, from the bodies of a few kinds of events.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Peek {
    model: Option<String>,
    workspace: Option<String>,
    title: Option<String>,
    text: Option<String>,
}

impl Peek {
    fn of(head: &Head<'_>) -> Self {
        // A string so long that it was moved to a file is not shown in a list.
        serde_json::from_str(head.body.get()).unwrap_or_default()
    }
}

/// Summarises a session.
pub(super) fn of(place: &Place) -> Summary {
    let mut summary = Summary {
        id: place.id(),
        place: place.clone(),
        title: None,
        model: None,
        workspace: None,
        started: None,
        last: None,
        standing: Standing::Open,
        bytes: 0,
        modified: None,
        fork: fork_of(place),
        problem: None,
    };
    match files::regular(&place.journal(), matches!(place, Place::File { .. })) {
        Ok(mut file) => {
            if let Err(error) = fill(&mut summary, &mut file) {
                summary.problem = Some(format!("cannot be read: {error}"));
            }
        }
        Err(error) => summary.problem = Some(format!("cannot be opened: {error}")),
    }
    if let Some(title) = own_title(place) {
        summary.title = Some(title);
    }
    summary
}

fn fill(summary: &mut Summary, file: &mut File) -> std::io::Result<()> {
    let meta = file.metadata()?;
    summary.bytes = meta.len();
    summary.modified = meta.modified().ok();
    let mut bytes = Vec::new();
    file.by_ref().take(WINDOW).read_to_end(&mut bytes)?;
    let begin = bytes.len() as u64;
    let mut named = None;
    for (index, line) in whole_lines(&bytes).enumerate() {
        let head = line::is_intact(line).then(|| line::head(line).ok()).flatten();
        let Some(head) = head else {
            if index == 0 {
                summary.problem = Some("its first line is not an intact record".to_owned());
                return Ok(());
            }
            break;
        };
        if index == 0 {
            let peek = Peek::of(&head);
            summary.started = Some(head.at);
            summary.model = peek.model;
            summary.workspace = peek.workspace;
        }
        match head.kind {
            "run.titled" => named = Peek::of(&head).title,
            "turn.prompted" if summary.title.is_none() => summary.title = Peek::of(&head).text,
            _ => {}
        }
        summary.standing = summary.standing.after(head.kind);
        summary.last = Some(last(&head));
    }
    if summary.bytes > begin {
        bytes.clear();
        file.seek(SeekFrom::Start(summary.bytes.saturating_sub(WINDOW)))?;
        file.by_ref().take(WINDOW).read_to_end(&mut bytes)?;
        // The window begins in the middle of a line.
        for line in whole_lines(&bytes).skip(1).filter(|line| line::is_intact(line)) {
            if let Ok(head) = line::head(line) {
                if head.kind == "run.titled" {
                    named = Peek::of(&head).title;
                }
                summary.standing = summary.standing.after(head.kind);
                summary.last = Some(last(&head));
            }
        }
    }
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        summary.problem = Some("its last write did not come to its end".to_owned());
    }
    summary.title = named.or(summary.title.take()).map(|title| first_line(&title));
    Ok(())
}

fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n"))
}

fn last(head: &Head<'_>) -> Last {
    Last {
        seq: head.seq.0,
        at: head.at,
        kind: head.kind.to_owned(),
    }
}

/// Reads the title from the file that the writer keeps for lists.
fn own_title(place: &Place) -> Option<String> {
    repeated(place, TITLE).filter(|title| !title.is_empty())
}

/// What the writer keeps for lists of the session that this one is a fork of.
fn fork_of(place: &Place) -> Option<(String, u64)> {
    let text = repeated(place, FORK)?;
    let (at, session) = text.split_once(' ')?;
    Some((session.to_owned(), at.parse().ok()?))
}

/// The first line of a file that the writer keeps for lists.
fn repeated(place: &Place, name: &str) -> Option<String> {
    let Place::Dir { path, .. } = place else {
        return None;
    };
    let file = files::regular(&path.join(name), false).ok()?;
    let mut bytes = Vec::new();
    file.take(4096).read_to_end(&mut bytes).ok()?;
    Some(first_line(&String::from_utf8_lossy(&bytes)))
}

fn first_line(text: &str) -> String {
    text.trim()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(SHOWN)
        .collect()
}
