//! Starts an agent of another program: as a child, in a tmux pane, or by a line for another terminal.
//!
//! Must not know: what the agent does, how it is supervised.

use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::build::AppContext;
use super::exit::{Code, Failure};
use overrule_base::shell_line::quote;
use overrule_base::text::visible;
use overrule_proxy::agents::Agent;

/// A variable of the environment.
pub fn variable(context: &AppContext, name: &str) -> Option<String> {
    let all = context.env.all.0.iter();
    let mut found = all.filter(|(key, _)| key.to_str() == Some(name));
    let value = found.find_map(|(_, value)| value.to_str())?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// How an agent is started.
pub struct Launch {
    program: String,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
    asks: String,
}

impl Launch {
    /// Points an agent to the proxy at this address. With `keeps_prompts` it asks its own user about calls as usual.
    pub fn new(agent: &Agent, program: &str, own: &[String], base: &str, keeps_prompts: bool) -> Self {
        let gate = (!keeps_prompts && agent.one_gate.fits(own)).then_some(agent.one_gate);
        let own = gate.map_or_else(|| own.to_vec(), |gate| gate.arguments(own));
        let mut environment = agent.environment(base);
        let set = gate.iter().flat_map(|gate| gate.environment);
        environment.extend(set.map(|(name, value)| (*name, (*value).to_owned())));
        Self {
            program: program.to_owned(),
            arguments: agent.arguments(base).into_iter().chain(own).collect(),
            environment,
            asks: match gate {
                Some(gate) => format!(
                    "it does not ask its own user about calls: {} (--keep-prompts leaves that)",
                    gate.words
                ),
                None => "it may ask its own user again about calls that you approved".to_owned(),
            },
        }
    }

    /// Says whether the agent asks its own user about calls, and why.
    pub fn asks(&self) -> &str {
        &self.asks
    }

    /// The line for a shell.
    pub fn line(&self) -> String {
        let variables = self
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={}", quote(value)));
        let words = std::iter::once(&self.program)
            .chain(&self.arguments)
            .map(|word| quote(word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The same, for a shell that may be in any directory.
    pub fn line_in(&self, workspace: &Path) -> String {
        format!("cd {} && {}", quote(&workspace.to_string_lossy()), self.line())
    }

    /// Starts it as a child that ends with this process.
    pub fn spawn(&self, workspace: &Path) -> Result<Child, Failure> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (*name, value)))
            .current_dir(workspace)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command.spawn().map_err(|error| self.failed(&error.to_string()))
    }

    /// Starts it in a pane next to this one.
    pub async fn in_tmux(&self, workspace: &Path) -> Result<(), Failure> {
        let mut command = Command::new("tmux");
        command
            .args(["split-window", "-d", "-h", "-c"])
            .arg(workspace)
            .arg(format!("env {}", self.line()))
            .stdin(Stdio::null());
        let done = command.output().await;
        let done = done.map_err(|error| self.failed(&format!("tmux: {error}")))?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        Err(self.failed(&format!("tmux: {}", visible(said.trim()))))
    }

    fn failed(&self, why: &str) -> Failure {
        Failure::new(
            Code::Config,
            format!(
                "cannot start `{}`: {why}; hint: is it installed?",
                visible(&self.program)
            ),
        )
    }
}
