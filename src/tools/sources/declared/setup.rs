//! A tool as the settings declare it.
//!
//! Must not know: settings files, how it runs.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;

use super::fill::Pattern;
use overrule_domain::call::EffectClass;
use overrule_domain::sandbox::Level;

/// A declared tool.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// What it does, for the model and the operator.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: Value,
    /// The class of its calls.
    pub effect: EffectClass,
    /// What it does.
    pub action: Action,
    /// Time limit of a call.
    pub limit: Duration,
    /// What its output is.
    pub output: Output,
    /// Where a key goes that is the same for each attempt of a call.
    pub key: Option<KeyPlace>,
    /// How a command is confined; `None` for the level of the run.
    pub sandbox: Option<Level>,
    /// Hosts that a command may reach in addition to those of the run.
    pub network: Vec<String>,
    /// All of it as JSON, with the variables of headers not filled in: any change makes another tool.
    pub written: String,
}

/// What a declared tool does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Runs a program in the workspace, without a shell.
    Command {
        /// The program and its arguments.
        argv: Vec<Pattern>,
        /// Text on its standard input.
        stdin: Option<Pattern>,
        /// Exit codes that count as success; empty if every code is a result.
        success: Vec<i32>,
    },
    /// Sends an HTTP request.
    Http(Box<Request>),
}

/// An HTTP request with placeholders.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method.
    pub method: String,
    /// Address; values in it are percent-encoded.
    pub url: Pattern,
    /// Headers. They can hold keys.
    pub headers: BTreeMap<String, SecretString>,
    /// Body.
    pub body: Option<Body>,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum Body {
    /// A text.
    Text(Pattern),
    /// JSON; a string that is one placeholder becomes the value of the argument.
    Json(Value),
}

/// What an output is.
#[derive(Debug, Clone, Default)]
pub enum Output {
    /// Text.
    #[default]
    Text,
    /// JSON, which matches a schema if there is one.
    Json(Option<Value>),
}

/// Where an idempotency key goes.
#[derive(Debug, Clone)]
pub enum KeyPlace {
    /// Into a header.
    Header(String),
    /// Into a placeholder that no argument fills.
    Placeholder(String),
}
