//! Records one command on a session that no process runs, and starts nothing.
//!
//! Must not know: which verb it came from.

use std::sync::Arc;

use super::Driver;
use crate::halt::Halt;
use crate::resume;
use crate::tracked;
use overrule_domain::command::Command;
use overrule_domain::decide;
use overrule_domain::envelope::Actor;
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::Seq;
use overrule_domain::input::Input;
use overrule_domain::refusal::Refusal;
use overrule_domain::turn::{Producer, StreamFault, StreamFaultKind, Usage};

/// Why a command was not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unrecorded {
    /// It was refused, and nothing was written.
    Refused(Refusal),
    /// The session cannot be written.
    Halted(Halt),
}

impl Driver {
    /// Records a command and the events that follow from it, and returns the last of them. If its last process
    /// left something running, that is recorded as interrupted first. A refused command writes nothing.
    pub fn record_one(mut self, command: &Command, actor: &Actor) -> Result<Seq, Unrecorded> {
        self.adviser.begin_decision(self.clock.utc_ms());
        if let Some(event) = resume::take_over(&self.state) {
            // Decided on a copy first, because a refused command takes nothing over.
            let after = resume::taken_over(self.state.clone(), self.clock.moment());
            decide::command(&after, &self.adviser, command).map_err(Unrecorded::Refused)?;
            self.record(vec![event], &Actor::Engine, Seq(0));
        }
        let before = self.state.seq;
        let decided = self.carry_out(command, actor);
        self.batch.sync |= decided.is_ok();
        self.conclude();
        if decided.is_ok() {
            self.clear_restores(before);
            self.restore();
        }
        match self.halted {
            Some(halt) => Err(Unrecorded::Halted(halt)),
            None => decided.map(|_| self.state.seq).map_err(Unrecorded::Refused),
        }
    }
}

impl Driver {
    /// Removes what interrupted restores prepared that the command ended as they are.
    fn clear_restores(&self, before: Seq) {
        for record in self.state.operator.files.restores.values() {
            let has_ended = record.end.as_ref().is_some_and(|end| end.seq > before);
            if record.interrupted && has_ended {
                tracked::clear(self.adviser.files.tracker(), &record.started.steps);
            }
        }
    }

    /// Carries out the restore that the command began or continued, once it is on disk. No process runs the session, so nothing
    /// else would.
    fn restore(&mut self) {
        let open = self.state.operator.files.open();
        let Some(started) = open
            .filter(|open| !open.interrupted)
            .map(|open| Arc::clone(&open.started))
        else {
            return;
        };
        if self.halted.is_some() {
            return;
        }
        let skipped = tracked::restore(self.adviser.files.tracker(), &started.steps);
        let ended = Input::Restored {
            restore: started.restore,
            skipped,
        };
        let events = decide::input(&self.state, &ended);
        self.record(events, &Actor::Engine, Seq(0));
        self.follow();
        self.batch.sync = true;
        self.conclude();
    }
}

/// Replaces a request, which is not sent, by a turn that was interrupted by a crash. The process that resumes the
/// run asks again, and counts the request then.
pub(super) fn unsent(events: Vec<Event>) -> Vec<Event> {
    let mut left = Vec::new();
    for event in events {
        let Event::Turn(TurnEvent::Requested {
            turn,
            thread,
            after,
            request,
            ..
        }) = event
        else {
            left.push(event);
            continue;
        };
        if request == 1 {
            let producer = Producer::Model;
            left.push(Event::Turn(TurnEvent::Opened {
                turn,
                thread,
                after,
                producer,
            }));
        }
        left.push(Event::Turn(TurnEvent::Broken {
            turn,
            fault: StreamFault {
                kind: StreamFaultKind::Crash,
                message: "to be asked again, by the operator".into(),
                retry_after_ms: None,
            },
            usage: Usage::default(),
        }));
    }
    left
}
