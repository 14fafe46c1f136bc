//! Ends the run with an answer: its arguments are the answer, so nothing runs.
//!
//! Must not know: what happens to the answer.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::common::spec;
use crate::errors::refused;
use crate::tool::{Job, Spec, Tool};
use overrule_domain::advice::Special;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome};

const WHAT: &str = "The complete answer; nothing else is shown as the result of the run.";

/// The `final_answer` tool.
pub(super) struct FinalAnswer {
    spec: Spec,
}

impl FinalAnswer {
    /// Takes the JSON Schema of the session's answer; without one, any text will do.
    pub(super) fn new(answer: Option<&Value>) -> Self {
        let mut answer = answer.cloned().unwrap_or_else(|| json!({"type": "string"}));
        // References to definitions start from the root of a document, which this schema no longer is.
        let mut moved = serde_json::Map::new();
        if let Value::Object(map) = &mut answer {
            for key in ["$schema", "$defs", "definitions"] {
                if let Some(value) = map.shift_remove(key) {
                    moved.insert(key.to_owned(), value);
                }
            }
            map.entry("description").or_insert_with(|| WHAT.into());
        }
        let mut schema = json!({
            "type": "object",
            "properties": {"answer": answer},
            "required": ["answer"],
            "additionalProperties": false
        });
        if let Value::Object(map) = &mut schema {
            map.extend(moved);
        }
        let mut spec = spec(
            "final_answer",
            "Give the final answer and end the run. Call it alone, when every result that the answer needs is there.",
            &schema,
            EffectClass::Pure,
        );
        spec.facts.special = Some(Special::Answer);
        Self { spec }
    }
}

impl Tool for FinalAnswer {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn run(&self, _job: Job) -> BoxFuture<'static, Outcome> {
        Box::pin(async {
            Outcome::err(refused(
                ErrorClass::Internal,
                "an answer was run instead of ending the run",
                "declared by the tool",
                "",
            ))
        })
    }
}
