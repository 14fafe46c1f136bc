//! Texts about a repetition for the model and the operator.
//!
//! Must not know: where the texts go.
//!
//! Errors and arguments are quoted as data.

use std::sync::Arc;

use overrule_domain::call::{Outcome, Status};
use overrule_domain::escape::{Detector, Finding};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// Maximum number of calls that are quoted.
const QUOTED: usize = 4;
/// Maximum number of characters quoted of an argument text or an error.
const LENGTH: usize = 160;

/// Returns the message for the model with its next request.
pub fn guidance(state: &State, finding: &Finding, others: &Others) -> String {
    let mut text = describe_finding(state, finding);
    text.push_str("\nDo something else: other arguments, another tool, or answer with what you have.");
    others.name(&mut text);
    text
}

/// Returns the message for the model with the request whose turn must not make these calls.
pub fn refusal(state: &State, finding: &Finding, others: &Others) -> String {
    let mut text = describe_finding(state, finding);
    text.push_str(
        "\nThese exact calls are blocked in your next turn. \
         Do something else: other arguments, another tool, or answer with what you have.",
    );
    others.name(&mut text);
    text
}

fn describe_finding(state: &State, finding: &Finding) -> String {
    let mut text = match finding.detector {
        Detector::Exhausted => String::new(),
        _ => String::from("You repeat yourself without making progress. "),
    };
    text.push_str(&what(finding));
    text.push_str(&quoted(state, finding));
    text
}

/// The tools that are named with a finding.
#[derive(Debug, Clone, Default)]
pub struct Others {
    /// The tools that can replace those in it, best first.
    pub instead: Vec<Arc<str>>,
    /// Further tools that are not part of it.
    pub rest: Vec<Arc<str>>,
}

impl Others {
    fn name(&self, text: &mut String) {
        if !self.instead.is_empty() {
            text.push_str("\nThese serve the same purpose: ");
            text.push_str(&self.instead.join(", "));
            text.push('.');
        }
        if !self.rest.is_empty() {
            text.push_str("\nTools that are not part of it: ");
            text.push_str(&self.rest.join(", "));
            text.push('.');
        }
    }
}

/// Returns the message for the model when it restarts before the repetition.
pub fn rollback_notice(state: &State, finding: &Finding) -> String {
    let mut text = String::from(
        "You tried this before and repeated calls without progress; that attempt was discarded. ",
    );
    text.push_str(&what(finding));
    text.push_str(&quoted(state, finding));
    text.push_str("\nThese exact calls are blocked in your next turn. Choose another approach.");
    text
}

/// Returns the message for the model when the run is restricted to reading calls.
pub fn restricted(state: &State, finding: &Finding) -> String {
    let mut text = describe_finding(state, finding);
    text.push_str("\nFor this reason the run is now restricted to reading calls.");
    text
}

fn what(finding: &Finding) -> String {
    let times = finding.repetitions;
    match finding.detector {
        Detector::Sequence if finding.period == 1 => {
            format!("The same calls ended the same way {times} times in a row:")
        }
        Detector::Sequence => format!(
            "The same {} turns went the same way {times} times in a row:",
            finding.period
        ),
        Detector::SameError => {
            format!("The same error came {times} times in a row, whatever the arguments:")
        }
        Detector::NoProgress => format!("{times} turns in a row gave nothing new:"),
        Detector::Visits => format!("The same call gave the same result {times} times:"),
        Detector::FailingTool => format!("Most of {times} turns with one tool failed:"),
        Detector::Exhausted => "This failed, and repeating it will not help:".to_owned(),
    }
}

/// Quotes the newest round of calls, each once, with its outcome.
fn quoted(state: &State, finding: &Finding) -> String {
    let mut lines: Vec<String> = Vec::new();
    for node in finding.nodes.iter().rev() {
        let Some(line) = one(state, *node) else { continue };
        if !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == QUOTED {
            break;
        }
    }
    lines.reverse();
    let mut text = String::new();
    for line in lines {
        text.push_str("\n- ");
        text.push_str(&line);
    }
    text
}

fn one(state: &State, id: NodeId) -> Option<String> {
    let call = state.calls.get(&id)?;
    let (tool, args) = state.nodes.get(&id)?.as_call()?;
    let args = overrule_domain::ready::resolved_args(state, call).unwrap_or_else(|| args.clone());
    let source = match (&call.status, state.observation(id).and_then(Node::outcome)) {
        (Status::Succeeded, _) => "the same result as before".to_owned(),
        (Status::Exited(code), _) => format!("exit {code} and the same output as before"),
        (_, Some(Outcome::Err(error))) => format!("\"{}\"", short(&error.message)),
        (status, _) => status.base_label().to_owned(),
    };
    Some(format!("{tool} {} gave {source}", short(&args)))
}

fn short(text: &str) -> String {
    let mut flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() > LENGTH {
        flat = flat.chars().take(LENGTH).collect();
        flat.push('…');
    }
    flat
}
