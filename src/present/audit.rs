//! Lists the decisions of a run: actor, decision, time, waiting time and what was shown.
//!
//! Must not know: where they are stored, how a list is printed.
//!
//! A pure fold of the recorded events.

mod act;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use overrule_domain::apply::apply;
use overrule_domain::approver;
use overrule_domain::call::{Consequence, Decision, Digest, Outcome};
use overrule_domain::envelope::{Actor, Envelope};
use overrule_domain::event::{CallEvent, EditEvent, Event, ResilienceEvent, RunEvent, TurnEvent};
use overrule_domain::id::{Attempt, NodeId, Rev, TurnId};
use overrule_domain::node::Content;
use overrule_domain::state::State;
use overrule_domain::why;

pub use self::view::{AuditView, ExecutedView, ShownView, Who};

/// Returns the decisions in a list of recorded events, oldest first.
pub fn entries(envelopes: &[Envelope]) -> Vec<AuditView> {
    let mut audit = Audit::default();
    for envelope in envelopes {
        audit.before(envelope);
        apply(&mut audit.state, envelope);
        audit.after(envelope);
    }
    audit.finish()
}

/// What a decision answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Node(NodeId),
    Turn(TurnId),
}

/// A time on the clocks of the process that recorded it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    process: u32,
    mono: u64,
    at: i64,
}

/// The audit while it is built.
#[derive(Default)]
struct Audit {
    state: State,
    entries: Vec<AuditView>,
    /// The time of each open question.
    asked: BTreeMap<Question, Moment>,
    /// The entry that allowed each call.
    allowed: BTreeMap<NodeId, usize>,
    /// Who wrote each revision.
    editors: BTreeMap<(NodeId, Rev), Who>,
    /// The entry of the edit that the events belong to.
    edit: Option<usize>,
    /// Counts the processes that wrote the journal: each has a monotonic clock of its own.
    process: u32,
}

impl Audit {
    fn moment(&self, envelope: &Envelope) -> Moment {
        Moment {
            process: self.process,
            mono: envelope.mono,
            at: envelope.at,
        }
    }

    /// Records what an event decides, seen from the state before it.
    fn before(&mut self, envelope: &Envelope) {
        let by_person = matches!(envelope.actor, Actor::Operator(_));
        match &envelope.event {
            Event::Call(CallEvent::Decided {
                call,
                rev,
                digest,
                decision,
            }) => self.decided(envelope, (*call, *rev), digest.as_ref(), decision),
            Event::Call(CallEvent::Given { call, outcome, .. }) => self.given(envelope, *call, outcome),
            Event::Edit(EditEvent::Revised {
                node, rev, content, ..
            }) => self.revised(envelope, (*node, *rev), content),
            Event::Turn(
                TurnEvent::Prompted { node, text, .. }
                | TurnEvent::Thought { node, text, .. }
                | TurnEvent::Proposed { node, args: text, .. },
            ) if by_person => self.inserted(envelope, *node, text),
            event => {
                let Some(act) = act::of(event, by_person) else {
                    return;
                };
                let mut entry = Self::entry(envelope, act.action);
                if let Event::Run(RunEvent::Started(started)) = event {
                    entry.who = Who::Operator(started.user.clone(), None);
                }
                if let Some(node) = act.node {
                    self.about(&mut entry, node);
                    entry.waited = self.waited(Question::Node(node), envelope);
                }
                if let Some(turn) = act.turn {
                    entry.waited = self.waited(Question::Turn(turn), envelope);
                }
                entry.reason = act.reason;
                entry.rule = act.rule;
                entry.detail = act.detail;
                let edits = matches!(
                    event,
                    Event::Edit(EditEvent::Committed { .. })
                        | Event::Resilience(ResilienceEvent::RepairApplied { .. })
                );
                self.edit = edits.then_some(self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    /// Notes what an event asks for and starts, seen from the state after it.
    fn after(&mut self, envelope: &Envelope) {
        let mut ask = |question| {
            let moment = self.moment(envelope);
            self.asked.insert(question, moment);
        };
        match &envelope.event {
            Event::Call(
                CallEvent::Asked { call, .. }
                | CallEvent::ConsentAsked { call, .. }
                | CallEvent::Undetermined { call, .. },
            )
            | Event::Resilience(ResilienceEvent::RepairOffered { call, .. }) => ask(Question::Node(*call)),
            Event::Turn(TurnEvent::Broken { turn, .. }) => ask(Question::Turn(*turn)),
            Event::Run(RunEvent::Reopened { interrupted, .. }) => {
                self.process += 1;
                for (call, _) in interrupted {
                    let moment = self.moment(envelope);
                    self.asked.insert(Question::Node(*call), moment);
                }
            }
            Event::Call(CallEvent::Started { call, attempt, .. }) => self.started(envelope, *call, *attempt),
            Event::Call(CallEvent::Finished {
                call, attempt, ms, ..
            }) => self.finished(*call, *attempt, *ms),
            _ => {}
        }
        // Older records do not show which events belong to one decision: those of a person follow
        // each other.
        if !envelope.more && !matches!(envelope.actor, Actor::Operator(_)) {
            self.edit = None;
        }
    }

    fn entry(envelope: &Envelope, action: &'static str) -> AuditView {
        AuditView {
            seq: envelope.seq,
            at: envelope.at,
            who: match &envelope.actor {
                Actor::Operator(user) => Who::Operator(user.name.clone(), user.via),
                Actor::Engine | Actor::Model | Actor::Tool => Who::Engine,
            },
            action,
            node: None,
            rev: None,
            tool: None,
            waited: None,
            why: None,
            shown: None,
            rule: None,
            reason: None,
            detail: None,
            original: None,
            changed: None,
            executed: Vec::new(),
        }
    }

    /// Sets the node of an entry, with its current and its first text.
    fn about(&self, entry: &mut AuditView, id: NodeId) {
        entry.node = Some(id);
        let Some(node) = self.state.nodes.get(&id) else {
            return;
        };
        entry.rev = Some(node.rev());
        entry.tool = node.as_call().map(|(tool, _)| tool.clone());
        entry.why = why::of(node);
        entry.original = node.revisions.first().and_then(|first| text_of(&first.content));
    }

    /// Returns how long a question was open. The question stays open: a deadline may pass several times.
    fn waited(&self, question: Question, envelope: &Envelope) -> Option<u64> {
        let asked = self.asked.get(&question)?;
        Some(if asked.process == self.process {
            envelope.mono.saturating_sub(asked.mono)
        } else {
            u64::try_from(envelope.at.saturating_sub(asked.at)).unwrap_or(0)
        })
    }

    fn decided(
        &mut self,
        envelope: &Envelope,
        (call, rev): (NodeId, Rev),
        digest: Option<&Digest>,
        decision: &Decision,
    ) {
        let decided = act::decision(decision);
        let mut entry = Self::entry(envelope, decided.action);
        self.about(&mut entry, call);
        entry.rev = Some(rev);
        if decided.by_policy {
            entry.who = Who::Policy;
        }
        if let Some(name) = approver::of(decision) {
            entry.who = Who::Approver(name);
        }
        if *decision == Decision::Edited
            && let Some(who) = self.editors.get(&(call, rev))
        {
            entry.who = who.clone();
        }
        entry.waited = self.waited(Question::Node(call), envelope);
        let continues = Decision::Expire {
            consequence: Consequence::Escalate,
        };
        if *decision != continues && !matches!(decision, Decision::LeftToOperator { .. }) {
            self.asked.remove(&Question::Node(call));
        }
        let life = self.state.calls.get(&call);
        entry.rule = decided.rule.or_else(|| {
            let verdict = life.as_ref()?.verdict.as_ref()?;
            Some(verdict.rule.clone())
        });
        entry.reason = decided.reason;
        if let Some(life) = life
            && let Some(args) = life.resolved.clone().or_else(|| self.args(call))
        {
            let operands = life.runs.iter().flat_map(|runs| &runs.operands);
            entry.shown = Some(ShownView {
                args,
                digest: digest.or(life.digest.as_ref()).cloned(),
                unread: decided.unread,
                form: decided.form,
                files: operands.map(|operand| operand.path.clone()).collect(),
            });
        }
        if decided.allows {
            self.allowed.insert(call, self.entries.len());
        }
        self.entries.push(entry);
    }

    fn args(&self, call: NodeId) -> Option<Arc<str>> {
        let node = self.state.nodes.get(&call)?;
        node.as_call().map(|(_, args)| args.clone())
    }

    /// A result without an execution belongs to the decision recorded with it.
    fn given(&mut self, envelope: &Envelope, call: NodeId, outcome: &Outcome) {
        if !matches!(envelope.actor, Actor::Operator(_)) {
            return;
        }
        let answers = |entry: &&mut AuditView| entry.node == Some(call) && entry.executed.is_empty();
        if let Some(entry) = self.entries.last_mut().filter(answers) {
            entry.changed = Some(value(outcome));
        }
    }

    /// The current text of a node belongs to the edit that is being committed.
    fn revised(&mut self, envelope: &Envelope, (id, rev): (NodeId, Rev), content: &Content) {
        let Some(at) = self.edit else { return };
        let Some(first) = self.entries.get(at) else {
            return;
        };
        let mut entry = if first.changed.is_none() && first.node.is_none_or(|node| node == id) {
            first.clone()
        } else {
            // Several changes were committed as one.
            let mut entry = Self::entry(envelope, first.action);
            entry.reason.clone_from(&first.reason);
            entry.detail.clone_from(&first.detail);
            entry
        };
        let is_first = entry.seq == first.seq;
        self.about(&mut entry, id);
        entry.rev = Some(rev);
        entry.original = self
            .state
            .nodes
            .get(&id)
            .and_then(|node| text_of(&node.now().content));
        entry.changed = Some(text_of(content).unwrap_or_else(|| "(deleted)".into()));
        if let Content::Call { tool, .. } = content {
            entry.tool = Some(tool.clone());
        }
        self.editors.insert((id, rev), entry.who.clone());
        let waited = self.waited(Question::Node(id), envelope);
        self.asked.remove(&Question::Node(id));
        if is_first {
            entry.waited = waited;
            self.entries[at] = entry;
        } else {
            self.entries.push(entry);
        }
    }

    /// An inserted node belongs to the edit that is being committed. The first prompt is no edit.
    fn inserted(&mut self, envelope: &Envelope, node: NodeId, text: &Arc<str>) {
        if let Some(entry) = self.edit.and_then(|at| self.entries.get_mut(at)) {
            if entry.changed.is_none() {
                entry.node = Some(node);
                entry.changed = Some(text.clone());
            }
            return;
        }
        let mut entry = Self::entry(envelope, "prompt");
        entry.node = Some(node);
        entry.changed = Some(text.clone());
        self.entries.push(entry);
    }

    fn started(&mut self, envelope: &Envelope, call: NodeId, attempt: Attempt) {
        let args = self.state.calls.get(&call).and_then(|life| {
            let mut attempts = life.attempts.iter();
            attempts
                .find(|one| one.intent == envelope.seq)
                .map(|one| one.args.clone())
        });
        let executed = ExecutedView {
            attempt,
            seq: envelope.seq,
            args: args.unwrap_or_default(),
            outcome: String::new(),
            ms: None,
        };
        let allowed = self.allowed.get(&call).copied();
        if let Some(entry) = allowed.and_then(|at| self.entries.get_mut(at)) {
            entry.executed.push(executed);
            return;
        }
        // No record explains why it ran: that is worth a line of its own.
        let mut entry = Self::entry(envelope, "run_without_decision");
        self.about(&mut entry, call);
        entry.executed.push(executed);
        self.allowed.insert(call, self.entries.len());
        self.entries.push(entry);
    }

    fn finished(&mut self, call: NodeId, attempt: Attempt, ms: u64) {
        let of_call = self.entries.iter_mut().rev().filter(|one| one.node == Some(call));
        let mut ran = of_call.flat_map(|entry| &mut entry.executed);
        if let Some(executed) = ran.find(|one| one.attempt == attempt) {
            executed.ms = Some(ms);
        }
    }

    /// Adds the outcome of every execution, from the final ledger.
    fn finish(mut self) -> Vec<AuditView> {
        for executed in self.entries.iter_mut().flat_map(|entry| &mut entry.executed) {
            executed.outcome = match self.state.ledger.get(&executed.seq) {
                Some(entry) => super::outcome(&entry.outcome),
                None => "outcome unknown".to_owned(),
            };
        }
        self.entries
    }
}

/// Returns the content of a node as one text; `None` once it is deleted.
fn text_of(content: &Content) -> Option<Arc<str>> {
    match content {
        Content::Text { text, .. } => Some(text.clone()),
        Content::Call { args, .. } => Some(args.clone()),
        Content::Observation { outcome, .. } => Some(value(outcome)),
        Content::Deleted => None,
    }
}

fn value(outcome: &Outcome) -> Arc<str> {
    match outcome {
        Outcome::Ok { value, .. } => value.clone(),
        Outcome::Err(error) => error.message.as_str().into(),
        Outcome::Cancelled { .. } => "(cancelled)".into(),
    }
}
