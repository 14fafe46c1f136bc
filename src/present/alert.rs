//! Builds the view of a notification: why the run needs the operator, the waiting calls, the newest events.
//!
//! Must not know: who is notified, how, how a text is cleaned of secrets.

use serde::Serialize;

use overrule_domain::call::{Call, EffectClass, Status};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::{Mode, State};

/// Removes secrets from a text, makes it visible and shortens it.
pub type Clean = fn(&str) -> String;

/// A notification. Every text is cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "overrule.needed")]
pub struct AlertView {
    /// Why only reading calls start; none if all do.
    pub restricted: Option<String>,
    /// The session.
    pub session: String,
    /// Its name.
    pub title: Option<String>,
    /// The kind of reason, for programs.
    pub cause: &'static str,
    /// The reason, as a sentence.
    pub reason: String,
    /// The state of the run.
    #[serde(flatten)]
    pub state: RunStateView,
    /// The newest calls that it is about.
    pub waiting: Vec<AlertCallView>,
    /// What was tried so far, oldest first; empty unless the settings include arguments.
    pub attempts: Vec<String>,
    /// The newest events, oldest first; empty unless the settings include arguments.
    pub events: Vec<String>,
    /// The command that shows more.
    pub see: String,
}

/// The state of a run, with the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunStateView {
    /// The state, in a word.
    pub state: &'static str,
    /// Why it is paused or stopped.
    pub state_reason: Option<String>,
}

impl RunStateView {
    /// Builds the view of a mode.
    pub fn of(mode: &Mode, clean: Clean) -> Self {
        let (state, why) = match mode {
            Mode::Running => ("running", None),
            Mode::Paused(why) => ("paused", Some(clean(why))),
            Mode::Stopped(why) => ("stopped", Some(clean(why))),
            Mode::Finished(_) => ("finished", None),
        };
        Self {
            state,
            state_reason: why,
        }
    }
}

/// A call in a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AlertCallView {
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: String,
    /// The arguments, shortened; none unless the settings include them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Its status, in a few words.
    pub status: String,
    /// What it can do to the world.
    pub effect: EffectClass,
}

impl AlertCallView {
    /// Builds the view of a call, with or without its arguments.
    pub fn of(state: &State, call: &Call, arguments: bool, clean: Clean) -> Self {
        let call_content = state.nodes.get(&call.id).and_then(Node::as_call);
        let (tool, args) = call_content.map_or(("", ""), |(tool, args)| (&**tool, &**args));
        Self {
            call: call.id,
            tool: clean(tool),
            arguments: arguments.then(|| clean(call.resolved.as_deref().unwrap_or(args))),
            status: Status::label(&call.status).into_owned(),
            effect: call.effect,
        }
    }
}
