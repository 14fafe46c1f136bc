//! Answers what the rules ask about tools and policy. Pure, apart from looking at files for
//! [`Advice::operands`] and [`Advice::before`]. Must not know: who decides.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::canon;
use crate::domain::advice::{Advice, ToolFacts, Used};
use crate::domain::altered;
use crate::domain::breaker::{Breaker, Scope, Turn};
use crate::domain::call::{Call, Consequence, Digest, EffectClass, Fault, Gate, Operand, Verdict};
use crate::domain::escape::advised::Advised;
use crate::domain::event::run::ToolCard;
use crate::domain::event::{Event, ResilienceEvent};
use crate::domain::id::{NodeId, Rev, ThreadId};
use crate::domain::ladder::Next;
use crate::domain::node::Node;
use crate::domain::rule::{SessionRule, Written};
use crate::domain::state::State;
use crate::domain::thread;
use crate::domain::weight::Offered;
use crate::policy::{Moment, Policy, Rule, Subject, session};
use crate::resilience::escape;
use crate::resilience::execution::GENERAL;
use crate::resilience::ladder::Ladder;
use crate::resilience::repair::Known;
use crate::resilience::routing::{Offer, Told};
use crate::resilience::watch::Watch;
use crate::resilience::{self, breaker};
use crate::tools::registry::Registry;
use crate::tools::workspace;

/// What is known of tools and policy in this process.
#[derive(Clone)]
pub struct Adviser {
    /// The tools.
    pub registry: Arc<Registry>,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// The session's id, part of every digest.
    pub session: Arc<str>,
    /// The directory that the tools work in.
    pub workspace: Arc<PathBuf>,
    /// Names of the environment variables that a child is given.
    pub environment: Arc<str>,
    /// How children are confined.
    pub sandbox: Arc<str>,
    /// What is done when calls fail.
    pub ladder: Ladder,
    /// How well the tools have served so far.
    pub watch: Watch,
    /// True where nobody watches: an ask without a deadline expires at once.
    pub headless: bool,
    /// UTC milliseconds since 1970, set before each decision and not changed while it is made: rules
    /// that end are judged by it. What it led to is recorded, so that a fold needs no clock.
    pub now: Option<i64>,
    /// What was read of the run to find repetition: a help, made anew from the state where it is not there.
    pub loops: Arc<Mutex<escape::Watch>>,
    /// The kinds of the newest prompts: asked for with every call.
    pub kinds: Arc<Mutex<Told>>,
}

impl Adviser {
    /// The cards of the tools, with the marks that the rules look for.
    pub fn cards(&self) -> Vec<ToolCard> {
        let mut cards = self.registry.cards();
        for card in &mut cards {
            let Some(facts) = self.registry.facts(&card.name) else {
                continue;
            };
            let mut mark = |is: bool, tag: &str| {
                if is && !card.tags.iter().any(|one| one == tag) {
                    card.tags.push(tag.to_owned());
                }
            };
            mark(facts.asks_operator, "asks_operator");
            mark(facts.is_answer, "answer");
            mark(facts.delegates, "delegates");
        }
        cards
    }

    /// Goes on with the rules of a session that judge; what cannot stand here any more is left out.
    pub fn keep_rules(&mut self, rules: &[SessionRule]) {
        let mut policy = (*self.policy).clone().without_session();
        for rule in rules.iter().filter(|rule| !rule.dropped) {
            match self.admitted(rule.no, &rule.written) {
                Ok(rule) => {
                    // A rule of the session is never one that its origin does not entitle to loosen.
                    let _ = policy.add(rule);
                }
                Err(why) => {
                    tracing::warn!(rule = rule.no, why = %crate::text::visible(&why), "left out");
                }
            }
        }
        self.policy = Arc::new(policy);
    }

    fn admitted(&self, no: u32, rule: &Written) -> Result<Rule, String> {
        let rule = session::rule(no, rule)?;
        session::may_stand(&rule, &self.cards())?;
        Ok(rule)
    }

    /// None where a file runs that was not looked at: the same key could stand for another content.
    fn key(&self, tool: &str, args: &str) -> Option<Arc<str>> {
        let definition = self.registry.definition(tool).map_or("", |definition| definition);
        let operands = self.operands(tool, args);
        if operands.iter().any(|one| !one.seen.is_file()) {
            return None;
        }
        let mut parts: Vec<&[u8]> = vec![
            tool.as_bytes(),
            definition.as_bytes(),
            args.as_bytes(),
            self.workspace.as_os_str().as_encoded_bytes(),
            self.environment.as_bytes(),
            self.sandbox.as_bytes(),
        ];
        parts.extend(contents(&operands));
        Some(Arc::from(canon::hash("overrule always v1", &parts)))
    }

    /// Goes on with how failures are met by what an operator set in the run, which counts more than
    /// their files.
    pub fn keep_resilience(&mut self, state: &State) {
        if let Some(recorded) = state.resilience.as_ref().filter(|recorded| recorded.live) {
            // What an older program wrote and this one cannot read does not count.
            if let Ok(policy) = resilience::policy::Policy::parse(&recorded.policy) {
                self.ladder = Ladder::new(policy, self.ladder.seed);
            }
        }
    }

    /// The fact of how failures are met, where that is not what was recorded last.
    pub fn resilience(&self, state: &State) -> Option<Event> {
        let policy: Arc<str> = Arc::from(self.ladder.policy.to_text());
        let known = match &state.resilience {
            Some(recorded) => recorded.policy == policy,
            None => self.ladder.policy == resilience::policy::Policy::default(),
        };
        let version = state
            .resilience
            .as_ref()
            .map_or(1, |recorded| recorded.version + 1);
        let before = match &state.resilience {
            Some(recorded) => Arc::clone(&recorded.policy),
            None => Arc::from(resilience::policy::Policy::default().to_text()),
        };
        let changed = altered::between(&before, &policy);
        (!known).then_some(Event::Resilience(ResilienceEvent::PolicySet {
            version,
            policy,
            live: false,
            changed,
        }))
    }

    /// Goes on with the preset of this name, where there is one.
    pub fn keep_preset(&mut self, name: &str) {
        if let Ok(preset) = name.parse() {
            self.policy = Arc::new((*self.policy).clone().with_preset(preset));
        }
    }
}

/// Arguments as a value; a blank text is an empty object.
pub fn parse_args(args: &str) -> Value {
    if args.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(args).unwrap_or(Value::Null)
}

/// What a hash takes in of the files that a call runs; nothing where it runs none, so that it is then the hash of
/// the rest alone.
fn contents(operands: &[Operand]) -> impl Iterator<Item = &[u8]> {
    operands
        .iter()
        .flat_map(|one| [one.path.as_bytes(), one.hash.as_bytes()])
}

/// The day of a moment, in universal time: what it led to is recorded, so it is the same everywhere.
fn day(ms: i64) -> Option<jiff::civil::Date> {
    let at = jiff::Timestamp::from_millisecond(ms).ok()?;
    Some(at.to_zoned(jiff::tz::TimeZone::UTC).date())
}

impl Advice for Adviser {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        self.registry.facts(name)
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.registry.near(name)
    }

    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        self.registry.check(tool, args, resolved).unwrap_or_default()
    }

    fn verdict(&self, tool: &str, args: &str, used: &Used<'_>) -> Verdict {
        let spec = self.registry.spec(tool);
        let key = || self.key(tool, args);
        let args = parse_args(args);
        let subject = Subject {
            tool,
            effect: spec.map_or(EffectClass::Unknown, |spec| spec.card.effect),
            tags: spec.map_or(&[], |spec| &spec.card.tags),
            args: &args,
            server: None,
        };
        let moment = Moment {
            now: self.now,
            used: Some(&|rule: &str| used.times(rule)),
            key: Some(&key),
        };
        let verdict = self.policy.verdict_of_parts(&subject, &moment);
        if self.headless {
            crate::policy::headless(verdict)
        } else {
            verdict
        }
    }

    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String> {
        if self.registry.spec(tool).is_none() {
            return Err(format!("`{}` is no tool of this run", crate::text::visible(tool)));
        }
        session::may_always(tool, &parse_args(args))?;
        self.key(tool, args).ok_or_else(|| session::UNTOLD.to_owned())
    }

    fn with_rule(&self, no: u32, rule: &Written) -> Result<Box<dyn Advice + '_>, String> {
        let mut policy = (*self.policy).clone();
        let _ = policy.add(self.admitted(no, rule)?);
        Ok(Box::new(Self {
            policy: Arc::new(policy),
            ..self.clone()
        }))
    }

    fn digest(&self, call: NodeId, rev: Rev, (tool, args): (&str, &str), operands: &[Operand]) -> Digest {
        let definition = self.registry.definition(tool).map_or("", |definition| definition);
        let (call, rev) = (call.to_string(), rev.0.to_le_bytes());
        let mut parts: Vec<&[u8]> = vec![
            self.session.as_bytes(),
            call.as_bytes(),
            &rev,
            tool.as_bytes(),
            definition.as_bytes(),
            args.as_bytes(),
            self.workspace.as_os_str().as_encoded_bytes(),
            self.environment.as_bytes(),
            self.sandbox.as_bytes(),
        ];
        parts.extend(contents(operands));
        Digest(Arc::from(canon::hash("overrule approval v1", &parts)))
    }

    fn operands(&self, tool: &str, args: &str) -> Vec<Operand> {
        let Some(tool) = self.registry.get(tool) else {
            return Vec::new();
        };
        tool.operands(args, &self.workspace)
    }

    fn resource(&self, tool: &str, args: &str) -> Option<String> {
        let path = parse_args(args).get("path")?.as_str()?.to_owned();
        let spec = self.registry.spec(tool)?;
        // A file is one thing whichever tool writes it; a shell may touch anything and is alone responsible.
        (spec.card.effect == EffectClass::Write)
            .then(|| format!("file {}", workspace::real(&self.workspace.join(path)).display()))
    }

    fn after(&self, state: &State, call: &Call) -> Next {
        let tool = state
            .nodes
            .get(&call.id)
            .and_then(Node::as_call)
            .map(|(tool, _)| tool);
        let spec = tool.and_then(|tool| self.registry.spec(tool));
        let checker = tool.and_then(|tool| self.registry.checker(tool));
        let known = spec.zip(checker).map(|(spec, checker)| Known {
            checker,
            described: &spec.card.description,
            today: self.now.and_then(day),
            attended: !self.headless || self.ladder.policy.repair.wait,
        });
        self.ladder.after(state, call, known.as_ref())
    }

    fn guards(&self, tool: &str, args: &str) -> Vec<Scope> {
        let effect = self
            .registry
            .spec(tool)
            .map_or(EffectClass::Unknown, |spec| spec.card.effect);
        breaker::guards(tool, effect, || parse_args(args))
    }

    fn breaker(&self, breaker: &Breaker) -> Option<Turn> {
        self.ladder.breaker(breaker)
    }

    fn fails_fast(&self) -> bool {
        self.ladder.policy.breaker.when_open == breaker::WhenOpen::Fail
    }

    fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, String> {
        self.ladder.configured(key, value).map_err(|bad| bad.to_string())
    }

    fn task(&self, prompt: &str) -> Option<Arc<str>> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.of(prompt, &self.watch.weights.settings().kinds)
    }

    fn careful(&self, tool: &str, task: Option<&str>, mut verdict: Verdict) -> Verdict {
        if verdict.gate != Gate::Allow {
            return verdict;
        }
        let Some(why) = self.watch.weights.asks(task.unwrap_or(GENERAL), tool) else {
            return verdict;
        };
        // Whoever allowed it did not know.
        let allowed = match &verdict.quoted {
            Some(quoted) => format!("workspace {}", quoted.place),
            None => verdict.rule,
        };
        let (parts, alone) = (verdict.parts, verdict.alone);
        verdict = Verdict {
            gate: Gate::Ask,
            rule: format!("routing.ask_below (the policy allows it: {allowed})"),
            reason: why,
            deadline_ms: None,
            on_expiry: Consequence::Deny,
            quoted: None,
            parts,
            alone,
        };
        if self.headless {
            crate::policy::headless(verdict)
        } else {
            verdict
        }
    }

    fn offer(&self, task: Option<&str>, tools: &[ToolCard]) -> Vec<Offered> {
        let kind = task.unwrap_or(GENERAL);
        let weights = &self.watch.weights;
        let names = || tools.iter().map(|card| &*card.name);
        let last = weights.offer(kind, names());
        let noted = last.into_iter().filter_map(|Offer { tool, note }| {
            Some(Offered {
                tool: Arc::from(tool),
                note: Some(Arc::from(note?.words)),
                hidden: false,
            })
        });
        let hidden = names().filter(|tool| weights.is_hidden(kind, tool));
        let hidden = hidden.map(|tool| Offered {
            tool: Arc::from(tool),
            note: None,
            hidden: true,
        });
        noted.chain(hidden).collect()
    }

    fn before(&self, tool: &str, args: &str) -> Option<String> {
        let tool = self.registry.get(tool)?;
        tool.before(&parse_args(args), &self.workspace, self.registry.private())
            .map(|value| value.to_string())
    }

    fn escape(&self, state: &State, thread: ThreadId) -> Option<Advised> {
        let fits = |tool: &str, args: &str| {
            self.registry
                .check(tool, args, false)
                .is_some_and(|faults| faults.is_empty())
        };
        let weight = |call: &Node, tool: &str| {
            let kind = thread::task(state, self, call);
            let kind = kind.as_deref().unwrap_or(GENERAL);
            self.watch.weights.weight(kind, tool)
        };
        let guards = |tool: &str, args: &str| Advice::guards(self, tool, args);
        let tools = escape::Tools {
            fits: &fits,
            guards: &guards,
            weight: &weight,
        };
        let mut watch = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        escape::advise(&mut watch, state, thread, &self.ladder.policy.loops, tools)
    }
}

#[cfg(test)]
mod tests;
