//! Programmable tools and a programmable policy for the test world.
//!
//! Must not know: when anything runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use overrule_domain::advice::{Advice, RuleUses, Special, ToolFacts};
use overrule_domain::breaker::{Breaker, Scope, Turn};
use overrule_domain::call::{
    Call, Consequence, Digest, EffectClass, Fault, FileCheck, Gate, Operand, Outcome, Verdict,
};
use overrule_domain::escape::advised::Advised;
use overrule_domain::files::{FilePath, FileState, Looked};
use overrule_domain::id::{NodeId, Rev, ThreadId};
use overrule_domain::ladder::Next;
use overrule_domain::node::Node;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::rule::{RuleSpec, SessionRule};
use overrule_domain::sandbox::Widening;
use overrule_domain::state::State;
use overrule_resilience::ladder::Ladder;
use overrule_resilience::loops::{Config, Tools, Watch, advise};
use overrule_schema::Checker;

/// What follows a failure.
pub type Steps = Arc<dyn Fn(&State, &Call) -> Next>;

/// How a tool answers.
pub type Results = Arc<dyn Fn(&str, &str) -> Outcome>;

/// Tools and policy of the world. The name of a tool says what it can do.
#[derive(Clone)]
pub struct Rules {
    /// Gate by tool; allow where none is named.
    pub gates: BTreeMap<String, Gate>,
    /// How many calls of a tool run without being asked for; any number where none is named.
    pub uses: BTreeMap<String, u32>,
    /// What an unanswered call meets, and when.
    pub deadline: Option<(u64, Consequence)>,
    /// Rules of the session: number, tool, gate, the key of exactly one thing.
    pub session: Vec<(u32, String, Gate, Option<Arc<str>>)>,
    /// What executions give.
    pub results: Results,
    /// What follows failures.
    pub steps: Steps,
    /// Limits of repetition; without them the run does not look for loops.
    pub loops: Option<(Config, Arc<Mutex<Watch>>)>,
    /// Whether failures that do not pass by themselves begin an incident.
    pub lasting: bool,
    /// How reliable tools are; 0.5 where nothing is known.
    pub reliable: BTreeMap<String, f64>,
    /// Schemas of tools; the others are checked by hand.
    pub schemas: BTreeMap<String, Arc<Checker>>,
    /// Milliseconds before launches by tool; none where none are named.
    pub pauses: BTreeMap<String, u64>,
    /// Files that calls run which name them as `file`, and what is in them.
    pub files: BTreeMap<String, String>,
    /// Where the links in the paths of a call lead to.
    pub place: String,
    /// What the operator allowed the children of `shell` in addition.
    pub sandbox: String,
    /// The hash of the file that every call with effects writes; nothing where it is not known.
    pub target: Option<String>,
    /// The files of the workspace; what is not in it is missing.
    pub tree: Arc<Mutex<BTreeMap<FilePath, FileState>>>,
    /// The hashes of contents that are not saved any more.
    pub lost: BTreeSet<String>,
    /// Why no file can be looked at.
    pub blind: Option<&'static str>,
    /// Process ids with a process that still runs.
    pub alive: Arc<Mutex<BTreeMap<u32, OrphanProcess>>>,
    /// The operator's program that is asked about calls.
    pub approver: Option<Arc<str>>,
    /// Whether it may not be asked.
    pub operator_only: bool,
    /// When breakers change; none where there are none.
    pub breakers: Option<overrule_resilience::breaker::Settings>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            gates: BTreeMap::new(),
            lasting: false,
            operator_only: false,
            reliable: BTreeMap::new(),
            uses: BTreeMap::new(),
            deadline: None,
            session: Vec::new(),
            results: Arc::new(|_, args| Outcome::ok(format!("{{\"v\":{}}}", sum(args) + 1))),
            alive: Arc::default(),
            tree: Arc::default(),
            lost: BTreeSet::new(),
            blind: None,
            target: None,
            approver: None,
            place: String::new(),
            sandbox: String::new(),
            breakers: None,
            files: BTreeMap::new(),
            pauses: BTreeMap::new(),
            steps: Arc::new(|_, _| Next::Leave {
                why: "the test says so".into(),
            }),
            loops: None,
            schemas: BTreeMap::new(),
        }
    }
}

/// Every tool of the world.
pub const TOOLS: [&str; 9] = [
    "pure",
    "read",
    "idem",
    "write",
    "shell",
    "unknown",
    "final_answer",
    "ask_operator",
    "delegate",
];

/// The sum of all numbers in an argument text.
pub fn sum(args: &str) -> i64 {
    fn of(value: &Value) -> i64 {
        match value {
            Value::Number(n) => n.as_i64().unwrap_or(0),
            Value::Array(list) => list.iter().map(of).sum(),
            Value::Object(map) => map.values().map(of).sum(),
            _ => 0,
        }
    }
    of(&serde_json::from_str(args).unwrap_or(Value::Null))
}

impl Rules {
    /// Allows the children of confined calls more.
    pub fn widen(&mut self, by: &[Widening]) {
        let words: Vec<String> = by.iter().map(|one| format!(" {one:?}")).collect();
        self.sandbox += &words.concat();
    }

    fn read(rule: &RuleSpec) -> Result<(String, Gate, Option<Arc<str>>), String> {
        Ok(match rule {
            RuleSpec::Exact { tool, key, .. } => (tool.to_string(), Gate::Allow, Some(key.clone())),
            RuleSpec::Text { text } => {
                let (tool, gate) = text.split_once(' ').ok_or("no rule")?;
                let gate = match gate {
                    "allow" => Gate::Allow,
                    "deny" => Gate::Deny,
                    _ => Gate::Ask,
                };
                (tool.to_owned(), gate, None)
            }
        })
    }

    /// Restores the active rules of a session.
    pub fn keep(&mut self, rules: &[SessionRule]) {
        let rules = rules.iter().filter(|rule| !rule.dropped);
        self.session = rules
            .map(|rule| {
                let (tool, gate, exact) = Self::read(&rule.written).unwrap();
                (rule.no, tool, gate, exact)
            })
            .collect();
    }

    /// A policy is one gate for whatever has an effect.
    pub fn take_policy(&mut self, policy: &str) -> Result<(), String> {
        let gate = match policy {
            "auto" => Gate::Allow,
            "supervised" => Gate::Ask,
            "read-only" => Gate::Deny,
            _ => return Err("no such policy".into()),
        };
        let tools = TOOLS
            .iter()
            .filter(|tool| Self::effect(tool).is_some_and(EffectClass::has_effect));
        self.gates.extend(tools.map(|tool| ((*tool).to_owned(), gate)));
        Ok(())
    }

    pub fn effect(name: &str) -> Option<EffectClass> {
        Some(match name {
            "pure" | "final_answer" | "ask_operator" => EffectClass::Pure,
            "read" | "delegate" => EffectClass::Read,
            "idem" => EffectClass::Idempotent,
            "write" | "shell" => EffectClass::Write,
            "unknown" => EffectClass::Unknown,
            _ => return None,
        })
    }

    /// What the card of a tool says of it besides, so that a plan knows what the rules know.
    pub fn tags(name: &str) -> Vec<String> {
        let tag = match name {
            "shell" => "external",
            "final_answer" => "answer",
            "ask_operator" => "asks_operator",
            "delegate" => "delegates",
            _ => return Vec::new(),
        };
        vec![tag.to_owned()]
    }
}

impl Advice for Rules {
    fn tool(&self, name: &str) -> Option<ToolFacts> {
        Some(ToolFacts {
            effect: Self::effect(name)?,
            takes_truncated: false,
            show_difference: name == "shell",
            special: match name {
                "final_answer" => Some(Special::Answer),
                "ask_operator" => Some(Special::AsksOperator),
                "delegate" => Some(Special::Delegates),
                _ => None,
            },
        })
    }

    fn still_runs(&self, pid: u32, _ticks: u64) -> Option<OrphanProcess> {
        self.alive.lock().unwrap().get(&pid).copied()
    }

    fn look_at_files(&self, paths: &[FilePath], contents: &[&str]) -> Result<Looked, String> {
        if let Some(why) = self.blind {
            return Err(why.to_owned());
        }
        let tree = self.tree.lock().unwrap();
        let missing = FileState::Missing {};
        let states = paths.iter().map(|path| tree.get(path).unwrap_or(&missing));
        let lost = contents.iter().filter(|hash| self.lost.contains(**hash));
        Ok(Looked {
            states: states.cloned().collect(),
            lost: lost.map(|hash| (*hash).to_owned()).collect(),
        })
    }

    fn near(&self, name: &str) -> Vec<String> {
        if name == "raed" {
            vec!["read".into()]
        } else {
            Vec::new()
        }
    }

    /// `n` must be a number once references are filled in; `bad` is never allowed.
    fn check(&self, tool: &str, args: &str, resolved: bool) -> Vec<Fault> {
        if let Some(checker) = self.schemas.get(tool) {
            return if resolved {
                checker.check(args)
            } else {
                checker.check_open(args)
            };
        }
        let fault = |path: &str, message: &str| Fault {
            path: path.into(),
            keyword: "type".into(),
            message: message.into(),
        };
        let Ok(Value::Object(map)) = serde_json::from_str(args) else {
            return vec![fault("", "not an object")];
        };
        let mut faults = Vec::new();
        if map.contains_key("bad") {
            faults.push(fault("/bad", "not allowed"));
        }
        match map.get("n") {
            Some(Value::Number(_)) | None => {}
            Some(Value::String(text)) if !resolved && text.starts_with('†') => {}
            Some(_) => faults.push(fault("/n", "not a number")),
        }
        faults
    }

    fn verdict(&self, tool: &str, args: &str, used: &RuleUses<'_>) -> Verdict {
        let mut gate = self.gates.get(tool).copied().unwrap_or(Gate::Allow);
        let ruled = self.session.iter().find(|(_, about, _, exact)| {
            let same = exact
                .as_ref()
                .is_none_or(|key| **key == *format!("{tool} {args}"));
            about == tool && same
        });
        if let Some((no, _, gate, _)) = ruled.filter(|_| gate != Gate::Deny) {
            return Verdict {
                gate: *gate,
                rule: format!("{}: {tool}", overrule_domain::rule::name(*no)),
                reason: "the operator says so".into(),
                deadline_ms: None,
                on_expiry: Consequence::Deny,
                quoted: None,
                parts: Vec::new(),
                alone: false,
                operator_only: false,
            };
        }
        let spent = |uses: &u32| used.times(&format!("test: {tool} {gate:?}")) >= *uses;
        if self.uses.get(tool).is_some_and(spent) {
            gate = Gate::Ask;
        }
        Verdict {
            gate,
            rule: format!("test: {tool} {gate:?}"),
            reason: "the test says so".into(),
            deadline_ms: self.deadline.map(|(ms, _)| ms),
            on_expiry: self.deadline.map_or(Consequence::Deny, |(_, on)| on),
            quoted: None,
            parts: Vec::new(),
            alone: false,
            operator_only: self.operator_only,
        }
    }

    fn exact(&self, tool: &str, args: &str) -> Result<Arc<str>, String> {
        if tool == "shell" && args.contains(';') {
            return Err("more than one command".into());
        }
        Ok(format!("{tool} {args}").into())
    }

    /// A rule is the name of a tool and a gate; a rule about `delegate` is refused.
    fn with_rule(&self, no: u32, rule: &RuleSpec) -> Result<Box<dyn Advice + '_>, String> {
        let (tool, gate, exact) = Self::read(rule)?;
        if tool == "delegate" {
            return Err("no rule about delegates".into());
        }
        let mut other = self.clone();
        other.session.push((no, tool, gate, exact));
        Ok(Box::new(other))
    }

    fn with_policy(&self, policy: &str) -> Result<Box<dyn Advice + '_>, String> {
        let mut other = self.clone();
        other.take_policy(policy)?;
        Ok(Box::new(other))
    }

    fn with_rules(&self, rules: &[SessionRule]) -> Box<dyn Advice + '_> {
        let mut other = self.clone();
        other.keep(rules);
        Box::new(other)
    }

    fn with_sandbox(&self, by: &[Widening]) -> Box<dyn Advice + '_> {
        let mut other = self.clone();
        other.widen(by);
        Box::new(other)
    }

    fn digest(&self, call: NodeId, rev: Rev, (tool, args): (&str, &str), operands: &[Operand]) -> Digest {
        let files = operands
            .iter()
            .fold(String::new(), |all, one| all + " " + &one.path + " " + &one.hash);
        let sandbox = if tool == "shell" { &*self.sandbox } else { "" };
        Digest(format!("{call} {rev} {tool} {args}{files}{}{sandbox}", self.place).into())
    }

    /// `file` in the arguments names what is run.
    fn operands(&self, _tool: &str, args: &str) -> Vec<Operand> {
        let found = self
            .files
            .iter()
            .filter(|(path, _)| args.contains(&format!(r#""file":"{path}""#)));
        let operand = |(path, text): (&String, &String)| Operand {
            path: path.as_str().into(),
            bytes: text.len() as u64,
            seen: if text == "?" {
                FileCheck::Unspecified
            } else {
                FileCheck::Whole
            },
            hash: text.as_str().into(),
        };
        found.map(operand).collect()
    }

    fn resource(&self, _tool: &str, args: &str) -> Option<String> {
        let args: Value = serde_json::from_str(args).ok()?;
        Some(args.get("path")?.as_str()?.to_owned())
    }

    fn after(&self, state: &State, call: &Call) -> Next {
        (self.steps)(state, call)
    }

    fn guards(&self, tool: &str, _args: &str) -> Vec<Scope> {
        match &self.breakers {
            Some(_) => vec![Scope::Tool(tool.into())],
            None => Vec::new(),
        }
    }

    fn instead(&self, _state: &State, tool: &str) -> Vec<Arc<str>> {
        let pure = (tool != "pure").then(|| "pure".into());
        pure.into_iter().collect()
    }

    fn approver(&self) -> Option<Arc<str>> {
        self.approver.clone()
    }

    fn breaker(&self, breaker: &Breaker) -> Option<Turn> {
        overrule_resilience::breaker::turn(self.breakers.as_ref()?, breaker)
    }

    fn fails_fast(&self) -> bool {
        let fail = overrule_resilience::breaker::WhenOpen::Fail;
        self.breakers.is_some_and(|settings| settings.when_open == fail)
    }

    fn configured(&self, key: &str, value: &str) -> Result<Arc<str>, String> {
        if key.is_empty() {
            return Err("no key".into());
        }
        Ok(format!(r#"{{"{key}":{value}}}"#).into())
    }

    fn before(&self, _tool: &str, _args: &str) -> Option<String> {
        let hash = self.target.as_ref()?;
        let before = (!hash.is_empty()).then_some(hash);
        Some(serde_json::json!({ "before": before, "after": "x" }).to_string())
    }

    fn escape(&self, state: &State, thread: ThreadId) -> Option<Advised> {
        let (config, watch) = self.loops.as_ref()?;
        let fits =
            |tool: &str, args: &str| Self::effect(tool).is_some() && self.check(tool, args, false).is_empty();
        let weight = |_: &Node, tool: &str| self.reliable.get(tool).copied().unwrap_or(0.5);
        let guards = |tool: &str, args: &str| Advice::guards(self, tool, args);
        let lasts = |call: &Call| self.lasting && Ladder::default().lasts(state, call);
        let instead = |tool: &str| Advice::instead(self, state, tool);
        let tools = Tools {
            lasts: &lasts,
            instead: &instead,
            fits: &fits,
            guards: &guards,
            weight: &weight,
        };
        let advised = advise(&mut watch.lock().unwrap(), state, thread, config, tools);
        let fresh = advise(&mut Watch::default(), state, thread, config, tools);
        assert_eq!(advised, fresh, "what was read before is a help and no truth");
        advised
    }
}
