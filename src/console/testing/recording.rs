//! A recorded run on the stage: its marks, and the state after some of its events.
//!
//! Must not know: terminals, journals.

use std::sync::Arc;

use super::Stage;
use crate::kernel::msg::Msg;
use crate::run::link::{At, Update};
use crate::run::replay::{Mark, kind_of};
use overrule_domain::apply::apply;
use overrule_domain::envelope::Envelope;
use overrule_domain::state::State;

impl Stage {
    /// The marks of a recorded run.
    pub fn recording(&mut self, events: &[Arc<Envelope>]) {
        let marks = (1..).zip(events);
        let marks = marks.filter_map(|(event, envelope)| {
            let kind = kind_of(envelope)?;
            Some(Mark { event, kind })
        });
        let marks: Vec<Mark> = marks.collect();
        self.send(Msg::Run(Update::Marks(marks.into())));
    }

    /// Shows a recorded run as it was after some of its events.
    pub fn shows_event(&mut self, events: &[Arc<Envelope>], event: usize) {
        let past = &events[..event];
        let mut state = State::default();
        for envelope in past {
            apply(&mut state, envelope);
        }
        self.send(Msg::Run(Update::Snapshot(Box::new(state))));
        self.send(Msg::Run(Update::Past(past.to_vec())));
        self.send(Msg::Run(Update::At(At {
            event,
            of: events.len(),
            speed: None,
        })));
        self.draw();
    }
}
