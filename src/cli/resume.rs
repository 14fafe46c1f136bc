//! Resumes a recorded run: its settings, its repeated questions, its orphan processes.
//!
//! Must not know: how a run is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::address::Address;
use super::args::{self, Common};
use super::build::{self, AppContext, LAST};
use super::exit::{Code, Failure};
use super::opening::{self, Opened};
use super::operator;
use super::run::{self, Ready};
use super::sandbox;
use super::{
    demos, detach, effects, headless, learned_store, live, lost_edits, models, picker, print, record, screen,
    written_here,
};
use overrule_base::text::visible;
use overrule_domain::call::Status;
use overrule_domain::event::run::{Limits, Started, ToolCard};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::files::is_restoring;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::{Mode, State};
use overrule_engine::advise::Adviser;
use overrule_engine::setup::{Samples, Setup};
use overrule_engine::{self as engine, Launch};
use overrule_journal::{self as journal, Place};
use overrule_model::Model;
use overrule_policy::{Origin, Rule};
use overrule_tools::builtin;
use overrule_tools::child;
use overrule_tools::sample;

/// Resumes a recorded run.
pub fn resume(common: &Common, resume: &args::Resume) -> Result<Code, Failure> {
    if resume.detach.detach {
        return detach::start(common, false);
    }
    let common = &detach::common(common, resume.detach)?;
    let context = AppContext::read(common)?;
    match picker::session(common, &context, resume.id.as_deref(), "resume")? {
        Some(id) => resume_session(common, context, &id, resume.from_elsewhere),
        None => Ok(Code::Ok),
    }
}

/// Finds a session that may be continued.
fn found(common: &Common, context: &AppContext, id: &str, headless: bool) -> Result<Place, Failure> {
    live::check(context)?;
    let place = context.find_to_resume(common, id)?;
    operator::may_decide(&context.env, &place.id(), "continue")?;
    check_before_opening(common, &place, headless)?;
    Ok(place)
}

/// Resumes the session of this id. One from elsewhere asks first, unless it is `accepted`.
pub fn resume_session(
    common: &Common,
    context: AppContext,
    id: &str,
    accepted: bool,
) -> Result<Code, Failure> {
    let headless = run::is_headless(common);
    let place = found(common, &context, id, headless)?;
    let runtime = run::runtime()?;
    let by = written_here::writer(&context.env, &place);
    let Opened {
        writer,
        state,
        past,
        session,
        mut notices,
    } = opening::open(&context, &place)?;
    let Some(recorded) = state.started.clone() else {
        return Err(unbegun(&session));
    };
    if let Mode::Finished(answer) = state.mode
        && headless
        && !is_restoring(&state)
    {
        return print_answer(common, &state, answer, &context.address(&session));
    }
    let admitted = written_here::admit(&context, by, (&state, &session), (headless, accepted))?;
    notices.extend(admitted.notice);
    for line in effects::before_resume(&state).iter().filter(|_| headless) {
        print::err(line);
    }
    let mut setup = setup_of(&recorded, &session)?;
    let workspace = workspace_of(common, &context, &recorded, (id, &session))?;
    if workspace != Path::new(&recorded.workspace) {
        notices.push(moved(&recorded.workspace, &workspace));
    }
    let mut context = context.for_run(common, &workspace, &setup)?;
    notices.extend([context.notices(), screen::notices(&context, headless)].concat());
    setup.headless = headless;
    setup.policy = context.policy_text();
    setup.model = models::again(common, &context, setup.model)?;
    notices.extend(setup.samples.as_ref().and_then(demos::serve_again));
    let confined = sandbox::again(&mut context, &recorded, (&session, common.sandbox), headless);
    notices.extend(runtime.block_on(confined)?);
    let mut connected = runtime.block_on(context.connect(Some(&setup), &workspace, &recorded.tools));
    notices.extend(connected.notices());
    let mut adviser = context.adviser(
        connected.tools(),
        &setup,
        (&workspace, headless && !common.control),
    )?;
    if common.policy.is_none() {
        adviser.keep_preset(&admitted.preset);
    }
    adviser.watch = adviser.watch.on(&state);
    if admitted.rules_count {
        adviser.keep_rules(&state.settings.rules);
    }
    adviser.keep_widenings(&state.settings.widenings);
    notices.extend(rules_in_force(&adviser));
    let model: Arc<dyn Model> = models::build(&context, &setup.model, !headless)?;
    let mut fitted = context.started(&adviser, &*model, &setup, &recorded.input)?;
    keep_words(&recorded, &mut fitted, setup.samples.as_ref());
    fitted.user = recorded.user.clone();
    fitted.hide_edits = recorded.hide_edits;
    fitted.limits = limits(common, &context, state.settings.limits);
    fitted.policy = adviser.policy.preset().to_string();
    notices.extend(run::uncosted(&fitted));
    notices.extend(orphan_processes(&state));
    adviser.keep_resilience(&state);
    let mut first = first_events(&state, &adviser, fitted);
    written_here::take_back(&mut first, admitted.events);
    first.extend(adviser.resilience(&state));
    if let Some(lost) = lost_edits::lost_edits(&state) {
        first.extend(lost.events);
        notices.push(lost.notice);
    }
    // The previous process died before it recorded the first prompt.
    let task = setup.task.as_deref().filter(|_| state.turns.is_empty());
    let task = task.map(run::first_prompt);
    // It is admitted: from here on it is one's own.
    let note = written_here::note(&context.env, &session);
    let (head, run) = (writer.head(), writer.run());
    let tools = (Arc::clone(&adviser.registry), Arc::clone(&adviser.workspace));
    let (driver, handle) = build::driver(
        state,
        (writer, Some(note)),
        adviser,
        Launch::World(model),
        notices,
    );
    let driver = context.configured(learned_store::keep(driver, &context, &setup));
    let ready = Ready {
        driver,
        handle,
        first,
        task,
        session,
        past: if headless { Vec::new() } else { past },
        head,
        run,
        door: None,
        guest: None,
        tools,
        connected: Some(connected),
    };
    run::serve(common, &context, ready, headless, runtime)
}

/// Prints the answer of a run that is finished.
fn print_answer(common: &Common, state: &State, answer: NodeId, at: &Address) -> Result<Code, Failure> {
    if common.detached {
        let why = format!("cannot run detached: the session has its answer; hint: overrule resume {at}");
        return Err(Failure::new(Code::Halted, why));
    }
    let text = state.nodes.get(&answer).map(Node::text).unwrap_or_default();
    headless::print_answer(common, state, text, at)
}

/// Refuses a run that this version cannot continue before anything is written. The whole session is read only if its
/// first record says that this may be so.
fn check_before_opening(common: &Common, place: &Place, headless: bool) -> Result<(), Failure> {
    let is_old = journal::first(place)?.is_some_and(|first| match first.event {
        Event::Run(RunEvent::Started(started)) => {
            Setup::parse(&started.setup).is_ok_and(|setup| setup.model.has_old_templates())
        }
        _ => false,
    });
    if !is_old {
        return Ok(());
    }
    let (found, _) = record::up_to_damage(place)?;
    if headless && matches!(found.state.mode, Mode::Finished(_)) {
        return Ok(()); // Only its answer is printed.
    }
    check(common, &found.state, &place.id())
}

/// Refuses to continue a run whose playbook this version cannot follow.
pub fn check(common: &Common, state: &State, session: &str) -> Result<(), Failure> {
    match &state.started {
        Some(recorded) => models::check_recorded(common, &setup_of(recorded, session)?.model, session),
        None => Ok(()),
    }
}

/// The directory that the run continues in: the one that is named now, or the recorded one.
fn workspace_of(
    common: &Common,
    context: &AppContext,
    recorded: &Started,
    (named, session): (&str, &str),
) -> Result<PathBuf, Failure> {
    if common.workspace.is_some() {
        return Ok(context.workspace.clone());
    }
    let workspace = PathBuf::from(&recorded.workspace);
    if named == LAST && workspace != context.workspace {
        return Err(Failure::new(
            Code::Session,
            format!(
                "cannot resume `last`: session {session} is of {}; hint: name it instead",
                visible(&recorded.workspace)
            ),
        ));
    }
    if workspace.is_dir() {
        return Ok(workspace);
    }
    Err(Failure::new(
        Code::Session,
        format!(
            "cannot resume session {session}: its workspace {} does not exist; hint: if it was moved, `overrule resume {} \
             --workspace DIR` continues there",
            visible(&recorded.workspace),
            context.address(session)
        ),
    ))
}

/// The notice about a run that continues in another directory.
fn moved(from: &str, to: &Path) -> String {
    format!(
        "The run continues in {}; until now it was in {}. Calls that were approved there ask again.",
        visible(&to.to_string_lossy()),
        visible(from)
    )
}

/// Keeps the recorded system text and tool descriptions, so that new wording in this version causes no new questions.
/// A tool with other arguments, another effect or other tags is another tool.
fn keep_words(recorded: &Started, fitted: &mut Started, samples: Option<&Samples>) {
    fitted.system = Arc::clone(&recorded.system);
    let mut own = builtin::names();
    let samples = samples.map_or_else(Vec::new, |samples| sample::of(&samples.run));
    own.extend(samples.iter().map(|tool| tool.spec().card.name.to_string()));
    for card in fitted.tools.iter_mut().filter(|card| own.contains(&*card.name)) {
        let same = |was: &&ToolCard| {
            was.name == card.name
                && (was.effect, &was.tags) == (card.effect, &card.tags)
                && shape(&was.schema) == shape(&card.schema)
        };
        if let Some(was) = recorded.tools.iter().find(same) {
            card.description = Arc::clone(&was.description);
            card.schema = Arc::clone(&was.schema);
        }
    }
}

/// Returns a schema without its descriptions.
fn shape(schema: &str) -> Option<Value> {
    fn strip(schema: &mut Value) {
        let Some(members) = schema.as_object_mut() else {
            return;
        };
        members.retain(|key, value| !(key == "description" && value.is_string()));
        for (key, value) in members {
            match (key.as_str(), value) {
                // These keys are names of arguments.
                ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(strip),
                (_, Value::Array(list)) => list.iter_mut().for_each(strip),
                (_, value) => strip(value),
            }
        }
    }
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    strip(&mut schema);
    Some(schema)
}

/// The error for a session without a start event.
pub fn unbegun(session: &str) -> Failure {
    Failure::new(
        Code::Session,
        format!("cannot use session {session}: it ended before the run started; hint: start a new run"),
    )
}

/// Parses the setup of a recorded run.
pub fn setup_of(recorded: &Started, session: &str) -> Result<Setup, Failure> {
    Setup::parse(&recorded.setup).map_err(|error| {
        Failure::new(
            Code::Session,
            format!(
                "cannot resume session {session}: this version cannot read its setup ({}); hint: start a new run",
                visible(&error.to_string())
            ),
        )
    })
}

/// The limits in force, with the given flags applied.
pub fn limits(common: &Common, context: &AppContext, mut limits: Limits) -> Limits {
    let named = context.settings.limits.values();
    if common.max_turns.is_some() {
        limits.turns = named.turns;
    }
    if common.max_tokens.is_some() {
        limits.tokens = named.tokens;
    }
    if common.max_time.is_some() {
        limits.wall_ms = named.wall_ms;
    }
    if common.max_price.is_some() {
        limits.price = named.price;
    }
    if common.parallel.is_some() {
        limits.parallel = named.parallel;
    }
    limits
}

fn first_events(state: &State, adviser: &Adviser, fitted: Started) -> Vec<Event> {
    let limits = fitted.limits;
    let mut first = engine::resume::first_events(state, adviser, fitted);
    if limits != state.settings.limits {
        first.push(Event::Run(RunEvent::LimitsRaised { limits }));
        if state.tally.limit_reached.is_some() {
            first.push(Event::Run(RunEvent::Resumed {}));
        }
    }
    first
}

/// Describes the orphan processes of the previous process.
pub fn orphan_processes(state: &State) -> Vec<String> {
    engine::resume::processes(state)
        .into_iter()
        .filter_map(|(call, pid, ticks)| Some((call, pid, child::orphan_process(pid, ticks)?)))
        .map(|(call, pid, left)| {
            let counts = state.nodes.get(&call).is_some_and(|node| node.active);
            let waited_for = counts
                && state
                    .calls
                    .get(&call)
                    .is_some_and(|call| matches!(call.status, Status::Running(_) | Status::OutcomeUnknown(_)));
            let words = format!(
                "{}, started before the interruption: {}, or wait for its end, before you record the outcome of {call}.",
                left.describe(call, pid),
                left.ending(pid)
            );
            if waited_for {
                words
            } else {
                format!("{words} Its call is superseded, so the run does not wait for it and continues next to it.")
            }
        })
        .collect()
}

/// The notice about rules of this session, which approve calls without a question.
fn rules_in_force(adviser: &Adviser) -> Option<String> {
    let rules: Vec<String> = adviser
        .policy
        .rules()
        .iter()
        .filter(|rule| rule.origin == Origin::Session)
        .map(Rule::cite)
        .collect();
    (!rules.is_empty()).then(|| {
        format!(
            "Rules of this session are in force: {}. `overrule drop-rule` removes one.",
            rules.join("; ")
        )
    })
}
