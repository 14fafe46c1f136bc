//! Starts an agent of another program: as a child, in a tmux pane, or by a line for another terminal.
//!
//! Must not know: what the agent does, how it is supervised.

use std::net::TcpListener;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::build::AppContext;
use super::exit::{Code, Failure};
use super::tmux::{self, Pane};
use super::why_ended::End;
use overrule_base::shell_line::quote;
use overrule_base::text::visible;
use overrule_proxy::agents::Agent;
use overrule_sandbox::handover::Words;
use overrule_sandbox::session::Planned;
use overrule_sandbox::{Outside, Running, StartError};
use overrule_tools::child;

/// A variable of the environment.
pub fn variable(context: &AppContext, name: &str) -> Option<String> {
    let all = context.env.all.0.iter();
    let mut found = all.filter(|(key, _)| key.to_str() == Some(name));
    let value = found.find_map(|(_, value)| value.to_str())?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// The sockets of a sandbox on which an agent is served: that of the proxy for allowed hosts, then that of its model.
pub struct Inside {
    /// They are open until this process closes them.
    pub listeners: Vec<TcpListener>,
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
        Self::with(agent, program, own, base, (keeps_prompts, false))
    }

    /// Does the same for an agent that is started in a sandbox: it makes none of its own in it.
    pub fn confined(agent: &Agent, program: &str, own: &[String], base: &str, keeps_prompts: bool) -> Self {
        Self::with(agent, program, own, base, (keeps_prompts, true))
    }

    fn with(
        agent: &Agent,
        program: &str,
        own: &[String],
        base: &str,
        (keeps_prompts, is_confined): (bool, bool),
    ) -> Self {
        let gate = (!keeps_prompts && agent.one_gate.fits(own)).then_some(agent.one_gate);
        let own = gate.map_or_else(|| own.to_vec(), |gate| gate.arguments(own));
        let mut environment = agent.environment(base);
        let set = gate.iter().flat_map(|gate| gate.environment);
        environment.extend(set.map(|(name, value)| (*name, (*value).to_owned())));
        let mut arguments = agent.arguments(base);
        if is_confined {
            let set = agent.home.no_sandbox.iter();
            environment.extend(set.map(|(name, value)| (*name, (*value).to_owned())));
            let set = agent.home.no_sandbox_arguments.iter();
            arguments.extend(set.map(|word| (*word).to_owned()));
        }
        Self {
            program: program.to_owned(),
            arguments: arguments.into_iter().chain(own).collect(),
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

    /// What a process becomes in order to be the agent.
    pub fn words(&self, workspace: &Path) -> Words {
        let environment = self.environment.iter();
        Words {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            environment: environment
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            directory: workspace.to_owned(),
        }
    }

    /// A line, for a shell that may be in any directory.
    pub fn line_in(line: &str, workspace: &Path) -> String {
        format!("cd {} && {line}", quote(&workspace.to_string_lossy()))
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

    /// Starts it in a sandbox, as a child that ends with this process. Returns it with the sockets on which it is served.
    pub async fn spawn_confined(
        &self,
        workspace: &Path,
        planned: &Planned,
    ) -> Result<(Child, Inside), Failure> {
        let failed = |error: StartError| self.failed(&error.to_string());
        let Planned {
            confinement,
            variables,
        } = planned;
        let input = overrule_regular_file::null().map_err(|error| self.failed(&error.to_string()))?;
        let order = Outside::order(confinement, input.as_fd());
        let (outside, channel) = order.map_err(failed)?;
        let mut command = confinement
            .helper
            .command(channel, self.program.as_ref(), &self.arguments);
        child::without_files(&mut command);
        let mut command = Command::from(command);
        command
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .envs(self.environment.iter().map(|(name, value)| (*name, value)))
            .current_dir(workspace)
            .kill_on_drop(true);
        let child = command.spawn().map_err(|error| self.failed(&error.to_string()))?;
        // It holds the end of the helper.
        drop(command);
        let Running { listeners, .. } = outside.started().await.map_err(failed)?;
        Ok((child, Inside { listeners }))
    }

    /// Runs its line in a tmux pane next to this one, with the variables of this program.
    pub async fn in_tmux(&self, context: &AppContext, line: &str) -> Result<Pane, Failure> {
        let line = format!("env {line}");
        let pane = Pane::run(&context.workspace, &context.env.all.0, &line).await;
        pane.map_err(|error| self.failed(&format!("tmux: {error}")))
    }

    /// The function of a shell that starts an agent below the proxy with these flags.
    pub fn function(program: &str, flags: &[String]) -> String {
        let name = program.rsplit('/').next().unwrap_or(program);
        let words = ["overrule", "proxy"].into_iter().map(str::to_owned);
        let words = words.chain(flags.iter().map(|flag| quote(flag)));
        let words = words.chain(["--".to_owned(), quote(program)]);
        format!("{name}() {{ {} \"$@\"; }}", words.collect::<Vec<_>>().join(" "))
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

/// An agent that was started.
pub enum Started {
    /// As a child of this process.
    Child(Child),
    /// In a pane of tmux.
    Pane(Pane),
    /// By its user, elsewhere.
    Elsewhere,
}

impl Started {
    /// Waits until it has ended; forever for one elsewhere.
    pub async fn ended(&mut self) -> End {
        match self {
            Self::Elsewhere => std::future::pending().await,
            Self::Pane(pane) => match pane.ended().await {
                tmux::Ended::Closed | tmux::Ended::Well => {
                    End::new(Code::Other, "the agent ended, or its tmux pane was closed")
                }
                tmux::Ended::Failed(how) => {
                    let how = how.map(|status| format!(" with exit status {status}"));
                    let how = how.unwrap_or_default();
                    End::new(
                        Code::Other,
                        format!("the agent ended{how}; its tmux pane says more"),
                    )
                }
            },
            Self::Child(child) => match child.wait().await {
                Ok(status) if status.success() => End::new(Code::Ok, ""),
                Ok(status) => End::new(Code::Other, format!("the agent ended with {status}")),
                Err(error) => End::new(Code::Other, format!("the agent was lost: {error}")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_a_shell_starts_the_agent_with_the_flags() {
        assert_eq!(
            Launch::function("claude", &[]),
            "claude() { overrule proxy -- claude \"$@\"; }"
        );
        let flags = ["--policy", "my rules.toml"].map(str::to_owned);
        assert_eq!(
            Launch::function("/opt/a b/codex", &flags),
            "codex() { overrule proxy --policy 'my rules.toml' -- '/opt/a b/codex' \"$@\"; }"
        );
    }
}
