//! The arguments of the verbs about stored sessions.
//!
//! Must not know: what the verbs do.

use clap::{Args as ClapArgs, Subcommand};

/// Actions on sessions.
#[derive(Debug, ClapArgs)]
pub struct Sessions {
    /// Action [default: list]
    #[command(subcommand)]
    pub what: Option<SessionsWhat>,
}

/// Actions on sessions.
#[derive(Debug, Subcommand)]
pub enum SessionsWhat {
    /// List the sessions, newest last
    List,
    /// Show a summary of a session
    Show {
        /// Session: id, unique prefix, `last`, or a file
        id: String,
    },
    /// Name a session
    Name {
        /// Session: id, unique prefix, or `last`
        id: String,
        /// New name
        name: String,
    },
    /// Delete a session with all its files; on a terminal, asks first
    Delete {
        /// Session: id or unique prefix
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Check that no record of a session was changed or lost
    Verify {
        /// Session: id, unique prefix, `last`, or a file
        id: String,
    },
    /// Print the path of a session's journal; without a session, the directory of all
    Path {
        /// Session: id, unique prefix, or `last`
        id: Option<String>,
    },
}

/// A replay.
#[derive(Debug, ClapArgs)]
pub struct Replay {
    /// Session: id, unique prefix, `last`, or a file [default: pick one; without a terminal, last]
    pub id: Option<String>,
    /// Start to play immediately, at FACTOR times the original speed
    #[arg(long, value_name = "FACTOR", value_parser = super::number::factor)]
    pub speed: Option<f64>,
}

/// The point to fork from.
///
/// The other session does not change, even if it is running. Its effects after that point are not reverted: they are
/// recorded in the new session, and an equal call asks first. Nothing runs until you resume the new session.
#[derive(Debug, ClapArgs)]
pub struct Fork {
    /// Session: id, unique prefix, `last`, or a file
    #[arg(default_value = "last")]
    pub id: String,
    /// Last event to copy, as `overrule replay` numbers them [default: the last]
    #[arg(long, value_name = "EVENT", value_parser = super::number::event)]
    pub at: Option<u64>,
    /// Name of the new session
    #[arg(long)]
    pub name: Option<String>,
}
