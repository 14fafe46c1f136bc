//! Defines the questions about tools and policy that the rules ask.
//!
//! Must not know: who answers.
//!
//! An answer that was used is recorded in the event, so that a replay does not ask again.

use std::sync::Arc;

use overrule_base::canon;

use super::breaker::{Breaker, Scope, Turn};
use super::call::{Call, Consequence, Decision, Digest, EffectClass, Fault, Gate, Operand, Verdict};
use super::draft::Draft;
use super::escape::advised::Advised;
use super::event::run::ToolCard;
use super::event::{CallEvent, Event};
use super::files::{FilePath, Looked};
use super::id::{NodeId, Rev, ThreadId};
use super::ladder::Next;
use super::node::Node;
use super::orphan_process::OrphanProcess;
use super::ready;
use super::repair_trace;
use super::rule::{RuleSpec, SessionRule};
use super::sandbox::{Profile, ReadOnly, Widening};
use super::state::State;
use super::weight::ToolOffer;

/// How much a rule keeps from a call that walks a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// A place; what is below it counts for itself.
    Itself,
    /// A place and everything below it.
    Below,
}

/// The questions of a decision or an advance of the run. Implementations are pure: same question,
/// same answer. Exceptions: [`Advice::operands`] and [`Advice::before`] read files as they are now,
/// and their answers are recorded; [`Advice::look_at_files`] looks at files, and a restore looks again; [`Advice::still_runs`]
/// looks at processes.
pub trait Advice {
    /// Effect class and tags of a tool; none for an unknown tool.
    fn tool(&self, name: &str) -> Option<ToolFacts>;

    /// Effect class of a call with these arguments; `unknown` for an unknown tool. It may depend on the calls before it:
    /// on where a shell is.
    fn effect(&self, _state: &State, tool: &str, _args: &str) -> EffectClass {
        self.tool(tool).map_or(EffectClass::Unknown, |facts| facts.effect)
    }

    /// Tools that can replace this one, best first.
    fn instead(&self, _state: &State, _tool: &str) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Names of tools that resemble this one, best first.
    fn near(&self, name: &str) -> Vec<String>;

    /// Everything wrong with an argument text by the tool's schema. References count as wildcards
    /// while `resolved` is false.
    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault>;

    /// The faults of [`Advice::check`] with which a call cannot run. A program that executes its own tools checks their
    /// arguments itself.
    fn bars(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        self.check(tool, args, resolved)
    }

    /// Everything wrong with an answer by the output schema of the session; none without such a
    /// schema.
    fn answer(&self, _text: &str) -> Option<Vec<Fault>> {
        None
    }

    /// The policy's verdict on a call with its final arguments, given how often its rules were
    /// used.
    fn verdict(&self, tool: &str, args: &str, used: &RuleUses<'_>) -> Verdict;

    /// Hash of the tool, its definition, the exact bytes and the surroundings, the same for every
    /// such call. An error says why no rule may always allow it.
    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String>;

    /// The same advice with a rule of the session in force. An error says why that rule is not
    /// valid.
    fn with_rule(&self, no: u32, rule: &RuleSpec) -> Result<Box<dyn Advice + '_>, String>;

    /// The same advice with another policy in force. An error says why that policy does not exist.
    fn with_policy(&self, policy: &str) -> Result<Box<dyn Advice + '_>, String>;

    /// The same advice with these rules of the session in force and no others.
    fn with_rules(&self, rules: &[SessionRule]) -> Box<dyn Advice + '_>;

    /// The same advice with a sandbox that allows this in addition.
    fn with_sandbox(&self, by: &[Widening]) -> Box<dyn Advice + '_>;

    /// The profile of the sandbox in which a call starts; none for a call that nothing confines, or that asks to run outside.
    fn profile(&self, _tool: &str, _args: &str) -> Option<Arc<Profile>> {
        None
    }

    /// What a call cannot write if this rule, as cited, allows it, because it could not be restored: empty for all rules but
    /// [`UNDOABLE`](super::sandbox::UNDOABLE). An error says why that rule does not allow the call now.
    fn read_only(&self, _rule: &str, _tool: &str, _args: &str) -> Result<ReadOnly, String> {
        Ok(ReadOnly::default())
    }

    /// True while the verdict on a call is about to change by itself: the call waits for it.
    fn awaits(&self, _tool: &str, _args: &str, _used: &RuleUses<'_>) -> bool {
        false
    }

    /// Hash of what is shown for a decision and would run, with the files that it may run. See [`digest`] for a call with a
    /// verdict.
    fn digest(&self, call: NodeId, rev: Rev, what: (&str, &str), operands: &[Operand]) -> Digest;

    /// The files that an execution runs, as they are now.
    fn operands(&self, _tool: &str, _args: &str) -> Vec<Operand> {
        Vec::new()
    }

    /// The exclusive resource of an execution (a file). Two calls with the same one never overlap.
    fn resource(&self, tool: &str, args: &str) -> Option<String>;

    /// What follows the failure of a call, or the faults with which it cannot run.
    fn after(&self, state: &State, call: &Call) -> Next;

    /// The breakers that a call has to pass.
    fn guards(&self, tool: &str, args: &str) -> Vec<Scope>;

    /// The change that a breaker makes because of its samples, if any.
    fn breaker(&self, breaker: &Breaker) -> Option<Turn>;

    /// The name of the operator's program that also decides about calls awaiting approval.
    fn approver(&self) -> Option<Arc<str>> {
        None
    }

    /// Whether calls of an open breaker fail immediately instead of waiting.
    fn fails_fast(&self) -> bool;

    /// The text of the resilience settings with another value for one key. An error says what is
    /// wrong with it.
    fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, String>;

    /// The part of a process, or of its children, that still runs now. A call that may not run
    /// again because of it is refused, so nothing of this is recorded.
    fn still_runs(&self, _pid: u32, _ticks: u64) -> Option<OrphanProcess> {
        None
    }

    /// What is known of the world before an execution, as JSON text, for a later probe.
    fn before(&self, tool: &str, args: &str) -> Option<String>;

    /// Looks at the files of the workspace: what these paths are now, and which of these contents, by their hashes, are not
    /// saved. Links are not followed: below a link, nothing is there. An error says why nothing is known.
    fn look_at_files(&self, _paths: &[FilePath], _contents: &[&str]) -> Result<Looked, String> {
        Err("no files are looked at here".to_owned())
    }

    /// What to do about a loop in a settled thread; asked until it gives nothing. Without an
    /// implementation no loops are found.
    fn escape(&self, _state: &State, _thread: ThreadId) -> Option<Advised> {
        None
    }

    /// The kind of task that a prompt asks for; none if its words do not show it.
    fn task(&self, _prompt: &str) -> Option<Arc<str>> {
        None
    }

    /// The verdict, possibly stricter because the tool served such tasks badly.
    fn careful(&self, _tool: &str, _task: Option<&str>, verdict: Verdict) -> Verdict {
        verdict
    }

    /// Adapts a question to this environment: without an operator it expires immediately.
    fn put(&self, verdict: Verdict) -> Verdict {
        verdict
    }

    /// The tools whose offer to the model differs for a kind of task.
    fn offer(&self, _task: Option<&str>, _tools: &[ToolCard]) -> Vec<ToolOffer> {
        Vec::new()
    }
}

/// Hash of what is shown for a decision and would run: that of the advice, and what is read-only where the verdict allows
/// the call for that reason.
pub fn digest(
    advice: &dyn Advice,
    (call, rev): (NodeId, Rev),
    (tool, args): (&str, &str),
    operands: &[Operand],
    verdict: Option<&Verdict>,
) -> Digest {
    let base = advice.digest(call, rev, (tool, args), operands);
    let Some(verdict) = verdict.filter(|verdict| verdict.gate == Gate::Allow) else {
        return base;
    };
    let part = match advice.read_only(&verdict.rule, tool, args) {
        Ok(read_only) if read_only.is_empty() => return base,
        Ok(read_only) => serde_json::to_string(&read_only).unwrap_or_default(),
        // No digest of an allowed call is the same.
        Err(why) => format!("not allowed: {why}"),
    };
    let parts = [base.0.as_bytes(), part.as_bytes()];
    Digest(Arc::from(canon::hash(
        "overrule approval with read-only paths v1",
        &parts,
    )))
}

/// The verdict on a call with its final arguments: that of the policy. It is stricter if the tool
/// serves badly, or if a repair proposed it instead of a call of a lower class.
pub fn decide(
    advice: &dyn Advice,
    node: &Node,
    bytes: &str,
    task: Option<&str>,
    used: &RuleUses<'_>,
) -> Option<Verdict> {
    let (tool, _) = node.as_call()?;
    let verdict = advice.careful(tool, task, advice.verdict(tool, bytes, used));
    let Some((before, args)) = repair_trace::replaced(node).filter(|_| verdict.gate == Gate::Allow) else {
        return Some(verdict);
    };
    let state = used.state();
    let (was, is) = (
        advice.effect(state, before, args),
        advice.effect(state, tool, bytes),
    );
    if is <= was {
        return Some(verdict);
    }
    Some(advice.put(Verdict {
        gate: Gate::Ask,
        rule: "repair.propose".to_owned(),
        reason: format!(
            "a repair proposes {tool} ({}) in place of {before} ({}); the policy allows it: {}",
            is.label(),
            was.label(),
            verdict.place()
        ),
        deadline_ms: None,
        on_expiry: Consequence::Deny,
        quoted: None,
        ..verdict
    }))
}

/// How often each rule of the policy has approved a call, for rules that may do so N times. Counted
/// on demand: few rules have such a limit.
#[derive(Debug, Clone, Copy)]
pub struct RuleUses<'d> {
    state: &'d State,
    /// Events decided together and not applied yet.
    draft: &'d [Event],
    /// One use of this rule is left out.
    but_once: Option<&'d str>,
}

impl<'d> RuleUses<'d> {
    /// As of the events that are being decided.
    pub fn by(draft: &'d Draft<'_>) -> Self {
        Self {
            state: draft.state,
            draft: &draft.events,
            but_once: None,
        }
    }

    /// The same without one use of a rule: that of a call that is decided again.
    pub fn but_once(self, rule: &'d str) -> Self {
        Self {
            but_once: Some(rule),
            ..self
        }
    }

    /// The state before those events.
    pub fn state(&self) -> &'d State {
        self.state
    }

    /// How often a rule, as cited, has approved a call or is about to.
    pub fn times(&self, rule: &str) -> u32 {
        let lets = |verdict: &Verdict| verdict.gate == Gate::Allow && verdict.rule == rule;
        let by_rule = |decision: &Decision| matches!(decision, Decision::Auto { rule: one } if one == rule);
        let of_call = |call: &Call| {
            let decisions = call.decisions.iter();
            decisions.filter(|(_, _, decision)| by_rule(decision)).count()
        };
        let decided: usize = self.state.calls.values().map(of_call).sum();
        let waiting = self.state.agenda.ungated.iter();
        let waiting = waiting
            .filter_map(|id| self.state.calls.get(id))
            .filter_map(|call: &Call| call.verdict.as_ref())
            .filter(|verdict| lets(verdict))
            .count();
        let now = self
            .draft
            .iter()
            .filter(|event| matches!(event, Event::Call(CallEvent::Ready { verdict, .. }) if lets(verdict)))
            .count();
        let own = usize::from(self.but_once == Some(rule));
        u32::try_from((decided + waiting + now).saturating_sub(own)).unwrap_or(u32::MAX)
    }
}

/// What the rules know of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFacts {
    /// Effect class.
    pub effect: EffectClass,
    /// Whether a truncated value may be passed to it by reference.
    pub takes_truncated: bool,
    /// Whether the operator must see the difference on screen before an edit counts as approval,
    /// for any effect class.
    pub show_difference: bool,
    /// What the run itself does with its calls; `None` for a tool that only runs.
    pub special: Option<Special>,
}

/// A tool whose calls the run itself carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Ends the run with a structured answer.
    Answer,
    /// Asks the operator, who types its result.
    AsksOperator,
    /// Delegates a task: only the calls of the sub-agent run.
    Delegates,
}

impl Special {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Answer, Self::AsksOperator, Self::Delegates];

    /// Returns the tag that marks the tool on its card.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::AsksOperator => super::tags::ASKS_OPERATOR,
            Self::Delegates => "delegates",
        }
    }

    /// Returns the one that a card is marked as.
    pub fn of(card: &ToolCard) -> Option<Self> {
        let marked = |one: &Self| card.tags.iter().any(|tag| tag == one.tag());
        Self::ALL.into_iter().find(marked)
    }
}

impl ToolFacts {
    /// Returns what is known from a recorded card.
    pub fn of(card: &ToolCard) -> Self {
        Self {
            effect: card.effect,
            takes_truncated: card.takes_truncated,
            show_difference: card.tags.iter().any(|tag| tag == "external"),
            special: Special::of(card),
        }
    }

    /// True for the tool that ends the run with a structured answer.
    pub fn is_answer(&self) -> bool {
        self.special == Some(Special::Answer)
    }

    /// True for the tool that asks the operator, who types its result.
    pub fn asks_operator(&self) -> bool {
        self.special == Some(Special::AsksOperator)
    }

    /// True for the tool that delegates a task: only the calls of the sub-agent run.
    pub fn delegates(&self) -> bool {
        self.special == Some(Special::Delegates)
    }

    /// True if an edit counts as approval only after its whole difference was on screen: the call
    /// can change the world, or sends something out of it.
    pub fn must_be_seen(&self) -> bool {
        self.show_difference || self.effect >= EffectClass::Idempotent
    }
}

/// Advice from the start of the run, for questions that need no schema and no policy: the preview
/// of an edit on a screen or in a recorded session. Every call needs approval.
#[derive(Debug, Clone, Copy)]
pub struct Cards<'s>(pub &'s State);

impl Advice for Cards<'_> {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        let card = self
            .0
            .started
            .as_ref()?
            .tools
            .iter()
            .find(|card| &*card.name == name)?;
        Some(ToolFacts::of(card))
    }

    fn effect(&self, _state: &State, tool: &str, args: &str) -> EffectClass {
        super::tags::effect(self.0, tool, args)
    }

    fn near(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    fn check(&self, _tool: &str, _args: &str, _resolved: bool) -> Vec<Fault> {
        Vec::new()
    }

    fn verdict(&self, _tool: &str, _args: &str, _used: &RuleUses<'_>) -> Verdict {
        Verdict {
            gate: Gate::Ask,
            rule: "recorded session".into(),
            reason: "no policy is in force".into(),
            deadline_ms: None,
            on_expiry: Consequence::Deny,
            quoted: None,
            parts: Vec::new(),
            alone: false,
            operator_only: false,
        }
    }

    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String> {
        Ok(format!("{tool} {args}").into())
    }

    fn with_rule(&self, _no: u32, _rule: &RuleSpec) -> Result<Box<dyn Advice + '_>, String> {
        Ok(Box::new(*self))
    }

    fn with_policy(&self, _policy: &str) -> Result<Box<dyn Advice + '_>, String> {
        Ok(Box::new(*self))
    }

    fn with_rules(&self, _rules: &[SessionRule]) -> Box<dyn Advice + '_> {
        Box::new(*self)
    }

    fn with_sandbox(&self, _by: &[Widening]) -> Box<dyn Advice + '_> {
        Box::new(*self)
    }

    /// The recorded one, where nothing changed: what it was made of is not known here.
    fn digest(&self, id: NodeId, rev: Rev, (tool, args): (&str, &str), _operands: &[Operand]) -> Digest {
        let recorded = self.0.calls.get(&id).and_then(|call| {
            let node = self.0.node(id).filter(|node| node.rev() == rev)?;
            let (own, _) = node.as_call()?;
            let is_same = **own == *tool && *ready::resolved_args(self.0, call)? == *args;
            call.digest.clone().filter(|_| is_same)
        });
        recorded.unwrap_or_else(|| Digest(format!("{id} {rev} {tool} {args}").into()))
    }

    fn resource(&self, _tool: &str, _args: &str) -> Option<String> {
        None
    }

    fn after(&self, _state: &State, _call: &Call) -> Next {
        Next::Leave {
            why: "no policy is in force".into(),
        }
    }

    fn guards(&self, _tool: &str, _args: &str) -> Vec<Scope> {
        Vec::new()
    }

    fn breaker(&self, _breaker: &Breaker) -> Option<Turn> {
        None
    }

    fn fails_fast(&self) -> bool {
        false
    }

    fn configured(&self, _key: &str, _value: &str) -> Result<Arc<str>, String> {
        Err("no policy is in force".into())
    }

    fn before(&self, _tool: &str, _args: &str) -> Option<String> {
        None
    }
}
