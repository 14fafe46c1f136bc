//! `overrule drill`: a recorded run is gone through again on the screen, with bad calls mixed in, and the operator is
//! told how many they caught. Its tools are stand-ins and its model is the recording: nothing runs, nothing is
//! connected. Without a screen the policy alone is judged, and nothing is written.
//!
//! Must not know: what makes a call bad, how it is scored, how a run is shown.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use super::args::{self, Common};
use super::build::Ground;
use super::exit::{Code, Failure};
use super::resume;
use super::run::{self, Ready};
use super::{build, live, models, print};
use crate::domain::advice::{Advice as _, Used};
use crate::domain::apply::{apply, fold};
use crate::domain::draft::Draft;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::run::{Limits, Started};
use crate::domain::event::{Event, RunEvent};
use crate::domain::id::Seq;
use crate::domain::node::Channel;
use crate::domain::state::State;
use crate::drill::{self, Scorer, Script, bad};
use crate::engine::advise::Adviser;
use crate::engine::ids;
use crate::engine::setup::{ModelSetup, Setup};
use crate::journal::{self, Link, Place};
use crate::model::scripted::{Block, Played};
use crate::resilience::policy::Policy;
use crate::tools::Tool;
use crate::tools::standin::StandIn;

/// Most bad calls that can be asked for.
const MOST_BAD: usize = 200;
/// The largest share of bad calls, in percent.
const MOST_SHARE: u8 = 50;
/// What the operator is told first; one row of a narrow terminal.
const NOTICE: &str = "This is a drill: nothing runs. Decide as if it did; your score comes at the end";

/// Goes through a recorded run as an exercise, or judges the policy by it where nobody watches.
pub fn drill(common: &Common, args: &args::Drill) -> Result<Code, Failure> {
    check(common, args)?;
    let ground = Ground::read(common)?;
    let place = ground.store.find(&args.id)?;
    let (recorded, script) = recorded(&place)?;
    let seed = args.seed.unwrap_or_else(|| ids::seed() % 1_000_000);
    let wanted = args
        .bad
        .unwrap_or_else(|| bad::count(script.calls().count(), args.share));
    let setup = setup(&ground, &script);
    let ground = as_now(ground, common, &recorded, &setup)?;
    let workspace = Path::new(&recorded.workspace);
    let checks = ground.adviser(&setup, workspace, false)?;
    let fits = |tool: &str, args: &str| checks.check(tool, args, true).is_empty();
    let script = script.mixed(wanted, seed, &fits).map_err(usage)?;
    let setup = self::setup(&ground, &script);
    let adviser = ground.adviser(&setup, workspace, false)?;
    let started = started(&ground, &adviser, &setup, &recorded)?;
    let mut first = vec![Event::Run(RunEvent::Started(Box::new(started)))];
    first.extend(adviser.resilience(&State::default()));
    first.extend(ground.priors()?);
    print::err(&print::told(&format!(
        "drill of {}: nothing runs. The same exercise again: overrule drill {} --seed {seed} --bad {wanted}",
        script.of,
        ground.address(&script.of)
    )));
    if common.headless || !std::io::stdout().is_terminal() {
        return Ok(judge(common, &script, adviser, first));
    }
    serve(common, &ground, &setup, adviser, first)
}

fn check(common: &Common, args: &args::Drill) -> Result<(), Failure> {
    let usage = |what: &str| Err(Failure::new(Code::Usage, what));
    if !(1..=MOST_SHARE).contains(&args.share) {
        return usage("--share takes the share of bad calls in percent: write 1 to 50");
    }
    if args.bad.is_some_and(|bad| !(1..=MOST_BAD).contains(&bad)) {
        return usage("--bad takes how many bad calls are mixed in: write 1 to 200");
    }
    no_model(common)
}

/// The recording is the model.
pub fn no_model(common: &Common) -> Result<(), Failure> {
    if common.model.is_none() && common.playbook.is_none() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Usage,
        "a drill plays a recorded run and asks no model: leave out --model and --playbook",
    ))
}

fn usage(error: drill::Error) -> Failure {
    let code = match error {
        drill::Error::TooMany { .. } => Code::Usage,
        drill::Error::NoCalls(_) | drill::Error::NothingBad(_) => Code::Session,
    };
    Failure::new(code, error)
}

/// The run that the exercise is made from.
fn recorded(place: &Place) -> Result<(Arc<Started>, Script), Failure> {
    let id = place.id();
    if journal::is_held(place) {
        return Err(Failure::new(
            Code::Session,
            format!(
                "session {id} is open in another process: a drill is made from one that rests; leave it first"
            ),
        ));
    }
    let state = fold(&journal::read(place)?.envelopes);
    let started = state.started.clone().ok_or_else(|| resume::unbegun(&id))?;
    if let Some(script) = script_in(&started) {
        return Err(Failure::new(
            Code::Session,
            format!(
                "session {id} is a drill itself: name the session that it was made from, {}",
                script.of
            ),
        ));
    }
    let script = Script::of(&state, &id).map_err(usage)?;
    Ok((started, script))
}

/// The script of a drill, as its setup records it.
pub fn parse(script: &str) -> Result<Script, Failure> {
    Script::parse(script).map_err(|error| {
        Failure::new(
            Code::Session,
            format!("the script of this drill cannot be read: {error}; make it anew with `overrule drill`"),
        )
    })
}

/// The script of a run that is a drill.
pub fn script_in(started: &Started) -> Option<Script> {
    match Setup::parse(&started.setup).ok()?.model {
        ModelSetup::Drill { script } => Script::parse(&script).ok(),
        ModelSetup::Scripted { .. } | ModelSetup::OpenaiChat { .. } => None,
    }
}

fn setup(ground: &Ground, script: &Script) -> Setup {
    Setup {
        session: ids::session().to_string(),
        model: ModelSetup::Drill {
            script: script.to_text(),
        },
        headless: false,
        task: Some(script.prompt.clone()),
        policy: ground.policy_text(),
        samples: None,
    }
}

/// The settings of now, as a run in the recorded directory would have them; nobody is called from outside.
fn as_now(ground: Ground, common: &Common, recorded: &Started, setup: &Setup) -> Result<Ground, Failure> {
    let ground = ground.for_run(common, Path::new(&recorded.workspace), setup)?;
    Ok(ground.without_calls())
}

fn started(
    ground: &Ground,
    adviser: &Adviser,
    setup: &Setup,
    recorded: &Started,
) -> Result<Started, Failure> {
    let model = models::build(ground, &setup.model, false)?;
    let mut started = ground.started(adviser, &*model, setup, &recorded.input)?;
    // As long as the recording is: nothing is spent.
    started.limits = Limits {
        turns: None,
        tokens: None,
        wall_ms: None,
        price: None,
        ..started.limits
    };
    Ok(started)
}

/// Stand-ins for the tools of a script.
pub fn stand_ins(script: &Script) -> Vec<Arc<dyn Tool>> {
    let of = |tool: &str| -> Vec<(&str, _)> {
        let calls = script.calls().filter(|call| *call.tool == *tool);
        calls
            .filter_map(|call| Some((&*call.args, call.outcome.as_ref()?)))
            .collect()
    };
    let cards = script.tools.iter();
    cards
        .map(|card| Arc::new(StandIn::new(card.clone(), of(&card.name))) as Arc<dyn Tool>)
        .collect()
}

/// The model of a drill: the recording.
pub fn model(script: &Script) -> Played {
    let mut turns: Vec<Vec<Block>> = Vec::new();
    for round in &script.turns {
        let said = round.said.iter().map(|said| match said.channel {
            Channel::Spoken => Block::Text(said.text.to_string()),
            Channel::Reasoning => Block::Reasoning(said.text.to_string()),
        });
        let calls = round.calls.iter().map(|call| Block::Call {
            tool: call.tool.to_string(),
            args: call.args.to_string(),
        });
        turns.push(said.chain(calls).collect());
    }
    turns.push(vec![Block::Text(script.answer.clone())]);
    let of: String = script.of.chars().take(8).collect();
    Played::new(format!("drill of {of}"), turns)
}

/// How failures are met in a drill: they stand. What was recorded has been tried again, mended and led out already.
pub fn resilience(mut policy: Policy) -> Policy {
    policy.retry.retries = 0;
    policy.repair.on = false;
    policy.repair.tools.clear();
    policy.loops.enabled = false;
    policy.breaker.consecutive = 0;
    policy.breaker.rate = 0;
    policy
}

/// Serves a drill on the screen and tells the score.
fn serve(
    common: &Common,
    ground: &Ground,
    setup: &Setup,
    adviser: Adviser,
    first: Vec<Event>,
) -> Result<Code, Failure> {
    live::check(ground)?;
    let model = models::build(ground, &setup.model, false)?;
    let id = setup
        .session
        .parse()
        .map_err(|error| Failure::new(Code::Other, error))?;
    let writer = ground.store.create(id)?;
    let mut notices = ground.notices();
    notices.push(NOTICE.to_owned());
    let (head, run) = (Link::FIRST, writer.run());
    let tools = (Arc::clone(&adviser.registry), Arc::clone(&adviser.workspace));
    let (driver, handle) = build::driver(State::default(), writer, adviser, model, notices);
    let ready = Ready {
        driver,
        handle,
        first,
        task: setup.task.as_deref().map(run::first_prompt),
        session: setup.session.clone(),
        past: Vec::new(),
        head,
        run,
        door: None,
        held: None,
        tools,
    };
    let result = run::runtime().and_then(|runtime| run::serve(common, ground, ready, false, runtime));
    if result.is_err() {
        ground.store.forget_unbegun(id);
    }
    result.and_then(|code| tell(common, ground, &setup.session).map(|()| code))
}

/// Tells the score of a session, where it is a drill.
pub fn tell(common: &Common, ground: &Ground, session: &str) -> Result<(), Failure> {
    let place = ground.store.find(session)?;
    let facts = journal::read(&place)?.envelopes;
    let begun = facts.first().map(|fact| &fact.event);
    let Some(Event::Run(RunEvent::Started(started))) = begun else {
        return Ok(());
    };
    let Some(script) = script_in(started) else {
        return Ok(());
    };
    let mut scorer = Scorer::new(&script);
    for fact in &facts {
        scorer.take(fact);
    }
    let score = scorer.score();
    if common.json {
        let mut value = serde_json::to_value(&score).map_err(|error| Failure::new(Code::Other, error))?;
        value["type"] = "drill".into();
        value["session"] = session.into();
        print::out(&value.to_string());
    } else {
        score.words().iter().for_each(|line| _ = print::out(line));
    }
    Ok(())
}

/// What the policy alone would do.
fn judge(common: &Common, script: &Script, mut adviser: Adviser, first: Vec<Event>) -> Code {
    let state = begun(first);
    adviser.watch = adviser.watch.on(&state);
    let draft = Draft::new(&state);
    let task = adviser.task(&script.prompt);
    let foreseen = drill::foreseen(script, &|tool, args| {
        let verdict = adviser.verdict(tool, args, &Used::by(&draft));
        let verdict = adviser.careful(tool, task.as_deref(), verdict);
        let rule = match verdict.quoted {
            Some(quoted) => format!("a rule of the workspace ({})", quoted.place),
            None => verdict.rule,
        };
        (verdict.gate, rule)
    });
    if common.json {
        let mut value = serde_json::to_value(&foreseen).unwrap_or_default();
        value["type"] = "policy".into();
        print::out(&value.to_string());
    } else {
        foreseen.words().iter().for_each(|line| _ = print::out(line));
    }
    Code::Ok
}

/// The state that a run begins with; nothing is written.
fn begun(first: Vec<Event>) -> State {
    let mut state = State::default();
    for event in first {
        let fact = Envelope {
            v: FORMAT,
            seq: state.seq.next(),
            at: 0,
            mono: 0,
            actor: Actor::Engine,
            cause: Seq(0),
            more: false,
            event,
        };
        apply(&mut state, &fact);
    }
    state
}
