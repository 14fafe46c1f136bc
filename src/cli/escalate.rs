//! Notifies the operator outside the terminal once a run has waited for them.
//!
//! Must not know: why a run needs attention, how a notification is sent.
//!
//! It notifies once for each reason: a reason that stays is not reported again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::address::Address;
use super::build::AppContext;
use super::why_ended::End;
use overrule_base::text::{redact, visible};
use overrule_config::notify::Include;
use overrule_console::run::event_text;
use overrule_domain::apply;
use overrule_domain::envelope::Envelope;
use overrule_domain::state::{Mode, State};
use overrule_engine::handle::Subscription;
use overrule_engine::{Handle, Publication};
use overrule_present::alert::{AlertCallView, AlertView, RunStateView};
use overrule_present::json;
use overrule_resilience::attention::{self, Attention, AttentionReason};
use overrule_resilience::notify;
use overrule_resilience::policy::Ms;
use overrule_tools::alert::Ways;

/// Number of events, waiting calls and attempts in a notification.
const NEWEST: usize = 10;
/// Bytes of a text that are scanned for secrets; the rest is left out.
const READ: usize = 64 * 1024;
/// Maximum characters of a text in a notification.
const MOST: usize = 400;

/// State of the notification for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlertState {
    /// It is sent at this time.
    Due(Instant),
    /// It was sent.
    Yes,
}

/// Notifies the operator of a run.
pub struct Caller {
    /// The ways and the delay of the settings files.
    own: (Arc<Ways>, Duration),
    /// Version of the settings in force.
    version: u32,
    ways: Arc<Ways>,
    after: Duration,
    session: Address,
    /// True if a notification has the arguments of calls.
    arguments: bool,
    newest: VecDeque<Arc<Envelope>>,
    current: Option<(AttentionReason, AlertState)>,
    calls: JoinSet<Vec<String>>,
}

/// Next action of a caller.
pub enum Next {
    /// Notify the operator.
    Due,
    /// These notifications failed.
    Failed(Vec<String>),
}

impl Caller {
    /// Creates a caller with the operator's settings.
    pub fn of(context: &AppContext, session: &str) -> Self {
        let set = &context.settings.notify;
        let ways = Ways {
            program: context.program(&set.command.value, set.limit_ms.value),
            webhook: set.webhook.value.as_ref().map(|one| one.address().to_owned()),
        };
        let after = Duration::from_millis(set.after_ms.value);
        Self {
            own: (Arc::new(ways.clone()), after),
            version: 0,
            ways: Arc::new(ways),
            after,
            session: context.address(session),
            arguments: set.include.value == Include::Arguments,
            newest: VecDeque::new(),
            current: None,
            calls: JoinSet::new(),
        }
    }

    /// Applies settings that were changed in the run.
    fn refit(&mut self, state: &State) {
        let version = state.settings.resilience.as_ref().map_or(0, |one| one.version);
        if version == self.version {
            return;
        }
        self.version = version;
        let changed = notify::Settings::of(state);
        let (own, after) = &self.own;
        let mut ways = Ways::clone(own);
        if let Some(command) = &changed.command {
            ways.program.command = command.argv();
        }
        if let Some(Ms(ms)) = changed.timeout {
            ways.program.limit = Duration::from_millis(ms);
        }
        if let Some(webhook) = changed.webhook {
            ways.webhook = Some(webhook).filter(|address| !address.is_empty());
        }
        self.after = changed.after.map_or(*after, |Ms(ms)| Duration::from_millis(ms));
        self.ways = Arc::new(ways);
    }

    /// Keeps the newest events.
    pub fn note(&mut self, envelope: &Arc<Envelope>) {
        if self.newest.len() == NEWEST {
            self.newest.pop_front();
        }
        self.newest.push_back(Arc::clone(envelope));
    }

    /// Checks whether the operator is needed, and since when.
    pub fn look(&mut self, state: &State) {
        self.refit(state);
        let cause = attention::need(state)
            .map(|need| need.cause)
            .filter(|_| !self.ways.is_empty());
        if cause.as_ref() != self.current.as_ref().map(|(cause, _)| cause) {
            let due = AlertState::Due(Instant::now() + self.after);
            self.current = cause.map(|cause| (cause, due));
        }
    }

    /// Waits until there is something to do; forever if there is nothing.
    pub async fn next(&mut self) -> Next {
        let due = match &self.current {
            Some((_, AlertState::Due(at))) => Some(*at),
            _ => None,
        };
        loop {
            tokio::select! {
                biased;
                Some(done) = self.calls.join_next() => {
                    let failed = done.unwrap_or_default();
                    if !failed.is_empty() {
                        return Next::Failed(failed);
                    }
                }
                () = until(due) => return Next::Due,
            }
        }
    }

    /// Notifies the operator of the current reason.
    pub fn call(&mut self, state: &State) {
        let Some(need) = attention::need(state) else {
            self.current = None;
            return;
        };
        self.current = Some((need.cause.clone(), AlertState::Yes));
        let attempts = attention::attempts(state, &need);
        self.send(state, need.cause.name(), (&need.reason, &attempts), &need);
    }

    /// Notifies the operator that a headless run ended without an answer, unless they were notified of the reason.
    pub fn call_at_end(&mut self, state: &State, end: &End) {
        self.refit(state);
        if self.ways.is_empty() || end.why.is_empty() || matches!(state.mode, Mode::Finished(_)) {
            return;
        }
        let need = attention::need(state);
        let was = |need: &Attention| self.current == Some((need.cause.clone(), AlertState::Yes));
        // The operator knows of their own pause or stop.
        let own = need.is_none() && state.mode != Mode::Running;
        if own || need.as_ref().is_some_and(was) {
            return;
        }
        let cause = need.as_ref().map_or("ended", |need| need.cause.name());
        let attempts = need
            .as_ref()
            .map_or_else(Vec::new, |need| attention::attempts(state, need));
        let need = need.unwrap_or(Attention {
            cause: AttentionReason::Calls,
            reason: String::new(),
            calls: state.queue().map(|call| call.id).collect(),
        });
        self.send(state, cause, (&end.why, &attempts), &need);
    }

    /// Waits for the notifications that are being sent, each up to its time limit. Returns the failures.
    pub async fn finish(mut self) -> Vec<String> {
        let mut failed = Vec::new();
        while let Some(done) = self.calls.join_next().await {
            failed.extend(done.unwrap_or_default());
        }
        failed
    }

    fn send(
        &mut self,
        state: &State,
        cause: &'static str,
        (reason, attempts): (&str, &[String]),
        need: &Attention,
    ) {
        let text = json(&self.view(state, cause, (reason, attempts), need));
        let ways = Arc::clone(&self.ways);
        tracing::info!(cause, "the operator is notified");
        self.calls.spawn(async move { ways.call(&text).await });
    }

    /// The notification: every text visible, without secrets, and short.
    fn view(
        &self,
        state: &State,
        cause: &'static str,
        (reason, attempts): (&str, &[String]),
        need: &Attention,
    ) -> AlertView {
        let waiting = need
            .calls
            .iter()
            .take(NEWEST)
            .filter_map(|id| state.calls.get(id))
            .map(|call| AlertCallView::of(state, call, self.arguments, clean))
            .collect();
        // Both may repeat arguments.
        let newest = self.newest.iter().filter(|_| self.arguments);
        let events = newest.map(|one| clean(&event_text::of(one))).collect();
        let attempts = if self.arguments { attempts } else { &[] };
        let from = attempts.len().saturating_sub(NEWEST);
        let attempts = attempts.iter().skip(from).map(|line| clean(line)).collect();
        let session = &self.session;
        let see = match cause {
            "loop" | "stopped" => format!("overrule loops {session}"),
            "calls" | "repair" | "breaker" => format!("overrule queue {session}"),
            _ => format!("overrule resume {session}"),
        };
        AlertView {
            restricted: state.settings.restricted.as_deref().map(clean),
            session: session.id().to_owned(),
            title: state.settings.title.as_deref().map(clean),
            cause,
            reason: clean(reason),
            state: RunStateView::of(&state.mode, clean),
            waiting,
            attempts,
            events,
            see,
        }
    }
}

/// Returns a text without secrets, visible, and short. Secrets are removed before the text is cut, so
/// that no part of one is left.
fn clean(text: &str) -> String {
    let mut end = text.len().min(READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let read = text.get(..end).unwrap_or_default();
    let plain = redact(read);
    let short: String = plain.chars().take(MOST).collect();
    let more = if short.len() < plain.len() || end < text.len() {
        "…"
    } else {
        ""
    };
    format!("{}{more}", visible(&short))
}

async fn until(due: Option<Instant>) {
    match due {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Follows a run on the screen, and notifies the operator if they do not react.
pub async fn follow(mut caller: Caller, handle: Handle, mut received: Subscription) {
    let mut state = State::default();
    loop {
        tokio::select! {
            biased;
            fact = received.facts.recv() => match fact {
                Some(Publication::Snapshot(snapshot)) => state = *snapshot,
                Some(Publication::Event(envelope)) => {
                    caller.note(&envelope);
                    apply::apply(&mut state, &envelope);
                }
                Some(Publication::Notice(_)) => {}
                Some(Publication::Halted(_) | Publication::Ended) | None => return,
            },
            next = caller.next() => match next {
                Next::Due => caller.call(&state),
                Next::Failed(failed) => for words in failed {
                    handle.notice(words);
                },
            },
            message = received.published.changed() => {
                if message.is_err() {
                    return;
                }
            }
        }
        // The state is complete once all published events were received.
        if state.seq == *received.published.borrow() {
            caller.look(&state);
        }
    }
}

#[cfg(test)]
mod tests;
