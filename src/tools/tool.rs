//! What a tool is and what one execution gets. Must not know: any particular tool, how an
//! execution is bounded, scheduling, approvals, the model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::advice::ToolFacts;
use crate::domain::call::{Operand, Outcome};
use crate::domain::event::run::ToolCard;
use crate::domain::input::Finding;

/// What a tool is.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Name, description, schema, effect class, as the model and the operator know it.
    pub card: ToolCard,
    /// What the rules need to know of it.
    pub facts: ToolFacts,
}

/// Everything that one execution gets.
#[derive(Clone)]
pub struct Job {
    /// The arguments, validated against the tool's schema.
    pub args: Value,
    /// The exact argument text.
    pub text: Arc<str>,
    /// The canonical directory that the tools work in.
    pub workspace: Arc<PathBuf>,
    /// Files and directories of this program, which no tool reads or writes.
    pub private: Arc<[PathBuf]>,
    /// Ends the execution; a tool that may have done something by then says so in its outcome.
    pub cancel: CancellationToken,
    /// To be called once with (process id, start time in clock ticks since boot) when a child was started.
    pub on_spawn: Arc<dyn Fn(u32, u64) + Send + Sync>,
    /// Key for services that can tell a repetition.
    pub key: Arc<str>,
}

/// What an execution would put in the place of something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The text that stands there now; none where nothing does; or why it is not told.
    pub now: Result<Option<String>, String>,
    /// The text that would stand there.
    pub then: String,
}

/// A tool.
pub trait Tool: Send + Sync {
    /// What it is.
    fn spec(&self) -> &Spec;

    /// What is known of the world before an execution, for a later [`Tool::probe`] and for who wants to take
    /// it back. Looks, changes nothing; nothing of what is `private` may be in it.
    fn before(&self, _args: &Value, _workspace: &Path, _private: &[PathBuf]) -> Option<Value> {
        None
    }

    /// The files that an execution would run, as they are now: their content is part of what is decided. Looks,
    /// changes nothing.
    fn operands(&self, _args: &str, _workspace: &Path) -> Vec<Operand> {
        Vec::new()
    }

    /// The whole text that an execution would put in the place of another: a help for who decides about it, and no part
    /// of what is decided. Looks, changes nothing; nothing of what is `private` may be in it.
    fn replaces(&self, _args: &Value, _workspace: &Path, _private: &[PathBuf]) -> Option<Replacement> {
        None
    }

    /// Whether an execution in doubt happened, judged by what [`Tool::before`] had recorded. Looks, changes nothing.
    fn probe(&self, _args: &Value, _before: &Value, _workspace: &Path) -> Option<Finding> {
        None
    }

    /// Runs it once. Never panics; every failure is an outcome.
    fn run(&self, job: Job) -> BoxFuture<'static, Outcome>;
}
