//! The words of the command line. Must not know: what they do.

mod number;
mod verb;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::config;

pub use verb::{
    AttemptArg, Change, Choice, CommitArgs, ErrorIs, FailureVerb, LoopVerb, On, PreviewArg, RevisionArg,
    Verb, WeightVerb,
};

/// Supervise an LLM agent from the terminal.
///
/// Without a subcommand the built-in run starts: a scripted model (no network, no key) audits the
/// current directory with real tools, and you decide what runs.
#[derive(Debug, Parser)]
#[command(name = "overrule", version, max_term_width = 100)]
pub struct Args {
    /// Flags of every subcommand.
    #[command(flatten, next_help_heading = "Options of every command")]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub what: Option<What>,
}

/// Flags of every subcommand.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct Common {
    /// Settings file in place of the user's
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory that the tools work in (default: the current one)
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Where sessions are kept
    #[arg(long, global = true, value_name = "DIR")]
    pub sessions: Option<PathBuf>,
    /// Policy: supervised, guarded, auto, read-only, or a policy file
    #[arg(long, global = true, value_name = "POLICY")]
    pub policy: Option<String>,
    /// Model to use; `scripted` with --playbook needs no server
    #[arg(long, global = true, value_name = "NAME")]
    pub model: Option<String>,
    /// Base URL of an OpenAI-compatible server
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// Playbook of the scripted model
    #[arg(long, global = true, value_name = "FILE")]
    pub playbook: Option<PathBuf>,
    /// Theme: a built-in one (dark, light, high-contrast, mono, ember, paper, blue-orange), one of your own, or a file
    #[arg(long, global = true, value_name = "THEME")]
    pub theme: Option<String>,
    /// Draw with ASCII characters only
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Run without a screen: the policy decides, the answer goes to standard output
    #[arg(long, global = true)]
    pub headless: bool,
    /// Print lines of JSON: every event of a headless run, or what a command shows
    #[arg(long, global = true)]
    pub json: bool,
    /// Take decisions from other processes of yours (`overrule approve ID …`) through a socket while the run
    /// goes on; commands of the agent itself are refused
    #[arg(long, global = true)]
    pub control: bool,
    /// Keep also the requests to the model in files beside the session, as its replies are kept
    #[arg(long, global = true)]
    pub keep_wire: bool,
    /// Most requests to the model
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u32>("a whole number of requests, such as 20"))]
    pub max_turns: Option<u32>,
    /// Most tokens, sent and received
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u64>("a whole number of tokens, such as 200000"))]
    pub max_tokens: Option<u64>,
    /// Most working time, such as 10m
    #[arg(long, global = true, value_name = "DURATION")]
    pub max_time: Option<String>,
    /// Most money, in the currency of the price that the settings name, such as 0.5
    #[arg(long, global = true, value_name = "AMOUNT")]
    pub max_price: Option<String>,
    /// Most calls at one time
    #[arg(long, global = true, value_name = "N", value_parser = number::whole::<u32>("a whole number of calls, such as 4"))]
    pub parallel: Option<u32>,
}

impl Common {
    /// The flags as the settings know them.
    pub fn flags(&self) -> config::Flags {
        config::Flags {
            config: self.config.clone(),
            model: self.model.clone().filter(|name| name != "scripted"),
            base_url: self.base_url.clone(),
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
        }
    }
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Run the agent on a task with a real model (or --model scripted --playbook FILE)
    Run(Task),
    /// Start a built-in run, or list them: scripted models that need no network and no key
    Demo(Demo),
    /// Go on with a recorded session, after a quit or a crash
    Resume(Resume),
    /// List and manage recorded sessions
    Sessions(Sessions),
    /// Look at a recorded session step by step; runs nothing
    Replay(Replay),
    /// Begin a session of its own with what another one recorded up to a place; nothing runs before it is resumed
    Fork(Fork),
    /// Print the graph of a session
    Graph(Graph),
    /// Print the calls that wait for a decision, with the digests to decide by
    Queue(Queue),
    /// Print what went round in a session, which steps were taken against it, and what you can do
    Loops(Queue),
    /// Print the executions that could change the world: what came of them, what could take them back
    Effects(Queue),
    /// Print who decided what in a session: when, after how long, on what that was shown, by which rule
    Audit(Audit),
    /// Print how each tool of a session does, and how well it serves each kind of task; with a tool, why
    Weights(Weights),
    /// Remove what the sessions of the workspace learned about tools, so that the next one starts without it
    ResetLearned,
    /// List the branches of a session, or name one: every edit begins one, and none is lost
    Branches(Branches),
    /// Compare two branches node by node: answers, calls, requests, tokens
    Compare(Compare),
    /// Print every setting in force and the rules of the policy, each with who said so
    Config,
    /// Decode a captured model stream
    Decode(Decode),
    /// Operator verbs on a session
    #[command(flatten)]
    Verb(Verb),
}

impl Args {
    /// Reads a command line. What is not UTF-8 may be the name of a session, which is found by what it is listed as.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        Self::try_parse_from(&words).or_else(|error| match error.kind() {
            clap::error::ErrorKind::InvalidUtf8 => {
                Self::try_parse_from(words.iter().map(|word| word.to_string_lossy().into_owned()))
            }
            _ => Err(error),
        })
    }
}

/// A task for the agent.
#[derive(Debug, ClapArgs)]
pub struct Task {
    /// What the agent shall do, or `-` for standard input; a playbook may say it where this does not
    pub task: Option<String>,
    /// Input for `†input` references: JSON text, or @FILE
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,
    /// JSON Schema that the final answer must fit
    #[arg(long, value_name = "FILE")]
    pub output_schema: Option<PathBuf>,
}

/// A built-in run.
#[derive(Debug, Default, ClapArgs)]
pub struct Demo {
    /// Which one; leave out to list them
    pub name: Option<String>,
    /// Allow one that reads the directory in / or in the home directory
    #[arg(long)]
    pub anywhere: bool,
    /// List them
    #[arg(long)]
    pub list: bool,
}

impl Demo {
    /// What runs without a subcommand.
    pub fn built_in() -> Self {
        Self {
            name: Some("audit".to_owned()),
            ..Self::default()
        }
    }
}

/// Which session to go on with.
#[derive(Debug, ClapArgs)]
pub struct Resume {
    /// Id, a unique beginning of it, or `last`
    #[arg(default_value = "last")]
    pub id: String,
}

/// What to do with sessions.
#[derive(Debug, ClapArgs)]
pub struct Sessions {
    /// What; leave out to list
    #[command(subcommand)]
    pub what: Option<SessionsWhat>,
}

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub enum SessionsWhat {
    /// List them, newest last
    List,
    /// Show one in a few lines
    Show {
        /// Id, beginning of it, `last`, or a file
        id: String,
    },
    /// Give one a name
    Name {
        /// Id, beginning of it, or `last`
        id: String,
        /// The name
        name: String,
    },
    /// Delete one with everything in it; on a terminal you are asked first
    Delete {
        /// Id or beginning of it
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Check that nothing in it was changed or lost
    Verify {
        /// Id, beginning of it, `last`, or a file
        id: String,
    },
    /// Print the directory that holds them
    Path,
}

/// A replay.
#[derive(Debug, ClapArgs)]
pub struct Replay {
    /// Id, beginning of it, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Play at once, so many times as fast as it happened
    #[arg(long, value_name = "FACTOR", value_parser = number::factor)]
    pub speed: Option<f64>,
}

/// A fork.
///
/// The other session stays as it is, also where a process runs it. Effects that it had after that place are not taken
/// back: they are recorded in the fork, and an equal call asks first.
#[derive(Debug, ClapArgs)]
pub struct Fork {
    /// Id, beginning of it, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// The last event that it begins with, as `overrule replay` counts them; in the middle of a decision: before that
    /// (default: the end)
    #[arg(long, value_name = "EVENT", value_parser = number::event)]
    pub at: Option<u64>,
    /// What the fork is called
    #[arg(long)]
    pub name: Option<String>,
}

/// Forms of a printed graph.
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
    /// Id, beginning of it, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Form (default: gutter; with --json: json on one line)
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Only what counts now, without ids and times (JSON)
    #[arg(long)]
    pub active: bool,
}

/// A queue to print.
#[derive(Debug, ClapArgs)]
pub struct Queue {
    /// Id, beginning of it, or `last`
    #[arg(default_value = "last")]
    pub id: String,
}

/// Forms of a printed audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AuditFormat {
    /// Lines for people
    Text,
    /// One JSON object for each decision, on a line of its own
    Json,
    /// A table with a header row, for spreadsheets
    Csv,
}

/// Decisions to print.
#[derive(Debug, ClapArgs)]
pub struct Audit {
    /// Id, beginning of it, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Form (default: text; with --json: json)
    #[arg(long, value_enum)]
    pub format: Option<AuditFormat>,
}

/// Weights to print.
#[derive(Debug, ClapArgs)]
pub struct Weights {
    /// Id, beginning of it, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// A tool: every change of its weights with the execution that caused it
    pub tool: Option<String>,
}

/// Branches to list or to name.
#[derive(Debug, ClapArgs)]
pub struct Branches {
    /// Id, beginning of it, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// What; leave out to list
    #[command(subcommand)]
    pub what: Option<BranchesWhat>,
}

/// What to do with branches.
#[derive(Debug, Subcommand)]
pub enum BranchesWhat {
    /// Name one, so that it is found again; an empty name takes it away
    Name {
        /// Number of the branch, as `overrule branches` lists it
        #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        branch: u32,
        /// The name
        name: String,
    },
}

/// Two branches to compare.
#[derive(Debug, ClapArgs)]
pub struct Compare {
    /// Id, beginning of it, or `last`
    pub id: String,
    /// Number of the one
    #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 0"))]
    pub a: u32,
    /// Number of the other
    #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub b: u32,
    /// Print also what is the same on both
    #[arg(long)]
    pub all: bool,
}

/// A captured stream.
#[derive(Debug, ClapArgs)]
pub struct Decode {
    /// Wire format
    #[arg(long, value_name = "WIRE", default_value = "openai-chat")]
    pub wire: String,
    /// One JSON object for the whole stream
    #[arg(long)]
    pub summary: bool,
    /// The file; `-` for standard input
    pub file: PathBuf,
}
