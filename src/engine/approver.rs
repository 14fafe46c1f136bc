//! Asks an external program of the operator about a call: question and answer are JSON.
//!
//! Must not know: what follows from an answer, how a program is started.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::advise::parse_args;
use overrule_base::text::visible_head;
use overrule_domain::call::{Answer, Call};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;
use overrule_domain::{ready, tags, why};
use overrule_tools::operator_program::Program;

/// The name of a program that the settings give none.
pub const NAME: &str = "approver";
/// Maximum length of an answer in bytes.
const LONGEST: usize = 64 * 1024;
/// Maximum length of a reason in characters.
const REASON: usize = 1_000;

/// A program that is asked about calls that wait for approval.
#[derive(Debug, Clone)]
pub struct Approver {
    /// Its name in records and on screens.
    pub name: Arc<str>,
    /// The program.
    pub program: Program,
}

/// An answer as the program prints it.
#[derive(Deserialize)]
struct Printed {
    decision: Answer,
    #[serde(default)]
    reason: String,
}

impl Approver {
    /// Asks. A program that fails, takes too long or prints no answer leaves the call to the operator.
    pub async fn ask(&self, question: &str) -> (Answer, String) {
        match self.program.run(question, LONGEST).await {
            Ok(printed) => read(&printed),
            Err(why) => (Answer::Ask, format!("it failed: {why}")),
        }
    }
}

/// Reads an answer.
fn read(printed: &str) -> (Answer, String) {
    let printed = printed.trim();
    // A list would be read as an object without names.
    if !printed.is_empty() && !printed.starts_with('{') {
        let head = visible_head(printed, 80);
        return (Answer::Ask, format!("its answer is not a JSON object: {head}"));
    }
    match serde_json::from_str::<Printed>(printed) {
        Ok(Printed { decision, reason }) => (decision, reason.chars().take(REASON).collect()),
        Err(_) if printed.is_empty() => (Answer::Ask, "it printed no answer".to_owned()),
        Err(error) => (
            Answer::Ask,
            format!(
                "its answer cannot be read: {error}: {}",
                visible_head(printed, 80)
            ),
        ),
    }
}

/// Returns the question about a call as JSON text, on one line.
pub fn question(state: &State, session: &str, id: NodeId) -> Option<String> {
    let call = state.calls.get(&id)?;
    let node = state.nodes.get(&id)?;
    let (tool, _) = node.as_call()?;
    let args = ready::resolved_args(state, call)?;
    let started = state.started.as_ref()?;
    let verdict = call.verdict.as_ref()?;
    let question = json!({
        "version": 1, "session": session, "workspace": started.workspace, "call": id, "revision": node.rev(),
        "tool": tool, "effect": call.effect, "tags": tags::of(state, tool),
        "arguments": parse_args(&args), "arguments_text": args, "digest": call.digest,
        "files": files(call), "rule": verdict.rule, "reason": verdict.reason, "model_says": why::of(node),
    });
    Some(question.to_string())
}

fn files(call: &Call) -> Vec<Value> {
    let operands = call.operands();
    operands.iter().map(|one| json!(one.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_of_three_words_and_everything_else_is_left_to_the_operator() {
        assert_eq!(read(r#"{"decision":"allow"}"#), (Answer::Allow, String::new()));
        let output = read("\n {\"decision\":\"deny\",\"reason\":\"no\",\"more\":1} \n");
        assert_eq!(output, (Answer::Deny, "no".to_owned()));
        assert_eq!(read(r#"{"decision":"ask","reason":"?"}"#).0, Answer::Ask);
        for printed in [
            "",
            "allow",
            r#"{"decision":"ALLOW"}"#,
            r#"{"decision":"allow"} {"decision":"deny"}"#,
            r#"{"decision":["allow"]}"#,
            r#"{"reason":"allow"}"#,
            r#"["allow"]"#,
            "{",
            r#"{"decision":"allow","decision":"deny"}"#,
        ] {
            let (answer, reason) = read(printed);
            assert_eq!(answer, Answer::Ask, "{printed}");
            assert!(!reason.is_empty(), "{printed}");
        }
        let long = format!(r#"{{"decision":"deny","reason":"{}"}}"#, "x".repeat(9_000));
        assert_eq!(read(&long).1.len(), REASON);
    }
}
