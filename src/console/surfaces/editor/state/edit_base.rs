//! The state of a node when its editor was opened, and how it changed since.
//!
//! Must not know: the text, how the change is shown.

use super::Purpose;
use overrule_domain::call::{Decision, Status};
use overrule_domain::command::InsertAfter;
use overrule_domain::effective_status;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::{Activity, Turn};

/// State of the edited node when the editor was opened.
#[derive(Debug, Clone, Default)]
pub struct EditBase {
    about: Option<About>,
    call: Option<Before>,
}

/// What an editor edits.
#[derive(Debug, Clone, Copy)]
enum About {
    Node(NodeId, Rev),
    InsertAfter(InsertAfter),
}

/// State of a call at that time.
#[derive(Debug, Clone)]
struct Before {
    id: NodeId,
    status: Status,
    attempts: usize,
    /// True if the open editor suspends it.
    held: bool,
}

/// A change that happened while the editor was open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meanwhile {
    /// What happened, as a sentence without a period.
    pub what: String,
    /// What happens when the editor is closed without a change; empty for nothing.
    pub closing: &'static str,
}

impl Meanwhile {
    /// Both parts as one text.
    pub fn describe(&self) -> String {
        match self.closing {
            "" => self.what.clone(),
            closing => format!("{}: {closing}", self.what),
        }
    }
}

impl EditBase {
    /// The current state of what a text edits.
    pub fn of(state: &State, purpose: &Purpose) -> Self {
        let following = |following| (Some(About::InsertAfter(following)), None);
        let (about, call) = match purpose {
            Purpose::Call { node, base, .. }
            | Purpose::Words { node, base }
            | Purpose::Observation { node, base } => (Some(About::Node(*node, *base)), Some(node.call())),
            Purpose::Answer { call, rev } => (Some(About::Node(*call, *rev)), Some(*call)),
            Purpose::Happened { call, .. } => {
                let rev = state.node(*call).map(overrule_domain::node::Node::rev);
                (rev.map(|rev| About::Node(*call, rev)), Some(*call))
            }
            Purpose::NewCall { after, .. } | Purpose::Guide { after } => match after {
                Some(turn) => following(InsertAfter::Turn(*turn)),
                None => (None, None),
            },
            Purpose::NewThought { after: Some(after) } => following(*after),
            Purpose::NewThought { after: None } | Purpose::Rule => (None, None),
        };
        let held = !matches!(purpose, Purpose::Answer { .. } | Purpose::Happened { .. });
        let call = call.and_then(|id| state.call(id)).map(|call| Before {
            id: call.id,
            status: call.status.clone(),
            attempts: call.attempts.len(),
            held,
        });
        Self { about, call }
    }

    /// The edited call, or the call of the edited result.
    pub fn call(&self) -> Option<NodeId> {
        self.call.as_ref().map(|call| call.id)
    }

    /// The change since then; none if nothing changed.
    pub fn since(&self, state: &State) -> Option<Meanwhile> {
        let output = |what: String| {
            let closing = "";
            Some(Meanwhile { what, closing })
        };
        let is_active = |turn: &Turn| !matches!(turn.activity, Activity::Superseded(_));
        let counts = |id: NodeId| {
            state.node(id).is_some_and(|node| node.active) && state.turn_of(id).is_some_and(is_active)
        };
        match self.about? {
            About::InsertAfter(after) => {
                let counts = match after {
                    InsertAfter::Turn(id) => state.turns.get(&id).is_some_and(is_active),
                    InsertAfter::Node(id) => counts(id),
                };
                return if counts {
                    None
                } else {
                    output(format!(
                        "{after} was superseded meanwhile: cannot insert after it"
                    ))
                };
            }
            About::Node(id, _) if !counts(id) => {
                let why = effective_status::replaced_words(state, id);
                return output(format!("{id} was superseded meanwhile: {why}"));
            }
            About::Node(id, base) => {
                let now = state.node(id).map(overrule_domain::node::Node::rev);
                if let Some(now) = now.filter(|now| *now != base) {
                    return output(format!(
                        "{id} was changed meanwhile: it is revision {}, this text is about revision {}",
                        now.0, base.0
                    ));
                }
            }
        }
        self.call.as_ref().and_then(|call| call.since(state))
    }
}

/// What an edit means once the deadline has expired.
const fn expired(state: &State) -> &'static str {
    match state.mode {
        Mode::Stopped(_) => "expired meanwhile, which stopped the run: edits are refused until it resumes",
        Mode::Running | Mode::Paused(_) | Mode::Finished(_) => {
            "expired meanwhile: what you write is now an edit of a decided call"
        }
    }
}

impl Before {
    fn since(&self, state: &State) -> Option<Meanwhile> {
        let call = state.call(self.id)?;
        let id = self.id;
        let again = call.attempts.len() > self.attempts;
        if call.status == self.status && !again {
            return None;
        }
        let decided = call.decisions.last().map(|(_, _, decision)| &**decision);
        let (what, closing) = match &call.status {
            // Still undecided.
            Status::Proposed
            | Status::Invalid
            | Status::Blocked
            | Status::Ready
            | Status::AwaitingApproval => {
                let was_let = matches!(self.status, Status::Queued | Status::Scheduled);
                if !was_let {
                    return None;
                }
                ("asks again", "")
            }
            Status::Queued | Status::Scheduled => {
                if matches!(self.status, Status::Queued | Status::Scheduled) {
                    return None;
                }
                let what = match decided {
                    Some(Decision::Auto { .. }) => "was approved by the policy meanwhile",
                    _ => "was approved meanwhile",
                };
                let closing = "closing this runs it unchanged";
                (what, if self.held { closing } else { "" })
            }
            Status::Consent(_) => ("asks for consent meanwhile", ""),
            Status::Repairing(_) => ("is being repaired meanwhile", ""),
            Status::Running(_) => ("runs meanwhile, unchanged", ""),
            Status::OutcomeUnknown(_) => ("ran meanwhile, and its outcome is unknown", ""),
            Status::Succeeded | Status::Exited(_) => match decided {
                Some(Decision::Answer) => ("was answered meanwhile", ""),
                Some(Decision::Carry { .. }) => ("was given your result of an equal call meanwhile", ""),
                Some(Decision::Reuse { .. }) => ("was given a recorded result meanwhile", ""),
                _ => ("ran meanwhile, unchanged", ""),
            },
            Status::Failed(_) if again || matches!(self.status, Status::Running(_)) => {
                ("ran meanwhile, unchanged, and failed", "")
            }
            Status::Failed(_) => ("failed meanwhile", ""),
            Status::Abandoned => ("was abandoned meanwhile, and does not run again", ""),
            Status::Rejected => ("was rejected meanwhile", ""),
            Status::Expired => (expired(state), ""),
            Status::Skipped => ("was skipped meanwhile", ""),
            Status::Unsatisfiable => ("can no longer get a value", ""),
        };
        Some(Meanwhile {
            what: format!("{id} {what}"),
            closing,
        })
    }
}
