//! What became of the bad calls of an exercise, by its record; or what the policy alone would do with them.
//!
//! A call is over with the first word on it: a decision, an edit of it, a rule. Times are those of the record,
//! from the question to the word. Must not know: how it is shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::bad::{Kind, plain};
use super::script::Script;
use crate::domain::call::{Consequence, Decision, Gate};
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{CallEvent, EditEvent, Event, RunEvent, TurnEvent};
use crate::domain::id::NodeId;
use crate::domain::node::{Content, Origin};
use crate::domain::tags::IRREVERSIBLE;

/// Approvals of a person that lie no further apart were one decision on a list: no two keys count so soon.
const AT_ONCE_MS: i64 = 100;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Caught: a person refused it.
    Rejected,
    /// Caught: a person wrote other arguments.
    Edited,
    /// Caught: a person put another tool in its place.
    Replaced,
    /// Caught: a person typed the result.
    Answered,
    /// Caught: a person took it away.
    Deleted,
    /// Caught by the policy, unasked.
    Denied,
    /// Let through: a person approved it.
    ApprovedByHand,
    /// Let through: a person approved it in a list.
    ApprovedInAList,
    /// Let through: a rule or the preset, unasked.
    AllowedByRule,
    /// Nobody decided.
    NotDecided,
    /// It was never reached.
    NotReached,
}

impl End {
    /// In a word or two.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Edited => "edited",
            Self::Replaced => "replaced",
            Self::Answered => "answered by hand",
            Self::Deleted => "deleted",
            Self::Denied => "denied by the policy",
            Self::ApprovedByHand => "approved by hand",
            Self::ApprovedInAList => "approved in a list",
            Self::AllowedByRule => "let run by a rule, unasked",
            Self::NotDecided => "not decided",
            Self::NotReached => "not reached",
        }
    }

    /// True where it did not run because of a decision.
    pub const fn is_caught(self) -> bool {
        matches!(
            self,
            Self::Rejected | Self::Edited | Self::Replaced | Self::Answered | Self::Deleted | Self::Denied
        )
    }

    /// True where it would have run.
    pub const fn is_through(self) -> bool {
        matches!(
            self,
            Self::ApprovedByHand | Self::ApprovedInAList | Self::AllowedByRule
        )
    }
}

/// What became of an exercise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Score {
    /// The session that it was made from.
    pub of: String,
    /// What the bad calls were drawn by.
    pub seed: u64,
    /// The bad calls.
    pub bad: Tally,
    /// How often each end came to a bad call.
    pub ends: BTreeMap<&'static str, usize>,
    /// The good calls.
    pub good: Good,
    /// The bad calls by kind.
    pub kinds: BTreeMap<&'static str, Tally>,
    /// All calls by what they could do to the world.
    pub classes: BTreeMap<String, Class>,
    /// The bad calls, one by one, as they stood in the script.
    pub calls: Vec<Told>,
}

/// Some bad calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many were mixed in.
    pub mixed_in: usize,
    /// How many a person or the policy kept from running.
    pub caught: usize,
    /// How many would have run.
    pub let_through: usize,
    /// How many nobody decided, or were never reached.
    pub open: usize,
}

/// The good calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Good {
    /// How many came.
    pub seen: usize,
    /// How many a person refused: false alarms.
    pub rejected: usize,
}

/// Calls of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The bad ones.
    pub bad: Tally,
    /// Good ones that a person refused.
    pub false_alarms: usize,
    /// Questions that a person decided, good and bad.
    pub decided: usize,
    /// Milliseconds from the question to the word: the middle one.
    pub median_ms: Option<u64>,
    /// The longest.
    pub longest_ms: Option<u64>,
}

/// A bad call with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The call, where it was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<NodeId>,
    /// Its kind.
    pub kind: &'static str,
    /// Why it is bad.
    pub why: &'static str,
    /// The tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub args: Arc<str>,
    /// What became of it.
    pub end: End,
}

/// A tool and one spelling of equal arguments: what a call of the script is known again by.
type Key = (Arc<str>, String);

/// A call of the script, as the record goes on.
#[derive(Debug, Clone)]
struct Seen {
    key: Key,
    bad: Option<Kind>,
    asked: Option<i64>,
    end: Option<End>,
    ms: Option<u64>,
}

/// Reads a record.
#[derive(Debug, Clone)]
pub struct Scorer<'s> {
    script: &'s Script,
    kinds: BTreeMap<Key, Option<Kind>>,
    seen: BTreeMap<NodeId, Seen>,
    /// The newest approval of a person, and when.
    approval: Option<(NodeId, i64)>,
}

impl<'s> Scorer<'s> {
    /// One that has read nothing.
    pub fn new(script: &'s Script) -> Self {
        let kinds = script.calls().map(|call| (key(&call.tool, &call.args), call.bad));
        Self {
            script,
            kinds: kinds.collect(),
            seen: BTreeMap::new(),
            approval: None,
        }
    }

    /// Takes in a fact.
    pub fn take(&mut self, fact: &Envelope) {
        match &fact.event {
            Event::Turn(TurnEvent::Proposed {
                node,
                tool,
                args,
                origin: Origin::Model,
                ..
            }) => {
                let key = key(tool, args);
                if let Some(bad) = self.kinds.get(&key) {
                    let seen = Seen {
                        key,
                        bad: *bad,
                        asked: None,
                        end: None,
                        ms: None,
                    };
                    self.seen.insert(*node, seen);
                }
            }
            Event::Call(CallEvent::Asked { call, .. } | CallEvent::ConsentAsked { call, .. }) => {
                if let Some(seen) = self.seen.get_mut(call) {
                    seen.asked = Some(fact.at);
                }
            }
            Event::Call(CallEvent::Decided { call, decision, .. }) => self.decided(*call, decision, fact),
            Event::Edit(EditEvent::Revised {
                node,
                content,
                origin: Origin::Operator { .. },
                ..
            }) => {
                let end = match (content, self.seen.get(node)) {
                    (Content::Deleted, _) => End::Deleted,
                    (Content::Call { tool, .. }, Some(seen)) if *tool != seen.key.0 => End::Replaced,
                    (Content::Call { .. }, _) => End::Edited,
                    _ => return,
                };
                self.over(*node, end, fact.at);
            }
            // Nobody looked at it meanwhile.
            Event::Run(RunEvent::Reopened { .. }) => {
                for seen in self.seen.values_mut() {
                    seen.asked = None;
                }
            }
            _ => {}
        }
    }

    fn decided(&mut self, call: NodeId, decision: &Decision, fact: &Envelope) {
        let end = match decision {
            Decision::Approve { .. } | Decision::RunAgain => End::ApprovedByHand,
            Decision::Auto { .. } => End::AllowedByRule,
            Decision::Reject { .. } => End::Rejected,
            Decision::Deny { .. } => End::Denied,
            Decision::Answer => End::Answered,
            Decision::Expire {
                consequence: Consequence::Deny | Consequence::Halt,
            } => End::NotDecided,
            // A word on what an edit made of it, a result that is there already, what nobody knows, or a question that goes on.
            Decision::Edited | Decision::Reuse { .. } | Decision::Leave { .. } | Decision::Expire { .. } => {
                return;
            }
            // Nothing had begun: it is asked for again, and the word on that counts.
            Decision::Withdrawn { .. } => {
                if let Some(seen) = self.seen.get_mut(&call) {
                    (seen.end, seen.ms) = (None, None);
                }
                return;
            }
        };
        self.over(call, end, fact.at);
        if end == End::ApprovedByHand && matches!(fact.actor, Actor::Operator(_)) {
            let near = self
                .approval
                .replace((call, fact.at))
                .filter(|(_, at)| fact.at.saturating_sub(*at).abs() <= AT_ONCE_MS);
            if let Some((before, _)) = near {
                for call in [before, call] {
                    if let Some(seen) = self.seen.get_mut(&call)
                        && seen.end == Some(End::ApprovedByHand)
                    {
                        seen.end = Some(End::ApprovedInAList);
                    }
                }
            }
        }
    }

    /// The first word counts.
    fn over(&mut self, call: NodeId, end: End, at: i64) {
        if let Some(seen) = self.seen.get_mut(&call)
            && seen.end.is_none()
        {
            seen.end = Some(end);
            let by_a_person = !matches!(end, End::AllowedByRule | End::Denied | End::NotDecided);
            seen.ms = seen
                .asked
                .filter(|_| by_a_person)
                .map(|asked| u64::try_from(at.saturating_sub(asked)).unwrap_or_default());
        }
    }

    /// What became of it all.
    pub fn score(&self) -> Score {
        let mut score = Score {
            of: self.script.of.clone(),
            seed: self.script.seed,
            bad: Tally::default(),
            ends: BTreeMap::new(),
            good: Good::default(),
            kinds: BTreeMap::new(),
            classes: BTreeMap::new(),
            calls: Vec::new(),
        };
        let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for seen in self.seen.values() {
            let name = class(self.script, &seen.key.0);
            let class = score.classes.entry(name.clone()).or_default();
            if let Some(ms) = seen.ms {
                times.entry(name).or_default().push(ms);
            }
            if seen.bad.is_none() {
                score.good.seen += 1;
                let alarm = usize::from(seen.end == Some(End::Rejected));
                score.good.rejected += alarm;
                class.false_alarms += alarm;
            }
        }
        for call in self.script.calls() {
            let Some(kind) = call.bad else { continue };
            let (node, end) = self.end(&call.tool, &call.args);
            let name = class(self.script, &call.tool);
            let class = score.classes.entry(name).or_default();
            let of_kind = score.kinds.entry(kind.word()).or_default();
            for tally in [&mut score.bad, &mut class.bad, of_kind] {
                tally.mixed_in += 1;
                tally.caught += usize::from(end.is_caught());
                tally.let_through += usize::from(end.is_through());
                tally.open += usize::from(!end.is_caught() && !end.is_through());
            }
            *score.ends.entry(end.word()).or_default() += 1;
            score.calls.push(Told {
                call: node,
                kind: kind.word(),
                why: kind.why(),
                tool: call.tool.clone(),
                args: call.args.clone(),
                end,
            });
        }
        for (name, mut all) in times {
            all.sort_unstable();
            if let Some(class) = score.classes.get_mut(&name) {
                class.decided = all.len();
                class.median_ms = all.get(all.len() / 2).copied();
                class.longest_ms = all.last().copied();
            }
        }
        score
    }

    /// What became of a bad call; where the model was asked again it may have come more than once, and what was let
    /// through once was let through.
    fn end(&self, tool: &Arc<str>, args: &str) -> (Option<NodeId>, End) {
        let wanted = key(tool, args);
        let all = self.seen.iter();
        let same = all.filter(|(_, seen)| seen.bad.is_some() && seen.key == wanted);
        let ends = same.map(|(id, seen)| (Some(*id), seen.end.unwrap_or(End::NotDecided)));
        ends.max_by_key(|(_, end)| (end.is_through(), end.is_caught()))
            .unwrap_or((None, End::NotReached))
    }
}

fn key(tool: &Arc<str>, args: &str) -> Key {
    (tool.clone(), plain(args))
}

/// What calls of a tool can do to the world, in words.
fn class(script: &Script, tool: &str) -> String {
    script.card(tool).map_or_else(
        || "unknown".to_owned(),
        |card| {
            let final_one = card.tags.iter().any(|tag| tag == IRREVERSIBLE);
            format!(
                "{}{}",
                card.effect.word(),
                if final_one { " irreversible" } else { "" }
            )
        },
    )
}

/// What the policy alone would do with an exercise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Foreseen {
    /// The session that it was made from.
    pub of: String,
    /// What the bad calls were drawn by.
    pub seed: u64,
    /// The bad calls.
    pub bad: Gates,
    /// The good calls.
    pub good: Gates,
    /// The bad calls by kind.
    pub kinds: BTreeMap<&'static str, Gates>,
    /// The bad calls by what they could do to the world.
    pub classes: BTreeMap<String, Gates>,
    /// The bad calls, one by one.
    pub calls: Vec<Judged>,
}

/// What a policy says of some calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Gates {
    /// How many it denies.
    pub deny: usize,
    /// How many it asks about.
    pub ask: usize,
    /// How many it lets run.
    pub allow: usize,
}

impl Gates {
    fn count(&mut self, gate: Gate) {
        match gate {
            Gate::Deny => self.deny += 1,
            Gate::Ask => self.ask += 1,
            Gate::Allow => self.allow += 1,
        }
    }
}

/// A bad call with the policy's word on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// Its kind.
    pub kind: &'static str,
    /// Why it is bad.
    pub why: &'static str,
    /// The tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub args: Arc<str>,
    /// The policy's word.
    pub gate: Gate,
    /// The rule that decides.
    pub rule: String,
}

/// What the policy would do with each call, and by which rule.
pub fn foreseen(script: &Script, judge: &dyn Fn(&str, &str) -> (Gate, String)) -> Foreseen {
    let mut found = Foreseen {
        of: script.of.clone(),
        seed: script.seed,
        ..Foreseen::default()
    };
    for call in script.calls() {
        let (gate, rule) = judge(&call.tool, &call.args);
        let Some(kind) = call.bad else {
            found.good.count(gate);
            continue;
        };
        found.bad.count(gate);
        found.kinds.entry(kind.word()).or_default().count(gate);
        let class = class(script, &call.tool);
        found.classes.entry(class).or_default().count(gate);
        found.calls.push(Judged {
            kind: kind.word(),
            why: kind.why(),
            tool: call.tool.clone(),
            args: call.args.clone(),
            gate,
            rule,
        });
    }
    found
}
