//! Answers the domain's questions about tools and policy.
//!
//! Must not know: who decides.
//!
//! Pure, with these exceptions: [`Advice::operands`] and [`Advice::before`] read files, [`Advice::verdict`],
//! [`Advice::digest`], [`Advice::exact`] and [`Advice::resource`] follow the links of paths, [`Advice::effect`] and
//! [`Advice::verdict`] look at the places and the repository that a shell line reads, and [`Advice::still_runs`]
//! checks processes. Files are read by a [`Reader`], which does not wait for a file system that does not answer. No check of
//! arguments is without a limit: see [`overrule_schema::NotCheckable`].

mod adviser;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::reader::{LATE, Reader};
use overrule_base::canon;
use overrule_domain::advice::{Advice, RuleUses, ToolFacts};
use overrule_domain::breaker::{Breaker, Scope, Turn};
use overrule_domain::call::{
    Call, Consequence, Digest, EffectClass, Fault, FileCheck, Gate, Operand, Verdict,
};
use overrule_domain::escape::advised::Advised;
use overrule_domain::event::run::ToolCard;
use overrule_domain::files::{FilePath, Looked};
use overrule_domain::id::{NodeId, Rev, ThreadId};
use overrule_domain::ladder::Next;
use overrule_domain::node::Node;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::output;
use overrule_domain::rule::{RuleSpec, SessionRule};
use overrule_domain::sandbox::{Placement, Profile, ReadOnly, Widening};
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_domain::weight::ToolOffer;
use overrule_policy::{Policy, Preset, session};
use overrule_resilience::execution::GENERAL;
use overrule_resilience::ladder::Ladder;
use overrule_resilience::loops;
use overrule_resilience::repair::{Others, RepairContext};
use overrule_resilience::routing::{KindCache, Offer};
use overrule_resilience::watch::Watch;
use overrule_resilience::{breaker, substitutes};
use overrule_schema::Checker;
use overrule_tools::child;
use overrule_tools::registry::Registry;

mod links;
mod read_only;
mod sandboxed;
mod stricter;
mod tracking;
mod undo;

pub use sandboxed::Sandbox;
pub use tracking::{FileTracking, TracksFiles};

use links::FollowedLinks;
use stricter::{NOT_CHECKABLE, asks, parked, warned};

/// The tag of a tool that reaches beyond this machine.
const EXTERNAL: &str = "external";

/// What this process knows about tools and policy.
#[derive(Clone)]
pub struct Adviser {
    /// The tools.
    pub registry: Arc<Registry>,
    /// What the final answer must fit; `None` for any text.
    pub output: Option<Arc<Checker>>,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// The session's id, which is part of every digest.
    pub session: Arc<str>,
    /// The directory that the tools work in.
    pub workspace: Arc<PathBuf>,
    /// How a shell begins.
    pub shell: ShellStart,
    /// Names of the environment variables that a child process receives.
    pub environment: Arc<str>,
    /// How child processes are confined.
    pub sandbox: Sandbox,
    /// How far changes of files can be restored.
    pub files: FileTracking,
    /// What happens when calls fail.
    pub ladder: Ladder,
    /// How well the tools have served so far.
    pub watch: Watch,
    /// The name of the program that is asked about calls that wait for approval.
    pub approver: Option<Arc<str>>,
    /// True without an operator: a question without a deadline expires immediately.
    pub headless: bool,
    /// Current time for rules that expire, in UTC milliseconds since 1970. Set before each decision
    /// and constant during it. The outcome is recorded, so a fold needs no clock.
    pub now: Option<i64>,
    /// What can be computed from the state when it is missing.
    pub caches: Arc<Caches>,
    /// Reads files.
    pub reader: Reader,
}

/// What an adviser computed.
#[derive(Debug, Default)]
pub struct Caches {
    /// For the detection of repetition.
    loops: Mutex<loops::Watch>,
    /// The kinds of the newest prompts, needed for every call.
    kinds: Mutex<KindCache>,
}

/// How a shell begins: that of the program, or that of an agent.
#[derive(Debug, Clone)]
pub struct ShellStart {
    /// True if it begins in the workspace.
    pub in_workspace: bool,
    /// Its search path for programs.
    pub programs: Arc<OsStr>,
}

impl ShellStart {
    /// One in the workspace, with the programs of the system.
    pub fn of_system() -> Self {
        Self {
            in_workspace: true,
            programs: Arc::from(OsStr::new("/usr/local/bin:/usr/bin:/bin")),
        }
    }
}

/// Parses arguments; blank text is an empty object.
pub fn parse_args(args: &str) -> Value {
    if args.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(args).unwrap_or(Value::Null)
}

/// Returns what a hash includes of the files that a call may run. If there are none, the hash is that of the
/// remaining parts alone.
fn contents(operands: &[Operand]) -> impl Iterator<Item = &[u8]> {
    operands
        .iter()
        .flat_map(|one| [one.path.as_bytes(), one.hash.as_bytes()])
}

/// Returns the UTC date of a time. What follows from it is recorded, so a replay gives the same.
fn day(ms: i64) -> Option<jiff::civil::Date> {
    let at = jiff::Timestamp::from_millisecond(ms).ok()?;
    Some(at.to_zoned_datetime(jiff::tz::TimeZone::UTC).date())
}

impl Advice for Adviser {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        self.registry.facts(name)
    }

    fn effect(&self, state: &State, tool: &str, args: &str) -> EffectClass {
        if self.only_reads(state, tool, args) {
            return EffectClass::Read;
        }
        self.effect_of(tool, args)
    }

    fn still_runs(&self, pid: u32, ticks: u64) -> Option<OrphanProcess> {
        child::orphan_process(pid, ticks)
    }

    fn instead(&self, state: &State, tool: &str) -> Vec<Arc<str>> {
        let substitutes = self.ladder.policy.loops.substitutes(tool);
        substitutes::tools(state, &self.cards(), tool, substitutes)
    }

    fn near(&self, name: &str) -> Vec<String> {
        self.registry.near(name)
    }

    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        self.registry.check(tool, args, resolved).unwrap_or_default()
    }

    fn bars(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        let is_agents = self
            .registry
            .spec(tool)
            .is_some_and(|spec| spec.card.is_of_agent());
        if is_agents {
            return Vec::new();
        }
        self.check(tool, args, resolved)
    }

    fn answer(&self, text: &str) -> Option<Vec<Fault>> {
        let checker = self.output.as_ref()?;
        Some(checker.check_value(output::json_text(text)))
    }

    fn verdict(&self, tool: &str, args: &str, used: &RuleUses<'_>) -> Verdict {
        let spec = self.registry.spec(tool);
        let links = FollowedLinks::of(&self.reader, (tool, args));
        let is_of_agent = spec.is_some_and(|spec| spec.card.is_of_agent());
        let misfits = if is_of_agent {
            self.check(tool, args, true)
        } else {
            Vec::new()
        };
        let not_checkable = self.registry.not_checkable(tool, args);
        let mut verdict = self.judged((tool, args), used, &links, |subject, moment| {
            self.policy.verdict_of_parts(subject, moment)
        });
        if let Some(why) = not_checkable {
            let reason = format!("the arguments cannot be checked against the schema of the tool: {why}");
            verdict = asks(verdict, NOT_CHECKABLE, reason);
        }
        if links.is_late() || self.reader.is_late(tool, args) {
            verdict = asks(verdict, LATE, format!("a place that the call names {LATE}"));
        }
        self.put(match spec.and_then(|spec| spec.card.drift()) {
            Some(difference) => parked(verdict, difference),
            None => warned(verdict, &misfits),
        })
    }

    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String> {
        if self.registry.spec(tool).is_none() {
            return Err(format!(
                "this run has no tool `{}`",
                overrule_base::text::visible(tool)
            ));
        }
        if self.placement(tool, args) == Placement::Outside {
            return Err(session::LEAVES.to_owned());
        }
        session::may_always(tool, &parse_args(args))?;
        let links = FollowedLinks::of(&self.reader, (tool, args));
        self.key(tool, args, &links)
            .ok_or_else(|| session::UNTOLD.to_owned())
    }

    fn with_rule(&self, no: u32, rule: &RuleSpec) -> Result<Box<dyn Advice + '_>, String> {
        let mut policy = (*self.policy).clone();
        let _ = policy.add(self.admitted(no, rule)?);
        Ok(Box::new(Self {
            policy: Arc::new(policy),
            ..self.clone()
        }))
    }

    fn with_policy(&self, policy: &str) -> Result<Box<dyn Advice + '_>, String> {
        let preset: Preset = policy.parse().map_err(|error| format!("{error}"))?;
        Ok(Box::new(Self {
            policy: Arc::new((*self.policy).clone().with_preset(preset)),
            ..self.clone()
        }))
    }

    fn with_rules(&self, rules: &[SessionRule]) -> Box<dyn Advice + '_> {
        let mut other = self.clone();
        other.keep_rules(rules);
        Box::new(other)
    }

    fn with_sandbox(&self, by: &[Widening]) -> Box<dyn Advice + '_> {
        let mut other = self.clone();
        other.keep_widenings(by);
        Box::new(other)
    }

    fn profile(&self, tool: &str, args: &str) -> Option<Arc<Profile>> {
        let is_inside = self.placement(tool, args).is_inside();
        is_inside.then(|| Arc::clone(self.sandbox_of(tool).profile()))
    }

    fn read_only(&self, rule: &str, tool: &str, args: &str) -> Result<ReadOnly, String> {
        self.read_only_by(rule, (tool, args))
    }

    fn awaits(&self, tool: &str, args: &str, used: &RuleUses<'_>) -> bool {
        if !self.awaits_files() {
            return false;
        }
        let links = FollowedLinks::of(&self.reader, (tool, args));
        self.judged((tool, args), used, &links, |subject, moment| {
            self.policy.awaits_files(subject, moment)
        })
    }

    fn digest(&self, call: NodeId, rev: Rev, (tool, args): (&str, &str), operands: &[Operand]) -> Digest {
        let definition = self.registry.definition(tool).map_or("", |definition| definition);
        let (call, rev) = (call.to_string(), rev.0.to_le_bytes());
        let sandbox = self.sandbox_of(tool);
        let mut parts: Vec<&[u8]> = vec![
            self.session.as_bytes(),
            call.as_bytes(),
            &rev,
            tool.as_bytes(),
            definition.as_bytes(),
            args.as_bytes(),
            self.workspace.as_os_str().as_encoded_bytes(),
            self.environment.as_bytes(),
            sandbox.part(self.placement(tool, args)).as_bytes(),
        ];
        parts.extend(contents(operands));
        // Where no link leads elsewhere, the path in the arguments says it all.
        let bound = self.bound(tool, args, &FollowedLinks::of(&self.reader, (tool, args)));
        parts.extend(bound.iter().map(Vec::as_slice));
        Digest(Arc::from(canon::hash("overrule approval v1", &parts)))
    }

    fn operands(&self, tool: &str, args: &str) -> Vec<Operand> {
        let known = self.registry.get(tool);
        let Some(read) = known.and_then(|known| known.operands(args, &self.workspace)) else {
            return Vec::new();
        };
        let found = self.reader.read((tool, args), read);
        // It asks, and every later reading is another one.
        let unread = || Operand {
            path: Arc::from(format!("what it runs {LATE}")),
            bytes: 0,
            seen: FileCheck::Cut,
            hash: Arc::from(LATE),
        };
        found.unwrap_or_else(|| vec![unread()])
    }

    fn resource(&self, tool: &str, args: &str) -> Option<String> {
        let path = parse_args(args).get("path")?.as_str()?.to_owned();
        let spec = self.registry.spec(tool)?;
        // A file is the same resource whichever tool writes it. A shell may touch anything and answers for
        // itself. An agent orders its calls by itself.
        (spec.card.effect == EffectClass::Write && !spec.card.is_of_agent()).then(|| {
            let links = FollowedLinks::of(&self.reader, (tool, args));
            format!("file {}", links.real(&self.workspace.join(path)).display())
        })
    }

    fn after(&self, state: &State, call: &Call) -> Next {
        let tool = state
            .nodes
            .get(&call.id)
            .and_then(Node::as_call)
            .map(|(tool, _)| tool);
        let spec = tool.and_then(|tool| self.registry.spec(tool));
        let checker = tool.and_then(|tool| self.registry.checker(tool));
        let thread = thread::of(state, call.id);
        let offered = thread::tools(state, thread);
        let refuses = |tool: &str, args: &str| self.refuses(state, tool, args);
        let others = Others {
            substitutes: tool.map_or(&[], |tool| self.ladder.policy.loops.substitutes(tool)),
            offered: &offered,
            refuses: &refuses,
        };
        let known = spec.zip(checker).map(|(spec, checker)| RepairContext {
            others: Some(others),
            checker,
            described: &spec.card.description,
            today: self.now.and_then(day),
            attended: !self.headless || self.ladder.policy.repair.wait,
        });
        self.ladder.after(state, call, known.as_ref())
    }

    fn guards(&self, tool: &str, args: &str) -> Vec<Scope> {
        // A server answers for all its tools.
        if let Some(server) = self.registry.spec(tool).and_then(|spec| spec.card.server()) {
            return vec![Scope::Server(Arc::from(server))];
        }
        breaker::guards(tool, self.effect_of(tool, args), || parse_args(args))
    }

    fn breaker(&self, breaker: &Breaker) -> Option<Turn> {
        self.ladder.breaker(breaker)
    }

    fn approver(&self) -> Option<Arc<str>> {
        self.approver.clone()
    }

    fn fails_fast(&self) -> bool {
        self.ladder.policy.breaker.when_open == breaker::WhenOpen::Fail
    }

    fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, String> {
        self.ladder.configured(key, value).map_err(|bad| bad.to_string())
    }

    fn task(&self, prompt: &str) -> Option<Arc<str>> {
        let mut kinds = self.caches.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.of(prompt, &self.watch.weights.settings().kinds)
    }

    fn careful(&self, tool: &str, task: Option<&str>, mut verdict: Verdict) -> Verdict {
        if verdict.gate != Gate::Allow {
            return verdict;
        }
        let Some(why) = self.watch.weights.asks(task.unwrap_or(GENERAL), tool) else {
            return verdict;
        };
        // The rule was written without knowing how the tool serves.
        let allowed = verdict.place();
        let (parts, alone) = (verdict.parts, verdict.alone);
        let operator_only = verdict.operator_only;
        verdict = Verdict {
            gate: Gate::Ask,
            rule: format!("routing.ask_below (the policy allows it: {allowed})"),
            reason: why,
            deadline_ms: None,
            on_expiry: Consequence::Deny,
            quoted: None,
            parts,
            alone,
            operator_only,
        };
        self.put(verdict)
    }

    fn put(&self, verdict: Verdict) -> Verdict {
        if self.headless {
            overrule_policy::headless(verdict)
        } else {
            verdict
        }
    }

    fn offer(&self, task: Option<&str>, tools: &[ToolCard]) -> Vec<ToolOffer> {
        let kind = task.unwrap_or(GENERAL);
        let weights = &self.watch.weights;
        let names = || tools.iter().map(|card| &*card.name);
        let last = weights.offer(kind, names());
        let noted = last.into_iter().filter_map(|Offer { tool, note }| {
            Some(ToolOffer {
                tool: Arc::from(tool),
                note: Some(Arc::from(note?.words)),
                hidden: false,
            })
        });
        let hidden = names().filter(|tool| weights.is_hidden(kind, tool));
        let hidden = hidden.map(|tool| ToolOffer {
            tool: Arc::from(tool),
            note: None,
            hidden: true,
        });
        noted.chain(hidden).collect()
    }

    fn before(&self, tool: &str, args: &str) -> Option<String> {
        let known = Arc::clone(self.registry.get(tool)?);
        let (value, workspace) = (parse_args(args), Arc::clone(&self.workspace));
        let private = Arc::clone(self.registry.private());
        let job = move || {
            known
                .before(&value, &workspace, &private)
                .map(|value| value.to_string())
        };
        self.reader.read((tool, args), job).flatten()
    }

    fn look_at_files(&self, paths: &[FilePath], contents: &[&str]) -> Result<Looked, String> {
        self.look_at(paths, contents)
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
        let lasts = |call: &Call| self.ladder.lasts(state, call);
        let instead = |tool: &str| Advice::instead(self, state, tool);
        let tools = loops::Tools {
            lasts: &lasts,
            instead: &instead,
            fits: &fits,
            guards: &guards,
            weight: &weight,
        };
        let mut watch = self.caches.loops.lock().unwrap_or_else(PoisonError::into_inner);
        loops::advise(&mut watch, state, thread, &self.ladder.policy.loops, tools)
    }
}

#[cfg(test)]
mod tests;
