//! Prints the sandbox of a session, allows more in it, and tries a command in one.
//!
//! Must not know: how a child is confined, how a command is decided.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, FromArgMatches};

use super::takes::On;
use super::{Act, Look, Session, Verb};
use crate::args::{Common, number};
use crate::build::AppContext;
use crate::exit::{Code, Failure};
use crate::{by_hand, print, record};
use overrule_base::text::visible;
use overrule_domain::command::{Command, SandboxCommand};
use overrule_domain::sandbox::{Level, Widening};
use overrule_present::json;
use overrule_present::sandbox::SandboxView;

/// Print how commands of a session are confined and what they were refused, or allow more in it
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Sandbox {
    /// Something else than a session
    #[command(subcommand)]
    pub what: Option<What>,
    /// Session: id, unique prefix, or `last`
    #[arg(default_value = "last")]
    pub session: String,
    /// Host that commands reach for the rest of the session, as host or host:port; may be repeated
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Directory that commands write for the rest of the session; may be repeated
    #[arg(long, value_name = "DIR")]
    pub allow_write: Vec<PathBuf>,
    /// Resume the run afterwards
    #[arg(long)]
    pub resume: bool,
}

/// What needs no session.
#[derive(Debug, clap::Subcommand)]
pub enum What {
    /// Try a command in a sandbox of this workspace
    Run(ByHand),
    /// Connect standard input and output to a host, by way of the proxy of the sandbox
    #[command(hide = true)]
    Connect(Connect),
    /// Try what a sandbox of macOS forbids, and print what was possible
    #[command(hide = true)]
    Probe(Probe),
}

/// A command to try.
#[derive(Debug, clap::Args)]
pub struct ByHand {
    /// Level: 1 or 2 [default: that of the settings, or 1]
    #[arg(long, value_name = "N", value_parser = number::level)]
    pub level: Option<Level>,
    /// Make no namespaces, as on a machine without them
    #[arg(long, hide = true)]
    pub without_namespaces: bool,
    /// Program and arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CMD"
    )]
    pub command: Vec<OsString>,
}

/// A host to connect to.
#[derive(Debug, clap::Args)]
pub struct Connect {
    /// Host
    pub host: String,
    /// Port
    pub port: u16,
}

/// What a probe tries to reach.
#[derive(Debug, clap::Args)]
pub struct Probe {
    /// Places that were made for it, as JSON
    pub targets: String,
}

/// Reads the arguments as the verb that they are.
pub fn read(found: &ArgMatches) -> Result<Verb, clap::Error> {
    let args = Sandbox::from_arg_matches(found)?;
    if let Some(what) = args.what {
        return Ok(Verb::Look(Box::new(what)));
    }
    if args.allow_host.is_empty() && args.allow_write.is_empty() {
        let session = args.session;
        return Ok(Verb::Look(Box::new(Show { session })));
    }
    let on = On {
        session: args.session,
        resume: args.resume,
        reason: None,
    };
    Ok(Verb::Act(Box::new(Widen {
        on,
        hosts: args.allow_host,
        directories: args.allow_write,
    })))
}

/// Allows more.
#[derive(Debug)]
struct Widen {
    on: On,
    hosts: Vec<String>,
    directories: Vec<PathBuf>,
}

impl Act for Widen {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let hosts = self.hosts.iter().cloned().map(|host| Ok(Widening::Host(host)));
        let directories = self.directories.iter().map(|path| directory(path));
        let widen = |by| Command::Sandbox(SandboxCommand::Widen { by });
        hosts.chain(directories).map(|by| by.map(widen)).collect()
    }
}

/// A directory as commands see it.
fn directory(path: &Path) -> Result<Widening, Failure> {
    let shown = visible(&path.to_string_lossy());
    let lost = |why: &str| Failure::new(Code::Usage, format!("cannot make `{shown}` writable: {why}"));
    let resolved = path.canonicalize().map_err(|error| lost(&error.to_string()))?;
    if !resolved.is_dir() {
        return Err(lost("it is no directory"));
    }
    let text = resolved.to_str().ok_or_else(|| lost("its path is not UTF-8"))?;
    Ok(Widening::Directory(text.to_owned()))
}

/// Prints the sandbox of a session.
#[derive(Debug)]
struct Show {
    session: String,
}

impl Look for Show {
    fn print(&self, common: &Common) -> Result<Code, Failure> {
        let context = AppContext::read(common)?;
        let found = record::as_found(&context.find(&self.session)?)?;
        let view = SandboxView::of(&found.state);
        if common.json {
            print::out(&json(&view));
            return Ok(Code::Ok);
        }
        for line in lines(&view) {
            print::out(&line);
        }
        let is_partial = view.guarantees.iter().any(|one| !one.held);
        if view.level == 0 {
            print::err("hint: `overrule resume ID --sandbox 1` begins one");
        } else if is_partial {
            print::err("hint: `overrule doctor` tells the remedy");
        }
        Ok(Code::Ok)
    }
}

fn lines(view: &SandboxView) -> Vec<String> {
    let mut lines = vec![view.label.clone()];
    if view.level > 0 {
        let mut fact = |name: &str, words: String| lines.push(format!("  {name:<8} {words}"));
        let list = |all: &[String]| match all {
            [] => "none".to_owned(),
            all => all.join(", "),
        };
        let private = ["a private /tmp".to_owned()];
        let written: Vec<String> = view.write.iter().chain(&private).cloned().collect();
        fact("writes", list(&written));
        fact("hosts", list(&view.network));
        for one in &view.allowed {
            fact("allowed", format!("{} {}", one.kind, one.what));
        }
        for one in &view.guarantees {
            let words = match (one.loss, &one.why) {
                (Some(loss), Some(why)) => format!("missing: {loss}: {why}"),
                _ => format!("held: {}", one.what),
            };
            fact(one.number, words);
        }
        for path in &view.hidden {
            fact("hidden", path.clone());
        }
    }
    for one in &view.refused {
        let refused = one.refused.iter().map(|one| {
            let how = if one.exact { "" } else { " (seen in the output)" };
            format!("{} {}{how}", one.kind, one.what)
        });
        let refused: Vec<String> = refused.collect();
        lines.push(format!(
            "{} {}: refused {}",
            one.call,
            one.attempt,
            refused.join(", ")
        ));
    }
    lines
}

impl Look for What {
    fn print(&self, common: &Common) -> Result<Code, Failure> {
        match self {
            Self::Run(command) => by_hand::run(common, command),
            Self::Connect(to) => by_hand::connect(&to.host, to.port),
            Self::Probe(probe) => {
                let failed = || {
                    Failure::new(
                        Code::Usage,
                        "cannot probe: the argument is not what a sandbox passes",
                    )
                };
                let found = overrule_sandbox::macos::attempts::run(&probe.targets).ok_or_else(failed)?;
                print::out(&found);
                Ok(Code::Ok)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_present::sandbox::{AllowedView, CallRefusalsView, GuaranteeView, RefusedView};

    #[test]
    fn a_sandbox_is_told_line_by_line() {
        let view = SandboxView {
            label: "sandbox 1 partial".to_owned(),
            level: 1,
            write: vec!["/w".to_owned()],
            network: Vec::new(),
            unix_sockets: false,
            hidden: vec!["/home/ada/.ssh".to_owned()],
            allowed: vec![AllowedView {
                kind: "host",
                what: "a.example".to_owned(),
            }],
            guarantees: vec![
                GuaranteeView {
                    number: "G1",
                    what: "no writes outside",
                    held: true,
                    loss: None,
                    why: None,
                },
                GuaranteeView {
                    number: "G2",
                    what: "no change",
                    held: false,
                    loss: Some("changes"),
                    why: Some("no namespaces".to_owned()),
                },
            ],
            refused: vec![CallRefusalsView {
                call: "c5".parse().unwrap(),
                attempt: overrule_domain::id::Attempt(1),
                refused: vec![RefusedView {
                    kind: "write",
                    what: "/etc/x".to_owned(),
                    exact: false,
                }],
            }],
        };
        let attempt = overrule_domain::id::Attempt(1);
        assert_eq!(
            lines(&view),
            [
                "sandbox 1 partial",
                "  writes   /w, a private /tmp",
                "  hosts    none",
                "  allowed  host a.example",
                "  G1       held: no writes outside",
                "  G2       missing: changes: no namespaces",
                "  hidden   /home/ada/.ssh",
                &format!("c5 {attempt}: refused write /etc/x (seen in the output)"),
            ]
        );
        let none = SandboxView {
            level: 0,
            label: "no sandbox".to_owned(),
            refused: Vec::new(),
            ..view
        };
        assert_eq!(lines(&none), ["no sandbox"]);
    }
}
