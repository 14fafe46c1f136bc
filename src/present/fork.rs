//! Builds the view of a fork: what a new session starts with, and what stays in the other one.
//!
//! Must not know: keys, how a fork is written.

use serde::Serialize;

use super::effect::ElsewhereView;
use super::many;
use overrule_base::text::{head, visible};
use overrule_domain::fork::{End, ForkPreview};
use overrule_domain::id::{Attempt, NodeId, Seq, TurnId};

/// The most calls that are named in a sentence.
const NAMED: usize = 5;
/// Characters of a short session id.
const SHORT_ID_CHARS: usize = 13;

/// The beginning of a session's id, safe to show.
pub fn short(session: &str) -> String {
    visible(head(session, SHORT_ID_CHARS).0)
}

/// A fork, written or previewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForkView<'p> {
    /// The new session; none before it is written.
    pub session: Option<&'p str>,
    /// The session that it was forked from.
    pub fork_of: &'p str,
    /// Number of the events that it starts with.
    pub at: Seq,
    /// Number of all events of the other session.
    pub events: Seq,
    /// Executions that were running there.
    pub running: Vec<RunningView<'p>>,
    /// Turns whose stream was open: the model is asked again.
    pub streams: &'p [TurnId],
    /// Approved calls that start when it is resumed.
    pub begin: &'p [NodeId],
    /// Calls that ask for consent, because an equal effect came afterwards.
    pub ask: &'p [NodeId],
    /// Number of undecided calls.
    pub waiting: usize,
    /// Effects of the other session after the fork point, oldest first.
    pub effects: Vec<ElsewhereView<'p>>,
    /// The event that was asked for, if it is later.
    #[serde(skip)]
    pub inside: Option<Seq>,
}

/// An execution that was running at the fork point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunningView<'p> {
    /// The call.
    pub call: NodeId,
    /// The tool.
    pub tool: &'p str,
    /// Its number among the executions of the call.
    pub attempt: Attempt,
    /// What becomes of it.
    pub becomes: Becomes,
}

/// What becomes of an execution that was running at the fork point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Becomes {
    /// The fork has its recorded outcome.
    Recorded,
    /// It runs again.
    Again,
    /// Its outcome is unknown.
    OutcomeUnknown,
}

/// A sentence about a fork.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// True for what the operator should not miss.
    pub warns: bool,
    /// The text, safe to show.
    pub text: String,
}

impl<'p> ForkView<'p> {
    /// Builds the view of a fork; `session` is the new one once it is written.
    pub fn of(session: Option<&'p str>, preview: &'p ForkPreview) -> Self {
        let running = preview.running.iter().map(|one| RunningView {
            call: one.call,
            tool: &one.tool,
            attempt: one.attempt,
            becomes: match &one.end {
                End::Recorded(_) => Becomes::Recorded,
                End::Again => Becomes::Again,
                End::Unknown => Becomes::OutcomeUnknown,
            },
        });
        Self {
            session,
            fork_of: &preview.session,
            at: preview.at,
            events: preview.of,
            running: running.collect(),
            streams: &preview.streams,
            begin: &preview.approved,
            ask: &preview.asks,
            waiting: preview.waiting,
            effects: preview.effects.iter().map(|one| ElsewhereView::of(one)).collect(),
            inside: (preview.requested > preview.at).then_some(preview.requested),
        }
    }

    /// Describes what the fork starts with. The effects follow separately.
    pub fn start(&self) -> String {
        format!(
            "A new session starts with events 1 to {} of the {} of session {}, which stays as it is. Nothing runs before \
             you resume the new one.",
            self.at.0,
            self.events.0,
            short(self.fork_of)
        )
    }

    /// Describes what becomes of open work, and counts the effects.
    pub fn consequences(&self) -> Vec<Sentence> {
        let mut lines = Vec::new();
        let mut say = |warns, text: String| lines.push(Sentence { warns, text });
        if let Some(target) = self.inside {
            say(
                true,
                format!(
                    "Event {} is inside a decision, which is not split: the fork starts before it.",
                    target.0
                ),
            );
        }
        for one in self.running.iter().take(NAMED) {
            let (warns, becomes) = match one.becomes {
                Becomes::Recorded => (false, "the fork keeps its recorded outcome"),
                Becomes::Again => (false, "it runs again when you resume, which is harmless"),
                Becomes::OutcomeUnknown => {
                    (true, "its outcome is not recorded: you are asked when you resume")
                }
            };
            say(
                warns,
                format!("{} {} was running: {becomes}.", one.call, visible(one.tool)),
            );
        }
        if let Some(more) = self.running.len().checked_sub(NAMED).filter(|more| *more > 0) {
            say(false, format!("{more} more were running."));
        }
        for turn in self.streams {
            say(
                false,
                format!("{turn} was streaming: the model is asked again when you resume."),
            );
        }
        if !self.begin.is_empty() {
            say(
                true,
                format!(
                    "Waiting to run there, starts when you resume: {}.",
                    names(self.begin)
                ),
            );
        }
        if self.waiting > 0 {
            say(
                false,
                format!("{} will wait for you.", many(self.waiting, "call")),
            );
        }
        if !self.ask.is_empty() {
            say(
                true,
                format!(
                    "Happened there after this, so it asks whether it may happen again: {}.",
                    names(self.ask)
                ),
            );
        }
        match self.effects.len() {
            0 => say(false, "Nothing with an effect ran there after this.".to_owned()),
            count => say(
                true,
                format!(
                    "{} happened there after this. A fork reverts none; a call that would repeat one asks first:",
                    many(count, "effect")
                ),
            ),
        }
        lines
    }
}

fn names(calls: &[NodeId]) -> String {
    let mut names: Vec<String> = calls.iter().take(NAMED).map(NodeId::to_string).collect();
    if calls.len() > NAMED {
        names.push(format!("and {} more", calls.len() - NAMED));
    }
    names.join(" ")
}
