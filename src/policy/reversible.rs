//! Decides whether what a call changes can be undone, and what has to be read-only for that.
//!
//! Must not know: rules, how a child is confined, how files are tracked.
//!
//! Everything has to be known: what is not makes the answer no.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use overrule_base::known_tool;
use overrule_base::shell_line::Uncertainty;
use overrule_base::text::visible;
use overrule_domain::files::FilePath;
use overrule_domain::sandbox::{MOST_READ_ONLY, Placement, Profile, ReadOnly, Tracking};

use super::commands::Case;
use super::edit;
use super::place::{Places, flatten};
use super::read_only;
use super::shell::ShellCall;

/// What is known about the changes of a call, besides its text.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'f> {
    /// How far changes can be restored.
    pub tracking: &'f Tracking,
    /// The profile of the sandbox in which the call would start.
    pub profile: &'f Profile,
    /// True if the sandbox knows every repository of the workspace that it protects.
    pub is_searched: bool,
}

/// What a call changes can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Undoable {
    /// A tool of this program or of an agent changes files of the workspace.
    Edit,
    /// A command runs in the sandbox, if this is read-only for it.
    Command(ReadOnly),
}

/// Why a call cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// It is neither a command nor a change of files in the workspace.
    #[error("cannot be undone")]
    Tool,
    /// The run has no sandbox.
    #[error("there is no sandbox")]
    NoSandbox,
    /// A guarantee of the sandbox is missing.
    #[error("the sandbox is partial")]
    Partial,
    /// It asks to run outside of the sandbox.
    #[error("it asks to leave the sandbox")]
    Outside,
    /// An agent runs it: nothing can be read-only for one of its calls.
    #[error("the agent runs all its commands in one sandbox")]
    Agent,
    /// Changes are not tracked.
    #[error("{0}")]
    Untracked(String),
    /// The first scan is not complete.
    #[error("the first scan of the files is not complete")]
    NotYet,
    /// The sandbox may not protect every repository.
    #[error("the workspace has more repositories or files than the sandbox searches")]
    NotSearched,
    /// Its commands cannot be read.
    #[error("{}", .0.describe())]
    Unread(Uncertainty),
    /// It may reach another machine: hosts are allowed, and it is not known to leave them alone.
    #[error("cannot be undone: network")]
    Network,
    /// The file that it changes could not be restored.
    #[error("`{0}` cannot be restored")]
    NotRestorable(String),
    /// More could not be restored than is made read-only.
    #[error("{0} places cannot be restored, and at most {max} can be read-only", max = MOST_READ_ONLY)]
    TooMany(usize),
}

/// Returns what has to be read-only so that the changes of a call can be undone.
///
/// # Errors
///
/// Says why they cannot.
pub(super) fn judge(case: &Case<'_>, places: Places<'_>) -> Result<Undoable, Cause> {
    let subject = &case.subject;
    if edit::is_edit(subject, places) {
        let (_, not_restorable) = known(places)?;
        let lost = edit::places(subject)
            .into_iter()
            .find(|path| !is_restorable(path, not_restorable, places));
        return match lost {
            None => Ok(Undoable::Edit),
            Some(path) => Err(Cause::NotRestorable(visible(&path))),
        };
    }
    let is_shell = case.shell().is_some();
    if subject.server.is_some() {
        return Err(Cause::Tool);
    }
    if subject.is_of_agent {
        return Err(if is_shell { Cause::Agent } else { Cause::Tool });
    }
    match subject.sandbox {
        Placement::Full => {}
        Placement::Partial => return Err(Cause::Partial),
        Placement::Outside => return Err(Cause::Outside),
        Placement::Unconfined if is_shell => return Err(Cause::NoSandbox),
        Placement::Unconfined => return Err(Cause::Tool),
    }
    let (facts, not_restorable) = known(places)?;
    if !facts.is_searched {
        return Err(Cause::NotSearched);
    }
    if let Some(unread) = case.shell().and_then(ShellCall::uncertainty) {
        return Err(Cause::Unread(unread));
    }
    // Git looks into a repository in another one, and runs what its settings name.
    let is_nested = |path: &FilePath| path.bytes().ends_with(b"/.git");
    let keeps_repositories = loses_nothing(case, places) && !not_restorable.iter().any(is_nested);
    if !facts.profile.network.is_empty() && !keeps_repositories {
        return Err(Cause::Network);
    }
    let mut paths = written_elsewhere(facts.profile, places)?;
    for path in not_restorable {
        paths.push(absolute(path, places)?);
    }
    if paths.len() > MOST_READ_ONLY {
        return Err(Cause::TooMany(paths.len()));
    }
    Ok(Undoable::Command(ReadOnly {
        paths,
        repositories: !keeps_repositories,
    }))
}

/// Returns what is known about the files, and those that could not be restored.
fn known(places: Places<'_>) -> Result<(FileFacts<'_>, &[FilePath]), Cause> {
    let untracked = || Cause::Untracked("files are not tracked".to_owned());
    let facts = places.files.ok_or_else(untracked)?;
    match facts.tracking {
        Tracking::Ready { not_restorable } => Ok((facts, not_restorable)),
        Tracking::NotYet => Err(Cause::NotYet),
        Tracking::Not { why } => Err(Cause::Untracked(visible(why))),
    }
}

/// Returns the directories that a child writes besides the workspace: changes there are not tracked.
fn written_elsewhere(profile: &Profile, places: Places<'_>) -> Result<Vec<String>, Cause> {
    let workspace = workspace(places)?;
    let mut paths = Vec::new();
    for path in &profile.write {
        if Path::new(path).starts_with(workspace) {
            continue;
        }
        // What is above the workspace cannot be read-only while the workspace is written.
        let real = places
            .links
            .map_or_else(|| workspace.to_owned(), |links| links(workspace));
        if real.starts_with(path) {
            if real == Path::new(path) {
                continue;
            }
            return Err(Cause::NotRestorable(visible(path)));
        }
        paths.push(path.clone());
    }
    Ok(paths)
}

fn workspace(places: Places<'_>) -> Result<&Path, Cause> {
    places
        .workspace
        .ok_or_else(|| Cause::Untracked("the workspace is not known".to_owned()))
}

/// A path of the workspace, absolute. One that is no text cannot be named.
fn absolute(path: &FilePath, places: Places<'_>) -> Result<String, Cause> {
    let lost = || Cause::NotRestorable(visible(&path.text()));
    let below = std::str::from_utf8(path.bytes()).map_err(|_| lost())?;
    let whole = workspace(places)?.join(below);
    whole.to_str().map(str::to_owned).ok_or_else(lost)
}

/// True unless a file, as a call names it, is one that could not be restored, or below one, or above one.
fn is_restorable(path: &str, not_restorable: &[FilePath], places: Places<'_>) -> bool {
    let Some(workspace) = places.workspace else {
        return not_restorable.is_empty();
    };
    let whole = workspace.join(path);
    let Some(written) = flatten(&whole) else {
        return false;
    };
    let real = places.links.map(|links| links(&whole));
    let is_near = |one: &Path, other: &Path| one.starts_with(other) || other.starts_with(one);
    let is_it = |one: &FilePath| {
        let listed = workspace.join(OsStr::from_bytes(one.bytes()));
        let is_real = |listed: &Path| real.as_ref().is_some_and(|real| is_near(real, listed));
        is_near(&written, &listed)
            || is_real(&listed)
            || places.links.is_some_and(|links| is_real(&links(&listed)))
    };
    !not_restorable.iter().any(is_it)
}

/// True if every command of a line is one of git that loses nothing, or only reads, and no repository names a program that it
/// runs.
fn loses_nothing(case: &Case<'_>, places: Places<'_>) -> bool {
    let subject = &case.subject;
    let (Some(shell), Some(facts)) = (case.shell(), places.line) else {
        return false;
    };
    known_tool::is_shell(subject.tool)
        && shell.inner().is_none()
        && read_only::loses_nothing(subject.tool, subject.args, shell)
            .is_some_and(|call| (facts.reads)(&call))
}
