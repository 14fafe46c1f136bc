//! Lists the built-in tools in their order.
//!
//! Must not know: what any of them does.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::ask_operator::AskOperator;
use super::delegate::Delegate;
use super::edit_file::EditFile;
use super::final_answer::FinalAnswer;
use super::http_request::HttpRequest;
use super::list_dir::ListDir;
use super::read_file::ReadFile;
use super::search::Search;
use super::shell::Shell;
use super::write_file::WriteFile;
use crate::child::Environment;
use crate::sources::{Changes, Context, Source};
use crate::tool::Tool;

/// What the tools of a session depend on.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The environment variables of child processes.
    pub environment: Environment,
    /// JSON Schema of the session's answer; `None` for any text.
    pub answer: Option<Value>,
    /// Whether requests honour the system's proxy settings.
    pub proxy: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            environment: Environment::default(),
            answer: None,
            proxy: true,
        }
    }
}

/// Returns the names of the built-in tools.
pub fn names() -> BTreeSet<String> {
    let all = all(&Setup::default());
    all.iter().map(|tool| tool.spec().card.name.to_string()).collect()
}

/// Returns all built-in tools, in the order in which they are offered to a model.
pub fn all(setup: &Setup) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ReadFile::new()),
        Arc::new(ListDir::new()),
        Arc::new(Search::new()),
        Arc::new(WriteFile::new()),
        Arc::new(EditFile::new()),
        Arc::new(Shell::new(setup.environment.clone())),
        Arc::new(HttpRequest::new(setup.proxy)),
        Arc::new(AskOperator::new()),
        Arc::new(Delegate::new()),
        Arc::new(FinalAnswer::new(setup.answer.as_ref())),
    ]
}

/// Returns the tool that writes a whole file.
pub fn write_file() -> Box<dyn Tool> {
    Box::new(WriteFile::new())
}

/// Returns the tool that replaces a text in a file.
pub fn edit_file() -> Box<dyn Tool> {
    Box::new(EditFile::new())
}

/// The program itself as a source of tools.
struct BuiltIn;

/// Returns the source.
pub fn source() -> Arc<dyn Source> {
    Arc::new(BuiltIn)
}

impl Source for BuiltIn {
    fn name(&self) -> &'static str {
        "builtin"
    }

    fn connect<'a>(&'a self, context: &'a Context, _changes: Changes) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        Box::pin(async { all(&context.builtin) })
    }
}
