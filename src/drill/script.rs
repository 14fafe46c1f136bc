//! What a recorded run said and called, turn by turn, so that it can be replayed.
//!
//! It contains what counts in the record: the calls of the main thread that ended with a result or an error,
//! in their present form, each with its outcome. Calls that somebody refused are left out, because it is
//! unknown whether allowing them would have been right. Must not know: how it is replayed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bad::Kind;
use crate::domain::call::{Call, Outcome, Status};
use crate::domain::event::run::ToolCard;
use crate::domain::id::NodeKind;
use crate::domain::node::{Channel, Content, Node};
use crate::domain::state::State;
use crate::domain::tags;
use crate::domain::thread::ROOT;
use crate::domain::turn::Turn;

/// Maximum bytes of a recorded result; a longer one is replaced by a statement of its size.
const MOST: usize = 256 << 10;
/// Maximum bytes of all results together.
const MOST_ALL: usize = 16 << 20;
/// The answer of an exercise whose run had none.
const END: &str = "The recorded run ends here.";

/// Why a run cannot be replayed as an exercise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing was decided in it.
    #[error(
        "session {0} holds no call that ended with a result: there is nothing to decide in a drill of it; name a session with calls"
    )]
    NoCalls(String),
    /// No bad call can be made from its calls.
    #[error(
        "no call of session {0} can be made into a bad one: its calls have no paths, commands, addresses or numbers; name another session"
    )]
    NothingBad(String),
    /// More bad calls were requested than can be made.
    #[error(
        "--bad {wanted} is more than session {session} gives: at most {most} different bad calls can be made from its calls"
    )]
    TooMany {
        /// The session.
        session: String,
        /// The number requested.
        wanted: usize,
        /// The number possible.
        most: usize,
    },
}

/// A run to be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The session that it was made from.
    pub of: String,
    /// The seed of the bad calls.
    pub seed: u64,
    /// The first prompt.
    pub prompt: String,
    /// The tools, as they were recorded.
    pub tools: Vec<ToolCard>,
    /// What the model says and calls, turn by turn.
    pub turns: Vec<Round>,
    /// The final answer.
    pub answer: String,
}

/// What the model says and calls in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Its texts.
    #[serde(default)]
    pub said: Vec<Said>,
    /// Its calls.
    pub calls: Vec<Planned>,
}

/// A text of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Its channel.
    pub channel: Channel,
    /// Its content.
    pub text: Arc<str>,
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Name of the tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub args: Arc<str>,
    /// Its recorded outcome; `None` for a call that was mixed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What is bad about it; `None` for a recorded call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad: Option<Kind>,
}

impl Script {
    /// Builds the script of a run, without bad calls.
    pub fn of(state: &State, session: &str) -> Result<Self, Error> {
        let mut script = Self {
            of: session.to_owned(),
            seed: 0,
            prompt: String::new(),
            tools: state.started.iter().flat_map(|one| one.tools.clone()).collect(),
            turns: Vec::new(),
            answer: END.to_owned(),
        };
        let mut waiting = Round::default();
        for turn in state.turns_of(ROOT) {
            script.take(state, turn, &mut waiting);
            // What was said without a call, even an answer in the middle, precedes the next call.
            if !waiting.calls.is_empty() {
                script.turns.push(std::mem::take(&mut waiting));
            }
        }
        if script.turns.is_empty() {
            return Err(Error::NoCalls(session.to_owned()));
        }
        if script.prompt.is_empty() {
            "Begin.".clone_into(&mut script.prompt);
        }
        script.bound();
        Ok(script)
    }

    fn take(&mut self, state: &State, turn: &Turn, round: &mut Round) {
        let nodes = turn.nodes.iter().filter_map(|id| state.nodes.get(id));
        for node in nodes.filter(|node| node.active) {
            match node.id.kind {
                NodeKind::Prompt if self.prompt.is_empty() => node.text().clone_into(&mut self.prompt),
                NodeKind::Thought => round.said.extend(said(node)),
                NodeKind::Answer => {
                    round.said.extend(said(node));
                    node.text().clone_into(&mut self.answer);
                }
                NodeKind::Call => {
                    let call = state.calls.get(&node.id);
                    round
                        .calls
                        .extend(call.and_then(|call| planned(state, node, call)));
                }
                _ => {}
            }
        }
    }

    /// Replaces long results by their size; the recorded session has them.
    fn bound(&mut self) {
        let mut all = 0_usize;
        for call in self.turns.iter_mut().flat_map(|round| &mut round.calls) {
            let Some(Outcome::Ok { value, .. }) = &mut call.outcome else {
                continue;
            };
            all = all.saturating_add(value.len());
            if value.len() > MOST || all > MOST_ALL {
                let words = format!("a result of {} bytes, left out of the drill", value.len());
                *value = Arc::from(serde_json::Value::from(words).to_string());
            }
        }
    }

    /// Parses a recorded script.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the script as JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Iterates over all calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Planned> {
        self.turns.iter().flat_map(|round| &round.calls)
    }

    /// Returns the card of the tool of this name.
    pub fn card(&self, tool: &str) -> Option<&ToolCard> {
        self.tools.iter().find(|card| *card.name == *tool)
    }
}

fn said(node: &Node) -> Option<Said> {
    let channel = match &node.now().content {
        Content::Text { channel, .. } => *channel,
        _ => return None,
    };
    let text = Arc::<str>::from(node.text());
    (!text.trim().is_empty()).then_some(Said { channel, text })
}

fn planned(state: &State, node: &Node, call: &Call) -> Option<Planned> {
    let (tool, args) = node.as_call()?;
    let ended = matches!(call.status, Status::Succeeded | Status::Failed(_)) && call.digest.is_some();
    let is_answer = tags::of(state, tool).iter().any(|tag| tag == "answer");
    if !ended || is_answer {
        return None;
    }
    // Mixed-in calls shift the numbers of calls, so references are replaced by what the call read.
    let args = if call.reach.references.is_empty() {
        args
    } else {
        call.resolved.as_ref()?
    };
    Some(Planned {
        tool: tool.clone(),
        args: args.clone(),
        outcome: state.observation(call.id).and_then(Node::outcome).cloned(),
        bad: None,
    })
}
