//! Hands a task to a sub-agent: a thread with its own context, so nothing runs here. Must not know: how a
//! thread begins or ends.

use futures_util::future::BoxFuture;
use serde_json::json;

use super::common::spec;
use crate::domain::call::{EffectClass, ErrorClass, Outcome};
use crate::tools::errors::refused;
use crate::tools::tool::{Job, Spec, Tool};

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
                    "description": "What the sub-agent shall do and what it shall answer, complete in itself: it \
                        sees nothing of this conversation but this text and the scopes."
                },
                "scopes": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 16,
                    "description": "Results that it is shown, each as a reference such as \u{2020}call.readme."
                },
                "tools": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "uniqueItems": true,
                    "description": "Names of the tools that it gets. Leave out for all of yours."
                },
                "max_turns": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "description": "How often its model may be asked, at most (20 where left out)."
                }
            },
            "required": ["task"],
            "additionalProperties": false
        });
        let mut spec = spec(
            "delegate",
            "Give a task to a sub-agent with a conversation of its own. Several work at one time. The result is \
             its answer. What it does goes through the same approvals as what you do.",
            &schema,
            EffectClass::Read,
        );
        spec.facts.delegates = true;
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
