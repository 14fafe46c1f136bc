//! Restores the files that calls changed: shows the plan, and carries out one that was shown.
//!
//! Must not know: how a plan is made, how a file is written.

use super::takes::On;
use super::target::node;
use super::{Act, Session};
use crate::args::number;
use crate::exit::{Code, Failure};
use crate::restoring::{self, Paths};
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::files::RestoreChoice;
use overrule_domain::id::{Epoch, NodeId};

/// Restore the files that calls changed, as a preview showed it; the calls stay as they are
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The calls whose changes are undone, such as `c5 c8`
    #[arg(value_name = "CALL")]
    pub calls: Vec<String>,
    /// What else is restored
    #[command(flatten)]
    pub of: Of,
    /// Print the plan and its digest, and change nothing
    #[arg(long)]
    pub preview: bool,
    /// Digest that the preview printed; refused if the files or the run changed since
    #[arg(long, value_name = "HASH", conflicts_with = "preview")]
    pub digest: Option<String>,
    /// Restore only this path; can be given several times
    #[arg(long = "path", value_name = "PATH")]
    pub paths: Vec<String>,
    /// Also restore paths that something else changed since; the present contents are saved first
    #[arg(long)]
    pub over_conflicts: bool,
}

/// What else than calls is restored.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct Of {
    /// Restore the files to the end of this branch, which does not become the current one
    #[arg(long, value_name = "N", conflicts_with = "calls", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub branch: Option<u32>,
    /// Undo a restore
    #[arg(long, value_name = "ID", conflicts_with = "calls")]
    pub undo: Option<String>,
    /// Continue a restore that was interrupted
    #[arg(long = "continue", value_name = "ID", conflicts_with_all = ["calls", "preview", "digest", "paths", "over_conflicts"])]
    pub continued: Option<String>,
    /// Leave a restore that was interrupted as it is
    #[arg(long, value_name = "ID", conflicts_with_all = ["calls", "preview", "digest", "paths", "over_conflicts"])]
    pub leave: Option<String>,
}

impl Restore {
    /// The command with this choice; none where nothing is chosen.
    fn command(&self, choice: RestoreChoice) -> Result<FilesCommand, Failure> {
        if let Some(branch) = self.of.branch {
            return Ok(FilesCommand::RestoreBranch {
                to: Epoch(branch),
                choice,
            });
        }
        if let Some(restore) = &self.of.undo {
            return Ok(FilesCommand::UndoRestore {
                restore: node(restore)?,
                choice,
            });
        }
        let calls: Vec<NodeId> = self.calls.iter().map(|one| node(one)).collect::<Result<_, _>>()?;
        if calls.is_empty() {
            return Err(Failure::new(
                Code::Usage,
                "cannot restore: nothing is named; hint: name calls, such as `c5 c8`, or use --branch N or --undo ID",
            ));
        }
        Ok(FilesCommand::Restore { calls, choice })
    }

    fn paths(&self) -> Paths<'_> {
        Paths {
            only: &self.paths,
            over_conflicts: self.over_conflicts,
        }
    }
}

impl Act for Restore {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.preview
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        if let Some(restore) = &self.of.continued {
            let restore = node(restore)?;
            return Ok(vec![Command::Files(FilesCommand::Continue { restore })]);
        }
        if let Some(restore) = &self.of.leave {
            let restore = node(restore)?;
            return Ok(vec![Command::Files(FilesCommand::Leave { restore })]);
        }
        let command = |choice| self.command(choice);
        let planned = restoring::plan(session, &command, self.paths())?;
        if self.preview {
            return Ok(vec![Command::Files(self.command(planned.choice)?)]);
        }
        let Some(digest) = &self.digest else {
            return Err(Failure::new(
                Code::Usage,
                "cannot restore without the digest of what you saw; hint: --preview prints the plan and its digest",
            ));
        };
        let choice = planned.confirmed(digest);
        Ok(vec![Command::Files(self.command(choice)?)])
    }

    fn preview(&self, session: &Session<'_>) -> Option<Result<(), Failure>> {
        let command = |choice| self.command(choice);
        let planned = restoring::plan(session, &command, self.paths());
        Some(planned.map(|planned| restoring::print(session, &planned)))
    }
}
