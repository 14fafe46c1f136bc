//! Asks the operator: their typed answer is the result, so nothing runs.
//!
//! Must not know: how they are asked.

use futures_util::future::BoxFuture;
use serde_json::json;

use super::common::spec;
use crate::errors::refused;
use crate::tool::{Job, Spec, Tool};
use overrule_domain::advice::Special;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome};

/// The `ask_operator` tool.
pub(super) struct AskOperator {
    spec: Spec,
}

impl AskOperator {
    pub(super) fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "question": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The question, complete in itself: what you need to know, and why."
                },
                "choices": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "minItems": 2,
                    "maxItems": 9,
                    "uniqueItems": true,
                    "description": "Answers to choose from. Omit for a free answer."
                }
            },
            "required": ["question"],
            "additionalProperties": false
        });
        let mut spec = spec(
            "ask_operator",
            "Ask the person who supervises this run. Use it when only a person can decide or knows the answer, \
             and when you are stuck. The result is their answer.",
            &schema,
            EffectClass::Read,
        );
        spec.facts.special = Some(Special::AsksOperator);
        Self { spec }
    }
}

impl Tool for AskOperator {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        Box::pin(async {
            Outcome::err(refused(
                ErrorClass::Internal,
                "a question was run instead of being asked of the operator",
                "declared by the tool",
                "answer it as the operator",
            ))
        })
    }
}
