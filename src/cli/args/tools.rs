//! Defines the arguments of the subcommands about tools, servers and trust.
//!
//! Must not know: what they do.

use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand};
use overrule_policy::expiry::duration_ms;

/// Parses a duration; a bare number is of seconds.
fn wait(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    let wait = seconds.or_else(|| duration_ms(text).map(Duration::from_millis));
    wait.ok_or_else(|| "write a duration, such as 60s or 2m".to_owned())
}

/// Actions on tools.
#[derive(Debug, ClapArgs)]
pub struct Tools {
    /// Action [default: list]
    #[command(subcommand)]
    pub what: Option<ToolsWhat>,
}

/// Actions on tools.
#[derive(Debug, Subcommand)]
pub enum ToolsWhat {
    /// List the tools and MCP servers of a run here, with classes and tokens
    List {
        /// Also wait for servers that restart, at most this long [default with the flag: 60s]
        #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "60s", value_parser = wait)]
        wait: Option<Duration>,
    },
    /// Show the definition of a tool as its source gave it
    Show {
        /// Name of the tool, such as `git__git_status`
        name: String,
    },
    /// Call a tool once, by hand
    Call {
        /// Name of the tool
        name: String,
        /// Arguments, as JSON
        #[arg(default_value = "{}")]
        args: String,
    },
    /// Show what changed in the definitions of an MCP server, or accept it
    Accept {
        /// Name of the server
        server: String,
        /// Hash that was printed; accepts the definitions of this hash
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
        /// Session of a run in progress (started with --control), whose server changed
        #[arg(long, value_name = "ID")]
        run: Option<String>,
    },
    /// End an MCP server of a run in progress until it is resumed; its tools are no longer offered
    Refuse {
        /// Name of the server
        server: String,
        /// Session of the run (started with --control)
        #[arg(long, value_name = "ID")]
        run: String,
    },
}

/// Files of the workspace to trust.
#[derive(Debug, ClapArgs)]
pub struct Trust {
    /// Hash that was printed; trusts the file of this hash [default: show the files]
    #[arg(long, value_name = "HASH", conflicts_with = "revoke")]
    pub hash: Option<String>,
    /// End the trust in all files of the workspace
    #[arg(long)]
    pub revoke: bool,
}
