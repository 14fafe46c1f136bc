//! Builds commands on calls: decisions, consent, and outcomes of unfinished executions.
//!
//! Must not know: how a command is sent.

use std::sync::Arc;

use super::{misplaced, node, or, seen, text};
use crate::cli::args::{Choice, RevisionArg, Verb};
use crate::cli::exit::{Code, Failure};
use crate::domain::bulk;
use crate::domain::call::Digest;
use crate::domain::command::{CallCommand, Command, ConsentChoice, Resolution};
use crate::domain::id::{Attempt, NodeId, Rev};
use crate::domain::repeat;
use crate::domain::state::State;
use crate::domain::tags;
use crate::text::visible;

pub(super) fn on_call(state: &State, verb: &Verb) -> Result<Command, Failure> {
    let reason = verb.on().reason.clone().unwrap_or_default();
    let any = RevisionArg { rev: None };
    Ok(Command::Call(match verb {
        Verb::Approve {
            call, digest, word, ..
        } => {
            let (call, rev) = seen(state, call, &any)?;
            CallCommand::Approve {
                call,
                rev,
                digest: digest_of(state, call, digest),
                unread: 0,
                shown: None,
                word: worded(state, call, word.as_deref())?,
            }
        }
        Verb::Reject { call, seen: was, .. } => {
            let (call, rev) = seen(state, call, was)?;
            CallCommand::Reject { call, rev, reason }
        }
        Verb::Answer {
            call,
            value,
            seen: was,
            ..
        } => {
            let ((call, rev), value) = (seen(state, call, was)?, text(value));
            CallCommand::Answer { call, rev, value }
        }
        Verb::Retry { call, seen: was, .. } => {
            let (call, rev) = seen(state, call, was)?;
            CallCommand::Retry { call, rev }
        }
        Verb::Unpin {
            node: id, seen: was, ..
        } => CallCommand::Unpin {
            node: node(id)?,
            rev: was.rev.map(Rev),
        },
        Verb::Cancel { call, ran, .. } => CallCommand::Cancel {
            call: node(call)?,
            attempt: ran.attempt.map(Attempt),
            reason: or(reason, "cancelled by the operator"),
        },
        Verb::Consent {
            call,
            digest,
            choice,
            word,
            ..
        } => {
            let of = seen(state, call, &any)?;
            let word = match choice {
                Choice::RunAgain => worded(state, of.0, word.as_deref())?,
                Choice::Reuse | Choice::Reject => None,
            };
            consent(state, of, digest, (*choice, word), reason)?
        }
        Verb::Resolve {
            call,
            ran,
            happened,
            abandon,
            did_not_finish,
            ..
        } => {
            let what = match happened.as_deref() {
                Some(value) => Resolution::Happened { value: text(value) },
                None if *did_not_finish => Resolution::DidNotFinish,
                None if *abandon => Resolution::Abandon { reason },
                None => Resolution::DidNot,
            };
            CallCommand::Resolve {
                call: node(call)?,
                attempt: ran.attempt.map(Attempt),
                what,
            }
        }
        _ => return Err(misplaced()),
    }))
}

/// Checks the tool name that confirms an irreversible call. It is checked before the command is
/// sent, so that the refusal can show the flag to add.
fn worded(state: &State, call: NodeId, given: Option<&str>) -> Result<Option<Arc<str>>, Failure> {
    match tags::confirmation(state, call) {
        Some(tool) if given != Some(tool) => Err(Failure::new(
            Code::Halted,
            format!(
                "cannot approve {call} without its tool name: its effect is irreversible; hint: add --word {}",
                visible(tool)
            ),
        )),
        _ => Ok(given.map(text)),
    }
}

/// Returns the whole digest for its printed prefix.
pub(super) fn digest_of(state: &State, call: NodeId, given: &str) -> Digest {
    let whole = state.calls.get(&call).and_then(|call| call.digest.clone());
    match whole {
        Some(digest) if given.len() >= 12 && digest.0.starts_with(given) => digest,
        _ => Digest(Arc::from(given)),
    }
}

pub(super) fn no_call(id: NodeId) -> Failure {
    Failure::new(Code::Usage, format!("cannot find call {id}"))
}

fn consent(
    state: &State,
    (id, rev): (NodeId, Rev),
    digest: &str,
    (choice, word): (Choice, Option<Arc<str>>),
    reason: String,
) -> Result<CallCommand, Failure> {
    let choice = match choice {
        Choice::RunAgain => ConsentChoice::RunAgain,
        Choice::Reject => ConsentChoice::Reject { reason },
        Choice::Reuse => {
            let call = state.calls.get(&id).ok_or_else(|| no_call(id))?;
            let (entry, _) = repeat::reusable_result(state, call)
                .ok_or_else(|| Failure::new(Code::Halted, repeat::no_result(call)))?;
            ConsentChoice::Reuse { entry }
        }
    };
    Ok(CallCommand::Consent {
        call: id,
        rev,
        digest: digest_of(state, id, digest),
        choice,
        word,
    })
}

/// Approves all calls that can be approved together, if the digest still matches them.
pub(super) fn together(state: &State, given: &str) -> Result<Vec<Command>, Failure> {
    let all = bulk::together(state);
    let now = bulk::digest(&all);
    if given.len() < 12 || !now.starts_with(given) {
        return Err(Failure::new(
            Code::Halted,
            if all.is_empty() {
                "cannot approve calls together: no waiting calls allow it".to_owned()
            } else {
                format!(
                    "cannot approve: other calls are waiting now (digest {now}); hint: run `overrule queue` again"
                )
            },
        ));
    }
    Ok(all
        .into_iter()
        .map(|item| {
            Command::Call(CallCommand::Approve {
                call: item.call,
                rev: item.rev,
                digest: item.digest,
                unread: 0,
                shown: None,
                word: None,
            })
        })
        .collect())
}
