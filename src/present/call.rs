//! Builds the view of a call that waits for a decision: what would run, why it asks, what it repeats.
//!
//! Must not know: who decides, whether a process still runs.

mod agent_wait;
mod deadline;
mod launch;
mod status;
mod tool_change;

use std::sync::Arc;

use serde::Serialize;

pub use self::agent_wait::AgentWaitView;
pub use self::deadline::{DeadlineView, countdown};
pub use self::launch::{CallLaunchView, CommandView, RunFilesView, commands};
pub use self::status::CallStatusView;
pub use self::tool_change::{ChangeView, ToolChangeView};
use super::effect::{ElsewhereView, RepeatView};
use super::ser;
use overrule_base::text::visible;
use overrule_domain::approver;
use overrule_domain::call::{Call, EffectClass, Status};
use overrule_domain::fork;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::ladder::Fix;
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_domain::reference::rewrite;
use overrule_domain::repair::{Change, Diagnosis};
use overrule_domain::repair_trace;
use overrule_domain::repeat;
use overrule_domain::rule;
use overrule_domain::state::State;
use overrule_domain::tags::{self, Confirmation};
use overrule_domain::thread;
use overrule_domain::why;
use overrule_policy::DangerMark;

/// The most executions that are described one by one.
const MAX_EXECUTIONS: usize = 3;

/// A call that waits for a decision.
#[derive(Debug, Clone, Serialize)]
pub struct CallView<'s> {
    /// What it is.
    #[serde(flatten)]
    pub head: CallHeadView<'s>,
    /// What the decision depends on.
    #[serde(flatten)]
    pub decision: CallDecisionView<'s>,
    /// What would run.
    #[serde(flatten)]
    pub launch: CallLaunchView<'s>,
    /// What is wrong with it and how it can be repaired.
    #[serde(flatten)]
    pub repair: CallRepairView<'s>,
}

/// What a call is.
#[derive(Debug, Clone, Serialize)]
pub struct CallHeadView<'s> {
    /// The call.
    pub call: NodeId,
    /// Why the model made it, in its words.
    pub why: Option<String>,
    /// The calls whose sub-agents it is made for, from the outside in.
    pub path: Vec<NodeId>,
    /// Its revision.
    pub rev: Option<Rev>,
    /// Its status.
    #[serde(serialize_with = "ser::status")]
    pub status: &'s Status,
    /// The tool.
    pub tool: Arc<str>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// The tags of the tool, in their visible form.
    pub tags: Vec<String>,
    /// Hash of what would run; `-` before it is known.
    pub digest: &'s str,
    /// The exact argument bytes that would run; empty before they are known.
    pub args: Arc<str>,
    /// The same; with references before they are known.
    #[serde(skip)]
    pub shown: Arc<str>,
}

/// What a decision on a call depends on besides the call.
#[derive(Debug, Clone, Serialize)]
pub struct CallDecisionView<'s> {
    /// The rule that asks, in its visible form.
    pub rule: String,
    /// What is dangerous about it; empty if no rule matched, or without the table of the settings.
    pub danger: Vec<DangerMark>,
    /// Hash of the text that it would replace, empty if there is no file; none if that is not known, or where no
    /// file is read.
    pub base: Option<Arc<str>>,
    /// The word that confirms an irreversible call, or one whose server changed its tools; none for other calls.
    pub confirmation: Option<String>,
    /// How the definitions of its server changed since they were accepted, line by line; empty if they did not.
    pub definitions: Vec<String>,
    /// What the operator's program says about it; none if there is no answer to report.
    pub approver: Option<String>,
    /// When it expires; none without a deadline.
    pub deadline: Option<DeadlineView>,
    /// How long the agent of another program waits for its reply; none if that is not known, or no process has the
    /// session open.
    pub agent_wait: Option<AgentWaitView>,
    /// The newest equal effect of the session that this one was forked from; none if it repeats none.
    pub elsewhere: Option<ElsewhereView<'s>>,
    /// The executions that it would repeat, newest first.
    pub repeats: Vec<RepeatView<'s>>,
    /// How the definition of the tool changed; none if it did not.
    pub redefined: Option<ToolChangeView<'s>>,
}

/// What is wrong with a call and how it can be repaired.
#[derive(Debug, Clone, Serialize)]
pub struct CallRepairView<'s> {
    /// What was found; empty unless a choice of repairs waits.
    pub found: &'s [Diagnosis],
    /// The call as the model made it; none unless a repair proposes another tool.
    pub original: Option<OriginalView<'s>>,
    /// The repairs to choose from.
    pub repairs: Vec<RepairView<'s>>,
}

/// A call as the model made it, before a repair with another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OriginalView<'s> {
    /// The tool.
    pub tool: &'s str,
    /// The arguments.
    pub args: &'s str,
    /// Why the other tool is proposed.
    pub why: Option<&'s str>,
}

/// A repair to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepairView<'s> {
    /// It in a few words.
    pub label: &'s str,
    /// The arguments after it.
    pub args: &'s str,
    /// What it changes.
    pub changes: &'s [Change],
}

/// What the processes of this machine tell about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// True if a process has the session open, so that deadlines count.
    pub held: bool,
    /// The process that is left of an execution with an unknown outcome.
    pub orphan_process: Option<u32>,
}

impl<'s> CallView<'s> {
    /// Builds the view of a call.
    pub fn of(state: &'s State, call: &'s Call, around: Surroundings) -> Self {
        let head = CallHeadView::of(state, call);
        let launch = CallLaunchView {
            orphan_process: around.orphan_process,
            ..CallLaunchView::of(call, &head.tool, &head.shown)
        };
        Self {
            decision: CallDecisionView {
                rule: rule(call),
                danger: Vec::new(),
                base: None,
                confirmation: confirmation(state, call),
                definitions: definitions(state, call),
                approver: approver::describe(call),
                deadline: DeadlineView::of(state, call, around.held),
                agent_wait: AgentWaitView::of(state, call).filter(|_| around.held),
                elsewhere: fork::asked_about(state, call).map(ElsewhereView::of),
                repeats: repeats(state, call),
                redefined: ToolChangeView::of(state, call.id),
            },
            repair: CallRepairView::of(state, call),
            head,
            launch,
        }
    }
}

impl<'s> CallHeadView<'s> {
    fn of(state: &'s State, call: &'s Call) -> Self {
        let node = state.nodes.get(&call.id);
        let content = node.and_then(Node::as_call);
        let tool = content.map(|(tool, _)| Arc::clone(tool)).unwrap_or_default();
        let args = ready::resolved_args(state, call);
        // With unresolved references until their results exist.
        let shown = args.clone().unwrap_or_else(|| {
            content
                .map(|(_, args)| Arc::from(rewrite::without_why(args)))
                .unwrap_or_default()
        });
        Self {
            call: call.id,
            why: node.and_then(why::of),
            path: thread::path(state, call.id),
            rev: node.map(Node::rev),
            status: &call.status,
            effect: call.effect,
            tags: tags::of(state, &tool).iter().map(|tag| visible(tag)).collect(),
            digest: call.digest.as_ref().map_or("-", |digest| &digest.0),
            args: args.unwrap_or_default(),
            tool,
            shown,
        }
    }
}

impl<'s> OriginalView<'s> {
    /// Builds the view; `None` unless a repair proposes another tool.
    pub fn of(state: &'s State, call: &'s Call) -> Option<Self> {
        let (tool, args) = state.nodes.get(&call.id).and_then(repair_trace::replaced)?;
        Some(Self {
            tool,
            args,
            why: call.proposed().map(|change| &*change.why),
        })
    }
}

impl<'s> CallRepairView<'s> {
    fn of(state: &'s State, call: &'s Call) -> Self {
        let offered = call.offered();
        let round = offered.and_then(|_| call.failure.repairs.last());
        let repair = |fix: &'s Fix| RepairView {
            label: &fix.label,
            args: &fix.args,
            changes: &fix.changes,
        };
        Self {
            found: round.map_or(&[], |round| &round.diagnoses),
            original: OriginalView::of(state, call),
            repairs: offered.unwrap_or_default().iter().map(repair).collect(),
        }
    }
}

/// Lists the executions that a call would repeat, newest first.
pub fn repeats<'s>(state: &'s State, call: &'s Call) -> Vec<RepeatView<'s>> {
    let earlier = repeat::earlier(state, call);
    earlier.map(|one| RepeatView::of(state, one)).collect()
}

/// A sentence for each execution that a call would repeat, newest first, and one that counts the others. Empty if
/// it repeats nothing. Untrusted parts are in their visible form.
pub fn repeat_lines(state: &State, repeats: &[RepeatView<'_>]) -> Vec<String> {
    let first = repeats.iter().take(MAX_EXECUTIONS);
    let mut lines: Vec<String> = first.map(|one| one.describe(state)).collect();
    if repeats.len() > MAX_EXECUTIONS {
        lines.push(format!("and {} more", repeats.len() - MAX_EXECUTIONS));
    }
    lines
}

/// The word that confirms a call.
fn confirmation(state: &State, call: &Call) -> Option<String> {
    let asks = matches!(call.status, Status::AwaitingApproval | Status::Consent(_));
    let needed = tags::confirmation(state, call.id).filter(|_| asks)?;
    Some(needed.word())
}

/// How the definitions of the server changed since they were accepted, and what to do, line by line.
fn definitions(state: &State, call: &Call) -> Vec<String> {
    let Some(Confirmation::Definitions { server, .. }) = tags::confirmation(state, call.id) else {
        return Vec::new();
    };
    let tool = state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map(|(tool, _)| tool);
    let difference = tool
        .and_then(|tool| tags::card(state, tool)?.drift())
        .unwrap_or_default();
    let mut lines = vec![format!(
        "the tools of {} changed since they were accepted:",
        visible(server)
    )];
    lines.extend(difference.lines().map(visible));
    lines.push(format!(
        "`overrule tools accept {} --run ID` shows all of it and accepts it",
        visible(server)
    ));
    lines
}

/// The rule that asks about a call, with the words of a workspace quoted; in its visible form.
fn rule(call: &Call) -> String {
    let Some(verdict) = &call.verdict else {
        return String::new();
    };
    let reported = rule::describe(&verdict.rule);
    let words = verdict.quoted.as_ref().and_then(|quoted| quoted.words.as_deref());
    visible(&match words {
        Some(words) => format!("{reported}, which says {}", rule::quotation(words)),
        None => reported,
    })
}
