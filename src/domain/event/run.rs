//! Events about the run as a whole.
//!
//! Must not know: the states of turns and calls.

mod limits;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::agent::{LinkedSession, Rewriting, SideRequest};
use crate::call::EffectClass;
use crate::fork::Elsewhere;
use crate::id::{Attempt, NodeId, Seq};
use crate::price::Price;
use crate::rule::RuleSpec;
pub use crate::sandbox::Confinement;
use crate::template::Template;
pub use limits::{ContextLimit, Limits, Reduction};

/// Data that a run was started with: all that a fold needs and cannot derive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Version of the program.
    pub version: String,
    /// Canonical path of the directory that the tools work in.
    pub workspace: String,
    /// Model as shown in the header (`scripted: audit`, `gpt-4.1-mini at localhost:11434`).
    pub model: String,
    /// Wire format: `scripted`, `openai-chat`.
    pub wire: String,
    /// System text of every request.
    pub system: Arc<str>,
    /// Tools offered to the model, in order.
    #[serde(default)]
    pub tools: Vec<ToolCard>,
    /// Name of the policy preset.
    pub policy: String,
    /// How children are confined.
    #[serde(flatten)]
    pub sandbox: Confinement,
    /// Limits.
    pub limits: Limits,
    /// Who operates.
    pub user: Arc<str>,
    /// JSON text of the session's input, for `†input`; `null` where there is none.
    pub input: Arc<str>,
    /// How the run was begun, so that `resume` can build the same model and tools again: JSON text.
    pub setup: Arc<str>,
    /// Recorded replies and results that are reused.
    #[serde(default)]
    pub reuse: Reuse,
    /// True if changes by the operator or a repair are hidden from the model. It holds for the whole
    /// run: every later request repeats a text that was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[serde(alias = "silent")]
    pub hide_edits: bool,
    /// Price of the model's tokens; `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

impl Started {
    /// Returns the data of a run whose first record is lost: nothing is known of it, so it cannot continue.
    pub fn lost() -> Self {
        let unknown = || "unknown".to_owned();
        Self {
            version: unknown(),
            workspace: unknown(),
            model: unknown(),
            wire: unknown(),
            system: "".into(),
            tools: Vec::new(),
            policy: "supervised".to_owned(),
            sandbox: unknown().into(),
            limits: Limits::default(),
            user: "operator".into(),
            input: "null".into(),
            setup: "".into(),
            reuse: Reuse::default(),
            hide_edits: false,
            price: None,
        }
    }
}

/// Recorded replies and results that are reused after an edit, undo or redo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reuse {
    /// Replies of the model to an equal request.
    pub replies: bool,
    /// Results of equal calls of class `pure`.
    pub pure: bool,
    /// Results of equal calls of class `read`, as long as nothing was written since.
    pub reads: bool,
}

impl Default for Reuse {
    fn default() -> Self {
        Self {
            replies: true,
            pure: true,
            reads: true,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

/// A tool as the model and the operator know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCard {
    /// Its name.
    pub name: Arc<str>,
    /// What it does.
    pub description: Arc<str>,
    /// JSON Schema of its arguments, as JSON text.
    pub schema: Arc<str>,
    /// What its calls can do to the world at most.
    pub effect: EffectClass,
    /// The argument that decides the class of a call, where the calls are not all of one class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_by: Option<EffectBy>,
    /// `external`, `irreversible`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Milliseconds from the approval of a call to its launch, in which the approval can be
    /// withdrawn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pause_ms: u64,
    /// True where a truncated value may be passed to it by reference.
    #[serde(default)]
    pub takes_truncated: bool,
    /// True where the children of its calls are confined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confined: bool,
    /// The call that finds out whether an execution happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Template>,
    /// The call that reverts an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensate: Option<Template>,
    /// Where it comes from; `None` for a built-in tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<ToolOrigin>>,
}

/// Where a tool that is not built in comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOrigin {
    /// Name of the tool source: `declared`, `mcp`, `agent`.
    pub source: Arc<str>,
    /// The server that offers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Arc<str>>,
    /// Its name at the server, or in the settings.
    pub tool: Arc<str>,
    /// Its title, in the server's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// Hash of its whole definition and of the command line or address that it comes from.
    pub pin: Arc<str>,
    /// How the definitions of its server differ from the accepted ones; `None` if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Arc<str>>,
}

impl ToolOrigin {
    /// The source of the tools of an agent of another program.
    pub const AGENT: &'static str = "agent";
    /// What the line of a difference begins with that names the hash of the present definitions.
    pub const HASH: &'static str = "hash of the definitions: ";
}

impl ToolCard {
    /// Returns true for a tool that an agent of another program executes.
    pub fn is_of_agent(&self) -> bool {
        self.origin
            .as_ref()
            .is_some_and(|origin| &*origin.source == ToolOrigin::AGENT)
    }

    /// Returns the server that offers the tool.
    pub fn server(&self) -> Option<&str> {
        self.origin.as_ref()?.server.as_deref()
    }

    /// Returns why every call of the tool must wait for the operator, whatever the rules allow: the definitions of its
    /// server changed since they were accepted.
    pub fn drift(&self) -> Option<&str> {
        self.origin.as_ref()?.drift.as_deref()
    }

    /// Returns the hash of the changed definitions of its server, as its difference names it; none where nothing changed.
    pub fn changed_definitions(&self) -> Option<&str> {
        let origin = self.origin.as_ref()?;
        // The last line is the program's own; the server's words are before it.
        let last = origin.drift.as_ref()?.lines().next_back()?;
        Some(last.strip_prefix(ToolOrigin::HASH).unwrap_or(&origin.pin))
    }

    /// Returns the effect class of a call with these arguments. A value that is not listed, a reference and arguments
    /// that cannot be read give the class of the tool.
    pub fn effect_of(&self, args: &str) -> EffectClass {
        let by_value = self.effect_by.as_ref().and_then(|by| by.class(args));
        by_value.unwrap_or(self.effect)
    }

    /// Returns every class that a call of the tool can have, that of the tool first.
    pub fn effects(&self) -> impl Iterator<Item = EffectClass> {
        let by_value = self.effect_by.iter().flat_map(|by| by.classes.values());
        std::iter::once(self.effect).chain(by_value.copied())
    }
}

/// The effect class of a call by the value of one argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectBy {
    /// The name of the argument, which is a text.
    pub param: Arc<str>,
    /// The class of each value that has one of its own.
    pub classes: BTreeMap<String, EffectClass>,
}

impl EffectBy {
    fn class(&self, args: &str) -> Option<EffectClass> {
        let args: serde_json::Value = serde_json::from_str(args).ok()?;
        self.classes.get(args.get(&*self.param)?.as_str()?).copied()
    }
}

impl ToolCard {
    /// A tool with these properties and defaults for the rest.
    pub fn bare(name: &str, effect: EffectClass, tags: &[&str]) -> Self {
        Self {
            name: name.into(),
            description: "".into(),
            schema: "{}".into(),
            effect,
            effect_by: None,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            pause_ms: 0,
            takes_truncated: false,
            confined: false,
            probe: None,
            compensate: None,
            origin: None,
        }
    }
}

/// Events about the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum RunEvent {
    /// The first event of every journal.
    Started(Box<Started>),
    /// A process opened the journal again to resume the run.
    Reopened {
        /// Calls whose process may still run or have run: their outcome is not known.
        #[serde(default)]
        interrupted: Vec<(NodeId, Attempt)>,
        /// Version of the program that resumed it.
        version: String,
    },
    /// No launches and no requests from here on; running calls continue.
    Paused {
        /// Why.
        reason: String,
    },
    /// Launches and requests continue.
    Resumed {},
    /// While paused, one launch or request is allowed.
    Stepped {},
    /// Only reading calls start from here on; every other call that has not started is denied.
    Restricted {
        /// Why.
        reason: Arc<str>,
    },
    /// Every call may start again.
    RestrictionLifted {},
    /// Nothing continues by itself any more.
    Stopped {
        /// Why.
        reason: String,
    },
    /// The run has its answer.
    Finished {
        /// The answer node.
        answer: NodeId,
        /// Calls of the last turns that failed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failed: Vec<NodeId>,
    },
    /// The policy in force changed.
    PolicyChanged {
        /// Name of the preset now.
        policy: String,
    },
    /// Tools, limits or model differ from what the run began with (after a resume).
    Refitted {
        /// What is in force now.
        started: Box<Started>,
    },
    /// A limit was reached.
    LimitReached {
        /// Which (`turns`, `tokens`, `time`, `price`).
        which: String,
        /// The figures, as text.
        message: String,
    },
    /// The operator raised the limits.
    LimitsRaised {
        /// What is in force now.
        limits: Limits,
    },
    /// The agent of another program sent a request.
    AgentAsked {
        /// How long it waits for the reply, in milliseconds; none if it does not say.
        #[serde(default)]
        wait_ms: Option<u64>,
    },
    /// The history of the agent of another program does not extend the one that it sent before.
    HistoryRewritten(Rewriting),
    /// The agent of another program made a request without tools, which passed unheld.
    SideRequest(SideRequest),
    /// Another conversation of the agent of another program is a sub-agent of this one, or began it.
    Linked(LinkedSession),
    /// A command was refused because of its sender.
    Refused {
        /// Which command.
        command: String,
        /// Why.
        reason: String,
    },
    /// The operator added a rule for calls.
    RuleAdded {
        /// Its number.
        #[serde(default)]
        no: u32,
        /// The rule.
        rule: RuleSpec,
    },
    /// A rule of the session was removed.
    RuleDropped {
        /// Its number.
        #[serde(default)]
        no: u32,
    },
    /// The events up to here are copied from another session; this one continues from there on its
    /// own.
    Forked {
        /// The other session.
        session: Arc<str>,
        /// The last copied event of the other session.
        #[serde(default)]
        at: Seq,
    },
    /// The session that this one was forked from had an effect after that point: repeating it needs
    /// consent.
    HappenedElsewhere(Arc<Elsewhere>),
    /// A server refused the form of a request, and gets its requests in another form from here on.
    QuirkLearned {
        /// The model and its place, as in [`Started::model`].
        server: Arc<str>,
        /// Name of the other form.
        quirk: Arc<str>,
        /// The server's words.
        words: Arc<str>,
    },
    /// The operator named the session.
    Titled {
        /// The name.
        title: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_from_before_there_was_a_setting_loads() {
        let old = r#"{"version":"0.1.0","workspace":"/w","model":"m","wire":"scripted","system":"","tools":[],
            "policy":"guarded","sandbox":"none","limits":{"parallel":8,"turns":null,"tokens":null,"wall_ms":null},
            "user":"u","input":"null","setup":"{}"}"#;
        let started: Started = serde_json::from_str(old).unwrap();
        assert_eq!(started.reuse, Reuse::default());
        assert_eq!((started.price, started.limits.price), (None, None));
        assert!(started.reuse.replies && started.reuse.pure && started.reuse.reads);
        let some: Reuse = serde_json::from_str(r#"{"reads":false}"#).unwrap();
        assert_eq!((some.replies, some.pure, some.reads), (true, true, false));
    }
}
