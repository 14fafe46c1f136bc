//! Runs a command.
//!
//! Must not know: other tools, who allowed it.

mod operands;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::common::{arguments, spec};
use crate::child::{self, Environment, Start, Started};
use crate::confined::{Confined, not_set_up};
use crate::errors::{from_io, refused, untouched};
use crate::output::{Bounded, BoundedText, HEAD, TAIL, WholeChars, json_text};
use crate::tool::{Children, Job, OnOutput, ReadOperands, Spec, Tool};
use crate::workspace::Workspace;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule_sandbox::StartError;

/// Default time limit in seconds.
const TIME: u64 = 120;
/// Maximum time to wait for output after the end of a command.
const DRAIN: Duration = Duration::from_secs(2);
/// Silence after the end of a command that counts as the end of its output.
const IDLE_END: Duration = Duration::from_millis(100);

/// The `shell` tool.
pub(super) struct Shell {
    spec: Spec,
    environment: Environment,
}

impl Shell {
    pub(super) fn new(environment: Environment) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Command line for `sh -c`. Give either command or argv, not both."
                },
                "argv": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "description": "Program and its arguments, run without a shell. Prefer this if you need no shell syntax."
                },
                "cwd": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Directory to run in, relative to the workspace. Omit for the workspace itself."
                },
                "timeout_s": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 3600,
                    "default": TIME,
                    "description": "Time limit in seconds."
                }
            },
            "oneOf": [{"required": ["command"]}, {"required": ["argv"]}],
            "additionalProperties": false
        });
        let mut spec = spec(
            "shell",
            "Run a command in the workspace and return its output. Standard error follows after a \
             line `[stderr]`. There is no terminal and no input. Background processes of the command are \
             ended when it ends.",
            &schema,
            EffectClass::Unknown,
        );
        spec.card.tags.push("external".to_owned());
        spec.facts.show_difference = true;
        Self { spec, environment }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    command: Option<String>,
    argv: Option<Vec<String>>,
    cwd: Option<String>,
    timeout_s: Option<u64>,
}

impl Tool for Shell {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn children(&self) -> Option<Children> {
        Some(Children::default())
    }

    fn operands(&self, args: &str, workspace: &Path) -> Option<ReadOperands> {
        let args: Args = serde_json::from_str(args).ok()?;
        Some(read_operands(args, workspace, &self.environment))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let environment = self.environment.clone();
        Box::pin(async move { shell(job, environment).await.unwrap_or_else(Outcome::err) })
    }
}

/// Returns what reads the files that a program with these arguments would run in the workspace.
pub(crate) fn operands_of(argv: Vec<String>, workspace: &Path, environment: &Environment) -> ReadOperands {
    let args = Args {
        command: None,
        argv: Some(argv),
        cwd: None,
        timeout_s: None,
    };
    read_operands(args, workspace, environment)
}

fn read_operands(args: Args, workspace: &Path, environment: &Environment) -> ReadOperands {
    let (workspace, search_path) = (workspace.to_owned(), environment.search_path().to_owned());
    Box::new(move || operands::operands(&args, &workspace, &search_path))
}

/// A program to run.
#[expect(
    clippy::struct_field_names,
    reason = "it is the program of the program's call"
)]
pub(crate) struct Program {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Text on its standard input; `None` for an empty one.
    pub stdin: Option<String>,
    /// Time limit.
    pub limit: Duration,
}

/// How a command ran.
pub(crate) struct Ran {
    /// How it ended.
    pub end: End,
    /// Milliseconds.
    pub ms: u64,
    /// True if something of it still ran at its end.
    pub left: bool,
    /// Standard output.
    pub stdout: BoundedText,
    /// Standard error.
    pub stderr: BoundedText,
    /// What the model is told of the sandbox; empty where it refused nothing.
    pub note: String,
}

/// How a command ended.
pub(crate) enum End {
    Exited(ExitStatus),
    Lost(std::io::Error),
    Cancelled,
    TooLong(u64),
}

async fn shell(job: Job, environment: Environment) -> Result<Outcome, ToolError> {
    let args: Args = arguments(&job.args)?;
    let (program, rest) = program(&args)?;
    let cwd = directory(&job, args.cwd.as_deref())?;
    if job.cancel.is_cancelled() {
        return Ok(untouched());
    }
    let seconds = args.timeout_s.unwrap_or(TIME);
    let program = Program {
        program,
        args: rest,
        cwd,
        stdin: None,
        limit: Duration::from_secs(seconds),
    };
    Ok(outcome(execute(&job, program, &environment).await?))
}

/// Runs a program to its end, its time limit or its cancellation, and ends everything that it started.
pub(crate) async fn execute(job: &Job, what: Program, environment: &Environment) -> Result<Ran, ToolError> {
    let begun = Instant::now();
    let mut confined = Confined::begin(job).await?;
    let in_sandbox = confined
        .as_ref()
        .map(|confined| confined.environment(environment));
    let start = Start {
        program: &what.program,
        args: &what.args,
        cwd: &what.cwd,
        environment: in_sandbox.as_ref().unwrap_or(environment),
        confinement: confined.as_ref().map(Confined::confinement),
    };
    let started = match what.stdin {
        None => child::start(start).await,
        Some(_) => child::start_fed(start).await,
    };
    let mut started = started.map_err(|error| not_started(&what.program.to_string_lossy(), &error))?;
    if let Some(confined) = &mut confined {
        confined.serve(started.proxy.take());
    }
    (job.on_spawn)(started.tree.pid(), started.tree.ticks());
    let feeding = what
        .stdin
        .zip(started.child.stdin.take())
        .map(|(text, mut input)| {
            // A program that does not read its input has not failed.
            tokio::spawn(async move { input.write_all(text.as_bytes()).await.unwrap_or_default() })
        });
    let stdout = Reader::of(started.child.stdout.take(), &job.on_output);
    let stderr = Reader::of(started.child.stderr.take(), &job.on_output);
    let end = tokio::select! {
        biased;
        status = started.child.wait() => match status {
            Ok(status) => End::Exited(status),
            Err(error) => End::Lost(error),
        },
        () = job.cancel.cancelled() => End::Cancelled,
        () = tokio::time::sleep(what.limit) => End::TooLong(what.limit.as_secs()),
    };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    if matches!(end, End::Exited(_)) {
        drain(&stdout, &stderr).await;
    }
    let left = stop(&mut started).await;
    if !matches!(end, End::Exited(_)) {
        drain(&stdout, &stderr).await;
    }
    if let Some(feeding) = feeding {
        feeding.abort();
    }
    let (stdout, stderr) = (stdout.finish(), stderr.finish());
    let mut note = String::new();
    if let Some(confined) = confined {
        let output = format!("{}\n{}", stdout.text, stderr.text);
        let refusals = confined.end(output, what.cwd).await;
        if !refusals.refused.is_empty() {
            (job.on_refused)(refusals.refused);
        }
        note = refusals.note;
    }
    Ok(Ran {
        end,
        ms,
        left,
        stdout,
        stderr,
        note,
    })
}

/// Why a program was not started.
fn not_started(program: &str, error: &StartError) -> ToolError {
    match error {
        StartError::Command(error) => from_io("run", program, error, false),
        StartError::SetUp { step, why } => not_set_up(&format!("{step}: {why}")),
    }
}

/// Ends everything that is left of the command; returns true if something was.
async fn stop(started: &mut Started) -> bool {
    let Started { child, tree, .. } = started;
    let (left, _) = tokio::join!(tree.end(), child.wait());
    left
}

fn program(args: &Args) -> Result<(OsString, Vec<String>), ToolError> {
    match (&args.command, args.argv.as_deref()) {
        (Some(line), None) => Ok(("sh".into(), vec!["-c".to_owned(), line.clone()])),
        (None, Some([program, rest @ ..])) if !program.is_empty() => Ok((program.into(), rest.to_vec())),
        _ => Err(refused(
            ErrorClass::Param,
            "there must be either `command` or `argv`, and `argv` must begin with a program",
            "read by the tool",
            "give a command line as `command`, or a program with arguments as `argv`",
        )),
    }
}

fn directory(job: &Job, cwd: Option<&str>) -> Result<PathBuf, ToolError> {
    let workspace = Workspace::open(&job.workspace)?.without(&job.private);
    match cwd {
        None => Ok(workspace.root().to_owned()),
        Some(cwd) => {
            let place = workspace.directory(cwd)?;
            Ok(workspace.root().join(place.path))
        }
    }
}

/// Reads one output to its end in its own task, so that the command never blocks on it.
struct Reader {
    output: Arc<Mutex<Bounded>>,
    task: Option<JoinHandle<()>>,
}

impl Reader {
    fn of(pipe: Option<impl AsyncRead + Unpin + Send + 'static>, on_output: &OnOutput) -> Self {
        let on_output = Arc::clone(on_output);
        let stored = Arc::new(Mutex::new(Bounded::new(HEAD, TAIL)));
        let into = stored.clone();
        let task = pipe.map(|mut pipe| {
            tokio::spawn(async move {
                let mut buffer = vec![0; 64 * 1024];
                let mut whole = WholeChars::default();
                while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
                    let bytes = buffer.get(..count).unwrap_or_default();
                    into.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
                    on_output(&whole.take(bytes));
                }
            })
        });
        Self { output: stored, task }
    }

    fn total(&self) -> u64 {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).total()
    }

    fn is_done(&self) -> bool {
        self.task.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn finish(self) -> BoundedText {
        if let Some(task) = &self.task {
            task.abort();
        }
        let mut stored = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *stored).finish()
    }
}

/// Waits for the rest of the output: until it ends, is silent for a while, or reaches the time limit. A background
/// process may hold it open forever.
async fn drain(stdout: &Reader, stderr: &Reader) {
    let limit = Instant::now() + DRAIN;
    let mut seen = (stdout.total(), stderr.total());
    let mut quiet = Instant::now();
    while !(stdout.is_done() && stderr.is_done()) && Instant::now() < limit && quiet.elapsed() < IDLE_END {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let now = (stdout.total(), stderr.total());
        if now != seen {
            seen = now;
            quiet = Instant::now();
        }
    }
}

/// Returns the outcome of a command that ran.
pub(crate) fn outcome(ran: Ran) -> Outcome {
    let Ran {
        end,
        ms,
        left,
        stdout,
        stderr,
        note: told,
    } = ran;
    let discarded = stdout.discarded + stderr.discarded;
    let mut meta = json!({
        "exit": null,
        "ms": ms,
        "stdout_bytes": stdout.total,
        "stderr_bytes": stderr.total,
        "discarded": discarded
    });
    let mut note = |key: &str, value: Value| {
        if let Some(map) = meta.as_object_mut() {
            map.insert(key.to_owned(), value);
        }
    };
    if stdout.invalid + stderr.invalid > 0 {
        note("invalid_utf8", (stdout.invalid + stderr.invalid).into());
    }
    let mut text = combined(stdout.text, &stderr.text);
    if !told.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&told);
    }
    let failed = |class, message: String, evidence: String, hint: Option<&str>| {
        Outcome::err(ToolError {
            class,
            message,
            evidence,
            hint: hint.map(ToOwned::to_owned),
            partial: (!text.is_empty()).then(|| json_text(&text).into()),
            executed: true,
            retry_after_ms: None,
        })
    };
    match &end {
        End::Cancelled => Outcome::Cancelled { executed: true },
        End::TooLong(seconds) => failed(
            ErrorClass::Transient,
            format!("the command still ran after {seconds} s and was ended with all its processes"),
            format!("time limit of {seconds} s"),
            Some("give a larger timeout_s, or do less in one command"),
        ),
        End::Lost(error) => failed(
            ErrorClass::Unknown,
            "the command was started but its end was not seen".to_owned(),
            error.to_string(),
            None,
        ),
        End::Exited(status) => {
            let Some(code) = status.code() else {
                let (message, evidence) = killed(*status);
                return failed(ErrorClass::Business, message, evidence, None);
            };
            note("exit", code.into());
            if left {
                note("background_ended", true.into());
            }
            Outcome::Ok {
                value: json_text(&text).into(),
                meta: Some(meta.to_string().into()),
                discarded,
                exit: (code != 0).then_some(code),
            }
        }
    }
}

/// Names the signal that ended a command, with the evidence.
fn killed(status: ExitStatus) -> (String, String) {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal().unwrap_or_default();
    let name = match number {
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    };
    (
        format!("ended by signal {number}{name}"),
        format!("signal {number}"),
    )
}

fn combined(mut text: String, stderr: &str) -> String {
    if stderr.is_empty() {
        return text;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str("[stderr]\n");
    text.push_str(stderr);
    text
}
