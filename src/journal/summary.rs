//! Summarises sessions for a list, in one pass over each journal.
//!
//! Must not know: what most events say.
//!
//! A pass checks every line and its link to the one before, and decodes few bodies. A session that cannot be read to its
//! end is listed with the reason.

use std::io::{self, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use serde::Deserialize;
use uuid::Uuid;

use super::line::{self, Head, Link};
use super::lines::{LineEnd, Lines};
use super::lock;
use super::payload::Payloads;
use super::reader::{self, MAX_BYTES};
use super::store::{FORK, Place, TITLE, WORKSPACE};
use overrule_domain::envelope::FORMAT;
use overrule_domain::event::{Event, RunEvent};
use overrule_regular_file::{self as regular_file, Links};

/// Bytes per read.
const PIECE: usize = 1 << 18;

/// Maximum number of threads that read journals.
const MOST: usize = 8;

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
    pub status: SessionStatus,
    /// Size of its journal in bytes.
    pub bytes: u64,
    /// When its journal was last written.
    pub modified: Option<SystemTime>,
    /// The session that it is a fork of, and the last event of that which it begins with.
    pub fork: Option<(String, u64)>,
    /// The session of the agent that began this sub-agent.
    pub sub_agent_of: Option<String>,
    /// Why it cannot be read, or not to its end.
    pub problem: Option<String>,
}

/// The state of a session, as far as a list needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// The run can continue.
    Open,
    /// The run has an answer.
    Finished,
    /// The run was stopped.
    Stopped,
    /// A record is missing or not intact, and others follow: the run can continue in a new session only.
    Damaged,
    /// The journal cannot be read.
    Unreadable,
}

impl SessionStatus {
    /// Returns the word for this state.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Damaged => "damaged",
            Self::Unreadable => "unreadable",
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
    session: Option<String>,
    role: Option<String>,
    started: Option<Refitted>,
}

/// The members that matter of what a run is built with from here on.
#[derive(Debug, Deserialize)]
struct Refitted {
    workspace: Option<String>,
}

impl Peek {
    fn of(body: &str) -> Self {
        // A string so long that it was moved to a file is not shown in a list.
        serde_json::from_str(body).unwrap_or_default()
    }
}

/// Summarises sessions, several at a time, in no order.
pub(super) fn of_all(places: &[Place]) -> Vec<Summary> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(of(place));
        }
        done
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let others = threads.min(MOST).min(places.len()).saturating_sub(1);
    thread::scope(|scope| {
        // If no thread can be started, this one does all of it.
        let others: Vec<_> = (0..others)
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut all = work();
        all.extend(
            others
                .into_iter()
                .flat_map(|other| other.join().unwrap_or_default()),
        );
        all
    })
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
        status: SessionStatus::Open,
        bytes: 0,
        modified: None,
        fork: fork_of(place),
        sub_agent_of: None,
        problem: None,
    };
    if let Err(error) = fill(&mut summary) {
        summary.status = SessionStatus::Unreadable;
        summary.problem = Some(format!("cannot be read: {error}"));
    }
    if let Some(title) = own_title(place) {
        summary.title = Some(title);
    }
    summary
}

fn fill(summary: &mut Summary) -> io::Result<()> {
    let place = summary.place.clone();
    let file = regular_file::open_bounded(&place.journal(), place.links(), MAX_BYTES)?;
    let meta = file.metadata()?;
    summary.bytes = meta.len();
    summary.modified = meta.modified().ok();
    // Later appended records are not read.
    let mut lines = Lines::new(BufReader::with_capacity(PIECE, file.take(meta.len())));
    let mut pass = Pass::new(&place);
    let mut bytes = Vec::new();
    while let Some(seen) = lines.next(&mut bytes)? {
        if let Err(why) = pass.take(&bytes, seen) {
            let begun = !seen.ended && reader::is_beginning(&bytes);
            let intact = is_record(&bytes, seen) || has_record(&mut lines)?;
            pass.end(summary, Some(Gap { why, intact, begun }));
            return Ok(());
        }
        bytes.clear();
    }
    pass.end(summary, None);
    Ok(())
}

/// Whether a line is intact in itself.
fn is_record(bytes: &[u8], seen: LineEnd) -> bool {
    seen.ended && !seen.long && line::is_intact(bytes)
}

/// Whether any further line is.
fn has_record(lines: &mut Lines<impl io::BufRead>) -> io::Result<bool> {
    let mut bytes = Vec::new();
    while let Some(seen) = lines.next(&mut bytes)? {
        if is_record(&bytes, seen) {
            return Ok(true);
        }
        bytes.clear();
    }
    Ok(false)
}

/// What a list shows of the records up to a decision.
#[derive(Debug, Clone)]
struct ListEntry {
    model: Option<String>,
    workspace: Option<String>,
    started: Option<i64>,
    named: Option<String>,
    prompt: Option<String>,
    /// The session of the agent that began this sub-agent.
    parent: Option<String>,
    status: SessionStatus,
    last: Option<Last>,
}

/// The first line that is not the next record.
struct Gap {
    /// What is wrong with it.
    why: String,
    /// True if it, or a line after it, is intact in itself.
    intact: bool,
    /// Whether it is the unfinished beginning of a first record.
    begun: bool,
}

/// One pass over a journal.
struct Pass {
    payloads: Payloads,
    place: Place,
    records: u64,
    head: Link,
    run: Option<Uuid>,
    /// Up to the last record.
    now: ListEntry,
    /// Up to the last whole decision; none where that is the same.
    whole: Option<ListEntry>,
    /// The format of a newer program, where the first line claims it.
    newer: Option<u32>,
}

impl Pass {
    fn new(place: &Place) -> Self {
        Self {
            payloads: Payloads::new(place.payloads()),
            place: place.clone(),
            records: 0,
            head: Link::FIRST,
            run: None,
            now: ListEntry {
                model: None,
                workspace: None,
                started: None,
                named: None,
                prompt: None,
                parent: None,
                status: SessionStatus::Open,
                last: None,
            },
            whole: None,
            newer: None,
        }
    }

    /// Takes in a line, or returns why it is not the next record.
    fn take(&mut self, bytes: &[u8], seen: LineEnd) -> Result<(), String> {
        if self.records == 0 {
            self.newer = line::claimed_version(bytes).filter(|version| *version > FORMAT);
        }
        if !is_record(bytes, seen) {
            let why = if seen.ended {
                "its checksum does not match"
            } else {
                "it is incomplete"
            };
            return Err(why.to_owned());
        }
        let head = line::head(bytes).map_err(|error| error.to_string())?;
        self.follows(&head)?;
        self.note((head.kind, head.at), head.body.get(), head.more == Some(true));
        self.head = Link::of(bytes);
        Ok(())
    }

    fn follows(&mut self, head: &Head<'_>) -> Result<(), String> {
        let run = line::run_of(head).map_err(|error| error.to_string())?;
        let expected = self.records + 1;
        if head.seq.0 != expected {
            return Err(format!("it has number {} where {expected} is next", head.seq.0));
        }
        if head.prev.as_bytes() != self.head.hex() {
            return Err("its link names another record than the one before it".to_owned());
        }
        if *self.run.get_or_insert(run) != run {
            return Err("it belongs to another run".to_owned());
        }
        if !self.payloads.are_there(head.body.get()) {
            return Err("a payload file that it names is missing or has another length".to_owned());
        }
        self.records = expected;
        Ok(())
    }

    fn note(&mut self, (kind, at): (&str, i64), body: &str, more: bool) {
        if more && self.whole.is_none() {
            self.whole = Some(self.now.clone());
        }
        let now = &mut self.now;
        if self.records == 1 {
            let peek = Peek::of(body);
            now.started = Some(at);
            now.model = peek.model;
            now.workspace = peek.workspace;
        }
        match kind {
            "run.titled" => now.named = Peek::of(body).title,
            "run.refitted" => {
                let moved = Peek::of(body).started.and_then(|started| started.workspace);
                now.workspace = moved.or(now.workspace.take());
            }
            "run.linked" if now.parent.is_none() => {
                let peek = Peek::of(body);
                now.parent = peek.session.filter(|_| peek.role.as_deref() == Some("parent"));
            }
            "turn.prompted" if now.prompt.is_none() => now.prompt = Peek::of(body).text,
            _ => {}
        }
        now.status = now.status.after(kind);
        let (seq, kind) = (self.records, kind.to_owned());
        now.last = Some(Last { seq, at, kind });
        if !more {
            self.whole = None;
        }
    }

    /// Fills in what was found.
    fn end(self, summary: &mut Summary, gap: Option<Gap>) {
        let is_torn = gap.is_some() || self.whole.is_some();
        let records = self.records;
        let shown = self.whole.unwrap_or(self.now);
        summary.model = shown.model;
        summary.workspace = shown.workspace;
        summary.started = shown.started;
        summary.status = shown.status;
        summary.last = shown.last;
        summary.sub_agent_of = shown.parent;
        summary.title = shown.named.or(shown.prompt).map(|title| first_line(&title));
        if let Some(version) = self.newer {
            summary.status = SessionStatus::Unreadable;
            summary.problem = Some(format!(
                "it has format {version}, and this program reads format {FORMAT}"
            ));
            return;
        }
        match gap {
            Some(Gap {
                why, intact: true, ..
            }) => {
                summary.status = SessionStatus::Damaged;
                summary.problem = Some(format!("damaged from line {} on: {why}", records + 1));
            }
            Some(Gap { begun: false, .. }) if records == 0 => {
                summary.status = SessionStatus::Unreadable;
                summary.problem = Some("its first line is not an intact record".to_owned());
            }
            // Its writer may be in the middle of a line or of a decision.
            _ if is_torn && !lock::is_held(&self.place) => {
                summary.problem = Some("its last write is incomplete".to_owned());
            }
            _ => {}
        }
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

/// The directory that the tools of a session work in. Reads at most the first record.
pub(super) fn workspace(place: &Place) -> Option<PathBuf> {
    if let Some(moved) = whole(place, WORKSPACE) {
        return Some(moved.into());
    }
    let first = reader::first(place).ok()??;
    match first.event {
        Event::Run(RunEvent::Started(started)) => Some(started.workspace.into()),
        _ => None,
    }
}

/// The first line of a file that the writer keeps for lists.
fn repeated(place: &Place, name: &str) -> Option<String> {
    whole(place, name).map(|text| first_line(&text))
}

/// A file that the writer keeps for lists.
fn whole(place: &Place, name: &str) -> Option<String> {
    let Place::Dir { path, .. } = place else {
        return None;
    };
    let file = regular_file::open(&path.join(name), Links::Refuse).ok()?;
    let mut bytes = Vec::new();
    file.take(4096).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
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
