//! Builds the commands of an operator verb of the command line.
//!
//! Must not know: how a command is decided, where it is recorded.

mod calls;

use std::sync::Arc;

use calls::{digest_of, no_call, on_call, together};

use super::args::{Change, Common, FailureVerb, LoopVerb, On, RevisionArg, Verb};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{edits, effects, resume, rules, weights};
use crate::domain::breaker::BadScope;
use crate::domain::command::{
    Command, Edit, EditCommand, EscapeCommand, InsertAfter, ResilienceCommand, RunCommand,
};
use crate::domain::escape::Detector;
use crate::domain::id::{BadNodeId, Epoch, NodeId, NodeKind, Rev, TurnId};
use crate::domain::node::Node;
use crate::domain::state::State;
use crate::domain::template::Purpose;
use crate::policy::Preset;
use crate::text::visible;

/// Builds the commands of a verb, in order. Without a named revision, uses the one of `state`.
pub fn commands(
    common: &Common,
    context: &AppContext,
    state: &State,
    verb: &Verb,
) -> Result<Vec<Command>, Failure> {
    let one = match verb {
        Verb::ApproveAll { digest, .. } => return together(state, digest),
        Verb::Failures(verb) => return on_failures(state, verb),
        Verb::Allow { call, digest, .. } => {
            let any = RevisionArg { rev: None };
            let (id, rev) = seen(state, call, &any)?;
            rules::always(id, rev, digest_of(state, id, digest))
        }
        Verb::AddRule { rule, digest, .. } => rules::add(state, rule, digest.as_deref())?,
        Verb::DropRule { rule, .. } => Command::Run(RunCommand::DropRule { no: *rule }),
        Verb::Approve { .. }
        | Verb::Reject { .. }
        | Verb::Answer { .. }
        | Verb::Retry { .. }
        | Verb::Unpin { .. }
        | Verb::Cancel { .. }
        | Verb::Consent { .. }
        | Verb::Resolve { .. } => on_call(state, verb)?,
        Verb::Edit { .. }
        | Verb::Replace { .. }
        | Verb::Guide { .. }
        | Verb::InsertThought { .. }
        | Verb::InsertCall { .. }
        | Verb::Delete { .. }
        | Verb::RejectAnswer { .. }
        | Verb::Probe { .. }
        | Verb::Compensate { .. }
        | Verb::Commit { .. }
        | Verb::Copy { .. }
        | Verb::Undo { .. }
        | Verb::Redo { .. }
        | Verb::Switch { .. } => Command::Edit(on_graph(state, verb)?),
        Verb::Loops(verb) => Command::Escape(on_loops(verb)?),
        Verb::AskAgain { .. }
        | Verb::Keep { .. }
        | Verb::Pause { .. }
        | Verb::Unpause { .. }
        | Verb::Restrict { .. }
        | Verb::Step { .. }
        | Verb::StopTurn { .. }
        | Verb::Shorten { .. }
        | Verb::Stop { .. }
        | Verb::SetLimits { .. }
        | Verb::SetPolicy { .. } => Command::Run(on_run(common, context, state, verb)?),
        Verb::Weights(verb) => Command::Weight(weights::intent(verb)),
    };
    Ok(vec![one])
}

/// The error for a verb of another family: a defect of the program.
fn misplaced() -> Failure {
    Failure::new(
        Code::Other,
        "this verb has no command; this is a defect of overrule",
    )
}

fn on_graph(state: &State, verb: &Verb) -> Result<EditCommand, Failure> {
    let effects_seen = |planned: &super::args::CommitArgs| planned.effects_seen;
    Ok(match verb {
        Verb::Undo { planned, epoch, .. } => EditCommand::Undo {
            epoch: epoch.map(Epoch),
            effects_seen: effects_seen(planned),
        },
        Verb::Redo { planned, epoch, .. } => EditCommand::Redo {
            epoch: epoch.map(Epoch),
            effects_seen: effects_seen(planned),
        },
        Verb::Switch {
            planned,
            branch,
            epoch,
            ..
        } => EditCommand::Switch {
            to: Epoch(*branch),
            epoch: epoch.map(Epoch),
            effects_seen: effects_seen(planned),
        },
        Verb::Commit {
            on, change, edits, ..
        } => committed(on, change, edits::read(state, edits)?),
        Verb::Edit { on, change, .. }
        | Verb::Replace { on, change, .. }
        | Verb::Guide { on, change, .. }
        | Verb::InsertThought { on, change, .. }
        | Verb::InsertCall { on, change, .. }
        | Verb::Delete { on, change, .. }
        | Verb::RejectAnswer { on, change, .. }
        | Verb::Probe { on, change, .. }
        | Verb::Compensate { on, change, .. }
        | Verb::Copy { on, change, .. } => committed(on, change, vec![one_edit(state, verb)?]),
        _ => return Err(misplaced()),
    })
}

fn committed(on: &On, change: &Change, edits: Vec<Edit>) -> EditCommand {
    EditCommand::Commit {
        edits,
        effects_seen: change.planned.effects_seen,
        reason: on.reason.as_deref().map(Arc::from),
        keep_later: change.keep_later,
    }
}

fn one_edit(state: &State, verb: &Verb) -> Result<Edit, Failure> {
    let after = |turn: &Option<u32>| turn.map(TurnId);
    Ok(match verb {
        Verb::Edit {
            seen: was,
            node: id,
            text,
            args,
            value,
            ..
        } => edit(
            state,
            seen(state, id, was)?,
            (text.as_ref(), args.as_ref(), value.as_ref()),
        )?,
        Verb::Replace {
            seen: was,
            call,
            tool,
            args,
            ..
        } => {
            let (node, base) = seen(state, call, was)?;
            rewritten(node, base, text(tool), text(args))
        }
        Verb::Guide {
            text: words,
            after: turn,
            ..
        } => Edit::InsertPrompt {
            after: after(turn),
            text: text(words),
        },
        Verb::InsertThought {
            text: words,
            after: place,
            ..
        } => Edit::InsertThought {
            after: place.as_deref().map(insert_after).transpose()?,
            text: text(words),
        },
        Verb::InsertCall {
            tool,
            args,
            after: turn,
            ..
        } => Edit::InsertCall {
            after: after(turn),
            tool: text(tool),
            args: text(args),
        },
        Verb::Delete {
            seen: was, node: id, ..
        } => {
            let (node, base) = seen(state, id, was)?;
            Edit::Delete { node, base }
        }
        Verb::RejectAnswer {
            on,
            node: id,
            seen: was,
            ..
        } => Edit::RejectAnswer {
            node: node(id)?,
            base: was.rev.map(Rev),
            reason: Arc::from(on.reason.clone().unwrap_or_default()),
        },
        Verb::Probe { entry, .. } => effects::inserted(state, entry, Purpose::Probe)?,
        Verb::Compensate { entry, .. } => effects::inserted(state, entry, Purpose::Compensate)?,
        Verb::Copy {
            node: id, rev, from, ..
        } => Edit::Copy {
            node: node(id)?,
            base: rev.map(Rev),
            from: Epoch(*from),
        },
        _ => return Err(misplaced()),
    })
}

/// A turn by its number, or a node by its id.
fn insert_after(text: &str) -> Result<InsertAfter, Failure> {
    match text.parse() {
        Ok(number) => Ok(InsertAfter::Turn(TurnId(number))),
        Err(_) => node(text).map(InsertAfter::Node),
    }
}

fn on_failures(state: &State, verb: &FailureVerb) -> Result<Vec<Command>, Failure> {
    let command = match verb {
        FailureVerb::SetResilience { settings, .. } => {
            return settings.iter().map(|one| configured(one)).collect();
        }
        // Writes a file first, so `super::classify` builds it.
        FailureVerb::Classify { .. } => return Err(misplaced()),
        FailureVerb::RunNow { call, seen: was, .. } => {
            let (call, rev) = seen(state, call, was)?;
            ResilienceCommand::RunNow { call, rev }
        }
        FailureVerb::ChooseRepair {
            call,
            seen: was,
            option,
            ..
        } => {
            let (call, rev) = seen(state, call, was)?;
            let Some(option) = option.checked_sub(1) else {
                return Err(Failure::new(
                    Code::Usage,
                    "cannot choose repair 0: repairs are numbered from 1",
                ));
            };
            ResilienceCommand::ChooseRepair { call, rev, option }
        }
        FailureVerb::SkipRepair { call, seen: was, .. } => {
            let (call, rev) = seen(state, call, was)?;
            ResilienceCommand::SkipRepair { call, rev }
        }
        FailureVerb::ResetBreaker { scope, .. } => {
            let scope = scope
                .parse()
                .map_err(|error: BadScope| Failure::new(Code::Usage, visible(&error.to_string())))?;
            ResilienceCommand::ResetBreaker { scope }
        }
    };
    Ok(vec![Command::Resilience(command)])
}

fn on_loops(verb: &LoopVerb) -> Result<EscapeCommand, Failure> {
    Ok(match verb {
        LoopVerb::AllowLoop {
            incident, withdraw, ..
        } => EscapeCommand::AllowIncident {
            incident: *incident,
            allowed: !withdraw,
        },
        LoopVerb::MuteLoops { detector, unmute, .. } => EscapeCommand::Mute {
            detector: Detector::named(detector).ok_or_else(|| {
                Failure::new(
                    Code::Usage,
                    format!(
                        "cannot find the detector {}; hint: use {}",
                        visible(detector),
                        Detector::names()
                    ),
                )
            })?,
            muted: !unmute,
        },
    })
}

fn on_run(common: &Common, context: &AppContext, state: &State, verb: &Verb) -> Result<RunCommand, Failure> {
    let reason = verb.on().reason.clone().unwrap_or_default();
    Ok(match verb {
        Verb::AskAgain { turn, request, .. } => RunCommand::AskAgain {
            turn: TurnId(*turn),
            request: *request,
        },
        Verb::Keep { turn, request, .. } => RunCommand::KeepArrived {
            turn: TurnId(*turn),
            request: *request,
        },
        Verb::Pause { .. } => RunCommand::Pause {
            reason: or(reason, "paused by the operator"),
        },
        Verb::Unpause { .. } => RunCommand::Resume {},
        Verb::Restrict { lift: false, .. } => RunCommand::Restrict {
            reason: Arc::from(or(reason, "by the operator")),
        },
        Verb::Restrict { lift: true, .. } => RunCommand::LiftRestriction {},
        Verb::Step { .. } => RunCommand::Step {},
        Verb::StopTurn { .. } => RunCommand::StopTurn {},
        Verb::Shorten { .. } => RunCommand::Shorten {},
        Verb::Stop { .. } => RunCommand::Stop {
            reason: or(reason, "stopped by the operator"),
        },
        Verb::SetLimits { .. } => {
            let limits = resume::limits(common, context, state.limits);
            if limits == state.limits {
                return Err(Failure::new(
                    Code::Usage,
                    "cannot set limits: no limit was given that differs; hint: --max-turns, --max-tokens, --max-time, \
                     --max-price, --parallel",
                ));
            }
            RunCommand::SetLimits { limits }
        }
        Verb::SetPolicy { preset, .. } => {
            let preset: Preset = preset.parse().map_err(|error| Failure::new(Code::Usage, error))?;
            RunCommand::SetPolicy {
                policy: preset.to_string(),
            }
        }
        _ => return Err(misplaced()),
    })
}

fn configured(setting: &str) -> Result<Command, Failure> {
    let Some((key, value)) = setting.split_once('=') else {
        let what = visible(setting);
        return Err(Failure::new(
            Code::Usage,
            format!("cannot set `{what}`: it is not KEY=VALUE; hint: retry.retries=2"),
        ));
    };
    Ok(Command::Resilience(ResilienceCommand::Configure {
        key: text(key.trim()),
        value: text(value.trim()),
    }))
}

fn text(words: &str) -> Arc<str> {
    Arc::from(words)
}

fn or(reason: String, otherwise: &str) -> String {
    if reason.is_empty() {
        otherwise.to_owned()
    } else {
        reason
    }
}

/// Parses the id of a node.
pub fn node(text: &str) -> Result<NodeId, Failure> {
    text.parse()
        .map_err(|error: BadNodeId| Failure::new(Code::Usage, visible(&error.to_string())))
}

/// A node with the revision that was seen: the named one, or the one in `state`.
fn seen(state: &State, text: &str, named: &RevisionArg) -> Result<(NodeId, Rev), Failure> {
    let id = node(text)?;
    let read = || state.nodes.get(&id).map(Node::rev).unwrap_or_default();
    Ok((id, named.rev.map_or_else(read, Rev)))
}

/// An edit of a call with typed arguments, which count as shown.
fn rewritten(node: NodeId, base: Rev, tool: Arc<str>, args: Arc<str>) -> Edit {
    Edit::Call {
        node,
        base,
        tool,
        args,
        shown: true,
    }
}

fn edit(
    state: &State,
    (id, base): (NodeId, Rev),
    (text, args, value): (Option<&String>, Option<&String>, Option<&String>),
) -> Result<Edit, Failure> {
    let wrong = |flag: &str| {
        Failure::new(
            Code::Usage,
            format!("cannot edit {id} with these flags; hint: use only {flag}"),
        )
    };
    Ok(match (id.kind, text, args, value) {
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
    })
}
