//! Cuts recorded runs after their records, resumes them in this process, and compares the results.
//!
//! Must not know: what the runs do.
//!
//! Each must reach the graph, the files and the effects of the uncut run.

mod usual;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use self::usual::usual;
pub use self::usual::{commit, finished, waits};
use overrule::cli::build::JournalLog;
use overrule::domain::apply::{apply, fold};
use overrule::domain::call::{Call, Outcome, Status};
use overrule::domain::command::{CallCommand, Command, ResilienceCommand, Resolution, RunCommand};
use overrule::domain::envelope::Envelope;
use overrule::domain::event::{CallEvent, Event};
use overrule::domain::id::{Attempt, NodeId};
use overrule::domain::ready;
use overrule::domain::state::{LedgerOutcome, Mode, State};
use overrule::domain::turn::Stream;
use overrule::engine::advise::Adviser;
use overrule::engine::ids;
use overrule::journal::{Store, Writer};
use overrule::model::Model;
use overrule::model::scripted::{Playbook, Scripted};
use overrule::policy::Preset;
use overrule::present::graph::ActiveGraphView;
use serde_json::Value;

use crate::crash::live::{Live, adviser};
use crate::crash::world::World;

/// A run, and the operator who watches it. The operator decides by what is there, so that he does
/// the same whenever he comes.
pub struct Run {
    /// What the model does.
    pub playbook: &'static str,
    /// What needs his word.
    pub preset: Preset,
    /// The interventions of the operator; the index of each is its epoch.
    pub steps: Vec<Step>,
    /// His word on a call that waits: none is an approval, or the recorded result where an effect
    /// may have happened.
    pub decides: fn(&State, &Call) -> Option<CallCommand>,
    /// True where the recorded run was cut off once and resumed.
    pub crashes: bool,
}

/// An intervention.
pub struct Step {
    /// Whether its moment has come; looked at only where the run rests in its epoch.
    pub at: fn(&State) -> bool,
    /// A file that is changed right before.
    pub file: Option<(&'static str, &'static str)>,
    /// What he wants.
    pub command: fn(&State) -> Command,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            playbook: "",
            preset: Preset::Auto,
            steps: Vec::new(),
            decides: |_, _| None,
            crashes: false,
        }
    }
}

/// What a run amounts to.
#[derive(Debug, PartialEq, Eq)]
struct End {
    /// The graph as `overrule graph --format json --active` has it.
    graph: Value,
    /// Files of the workspace, with sorted lines.
    files: BTreeMap<String, String>,
    /// How often each effect is recorded as having happened.
    effects: BTreeMap<String, usize>,
}

/// A place for a run to be recorded, cut and resumed.
struct Bench<'r> {
    run: &'r Run,
    world: World,
    model: Arc<dyn Model>,
    adviser: Adviser,
    id: uuid::Uuid,
}

/// An execution that was begun.
#[derive(Clone)]
struct Begun {
    tool: Arc<str>,
    args: Arc<str>,
}

/// One round cuts after every so many records.
const STEP: u32 = 8;

/// The records to cut after: those of these rounds, and the one at which most effects were under way.
fn cuts(facts: &[Envelope]) -> BTreeSet<usize> {
    let mut cuts = BTreeSet::from_iter(overrule_testing::sample(1..=facts.len(), STEP));
    let (mut state, mut open, mut most) = (State::default(), BTreeMap::new(), (0, 0));
    for (records, fact) in (1..).zip(facts) {
        apply(&mut state, fact);
        note(&state, fact, &mut open, |_, _| {});
        let effects = open.values().filter(|one: &&Begun| one.has_effect()).count();
        most = most.max((effects, records));
    }
    cuts.insert(most.1);
    cuts
}

/// Records a run, cuts it after its records, resumes it from there, and compares.
pub async fn from_every_prefix(run: Run) {
    let bench = Bench::new(&run);
    let (facts, journal) = bench.record().await;
    let expected = bench.end(&fold(&facts));
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    assert_eq!(lines.len(), facts.len());
    let mut unknown = 0;
    for records in cuts(&facts) {
        let prefix = &facts[..records];
        // Executions in flight have happened, or not: the outcome is unknown.
        let mut begun = bench.files_of(prefix, false);
        for happened in [false, true] {
            if happened {
                begun.retain(|_, one| one.has_effect());
                if begun.is_empty() {
                    continue;
                }
                unknown += 1;
                bench.files_of(prefix, true);
            }
            let state = bench.goes_on(&lines[..records].concat()).await;
            let what = format!(
                "cut after record {records} of {}, happened: {happened}",
                facts.len()
            );
            assert_eq!(
                bench.end(&state),
                expected,
                "{what}: {:?}",
                facts[records - 1].event
            );
        }
    }
    assert!(
        unknown > 0 || expected.effects.is_empty(),
        "no cut was in the middle of an effect"
    );
}

impl Begun {
    fn has_effect(&self) -> bool {
        matches!(&*self.tool, "shell" | "write_file" | "edit_file")
    }
}

impl<'r> Bench<'r> {
    fn new(run: &'r Run) -> Self {
        let playbook = Playbook::parse("a test", run.playbook).unwrap();
        let world = World::new();
        let workspace = fs::canonicalize(world.ws()).unwrap();
        Self {
            run,
            world,
            model: Arc::new(Scripted::new(playbook, false)),
            adviser: adviser(&workspace, run.preset),
            id: ids::session(),
        }
    }

    /// The uncut run: its facts, and the lines of its journal.
    async fn record(&self) -> (Vec<Envelope>, String) {
        let store = Store::open(self.world.path("recorded"));
        let writer = store.create(self.id).unwrap();
        self.serve(State::default(), writer).await;
        let place = store.find(&self.id.to_string()).unwrap();
        let mut text = fs::read_to_string(place.journal()).unwrap();
        let mut facts = overrule::journal::read(&place).unwrap().envelopes;
        if self.run.crashes {
            // Cut where as much as possible was in flight, and resumed: this run is compared.
            let open = |records: &usize| begun(&facts[..*records]).len();
            let records = (1..facts.len()).max_by_key(open).unwrap();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let prefix = lines[..records].concat();
            self.files_of(&facts[..records], true);
            let state = self.goes_on(&prefix).await;
            assert!(state.seq.0 > records as u64);
            let place = self.cut().find(&self.id.to_string()).unwrap();
            text = fs::read_to_string(place.journal()).unwrap();
            facts = overrule::journal::read(&place).unwrap().envelopes;
        }
        (facts, text)
    }

    fn cut(&self) -> Store {
        Store::open(self.world.path("cut"))
    }

    /// Resumes a journal of these lines to the end; returns the state of the final journal.
    async fn goes_on(&self, lines: &str) -> State {
        let dir = self.world.path("cut").join(self.id.to_string());
        fs::remove_dir_all(&dir).unwrap_or_default();
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("journal.jsonl"), lines).unwrap();
        let place = self.cut().find(&self.id.to_string()).unwrap();
        let (writer, loaded) = Writer::open(&place).unwrap();
        self.serve(fold(&loaded.envelopes), writer).await;
        fold(&overrule::journal::read(&place).unwrap().envelopes)
    }

    /// Serves a run until it has its answer and its operator wants nothing more.
    async fn serve(&self, state: State, writer: Writer) {
        let fresh = state.turns.is_empty();
        let log = Box::new(JournalLog::unlisted(writer));
        let mut live = Live::over(state, log, self.adviser.clone(), self.model.clone());
        if fresh {
            live.prompt("go").await;
            live.until("a prompt", |state| !state.turns.is_empty()).await;
        }
        loop {
            live.settles("the run rests", rests).await;
            let Some(command) = self.wants(&live.state) else {
                break;
            };
            let seq = live.send(command.clone()).await;
            let seq = seq.unwrap_or_else(|refusal| panic!("{command:?}: {refusal:?}"));
            live.until("what was decided", |state| state.seq >= seq).await;
        }
        let state = &live.state;
        assert!(
            matches!(state.mode, Mode::Finished(_)),
            "{:?}: {:?}",
            state.mode,
            state.turns
        );
        live.end().await;
    }

    /// What the operator wants of a run that rests.
    fn wants(&self, state: &State) -> Option<Command> {
        if let Some(call) = state
            .queue()
            .find(|call| matches!(call.status, Status::OutcomeUnknown(_)))
        {
            return Some(Command::Call(self.resolved(state, call)));
        }
        let due = self.run.steps.get(state.epoch.0 as usize);
        if let Some(step) = due.filter(|step| (step.at)(state)) {
            if let Some((name, text)) = step.file {
                self.world.file(name, text);
            }
            return Some((step.command)(state));
        }
        // A call that no repair is left for stays failed.
        if let Some(call) = state
            .queue()
            .find(|call| matches!(call.status, Status::Repairing(_)))
        {
            let rev = state.nodes[&call.id].rev();
            let skip = ResilienceCommand::SkipRepair { call: call.id, rev };
            return Some(Command::Resilience(skip));
        }
        if let Some(call) = state.queue().next() {
            let word = (self.run.decides)(state, call).unwrap_or_else(|| usual(state, call));
            return Some(Command::Call(word));
        }
        let broken = |turn: &&overrule::domain::turn::Turn| {
            turn.is_active() && matches!(turn.stream, Stream::Broken(_))
        };
        let turn = state.turns.values().find(broken)?.id;
        Some(Command::Run(RunCommand::KeepArrived { turn, request: None }))
    }

    /// He looks into the log: is there a line more than executions that are known to have happened?
    fn resolved(&self, state: &State, call: &Call) -> CallCommand {
        let args = ready::resolved_args(state, call).unwrap();
        let (tool, _) = state.nodes[&call.id].as_call().unwrap();
        if &**tool != "shell" {
            assert_eq!(
                &*call.label, "hopeless",
                "the files tell: nobody needs to be asked"
            );
            let what = Resolution::DidNot;
            return CallCommand::Resolve {
                attempt: None,
                call: call.id,
                what,
            };
        }
        let word = logged(&args).expect("a command that logs");
        let lines = self
            .world
            .read("log.txt")
            .lines()
            .filter(|line| *line == word)
            .count();
        let entry = &state.ledger[&call.last_attempt().unwrap().intent];
        let known = state
            .ledger
            .values()
            .filter(|other| other.same == entry.same && matches!(other.outcome, LedgerOutcome::Known(_)));
        let what = if lines > known.count() {
            Resolution::Happened {
                value: Arc::from(Value::from(format!("did {word}\n")).to_string()),
            }
        } else {
            Resolution::DidNot
        };
        CallCommand::Resolve {
            attempt: None,
            call: call.id,
            what,
        }
    }

    fn end(&self, state: &State) -> End {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(self.world.ws()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let text = self.world.read(&name);
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            files.insert(name, lines.join("\n"));
        }
        let mut effects = BTreeMap::new();
        for entry in state.ledger.values().filter(|entry| entry.effect.has_effect()) {
            if !matches!(entry.outcome, LedgerOutcome::DidNot) {
                *effects
                    .entry(format!("{} {}", entry.tool, entry.same))
                    .or_insert(0) += 1;
            }
        }
        End {
            graph: serde_json::to_value(ActiveGraphView::of(state)).unwrap(),
            files,
            effects,
        }
    }

    /// Makes the files what they were after these facts; gives what was under way, which has
    /// happened or has not.
    fn files_of(&self, facts: &[Envelope], happened: bool) -> BTreeMap<(NodeId, Attempt), Begun> {
        for entry in fs::read_dir(self.world.ws()).unwrap().flatten() {
            fs::remove_file(entry.path()).unwrap();
        }
        self.world.file("notes.txt", "alpha\nbeta\n");
        let mut state = State::default();
        let mut open = BTreeMap::new();
        for fact in facts {
            let epoch = state.epoch.0 as usize;
            apply(&mut state, fact);
            if state.epoch.0 as usize > epoch
                && let Some((name, text)) = self.run.steps.get(epoch).and_then(|step| step.file)
            {
                self.world.file(name, text);
            }
            note(&state, fact, &mut open, |one, outcome| {
                self.happens(one, outcome.is_ok());
            });
        }
        if happened {
            for one in open.values() {
                self.happens(one, true);
            }
        }
        open
    }

    /// Does by hand what an execution does.
    fn happens(&self, one: &Begun, ok: bool) {
        let args: Value = serde_json::from_str(&one.args).unwrap_or_default();
        let word = |key: &str| args[key].as_str().unwrap_or_default().to_owned();
        match &*one.tool {
            "write_file" if ok => self.world.file(&word("path"), &word("content")),
            "edit_file" if ok => {
                let text = self.world.read(&word("path"));
                self.world
                    .file(&word("path"), &text.replacen(&word("old"), &word("new"), 1));
            }
            "shell" => {
                if let Some(word) = logged(&one.args) {
                    let log = self.world.read("log.txt");
                    self.world.file("log.txt", &format!("{log}{word}\n"));
                }
            }
            _ => {}
        }
    }
}

/// Executions that are under way after these facts.
fn begun(facts: &[Envelope]) -> BTreeMap<(NodeId, Attempt), Begun> {
    let mut state = State::default();
    let mut open = BTreeMap::new();
    for fact in facts {
        apply(&mut state, fact);
        note(&state, fact, &mut open, |_, _| {});
    }
    open
}

fn note(
    state: &State,
    fact: &Envelope,
    open: &mut BTreeMap<(NodeId, Attempt), Begun>,
    ended: impl Fn(&Begun, &Outcome),
) {
    match &fact.event {
        Event::Call(CallEvent::Started { call, attempt, .. }) => {
            let args = ready::resolved_args(state, &state.calls[call]).unwrap();
            let tool = state.nodes[call].as_call().unwrap().0.clone();
            open.insert((*call, *attempt), Begun { tool, args });
        }
        Event::Call(CallEvent::Finished {
            call,
            attempt,
            outcome,
            ..
        }) => {
            if let Some(one) = open.remove(&(*call, *attempt)) {
                ended(&one, outcome);
            }
        }
        // The outcome was found, and the files have it already.
        Event::Call(CallEvent::Resolved {
            call,
            attempt,
            happened,
            ..
        }) => {
            if let Some(one) = open.remove(&(*call, *attempt)).filter(|_| *happened) {
                ended(&one, &Outcome::ok(Arc::from("null")));
            }
        }
        _ => {}
    }
}

/// The word that a command of a test appends to the log.
fn logged(args: &str) -> Option<String> {
    let (_, rest) = args.split_once("echo ")?;
    let (word, _) = rest.split_once(" >> log.txt")?;
    Some(word.to_owned())
}

/// True where nothing happens before the operator says something.
fn rests(state: &State) -> bool {
    let probing = |call: &Call| {
        let last = call
            .last_attempt()
            .and_then(|last| state.ledger.get(&last.intent));
        matches!(call.status, Status::OutcomeUnknown(_)) && last.is_some_and(|entry| !entry.more.probed)
    };
    state.agenda.running.is_empty()
        && state.agenda.ending.is_empty()
        && state.agenda.queued.is_empty()
        && !state.turns.is_empty()
        && state.turns.values().all(|turn| turn.stream != Stream::Open)
        && !state.queue().any(probing)
}
