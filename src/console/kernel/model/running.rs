//! Data about running work, for a row: seconds, a spinner, the last printed line.
//!
//! Must not know: how it is drawn, clocks.

use super::Model;
use crate::ground::symbols::Charset;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::Subject;
use crate::run::part::RunPart;
use overrule_domain::agent::held_behind;
use overrule_domain::call::{Call, Status};
use overrule_domain::live::LiveOutput;
use overrule_domain::state::WITH_AGENT;

/// Milliseconds of one position of the spinner.
pub const SPIN_MS: u64 = 250;
/// The positions of the spinner.
const SPINNER: [char; 8] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'];
const SPINNER_ASCII: [char; 4] = ['|', '/', '-', '\\'];
/// After how many seconds a call with an agent may wait for the agent's user.
const LONG_S: u64 = 60;

impl RunPart {
    /// The newest output of a call, if it belongs to its running execution.
    pub fn output_of(&self, call: &Call) -> Option<&LiveOutput> {
        let Status::Running(attempt) = call.status else {
            return None;
        };
        self.outputs
            .get(&call.id)
            .filter(|output| output.attempt == attempt)
    }
}

impl Model {
    /// True while the screen shows how long something has been running.
    pub fn shows_running(&self) -> bool {
        !self.settings.is_recorded() && self.now_of_run().is_some() && self.run.running().next().is_some()
    }

    /// True if the inspector shows a call that runs.
    pub fn is_running_inspected(&self) -> bool {
        let Some(Subject::Pick(Pick::Node(id))) = self.inspector.subject else {
            return false;
        };
        self.run.running().any(|call| call == id.call())
    }

    /// How long a call has been running, with a spinner, or behind which call an agent does not have it; none if it does not run, or in a recorded or halted run.
    pub fn running_words(&self, call: &Call) -> Option<String> {
        let now = self.now_of_run().filter(|_| !self.settings.is_recorded())?;
        let Status::Running(attempt) = call.status else {
            return None;
        };
        if let Some(behind) = held_behind(&self.run.state, call) {
            return Some(format!("held behind {behind}"));
        }
        let record = call.attempts.iter().find(|one| one.no == attempt)?;
        let began = self.run.state.recorded_at(record.intent)?;
        let seconds = u64::try_from(now.saturating_sub(began)).unwrap_or_default() / 1000;
        let words = self.run.state.status_words(call);
        // Whether it runs, or its user is asked about it, the agent does not say.
        let more = if words == WITH_AGENT && seconds >= LONG_S {
            "; it may be asking its user"
        } else {
            ""
        };
        Some(format!("{} {words} {seconds} s{more}", self.spinner()))
    }

    /// The present position of the spinner.
    fn spinner(&self) -> char {
        let signs: &[char] = match self.settings.charset {
            Charset::Unicode => &SPINNER,
            Charset::Ascii => &SPINNER_ASCII,
        };
        let at = (self.arming.now / SPIN_MS) as usize % signs.len();
        signs.get(at).copied().unwrap_or(' ')
    }

    /// The last line that a running call printed. Untrusted text.
    pub fn last_printed(&self, call: &Call) -> Option<&str> {
        let output = self.run.output_of(call)?;
        let mut lines = output.text.lines().rev();
        lines.find(|line| !line.trim().is_empty())
    }
}
