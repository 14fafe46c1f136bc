//! What a recorded run said and called, turn by turn, to be gone through again.
//!
//! Taken from what counts in the record: the calls of the main thread that ended with a result or an error, as they
//! stand now, each with what it gave. Calls that somebody refused are left out: nobody can say whether to let them
//! run is right. Must not know: how it is played.

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

/// Bytes of a recorded result that are kept; a longer one is told of.
const MOST: usize = 256 << 10;
/// Bytes of all results together.
const MOST_ALL: usize = 16 << 20;
/// What ends an exercise whose run had no answer.
const END: &str = "The recorded run ends here.";

/// Why a run cannot be gone through again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing was decided in it.
    #[error(
        "session {0} holds no call that ended with a result: there is nothing to decide in a drill of it; name a session with calls"
    )]
    NoCalls(String),
    /// No bad call can be made.
    #[error(
        "no call of session {0} can be made into a bad one: its calls have no paths, commands, addresses or numbers; name another session"
    )]
    NothingBad(String),
    /// More were asked for than there can be.
    #[error(
        "--bad {wanted} is more than session {session} gives: at most {most} different bad calls can be made from its calls"
    )]
    TooMany {
        /// The session.
        session: String,
        /// How many were asked for.
        wanted: usize,
        /// How many there can be.
        most: usize,
    },
}

/// A run to be gone through again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The session that it was made from.
    pub of: String,
    /// What the bad calls were drawn by.
    pub seed: u64,
    /// The first prompt.
    pub prompt: String,
    /// The tools, as they were recorded.
    pub tools: Vec<ToolCard>,
    /// What is said and called, turn by turn.
    pub turns: Vec<Round>,
    /// What ends it.
    pub answer: String,
}

/// What the model says and calls at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Its words.
    #[serde(default)]
    pub said: Vec<Said>,
    /// Its calls.
    pub calls: Vec<Planned>,
}

/// Some words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// How they are said.
    pub channel: Channel,
    /// The words.
    pub text: Arc<str>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub args: Arc<str>,
    /// What it gave when it was recorded; none of a call that was mixed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What is bad about it; none of a recorded call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bad: Option<Kind>,
}

impl Script {
    /// What a run amounts to, as a script without bad calls.
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
            // What was said without a call, an answer in the middle too, goes before the next call.
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

    /// Long results are not carried along: they stand in the recorded session.
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

    /// Reads one that was recorded.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// As JSON text.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// All calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Planned> {
        self.turns.iter().flat_map(|round| &round.calls)
    }

    /// The tool of this name.
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
    // Numbers of calls shift where others are mixed in: what a call read stands in its place.
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
