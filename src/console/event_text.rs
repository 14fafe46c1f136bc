//! Describes each event in one line of untrusted text, for the log.
//!
//! Must not know: styles.
//!
//! Pass the lines through `overrule_base::text` before you show them.

mod command;

pub use command::command;

use overrule_domain::agent::{LinkRole, LinkedSession, Rewriting, SideRequest};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{
    CallEvent, EditEvent, EscapeEvent, Event, ResilienceEvent, RunEvent, TurnEvent, WeightEvent,
};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::ladder::{span, tries};
use overrule_domain::node::Origin;
use overrule_domain::repair::{Diagnosis, Reply};
use overrule_domain::rule::{self, RuleSpec};
use overrule_domain::setting_change::SettingChange;
use overrule_domain::state::State;
use overrule_domain::weight::ToolOffer;
use overrule_domain::why;
use overrule_present as present;
use overrule_resilience::learned;
use std::borrow::Cow;

/// An event in one line.
pub fn of(envelope: &Envelope) -> String {
    let who = match &envelope.actor {
        // `operator operator` would repeat the word.
        Actor::Operator(user) => {
            let name = match &*user.name {
                "operator" => "operator".to_owned(),
                name => format!("operator {name}"),
            };
            match user.via {
                Some(via) => format!("{name} ({})", via.label()),
                None => name,
            }
        }
        Actor::Engine => "engine".to_owned(),
        Actor::Model => "model".to_owned(),
        Actor::Tool => "tool".to_owned(),
    };
    let what = match &envelope.event {
        Event::Run(event) => run(event),
        Event::Turn(event) => turn(event),
        Event::Call(event) => call(event),
        Event::Edit(event) => edit(event),
        Event::Escape(event) => escape(event),
        Event::Resilience(event) => resilience(event),
        Event::Weight(event) => weight(event),
    };
    format!("{} {who}: {what}", envelope.seq)
}

/// The node of an event, if it is about one.
pub fn about(state: &State, event: &Event) -> Option<NodeId> {
    let first = |turn: TurnId| state.turns.get(&turn)?.nodes.first().copied();
    match event {
        Event::Call(event) => Some(event.call()),
        Event::Resilience(event) => event.call(),
        Event::Escape(event) => match event {
            EscapeEvent::Proposed { node, .. }
            | EscapeEvent::Applied { node, .. }
            | EscapeEvent::StepEnded { node, .. } => Some(*node),
            EscapeEvent::Warned { finding, .. } | EscapeEvent::Found { finding, .. } => {
                finding.nodes.last().copied()
            }
            EscapeEvent::Ended { .. } | EscapeEvent::Allowed { .. } | EscapeEvent::Muted { .. } => None,
        },
        Event::Edit(event) => match event {
            EditEvent::Committed { intervention, .. } => Some(*intervention),
            EditEvent::Revised { node, .. } | EditEvent::Pinned { node } | EditEvent::Unpinned { node } => {
                Some(*node)
            }
            EditEvent::MarkedStale { calls }
            | EditEvent::Suspended { calls, .. }
            | EditEvent::Shortened { calls, .. } => calls.first().copied(),
            EditEvent::Superseded { nodes } | EditEvent::CorrectionsLost { nodes } => nodes.first().copied(),
            EditEvent::Released { node } => *node,
            EditEvent::LeftOut { turns, .. } | EditEvent::SummaryAsked { turns, .. } => {
                turns.first().copied().and_then(first)
            }
            EditEvent::SummaryBroke { .. }
            | EditEvent::SummaryAnswered { .. }
            | EditEvent::Orphaned { .. }
            | EditEvent::Recalled { .. }
            | EditEvent::Named { .. } => None,
        },
        Event::Run(RunEvent::Finished { answer, .. }) => Some(*answer),
        Event::Run(RunEvent::HistoryRewritten(rewriting)) => rewriting.from,
        Event::Run(RunEvent::Linked(link)) if link.role == LinkRole::SubAgent => link.call,
        Event::Run(_) | Event::Weight(_) => None,
        Event::Turn(event) => match event {
            TurnEvent::Prompted { node, .. }
            | TurnEvent::Thought { node, .. }
            | TurnEvent::Proposed { node, .. }
            | TurnEvent::Answered { node, .. }
            | TurnEvent::AnswerInvalid { node, .. } => Some(*node),
            TurnEvent::Delegated { call, .. } => Some(*call),
            TurnEvent::Opened { turn, .. }
            | TurnEvent::Requested { turn, .. }
            | TurnEvent::RetryScheduled { turn, .. }
            | TurnEvent::RetryDue { turn }
            | TurnEvent::Matched { turn, .. }
            | TurnEvent::Partial { turn, .. }
            | TurnEvent::Closed { turn, .. }
            | TurnEvent::Broken { turn, .. }
            | TurnEvent::Aborted { turn, .. }
            | TurnEvent::Settled { turn, .. }
            | TurnEvent::Diverged { turn, .. }
            | TurnEvent::Revived { turn, .. }
            | TurnEvent::Split { turn } => first(*turn),
            TurnEvent::Suspended { turns }
            | TurnEvent::Restored { turns }
            | TurnEvent::Superseded { turns }
            | TurnEvent::Drifted { turns } => turns.first().copied().and_then(first),
        },
    }
}

fn turn_list(turns: &[TurnId]) -> String {
    const MOST: usize = 12;
    let numbers = turns.iter().take(MOST).map(|turn| turn.0.to_string());
    let mut words: Vec<String> = numbers.collect();
    if turns.len() > MOST {
        words.push(format!("and {} more", turns.len() - MOST));
    }
    let name = if turns.len() == 1 { "turn" } else { "turns" };
    format!("{name} {}", words.join(" "))
}

fn list(ids: &[NodeId]) -> String {
    const MOST: usize = 12;
    let mut words: Vec<String> = ids.iter().take(MOST).map(NodeId::to_string).collect();
    if ids.len() > MOST {
        words.push(format!("and {} more", ids.len() - MOST));
    }
    words.join(" ")
}

/// Describes what an agent changed of its history, and which edits do not reach the model any more.
pub fn rewritten(rewriting: &Rewriting) -> String {
    let from = rewriting.from.map(|node| format!(" from {node} on"));
    let mut words = format!("the agent rewrote its history{}", from.unwrap_or_default());
    if !rewriting.lost.is_empty() {
        words = format!("{words}; edits that no longer apply: {}", list(&rewriting.lost));
    }
    words
}

/// Describes a session that belongs to this one.
fn linked(LinkedSession { session, role, call }: &LinkedSession) -> String {
    let of = call.map(|call| format!(" of {call}"));
    match (role, of) {
        (LinkRole::SubAgent, of) => format!("a sub-agent{} began session {session}", of.unwrap_or_default()),
        (LinkRole::Parent, Some(of)) => format!("this is the sub-agent{of} in session {session}"),
        (LinkRole::Parent, None) => format!("this is a sub-agent of the agent in session {session}"),
    }
}

/// Describes a request without tools, and its tokens if the reply says them.
fn side_request(one: &SideRequest) -> String {
    let counts = [(one.usage.input, "sent"), (one.usage.output, "received")];
    let counts: Vec<String> = counts
        .into_iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", count?)))
        .collect();
    let tokens = match &counts[..] {
        [] => String::new(),
        counts => format!(" ({} tokens)", counts.join(", ")),
    };
    format!("a request without tools passed{tokens}: {}", one.words)
}

fn run(event: &RunEvent) -> String {
    match event {
        RunEvent::Started(started) => format!("run started with {} in {}", started.model, started.workspace),
        RunEvent::Reopened { interrupted, .. } => {
            format!("reopened; {} executions were interrupted", interrupted.len())
        }
        RunEvent::Paused { reason } => format!("paused: {reason}"),
        RunEvent::Resumed {} => "resumed".to_owned(),
        RunEvent::Stepped {} => "one step".to_owned(),
        RunEvent::Restricted { reason } => format!("restricted to reading calls: {reason}"),
        RunEvent::RestrictionLifted {} => "restriction to reading calls lifted".to_owned(),
        RunEvent::Stopped { reason } => format!("stopped: {reason}"),
        RunEvent::Finished { answer, .. } => format!("answered: {answer}"),
        RunEvent::PolicyChanged { policy } => format!("policy is {policy} now"),
        RunEvent::Refitted { .. } => "tools, limits or model differ from before".to_owned(),
        RunEvent::LimitReached { which, message } => format!("limit of {which} reached: {message}"),
        RunEvent::LimitsRaised { .. } => "limits changed".to_owned(),
        RunEvent::Refused { command, reason } => format!("{command} refused: {reason}"),
        RunEvent::AgentAsked { wait_ms: Some(ms) } => format!("the agent waits {} for its reply", span(*ms)),
        RunEvent::AgentAsked { wait_ms: None } => "the agent asked".to_owned(),
        RunEvent::HistoryRewritten(rewriting) => rewritten(rewriting),
        RunEvent::SideRequest(one) => side_request(one),
        RunEvent::Linked(link) => linked(link),
        RunEvent::Titled { title } => format!("named {title}"),
        RunEvent::QuirkLearned { server, quirk, words } => {
            format!("{server} gets adapted requests from now on ({quirk}): {words}")
        }
        RunEvent::Forked { session, at } => format!("fork of {session} at event {}", at.0),
        RunEvent::HappenedElsewhere(one) => format!(
            "happened in {} after the fork point, and is not undone: {} {}",
            one.session, one.call, one.tool
        ),
        RunEvent::RuleAdded { no, rule } => match rule {
            RuleSpec::Exact { call, rev, tool, .. } => {
                format!("{}: always exactly {call} {rev} of {tool}", rule::name(*no))
            }
            RuleSpec::Text { text } => format!("{}: {text}", rule::name(*no)),
        },
        RunEvent::RuleDropped { no } => format!("{} removed", rule::name(*no)),
    }
}

fn turn(event: &TurnEvent) -> String {
    match event {
        TurnEvent::Delegated { call, thread, .. } => format!("{call} handed to a sub-agent ({thread})"),
        TurnEvent::Opened { turn, .. } => format!("{turn} opened"),
        TurnEvent::Requested {
            turn,
            request,
            notices: reported,
            ..
        } => {
            let reported: Vec<String> = reported.iter().map(|text| format!("; notice: {text}")).collect();
            format!("{turn}: model asked (request {request}){}", reported.concat())
        }
        TurnEvent::RetryScheduled {
            turn,
            no,
            of,
            wait_ms,
            why,
        } => format!(
            "{turn} is asked again in {} ({}): {why}",
            span(*wait_ms),
            tries(*no, *of)
        ),
        TurnEvent::RetryDue { turn } => format!("{turn} may be asked again"),
        TurnEvent::Prompted { node, .. } => format!("{node} prompt"),
        TurnEvent::Thought { node, .. } => format!("{node} thought"),
        TurnEvent::Proposed {
            node,
            tool,
            args,
            origin,
            ..
        } => {
            let why = why::in_args(args).filter(|_| *origin == Origin::Model);
            let why = why.map(|why| format!("; model says: {why}")).unwrap_or_default();
            format!("{node} call of {tool}{why}")
        }
        TurnEvent::Answered { node, .. } => format!("{node} answer"),
        TurnEvent::AnswerInvalid { node, faults, .. } => {
            format!(
                "{node} breaks the output schema ({} faults): the model answers again",
                faults.len()
            )
        }
        TurnEvent::Matched { turn, blocks } => format!("{turn}: {blocks} blocks came again as before"),
        TurnEvent::Partial {
            turn,
            prefix_len: stored,
            text,
            ..
        } => {
            format!(
                "{turn}: {} bytes of an open block",
                stored.saturating_add(text.len() as u64)
            )
        }
        TurnEvent::Closed { turn, stop, .. } => format!("{turn}: stream ended ({})", stop.label()),
        TurnEvent::Broken { turn, fault, .. } => {
            format!("{turn}: stream broke ({}): {}", fault.kind.label(), fault.message)
        }
        TurnEvent::Aborted { turn, reason } => format!("{turn}: stream aborted: {reason}"),
        TurnEvent::Settled { turn, errors } => format!("{turn} settled, {} errors", errors.len()),
        TurnEvent::Suspended { turns } => format!("{} turns suspended by an edit", turns.len()),
        TurnEvent::Restored { turns } => format!("{} turns active again", turns.len()),
        TurnEvent::Superseded { turns } => format!("{} turns superseded", turns.len()),
        TurnEvent::Drifted { turns } => {
            format!("{} turns kept although what they saw changed", turns.len())
        }
        TurnEvent::Diverged { turn, nodes } => {
            format!(
                "{turn} was asked again with another reply: superseded: {}",
                list(nodes)
            )
        }
        TurnEvent::Revived { turn, .. } => format!("{turn} active again: the request is the same"),
        TurnEvent::Split { turn } => format!("{turn} split by a rewritten thought"),
    }
}

fn call(event: &CallEvent) -> String {
    match event {
        CallEvent::Checked { call, faults, .. } if faults.is_empty() => format!("{call} checked"),
        CallEvent::Checked { call, faults, .. } => format!("{call} checked, {} faults", faults.len()),
        CallEvent::Ready {
            call, rev, verdict, ..
        } => {
            let gate = format!("{:?}", verdict.gate).to_lowercase();
            format!("{call} {rev} ready; {gate} by {}", rule::describe(&verdict.rule))
        }
        CallEvent::Invalid { call, faults, .. } => {
            format!("{call}: {} faults after references were filled in", faults.len())
        }
        CallEvent::Asked {
            call,
            approver: Some(name),
            ..
        } => format!("{call} awaits approval; approver {name} is asked too"),
        CallEvent::Asked { call, .. } => format!("{call} waits for the operator"),
        CallEvent::ConsentAsked { call, .. } => format!("{call}: an equal effect may have happened already"),
        CallEvent::Decided {
            call, rev, decision, ..
        } => format!("{call} {rev} {}", present::decision(decision)),
        CallEvent::Graced { call, wait_ms, .. } => {
            format!(
                "{call} runs in {}: until then it can be cancelled",
                span(*wait_ms)
            )
        }
        CallEvent::GraceEnded {
            call, skipped: true, ..
        } => format!("{call}: the operator skipped the delay"),
        CallEvent::GraceEnded { call, .. } => format!("{call}: the delay is over"),
        CallEvent::Started {
            call, rev, attempt, ..
        } => format!("{call} {rev} started ({attempt})"),
        CallEvent::Spawned { call, pid, .. } => format!("{call} is process {pid}"),
        CallEvent::Finished {
            call, outcome, ms, ..
        } => {
            let how = match outcome.exit() {
                Some(code) => Cow::Owned(format!("ended with exit {code}")),
                None if outcome.is_ok() => Cow::Borrowed("succeeded"),
                None => Cow::Borrowed("did not succeed"),
            };
            format!("{call} {how} after {ms} ms")
        }
        CallEvent::CancelAsked { call, reason, .. } => format!("{call} to be cancelled: {reason}"),
        CallEvent::Given { call, .. } => format!("{call} has a result without an execution"),
        CallEvent::Skipped { call, because } => format!("{call} skipped: {because}"),
        CallEvent::Unsatisfiable { call, because } => format!("{call} can never run: {because}"),
        CallEvent::Retained {
            call,
            pinned_args: None,
            ..
        } => format!("{call} keeps its result: its inputs are the same"),
        CallEvent::Retained { call, .. } => {
            format!("{call} keeps the operator's result: its inputs changed")
        }
        CallEvent::Woken { call } => format!("{call} is checked again"),
        CallEvent::Continued { call, .. } => format!("{call} continues: its sub-agent works again"),
        CallEvent::Undetermined { call, .. } => format!("{call}: outcome unknown"),
        CallEvent::Resolved {
            call,
            happened,
            evidence,
            ..
        } => {
            format!(
                "{call} {}: {evidence}",
                if *happened { "happened" } else { "did not happen" }
            )
        }
    }
}

/// Describes lost corrections.
pub fn lost(nodes: &[NodeId]) -> String {
    let what = match nodes.len() {
        1 => "correction lost",
        _ => "corrections lost",
    };
    format!("{what}: no active call matches {}", list(nodes))
}

fn edit(event: &EditEvent) -> String {
    match event {
        EditEvent::Committed {
            epoch, target, what, ..
        } => match target {
            Some(target) => format!("{epoch}: {what} ({target})"),
            None => format!("{epoch}: {what}"),
        },
        EditEvent::Revised { node, rev, .. } => format!("{node} is at {rev} now"),
        EditEvent::Pinned { node } => format!("{node} pinned"),
        EditEvent::Unpinned { node } => format!("{node} no longer pinned"),
        EditEvent::MarkedStale { calls } => format!("inputs may have changed: {}", list(calls)),
        EditEvent::Superseded { nodes } => format!("superseded: {}", list(nodes)),
        EditEvent::Orphaned { entries } => {
            format!("{} effects of superseded calls", entries.len())
        }
        EditEvent::Suspended { calls, .. } => format!("suspended while an editor is open: {}", list(calls)),
        EditEvent::Released { node: None } => "editors closed".to_owned(),
        EditEvent::Released { node: Some(node) } => format!("editor of {node} closed"),
        EditEvent::Recalled { of, .. } => format!("continues from the end of {of}"),
        EditEvent::Shortened { calls, .. } => format!("results shortened for the model: {}", list(calls)),
        EditEvent::LeftOut { turns, summary: None } => {
            format!("left out for the model: {}", turn_list(turns))
        }
        EditEvent::LeftOut {
            turns,
            summary: Some(text),
        } => {
            format!(
                "a summary stands for {}: {}",
                turn_list(turns),
                overrule_base::text::head(text, 200).0
            )
        }
        EditEvent::SummaryAsked { turns, .. } => {
            format!("the model is asked for a summary of {}", turn_list(turns))
        }
        EditEvent::SummaryBroke {
            no, of, wait_ms, why, ..
        } => format!(
            "the request for a summary broke ({why}), it is made again in {} ({no} of {of})",
            span(*wait_ms)
        ),
        EditEvent::SummaryAnswered { reply, .. } => match reply {
            Reply::Answered { .. } => "the model sent the summary".to_owned(),
            Reply::Failed { why } => format!("there is no summary: {why}"),
        },
        EditEvent::CorrectionsLost { nodes } => lost(nodes),
        EditEvent::Named { epoch, name } => format!("branch {} is called {name}", epoch.0),
    }
}

fn weight(event: &WeightEvent) -> String {
    match event {
        WeightEvent::Set { kind, tool, weight } => format!(
            "the weight of {tool} for tasks of kind {kind} is set to {:.2}",
            f64::from(*weight) / 1_000.0
        ),
        WeightEvent::Reset { tool: Some(tool) } => format!("the weights of {tool} were reset"),
        WeightEvent::Reset { tool: None } => "all weights were reset".to_owned(),
        WeightEvent::Imported { from, learned } => {
            format!("starts with {}, from {from}", learned::describe(learned))
        }
        WeightEvent::Offered { tools, .. } if tools.is_empty() => {
            "all tools are offered to the model in their order again".to_owned()
        }
        WeightEvent::Offered { tools, .. } => {
            let hidden = |one: &ToolOffer| if one.hidden { " (not at all)" } else { "" };
            let names: Vec<String> = tools
                .iter()
                .map(|one| format!("{}{}", one.tool, hidden(one)))
                .collect();
            format!(
                "offered to the model last, because they keep failing: {}",
                names.join(", ")
            )
        }
        WeightEvent::Noted { executions, weights } => {
            format!("{} weights recorded after {executions} executions", weights.len())
        }
    }
}

fn escape(event: &EscapeEvent) -> String {
    match event {
        EscapeEvent::Warned { turn, finding } => format!("{turn} repeats: {}", finding.describe()),
        EscapeEvent::Found { incident, finding } => {
            format!("loop {incident} ({}): {}", finding.detector, finding.describe())
        }
        EscapeEvent::Proposed {
            incident,
            node,
            step: level,
            why,
            ..
        } => {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            format!("{node} against loop {incident}: {}{why}", level.describe())
        }
        EscapeEvent::Applied {
            incident,
            node,
            forbidden,
            ..
        } => {
            let refused = match forbidden.len() {
                0 => String::new(),
                1 => ", 1 call is denied in the next turn".to_owned(),
                many => format!(", {many} calls are denied in the next turn"),
            };
            format!("{node} against loop {incident} is done{refused}")
        }
        EscapeEvent::StepEnded {
            node,
            outcome: step_outcome,
            ..
        } => format!("{node}: {}", step_outcome.label()),
        EscapeEvent::Ended { incident, why } => format!("loop {incident} is over: {why}"),
        EscapeEvent::Allowed { signatures, allowed } => {
            let names: Vec<String> = signatures.iter().map(ToString::to_string).collect();
            let word = if *allowed {
                "may repeat"
            } else {
                "may no longer repeat"
            };
            format!("{} {word}", names.join(", "))
        }
        EscapeEvent::Muted { detector, muted } => {
            let word = if *muted { "is muted" } else { "is no longer muted" };
            format!("the detector {detector} {word}")
        }
    }
}

fn resilience(event: &ResilienceEvent) -> String {
    match event {
        ResilienceEvent::GaveUp { call, why, .. } => format!("{call}: the failure is final: {why}"),
        ResilienceEvent::RetryScheduled {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => format!("{call} again in {} ({no} of {of}): {why}", span(*wait_ms)),
        ResilienceEvent::RetryDue {
            call, skipped: true, ..
        } => format!("{call} runs now: the delay was skipped"),
        ResilienceEvent::RetryDue { call, .. } => format!("{call} runs again after its delay"),
        ResilienceEvent::BreakerChanged { scope, to, why, .. } => {
            format!("breaker of {scope} is {} now: {why}", to.label())
        }
        ResilienceEvent::PolicySet {
            version,
            live,
            changed,
            ..
        } => {
            let by = if *live { "changed" } else { "set" };
            let changed: Vec<String> = changed.iter().map(SettingChange::describe).collect();
            let what = if changed.is_empty() {
                String::new()
            } else {
                format!(": {}", changed.join("; "))
            };
            format!("failure handling was {by} (version {version}){what}")
        }
        ResilienceEvent::RepairStarted { call, round, of, .. } => {
            format!("{call} is being repaired ({round} of {of})")
        }
        ResilienceEvent::RepairDiagnosed { call, diagnoses, .. } if diagnoses.is_empty() => {
            format!("{call}: found nothing to repair")
        }
        ResilienceEvent::RepairDiagnosed { call, diagnoses, .. } => {
            let found: Vec<String> = diagnoses.iter().map(Diagnosis::grounds).collect();
            format!("{call}: found {}", found.join("; "))
        }
        ResilienceEvent::RepairAsked { call, question, .. } => {
            let about: Vec<&str> = question.params.iter().map(|one| &**one).collect();
            format!("{call}: the model is asked about {}", about.join(", "))
        }
        ResilienceEvent::RepairBroke {
            call,
            no,
            of,
            wait_ms,
            why,
            ..
        } => format!(
            "{call}: the request about its arguments broke ({why}), it is made again in {} ({no} of {of})",
            span(*wait_ms)
        ),
        ResilienceEvent::RepairAnswered { call, reply, .. } => match reply {
            Reply::Answered { text } => format!("{call}: the model says {text}"),
            Reply::Failed { why } => format!("{call}: no answer from the model: {why}"),
        },
        ResilienceEvent::RepairOffered {
            call, options, why, ..
        } => match options.len() {
            0 => format!("{call}: you decide: {why}"),
            count => format!("{call}: {count} repairs are possible, you choose: {why}"),
        },
        ResilienceEvent::RepairApplied { call, changes, .. } => {
            let made: Vec<String> = changes
                .iter()
                .map(|one| format!("{} ({})", one.path, one.why))
                .collect();
            format!("{call} repaired: {}", made.join("; "))
        }
    }
}
