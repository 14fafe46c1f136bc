//! Identifies the process at the other end of a socket.
//!
//! Must not know: what is sent.
//!
//! An agent must not approve its own calls, so descendants of this process are distinguished from
//! the operator's other processes.

use std::fs;
use std::process::{Command, Stdio};

use tokio::net::UnixStream;

use super::agents::Agents;
use super::operators::is_waited_for;

/// Maximum number of parents that are followed.
const MOST_PARENTS: usize = 512;
/// How often a chain is followed again if a process in it ends meanwhile.
const TRIES: usize = 3;

/// The process at the other end, as the system vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// Another process of the same user.
    Operator {
        /// Its process id.
        pid: u32,
    },
    /// A process that may not command, and the reason.
    Refused(String),
}

/// How parents are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// By the kernel's process table; orphans are adopted by this process.
    Proc,
    /// By `ps`; a process that has lost its parents is not recognised.
    Ps,
}

/// A process: its number may be given again, with another start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it started, in ticks since the start of the system; 0 if the system does not tell.
    pub ticks: u64,
}

impl ProcessId {
    /// A name for files.
    pub fn name(self) -> String {
        format!("{}-{}", self.pid, self.ticks)
    }

    /// Reads such a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (pid, ticks) = name.split_once('-')?;
        Some(Self {
            pid: pid.parse().ok()?,
            ticks: ticks.parse().ok()?,
        })
    }

    /// True if it runs.
    pub fn is_running(self) -> bool {
        Means::here().id(self.pid) == Some(self)
    }
}

/// A process above this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    /// The process.
    pub id: ProcessId,
    /// True if it is this program, and did not start what is below it as a program of the operator.
    pub is_run: bool,
}

impl Means {
    /// Returns the means of this system.
    pub const fn here() -> Self {
        if cfg!(target_os = "linux") {
            Self::Proc
        } else {
            Self::Ps
        }
    }

    /// Describes the means in a few words for the operator.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Proc => "by the parents in /proc",
            Self::Ps => "by the parents in the output of ps, and by having no terminal",
        }
    }

    /// Returns a running process, or `None` if it cannot be determined.
    pub(super) fn id(self, pid: u32) -> Option<ProcessId> {
        let ticks = self.status(pid)?.ticks;
        Some(ProcessId { pid, ticks })
    }

    /// True if a process has a terminal that controls it.
    fn has_terminal(self, pid: u32) -> bool {
        match self {
            Self::Proc => false,
            Self::Ps => {
                let mut ps = Command::new("/bin/ps");
                ps.args(["-o", "tty=", "-p", &pid.to_string()])
                    .stdin(Stdio::null());
                let out = ps.env_clear().output().map(|out| out.stdout).unwrap_or_default();
                let text = String::from_utf8_lossy(&out);
                !text.trim().trim_matches('?').is_empty()
            }
        }
    }

    /// Returns what is known about a process, or `None` if it cannot be determined.
    fn status(self, pid: u32) -> Option<Status> {
        match self {
            Self::Proc => Status::from_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?),
            Self::Ps => {
                let mut ps = Command::new("/bin/ps");
                ps.args(["-o", "ppid=,comm=", "-p", &pid.to_string()])
                    .stdin(Stdio::null());
                Status::from_ps(&ps.env_clear().output().ok()?.stdout)
            }
        }
    }
}

/// The parent and the name of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Status {
    parent: u32,
    ticks: u64,
    /// The file name of its program, as far as the system keeps it.
    name: String,
}

impl Status {
    /// Reads `/proc/PID/stat`. The name is in parentheses and may itself contain some. The parent is the
    /// second field after it.
    fn from_stat(stat: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(stat);
        let (before, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace().skip(1);
        Some(Self {
            parent: fields.next()?.parse().ok()?,
            ticks: fields.nth(17).and_then(|ticks| ticks.parse().ok()).unwrap_or(0),
            name: before.split_once('(')?.1.to_owned(),
        })
    }

    /// Reads a line of `ps -o ppid=,comm=`. Some systems print the path of the program.
    fn from_ps(out: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(out);
        let (parent, name) = text.trim().split_once(' ')?;
        let name = name.trim();
        Some(Self {
            ticks: 0,
            parent: parent.parse().ok()?,
            name: name.rsplit_once('/').map_or(name, |(_, name)| name).to_owned(),
        })
    }
}

/// The name of a process of this program.
const PROGRAM: &str = "overrule";

/// Returns the processes above this one, the nearest first. Where one of them is this program, a tool of a run started this
/// process, and it must not widen what tools may do.
///
/// A process that cannot be seen belongs to another user and is no run of this one.
pub fn ancestors() -> Vec<Ancestor> {
    above(std::process::id(), |pid| Means::here().status(pid), is_waited_for)
}

/// `waits` tells whether a run waits for a child of its own as a program of the operator.
fn above(of: u32, status: impl Fn(u32) -> Option<Status>, waits: impl Fn(u32, u32) -> bool) -> Vec<Ancestor> {
    let mut found = Vec::new();
    for _ in 0..TRIES {
        found.clear();
        let Some(mut at) = status(of).map(|status| status.parent) else {
            return found;
        };
        let mut from = of;
        for _ in 0..MOST_PARENTS {
            // It ended, so its children have a different parent by now.
            let Some(status) = status(at) else { break };
            let id = ProcessId {
                pid: at,
                ticks: status.ticks,
            };
            found.push(Ancestor {
                id,
                is_run: status.name == PROGRAM && !waits(at, from),
            });
            if status.parent == 0 {
                return found;
            }
            (from, at) = (at, status.parent);
        }
    }
    found
}

/// Identifies the process that connected.
///
/// `above` are the processes above this one: what began below them may be decided below them.
pub fn look(stream: &UnixStream, agents: &Agents, above: &[Ancestor]) -> Peer {
    let cred = match stream.peer_cred() {
        Ok(cred) => cred,
        Err(error) => {
            return Peer::Refused(format!("the system does not tell whose process it is: {error}"));
        }
    };
    let me = rustix::process::geteuid().as_raw();
    if cred.uid() != me {
        return Peer::Refused(format!("it comes from user {}", cred.uid()));
    }
    let pid = cred.pid().and_then(|pid| u32::try_from(pid).ok());
    let Some(pid) = pid.filter(|pid| *pid != 0) else {
        return Peer::Refused(
            "its process cannot be seen from here (another container?), so it may be the agent's".into(),
        );
    };
    let means = Means::here();
    let refuses = |at: u32, from: u32, status: &Status| {
        let id = ProcessId {
            pid: at,
            ticks: status.ticks,
        };
        if agents.is_own(id) {
            return Some(format!("process {at} is the agent that this run supervises"));
        }
        let is_other = at != pid && !above.iter().any(|one| one.id == id);
        match is_other {
            true if status.name == PROGRAM && !is_waited_for(at, from) => {
                Some(format!("process {at} is another run"))
            }
            true if agents.is_noted(id) => {
                Some(format!("process {at} is an agent that another run supervises"))
            }
            _ => None,
        }
    };
    let this = std::process::id();
    let peer = classify((pid, this), refuses, |pid| means.status(pid), is_waited_for);
    recognised(peer, (means, agents.is_unknown()), |pid| means.has_terminal(pid))
}

/// Refuses what may be an agent's although nothing shows it: where the agent `is_unknown`, and where orphans are not
/// recognised. There a process needs a terminal that controls it, which the commands of agents do not have.
fn recognised(peer: Peer, (means, is_unknown): (Means, bool), has_terminal: impl Fn(u32) -> bool) -> Peer {
    match peer {
        Peer::Operator { pid } if is_unknown && !has_terminal(pid) => Peer::Refused(
            "it is unknown which process the agent is, so this may be one of its own; decide on the screen of the run".into(),
        ),
        Peer::Operator { pid } if means == Means::Ps && !has_terminal(pid) => Peer::Refused(format!(
            "process {pid} has no terminal of its own, and this system does not tell whether an agent started it; decide on the \
             screen of the run, or in a terminal"
        )),
        peer => peer,
    }
}

/// Decides whether a process descends from `this` one, or from one that does not decide. What descends from a program of
/// the operator that this process `waits` for is the operator's.
fn classify(
    (pid, this): (u32, u32),
    refuses: impl Fn(u32, u32, &Status) -> Option<String>,
    status: impl Fn(u32) -> Option<Status>,
    waits: impl Fn(u32, u32) -> bool,
) -> Peer {
    for _ in 0..TRIES {
        let (mut from, mut at) = (pid, pid);
        for _ in 0..MOST_PARENTS {
            if at == this && waits(at, from) {
                return Peer::Operator { pid };
            }
            if at == this {
                return Peer::Refused(format!(
                    "process {pid} was started by this run: an agent does not decide on its own calls"
                ));
            }
            // Where it ended, its children have a different parent by now.
            let Some(status) = status(at) else { break };
            if let Some(why) = refuses(at, from, &status) {
                return Peer::Refused(format!(
                    "process {pid} was not started by the operator: {why}, and an agent does not decide on its own calls, nor on \
                     those of another run"
                ));
            }
            if status.parent == 0 {
                return Peer::Operator { pid };
            }
            (from, at) = (at, status.parent);
        }
    }
    Peer::Refused(format!(
        "it is unknown who started process {pid}: an agent must not decide on its own calls"
    ))
}

/// Returns the user and the process of a listening socket.
pub(super) fn listener(stream: &UnixStream) -> std::io::Result<(u32, Option<u32>)> {
    let cred = stream.peer_cred()?;
    let pid = cred.pid().and_then(|pid| u32::try_from(pid).ok());
    Ok((cred.uid(), pid.filter(|pid| *pid != 0)))
}

/// Makes this process adopt those of its descendants that lose their parent, so that a command of the agent
/// cannot escape by ending its own parent.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    {
        // Only kernels older than any supported one do not know this.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }
}

/// Adopted child processes that have ended without a waiting parent. They are reaped only if they
/// had already ended at the previous look, because code that waits for its own children does so
/// immediately.
#[derive(Debug, Default)]
pub(super) struct Ended {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only where this process adopts others")
    )]
    seen: Vec<u32>,
}

impl Ended {
    /// Notes which children have ended, and reaps those that had ended at the previous look.
    pub(super) fn look(&mut self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, WaitOptions, waitpid};
            let now = ended_children(std::process::id());
            for pid in now.iter().filter(|pid| self.seen.contains(pid)) {
                let pid = i32::try_from(*pid).ok().and_then(Pid::from_raw);
                // An error means that other code did wait for it.
                let _ = waitpid(pid, WaitOptions::NOHANG);
            }
            self.seen = now;
        }
    }
}

#[cfg(target_os = "linux")]
fn ended_children(of: u32) -> Vec<u32> {
    let ended = |pid: &u32| {
        let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = String::from_utf8_lossy(&stat);
        let dead = state
            .rsplit_once(')')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
        dead && Status::from_stat(&stat).is_some_and(|status| status.parent == of)
    };
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(ended)
        .collect()
}

#[cfg(test)]
mod tests;
