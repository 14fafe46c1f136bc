//! The operator's settings in a run without a screen: when their file changes, the run meets failures as it says now.
//!
//! A file that is wrong changes nothing: what it said last goes on, and the operator is told. Must not know: what a
//! setting does, where the file is.

use super::build::AppContext;
use super::live_reload::Watched;
use super::print;
use crate::console::files::Files as _;
use crate::domain::command::{Command, ResilienceCommand};
use crate::domain::envelope::{Actor, Via};
use crate::domain::refusal::RefusalKind;
use crate::engine::Handle;

/// The settings, followed for as long as this lives.
pub struct Followed {
    files: Watched,
    handle: Handle,
    actor: Actor,
    /// What was in force, or was handed to the run, last.
    before: Vec<(String, String)>,
    /// What was told last and still holds.
    reported: Vec<String>,
}

impl Followed {
    /// Follows what a run was begun with.
    pub fn new(context: &AppContext, handle: &Handle) -> Self {
        Self {
            files: Watched::new(context),
            handle: handle.clone(),
            actor: Actor::operator(context.user(), Via::Shell),
            before: context.settings.resilience.values(),
            reported: Vec::new(),
        }
    }

    /// Resolves at once for the first time, and then once the files have changed. May be dropped and asked for again.
    pub async fn changed(&mut self) {
        self.files.changed().await;
    }

    /// Has the run meet failures as the settings say now, key by key: what was changed in the run and stands
    /// otherwise in no file that changed stays.
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
            let words = format!("read anew: {key} = {value}");
            let command = Command::Resilience(ResilienceCommand::Configure {
                key: key.clone().into(),
                value: value.into(),
            });
            match self.handle.command(command, self.actor.clone()).await {
                // A command was faster than the file that it was kept in.
                Err(refusal) if refusal.kind == RefusalKind::NoChange => {}
                Ok(_) => print::err(&print::safe_text(&words)),
                Err(refusal) => print::err(&print::safe_text(&format!("{key} stays as it was: {refusal}"))),
            }
        }
    }
}
