//! Keeps a second ledger of executions, consents and late results from the events alone.
//!
//! Must not know: the ledger of the run.
//!
//! The rules for consent, reuse of results and fencing must agree with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use overrule_domain::call::{Decision, EffectClass, ErrorClass, Outcome, Status, Way};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, EditEvent, Event, RunEvent, TurnEvent};
use overrule_domain::fork::{Elsewhere, UNREADABLE};
use overrule_domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::repeat::dedup_key;
use overrule_domain::state::State;
use overrule_domain::turn::{Activity, Turn};

/// What is known of an execution.
#[derive(Debug, Clone, PartialEq)]
enum Fate {
    Running,
    Unknown,
    DidNot,
    Happened(Outcome),
}

/// One execution.
#[derive(Debug)]
struct Line {
    seq: Seq,
    call: NodeId,
    rev: Rev,
    attempt: Attempt,
    tool: String,
    args: Value,
    effect: EffectClass,
    fate: Fate,
    ended: Option<Seq>,
}

/// The book.
#[derive(Default)]
pub struct Book {
    lines: Vec<Line>,
    /// Effects of the source run after the fork, by the event that reports each.
    elsewhere: BTreeMap<Seq, Arc<Elsewhere>>,
    /// Executions that a revision of a call may repeat, with the event of the consent.
    consents: BTreeMap<(NodeId, Rev, Seq), Seq>,
    /// The last time another branch or reply was restored: consent is not restored with it.
    recalled: Seq,
    /// Executions that the newest question about a call named.
    asked: BTreeMap<NodeId, Vec<Seq>>,
    /// Calls whose next result is a recorded one that the run uses again.
    reuses: BTreeSet<NodeId>,
    /// The current execution of each call: the newest, or the one whose sub-agent continues after an edit or
    /// on a restored branch.
    works: BTreeMap<NodeId, Attempt>,
    /// The state before a result that arrives too late.
    late: Option<Snapshot>,
}

/// Everything that a late result must not change.
struct Snapshot {
    nodes: Vec<Node>,
    calls: Vec<(NodeId, Way)>,
    turns: BTreeMap<TurnId, Turn>,
}

impl Snapshot {
    fn of(state: &State) -> Self {
        Self {
            nodes: state.nodes.values().cloned().collect(),
            calls: state.calls.values().map(|call| (call.id, call.way())).collect(),
            turns: state.turns.clone(),
        }
    }
}

/// True where an effect of another run may be an effect of this tool with these arguments.
fn may_be(what: &Elsewhere, tool: &str, args: &Value) -> bool {
    if what.is_untold() {
        return *what.tool == *UNREADABLE || *what.tool == *tool;
    }
    match serde_json::from_str::<Value>(&what.args) {
        Ok(ran) => *what.tool == *tool && ran == *args,
        Err(_) => *what.same == *dedup_key(tool, &args.to_string()),
    }
}

fn what_runs(state: &State, id: NodeId) -> (String, Value) {
    let (tool, args) = state.nodes[&id].as_call().expect("a call");
    let bytes = state.calls[&id].resolved.clone().unwrap_or_else(|| args.clone());
    let args = serde_json::from_str(&bytes).expect("JSON");
    (tool.to_string(), args)
}

/// True where the call is active or suspended.
fn counts(state: &State, id: NodeId) -> bool {
    let turn = state.turn_of(id).expect("a turn");
    state.nodes[&id].active && !matches!(turn.activity, Activity::Superseded(_))
}

/// True where the result of an active call came from this execution.
fn gave_what_counts(state: &State, line: &Line) -> bool {
    let given = state.observation(line.call).map(|node| &node.now().content);
    // The result of a call that has to run again is none.
    counts(state, line.call)
        && state.calls[&line.call].status.is_settled()
        && matches!(given, Some(Content::Observation { attempt, .. }) if *attempt == line.attempt)
}

fn fate(outcome: &Outcome, effect: EffectClass) -> Fate {
    match outcome {
        Outcome::Err(error) if !error.executed => Fate::DidNot,
        Outcome::Err(error) if error.class == ErrorClass::Transient && effect.has_effect() => Fate::Unknown,
        Outcome::Cancelled { executed: false } => Fate::DidNot,
        Outcome::Cancelled { executed: true } if effect.has_effect() => Fate::Unknown,
        Outcome::Ok { .. } | Outcome::Err(_) | Outcome::Cancelled { .. } => Fate::Happened(outcome.clone()),
    }
}

impl Book {
    fn line(&mut self, call: NodeId, attempt: Attempt) -> Option<&mut Line> {
        self.lines
            .iter_mut()
            .find(|line| line.call == call && line.attempt == attempt)
    }

    pub fn before(&mut self, state: &State, envelope: &Envelope) {
        let seq = envelope.seq;
        match &envelope.event {
            Event::Call(CallEvent::Started {
                call,
                rev,
                attempt,
                effect,
                ..
            }) => {
                self.starts(state, seq, (*call, *rev, *attempt), *effect);
                self.works.insert(*call, *attempt);
            }
            Event::Call(CallEvent::Continued { call, attempt }) => {
                self.works.insert(*call, *attempt);
            }
            Event::Call(CallEvent::Finished {
                call,
                rev,
                attempt,
                outcome,
                ..
            }) => self.finishes(state, seq, (*call, *rev, *attempt), outcome),
            Event::Call(CallEvent::ConsentAsked { call, entries, .. }) => {
                self.asks(state, *call, entries);
                self.asked.insert(*call, entries.clone());
            }
            Event::Call(CallEvent::Decided {
                call, rev, decision, ..
            }) => match decision {
                Decision::RunAgain { .. } => {
                    let about = self.asked.remove(call).expect("it was asked");
                    self.consents
                        .extend(about.into_iter().map(|entry| ((*call, *rev, entry), seq)));
                }
                Decision::Reuse { .. } if state.calls[call].status == Status::Ready => {
                    self.reuses.insert(*call);
                }
                _ => {}
            },
            Event::Call(CallEvent::Given {
                call,
                outcome,
                origin,
                ..
            }) => {
                if let Status::OutcomeUnknown(attempt) = state.calls[call].status
                    && let Some(line) = self.line(*call, attempt)
                {
                    line.fate = Fate::Happened(outcome.clone());
                    line.ended = Some(seq);
                }
                if let Origin::Reused { from } = origin
                    && self.reuses.remove(call)
                {
                    self.reused(state, *call, *from, outcome);
                }
            }
            Event::Call(CallEvent::Resolved {
                call,
                attempt,
                happened: false,
                ..
            }) => {
                if let Some(line) = self.line(*call, *attempt) {
                    line.fate = Fate::DidNot;
                }
            }
            Event::Edit(EditEvent::Recalled { .. }) | Event::Turn(TurnEvent::Revived { .. }) => {
                self.recalled = seq;
            }
            Event::Run(RunEvent::HappenedElsewhere(one)) => {
                self.elsewhere.insert(seq, one.clone());
            }
            Event::Run(RunEvent::Reopened { .. }) => {
                for line in self.lines.iter_mut().filter(|line| line.fate == Fate::Running) {
                    line.fate = Fate::Unknown;
                }
            }
            _ => {}
        }
    }

    /// Executions that a call of an effect class would repeat and that need consent.
    fn repeats(&self, state: &State, call: NodeId, effect: EffectClass) -> BTreeSet<Seq> {
        let (tool, args) = what_runs(state, call);
        let repeats = |line: &&Line| {
            let equal = line.tool == tool && line.args == args;
            let effects = effect.has_effect() && line.effect.has_effect();
            let resumed = line.effect == EffectClass::Idempotent && line.fate == Fate::Unknown;
            let own = line.call == call && !resumed;
            let unknown = line.fate == Fate::Unknown && line.effect > EffectClass::Idempotent;
            let is_there = state
                .ledger
                .get(&line.seq)
                .is_none_or(|entry| entry.more.reverted_by.is_none());
            let left = is_there && (!counts(state, line.call) || state.nodes[&line.call].rev() != line.rev);
            equal && effects && line.fate != Fate::DidNot && (own || unknown || left && line.call != call)
        };
        let own = self.lines.iter().filter(repeats).map(|line| line.seq);
        let elsewhere = self
            .elsewhere
            .iter()
            .filter(|(_, what)| effect.has_effect() && may_be(what, &tool, &args));
        own.chain(elsewhere.map(|(seq, _)| *seq)).collect()
    }

    /// Checks a question for consent: it names all executions that would be repeated without consent.
    /// It may also name executions that an edit interrupted, or that another one of their call follows.
    fn asks(&self, state: &State, call: NodeId, entries: &[Seq]) {
        let rev = state.nodes[&call].rev();
        let all = self.repeats(state, call, state.calls[&call].effect);
        let consent = |entry: &&Seq| self.consents.get(&(call, rev, **entry));
        let open: BTreeSet<Seq> = all
            .iter()
            .filter(|entry| consent(entry).is_none())
            .copied()
            .collect();
        let returned = |entry: &&Seq| consent(entry).is_none_or(|at| *at < self.recalled);
        let may: BTreeSet<Seq> = all.iter().filter(returned).copied().collect();
        let other = |seq: &Seq| {
            let line = self.lines.iter().find(|line| line.seq == *seq);
            line.is_some_and(|line| {
                let cut_off = line.effect == EffectClass::Idempotent && line.fate == Fate::Unknown;
                cut_off || !gave_what_counts(state, line)
            })
        };
        let entries: BTreeSet<Seq> = entries.iter().copied().collect();
        assert!(
            open.is_subset(&entries),
            "{call} is asked about {entries:?}, not {open:?}"
        );
        let needless = entries.difference(&may).find(|seq| !other(seq));
        assert!(
            needless.is_none(),
            "{call} is asked about {needless:?} for nothing"
        );
    }

    /// Checks a start: it repeats no orphaned effect, no effect of unknown outcome and no effect of its
    /// own call, unless a person consented to exactly that execution.
    fn starts(
        &mut self,
        state: &State,
        seq: Seq,
        (call, rev, attempt): (NodeId, Rev, Attempt),
        effect: EffectClass,
    ) {
        let (tool, args) = what_runs(state, call);
        for entry in self.repeats(state, call, effect) {
            assert!(
                self.consents.contains_key(&(call, rev, entry)),
                "{seq}: {call} repeats {entry} without consent"
            );
        }
        self.lines.push(Line {
            seq,
            call,
            rev,
            attempt,
            tool,
            args,
            effect,
            fate: Fate::Running,
            ended: None,
        });
    }

    fn finishes(
        &mut self,
        state: &State,
        seq: Seq,
        (call, rev, attempt): (NodeId, Rev, Attempt),
        outcome: &Outcome,
    ) {
        let current = counts(state, call)
            && self.works.get(&call) == Some(&attempt)
            && state.nodes[&call].rev() == rev
            && state.calls[&call].is_running();
        if !current {
            self.late = Some(Snapshot::of(state));
        }
        let line = self.line(call, attempt).expect("it was begun");
        line.fate = fate(outcome, line.effect);
        line.ended = Some(seq);
    }

    /// A result that is used again is what an equal harmless execution gave, out of sight, in a world
    /// that nothing has written to since it began.
    fn reused(&self, state: &State, call: NodeId, from: Seq, outcome: &Outcome) {
        let (tool, args) = what_runs(state, call);
        let source = self.lines.iter().find(|line| line.seq == from).expect("it ran");
        assert!(
            (&source.tool, &source.args) == (&tool, &args),
            "{call}: another execution"
        );
        assert_eq!(source.fate, Fate::Happened(outcome.clone()), "{call}");
        assert!(
            outcome.is_ok() && source.effect <= EffectClass::Read,
            "{call} is no harmless result"
        );
        let seen = self.lines.iter().find(|line| {
            line.tool == tool && line.args == args && line.call != call && state.nodes[&line.call].active
        });
        assert!(seen.is_none(), "{call} is equal to {seen:?}, which is in sight");
        if source.effect == EffectClass::Read {
            let since = self.elsewhere.range(from..).next();
            assert!(
                since.is_none(),
                "{call} reuses what was read at {from}; since then {since:?}"
            );
            let wrote = self.lines.iter().find(|line| {
                let over = line.seq < from && line.ended.is_some_and(|ended| ended < from);
                let doubtful = line.fate == Fate::Unknown;
                line.effect.has_effect() && line.fate != Fate::DidNot && (!over || doubtful)
            });
            assert!(
                wrote.is_none(),
                "{call} reuses what was read at {from}; meanwhile {wrote:?}"
            );
        }
    }

    /// A late result goes into the ledger and the history of its call, and nowhere else.
    pub fn after(&mut self, state: &State, envelope: &Envelope) {
        if let Event::Edit(EditEvent::Recalled { .. }) = &envelope.event {
            for id in &state.agenda.delegates {
                if let Status::Running(attempt) = state.calls[id].status {
                    self.works.insert(*id, attempt);
                }
            }
        }
        let Event::Call(CallEvent::Finished { call, attempt, .. }) = &envelope.event else {
            return;
        };
        let record = state.calls[call].attempts.iter().find(|one| one.no == *attempt);
        let record = record.expect("it was begun");
        assert_eq!(record.fenced, self.late.is_some(), "{call} {attempt}");
        let Some(before) = self.late.take() else {
            let observed = state.observation(*call).is_some();
            let is_unknown = matches!(state.calls[call].status, Status::OutcomeUnknown(_));
            assert!(observed || is_unknown, "{call} has ended without a result");
            return;
        };
        assert!(
            state.nodes.values().eq(before.nodes.iter()),
            "a late result changed a node"
        );
        assert_eq!(state.turns, before.turns, "a late result changed a turn");
        for (id, was) in &before.calls {
            let mut now = state.calls[id].way();
            // What is about to repeat an effect that has become doubtful is asked about first.
            let asked_again = now.status == Status::Ready
                && matches!(
                    was.status,
                    Status::AwaitingApproval | Status::Queued | Status::Consent(_)
                );
            if asked_again {
                now.status = was.status.clone();
            }
            assert_eq!(now, *was, "a late result of {call} changed {id}");
        }
    }
}
