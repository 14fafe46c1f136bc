//! Computes when the console must wake up without input or events.
//!
//! Must not know: clocks, what is done then.

use super::Model;
use super::running::SPIN_MS;
use crate::kernel::pane::Pane;
use crate::run::idle_time::IDLE_MS;
use overrule_domain::call::Status;
use overrule_domain::ladder;
use overrule_domain::state::Mode;

impl Model {
    /// The next time at which the screen changes without input or events.
    pub fn wake_at(&self) -> Option<u64> {
        let arming = self.arming.wake_at(self.settings.arming_ms);
        // A remaining delay is updated four times a second.
        let utc = self.utc();
        let continues = !self.is_halted();
        let counts = continues && utc.is_some_and(|utc| ladder::counts_down(&self.run.state, utc));
        let waits = counts.then(|| self.arming.now.saturating_add(250));
        // A remaining deadline is updated once a second.
        let running = continues && self.utc().is_some() && self.run.state.mode == Mode::Running;
        let mut asked = self.run.state.queue();
        let due = running
            && asked.any(|call| call.approval.due.is_some() && call.status == Status::AwaitingApproval);
        let agent = self.run.state.origin.agent.wait.is_some() && self.run.state.queue().next().is_some();
        let due = due || continues && agent && self.utc().is_some();
        let deadlines = due.then(|| self.arming.now.saturating_add(1000));
        // Idle time and working time are updated once a second.
        let after = |ms: u64| self.arming.now.saturating_add(ms);
        let idle = self.unheard();
        let idle = idle.map(|one| after(IDLE_MS.saturating_sub(one.ms).max(1000)));
        let works = self.screen.lower.is_some_and(Pane::ticks) && self.run.is_busy();
        let works = self.now_of_run().filter(|_| works).map(|_| after(1000));
        let keys = self.keys.wake_at(self.arming.now);
        let runs = self.shows_running().then(|| after(SPIN_MS));
        [arming, keys, waits, deadlines, idle, works, runs]
            .into_iter()
            .flatten()
            .min()
    }
}
