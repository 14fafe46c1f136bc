//! `overrule run`, `overrule demo`, `overrule resume`: begins or goes on with a run, on the screen
//! or without one. Must not know: how a run is shown.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use super::args::{self, Common};
use super::build::{self, Ground};
use super::exit::{Code, Failure};
use super::{headless, live, models, print};
use crate::domain::apply::fold;
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::event::{Event, RunEvent};
use crate::domain::state::{Mode, State};
use crate::engine::setup::{ModelSetup, Setup};
use crate::engine::{Driver, Handle, ids, resume};
use crate::journal::{Link, Writer};
use crate::model::Model;
use crate::tools::child;

/// A run that is ready to go.
pub struct Ready {
    /// The loop.
    pub driver: Driver,
    /// The way to it.
    pub handle: Handle,
    /// Its first events.
    pub first: Vec<Event>,
    /// What the operator wants first: the task of a new run.
    pub task: Option<Command>,
    /// The session's id.
    pub session: String,
    /// Link of the last record before this process's first.
    pub head: Link,
    /// The run that records name.
    pub run: uuid::Uuid,
}

/// Starts a built-in run.
pub fn demo(common: &Common, demo: &args::Demo) -> Result<Code, Failure> {
    if demo.list {
        for (name, what) in models::DEMOS {
            print::out(&format!("{name:12} {what}"));
        }
        return Ok(Code::Ok);
    }
    let name = demo.name.as_deref().unwrap_or("audit");
    let (setup, task) = models::demo(name)?;
    let ground = Ground::read(common)?;
    if !demo.anywhere {
        refuse_wide(&ground)?;
    }
    begin(common, &ground, setup, &task, "null", true)
}

/// The built-in run reads what is there; it should not read a whole disk or home by accident.
fn refuse_wide(ground: &Ground) -> Result<(), Failure> {
    let home = ground
        .env
        .home
        .as_deref()
        .and_then(|home| std::fs::canonicalize(home).ok());
    let wide = ground.workspace == Path::new("/") || home.as_deref() == Some(&ground.workspace);
    if wide {
        return Err(Failure::new(
            Code::Usage,
            format!(
                "the built-in run reads the directory that it is started in, and {} is very wide: go to a project's \
                 directory, name one with --workspace, or say `overrule demo --anywhere`",
                ground.workspace.display()
            ),
        ));
    }
    Ok(())
}

/// Runs a task.
pub fn task(common: &Common, task: &args::Task) -> Result<Code, Failure> {
    if task.task.trim().is_empty() {
        return Err(Failure::new(
            Code::Usage,
            "the task is empty: say what the agent shall do",
        ));
    }
    let ground = Ground::read(common)?;
    let input = read_input(task.input.as_deref())?;
    let setup = models::choose(common, &ground)?;
    begin(common, &ground, setup, &task.task, &input, false)
}

fn read_input(input: Option<&str>) -> Result<String, Failure> {
    let text = match input {
        None => return Ok("null".into()),
        Some(named) => match named.strip_prefix('@') {
            Some(file) => std::fs::read_to_string(file)
                .map_err(|error| Failure::new(Code::Usage, format!("cannot read --input {file}: {error}")))?,
            None => named.to_owned(),
        },
    };
    serde_json::from_str::<serde_json::Value>(&text)
        .map_err(|error| Failure::new(Code::Usage, format!("--input is not JSON: {error}")))?;
    Ok(text)
}

fn is_headless(common: &Common) -> bool {
    common.headless || common.json || !std::io::stdout().is_terminal()
}

fn begin(
    common: &Common,
    ground: &Ground,
    model: ModelSetup,
    task: &str,
    input: &str,
    is_demo: bool,
) -> Result<Code, Failure> {
    let headless = is_headless(common);
    check_screen(ground, headless)?;
    let id = ids::session();
    let setup = Setup {
        session: id.to_string(),
        model,
        headless,
    };
    let adviser = ground.adviser(&setup.session, &ground.workspace, headless)?;
    let model = models::build(ground, &setup.model, !headless)?;
    let started = ground.started(&adviser, &*model, &setup, input);
    let writer = ground.store.create(id)?;
    let mut notices = ground.notices();
    if is_demo {
        notices.push(
            "This is the built-in run: its model is scripted, its tools and files are real. \
             For a real model: overrule run --model NAME --base-url URL \"task\" (see README)."
                .into(),
        );
    }
    let run = writer.run();
    let (driver, handle) = build::driver(State::default(), writer, adviser, model, notices);
    let first = vec![Event::Run(RunEvent::Started(Box::new(started)))];
    let edit = Edit::InsertPrompt {
        after: None,
        text: Arc::from(task),
    };
    let task = Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: None,
    });
    let session = setup.session;
    serve(
        common,
        ground,
        Ready {
            driver,
            handle,
            first,
            task: Some(task),
            session,
            head: Link::FIRST,
            run,
        },
        headless,
    )
}

/// Refuses a theme that cannot be shown before anything is written.
fn check_screen(ground: &Ground, headless: bool) -> Result<(), Failure> {
    if headless { Ok(()) } else { live::check(ground) }
}

/// Goes on with a recorded run.
pub fn resume(common: &Common, resume: &args::Resume) -> Result<Code, Failure> {
    let ground = Ground::read(common)?;
    go_on(common, &ground, &resume.id)
}

/// Goes on with the session of this id.
pub fn go_on(common: &Common, ground: &Ground, id: &str) -> Result<Code, Failure> {
    let headless = is_headless(common);
    check_screen(ground, headless)?;
    let place = ground.store.find(id)?;
    let (writer, loaded, mut notices) = open(ground, &place)?;
    notices.extend(ground.notices());
    let state = fold(&loaded);
    let session = place.id();
    let Some(recorded) = state.started.clone() else {
        return Err(Failure::new(
            Code::Session,
            format!("session {session} ended before it began: start a new run"),
        ));
    };
    if let Mode::Finished(answer) = state.mode
        && headless
    {
        // Nothing to go on with: the answer is there.
        let text = state
            .nodes
            .get(&answer)
            .map(|node| node.text().to_owned())
            .unwrap_or_default();
        return Ok(headless::print_answer(common, &text, Code::Ok));
    }
    let mut setup = Setup::parse(&recorded.setup).map_err(|error| {
        Failure::new(
            Code::Session,
            format!("session {session} does not say how it was begun: {error}"),
        )
    })?;
    setup.headless = headless;
    let workspace = std::path::PathBuf::from(&recorded.workspace);
    if !workspace.is_dir() {
        return Err(Failure::new(
            Code::Session,
            format!(
                "the directory of session {session} is not there any more: {}",
                recorded.workspace
            ),
        ));
    }
    let model = if common.model.is_some() {
        models::choose(common, ground)?
    } else {
        setup.model.clone()
    };
    setup.model = model;
    let mut adviser = ground.adviser(&setup.session, &workspace, headless)?;
    if common.policy.is_none()
        && let Ok(preset) = state.policy.parse()
    {
        adviser.policy = Arc::new((*adviser.policy).clone().with_preset(preset));
    }
    let model: Arc<dyn Model> = models::build(ground, &setup.model, !headless)?;
    let mut fitted = ground.started(&adviser, &*model, &setup, &recorded.input);
    fitted.user = recorded.user.clone();
    fitted.limits = state.limits;
    fitted.policy = adviser.policy.preset().to_string();
    if [
        common.max_turns.is_some(),
        common.max_tokens.is_some(),
        common.max_time.is_some(),
    ]
    .contains(&true)
    {
        fitted.limits = ground.settings.limits.values();
    }
    notices.extend(survivors(&state));
    let mut first = resume::first_events(&state, fitted.clone());
    if fitted.limits != state.limits {
        first.push(Event::Run(RunEvent::LimitsRaised {
            limits: fitted.limits,
        }));
        if state.limit_reached.is_some() {
            first.push(Event::Run(RunEvent::Resumed {}));
        }
    }
    let (head, run) = (writer.head(), writer.run());
    let (driver, handle) = build::driver(state, writer, adviser, model, notices);
    serve(
        common,
        ground,
        Ready {
            driver,
            handle,
            first,
            task: None,
            session,
            head,
            run,
        },
        headless,
    )
}

/// Opens a session to write. What a torn last write left is set aside; after damage in the middle
/// the run goes on in a new session from the last intact record.
fn open(
    ground: &Ground,
    place: &crate::journal::Place,
) -> Result<(Writer, Vec<crate::domain::envelope::Envelope>, Vec<String>), Failure> {
    match Writer::open(place) {
        Ok((writer, loaded)) => {
            let notices = loaded.torn.iter().map(ToString::to_string).collect();
            Ok((writer, loaded.envelopes, notices))
        }
        Err(crate::journal::Error::Damaged { damage, .. }) => {
            let loaded = crate::journal::read(place)?;
            let id = ids::session();
            let writer = ground.store.create_from(id, &loaded.envelopes)?;
            let notice = format!(
                "session {} is damaged: {damage}. The run goes on as session {id} from the last intact record; \
                 the damaged one was left as it is.",
                place.id()
            );
            Ok((writer, loaded.envelopes, vec![notice]))
        }
        Err(error) => Err(error.into()),
    }
}

/// Children of the process that died, where they outlived it.
fn survivors(state: &State) -> Vec<String> {
    resume::processes(state)
        .into_iter()
        .filter(|(_, pid, ticks)| child::still_running(*pid, *ticks))
        .map(|(call, pid, _)| {
            format!(
                "{call} still runs as process {pid}, started before the interruption. End it with `kill {pid}` \
                 or wait for it before you say what came of it."
            )
        })
        .collect()
}

fn serve(common: &Common, ground: &Ground, ready: Ready, headless: bool) -> Result<Code, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let result = if headless {
        runtime.block_on(headless::serve(common, ready))
    } else {
        runtime.block_on(live::serve(ground, ready))
    };
    // A blocked file system call of a tool must not hold the program back.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    result
}
