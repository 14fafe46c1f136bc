//! What the model is told of one call's end: its value, or `{call, error}`.
//!
//! Must not know: wire formats.

use serde_json::{Value, json};

use crate::call::{AttemptRecord, Call, Decision, Outcome, Status, ToolError};
use crate::escape::open_step::is_guard;
use crate::node::{Content, Node, Origin};
use crate::restrict::is_restriction;
use crate::state::State;
use overrule_base::text::redact_certain;

/// Bytes of a value that are sent, half from its head and half from its tail.
pub const SENT_BYTES: usize = 16 * 1024;

/// The text for the model, and whether it is an error.
pub fn result_text(state: &State, call: &Call) -> (String, bool) {
    let (body, is_error) = result_body(state, call);
    let mut text = String::new();
    let id = call.id.to_string();
    if *call.label != *id {
        text = format!("result of {id} (as {}):\n", call.label);
    }
    text.push_str(&clip(&body, &id));
    (text, is_error)
}

/// The same without the call's id and uncut: what counts when contexts are compared.
pub fn result_body(state: &State, call: &Call) -> (String, bool) {
    let note = edit_note(state, call);
    let observed = state.observation(call.id).and_then(Node::outcome);
    let (body, is_error) = match (&call.status, observed) {
        (Status::Succeeded | Status::Exited(_) | Status::Failed(_), Some(outcome)) => {
            outcome_text(state, call, outcome)
        }
        _ => (
            error_text(state, call, class_word(&call.status), &unrun_reason(call), None),
            true,
        ),
    };
    if note.is_empty() {
        return (body, is_error);
    }
    (format!("{note}{body}"), is_error)
}

fn outcome_text(state: &State, call: &Call, outcome: &Outcome) -> (String, bool) {
    match outcome {
        Outcome::Ok { value, exit, .. } => {
            let text = match serde_json::from_str::<Value>(value) {
                Ok(Value::String(text)) => text,
                _ => value.to_string(),
            };
            match exit {
                Some(code) => (format!("[exit {code}]\n{text}"), false),
                None => (text, false),
            }
        }
        Outcome::Err(error) => (
            error_text(state, call, error.class.label(), &error.message, Some(error)),
            true,
        ),
        Outcome::Cancelled { .. } => {
            let decisions = call.decisions.iter();
            let in_part = decisions.rev().any(|(_, _, one)| **one == Decision::DidNotFinish);
            let words = if in_part {
                "stopped by the operator before it ended; part of it may have happened"
            } else {
                "stopped by the operator before it ended"
            };
            (error_text(state, call, "cancelled", words, None), true)
        }
    }
}

/// A failure as the model is told of it. Failed requests and stacks hold keys: the journal has the
/// whole text.
fn error_text(state: &State, call: &Call, class: &str, message: &str, error: Option<&ToolError>) -> String {
    let (tool, args) = state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map_or((String::new(), String::new()), |(tool, args)| {
            (tool.to_string(), args.to_string())
        });
    let args = serde_json::from_str::<Value>(&args).unwrap_or(Value::String(args));
    let mut body = json!({
        "call": {"tool": tool, "args": args},
        "error": {"class": class, "message": redact_certain(message)},
    });
    if !call.failure.repairs.is_empty() {
        body["error"]["repairs"] = repairs(state, call);
    }
    if let Some(error) = error {
        let tried = tries(state, call);
        if tried > 1 {
            body["error"]["attempts"] = Value::from(tried);
        }
        if let Some(hint) = &error.hint {
            body["error"]["hint"] = Value::String(redact_certain(hint));
        }
        if let Some(partial) = error.partial.as_deref().map(redact_certain) {
            body["error"]["output"] = serde_json::from_str(&partial).unwrap_or(Value::String(partial));
        }
    }
    body.to_string()
}

/// What was tried to repair the arguments, so that the model can continue from the failure.
fn repairs(state: &State, call: &Call) -> Value {
    let node = state.nodes.get(&call.id);
    let tried = call.failure.repairs.iter().map(|round| {
        let before = node.and_then(|node| node.revision(round.rev));
        let args = match before.map(|stated| &stated.content) {
            Some(Content::Call { args, .. }) => {
                serde_json::from_str::<Value>(args).unwrap_or_else(|_| Value::from(short(args)))
            }
            _ => Value::Null,
        };
        let failed = call.attempts.iter().rev().find(|one| one.rev == round.rev);
        let error = match failed.and_then(|one| one.outcome.as_ref()) {
            Some(Outcome::Err(error)) => redact_certain(&error.message),
            _ => "it could not run as it was".to_owned(),
        };
        let changed: serde_json::Map<String, Value> = round
            .changes
            .iter()
            .map(|change| {
                let to = change.to.as_deref().and_then(|to| serde_json::from_str(to).ok());
                (change.path.to_string(), to.unwrap_or(Value::Null))
            })
            .collect();
        let mut one = json!({"args": args, "error": error, "changed": changed});
        if let Some(why) = &round.gave_up {
            one["gave_up"] = Value::from(&**why);
        }
        one
    });
    Value::Array(tried.collect())
}

/// Executions of the same arguments up to the one whose result counts.
fn tries(state: &State, call: &Call) -> usize {
    let Some(Content::Observation {
        call_rev, attempt, ..
    }) = state.observation(call.id).map(|node| &node.now().content)
    else {
        return 0;
    };
    let same = |one: &&AttemptRecord| one.rev == *call_rev && one.no <= *attempt;
    call.attempts.iter().filter(same).count()
}

/// What kind of end it is that gave no result, for the model.
const fn class_word(status: &Status) -> &'static str {
    match status {
        Status::Abandoned => "outcome unknown",
        other => other.base_label(),
    }
}

/// Why a call has no execution to report, in the words for the model.
fn unrun_reason(call: &Call) -> String {
    let because = call.validation.because.as_deref().unwrap_or_default();
    match &call.status {
        Status::Rejected => match &call.validation.denied_by {
            Some(rule) if is_guard(rule) => format!("refused for this turn: {because}"),
            Some(rule) if is_restriction(rule) => format!("not run: {because}"),
            Some(rule) => format!("not allowed by the policy ({rule}): {because}"),
            None if because.is_empty() => "rejected by the operator".into(),
            None => format!("rejected by the operator: {because}"),
        },
        Status::Abandoned => {
            let words =
                "it was begun and nobody knows whether it happened; the operator does not let it run again";
            match because {
                "" => words.to_owned(),
                _ => format!("{words}: {because}"),
            }
        }
        Status::Expired => "not approved: no operator".into(),
        Status::Skipped => format!("skipped: {because}"),
        Status::Unsatisfiable => because.to_owned(),
        Status::Invalid => {
            let faults: Vec<String> = call
                .validation
                .faults
                .iter()
                .map(|fault| match fault.path.as_str() {
                    "" => fault.message.clone(),
                    path => format!("{path}: {}", fault.message),
                })
                .collect();
            faults.join("; ")
        }
        _ => "interrupted".into(),
    }
}

/// What an operator or a repair did to the call, placed before its result unless the run hides
/// edits. A replaced tool is always reported: the model would look for the effects of the other
/// one.
fn edit_note(state: &State, call: &Call) -> String {
    let Some(node) = state.nodes.get(&call.id) else {
        return String::new();
    };
    let mut note = String::new();
    let is_reported = state.started.as_ref().is_none_or(|started| !started.hide_edits);
    let repaired = matches!(node.now().origin, Origin::Repair { .. });
    if node.revisions.len() > 1
        && (repaired || matches!(node.now().origin, Origin::Operator { .. }))
        && let (Some(first), Some((tool, args))) = (node.revisions.first(), node.as_call())
        && let Content::Call {
            tool: old_tool,
            args: old_args,
        } = &first.content
    {
        if old_tool != tool && repaired {
            note = format!("[console replaced {old_tool} by {tool}: no arguments of {old_tool} helped]\n");
        } else if old_tool != tool {
            note = format!("[operator replaced {old_tool} by {tool}]\n");
        } else if old_args != args && is_reported {
            let who = if repaired {
                "console repaired"
            } else {
                "operator changed"
            };
            note = format!("[{who} arguments: {} became {}]\n", short(old_args), short(args));
        }
    }
    if let (Origin::Engine { .. }, Some(first), Some((tool, _))) =
        (&node.now().origin, node.revisions.first(), node.as_call())
        && let Content::Call { tool: old, .. } = &first.content
        && old != tool
    {
        note = format!("[console replaced {old} by {tool}, because it kept failing]\n");
    }
    let by_hand = state
        .observation(call.id)
        .is_some_and(|node| matches!(node.now().origin, Origin::Operator { .. }));
    if by_hand && is_reported {
        note.push_str("[operator wrote this result]\n");
    }
    note
}

fn short(text: &str) -> String {
    const MOST: usize = 400;
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = (0..=MOST)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Head and tail of a long text, and where the whole is.
fn clip(body: &str, id: &str) -> String {
    ends_of(body, SENT_BYTES, |left_out| {
        format!("… {left_out} bytes left out; whole value at †call.{id} …")
    })
}

/// Head and tail of a text longer than `most` bytes, with a word on the bytes between them.
pub fn ends_of(body: &str, most: usize, between: impl FnOnce(usize) -> String) -> String {
    if body.len() <= most {
        return body.to_owned();
    }
    let half = most / 2;
    let head = (0..=half)
        .rev()
        .find(|at| body.is_char_boundary(*at))
        .unwrap_or(0);
    let tail = (body.len() - half..=body.len())
        .find(|at| body.is_char_boundary(*at))
        .unwrap_or(body.len());
    format!(
        "{}\n{}\n{}",
        body.get(..head).unwrap_or_default(),
        between(tail - head),
        body.get(tail..).unwrap_or_default()
    )
}

/// Calls of a turn that ended without a value, for the list of errors of the turn.
pub fn errors(state: &State, nodes: &[crate::id::NodeId]) -> Vec<crate::id::NodeId> {
    nodes
        .iter()
        .filter(|id| {
            state.nodes.get(id).is_some_and(|node| node.active)
                && state
                    .calls
                    .get(id)
                    .is_some_and(|call| !matches!(call.status, Status::Succeeded | Status::Exited(_)))
        })
        .copied()
        .collect()
}
