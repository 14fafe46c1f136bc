//! Makes the command that starts the helper.
//!
//! Must not know: how a child is watched.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::layers::Layers;
use crate::plan::Plan;

/// The name (`argv[0]`) under which this program is the helper.
pub const HELPER: &str = "overrule-sandbox";

/// How this program is started as the helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    /// The file that is started.
    pub start: PathBuf,
    /// The path by which a child starts this program again.
    pub program: PathBuf,
}

impl Helper {
    /// This very program; on Linux also if its file was replaced since it began.
    pub fn this_program(program: PathBuf) -> Self {
        // Other systems than Linux know a running program by its path alone.
        let start = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            program.clone()
        };
        Self { start, program }
    }

    /// Returns the command that starts the helper with its end of the channel; it becomes `program` with `args`.
    pub fn command(
        &self,
        channel: OwnedFd,
        program: &OsStr,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut command = Command::new(&self.start);
        command
            .arg0(HELPER)
            .arg(program)
            .args(args)
            .stdin(Stdio::from(channel));
        command
    }
}

/// How a child is confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// What the helper does.
    pub plan: Plan,
    /// How it is started.
    pub helper: Helper,
    /// The private layers of caches that it sees; none where it mounts those of its plan itself.
    pub layers: Option<Arc<Layers>>,
}
