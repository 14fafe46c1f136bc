//! Tests of the detectors and the ladder, without a run.
//!
//! Must not know: states.

mod ladder;
mod reference;
mod ring;
mod traps;

use std::sync::Arc;

use super::action::{Action, Batch, End};
use super::config::Config;
use super::detect::{Detectors, Repetition};
use super::fingerprint::fingerprint;
use overrule_domain::escape::args_hash;
use overrule_domain::id::{NodeId, NodeKind, Seq, TurnId};

/// A call and its outcome: tool, arguments, and a value or an error.
pub type CallResult<'t> = (&'t str, &'t str, Result<&'t str, &'t str>);

/// A call with its outcome; its tool only looks.
pub fn action(no: u32, (tool, args, source): CallResult<'_>) -> Action {
    acting(no, (tool, args, source), false)
}

/// A call with its outcome.
pub fn acting(no: u32, (tool, args, source): CallResult<'_>, acts: bool) -> Action {
    let node = NodeId::new(NodeKind::Call, no);
    let called = (Arc::from(tool), args_hash(args));
    match source {
        Ok(value) => Action::new(node, called, (End::Value, acts), None, value.as_bytes()),
        Err(message) => {
            let looks = Arc::from(fingerprint(message));
            Action::new(
                node,
                called,
                (End::Failure, acts),
                Some(looks),
                message.as_bytes(),
            )
        }
    }
}

/// A turn of calls that only look.
pub fn turn(no: u32, made: &[CallResult<'_>]) -> Batch {
    let actions = made
        .iter()
        .enumerate()
        .map(|(index, made)| action(no * 100 + index as u32, *made))
        .collect();
    Batch::new(TurnId(no), Seq(u64::from(no)), actions)
}

/// The turns of a word, one per letter: a capital fails, a small letter gives a value, always the same.
pub fn turns_of(letters: &str) -> Vec<Batch> {
    letters
        .chars()
        .enumerate()
        .map(|(no, letter)| {
            let name = letter.to_lowercase().to_string();
            let error = format!("{name} is broken");
            let source = if letter.is_uppercase() {
                Err(error.as_str())
            } else {
                Ok(name.as_str())
            };
            turn(no as u32 + 1, &[(&name, "{}", source)])
        })
        .collect()
}

/// Returns what is seen after the last of some turns.
pub fn seen(config: &Config, turns: Vec<Batch>) -> Vec<Repetition> {
    let mut detectors = Detectors::new(config);
    turns
        .into_iter()
        .fold(Vec::new(), |_, batch| detectors.push(batch))
}

/// Returns the loops that are seen after the last of some turns.
pub fn loops(turns: Vec<Batch>) -> Vec<Repetition> {
    let mut all = seen(&Config::default(), turns);
    all.retain(|one| one.is_loop);
    all
}
