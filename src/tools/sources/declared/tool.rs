//! A declared tool as a tool, and the source of all of them.
//!
//! Must not know: settings files.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::setup::{Action, Declaration, KeyPlace, Output};
use super::{command, request};
use crate::child::Environment;
use crate::errors::refused;
use crate::sources::builtin::http_request::HttpRequest;
use crate::sources::builtin::shell;
use crate::sources::{Changes, Context, Source};
use crate::tool::{Children, Job, ReadOperands, Spec, Tool, Writes};
use overrule_base::canon;
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_domain::event::run::{ToolCard, ToolOrigin};
use overrule_schema::{Checker, RESERVED};

/// Name of the source.
const SOURCE: &str = "declared";

/// A declared tool.
#[expect(clippy::struct_field_names, reason = "it is what was declared")]
struct Declared {
    spec: Spec,
    declared: Arc<Declaration>,
    environment: Environment,
    http: Arc<HttpRequest>,
}

/// The settings as a source of tools.
struct Settings;

/// Returns the source.
pub fn source() -> Arc<dyn Source> {
    Arc::new(Settings)
}

impl Source for Settings {
    fn name(&self) -> &'static str {
        SOURCE
    }

    fn connect<'a>(&'a self, context: &'a Context, _changes: Changes) -> BoxFuture<'a, Vec<Arc<dyn Tool>>> {
        Box::pin(async move { tools(context) })
    }
}

/// Returns the declared tools, in their order.
pub fn tools(context: &Context) -> Vec<Arc<dyn Tool>> {
    let http = Arc::new(HttpRequest::new(context.builtin.proxy));
    let tool = |declared: &Declaration| {
        let tool = Declared {
            spec: spec(declared),
            declared: Arc::new(declared.clone()),
            environment: context.builtin.environment.clone(),
            http: Arc::clone(&http),
        };
        Arc::new(tool) as Arc<dyn Tool>
    };
    context.declared.iter().map(tool).collect()
}

fn spec(declared: &Declaration) -> Spec {
    let external = matches!(declared.action, Action::Http(_)).then(|| "external".to_owned());
    let card = ToolCard {
        name: declared.name.as_str().into(),
        description: declared.description.as_str().into(),
        schema: declared.schema.to_string().into(),
        effect: declared.effect,
        effect_by: None,
        tags: external.into_iter().collect(),
        pause_ms: 0,
        takes_truncated: false,
        confined: false,
        probe: None,
        compensate: None,
        origin: Some(Box::new(ToolOrigin {
            source: SOURCE.into(),
            server: None,
            tool: declared.name.as_str().into(),
            title: None,
            pin: canon::hash("overrule declared tool v1", &[declared.written.as_bytes()]).into(),
            drift: None,
        })),
    };
    let mut facts = ToolFacts::of(&card);
    facts.show_difference = true;
    Spec { card, facts }
}

impl Tool for Declared {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn children(&self) -> Option<Children> {
        let is_command = matches!(self.declared.action, Action::Command { .. });
        is_command.then(|| Children {
            level: self.declared.sandbox,
            network: self.declared.network.clone(),
        })
    }

    fn writes(&self, _args: &Value) -> Writes {
        match &self.declared.action {
            Action::Command { .. } if self.declared.effect.has_effect() => Writes::Anything,
            Action::Command { .. } | Action::Http(_) => Writes::Nothing,
        }
    }

    fn operands(&self, args: &str, workspace: &Path) -> Option<ReadOperands> {
        let Action::Command { argv, .. } = &self.declared.action else {
            return None;
        };
        // A key names no file.
        let args = arguments(
            &self.declared,
            &serde_json::from_str(args).unwrap_or_default(),
            "",
        );
        let words = command::filled(argv, &args).ok()?;
        Some(shell::operands_of(words, workspace, &self.environment))
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (declared, environment) = (Arc::clone(&self.declared), self.environment.clone());
        let http = Arc::clone(&self.http);
        Box::pin(async move {
            run(&declared, job, &environment, &http)
                .await
                .unwrap_or_else(Outcome::err)
        })
    }
}

async fn run(
    declared: &Declaration,
    mut job: Job,
    environment: &Environment,
    http: &HttpRequest,
) -> Result<Outcome, ToolError> {
    let args = arguments(declared, &job.args, &job.key);
    let outcome = match &declared.action {
        Action::Command { argv, stdin, success } => {
            let parts = (argv.as_slice(), stdin.as_ref(), success.as_slice());
            command::run(declared, parts, &args, (&job, environment)).await?
        }
        Action::Http(request) => {
            job.args = request::arguments(declared, request, &args, &job)?;
            http.run(job).await
        }
    };
    Ok(typed(&declared.output, outcome))
}

/// Returns what fills the placeholders.
fn arguments(declared: &Declaration, args: &Value, key: &str) -> Map<String, Value> {
    let mut args = args.as_object().cloned().unwrap_or_default();
    args.retain(|key, _| !RESERVED.contains(&key.as_str()));
    if let Some(KeyPlace::Placeholder(name)) = &declared.key {
        args.insert(name.clone(), Value::from(key));
    }
    args
}

/// Reads the output of a success as what it is declared to be.
fn typed(output: &Output, outcome: Outcome) -> Outcome {
    let Output::Json(schema) = output else {
        return outcome;
    };
    let Outcome::Ok {
        value,
        meta,
        discarded,
        exit: None,
    } = outcome
    else {
        return outcome;
    };
    let text: String = serde_json::from_str(&value).unwrap_or_default();
    let bad = |what: String| {
        Outcome::err(ToolError {
            executed: true,
            partial: Some(Arc::clone(&value)),
            ..refused(ErrorClass::Internal, what, "declared output", "tell the operator")
        })
    };
    let json: Value = match serde_json::from_str(text.trim()) {
        Ok(json) => json,
        Err(error) => return bad(format!("the output is not the declared JSON: {error}")),
    };
    let json = json.to_string();
    let checker = schema
        .as_ref()
        .and_then(|schema| Checker::new(&schema.to_string()).ok());
    let faults = checker
        .map(|checker| checker.check_value(&json))
        .unwrap_or_default();
    if let Some(fault) = faults.first() {
        return bad(format!(
            "the output does not match its schema: {} {}",
            fault.path, fault.message
        ));
    }
    Outcome::Ok {
        value: json.into(),
        meta,
        discarded,
        exit: None,
    }
}
