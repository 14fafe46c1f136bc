//! Defines a tool, and what one execution receives.
//!
//! Must not know: any particular tool, how an execution is bounded, scheduling, approvals, the model.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use overrule_domain::advice::{Extent, ToolFacts};
use overrule_domain::call::{Operand, Outcome};
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::NodeId;
use overrule_domain::input::Finding;
use overrule_domain::sandbox::{Level, Profile, Refused, Widening};
use overrule_sandbox::session::Sandbox;

/// The description of a tool.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Name, description, schema and effect class, as the model and the operator see them.
    pub card: ToolCard,
    /// What the rules need to know about it.
    pub facts: ToolFacts,
}

/// Reads the files that an execution would run, in their present state. Changes nothing.
pub type ReadOperands = Box<dyn FnOnce() -> Vec<Operand> + Send>;

/// Takes a part of an output.
pub type OnOutput = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Asks the operator something for a server. It is given the name of the server, the arguments of the tool that asks the
/// operator, and a token that withdraws the question. Returns the answer as JSON text; none if there is none.
pub type AskOperator =
    Arc<dyn Fn(Arc<str>, Arc<str>, CancellationToken) -> BoxFuture<'static, Option<Arc<str>>> + Send + Sync>;

/// Returns what a rule keeps from a call that walks a tree, by the path in the workspace; nothing where no rule does.
pub type Withheld = Arc<dyn Fn(&Path) -> Option<Extent> + Send + Sync>;

/// Called with what the sandbox refused.
pub type OnRefused = Arc<dyn Fn(Vec<Refused>) + Send + Sync>;

/// Keeps nothing from a call: for an execution without rules.
pub fn nothing_withheld() -> Withheld {
    Arc::new(|_| None)
}

/// Asks nobody: for an execution without an operator.
pub fn ask_nobody() -> AskOperator {
    Arc::new(|_, _, _| Box::pin(async { None }))
}

/// The time limit of an execution, longer than what any tool of this program allows itself.
pub const LONGEST: Duration = Duration::from_secs(3_700);

/// The input of one execution.
#[derive(Clone)]
pub struct Job {
    /// The call.
    pub call: NodeId,
    /// The arguments, validated against the tool's schema.
    pub args: Value,
    /// The exact argument text.
    pub text: Arc<str>,
    /// The idempotency key that was recorded for the execution: the same for each attempt of a call.
    pub key: Arc<str>,
    /// The canonical directory that the tools work in.
    pub workspace: Arc<PathBuf>,
    /// Files and directories of this program, which no tool reads or writes.
    pub private: Arc<[PathBuf]>,
    /// What rules keep from a call that walks a tree.
    pub withheld: Withheld,
    /// Ends the execution; a tool that may have had an effect by then reports it in its outcome.
    pub cancel: CancellationToken,
    /// Called once with (process id, start time in clock ticks since boot) when a child was started.
    pub on_spawn: Arc<dyn Fn(u32, u64) + Send + Sync>,
    /// The profile of the sandbox that its children start in; none outside, and for a tool that is not confined.
    pub profile: Option<Arc<Profile>>,
    /// The sandbox of the run, if it has one.
    pub sandbox: Option<Arc<Sandbox>>,
    /// Called with what the sandbox refused, before the execution ends.
    pub on_refused: OnRefused,
    /// Called with output as it comes, in whole characters; for a person to watch, not part of the result.
    pub on_output: OnOutput,
    /// Asks the operator something that its server wants to know.
    pub ask: AskOperator,
}

/// What an execution would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The present text, `None` if there is none, or why it is not shown.
    pub now: Result<Option<String>, String>,
    /// The text that would replace it.
    pub then: String,
}

impl Replacement {
    /// The BLAKE3 hash of the present text, as recorded before a launch; empty if there is none. Nothing if the text is
    /// not shown.
    pub fn base(&self) -> Option<String> {
        let now = self.now.as_ref().ok()?;
        let hash = |text: &String| blake3::hash(text.as_bytes()).to_hex().to_string();
        Some(now.as_ref().map(hash).unwrap_or_default())
    }
}

/// How the children of a tool's calls are confined, besides what holds for the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Children {
    /// Their level; none for that of the run.
    pub level: Option<Level>,
    /// Hosts that they reach in addition.
    pub network: Vec<String>,
}

impl Children {
    /// Returns their profile in a run with this one. A run without a sandbox confines none.
    pub fn profile(&self, run: &Profile) -> Profile {
        if !run.confines() {
            return Profile::default();
        }
        let hosts: Vec<Widening> = self.network.iter().cloned().map(Widening::Host).collect();
        Profile {
            level: self.level.unwrap_or(run.level),
            ..run.clone().widened(&hosts)
        }
    }
}

/// What an execution may change in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// At most these paths, as the arguments name them.
    Paths(Vec<PathBuf>),
    /// Anything.
    Anything,
}

/// A tool of the model.
pub trait Tool: Send + Sync {
    /// Returns its description.
    fn spec(&self) -> &Spec;

    /// Returns how the children of its calls are confined; none for a tool without children of its own.
    fn children(&self) -> Option<Children> {
        None
    }

    /// Returns what is known of the world before an execution, for a later [`Tool::probe`] and for reverting
    /// it. Changes nothing, and contains nothing from `private`.
    fn before(&self, _args: &Value, _workspace: &Path, _private: &[PathBuf]) -> Option<Value> {
        None
    }

    /// Returns what an execution with these arguments may change in the workspace. Reads no file. A tool that only reads
    /// changes nothing.
    fn writes(&self, _args: &Value) -> Writes {
        if self.spec().card.effect.has_effect() {
            Writes::Anything
        } else {
            Writes::Nothing
        }
    }

    /// Returns what reads the files that an execution would run: their content is part of the decision. None for a tool
    /// that runs no files. Reads nothing by itself: a file system may not answer.
    fn operands(&self, _args: &str, _workspace: &Path) -> Option<ReadOperands> {
        None
    }

    /// Returns the whole text that an execution would replace, and its replacement. It helps the operator to decide,
    /// and is not part of the decision. Changes nothing, and contains nothing from `private`.
    fn replaces(&self, _args: &Value, _workspace: &Path, _private: &[PathBuf]) -> Option<Replacement> {
        None
    }

    /// Finds whether an execution with an unknown outcome happened, from what [`Tool::before`] recorded. Changes
    /// nothing.
    fn probe(&self, _args: &Value, _before: &Value, _workspace: &Path) -> Option<Finding> {
        None
    }

    /// Returns the time limit of one execution, longer than what the tool allows itself.
    fn longest(&self) -> Duration {
        LONGEST
    }

    /// Runs the tool once. Never panics; every failure is an outcome.
    fn run(&self, job: Job) -> BoxFuture<'static, Outcome>;
}
