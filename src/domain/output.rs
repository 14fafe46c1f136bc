//! Answers that do not fit the output schema of a session, and what the model is told.
//!
//! Must not know: schemas, how an answer is shown.

mod sent_back;

use super::call::Fault;
use super::id::{NodeId, Rev};

pub use sent_back::{of, sent_back};

/// How often a wrong answer goes back to the model before it is left to the operator.
pub const BACK: u32 = 3;
/// Maximum number of faults listed.
const MAX_FAULTS: usize = 20;

/// An answer that does not fit, and went back to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAnswer {
    /// The answer.
    pub node: NodeId,
    /// Its revision.
    pub rev: Rev,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

/// Returns the JSON text of an answer: all of it, or the content of one code fence around all of
/// it. The caller checks whether it is JSON.
pub fn json_text(answer: &str) -> &str {
    let all = answer.trim();
    let fenced = || {
        let inner = all.strip_prefix("```")?.strip_suffix("```")?;
        let (language, body) = inner.split_once('\n')?;
        let language = language.trim();
        let is_json = language.is_empty() || language.eq_ignore_ascii_case("json");
        (is_json && !body.contains("```")).then(|| body.trim())
    };
    fenced().unwrap_or(all)
}

/// Returns what the model is told about an answer.
pub fn retry_message(unfit: &InvalidAnswer) -> String {
    format!(
        "Your answer does not fit the output schema:\n{}\nAnswer again with one JSON text that fits, and nothing around it.",
        list(&unfit.faults)
    )
}

/// Returns the message to the operator about an answer that is left to them. Contains untrusted
/// text.
pub fn left(node: NodeId, faults: &[Fault]) -> String {
    format!(
        "the answer {node} does not fit the output schema:\n{}\nEdit it, keep it as it is, or ask again",
        list(faults)
    )
}

fn list(faults: &[Fault]) -> String {
    let line = |fault: &Fault| match fault.path.as_str() {
        "" => format!("- {}", fault.message),
        path => format!("- {path}: {}", fault.message),
    };
    let mut lines: Vec<String> = faults.iter().take(MAX_FAULTS).map(line).collect();
    if let Some(more) = faults.len().checked_sub(MAX_FAULTS).filter(|more| *more > 0) {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::json_text;

    #[test]
    fn a_text_alone_or_in_one_fence_is_the_json() {
        for (answer, is) in [
            (" {\"a\":1}\n", "{\"a\":1}"),
            ("```json\n{\"a\":1}\n```", "{\"a\":1}"),
            ("```JSON \n[1]\n```\n", "[1]"),
            ("```\n\"x\"\n```", "\"x\""),
            ("Here: ```json\n1\n```", "Here: ```json\n1\n```"),
            ("```python\n1\n```", "```python\n1\n```"),
            (
                "```json\n1\n```\n```json\n2\n```",
                "```json\n1\n```\n```json\n2\n```",
            ),
            ("``````", "``````"),
            ("", ""),
        ] {
            assert_eq!(json_text(answer), is, "{answer}");
        }
    }
}
