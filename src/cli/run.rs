//! Starts or resumes a run, on the screen or headless (`overrule run`, `demo`, `resume`).
//!
//! Must not know: how a run is shown.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::args::{self, Common};
use super::build::{self, AppContext};
use super::exit::{Code, Failure};
use super::operator;
use super::picker::Start;
use super::toolbox::{Following, RunTools};
use super::why_ended::End;
use super::{
    control, demos, detach, headless, learned_store, live, models, output, picker, resume, screen,
    written_here,
};
use overrule_base::text::{visible, visible_head};
use overrule_control::{Door, peer};
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::run::Started;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::state::State;
use overrule_engine::driver::Taps;
use overrule_engine::setup::{ModelSetup, Samples, Setup};
use overrule_engine::{Driver, Handle, Launch, ids};
use overrule_journal::wire::Wire;
use overrule_journal::{Link, Place};
use overrule_model::{Tap, Way};
use overrule_regular_file as regular_file;
use overrule_tools::registry::Registry;

/// Longest file of --input in bytes.
const INPUT: u64 = 16 << 20;

/// A run that is ready to start.
pub struct Ready {
    /// The event loop.
    pub driver: Driver,
    /// The handle to it.
    pub handle: Handle,
    /// Its first events.
    pub first: Vec<Event>,
    /// The task of a new run.
    pub task: Option<Command>,
    /// The session's id.
    pub session: String,
    /// The newest earlier records, oldest first.
    pub past: Vec<Arc<Envelope>>,
    /// Link of the last record before this process's first.
    pub head: Link,
    /// Id of the run in records.
    pub run: uuid::Uuid,
    /// The control socket.
    pub door: Option<Door>,
    /// The agent of another program, for a run that ends with it.
    pub guest: Option<Guest>,
    /// The tools, and the directory that they work in.
    pub tools: (Arc<Registry>, Arc<PathBuf>),
    /// Where they come from.
    pub connected: Option<RunTools>,
}

/// The agent of another program, with which a run ends.
pub struct Guest {
    /// How it ended.
    pub ended: tokio::sync::oneshot::Receiver<End>,
    /// Ends once no run of another agent in this process is under way.
    pub others_rest: futures_util::future::BoxFuture<'static, ()>,
}

/// Continues an unfinished session of a task here, if the operator wants that; else starts the built-in run.
pub fn without_command(common: &Common) -> Result<Code, Failure> {
    if picker::may_ask(common) {
        let context = AppContext::read(common)?;
        match picker::start(&context)? {
            Start::Session(id) => return resume::resume_session(common, context, &id, false),
            Start::Nothing => return Ok(Code::Ok),
            Start::BuiltIn => {}
        }
    }
    demo(common, &args::Demo::built_in())
}

/// Starts a built-in run, or lists them.
pub fn demo(common: &Common, demo: &args::Demo) -> Result<Code, Failure> {
    let Some(name) = demo.name.as_deref().filter(|_| !demo.list) else {
        demos::list(common.json);
        return Ok(Code::Ok);
    };
    let run = demos::named(name)?;
    let context = AppContext::read(common)?;
    if run.reads_directory && !demo.anywhere {
        refuse_wide(&context)?;
    }
    let mut task = demos::prepare(run)?;
    if common.model.is_some() || common.playbook.is_some() {
        task.model = models::choose(common, &context)?;
        task.notice = Some(demos::with_own_model(run));
    }
    begin(common, &context, task)
}

/// Refuses to run in `/` or home, so that a built-in run does not read a whole disk by accident.
fn refuse_wide(context: &AppContext) -> Result<(), Failure> {
    let home = context
        .env
        .home
        .as_deref()
        .and_then(|home| std::fs::canonicalize(home).ok());
    let wide = context.workspace == Path::new("/") || home.as_deref() == Some(&context.workspace);
    if wide {
        return Err(Failure::new(
            Code::Usage,
            format!(
                "cannot start the built-in run in {}: it would read all of it; hint: go to a project's \
                 directory, name one with --workspace, or use `overrule demo audit --anywhere`",
                context.workspace.display()
            ),
        ));
    }
    Ok(())
}

/// Characters of a playbook's task in the notice.
const SHOWN: usize = 200;

/// Bytes of a task on standard input.
const LONGEST_TASK: u64 = 1024 * 1024;

/// Runs a task.
pub fn task(common: &Common, task: &args::Task) -> Result<Code, Failure> {
    if task.detach.detach {
        return detach::start(common, task.task.as_deref() == Some("-"));
    }
    let common = &Common {
        from: task.from.clone(),
        ..detach::common(common, task.detach)?
    };
    let content = match task.task.as_deref() {
        Some("-") => Some(read_task(std::io::stdin().lock())?),
        content => content.map(str::to_owned),
    };
    if content.as_ref().is_some_and(|task| task.trim().is_empty()) {
        return Err(Failure::new(Code::Usage, "cannot start a run: the task is empty"));
    }
    let scripted = common.playbook.is_some();
    if content.is_none() && !scripted {
        return Err(Failure::new(
            Code::Usage,
            "cannot start a run without a task; hint: overrule run \"Do it\"",
        ));
    }
    let context = AppContext::read(common)?;
    let input = read_input(task.input.as_deref())?;
    let model = models::choose(common, &context)?;
    let output_schema = output::schema(task, common, &context, &model)?;
    let (task, notice) = if let Some(task) = content {
        (task, None)
    } else {
        let task = models::prompt(&model)?;
        let notice = format!("task of the playbook: {}", visible_head(&task, SHOWN));
        (task, Some(notice))
    };
    let what = Begin {
        model,
        task,
        input,
        samples: None,
        output_schema,
        notice,
    };
    begin(common, &context, what)
}

/// What a new run starts with.
pub struct Begin {
    /// The model.
    pub model: ModelSetup,
    /// The first prompt.
    pub task: String,
    /// JSON text of the input.
    pub input: String,
    /// Sample tools.
    pub samples: Option<Samples>,
    /// Schema of the answer.
    pub output_schema: Option<String>,
    /// Notice for the operator.
    pub notice: Option<String>,
}

/// Reads a whole task, without its trailing line ends.
fn read_task(from: impl std::io::Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(LONGEST_TASK + 1).read_to_end(&mut bytes);
    let wrong = |why: String| {
        Failure::new(
            Code::Usage,
            format!("cannot read the task on standard input: {why}"),
        )
    };
    read.map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > LONGEST_TASK {
        return Err(wrong(format!(
            "it is longer than {LONGEST_TASK} bytes; hint: put it into a file of the workspace, and name the file in the task"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn read_input(input: Option<&str>) -> Result<String, Failure> {
    let text = match input {
        None => return Ok("null".into()),
        Some(named) => match named.strip_prefix('@') {
            Some(file) => regular_file::read_text(Path::new(file), INPUT)
                .map_err(|error| Failure::new(Code::Usage, format!("cannot read --input {file}: {error}")))?,
            None => named.to_owned(),
        },
    };
    serde_json::from_str::<serde_json::Value>(&text).map_err(|error| {
        Failure::new(
            Code::Usage,
            format!("cannot use --input: it is not JSON: {error}"),
        )
    })?;
    Ok(text)
}

pub(super) fn is_headless(common: &Common) -> bool {
    common.headless || common.json || !std::io::stdout().is_terminal()
}

fn begin(common: &Common, context: &AppContext, what: Begin) -> Result<Code, Failure> {
    let headless = is_headless(common);
    // A theme that cannot be shown is refused before anything is written.
    live::check(context)?;
    let id = ids::session();
    let setup = Setup {
        session: id.to_string(),
        model: what.model,
        headless,
        task: Some(what.task.clone()),
        policy: context.policy_text(),
        samples: what.samples,
        output_schema: what.output_schema,
    };
    let runtime = runtime()?;
    let mut context = context.clone();
    let level = context.settings.sandbox.level.value;
    let of_sandbox = runtime.block_on(context.confine(&setup.session, level))?;
    let told = of_sandbox.into_iter().chain(what.notice).collect();
    let means = context.means.clone();
    let result = begin_confined(
        common,
        &context,
        (setup, id),
        (&what.task, &what.input, told),
        runtime,
    );
    if result.is_err() {
        context.store.forget_unbegun(id);
        means.forget();
    }
    result
}

fn begin_confined(
    common: &Common,
    context: &AppContext,
    (setup, id): (Setup, uuid::Uuid),
    (task, input, told): (&str, &str, Vec<String>),
    runtime: Runtime,
) -> Result<Code, Failure> {
    let headless = setup.headless;
    // With a control socket, questions wait as on the screen.
    let unattended = headless && !common.control;
    let mut connected = runtime.block_on(context.connect(Some(&setup), &context.workspace, &[]));
    let of_servers = connected.notices();
    let adviser = context.adviser(connected.tools(), &setup, (&context.workspace, unattended))?;
    let model = models::build(context, &setup.model, !headless)?;
    let started = context.started(&adviser, &*model, &setup, input)?;
    let unfinished = (!headless)
        .then(|| picker::unfinished(&context.store, &context.workspace))
        .flatten();
    let start = learned_store::start(context, &setup)?;
    operator::note_beginning(&context.env, &id.to_string())?;
    let writer = context.store.create(id)?;
    let note = written_here::note(&context.env, &id.to_string());
    let mut notices = context.notices();
    notices.extend(of_servers);
    notices.extend(uncosted(&started));
    notices.extend(told);
    notices.extend(start.notice);
    notices.extend(screen::notices(context, headless));
    notices.extend(unfinished);
    let run = writer.run();
    let mut first = vec![Event::Run(RunEvent::Started(Box::new(started)))];
    first.extend(adviser.resilience(&State::default()));
    first.extend(start.event);
    let tools = (Arc::clone(&adviser.registry), Arc::clone(&adviser.workspace));
    let (driver, handle) = build::driver(
        State::default(),
        (writer, Some(note)),
        adviser,
        Launch::World(model),
        notices,
    );
    let driver = context.configured(learned_store::keep(driver, context, &setup));
    let session = setup.session;
    let ready = Ready {
        driver,
        handle,
        first,
        task: Some(first_prompt(task)),
        session,
        past: Vec::new(),
        head: Link::FIRST,
        run,
        door: None,
        guest: None,
        tools,
        connected: Some(connected),
    };
    serve(common, context, ready, headless, runtime)
}

/// The notice for a price limit without a known price.
pub(super) fn uncosted(started: &Started) -> Option<String> {
    let unheld = started.limits.price.is_some() && started.price.is_none() && started.wire != "scripted";
    unheld.then(|| {
        format!(
            "the price limit is ignored: the price of tokens of {} is unknown; hint: add [price] to your \
             configuration file",
            visible(&started.model)
        )
    })
}

/// The command that inserts the task as the first prompt.
pub(super) fn first_prompt(task: &str) -> Command {
    let edit = Edit::InsertPrompt {
        after: None,
        text: Arc::from(task),
    };
    Command::Edit(EditCommand::Commit {
        edits: vec![edit],
        effects_seen: None,
        reason: None,
        keep_later: false,
    })
}

/// Stores the wire bytes of requests and replies with the session.
pub(super) fn taps(place: &Place, requests: bool) -> Taps {
    let wire = wire_of(place);
    Arc::new(move |turn, request| {
        // The tap ends with the request, and closes its files.
        let stored = wire.of_request(turn, request);
        Tap::new(move |way, bytes| match way {
            Way::Sent if !requests => stored.begin_reply(),
            way => stored.keep(way == Way::Sent, bytes),
        })
    })
}

/// The wire files of a session.
pub fn wire_of(place: &Place) -> Wire {
    let journal = place.journal();
    Wire::in_session(journal.parent().unwrap_or(&journal))
}

/// The async runtime of a run.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    // A command of the agent must not lose this process among its parents.
    peer::adopt_orphans();
    runtime.spawn(overrule_control::tidy());
    Ok(runtime)
}

/// Serves a run to its end, on the screen or without one.
pub(super) fn serve(
    common: &Common,
    context: &AppContext,
    mut ready: Ready,
    headless: bool,
    runtime: Runtime,
) -> Result<Code, Failure> {
    if common.keep_wire || context.settings.keep_replies.value {
        let place = context.store.find(&ready.session)?;
        ready.driver = ready.driver.listened_to(taps(&place, common.keep_wire));
    }
    let result = runtime.block_on(async {
        let handle = ready.handle.clone();
        let tools = ready.connected.take();
        let following = tools.map(|tools| Following::new(context, tools, handle));
        let servers = following.as_ref().map(Following::servers);
        let opened = control::open(common, context, &ready, servers).and_then(|door| {
            if common.detached {
                detach::report(context, &ready.session)?;
            }
            Ok(door)
        });
        let result = match opened {
            Err(failure) => Err(failure),
            Ok(door) => {
                ready.door = door;
                let tracked = context.tracked(&ready.tools.1);
                ready.driver = ready.driver.tracked_by(tracked.tracker, tracked.notice);
                if headless {
                    Box::pin(headless::serve(common, context, ready)).await
                } else {
                    let panel = following.as_ref().map(Following::panel);
                    Box::pin(live::serve(context, ready, panel, None)).await
                }
            }
        };
        if let Some(following) = following {
            following.end().await;
        }
        result
    });
    // A blocked file system call of a tool must not hold the program back.
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    context.collect(false);
    result
}
