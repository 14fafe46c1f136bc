//! Builds the command that an operator verb of the command line stands for. Must not know: how a
//! command is decided, where it is recorded.

use std::sync::Arc;

use super::args::{Choice, On, Verb};
use super::effects;
use super::exit::{Code, Failure};
use crate::domain::advance::gate;
use crate::domain::call::{Digest, Outcome};
use crate::domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, Resolution, RunCommand,
};
use crate::domain::id::{BadNodeId, NodeId, NodeKind, Rev, TurnId};
use crate::domain::node::Node;
use crate::domain::state::{LedgerOutcome, State};
use crate::domain::template::Purpose;
use crate::text::visible;

/// The session of a verb and what goes with it.
pub fn on(verb: &Verb) -> &On {
    match verb {
        Verb::Approve { on, .. }
        | Verb::Reject { on, .. }
        | Verb::Edit { on, .. }
        | Verb::Replace { on, .. }
        | Verb::Answer { on, .. }
        | Verb::Retry { on, .. }
        | Verb::Guide { on, .. }
        | Verb::InsertThought { on, .. }
        | Verb::InsertCall { on, .. }
        | Verb::Delete { on, .. }
        | Verb::RejectAnswer { on, .. }
        | Verb::Consent { on, .. }
        | Verb::Resolve { on, .. }
        | Verb::Probe { on, .. }
        | Verb::Compensate { on, .. }
        | Verb::AskAgain { on, .. }
        | Verb::Keep { on, .. }
        | Verb::Pause { on }
        | Verb::Unpause { on }
        | Verb::Step { on }
        | Verb::Stop { on } => on,
    }
}

/// True where only the plan was asked for.
pub fn is_preview(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Edit { preview: true, .. }
            | Verb::Replace { preview: true, .. }
            | Verb::Delete { preview: true, .. }
            | Verb::Probe { preview: true, .. }
            | Verb::Compensate { preview: true, .. }
    )
}

/// The command of a verb. Revisions are those of the state that was read.
pub fn command(state: &State, verb: &Verb) -> Result<Command, Failure> {
    let reason = on(verb).reason.clone().unwrap_or_default();
    let after = |turn: &Option<u32>| turn.map(TurnId);
    let text = |text: &String| Arc::<str>::from(text.as_str());
    Ok(match verb {
        Verb::Approve { call, digest, .. } => {
            let (call, rev) = seen(state, call)?;
            let digest = digest_of(state, call, digest);
            let unread = 0;
            Command::Call(CallCommand::Approve {
                call,
                rev,
                digest,
                unread,
            })
        }
        Verb::Reject { call, .. } => {
            let (call, rev) = seen(state, call)?;
            Command::Call(CallCommand::Reject { call, rev, reason })
        }
        Verb::Answer { call, value, .. } => {
            let ((call, rev), value) = (seen(state, call)?, text(value));
            Command::Call(CallCommand::Answer { call, rev, value })
        }
        Verb::Retry { call, .. } => {
            let (call, rev) = seen(state, call)?;
            Command::Call(CallCommand::Retry { call, rev })
        }
        Verb::Consent {
            call, digest, choice, ..
        } => consent(state, seen(state, call)?, digest, *choice, reason)?,
        Verb::Probe { on, entry, .. } => commit(on, effects::inserted(state, entry, Purpose::Probe)?),
        Verb::Compensate { on, entry, .. } => {
            commit(on, effects::inserted(state, entry, Purpose::Compensate)?)
        }
        Verb::Resolve { call, happened, .. } => resolve(node(call)?, happened.as_deref()),
        Verb::Edit {
            on,
            node: id,
            text,
            args,
            value,
            ..
        } => edit(
            state,
            on,
            node(id)?,
            (text.as_ref(), args.as_ref(), value.as_ref()),
        )?,
        Verb::Replace {
            on, call, tool, args, ..
        } => {
            let (node, base) = seen(state, call)?;
            commit(on, rewritten(node, base, text(tool), text(args)))
        }
        Verb::Guide {
            on,
            text: words,
            after: turn,
        } => {
            let (after, text) = (after(turn), text(words));
            commit(on, Edit::InsertPrompt { after, text })
        }
        Verb::InsertThought {
            on,
            text: words,
            after: turn,
        } => {
            let (after, text) = (after(turn), text(words));
            commit(on, Edit::InsertThought { after, text })
        }
        Verb::InsertCall {
            on,
            tool,
            args,
            after: turn,
        } => {
            let (after, tool, args) = (after(turn), text(tool), text(args));
            commit(on, Edit::InsertCall { after, tool, args })
        }
        Verb::Delete { on, node, .. } => {
            let (node, base) = seen(state, node)?;
            commit(on, Edit::Delete { node, base })
        }
        Verb::RejectAnswer { on, node: id } => {
            let (node, reason) = (node(id)?, Arc::from(reason));
            commit(on, Edit::RejectAnswer { node, reason })
        }
        Verb::AskAgain { turn, .. } => Command::Run(RunCommand::AskAgain { turn: TurnId(*turn) }),
        Verb::Keep { turn, .. } => Command::Run(RunCommand::KeepArrived { turn: TurnId(*turn) }),
        Verb::Pause { .. } => Command::Run(RunCommand::Pause {
            reason: or(reason, "paused by the operator"),
        }),
        Verb::Unpause { .. } => Command::Run(RunCommand::Resume {}),
        Verb::Step { .. } => Command::Run(RunCommand::Step {}),
        Verb::Stop { .. } => Command::Run(RunCommand::Stop {
            reason: or(reason, "stopped by the operator"),
        }),
    })
}

fn or(reason: String, otherwise: &str) -> String {
    if reason.is_empty() {
        otherwise.to_owned()
    } else {
        reason
    }
}

fn node(text: &str) -> Result<NodeId, Failure> {
    text.parse()
        .map_err(|error: BadNodeId| Failure::new(Code::Usage, visible(&error.to_string())))
}

/// A node with the revision that it has in the state that was read.
fn seen(state: &State, text: &str) -> Result<(NodeId, Rev), Failure> {
    let id = node(text)?;
    let rev = state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    Ok((id, rev))
}

fn commit(on: &On, edit: Edit) -> Command {
    Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: on.reason.as_deref().map(Arc::from),
        keep_later: false,
    })
}

/// Whoever types arguments has seen them.
fn rewritten(node: NodeId, base: Rev, tool: Arc<str>, args: Arc<str>) -> Edit {
    Edit::Call {
        node,
        base,
        tool,
        args,
        shown: true,
    }
}

/// The whole digest where its printed beginning was given.
fn digest_of(state: &State, call: NodeId, given: &str) -> Digest {
    let whole = state.calls.get(&call).and_then(|call| call.digest.clone());
    match whole {
        Some(digest) if given.len() >= 12 && digest.0.starts_with(given) => digest,
        _ => Digest(Arc::from(given)),
    }
}

fn edit(
    state: &State,
    on: &On,
    id: NodeId,
    (text, args, value): (Option<&String>, Option<&String>, Option<&String>),
) -> Result<Command, Failure> {
    let base = state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    let wrong = |flag: &str| Failure::new(Code::Usage, format!("edit {id} with {flag}, and nothing else"));
    let edit = match (id.kind, text, args, value) {
        (NodeKind::Call, None, Some(args), None) => {
            let tool = state
                .nodes
                .get(&id)
                .and_then(Node::as_call)
                .map(|(tool, _)| tool.clone())
                .ok_or_else(|| no_call(id))?;
            rewritten(id, base, tool, Arc::from(args.as_str()))
        }
        (NodeKind::Call, ..) => return Err(wrong("--args JSON")),
        (NodeKind::Observation, None, None, Some(value)) => Edit::Observation {
            node: id,
            base,
            value: Arc::from(value.as_str()),
        },
        (NodeKind::Observation, ..) => return Err(wrong("--value JSON")),
        (_, Some(text), None, None) => Edit::Text {
            node: id,
            base,
            text: Arc::from(text.as_str()),
        },
        _ => return Err(wrong("--text TEXT")),
    };
    Ok(commit(on, edit))
}

fn no_call(id: NodeId) -> Failure {
    Failure::new(Code::Usage, format!("there is no call {id}"))
}

fn resolve(call: NodeId, happened: Option<&str>) -> Command {
    let what = match happened {
        Some(value) => Resolution::Happened {
            value: Arc::from(value),
        },
        None => Resolution::DidNot,
    };
    Command::Call(CallCommand::Resolve { call, what })
}

fn consent(
    state: &State,
    (id, rev): (NodeId, Rev),
    digest: &str,
    choice: Choice,
    reason: String,
) -> Result<Command, Failure> {
    let choice = match choice {
        Choice::RunAgain => ConsentChoice::RunAgain,
        Choice::Reject => ConsentChoice::Reject { reason },
        Choice::Reuse => {
            let call = state.calls.get(&id).ok_or_else(|| no_call(id))?;
            let ended_well = |seq: &_| {
                state
                    .ledger
                    .get(seq)
                    .is_some_and(|entry| matches!(&entry.outcome, LedgerOutcome::Known(Outcome::Ok { .. })))
            };
            let entry = gate::equal_entries(state, call)
                .into_iter()
                .rev()
                .find(ended_well)
                .ok_or_else(|| {
                    Failure::new(
                        Code::Halted,
                        format!(
                            "no equal execution of {id} has a recorded result: choose run-again or reject, or give \
                             its result with `overrule answer`"
                        ),
                    )
                })?;
            ConsentChoice::Reuse { entry }
        }
    };
    Ok(Command::Call(CallCommand::Consent {
        call: id,
        rev,
        digest: digest_of(state, id, digest),
        choice,
    }))
}
