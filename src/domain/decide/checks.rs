//! Checks whether what a command names is still what was shown, and may be decided.
//!
//! Must not know: what a command does.

use serde_json::value::RawValue;

use crate::call::{Call, Digest};
use crate::draft::Draft;
use crate::effective_status;
use crate::id::{Attempt, NodeId, Rev};
use crate::node::Node;
use crate::refusal::{Refusal, RefusalKind};
use crate::regenerate;
use crate::state::{Mode, State};
use crate::tags::{self, Confirmation};
use crate::thread;
use crate::turn::Activity;

/// The call, if it exists and is active.
pub(super) fn find(state: &State, id: NodeId) -> Result<&Call, Refusal> {
    let call = state
        .calls
        .get(&id)
        .ok_or_else(|| Refusal::new(RefusalKind::Unknown, format!("there is no call {id}")))?;
    if !state.nodes.get(&id).is_some_and(|node| node.active) {
        return Err(Refusal::new(
            RefusalKind::Superseded,
            format!(
                "{id} is superseded: {}",
                effective_status::replaced_words(state, id)
            ),
        ));
    }
    match state.turn_of(id).map(|turn| thread::activity(state, turn)) {
        Some(Activity::Active) => regenerate::not_pinned_above(state, thread::of(state, id)).map(|()| call),
        Some(Activity::Suspended(_)) => Err(Refusal::new(
            RefusalKind::Status,
            format!("{id} is suspended until an edit before it takes effect; hint: wait"),
        )),
        _ => Err(Refusal::new(
            RefusalKind::Superseded,
            format!(
                "{id} is superseded: {}",
                effective_status::replaced_words(state, id)
            ),
        )),
    }
}

pub(super) fn same_rev(state: &State, id: NodeId, rev: Rev) -> Result<(), Refusal> {
    let now = state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    if now == rev {
        Ok(())
    } else {
        Err(Refusal::new(
            RefusalKind::Changed,
            format!(
                "{id} changed since it was shown (you saw revision {}, it is {}); hint: review it",
                rev.0, now.0
            ),
        ))
    }
}

/// Refuses a command about another execution than the one that was shown.
pub(super) fn same_attempt(id: NodeId, shown: Option<Attempt>, now: Attempt) -> Result<(), Refusal> {
    match shown {
        Some(shown) if shown != now => Err(Refusal::new(
            RefusalKind::Changed,
            format!("{id} changed since it was shown (you saw {shown}, it is {now}); hint: review it"),
        )),
        _ => Ok(()),
    }
}

pub(super) fn wrong_status(call: &Call, verb: &str, hint: &str) -> Refusal {
    Refusal::new(
        RefusalKind::Status,
        format!("cannot {verb} {}: it is {}; {hint}", call.id, call.status.label()),
    )
}

pub(super) fn not_over(draft: &Draft<'_>) -> Result<(), Refusal> {
    match &draft.state.mode {
        Mode::Stopped(_) => Err(over(&draft.state.mode)),
        Mode::Running | Mode::Paused(_) | Mode::Finished(_) => Ok(()),
    }
}

pub(super) fn shown(call: &Call, digest: &Digest) -> Result<(), Refusal> {
    if call.suspect {
        return Err(Refusal::new(
            RefusalKind::Status,
            format!(
                "the inputs of {} are being recomputed; hint: wait for them",
                call.id
            ),
        ));
    }
    match &call.digest {
        Some(now) if now == digest => Ok(()),
        Some(now) => Err(Refusal::new(
            RefusalKind::Changed,
            format!(
                "{} is not what was shown (you saw {}, it is {}); hint: review it",
                call.id,
                digest.short(),
                now.short()
            ),
        )),
        None => Err(Refusal::new(
            RefusalKind::Status,
            format!("{} is not ready yet", call.id),
        )),
    }
}

/// Refuses to run a call without the word that confirms it.
pub(super) fn worded(state: &State, id: NodeId, given: Option<&str>) -> Result<(), Refusal> {
    let Some(needed) = tags::confirmation(state, id).filter(|needed| !needed.is_named(given)) else {
        return Ok(());
    };
    let word = overrule_base::text::visible(&needed.word());
    let message = match needed {
        Confirmation::Tool(_) => {
            format!(
                "cannot run {id}: it cannot be undone; hint: give the name of its tool, `{word}`, as the word"
            )
        }
        Confirmation::Definitions { server, .. } => {
            let server = overrule_base::text::visible(server);
            format!(
                "cannot run {id}: the tools of {server} changed since they were accepted; hint: `overrule tools accept \
                 {server} --run ID` shows the difference and accepts them, or give the hash of the definitions, `{word}`, as \
                 the word"
            )
        }
    };
    Err(Refusal::new(RefusalKind::Denied, message))
}

/// Refuses a value that is not JSON text.
pub(super) fn valid_json(value: &str) -> Result<(), Refusal> {
    match serde_json::from_str::<&RawValue>(value) {
        Ok(_) => Ok(()),
        Err(error) => Err(Refusal::new(
            RefusalKind::Invalid,
            format!("the value is not JSON ({error}); hint: put plain text in double quotes"),
        )),
    }
}

/// A refusal because the run has ended.
pub(super) fn over(mode: &Mode) -> Refusal {
    let message = match mode {
        Mode::Finished(answer) => {
            format!("the run is finished ({answer}); hint: add a prompt or edit a node to continue")
        }
        Mode::Stopped(reason) => format!("the run is stopped ({reason}); hint: resume it first"),
        Mode::Running | Mode::Paused(_) => "the run continues".into(),
    };
    Refusal::new(RefusalKind::Over, message)
}

/// The newest execution of a call.
pub(super) fn newest_attempt(call: &Call) -> Attempt {
    call.last_attempt().map_or(Attempt(0), |record| record.no)
}

/// Refuses an edit with more effects than the preview showed. They are counted only if a preview was shown: a wide edit
/// has many calls to scan.
pub(super) fn seen(shown: Option<usize>, count: impl FnOnce() -> usize) -> Result<(), Refusal> {
    let Some(shown) = shown else {
        return Ok(());
    };
    let now = count();
    if now <= shown {
        return Ok(());
    }
    let more = now - shown;
    Err(Refusal::new(
        RefusalKind::Effects,
        format!(
            "{more} effects happened since the preview ({shown} then, {now} now); hint: review the new preview"
        ),
    ))
}
