//! A tool that an agent executes: to run a call is to release it, and to wait for the agent's next request.
//!
//! Must not know: formats, who decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::catalogue;
use super::client::Client;
use super::run::AgentRun;
use overrule_base::{canon, known_tool};
use overrule_domain::advice::ToolFacts;
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::event::run::{Limits, ToolCard, ToolOrigin};
use overrule_model::wire::agent;
use overrule_tools::registry::Registry;
use overrule_tools::{Job, Replacement, Spec, Tool, Writes, known};

/// Schema of a call that takes any text.
const TEXT: &str = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
/// Schema of a tool whose own schema cannot be read.
const ANYTHING: &str = r#"{"type":"object"}"#;
/// An agent works as long as its user lets it.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3_600);

/// A tool of an agent.
pub struct AgentTool {
    spec: Spec,
    run: Arc<AgentRun>,
}

/// A tool of an agent, if it is a known one. `is_ambiguous` says that a server offers a tool of this name, too: a call may be of
/// that one.
///
/// Commands and file tools of a confined agent run in its sandbox. Its model is told nothing of that.
fn spec(tool: &agent::AgentTool, client: &Client, schema: &str, is_ambiguous: bool) -> Spec {
    let agent = client.agent();
    let is_own = agent.is_some() && !is_ambiguous && catalogue::is_own(tool);
    let effect = if is_ambiguous {
        EffectClass::Unknown
    } else {
        catalogue::effect(tool, agent)
    };
    let tags = if is_ambiguous || catalogue::is_external(tool, agent) {
        vec!["external".to_owned()]
    } else {
        Vec::new()
    };
    Spec {
        card: ToolCard {
            name: tool.name.as_str().into(),
            description: tool.description.as_str().into(),
            schema: schema.into(),
            effect,
            effect_by: None,
            tags,
            pause_ms: 0,
            takes_truncated: true,
            confined: client.is_confined() && is_own && known_tool::kind(&tool.name).is_some(),
            probe: None,
            compensate: None,
            origin: Some(Box::new(ToolOrigin {
                source: ToolOrigin::AGENT.into(),
                server: None,
                tool: tool.name.as_str().into(),
                title: None,
                drift: None,
                pin: canon::hash(
                    "overrule agent tool v1",
                    &[
                        tool.name.as_bytes(),
                        tool.description.as_bytes(),
                        schema.as_bytes(),
                    ],
                )
                .into(),
            })),
        },
        facts: ToolFacts {
            effect,
            takes_truncated: true,
            show_difference: effect > EffectClass::Read,
            special: None,
        },
    }
}

/// Returns the limits of an agent's run. A call with the agent ends only with the agent's next request, so all calls of a
/// reply must be with it at one time.
pub fn limits(limits: Limits) -> Limits {
    Limits {
        parallel: Limits::MOST_PARALLEL,
        ..limits
    }
}

/// Returns the tools of an agent. A schema that cannot be read, or turns out to be broken, allows any object as arguments.
pub fn registry(tools: &[agent::AgentTool], run: &Arc<AgentRun>) -> Registry {
    let mut registry = Registry::default();
    let of_agent = || tools.iter().filter(|tool| !tool.is_providers);
    for tool in of_agent() {
        let is_ambiguous = of_agent().any(|other| other.name == tool.name && !catalogue::is_own(other));
        let with = |schema: &str| AgentTool {
            spec: spec(tool, run.client(), schema, is_ambiguous),
            run: run.clone(),
        };
        if registry
            .add(Arc::new(with(tool.schema.as_deref().unwrap_or(TEXT))))
            .is_err()
        {
            let open = with(ANYTHING);
            // What is left is a second tool of the same name: the first counts.
            if let Err(error) = registry.add(Arc::new(open)) {
                tracing::warn!(%error, "left out a tool of the agent");
            }
        }
    }
    registry
}

impl Tool for AgentTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn replaces(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Replacement> {
        known::replaces(&self.spec.card.name, args, workspace, private)
    }

    fn writes(&self, args: &Value) -> Writes {
        if self.spec.card.effect.has_effect() {
            known::writes(&self.spec.card.name, args)
        } else {
            Writes::Nothing
        }
    }

    fn before(&self, args: &Value, workspace: &Path, private: &[PathBuf]) -> Option<Value> {
        known::before(&self.spec.card.name, args, workspace, private)
    }

    fn longest(&self) -> Duration {
        LONGEST
    }

    fn run(&self, job: Job) -> BoxFuture<'static, Outcome> {
        let (run, tool) = (self.run.clone(), self.spec.card.name.clone());
        Box::pin(async move {
            let result = run.execute(job.call, &tool, &job.text);
            let outcome = tokio::select! {
                outcome = result => outcome,
                // The agent may have begun, and cannot be stopped from here.
                () = job.cancel.cancelled() => Outcome::Cancelled { executed: true },
            };
            // What was refused since the last result: the agent alone knows for which call.
            let refused = run.refused().await;
            if !refused.is_empty() {
                (job.on_refused)(refused);
            }
            outcome
        })
    }
}
