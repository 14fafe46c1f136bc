//! Runs the children of a call in the sandbox of the run, and reports what it refused.
//!
//! Must not know: what a child runs for, how a kernel confines it.

use std::net::TcpListener;
use std::path::PathBuf;

use overrule_base::text::visible;
use overrule_domain::call::{ErrorClass, ToolError};
use overrule_domain::sandbox::{Refused, RefusedKind};
use overrule_sandbox::Confinement;
use overrule_sandbox::network::{Hosts, Serving, serve};
use overrule_sandbox::protected::{How, Undone};
use overrule_sandbox::session::Begun;

use super::child::Environment;
use super::errors::refused;
use super::tool::Job;

/// An execution whose children are confined.
pub(crate) struct Confined {
    begun: Begun,
    hosts: Hosts,
    serving: Option<Serving>,
}

/// The result of an execution besides its output.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// What was refused.
    pub(crate) refused: Vec<Refused>,
    /// What is reported to the model; empty where nothing was refused.
    pub(crate) note: String,
}

impl Confined {
    /// Begins, if the call starts in a sandbox.
    pub(crate) async fn begin(job: &Job) -> Result<Option<Self>, ToolError> {
        let Some(profile) = job.profile.clone() else {
            return Ok(None);
        };
        let none = || not_set_up("this process has none for the run");
        let sandbox = job.sandbox.clone().ok_or_else(none)?;
        let hosts = profile.hosts().map_err(|error| not_set_up(&error.to_string()))?;
        // It looks at files, which may take its time.
        let begun = tokio::task::spawn_blocking(move || sandbox.begin(&profile)).await;
        Ok(Some(Self {
            begun: begun.map_err(|error| not_set_up(&error.to_string()))?,
            hosts,
            serving: None,
        }))
    }

    /// Returns how a child is confined.
    pub(crate) const fn confinement(&self) -> &Confinement {
        &self.begun.confinement
    }

    /// Adds the variables that a child gets in the sandbox.
    pub(crate) fn environment(&self, environment: &Environment) -> Environment {
        let own = self.begun.variables.iter();
        let own = own.map(|(name, value)| ((*name).into(), value.clone().into_os_string()));
        environment.clone().with(own)
    }

    /// Serves the allowed hosts to the child that was started. Without it, the child reaches none.
    pub(crate) fn serve(&mut self, proxy: Option<TcpListener>) {
        let Some(listener) = proxy else { return };
        match serve(listener, self.hosts.clone()) {
            Ok(serving) => self.serving = Some(serving),
            Err(error) => tracing::warn!(%error, "the hosts that a call may reach are not served"),
        }
    }

    /// Ends: undoes what was changed of protected paths, and finds what was refused. `output` is all that the command
    /// printed, `cwd` where it began.
    pub(crate) async fn end(self, output: String, cwd: PathBuf) -> Refusals {
        let hosts = self.serving.as_ref().map(Serving::refused).unwrap_or_default();
        drop(self.serving);
        let mut begun = self.begun;
        let found = tokio::task::spawn_blocking(move || {
            let paths = begun.refused(&output, &cwd);
            let undone = begun.end().into_iter();
            let undone = undone.map(|one| (begun.stored(&one), one));
            (undone.collect::<Vec<_>>(), paths)
        });
        let (undone, paths) = found.await.unwrap_or_default();
        of(hosts, paths, &undone)
    }
}

/// `undone` has with each change where its content lies, if it can be restored.
fn of(hosts: Vec<String>, paths: Vec<Refused>, undone: &[(Option<String>, Undone)]) -> Refusals {
    let network = |host| Refused::exact(RefusedKind::Network, host);
    let mut refused: Vec<Refused> = hosts.into_iter().map(network).collect();
    refused.extend(paths);
    let denied: Vec<String> = refused
        .iter()
        .map(|one| format!("{} {}", one.kind.label(), one.what))
        .collect();
    // What was not searched was not refused.
    let changed = undone.iter().filter(|(_, one)| one.how != How::Unsearched);
    refused.extend(changed.map(|(kept, one)| Refused {
        kept: kept.clone(),
        ..Refused::exact(RefusedKind::Protected, &one.path)
    }));
    let mut lines = Vec::new();
    if !denied.is_empty() {
        let denied = denied.join(", ");
        lines.push(format!(
            "[sandbox] refused: {denied}. Use _outside with a reason if it is needed."
        ));
    }
    for (_, one) in undone {
        let stop = if one.problem.is_none() { "." } else { "" };
        lines.push(format!("[sandbox] {}{stop}", one.sentence()));
    }
    Refusals {
        note: lines.join("\n"),
        refused,
    }
}

/// A call that cannot run because its sandbox is not there.
pub(crate) fn not_set_up(why: &str) -> ToolError {
    refused(
        ErrorClass::Structural,
        format!("the sandbox could not be set up: {}", visible(why)),
        "reported by the sandbox before the command began",
        "run `overrule doctor`: it tells what this machine lacks",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_told_what_was_refused_and_what_was_undone() {
        let undone = |problem: Option<&str>| {
            let kept = problem.is_none().then(|| "/s/undone-1/.mcp.json".to_owned());
            let one = Undone {
                path: ".mcp.json".into(),
                place: PathBuf::from("/w/.mcp.json"),
                how: How::Created,
                stored: None,
                problem: problem.map(str::to_owned),
            };
            (kept, one)
        };
        let path = Refused {
            kind: RefusedKind::Write,
            what: "/etc/x".into(),
            exact: false,
            kept: None,
        };
        let all = of(
            vec!["a.example:443".into()],
            vec![path],
            &[undone(None), undone(Some("it is busy"))],
        );
        assert_eq!(
            all.note,
            "[sandbox] refused: network a.example:443, write /etc/x. Use _outside with a reason if it is needed.\n\
             [sandbox] undid: .mcp.json is protected.\n\
             [sandbox] could not undo: .mcp.json is protected; it is busy"
        );
        let kinds: Vec<(RefusedKind, bool)> = all.refused.iter().map(|one| (one.kind, one.exact)).collect();
        assert_eq!(
            kinds,
            [
                (RefusedKind::Network, true),
                (RefusedKind::Write, false),
                (RefusedKind::Protected, true),
                (RefusedKind::Protected, true)
            ]
        );
        let kept: Vec<Option<&str>> = all.refused.iter().map(|one| one.kept.as_deref()).collect();
        assert_eq!(kept, [None, None, Some("/s/undone-1/.mcp.json"), None]);
        let none = of(Vec::new(), Vec::new(), &[]);
        assert!(none.note.is_empty() && none.refused.is_empty());
    }
}
