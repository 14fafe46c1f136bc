//! Gives a task to a sub-agent: a thread with its own context, so nothing runs here.
//!
//! Must not know: how a thread begins or ends.

use futures_util::future::BoxFuture;
use serde_json::json;

use super::common::spec;
use crate::errors::refused;
use crate::tool::{Job, Spec, Tool};
use overrule_domain::advice::Special;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome};

/// The `delegate` tool.
pub(super) struct Delegate {
    spec: Spec,
}

impl Delegate {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "task": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Task of the sub-agent and the expected answer, complete in itself. It \
                        sees only this text and the scopes, not this conversation."
                },
                "scopes": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 16,
                    "description": "Results that the sub-agent sees, each as a reference such as \u{2020}call.readme."
                },
                "tools": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "uniqueItems": true,
                    "description": "Names of the tools that the sub-agent gets. Omit for all of your tools."
                },
                "max_turns": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "description": "Maximum number of model requests of the sub-agent. Default: 20."
                }
            },
            "required": ["task"],
            "additionalProperties": false
        });
        let mut spec = spec(
            "delegate",
            "Give a task to a sub-agent with its own conversation. Several can work in parallel. The result is \
             its answer. Its calls need the same approvals as yours.",
            &schema,
            EffectClass::Read,
        );
        spec.facts.special = Some(Special::Delegates);
        Self { spec }
    }
}

impl Tool for Delegate {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        Box::pin(async {
            Outcome::err(refused(
                ErrorClass::Internal,
                "a delegated task was run instead of being given to a sub-agent",
                "declared by the tool",
                "report this as a defect",
            ))
        })
    }
}
