//! Ends waits in the test world.
//!
//! Must not know: what a wait is for.

use super::World;
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::input::Input;
use overrule_domain::ladder::Timer;

impl World {
    /// The time of a wait is over that is the newest of its kind.
    pub fn elapsed(&mut self, timer: Timer) {
        let set = self.begun(&timer).pop().unwrap_or_default();
        self.input(Input::Elapsed { timer, set });
    }

    /// Reports the end of every earlier wait of a timer that was restarted.
    pub fn elapsed_of_old(&mut self, timer: &Timer) {
        let mut all = self.begun(timer);
        all.pop();
        assert!(!all.is_empty(), "it never restarted");
        for set in all {
            let timer = timer.clone();
            self.input(Input::Elapsed { timer, set });
        }
    }

    /// The events with which waits for something began, oldest first.
    pub fn begun(&self, timer: &Timer) -> Vec<Seq> {
        let own = self.waits.iter().filter(|(one, _)| one == timer);
        own.map(|(_, set)| *set).collect()
    }

    /// The deadlines that were ever set for a call.
    pub fn deadlines(&self, call: NodeId) -> Vec<Seq> {
        self.begun(&Timer::Deadline { call })
    }
}
