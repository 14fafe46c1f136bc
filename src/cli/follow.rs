//! Applies changes of the settings file to a headless run.
//!
//! Must not know: what a setting does, where the file is.
//!
//! A faulty file changes nothing: the last valid settings stay in force, and the operator sees the error.

use super::build::AppContext;
use super::live_reload::Watched;
use super::print;
use overrule_console::kernel::files::Files as _;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::envelope::{Actor, Via};
use overrule_domain::refusal::RefusalKind;
use overrule_engine::Handle;

/// Follows the settings file until it is dropped.
pub struct Followed {
    files: Watched,
    handle: Handle,
    actor: Actor,
    /// The settings that were in force, or sent to the run, last.
    before: Vec<(String, String)>,
    /// Problems that were reported and still exist.
    reported: Vec<String>,
}

impl Followed {
    /// Follows the settings of a run.
    pub fn new(context: &AppContext, handle: &Handle) -> Self {
        Self {
            files: Watched::new(context),
            handle: handle.clone(),
            actor: Actor::operator(context.user(), Via::Shell),
            before: context.settings.resilience.values(),
            reported: Vec::new(),
        }
    }

    /// Resolves immediately the first time, and then after each change of the files. Cancel safe.
    pub async fn changed(&mut self) {
        self.files.changed().await;
    }

    /// Sends each changed key of the failure policy to the run. A key that was changed in the run stays, unless a
    /// file changed the same key.
    pub async fn take(&mut self) {
        let (now, problems) = self.files.settings();
        for problem in &problems {
            if !self.reported.contains(problem) {
                print::err(&print::safe_text(problem));
            }
        }
        self.reported = problems;
        if now.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.before, now.clone());
        for (key, value) in now.into_iter().filter(|one| !before.contains(one)) {
            let words = format!("reloaded: {key} = {value}");
            let command = Command::Resilience(ResilienceCommand::Configure {
                key: key.clone().into(),
                value: value.into(),
            });
            match self.handle.command(command, self.actor.clone()).await {
                // The command that wrote the file already changed the run.
                Err(refusal) if refusal.kind == RefusalKind::NoChange => {}
                Ok(_) => print::err(&print::safe_text(&words)),
                Err(refusal) => print::err(&print::safe_text(&format!("{key} is unchanged: {refusal}"))),
            }
        }
    }
}
