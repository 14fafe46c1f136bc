//! Collects the files that a run wrote, each before the run and as the run left it.
//!
//! Must not know: the tools, the files themselves, how a difference is shown.
//!
//! What an execution changed is on its record. Where it is not, a tool that writes a file recorded the file before each
//! execution, and what it will write. What another call changed is then in no record, and is said so.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Outcome;
use super::files::{Change, Execution, FilePath, FileState, FilesChange, Step};
use super::id::{NodeId, NodeKind, Seq};
use super::ledger;
use super::state::{LedgerEntry, LedgerOutcome, State};
use overrule_base::known_tool::{CONTENT, NEW, OLD, PATH, value_in};
use overrule_base::text::visible;

/// All files that a run wrote, as one change, and what is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Changes {
    /// The files, in the order in which the run first wrote them.
    pub files: Vec<FileChange>,
    /// Executions that may have changed files; which ones is not recorded.
    pub unrecorded: Vec<Unrecorded>,
}

/// A file that the run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path in the workspace.
    pub path: String,
    /// What it was before the run.
    pub before: FileText,
    /// What the run left.
    pub after: FileText,
    /// The calls that wrote it, in order.
    pub calls: Vec<NodeId>,
    /// A call that wrote it and whose outcome is not known: the change may not have happened.
    pub unsure: Option<NodeId>,
    /// A call that found something else than the run had left: another program changed the file between.
    pub foreign: Option<NodeId>,
}

impl FileChange {
    /// Both texts, if both are known; a missing file is an empty text.
    pub fn texts(&self) -> Option<(&str, &str)> {
        Some((self.before.text()?, self.after.text()?))
    }

    /// One sentence on the file and what is not known of it.
    pub fn describe(&self) -> String {
        let what = match (&self.before, &self.after) {
            (before, after) if before == after && before.text().is_some() => "written, now as before the run",
            (FileText::Missing, _) => "created",
            (_, FileText::Missing) => "deleted",
            _ => "changed",
        };
        let calls: Vec<String> = self.calls.iter().map(NodeId::to_string).collect();
        let mut words = format!("{what} by {}", calls.join(", "));
        // Writing into a string cannot fail.
        for (when, text) in [("before the run", &self.before), ("after it", &self.after)] {
            if let FileText::Unknown(why) = text {
                let _ = write!(words, "; its text {when} is not known: {}", visible(why));
            }
        }
        if let Some(call) = self.unsure {
            let _ = write!(
                words,
                "; the outcome of {call} is not known: it may not have happened"
            );
        }
        if let Some(call) = self.foreign {
            let _ = write!(words, "; something else changed it before {call}");
        }
        words
    }
}

/// What is known of a file at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileText {
    /// There was no file.
    Missing,
    /// Its whole text.
    Text(Arc<str>),
    /// Its content is saved with those of the workspace, and not read here, or no text.
    Saved,
    /// The text is not recorded: the reason.
    Unknown(Arc<str>),
}

impl FileText {
    /// The text; empty for a missing file, `None` if it is not known here.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Missing => Some(""),
            Self::Text(text) => Some(text),
            Self::Saved | Self::Unknown(_) => None,
        }
    }
}

/// An execution that may have changed files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unrecorded {
    /// The event of its intent, as the list of effects names it.
    pub entry: Seq,
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: Arc<str>,
}

/// What a tool recorded before it wrote a file.
#[derive(Deserialize)]
struct Intent {
    /// Hash of the file before; none without a file.
    before: Option<String>,
    /// Hash of what it writes.
    after: String,
    content: Option<Arc<str>>,
    #[serde(rename = "not_kept")]
    not_saved: Option<Arc<str>>,
}

/// The arguments that say what is written: a whole text, or a part and its replacement.
struct Written {
    path: String,
    content: Option<String>,
    old: Option<String>,
    new: Option<String>,
}

impl Written {
    /// Reads the arguments of a known tool.
    fn of(args: &Value) -> Option<Self> {
        let text = |names| value_in(args, names).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            path: text(PATH)?,
            content: text(CONTENT),
            old: text(OLD),
            new: text(NEW),
        })
    }
}

/// Collects what a run wrote, in the order in which it happened. Texts that are saved outside of the record are not known.
pub fn changes(state: &State) -> Changes {
    changes_with(state, &|_| None)
}

/// The same; `content` gives the text of a saved file by its hash.
pub fn changes_with(state: &State, content: &dyn Fn(&str) -> Option<Arc<str>>) -> Changes {
    let mut all = Changes::default();
    let mut writes: Vec<(Seq, Write)> = Vec::new();
    // The work of a sub-agent is listed by its own calls.
    let own = ledger::effects(state).filter(|entry| entry.thread.is_none());
    for entry in own.filter(|entry| happened(entry)) {
        let set = ledger::attempt(state, entry).and_then(|record| record.files.as_deref());
        let intent = || of_intent(state, entry).map(|write| (entry.seq, write));
        match set {
            Some(set) if set.untracked.is_none() => {}
            Some(_) => all.unrecorded.push(unrecorded(entry)),
            None => match intent() {
                Some(write) => writes.push(write),
                None => all.unrecorded.push(unrecorded(entry)),
            },
        }
    }
    for (seq, change) in &state.operator.files.log {
        let found = match change {
            FilesChange::Execution(execution) => of_set(state, *execution, content),
            FilesChange::Restore(id) => of_restore(state, *id, content),
            // The next call that writes such a file finds something else than the run had left.
            FilesChange::Outside(_) => Vec::new(),
        };
        writes.extend(found.into_iter().map(|write| (*seq, write)));
    }
    writes.sort_by_key(|(seq, _)| *seq);
    let mut known: BTreeMap<String, (usize, Option<String>)> = BTreeMap::new();
    for (_, write) in writes {
        all.add(&mut known, write);
    }
    all
}

fn unrecorded(entry: &LedgerEntry) -> Unrecorded {
    Unrecorded {
        entry: entry.seq,
        call: entry.call,
        tool: Arc::clone(&entry.tool),
    }
}

/// A file that was written, with a mark for each state: equal marks, equal states.
struct Write {
    path: String,
    before: (FileText, Option<String>),
    after: (FileText, Option<String>),
    by: NodeId,
    unsure: bool,
}

impl Changes {
    fn add(&mut self, known: &mut BTreeMap<String, (usize, Option<String>)>, write: Write) {
        let unsure = write.unsure.then_some(write.by);
        let is_restore = write.by.kind == NodeKind::Intervention;
        let place = known.get(&write.path).map(|(at, _)| *at);
        let at = place.unwrap_or(self.files.len());
        let earlier = known.insert(write.path.clone(), (at, write.after.1));
        let Some((_, left)) = earlier else {
            self.files.push(FileChange {
                path: write.path,
                before: write.before.0,
                after: write.after.0,
                calls: vec![write.by],
                unsure,
                foreign: None,
            });
            return;
        };
        let Some(file) = self.files.get_mut(at) else {
            return;
        };
        let other = write.before.1 != left && !is_restore;
        // A write with an unknown outcome explains a different text.
        if other && file.unsure.is_none() {
            file.foreign = file.foreign.or(Some(write.by));
        }
        file.after = write.after.0;
        file.unsure = unsure;
        if file.calls.last() != Some(&write.by) {
            file.calls.push(write.by);
        }
    }
}

/// What a file tool recorded before it wrote.
fn of_intent(state: &State, entry: &LedgerEntry) -> Option<Write> {
    let (intent, written) = read(state, entry)?;
    let workspace = state.started.as_ref().map_or("", |started| &started.workspace);
    Some(Write {
        path: plain_path(below(workspace, &written.path)),
        before: (before(&intent), intent.before.clone()),
        after: (after(&intent, &written), Some(intent.after)),
        by: entry.call,
        unsure: !matches!(entry.outcome, LedgerOutcome::Known(_)),
    })
}

/// What an execution changed. What its tool recorded before serves for a text that is not saved.
fn of_set(state: &State, execution: Execution, content: &dyn Fn(&str) -> Option<Arc<str>>) -> Vec<Write> {
    let record = state.attempt(execution);
    let (Some(set), Some(entry)) = (
        record.and_then(|record| record.files.as_deref()),
        record.and_then(|record| state.ledger.get(&record.intent)),
    ) else {
        return Vec::new();
    };
    let intent = of_intent(state, entry);
    let is_file = |change: &&Change| is_file(&change.before) || is_file(&change.after);
    let write = |change: &Change| {
        let path = change.path.text().into_owned();
        let recorded = intent.as_ref().filter(|intent| intent.path == path);
        let text = |state: &FileState| {
            let recorded = recorded.iter().flat_map(|intent| [&intent.before, &intent.after]);
            let mut same = recorded.filter(|(_, mark)| mark.as_deref() == state.hash());
            let known = same.find_map(|(text, _)| text.text().map(Arc::<str>::from));
            file_text(state, &|hash| content(hash).or_else(|| known.clone()))
        };
        Write {
            before: (text(&change.before), mark(&change.before)),
            after: (text(&change.after), mark(&change.after)),
            path,
            by: execution.call,
            unsure: !matches!(entry.outcome, LedgerOutcome::Known(_)),
        }
    };
    set.changes.0.iter().filter(is_file).map(write).collect()
}

/// What a restore changed.
fn of_restore(state: &State, id: NodeId, content: &dyn Fn(&str) -> Option<Arc<str>>) -> Vec<Write> {
    let record = state.operator.files.restores.get(&id);
    let steps = record.iter().flat_map(|record| record.done());
    let steps = steps.filter(|step| is_file(&step.from) || is_file(&step.to));
    let write = |step: &Step| Write {
        path: step.path.text().into_owned(),
        before: (file_text(&step.from, content), mark(&step.from)),
        after: (file_text(&step.to, content), mark(&step.to)),
        by: id,
        unsure: false,
    };
    steps.map(write).collect()
}

/// True for anything but a directory or nothing.
const fn is_file(state: &FileState) -> bool {
    !matches!(state, FileState::Missing {} | FileState::Dir { .. })
}

fn file_text(state: &FileState, content: &dyn Fn(&str) -> Option<Arc<str>>) -> FileText {
    match state {
        FileState::Missing {} => FileText::Missing,
        FileState::File { hash, .. } => match content(hash) {
            Some(text) => FileText::Text(text),
            None => FileText::Saved,
        },
        FileState::Symlink { .. } => FileText::Unknown("it is a symbolic link".into()),
        FileState::Dir { .. } => FileText::Unknown("it is a directory".into()),
        FileState::Unsaved { why, .. } => FileText::Unknown(why.as_str().into()),
    }
}

/// A mark of a state: the hash of a file, none where there is nothing.
fn mark(state: &FileState) -> Option<String> {
    match state {
        FileState::Missing {} => None,
        FileState::File { hash, .. } => Some(hash.clone()),
        other => Some(format!("{other:?}")),
    }
}

/// True for an execution that wrote, or may have.
fn happened(entry: &LedgerEntry) -> bool {
    match &entry.outcome {
        LedgerOutcome::Known(Outcome::Err(error)) => error.executed,
        _ => ledger::may_have_happened(entry),
    }
}

/// The path in the workspace and the hashes of the file before and after, as a file tool recorded them; none for an
/// execution that did not happen.
pub(crate) fn hashes(state: &State, entry: &LedgerEntry) -> Option<(FilePath, Option<String>, String)> {
    if !happened(entry) {
        return None;
    }
    let (intent, written) = read(state, entry)?;
    let path = workspace_path(state, &written.path)?;
    Some((path, intent.before, intent.after))
}

fn read(state: &State, entry: &LedgerEntry) -> Option<(Intent, Written)> {
    let intent = serde_json::from_str(entry.more.before.as_deref()?).ok()?;
    let written = Written::of(&serde_json::from_str(ledger::args(state, entry)).ok()?)?;
    Some((intent, written))
}

/// A path without the directory that the run works in.
fn below<'p>(workspace: &str, path: &'p str) -> &'p str {
    let below = path.strip_prefix(workspace).filter(|_| !workspace.is_empty());
    below.filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

/// A path that a tool was given, below the workspace; none if it is not below it.
pub(crate) fn workspace_path(state: &State, path: &str) -> Option<FilePath> {
    let workspace = state.started.as_ref().map_or("", |started| &started.workspace);
    let rest = below(workspace, path);
    let is_below = rest.len() < path.len() || !path.starts_with('/');
    FilePath::new(plain_path(rest)).ok().filter(|_| is_below)
}

/// The path without parts that mean nothing, so that one file has one path.
fn plain_path(path: &str) -> String {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    parts.join("/")
}

fn before(intent: &Intent) -> FileText {
    match (&intent.before, &intent.content, &intent.not_saved) {
        (None, ..) => FileText::Missing,
        (Some(_), Some(text), _) => FileText::Text(Arc::clone(text)),
        (Some(_), None, why) => {
            FileText::Unknown(why.clone().unwrap_or_else(|| "it was not recorded".into()))
        }
    }
}

/// The text that was written, checked against its recorded hash.
fn after(intent: &Intent, written: &Written) -> FileText {
    let text = match written {
        Written {
            content: Some(text), ..
        } => Some(text.clone()),
        Written {
            old: Some(old),
            new: Some(new),
            ..
        } => intent.content.as_ref().map(|text| text.replace(old, new)),
        Written { .. } => None,
    };
    let is_it = |text: &String| blake3::hash(text.as_bytes()).to_hex().as_str() == intent.after;
    match text.filter(is_it) {
        Some(text) => FileText::Text(text.into()),
        None => FileText::Unknown("the record has only its hash".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    fn intent(before: Option<&str>, after: &str) -> Intent {
        Intent {
            before: before.map(hash),
            after: hash(after),
            content: before.map(Arc::from),
            not_saved: None,
        }
    }

    fn written(json: &str) -> Written {
        Written::of(&serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn the_written_text_is_the_one_with_the_recorded_hash() {
        let whole = written(r#"{"path":"a","content":"new\n"}"#);
        let known = after(&intent(None, "new\n"), &whole);
        assert_eq!(known, FileText::Text("new\n".into()));
        let part = written(r#"{"path":"a","old":"b","new":"x"}"#);
        let known = after(&intent(Some("abc"), "axc"), &part);
        assert_eq!(known, FileText::Text("axc".into()));
        // Another text than the tool wrote is not passed off as it.
        let other = after(&intent(Some("abc"), "something else"), &part);
        assert!(matches!(other, FileText::Unknown(_)), "{other:?}");
    }

    #[test]
    fn a_text_that_was_not_saved_is_not_made_up() {
        let mut large = intent(Some("abc"), "axc");
        large.content = None;
        large.not_saved = Some("the file was larger than 64 KiB".into());
        assert_eq!(
            before(&large),
            FileText::Unknown("the file was larger than 64 KiB".into())
        );
        let part = written(r#"{"path":"a","old":"b","new":"x"}"#);
        assert!(matches!(after(&large, &part), FileText::Unknown(_)));
        assert_eq!(before(&intent(None, "x")), FileText::Missing);
    }

    #[test]
    fn what_tools_of_other_agents_write_is_known_too() {
        let part = written(r#"{"file_path":"a","old_string":"b","new_string":"x"}"#);
        let known = after(&intent(Some("abc"), "axc"), &part);
        assert_eq!((part.path.as_str(), known), ("a", FileText::Text("axc".into())));
        assert_eq!(below("/w", "/w/a"), "/a");
        assert_eq!(below("/w", "/wide/a"), "/wide/a");
        assert_eq!(below("", "/w/a"), "/w/a");
    }

    #[test]
    fn one_file_has_one_path() {
        for path in ["a/b.md", "./a/b.md", "a//b.md", "a/./b.md"] {
            assert_eq!(plain_path(path), "a/b.md");
        }
        assert_eq!(plain_path("../b.md"), "../b.md", "another file stays another");
    }
}
