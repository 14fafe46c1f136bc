//! Confines a child on macOS: the helper becomes `sandbox-exec` with a profile, and that becomes the command.
//!
//! Must not know: what the command is for, who waits for it.
//!
//! **Untested on a real machine.** So nothing of it is believed: at each start the probes run in such a child, and only what
//! they prove is shown. It is compiled on every system, so that the text of the profile, the command and the attempts are
//! tested everywhere.

pub mod attempts;
pub mod profile;
mod start;

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use crate::channel::{Inside, Order, StartError};
use start::Start;

/// Reads the order from the channel, and becomes the command in a sandbox. Returns only where that failed; the channel has
/// the reason.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok((inside, order)) = Inside::take() else {
        return ExitCode::FAILURE;
    };
    if let Err(error) = become_command(&inside, &order, args) {
        match &error {
            StartError::SetUp { step, why } => inside.failed(step, why),
            StartError::Command(error) => inside.not_found(error),
        }
    }
    ExitCode::FAILURE
}

/// Never returns without an error.
fn become_command(
    inside: &Inside,
    order: &Order,
    mut args: impl Iterator<Item = OsString>,
) -> Result<(), StartError> {
    let plan = &order.plan;
    let program = args
        .next()
        .ok_or_else(|| StartError::set_up("command", "there is none"))?;
    if plan.port.is_some() {
        return Err(StartError::set_up("port", "the child has no network of its own"));
    }
    if !plan.keeps_terminal {
        // One that leads its session already has left the terminal.
        let _ = rustix::process::setsid();
    }
    let proxy = (!plan.profile.reaches_all()).then(|| listen(inside));
    let start = Start {
        plan,
        program: &program,
        this: &order.program,
        port: proxy.transpose()?,
    };
    let mut command = start.command(args)?;
    // The system ends no child with its parent; one that is gone already starts nothing.
    if rustix::process::Pid::as_raw(rustix::process::getppid()) != order.parent {
        return Err(StartError::set_up("parent", "it has ended"));
    }
    inside
        .ready(None)
        .map_err(|error| StartError::set_up("report", error))?;
    Err(StartError::set_up("sandbox-exec", command.exec()))
}

/// Opens the socket on which the child reaches the proxy, hands it to this program, and returns its port. There is one
/// loopback for all, so other programs of this machine reach the proxy too: it serves the allowed hosts, nothing else.
fn listen(inside: &Inside) -> Result<u16, StartError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = listener.map_err(|error| StartError::set_up("network proxy", error))?;
    inside
        .listens(&listener)
        .map_err(|error| StartError::set_up("network proxy", error))
}
