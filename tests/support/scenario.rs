//! Reads scenarios, files with calls of the real program and checks after each call, and runs them.
//!
//! Must not know: which verbs there are.
//!
//! Each scenario runs in a world of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use overrule::domain::call::Call;
use overrule::domain::escape::Detector;
use overrule::domain::event::{CallEvent, Event};
use overrule::domain::id::NodeKind;
use overrule::domain::state::State;
use rustix::process::Signal;
use serde::Deserialize;

use crate::support::pick;
use crate::support::world::{Said, World, finish, signal, until, wait, written};

/// A scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The operator verbs that it shows.
    pub verbs: Vec<String>,
    /// What it shows, in a sentence.
    pub about: String,
    /// A playbook: the name of a file in `playbooks`, or its text.
    playbook: String,
    /// Other playbooks and texts: files next to the workspace, by name.
    #[serde(default)]
    aside: BTreeMap<String, String>,
    /// True where the run repeats on purpose; elsewhere no loop may be found.
    #[serde(default)]
    loops: bool,
    /// Files of the workspace, besides `notes.txt` with the lines alpha and beta.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// What happens, one after the other.
    step: Vec<Step>,
}

/// One call of the program, and what holds after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// Words of the command line; or [`Step::play`], or [`Step::joins`].
    #[serde(default)]
    args: Vec<String>,
    /// Plays the playbook without a screen, with these further words.
    play: Option<Vec<String>>,
    /// Waits only until this moment.
    until: Option<Until>,
    /// True for the end of the program that was left running, in place of another.
    #[serde(default)]
    joins: bool,
    /// Writes these files of the workspace before.
    #[serde(default)]
    write: BTreeMap<String, String>,
    /// Writes these files next to the workspace before, with what they name filled in.
    #[serde(default)]
    aside: BTreeMap<String, String>,
    /// The exit code (0); without a meaning where it was killed.
    #[serde(default)]
    exit: i32,
    /// Standard output, exactly.
    out: Option<String>,
    /// Words of standard output, and words that are not in it.
    #[serde(default)]
    out_has: Vec<String>,
    #[serde(default)]
    out_lacks: Vec<String>,
    /// Words of standard error, and words that are not in it.
    #[serde(default)]
    err_has: Vec<String>,
    #[serde(default)]
    err_lacks: Vec<String>,
    /// Words of standard error, one after the other.
    #[serde(default)]
    err_in_order: Vec<String>,
    /// All executions so far: how often calls of these labels were started.
    executed: Option<BTreeMap<String, usize>>,
    /// The status of calls, by label.
    #[serde(default)]
    status: BTreeMap<String, String>,
    /// How often the model was asked so far.
    requests: Option<u32>,
    /// Files of the workspace by content, and files that are not there.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    absent: Vec<String>,
    /// Words of the graph that counts, and words that are not in it.
    #[serde(default)]
    graph_has: Vec<String>,
    #[serde(default)]
    graph_lacks: Vec<String>,
    /// Words of the whole record.
    #[serde(default)]
    record_has: Vec<String>,
    /// True where nothing below the scenario's directory may have changed.
    #[serde(default)]
    changes_nothing: bool,
}

/// The moment until which a program is waited for, and what becomes of it then.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Until {
    /// Once this many calls wait for an answer and nothing else is in progress.
    asked: Option<usize>,
    /// Once this many events of these kinds are recorded, and nothing is in progress.
    facts: Option<BTreeMap<String, usize>>,
    /// Once this file of the workspace has text.
    file: Option<String>,
    /// What then becomes of the program of this step; left out, it has ended before, and the moment
    /// is one of the program that was left running.
    then: Option<Then>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Then {
    /// It is asked to end.
    Term,
    /// It ends without a word.
    Kill,
    /// It continues, until a step with `joins`.
    Leave,
}

/// Where the scenarios are.
pub fn dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

/// Reads the scenario of this name.
pub fn read(name: &str) -> Scenario {
    let path = dir().join(name).with_extension("toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Carries a scenario out.
pub fn play(name: &str) {
    let scenario = read(name);
    let stage = Stage::new(&scenario);
    for (number, step) in (1..).zip(&scenario.step) {
        stage.step(step, &format!("{name}, step {number}"));
    }
}

struct Stage {
    /// First, so that it has ended when its place goes.
    left: RefCell<Option<Running>>,
    world: World,
    playbook: String,
    loops: bool,
}

/// A running program; it is killed with its scenario.
struct Running(Option<Child>);

impl Running {
    fn get(&self) -> &Child {
        self.0.as_ref().unwrap()
    }

    /// Waits for its end.
    fn ends(mut self) -> Said {
        wait(self.0.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            // It may have ended by itself.
            child.kill().unwrap_or_default();
            child.wait().unwrap();
        }
    }
}

impl Stage {
    fn new(scenario: &Scenario) -> Self {
        let world = World::new();
        for (name, text) in &scenario.files {
            world.file(name, text);
        }
        for (name, text) in &scenario.aside {
            world.aside(name, &playbook(text));
        }
        let playbook = world.aside("playbook.toml", &playbook(&scenario.playbook));
        Self {
            left: RefCell::new(None),
            world,
            playbook,
            loops: scenario.loops,
        }
    }

    fn step(&self, step: &Step, what: &str) {
        for (name, text) in &step.write {
            self.world.file(name, text);
        }
        for (name, text) in &step.aside {
            self.world.aside(name, &self.fill(text, what));
        }
        let args = self.args(step, what);
        let before = step.changes_nothing.then(|| self.world.everything());
        let stated = self.carry_out(step, &args);
        let context = format!(
            "{what}: {args:?}\n--- out\n{}\n--- err\n{}",
            stated.out, stated.err
        );
        let then = step.until.as_ref().and_then(|until| until.then);
        if then.is_none_or(|then| then == Then::Term) {
            assert_eq!(stated.code, Some(step.exit), "exit code of {context}");
        }
        if let Some(out) = &step.out {
            assert_eq!(&stated.out, out, "standard output of {context}");
        }
        has(&stated.out, &step.out_has, &step.out_lacks, &context);
        has(&stated.err, &step.err_has, &step.err_lacks, &context);
        in_order(&stated.err, &step.err_in_order, &context);
        if let Some(before) = before {
            assert_eq!(self.world.everything(), before, "changed by {context}");
        }
        self.files(step, what);
        self.record(step, what);
    }

    fn args(&self, step: &Step, what: &str) -> Vec<String> {
        let Some(more) = &step.play else {
            return step.args.iter().map(|word| self.fill(word, what)).collect();
        };
        let mut args = ["run", "--headless", "--model", "scripted", "--playbook"]
            .map(str::to_owned)
            .to_vec();
        args.extend([self.playbook.clone(), "go".to_owned()]);
        args.extend(more.iter().map(|word| self.fill(word, what)));
        args
    }

    fn carry_out(&self, step: &Step, args: &[String]) -> Said {
        if step.joins {
            return self.left.take().expect("a program that was left running").ends();
        }
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = self.world.command(&words);
        let Some((moment, then)) = step.until.as_ref().and_then(|until| Some((until, until.then?))) else {
            let stated = finish(command);
            if let Some(moment) = &step.until {
                until("the moment to go on", || self.is_time(moment));
            }
            return stated;
        };
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = Running(Some(piped.spawn().unwrap()));
        until("the moment to go on", || self.is_time(moment));
        match then {
            Then::Term => signal(child.get(), Signal::TERM),
            Then::Kill => signal(child.get(), Signal::KILL),
            Then::Leave => {
                self.left.replace(Some(child));
                return Said {
                    code: None,
                    out: String::new(),
                    err: String::new(),
                };
            }
        }
        child.ends()
    }

    fn is_time(&self, moment: &Until) -> bool {
        let there = |name: &String| written(&self.world.ws().join(name));
        let text = self.world.ids().pop().map_or_else(String::new, |id| {
            let path = self.world.sessions().join(id).join("journal.jsonl");
            fs::read_to_string(path).unwrap_or_default()
        });
        let count = |kind: &str| text.matches(&format!(r#""type":"{kind}""#)).count();
        // A call that a sub-agent works in waits for what that waits for.
        let idle = count("call.started").saturating_sub(count("turn.delegated")) <= count("call.finished");
        let waits = |asked: usize| idle && count("call.asked") == asked;
        let recorded =
            |facts: &BTreeMap<String, usize>| idle && facts.iter().all(|(kind, n)| count(kind) == *n);
        moment.file.as_ref().is_none_or(there)
            && moment.asked.is_none_or(waits)
            && moment.facts.as_ref().is_none_or(recorded)
    }

    fn files(&self, step: &Step, what: &str) {
        for (name, text) in &step.files {
            assert_eq!(&self.world.read(name), text, "{what}: {name}");
        }
        for name in &step.absent {
            assert!(!self.world.ws().join(name).exists(), "{what}: there is a {name}");
        }
    }

    /// What holds of the newest session.
    fn record(&self, step: &Step, what: &str) {
        let Some(id) = self.world.ids().pop() else {
            return;
        };
        let facts = self.world.facts(&id);
        let state = self.world.state(&id);
        if let Some(expected) = &step.executed {
            let mut executed = BTreeMap::new();
            for fact in &facts {
                if let Event::Call(CallEvent::Started { call, .. }) = &fact.event {
                    let label = state
                        .calls
                        .get(call)
                        .map_or_else(String::new, |call| call.label.to_string());
                    *executed.entry(label).or_insert(0) += 1;
                }
            }
            assert_eq!(&executed, expected, "{what}: executions so far");
        }
        for (label, status) in &step.status {
            let call = call(&state, label);
            assert_eq!(call.status.base_label(), status, "{what}: {label}");
        }
        if let Some(requests) = step.requests {
            assert_eq!(state.tally.requests, requests, "{what}: requests so far");
        }
        if !step.graph_has.is_empty() || !step.graph_lacks.is_empty() {
            let stated = self
                .world
                .run(&["graph", &id, "--format", "json", "--active"])
                .ends(0);
            let what = format!("the graph after {what}\n{}", stated.out);
            has(&stated.out, &step.graph_has, &step.graph_lacks, &what);
        }
        let whole = self.world.journal(&id);
        has(&whole, &step.record_has, &[], &format!("{what}: the record"));
        if !self.loops {
            let mut loops = state.learned.escape.incidents.iter();
            // A call that failed for good begins an incident without a repetition.
            let found = loops.find(|one| one.finding.detector != Detector::Exhausted);
            assert_eq!(found, None, "{what}: nothing repeats here");
        }
    }

    /// A word with what it names filled in.
    fn fill(&self, word: &str, what: &str) -> String {
        let mut filled = String::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after
                .split_once("}}")
                .unwrap_or_else(|| panic!("{what}: no end of {word}"));
            filled.push_str(before);
            filled.push_str(&self.named(name.trim(), what));
            rest = after;
        }
        filled + rest
    }

    fn named(&self, name: &str, what: &str) -> String {
        let id = self.world.ids().pop().unwrap_or_default();
        let (kind, of) = name.split_once(' ').unwrap_or((name, ""));
        if kind == "session" {
            return id;
        }
        if kind == "file" {
            return self.world.path(of).to_str().unwrap().to_owned();
        }
        if kind == "digest-of-all" {
            let queue = self.world.run(&["queue", &id]).ends(0).out;
            let last = queue.lines().last().unwrap_or_default().trim();
            return last.strip_prefix("digest ").unwrap_or_default().to_owned();
        }
        let state = self.world.state(&id);
        let by_words = |kind: NodeKind| pick::node(&state, kind, of).to_string();
        match kind {
            "call" => call(&state, of).id.to_string(),
            "observation" => call(&state, of).id.observation().to_string(),
            "turn" => pick::turn(&state, of).0.to_string(),
            "last-turn" => state.turns.keys().last().unwrap().0.to_string(),
            "epoch" => state.epoch.0.to_string(),
            "digest" => call(&state, of)
                .digest
                .as_ref()
                .map_or_else(String::new, |one| one.0.to_string()),
            "prompt" => by_words(NodeKind::Prompt),
            "thought" => by_words(NodeKind::Thought),
            "answer" => by_words(NodeKind::Answer),
            _ => panic!("{what}: nobody knows what {{{{{name}}}}} is"),
        }
    }
}

/// The text of a playbook, by its name in `playbooks` or as it is.
fn playbook(text: &str) -> String {
    if text.contains('\n') {
        return text.to_owned();
    }
    let path = dir().join("playbooks").join(text).with_extension("toml");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The call of a label.
fn call<'s>(state: &'s State, label: &str) -> &'s Call {
    &state.calls[&pick::call(state, label)]
}

#[track_caller]
fn in_order(text: &str, words: &[String], what: &str) {
    let mut rest = text;
    for words in words {
        let found = rest.split_once(words.as_str());
        rest = found
            .unwrap_or_else(|| panic!("no `{words}` behind the words before it in {what}"))
            .1;
    }
}

fn has(text: &str, words: &[String], not: &[String], what: &str) {
    for words in words {
        assert!(text.contains(words.as_str()), "no `{words}` in {what}");
    }
    for words in not {
        assert!(!text.contains(words.as_str()), "there is `{words}` in {what}");
    }
}
