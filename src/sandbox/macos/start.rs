//! Makes the command that starts a child by `sandbox-exec`.
//!
//! Must not know: who starts it, what the profile holds.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use super::profile::profile;
use crate::channel::StartError;
use crate::network;
use crate::plan::Plan;
use crate::probe::PROBE;

/// The program of the system that confines.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// What is started, and how it is confined.
pub(super) struct Start<'a> {
    /// How.
    pub(super) plan: &'a Plan,
    /// The program; [`PROBE`] for this program, which tries what is forbidden.
    pub(super) program: &'a OsStr,
    /// The path of this program.
    pub(super) this: &'a Path,
    /// The port of the proxy for allowed hosts.
    pub(super) port: Option<u16>,
}

impl Start<'_> {
    /// Returns the command.
    ///
    /// # Errors
    ///
    /// Returns an error where a path cannot be named in a profile.
    pub(super) fn command(&self, args: impl Iterator<Item = OsString>) -> Result<Command, StartError> {
        let text = profile(self.plan, self.port).map_err(|error| StartError::set_up("profile", error))?;
        let mut command = Command::new(SANDBOX_EXEC);
        command.arg("-p").arg(text).arg("--");
        if self.program == PROBE {
            command.arg(self.this).args(["sandbox", "probe"]);
        } else {
            command.arg(self.program);
        }
        command.args(args).env("TMPDIR", self.plan.temporary());
        if let Some(port) = self.port {
            command.envs(network::variables(port, self.this));
        }
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::sandbox::{Level, Profile};

    fn plan() -> Plan {
        Plan {
            profile: Profile {
                level: Level::Workspace,
                write: vec!["/Users/me/work".into()],
                ..Profile::default()
            },
            namespaces: false,
            scratch: "/Users/me/store/s".into(),
            own: Vec::new(),
            pinned: Vec::new(),
            read_only: Vec::new(),
            linked: Vec::new(),
            caches: Vec::new(),
            layered: Vec::new(),
            home: None,
            keeps_terminal: false,
            port: None,
        }
    }

    fn command(plan: &Plan, program: &str, port: Option<u16>) -> Result<Command, StartError> {
        let start = Start {
            plan,
            program: program.as_ref(),
            this: Path::new("/opt/overrule"),
            port,
        };
        start.command(["-c".into(), "make -- all".into()].into_iter())
    }

    #[test]
    fn the_words_of_the_command_come_after_the_profile_as_they_are() {
        let plan = plan();
        let made = command(&plan, "-sh", Some(4321)).unwrap();
        assert_eq!(made.get_program(), "/usr/bin/sandbox-exec");
        let text = profile(&plan, Some(4321)).unwrap();
        let words: Vec<_> = made.get_args().collect();
        assert_eq!(words, ["-p", &text, "--", "-sh", "-c", "make -- all"]);
        let value = |name: &str| {
            let mut all = made.get_envs();
            all.find(|(key, _)| *key == name)
                .and_then(|(_, value)| value?.to_str())
        };
        assert_eq!(value("TMPDIR"), Some("/Users/me/store/s/tmp"));
        assert_eq!(value("HTTPS_PROXY"), Some("http://127.0.0.1:4321"));
        assert!(value("GIT_SSH_COMMAND").unwrap().contains("/opt/overrule"));
    }

    #[test]
    fn without_a_proxy_no_variable_names_one() {
        let made = command(&plan(), "sh", None).unwrap();
        let names: Vec<_> = made.get_envs().map(|(name, _)| name).collect();
        assert_eq!(names, ["TMPDIR"]);
    }

    #[test]
    fn the_probe_is_this_program() {
        let made = command(&plan(), PROBE, None).unwrap();
        let words: Vec<_> = made.get_args().skip(2).collect();
        assert_eq!(
            words,
            ["--", "/opt/overrule", "sandbox", "probe", "-c", "make -- all"]
        );
    }

    #[test]
    fn a_path_that_cannot_be_named_starts_nothing() {
        let mut plan = plan();
        plan.scratch = "/Users/me/a\nb".into();
        let error = command(&plan, "sh", None).unwrap_err().to_string();
        assert!(
            error.starts_with("the sandbox could not be set up: profile: cannot name `"),
            "{error}"
        );
    }
}
