//! Operator verbs on a recorded session: each builds the same command as the console, records it
//! and leaves. Nothing runs unless --resume is given. Must not know: how a command is decided.

use std::sync::Arc;

use super::args::{Choice, Common, On, Verb};
use super::build::{Ground, JournalLog};
use super::exit::{Code, Failure};
use super::{print, run};
use crate::domain::advance;
use crate::domain::apply::{apply, fold};
use crate::domain::call::{Digest, Outcome};
use crate::domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, Resolution, RunCommand,
};
use crate::domain::decide;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::Event;
use crate::domain::id::{NodeId, NodeKind, Rev, Seq, TurnId};
use crate::domain::lineage::{self, Plan};
use crate::domain::state::{LedgerOutcome, State};
use crate::engine::clock::Clock;
use crate::engine::log::Log as _;
use crate::engine::setup::Setup;
use crate::journal::{self, Writer};
use crate::text::visible;

/// Carries out a verb.
pub fn verb(common: &Common, verb: &Verb) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    let on = on(verb);
    if is_preview(verb) {
        let place = ground.store.find(&on.session)?;
        let state = fold(&journal::read(&place)?.envelopes);
        let Command::Edit(EditCommand::Commit { edits, .. }) = command(&state, verb)? else {
            return Err(Failure::new(Code::Usage, "only edits have a preview"));
        };
        let plan = lineage::plan(&state, &edits)?;
        print::out(&describe(&state, &plan));
        return Ok(Code::Ok);
    }
    let place = ground.store.find(&on.session)?;
    let state = fold(&journal::read(&place)?.envelopes);
    let command = command(&state, verb)?;
    decide(&ground, &on.session, &command)?;
    if on.resume {
        return run::go_on(common, &ground, &place.id());
    }
    Ok(Code::Ok)
}

/// Records a command on a session that nobody else has open, with what follows by itself.
pub fn decide(ground: &Ground, id: &str, command: &Command) -> Result<(), Failure> {
    let place = ground.store.find(id)?;
    let (writer, loaded) = Writer::open(&place)?;
    if let Some(torn) = &loaded.torn {
        print::err(&torn.to_string());
    }
    let mut state = fold(&loaded.envelopes);
    let recorded = state
        .started
        .clone()
        .ok_or_else(|| Failure::new(Code::Session, format!("session {} is empty", place.id())))?;
    let setup = Setup::parse(&recorded.setup).map_err(|error| {
        Failure::new(
            Code::Session,
            format!("the session's first event is not readable: {error}"),
        )
    })?;
    let mut adviser = ground.adviser(
        &setup.session,
        std::path::Path::new(&recorded.workspace),
        setup.headless,
    )?;
    if let Ok(preset) = state.policy.parse() {
        adviser.policy = Arc::new((*adviser.policy).clone().with_preset(preset));
    }
    let events = decide::command(&state, &adviser, command)?;
    let mut log = JournalLog(writer);
    let clock = Clock::start();
    let actor = Actor::Operator(ground.user());
    let mut record = |state: &mut State, events: Vec<Event>, actor: &Actor| -> Result<(), Failure> {
        for event in events {
            let envelope = Envelope {
                v: FORMAT,
                seq: state.seq.next(),
                at: clock.utc_ms(),
                mono: clock.mono_ms(),
                actor: actor.clone(),
                cause: Seq(0),
                event,
            };
            log.append(&envelope)
                .map_err(|error| Failure::new(Code::Session, error))?;
            apply(state, &envelope);
        }
        log.sync().map_err(|error| Failure::new(Code::Session, error))
    };
    record(&mut state, events, &actor)?;
    // Checks and gates follow at once, so that the queue tells the truth; launches and requests do
    // not: they belong to the process that runs.
    loop {
        let events = advance::quiet(&state, &adviser);
        if events.is_empty() {
            break;
        }
        record(&mut state, events, &Actor::Engine)?;
    }
    print::out(&format!("recorded as {}", state.seq));
    Ok(())
}

fn on(verb: &Verb) -> &On {
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
        | Verb::AskAgain { on, .. }
        | Verb::Keep { on, .. }
        | Verb::Pause { on }
        | Verb::Unpause { on }
        | Verb::Step { on }
        | Verb::Stop { on } => on,
    }
}

fn is_preview(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Edit { preview: true, .. }
            | Verb::Replace { preview: true, .. }
            | Verb::Delete { preview: true, .. }
    )
}

fn node(text: &str) -> Result<NodeId, Failure> {
    text.parse()
        .map_err(|error: crate::domain::id::BadNodeId| Failure::new(Code::Usage, visible(&error.to_string())))
}

fn rev(state: &State, id: NodeId) -> Rev {
    state
        .nodes
        .get(&id)
        .map(crate::domain::node::Node::rev)
        .unwrap_or_default()
}

fn commit(on: &On, edit: Edit) -> Command {
    let reason = on.reason.as_deref().map(Arc::from);
    Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason,
    })
}

fn command(state: &State, verb: &Verb) -> Result<Command, Failure> {
    let reason = |on: &On| on.reason.clone().unwrap_or_default();
    Ok(match verb {
        Verb::Approve { call, digest, .. } => {
            let call = node(call)?;
            let digest = digest_of(state, call, digest);
            Command::Call(CallCommand::Approve {
                call,
                rev: rev(state, call),
                digest,
                unread: 0,
            })
        }
        Verb::Reject { on, call } => {
            let call = node(call)?;
            Command::Call(CallCommand::Reject {
                call,
                rev: rev(state, call),
                reason: reason(on),
            })
        }
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
            text.as_deref(),
            args.as_deref(),
            value.as_deref(),
        )?,
        Verb::Replace {
            on, call, tool, args, ..
        } => {
            let id = node(call)?;
            let base = rev(state, id);
            let (tool, args) = (Arc::from(tool.as_str()), Arc::from(args.as_str()));
            commit(
                on,
                Edit::Call {
                    node: id,
                    base,
                    tool,
                    args,
                    shown: true,
                },
            )
        }
        Verb::Answer { call, value, .. } => {
            let call = node(call)?;
            Command::Call(CallCommand::Answer {
                call,
                rev: rev(state, call),
                value: Arc::from(value.as_str()),
            })
        }
        Verb::Retry { call, .. } => {
            let call = node(call)?;
            Command::Call(CallCommand::Retry {
                call,
                rev: rev(state, call),
            })
        }
        Verb::Guide { on, text, after } => {
            let text = Arc::from(text.as_str());
            commit(
                on,
                Edit::InsertPrompt {
                    after: after.map(TurnId),
                    text,
                },
            )
        }
        Verb::InsertThought { on, text, after } => {
            let text = Arc::from(text.as_str());
            commit(
                on,
                Edit::InsertThought {
                    after: after.map(TurnId),
                    text,
                },
            )
        }
        Verb::InsertCall {
            on,
            tool,
            args,
            after,
        } => {
            let (tool, args) = (Arc::from(tool.as_str()), Arc::from(args.as_str()));
            commit(
                on,
                Edit::InsertCall {
                    after: after.map(TurnId),
                    tool,
                    args,
                },
            )
        }
        Verb::Delete { on, node: id, .. } => {
            let id = node(id)?;
            commit(
                on,
                Edit::Delete {
                    node: id,
                    base: rev(state, id),
                },
            )
        }
        Verb::RejectAnswer { on, node: id } => commit(
            on,
            Edit::RejectAnswer {
                node: node(id)?,
                reason: Arc::from(reason(on)),
            },
        ),
        Verb::Consent {
            on,
            call,
            digest,
            choice,
        } => consent(state, node(call)?, digest, *choice, reason(on))?,
        Verb::Resolve { call, happened, .. } => {
            let what = match happened {
                Some(value) => Resolution::Happened {
                    value: Arc::from(value.as_str()),
                },
                None => Resolution::DidNot,
            };
            Command::Call(CallCommand::Resolve {
                call: node(call)?,
                what,
            })
        }
        Verb::AskAgain { turn, .. } => Command::Run(RunCommand::AskAgain { turn: TurnId(*turn) }),
        Verb::Keep { turn, .. } => Command::Run(RunCommand::KeepArrived { turn: TurnId(*turn) }),
        Verb::Pause { on } => Command::Run(RunCommand::Pause {
            reason: or(reason(on), "paused by the operator"),
        }),
        Verb::Unpause { .. } => Command::Run(RunCommand::Resume {}),
        Verb::Step { .. } => Command::Run(RunCommand::Step {}),
        Verb::Stop { on } => Command::Run(RunCommand::Stop {
            reason: or(reason(on), "stopped by the operator"),
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
    text: Option<&str>,
    args: Option<&str>,
    value: Option<&str>,
) -> Result<Command, Failure> {
    let base = rev(state, id);
    let wrong = |flag: &str| Failure::new(Code::Usage, format!("edit {id} with {flag}"));
    let edit = match (id.kind, text, args, value) {
        (NodeKind::Call, None, Some(args), None) => {
            let tool = state
                .nodes
                .get(&id)
                .and_then(crate::domain::node::Node::as_call)
                .map(|(tool, _)| tool.clone())
                .ok_or_else(|| Failure::new(Code::Usage, format!("there is no call {id}")))?;
            Edit::Call {
                node: id,
                base,
                tool,
                args: Arc::from(args),
                shown: true,
            }
        }
        (NodeKind::Call, ..) => return Err(wrong("--args JSON")),
        (NodeKind::Observation, None, None, Some(value)) => Edit::Observation {
            node: id,
            base,
            value: Arc::from(value),
        },
        (NodeKind::Observation, ..) => return Err(wrong("--value JSON")),
        (_, Some(text), None, None) => Edit::Text {
            node: id,
            base,
            text: Arc::from(text),
        },
        _ => return Err(wrong("--text TEXT")),
    };
    Ok(commit(on, edit))
}

fn consent(
    state: &State,
    id: NodeId,
    digest: &str,
    choice: Choice,
    reason: String,
) -> Result<Command, Failure> {
    let choice = match choice {
        Choice::RunAgain => ConsentChoice::RunAgain,
        Choice::Reject => ConsentChoice::Reject { reason },
        Choice::Reuse => {
            let call = state
                .calls
                .get(&id)
                .ok_or_else(|| Failure::new(Code::Usage, format!("there is no call {id}")))?;
            let entry = crate::domain::advance::gate::equal_entries(state, call)
                .into_iter()
                .rev()
                .find(|seq| {
                    state.ledger.get(seq).is_some_and(|entry| {
                        matches!(&entry.outcome, LedgerOutcome::Known(Outcome::Ok { .. }))
                    })
                })
                .ok_or_else(|| {
                    Failure::new(
                        Code::Halted,
                        format!("no equal execution of {id} has a recorded result"),
                    )
                })?;
            ConsentChoice::Reuse { entry }
        }
    };
    let digest = digest_of(state, id, digest);
    Ok(Command::Call(CallCommand::Consent {
        call: id,
        rev: rev(state, id),
        digest,
        choice,
    }))
}

/// The plan of an edit in words.
pub fn describe(state: &State, plan: &Plan) -> String {
    let list = |ids: &[NodeId]| -> String {
        if ids.is_empty() {
            return "none".into();
        }
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let may: Vec<NodeId> = plan
        .possible
        .iter()
        .filter(|id| !plan.certain.contains(id))
        .copied()
        .collect();
    let effects: Vec<String> = plan
        .effects
        .iter()
        .filter_map(|seq| state.ledger.get(seq))
        .map(|entry| {
            format!(
                "{} {} ({})",
                entry.call,
                visible(&entry.tool),
                entry.effect.word()
            )
        })
        .collect();
    let request = if plan.asks {
        format!("yes, about {} tokens", plan.tokens)
    } else {
        "no".into()
    };
    [
        format!("become history     {}", list(&plan.superseded)),
        format!("run again          {}", list(&plan.certain)),
        format!("may run again      {}", list(&may)),
        format!("keep their results {}", list(&plan.kept)),
        format!("are cancelled      {}", list(&plan.cancelled)),
        format!("finish first       {}", list(&plan.drained)),
        format!(
            "already happened   {}",
            if effects.is_empty() {
                "nothing".into()
            } else {
                effects.join(", ")
            }
        ),
        format!("model asked again  {request}"),
    ]
    .join("\n")
}
