//! Determines which events are decisions, and what each decides.
//!
//! Must not know: the state of a run.

use std::sync::Arc;

use overrule_domain::call::{Decision, ShownForm};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{
    CallEvent, EditEvent, EscapeEvent, Event, FilesEvent, ResilienceEvent, RunEvent, SandboxEvent, TurnEvent,
    WeightEvent,
};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::rule::{self, RuleSpec};
use overrule_domain::sandbox::Widening;
use overrule_domain::setting_change::SettingChange;
use overrule_domain::turn::Stop;

/// What an event decides.
#[derive(Debug, Default)]
pub(super) struct Act {
    /// A verb in snake case.
    pub action: &'static str,
    /// The node that it is about.
    pub node: Option<NodeId>,
    /// The turn that it is about.
    pub turn: Option<TurnId>,
    /// The rule that it follows.
    pub rule: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// What exactly was decided.
    pub detail: Option<String>,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "each is what an arm gives whose neighbours give none"
)]
impl Act {
    fn new(action: &'static str) -> Option<Self> {
        Some(Self {
            action,
            ..Self::default()
        })
    }

    fn on(action: &'static str, node: NodeId) -> Option<Self> {
        Some(Self {
            action,
            node: Some(node),
            ..Self::default()
        })
    }

    fn detailed(action: &'static str, detail: impl Into<String>) -> Option<Self> {
        Some(Self {
            action,
            detail: Some(detail.into()),
            ..Self::default()
        })
    }

    fn because(action: &'static str, reason: &str) -> Option<Self> {
        Some(Self {
            action,
            reason: some(reason),
            ..Self::default()
        })
    }
}

/// A decision on a call.
#[derive(Debug)]
pub(super) struct Decided {
    /// A verb in snake case.
    pub action: &'static str,
    /// True if it approves the call.
    pub allows: bool,
    /// True where the policy decided and no person.
    pub by_policy: bool,
    /// The rule that decided.
    pub rule: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// Bytes that had not been on screen.
    pub unread: Option<u64>,
    /// The form in which it was shown first.
    pub form: Option<ShownForm>,
}

/// Describes a decision on a call.
pub(super) fn decision(decision: &Decision) -> Decided {
    let (action, allows, by_policy) = match decision {
        Decision::Approve { .. } => ("approve", true, false),
        Decision::Auto { .. } => ("allow", true, true),
        Decision::Allowed { .. } => ("allow", true, false),
        Decision::LeftToOperator { .. } => ("leave_to_operator", false, false),
        Decision::Edited => ("approve_by_edit", true, false),
        Decision::Reject { .. } => ("reject", false, false),
        Decision::Deny { .. } => ("deny", false, true),
        Decision::Expire { .. } => ("expire", false, true),
        Decision::Answer => ("answer", false, false),
        Decision::Reuse { .. } => ("reuse_result", false, false),
        Decision::Carry { .. } => ("carry_result", false, false),
        Decision::RunAgain { .. } => ("run_again", true, false),
        Decision::Abandon { .. } => ("leave_unknown", false, false),
        Decision::DidNotFinish => ("did_not_finish", false, false),
        Decision::Withdrawn { .. } => ("withdraw", false, false),
    };
    let rule = match decision {
        Decision::Auto { rule } | Decision::Deny { rule, .. } => Some(rule.clone()),
        _ => None,
    };
    let reason = match decision {
        Decision::Reject { reason }
        | Decision::Deny { reason, .. }
        | Decision::Abandon { reason }
        | Decision::Allowed { reason, .. }
        | Decision::LeftToOperator { reason, .. }
        | Decision::Withdrawn { reason } => some(reason),
        Decision::Expire { consequence } => some(consequence.label()),
        Decision::Reuse { from } => Some(format!("the result of execution {}", from.0)),
        Decision::Carry { from, .. } => Some(format!("the operator's result of {from}")),
        _ => None,
    };
    let (unread, form) = match decision {
        Decision::Approve { unread, shown } => (Some(*unread), shown.as_ref().map(|shown| shown.form)),
        Decision::RunAgain { shown } => (None, shown.as_ref().map(|shown| shown.form)),
        _ => (None, None),
    };
    Decided {
        action,
        allows,
        by_policy,
        rule,
        reason,
        unread,
        form,
    }
}

/// Returns what an event decides; `None` for what follows from other events and for what the world reports.
pub(super) fn of(event: &Event, by_person: bool) -> Option<Act> {
    match event {
        Event::Run(event) => run(event, by_person),
        Event::Turn(event) => turn(event, by_person),
        Event::Call(event) => call(event, by_person),
        Event::Edit(event) => edit(event),
        Event::Escape(event) => escape(event),
        Event::Resilience(event) => resilience(event, by_person),
        Event::Weight(event) => weight(event),
        Event::Sandbox(event) => sandbox(event),
        Event::Files(event) => files(event, by_person),
    }
}

fn run(event: &RunEvent, by_person: bool) -> Option<Act> {
    match event {
        RunEvent::Started(started) => Act::detailed(
            "start",
            format!(
                "{} in {}, policy {}",
                started.model, started.workspace, started.policy
            ),
        ),
        RunEvent::Reopened { version, .. } => Act::detailed("reopen", format!("by version {version}")),
        RunEvent::Refitted { started } => {
            Act::detailed("refit", format!("{}, policy {}", started.model, started.policy))
        }
        RunEvent::Forked { session, at } => {
            Act::detailed("fork", format!("of session {session} at event {}", at.0))
        }
        RunEvent::Paused { reason } => Act::because("pause", reason),
        RunEvent::Stopped { reason } => Act::because("stop", reason),
        RunEvent::LimitReached { which, message } => {
            Act::because("limit_reached", &format!("{which}: {message}"))
        }
        RunEvent::Resumed {} if by_person => Act::new("unpause"),
        RunEvent::Stepped {} => Act::new("step"),
        RunEvent::Restricted { reason } => Act::because("restrict", reason),
        RunEvent::RestrictionLifted {} => Act::new("lift_restriction"),
        RunEvent::PolicyChanged { policy } => Act::detailed("set_policy", policy.as_str()),
        RunEvent::LimitsRaised { limits } => Act::detailed("set_limits", of_limits(limits)),
        RunEvent::Refused { command, reason } => Some(Act {
            action: "refuse_command",
            reason: some(reason),
            detail: some(command),
            ..Act::default()
        }),
        RunEvent::RuleAdded { no, rule } => Some(Act {
            action: "add_rule",
            rule: Some(match rule {
                RuleSpec::Exact { call, tool, .. } => {
                    format!("{}: allow exactly {call} of {tool}", rule::name(*no))
                }
                RuleSpec::Text { text } => format!("{}: {text}", rule::name(*no)),
            }),
            ..Act::default()
        }),
        RunEvent::RuleDropped { no } => Some(Act {
            action: "drop_rule",
            rule: Some(rule::name(*no)),
            ..Act::default()
        }),
        RunEvent::Titled { title } => Act::detailed("name", title.as_str()),
        RunEvent::Resumed {}
        | RunEvent::Finished { .. }
        | RunEvent::HappenedElsewhere(_)
        | RunEvent::AgentAsked { .. }
        | RunEvent::HistoryRewritten(_)
        | RunEvent::SideRequest(_)
        | RunEvent::Linked(_)
        | RunEvent::QuirkLearned { .. } => None,
    }
}

fn of_limits(limits: &Limits) -> String {
    let most = |name: &str, most: Option<u64>| match most {
        Some(most) => format!("{name} {most}"),
        None => format!("{name} unlimited"),
    };
    [
        format!("parallel {}", limits.parallel),
        most("requests", limits.turns.map(u64::from)),
        most("tokens", limits.tokens),
        most("milliseconds", limits.wall_ms),
        most("price", limits.price),
    ]
    .join(", ")
}

fn turn(event: &TurnEvent, by_person: bool) -> Option<Act> {
    let about = |action, turn: TurnId| {
        Some(Act {
            action,
            turn: Some(turn),
            detail: Some(turn.to_string()),
            ..Act::default()
        })
    };
    match event {
        TurnEvent::Requested { turn, request, .. } if by_person && *request > 1 => about("ask_again", *turn),
        TurnEvent::Closed {
            turn,
            stop: Stop::Accepted,
            ..
        } => about("keep_turn", *turn),
        TurnEvent::Aborted { turn, reason } if by_person => {
            let mut act = about("stop_turn", *turn)?;
            act.reason = some(reason);
            Some(act)
        }
        _ => None,
    }
}

fn call(event: &CallEvent, by_person: bool) -> Option<Act> {
    match event {
        CallEvent::CancelAsked { call, reason, .. } => {
            let mut act = Act::on("cancel", *call)?;
            act.reason = some(reason);
            Some(act)
        }
        CallEvent::GraceEnded {
            call, skipped: true, ..
        } => Act::on("run_now", *call),
        CallEvent::Resolved {
            call,
            happened,
            evidence,
            value,
            ..
        } => {
            let mut act = Act::on(
                if *happened {
                    "it_happened"
                } else {
                    "it_did_not_happen"
                },
                *call,
            )?;
            act.reason = some(evidence);
            act.detail = value.as_deref().map(str::to_owned);
            Some(act)
        }
        CallEvent::Woken { call } if by_person => Act::on("retry", *call),
        _ => None,
    }
}

fn edit(event: &EditEvent) -> Option<Act> {
    match event {
        EditEvent::Committed {
            target,
            what,
            reason,
            by,
            ..
        } => Some(Act {
            action: "edit",
            node: *target,
            detail: some(what),
            reason: reason.as_deref().and_then(some),
            rule: by.as_deref().map(str::to_owned),
            ..Act::default()
        }),
        EditEvent::Unpinned { node } => Act::on("unpin", *node),
        EditEvent::Named { epoch, name } => {
            Act::detailed("name_branch", format!("branch {} is {name}", epoch.0))
        }
        _ => None,
    }
}

fn escape(event: &EscapeEvent) -> Option<Act> {
    match event {
        EscapeEvent::Proposed {
            incident,
            node,
            step: level,
            why,
            ..
        } => {
            let mut act = Act::on("loop_step", *node)?;
            act.detail = Some(format!("{} (loop {incident})", level.describe()));
            act.reason = some(why);
            Some(act)
        }
        EscapeEvent::Allowed { signatures, allowed } => {
            let names: Vec<String> = signatures.iter().map(ToString::to_string).collect();
            let action = if *allowed { "allow_loop" } else { "forbid_loop" };
            Act::detailed(action, names.join(", "))
        }
        EscapeEvent::Muted { detector, muted } => {
            let action = if *muted { "mute_loops" } else { "unmute_loops" };
            Act::detailed(action, detector.to_string())
        }
        _ => None,
    }
}

fn resilience(event: &ResilienceEvent, by_person: bool) -> Option<Act> {
    match event {
        ResilienceEvent::RetryDue {
            call, skipped: true, ..
        } => Act::on("run_now", *call),
        ResilienceEvent::GaveUp { call, why, .. } if by_person => {
            let mut act = Act::on("skip_repair", *call)?;
            act.reason = some(why);
            Some(act)
        }
        ResilienceEvent::RepairApplied { call, changes, .. } => {
            let made: Vec<String> = changes
                .iter()
                .map(|one| format!("{} ({})", one.path, one.why))
                .collect();
            let mut act = Act::on("repair", *call)?;
            act.detail = Some(made.join("; "));
            Some(act)
        }
        ResilienceEvent::BreakerChanged { scope, to, why, .. } if by_person => {
            let mut act = Act::detailed("set_breaker", format!("{scope} is {}", to.label()))?;
            act.reason = some(why);
            Some(act)
        }
        ResilienceEvent::PolicySet {
            version,
            live,
            changed,
            ..
        } if *live || !changed.is_empty() => {
            let changed: Vec<String> = changed.iter().map(SettingChange::describe).collect();
            let mut act = Act::detailed(
                "set_resilience",
                format!("version {version}: {}", changed.join("; ")),
            )?;
            act.reason = (!live).then(|| "from the settings files".to_owned());
            Some(act)
        }
        _ => None,
    }
}

fn weight(event: &WeightEvent) -> Option<Act> {
    match event {
        WeightEvent::Set { kind, tool, weight } => Act::detailed(
            "set_weight",
            format!(
                "{tool} for tasks of kind {kind}: {:.3}",
                f64::from(*weight) / 1_000.0
            ),
        ),
        WeightEvent::Reset { tool } => {
            let tool: Option<&Arc<str>> = tool.as_ref();
            Act::detailed("reset_weights", tool.map_or("all tools", |tool| &**tool))
        }
        WeightEvent::Imported { from, .. } => Act::detailed("import_weights", &**from),
        _ => None,
    }
}

fn sandbox(event: &SandboxEvent) -> Option<Act> {
    match event {
        SandboxEvent::Widened {
            by: Widening::Host(host),
        } => Act::detailed("allow_host", host.as_str()),
        SandboxEvent::Widened {
            by: Widening::Directory(directory),
        } => Act::detailed("allow_directory", directory.as_str()),
        SandboxEvent::Kept { call, path, .. } => Act::detailed("keep_change", path.as_str()).map(|act| Act {
            node: Some(*call),
            ..act
        }),
        SandboxEvent::Confined { .. } | SandboxEvent::NotKept { .. } => None,
    }
}

/// Returns a text unless it is empty.
fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn files(event: &FilesEvent, by_person: bool) -> Option<Act> {
    let about = |act: Option<Act>, restore: &NodeId| {
        act.map(|act| Act {
            node: Some(*restore),
            ..act
        })
    };
    match event {
        FilesEvent::RestoreStarted(started) => about(
            Act::detailed("restore_files", started.describe()),
            &started.restore,
        ),
        FilesEvent::RestoreContinued { restore } => about(Act::new("continue_restore"), restore),
        FilesEvent::Restored { restore, .. } if by_person => about(Act::new("leave_restore"), restore),
        FilesEvent::Seen { through } => Act::detailed("mark_seen", through.to_string()),
        FilesEvent::Changed { .. } | FilesEvent::ChangedOutside { .. } | FilesEvent::Restored { .. } => None,
    }
}
