//! Decides commands and reports about the sandbox.
//!
//! Must not know: how a child is confined, which paths exist.

use std::path::{Component, Path};

use overrule_base::text::visible;

use super::checks::not_over;
use super::execution::is_open;
use crate::advice::Advice;
use crate::command::SandboxCommand;
use crate::draft::Draft;
use crate::event::{Event, SandboxEvent};
use crate::id::{Attempt, NodeId};
use crate::recheck;
use crate::refusal::{Refusal, RefusalKind};
use crate::sandbox::{Hosts, Profile, Refused, RefusedKind, Widening};

/// Decides a command. Calls that were shown with the narrower profile are checked and asked about again.
pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &SandboxCommand,
) -> Result<(), Refusal> {
    let by = match command {
        SandboxCommand::Widen { by } => by,
        SandboxCommand::Keep { call, path } => return keep(draft, *call, path),
    };
    not_over(draft)?;
    let profile = draft.state.sandbox_profile();
    if !profile.confines() {
        return Err(Refusal::new(
            RefusalKind::Status,
            "cannot allow more: the session has no sandbox",
        ));
    }
    if draft.state.is_of_agent() {
        return Err(Refusal::new(
            RefusalKind::Status,
            "cannot allow more: the agent runs with what it was started with; hint: allow it in [sandbox] of the settings, and start \
             the agent again",
        ));
    }
    match by {
        Widening::Host(host) => check_host(&profile, host)?,
        Widening::Directory(directory) => check_directory(&profile, directory)?,
    }
    draft
        .events
        .push(Event::Sandbox(SandboxEvent::Widened { by: by.clone() }));
    let evaluated = advice.with_sandbox(std::slice::from_ref(by));
    recheck::shown(draft, &*evaluated);
    Ok(())
}

/// Decides a report of what was refused. One about an execution that has ended gives no event.
pub(super) fn confined(draft: &mut Draft<'_>, call: NodeId, attempt: Attempt, refused: &[Refused]) {
    if refused.is_empty() || !is_open(draft, call, attempt) {
        return;
    }
    draft.events.push(Event::Sandbox(SandboxEvent::Confined {
        call,
        attempt,
        refused: refused.to_vec(),
    }));
}

/// Decides that a change of a protected path stays.
fn keep(draft: &mut Draft<'_>, id: NodeId, path: &str) -> Result<(), Refusal> {
    not_over(draft)?;
    let Some(call) = draft.state.calls.get(&id) else {
        return Err(Refusal::new(
            RefusalKind::Unknown,
            format!("there is no call {id}"),
        ));
    };
    let undone = call.attempts.iter().rev().flat_map(|attempt| &attempt.refused);
    let found = undone
        .filter(|one| one.kind == RefusedKind::Protected && one.what == path)
        .find_map(|one| one.kept.clone());
    let Some(from) = found else {
        let path = visible(path);
        let message = format!("cannot keep the change of `{path}` by {id}: nothing of it was moved away");
        return Err(Refusal::new(RefusalKind::Status, message));
    };
    draft.events.push(Event::Sandbox(SandboxEvent::Kept {
        call: id,
        path: path.to_owned(),
        from,
    }));
    Ok(())
}

/// Decides a report that a change could not be given back.
pub(super) fn not_kept(draft: &mut Draft<'_>, call: NodeId, (path, from): (&str, &str), why: &str) {
    if draft.state.calls.contains_key(&call) {
        draft.events.push(Event::Sandbox(SandboxEvent::NotKept {
            call,
            path: path.to_owned(),
            from: from.to_owned(),
            why: why.to_owned(),
        }));
    }
}

fn check_host(profile: &Profile, host: &str) -> Result<(), Refusal> {
    let invalid = |why: &str| {
        let message = format!("cannot allow the host `{}`: {why}", visible(host));
        Err(Refusal::new(RefusalKind::Invalid, message))
    };
    if host.eq_ignore_ascii_case(Profile::ALL_HOSTS) || host.trim_matches(['*', '.']).is_empty() {
        return invalid("only the settings allow every host; hint: write host or host:port");
    }
    if let Err(error) = Hosts::parse(std::slice::from_ref(&host.to_owned())) {
        // What the proxy cannot read would end every later call at its start.
        return Err(Refusal::new(RefusalKind::Invalid, error.to_string()));
    }
    if profile.reaches_all() || profile.network.iter().any(|one| one == host) {
        let message = format!("no change: {} is already allowed", visible(host));
        return Err(Refusal::new(RefusalKind::NoChange, message));
    }
    Ok(())
}

fn check_directory(profile: &Profile, directory: &str) -> Result<(), Refusal> {
    let refusal = |kind, why: &str| {
        let message = format!("cannot make `{}` writable: {why}", visible(directory));
        Err(Refusal::new(kind, message))
    };
    let path = Path::new(directory);
    if !path.is_absolute() {
        return refusal(RefusalKind::Invalid, "the path is not absolute");
    }
    let climbs = path.components().any(|part| part == Component::ParentDir);
    if climbs || directory.contains(char::is_control) {
        return refusal(RefusalKind::Invalid, "the path has `..` or control characters");
    }
    if let Some(hidden) = (profile.hidden.iter())
        .find(|hidden| path.starts_with(hidden.as_str()) || Path::new(hidden.as_str()).starts_with(path))
    {
        let why = if path.starts_with(hidden.as_str()) {
            format!("{} is hidden from commands", visible(hidden))
        } else {
            format!("{} in it is hidden from commands", visible(hidden))
        };
        return refusal(RefusalKind::Denied, &why);
    }
    if profile.write.iter().any(|one| path.starts_with(one.as_str())) {
        let message = format!("no change: {} is already writable", visible(directory));
        return Err(Refusal::new(RefusalKind::NoChange, message));
    }
    Ok(())
}
