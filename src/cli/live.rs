//! A run on the screen: adapts the engine to the console's door. Must not know: keys, panes.

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};

use super::build::Ground;
use super::exit::{Code, Failure};
use super::run::Ready;
use super::{print, screen};
use crate::console::link::{Link, Live, LivePart, Update};
use crate::domain::command::Command;
use crate::domain::envelope::Actor;
use crate::domain::refusal::Refusal;
use crate::engine::handle::{self, LiveTurns};
use crate::engine::{Handle, Publication};

/// Refuses a theme that cannot be shown before anything is written.
pub fn check(ground: &Ground) -> Result<(), Failure> {
    screen::theme(ground).map(|_| ())
}

/// Serves a run on the screen until the operator leaves it.
pub async fn serve(ground: &Ground, ready: Ready) -> Result<Code, Failure> {
    let Ready {
        driver,
        handle,
        first,
        task,
        session,
        door,
        ..
    } = ready;
    let actor = Actor::Operator(ground.user());
    let link = EngineLink::new(handle.clone(), actor.clone());
    let running = tokio::spawn(driver.run(first));
    if let Some(task) = task {
        // The run's own first prompt cannot be refused by a run that has just begun.
        if let Err(refusal) = handle.command(task, actor).await {
            return Err(Failure::new(Code::Other, refusal));
        }
    }
    let shown = screen::show(ground, Box::new(link), &session, false).await;
    if let Some(door) = &door {
        door.shut();
    }
    handle.shutdown().await;
    let ended = running.await;
    if let Some(door) = door {
        door.settle().await;
    }
    print::err(&format!("session {session}; to go on: overrule resume {session}"));
    let code = shown?;
    if ended.is_err() {
        return Err(Failure::new(
            Code::Other,
            "the run's loop broke; what was decided is recorded",
        ));
    }
    Ok(code)
}

/// The console's door to a live run.
struct EngineLink {
    handle: Handle,
    actor: Actor,
    facts: mpsc::UnboundedReceiver<Publication>,
    live: watch::Receiver<LiveTurns>,
    shown: LiveTurns,
    waiting: std::collections::VecDeque<Update>,
    refusals: mpsc::UnboundedReceiver<Refusal>,
    to_refusals: mpsc::UnboundedSender<Refusal>,
    live_open: bool,
    /// The loop has ended without a word.
    broken: bool,
}

impl EngineLink {
    fn new(handle: Handle, actor: Actor) -> Self {
        let subscription = handle.subscribe();
        let (to_refusals, refusals) = mpsc::unbounded_channel();
        Self {
            handle,
            actor,
            facts: subscription.facts,
            live: subscription.live,
            shown: LiveTurns::new(),
            waiting: std::collections::VecDeque::new(),
            refusals,
            to_refusals,
            live_open: true,
            broken: false,
        }
    }

    /// Turns what is open now into updates for the turns that changed.
    fn note_live(&mut self) {
        let now = self.live.borrow_and_update().clone();
        for turn in self.shown.keys().filter(|turn| !now.contains_key(turn)) {
            self.waiting.push_back(Update::Live(Live {
                turn: *turn,
                ..Live::default()
            }));
        }
        for (turn, live) in &now {
            if self.shown.get(turn) != Some(live) {
                self.waiting.push_back(Update::Live(shown(live)));
            }
        }
        self.shown = now;
    }
}

fn shown(live: &handle::Live) -> Live {
    let parts = live
        .parts
        .iter()
        .map(|part| match part {
            handle::LivePart::Text { reasoning, text } => LivePart::Text {
                reasoning: *reasoning,
                text: text.clone(),
            },
            handle::LivePart::Call { tool, args } => LivePart::Call {
                tool: tool.clone(),
                args: args.clone(),
            },
        })
        .collect();
    Live {
        turn: live.turn,
        parts,
        bytes: live.bytes,
    }
}

impl Link for EngineLink {
    fn send(&mut self, command: Command) {
        let (handle, actor, refusals) = (self.handle.clone(), self.actor.clone(), self.to_refusals.clone());
        tokio::spawn(async move {
            if let Err(refusal) = handle.command(command, actor).await {
                // The console is gone: nobody is left to tell.
                refusals.send(refusal).unwrap_or_default();
            }
        });
    }

    fn next(&mut self) -> BoxFuture<'_, Update> {
        Box::pin(async move {
            loop {
                if let Some(update) = self.waiting.pop_front() {
                    return update;
                }
                tokio::select! {
                    biased;
                    fact = self.facts.recv() => {
                        return match fact {
                            Some(Publication::Snapshot(state)) => Update::Snapshot(state),
                            Some(Publication::Event(envelope)) => Update::Event(envelope),
                            Some(Publication::Notice(text)) => Update::Notice(text),
                            Some(Publication::Halted(reason)) => Update::Halted(reason),
                            Some(Publication::Ended) => Update::Ended,
                            // The loop is gone without a word: it broke. Said once.
                            None if self.broken => Update::Ended,
                            None => {
                                self.broken = true;
                                Update::Halted("the run's loop broke; what was decided is recorded".into())
                            }
                        };
                    }
                    Some(refusal) = self.refusals.recv() => return Update::Refused(refusal),
                    changed = self.live.changed(), if self.live_open => {
                        if changed.is_ok() {
                            self.note_live();
                        } else {
                            self.live_open = false;
                        }
                    }
                }
            }
        })
    }
}
