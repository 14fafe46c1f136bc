//! Builds the view of a run that was started in the background.
//!
//! Must not know: how it was started.

use serde::{Deserialize, Serialize};

/// A run that continues without its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "detached")]
pub struct DetachedView {
    /// Id of the session.
    pub session: String,
    /// How the next command names it: its id, and flags to find it.
    pub address: String,
    /// What its sandbox keeps, such as `sandbox 1` or `no sandbox`.
    pub sandbox: String,
}

impl DetachedView {
    /// What it is, and how it is reached.
    pub fn describe(&self) -> String {
        let Self {
            session,
            address,
            sandbox,
        } = self;
        format!(
            "session {session} runs detached; {sandbox}\nqueue: overrule queue {address}\nwait for its answer: overrule wait \
             {address}\nstop: overrule stop {address}"
        )
    }
}
