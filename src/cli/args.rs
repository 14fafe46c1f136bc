//! Defines the command line: subcommands, flags and their help.
//!
//! Must not know: what they do.

mod metrics;
pub(super) mod number;
mod sessions;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use overrule_config as config;
use overrule_config::model::{RECORDED, SCRIPTED};
use overrule_domain::sandbox::Level;

pub use super::verbs::Verb;
pub use metrics::{Metrics, MetricsFormat};
pub use sessions::{Fork, Replay, Sessions, SessionsWhat};
pub use tools::{Tools, ToolsWhat, Trust};

/// The end of the help.
const AFTER: &str = "`overrule help WORD` explains a word of the screens, such as `overrule help guarded`.";

/// Supervise an LLM agent from the terminal.
///
/// Without a subcommand the built-in run starts: a scripted model (no network, no key) audits the
/// current directory with real tools, and you decide which calls run. Where a session of a task is
/// unfinished, you are asked first whether to continue it.
#[derive(Debug, Parser)]
#[command(name = "overrule", version, max_term_width = 100, after_help = AFTER)]
pub struct Args {
    /// Flags of every subcommand.
    #[command(flatten, next_help_heading = "Options of every command")]
    pub common: Common,
    /// The subcommand.
    #[command(subcommand)]
    pub what: Option<What>,
}

/// Flags of every subcommand.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct Common {
    /// Settings file to use instead of yours
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory that the tools work in [default: the current directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Directory of the sessions [default: ~/.local/share/overrule/sessions]
    #[arg(long, global = true, value_name = "DIR")]
    pub sessions: Option<PathBuf>,
    /// Policy: supervised, guarded, edits, reversible, auto, read-only, or a policy file
    #[arg(long, global = true, value_name = "POLICY")]
    pub policy: Option<String>,
    /// Model, or an entry of `[models]`; `scripted` (with --playbook) and `recorded` (with run --from) need no server
    #[arg(long, global = true, value_name = "NAME")]
    pub model: Option<String>,
    /// Base URL of an OpenAI-compatible server
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// Wire format of its server, such as openai-chat
    #[arg(long, global = true, value_name = "WIRE")]
    pub wire: Option<String>,
    /// Playbook of the scripted model
    #[arg(long, global = true, value_name = "FILE")]
    pub playbook: Option<PathBuf>,
    /// Keep the raw exchange with the model in a new file
    #[arg(long, global = true, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Recording that answers instead of a model: a flag of `run` alone.
    #[arg(skip)]
    pub from: Option<PathBuf>,
    /// Set for a run that continues without its terminal.
    #[arg(skip)]
    pub detached: bool,
    /// Theme: dark, light, high-contrast, mono, ember, paper, blue-orange, one of yours, or a file
    #[arg(long, global = true, value_name = "THEME")]
    pub theme: Option<String>,
    /// Draw with ASCII characters only
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Run without a screen: the policy decides, and the answer is printed
    #[arg(long, global = true)]
    pub headless: bool,
    /// Print JSON lines: every event of a headless run, or the output of a command
    #[arg(long, global = true)]
    pub json: bool,
    /// Accept verbs from your other processes through a socket, but never from the agent
    #[arg(long, global = true)]
    pub control: bool,
    /// Also store the requests to the model with the session
    #[arg(long, global = true)]
    pub keep_wire: bool,
    /// Maximum number of model requests
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u32>("a whole number of requests, such as 20"))]
    pub max_turns: Option<u32>,
    /// Maximum number of tokens, sent and received
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u64>("a whole number of tokens, such as 200000"))]
    pub max_tokens: Option<u64>,
    /// Maximum working time, such as 10m
    #[arg(long, global = true, value_name = "DURATION")]
    pub max_time: Option<String>,
    /// Maximum cost, such as 0.5, in the currency of the prices in the settings
    #[arg(long, global = true, value_name = "AMOUNT")]
    pub max_price: Option<String>,
    /// Maximum number of calls that run at the same time
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u32>("a whole number of calls, such as 4"))]
    pub parallel: Option<u32>,
    /// How commands are confined: 0 not at all, 1 writes in the workspace only, 2 writes nothing [default: 1]; without a number: 1
    #[arg(long, global = true, value_name = "N", num_args(0..=1), default_missing_value = "1", value_parser = number::level)]
    pub sandbox: Option<Level>,
}

impl Common {
    /// Converts the flags to their form in the settings.
    pub fn flags(&self) -> config::Flags {
        config::Flags {
            config: self.config.clone(),
            model: self
                .model
                .clone()
                .filter(|name| name != SCRIPTED && name != RECORDED),
            base_url: self.base_url.clone(),
            wire: self.wire.clone(),
            policy: self.policy.clone(),
            policy_text: None,
            theme: self.theme.clone(),
            glyphs: self.ascii.then_some(config::Glyphs::Ascii),
            sessions: self.sessions.clone(),
            turns: self.max_turns,
            tokens: self.max_tokens,
            wall: self.max_time.clone(),
            price: self.max_price.clone(),
            parallel: self.parallel,
            sandbox: self.sandbox,
        }
    }
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Run the agent on a task with a real model, or with --model scripted --playbook FILE
    Run(Task),
    /// Supervise an agent that another program runs, such as claude or codex
    Proxy(Proxy),
    /// Start or list the built-in runs, which need no network and no key
    Demo(Demo),
    /// Resume a session after a quit or a crash
    Resume(Resume),
    /// Wait until no process runs a session any more; prints its answer, and ends with the exit code of the run
    Wait(Wait),
    /// List and manage recorded sessions
    Sessions(Sessions),
    /// Replay a session step by step; starts nothing
    Replay(Replay),
    /// Start a new session from a point in another
    Fork(Fork),
    /// Print the graph of a session
    Graph(Graph),
    /// Print the calls that wait for a decision, with their digests
    Queue(QueueArgs),
    /// Print the loops of a session, the steps against them, and your options
    Loops(Queue),
    /// Print the executions with effects, their outcomes, and how to revert them
    Effects(Queue),
    /// Print the decisions of a session: who, when, after how long, and by which rule
    Audit(Audit),
    /// Print the metrics of sessions, for people or programs: tools, servers, breakers, repairs, decisions
    Metrics(Metrics),
    /// Print the health and the weights of each tool of a session
    Weights(Weights),
    /// Remove what the sessions of the workspace learned about tools
    ResetLearned,
    /// List the branches of a session, or name one
    Branches(Branches),
    /// Compare two branches node by node: answers, calls, requests, tokens
    Compare(Compare),
    /// List, show and call the tools of a run here: built-in, declared, of MCP servers
    Tools(Tools),
    /// Show what files of the workspace would start or loosen, and trust them
    Trust(Trust),
    /// Check settings, model, session directory, terminal, sandbox and MCP servers
    Doctor,
    /// Print every setting and policy rule in force, each with its origin
    Config,
    /// List the models that are configured and found: server, window, price, and what answered
    Models,
    /// Decode a captured model stream or request
    Decode(Decode),
    /// Print the completion script of a shell
    Completions {
        /// Shell that the script is for
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Become the agent that a proxy in another terminal confines.
    #[command(hide = true)]
    ConfinedAgent {
        /// Socket of the proxy
        socket: PathBuf,
    },
    /// Operator verbs on a session.
    #[command(flatten)]
    Verb(Verb),
}

impl Args {
    /// Reads a command line. Replaces bytes that are not UTF-8, as the list of sessions does for session names.
    pub fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        Self::try_parse_from(words).or_else(|error| match error.kind() {
            clap::error::ErrorKind::InvalidUtf8 => {
                Self::try_parse_from(words.iter().map(|word| word.to_string_lossy().into_owned()))
            }
            _ => Err(error),
        })
    }
}

/// An agent of another program.
#[derive(Debug, Default, ClapArgs)]
pub struct Proxy {
    /// Address to serve on; only on this machine [default: 127.0.0.1 and a free port]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<std::net::SocketAddr>,
    /// Base URL of the model, or WIRE=URL for that of one wire format; may be repeated [default: that of the agent, else that
    /// of the format's vendor]
    #[arg(long, value_name = "URL")]
    pub upstream: Vec<String>,
    /// Where the agent runs if this screen is in use
    #[arg(long, value_enum, value_name = "WINDOW", default_value = "none")]
    pub window: Window,
    /// Session to continue after a quit or a crash
    #[arg(long, value_name = "SESSION")]
    pub resume: Option<String>,
    /// Let the agent ask its own user about calls as usual, also about those that you approved
    #[arg(long)]
    pub keep_prompts: bool,
    /// Pass requests with tools that the proxy cannot read, without a decision about their calls
    #[arg(long)]
    pub pass_unknown: bool,
    /// Print a shell function that starts this agent below the proxy, with the flags given here, and end
    #[arg(long, value_name = "AGENT", conflicts_with = "agent")]
    pub print: Option<String>,
    /// Program and arguments of the agent: `claude "fix the tests"`; flags of the proxy come before it
    #[arg(trailing_var_arg = true, value_name = "AGENT")]
    pub agent: Vec<String>,
}

/// Where an agent with a screen of its own runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Window {
    /// In another terminal: the line for it is printed
    #[default]
    None,
    /// In a tmux pane next to this one
    Tmux,
}

/// A task for the agent.
#[derive(Debug, ClapArgs)]
pub struct Task {
    /// Task for the agent, or `-` for standard input [default: the playbook's]
    pub task: Option<String>,
    /// Input for `†input` references: JSON text, or @FILE
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,
    /// Recording that answers, with --model recorded
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// File with the JSON Schema of the final answer
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,
    /// How it runs
    #[command(flatten)]
    pub detach: Detach,
}

/// A run in the background.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub struct Detach {
    /// Run in the background, and continue without the terminal; decide with verbs
    #[arg(long)]
    pub detach: bool,
    /// Set for the process in the background
    #[arg(long, hide = true)]
    pub detached: bool,
}

/// The run to wait for.
#[derive(Debug, ClapArgs)]
pub struct Wait {
    /// Session: id, unique prefix, or `last`
    #[arg(default_value = "last")]
    pub session: String,
    /// Longest time to wait, such as 30s or 10m: exit code 124 after it
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
}

/// A built-in run.
#[derive(Debug, Default, ClapArgs)]
pub struct Demo {
    /// Name of the run [default: list them]
    pub name: Option<String>,
    /// Allow a run that reads the workspace to start in / or in the home directory
    #[arg(long)]
    pub anywhere: bool,
    /// List the built-in runs
    #[arg(long)]
    pub list: bool,
}

impl Demo {
    /// The run that starts without a subcommand.
    pub fn built_in() -> Self {
        Self {
            name: Some("audit".to_owned()),
            ..Self::default()
        }
    }
}

/// The session to resume.
#[derive(Debug, ClapArgs)]
pub struct Resume {
    /// Session: id, unique prefix, or `last` [default: pick one; without a terminal, last]
    pub id: Option<String>,
    /// Continue it although this program did not write it here. The stricter preset holds; its rules and approvals ask
    /// again
    #[arg(long)]
    pub from_elsewhere: bool,
    /// How it runs
    #[command(flatten)]
    pub detach: Detach,
}

/// Formats of a printed graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Lanes, as on the screen
    Gutter,
    /// JSON
    Json,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
}

/// A graph to print.
#[derive(Debug, ClapArgs)]
pub struct Graph {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Format [default: gutter; with --json: json on one line]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Print only active nodes, without ids and times (JSON)
    #[arg(long)]
    pub active: bool,
}

/// A queue to print.
#[derive(Debug, ClapArgs)]
pub struct Queue {
    /// Session: id, unique prefix, or `last`
    #[arg(default_value = "last")]
    pub id: String,
}

/// Session whose waiting calls to print.
#[derive(Debug, ClapArgs)]
pub struct QueueArgs {
    /// Session: id, unique prefix, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Print the exact bytes of the arguments
    #[arg(long)]
    pub exact: bool,
}

/// Formats of a printed audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// Lines for people
    Text,
    /// One JSON object per decision and line
    Json,
    /// A table with a header row, for spreadsheets
    Csv,
}

/// Decisions to print.
#[derive(Debug, ClapArgs)]
pub struct Audit {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Format [default: text; with --json: json]
    #[arg(long, value_enum)]
    pub format: Option<AuditFormat>,
}

/// Weights to print.
#[derive(Debug, ClapArgs)]
pub struct Weights {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Tool to show every weight change of, each with the execution that caused it
    pub tool: Option<String>,
}

/// Branches to list or to name.
#[derive(Debug, ClapArgs)]
pub struct Branches {
    /// Session: id, unique prefix, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Action [default: list]
    #[command(subcommand)]
    pub what: Option<BranchesWhat>,
}

/// Actions on branches.
#[derive(Debug, Subcommand)]
pub enum BranchesWhat {
    /// Name a branch; an empty name removes the name
    Name {
        /// Number of the branch, as `overrule branches` lists it
        #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        branch: u32,
        /// New name
        name: String,
    },
}

/// Two branches to compare.
#[derive(Debug, ClapArgs)]
pub struct Compare {
    /// Session: id, unique prefix, or `last`
    pub id: String,
    /// Number of the first branch
    #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 0"))]
    pub a: u32,
    /// Number of the second branch
    #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub b: u32,
    /// Also print what is equal on both branches
    #[arg(long)]
    pub all: bool,
}

/// A captured stream or request.
#[derive(Debug, ClapArgs)]
pub struct Decode {
    /// Wire format
    #[arg(long, value_name = "WIRE", default_value = "openai-chat")]
    pub wire: String,
    /// Print one JSON object for the whole stream
    #[arg(long)]
    pub summary: bool,
    /// Decode the body of a request, not a stream
    #[arg(long, conflicts_with = "summary")]
    pub request: bool,
    /// Print the request as one JSON object
    #[arg(long, requires = "request")]
    pub json: bool,
    /// File with the stream or request, or `-` for standard input
    #[arg(default_value = "-")]
    pub file: PathBuf,
}
