//! Confines this process and becomes the command.
//!
//! Must not know: what the command is for, who waits for it.
//!
//! It runs instead of the program, before there is any thread. Each step that fails ends it before the command runs; only
//! what the profile does not promise may fail.

mod access;
mod capabilities;
mod loopback;
mod mount_table;
mod mounts;
mod namespaces;
mod probe;
mod system_calls;

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::channel::{Inside, Order};
use crate::layers::LAYERS;
use crate::network;
use crate::plan::Plan;
use crate::probe::PROBE;
use overrule_domain::sandbox::Guarantee;

/// A step that failed.
#[derive(Debug)]
pub(super) struct Failed {
    step: &'static str,
    why: String,
}

impl Failed {
    /// A step that failed with an error of the system, on a path.
    fn on(step: &'static str, path: &Path) -> impl FnOnce(Errno) -> Self {
        let path = path.display().to_string();
        move |error| Self {
            step,
            why: format!("{path}: {}", name(error)),
        }
    }

    /// A step that failed for any reason.
    fn because(step: &'static str) -> impl FnOnce(String) -> Self {
        move |why| Self { step, why }
    }

    /// A step that failed with an error of the system.
    fn at(step: &'static str) -> impl FnOnce(Errno) -> Self {
        move |error| Self {
            step,
            why: name(error),
        }
    }
}

/// The words of an error of the system.
fn name(error: Errno) -> String {
    std::io::Error::from(error).to_string()
}

/// Reads the order from the channel, confines this process, and becomes the command. Returns only where that failed; the
/// channel has the reason.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok((inside, order)) = Inside::take() else {
        return ExitCode::FAILURE;
    };
    match become_command(&inside, &order, args) {
        Ok(code) => code,
        Err(Failed { step, why }) => {
            inside.failed(step, &why);
            ExitCode::FAILURE
        }
    }
}

fn become_command(
    inside: &Inside,
    order: &Order,
    mut args: impl Iterator<Item = OsString>,
) -> Result<ExitCode, Failed> {
    let plan = &order.plan;
    let program = args.next().ok_or_else(|| Failed {
        step: "command",
        why: "there is none".to_owned(),
    })?;
    if program == LAYERS {
        mount_layers(inside, plan)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !plan.keeps_terminal {
        // One that leads its session already has left the terminal.
        let _ = rustix::process::setsid();
    }
    let Listening { proxy, port } = confine(plan, &inside.layers)?;
    let mounts = plan.namespaces.then(|| own_namespace("mnt")).transpose()?;
    let mounts = mounts.as_ref().map(OwnedFd::as_fd);
    let variables = proxy.as_ref().map(|listener| {
        inside
            .listens(listener)
            .map(|port| network::variables(port, &order.program))
    });
    let variables = variables.transpose().map_err(Failed::at("network proxy"))?;
    if let Some(port) = &port {
        inside.listens(port).map_err(Failed::at("port"))?;
    }
    drop((proxy, port));
    restrict(plan)?;
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(Failed::at("parent"))?;
    if rustix::process::Pid::as_raw(rustix::process::getppid()) != order.parent {
        return Err(Failed {
            step: "parent",
            why: "it has ended".to_owned(),
        });
    }
    if program == PROBE {
        inside.ready(mounts).map_err(Failed::at("report"))?;
        return Ok(probe::run(args));
    }
    let mut command = Command::new(&program);
    command.args(args).envs(variables.unwrap_or_default());
    if let Some(temporary) = temporary(plan) {
        command.env("TMPDIR", temporary);
    }
    inside.ready(mounts).map_err(Failed::at("report"))?;
    let error = command.exec();
    inside.not_found(&error);
    Ok(ExitCode::FAILURE)
}

/// Mounts the layers of a plan in a namespace, and hands that over.
fn mount_layers(inside: &Inside, plan: &Plan) -> Result<(), Failed> {
    let has_user = namespaces::enter_for_mounts()?;
    mounts::layers(plan)?;
    if has_user {
        let user = own_namespace("user")?;
        inside.user(user.as_fd()).map_err(Failed::at("report"))?;
    }
    let mounts = own_namespace("mnt")?;
    inside.ready(Some(mounts.as_fd())).map_err(Failed::at("report"))
}

/// Opens a namespace of this process.
fn own_namespace(kind: &str) -> Result<OwnedFd, Failed> {
    let path = format!("/proc/self/ns/{kind}");
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    rustix::fs::open(&path, flags, Mode::empty()).map_err(Failed::on("namespaces", path.as_ref()))
}

/// The directory for temporary files, where `/tmp` is not replaced.
fn temporary(plan: &Plan) -> Option<std::path::PathBuf> {
    (!plan.namespaces).then(|| plan.temporary())
}

/// The sockets of the own loopback that this program serves.
#[derive(Default)]
struct Listening {
    proxy: Option<TcpListener>,
    port: Option<TcpListener>,
}

/// Makes the namespaces and everything that they show. Returns the sockets on which this program is reached.
fn confine(plan: &Plan, layers: &[OwnedFd]) -> Result<Listening, Failed> {
    let own_network = plan.namespaces && !plan.profile.reaches_all();
    if plan.port.is_some() && !own_network {
        return Err(Failed {
            step: "port",
            why: "the child has no network of its own".to_owned(),
        });
    }
    if !plan.namespaces {
        return Ok(Listening::default());
    }
    let cwd = std::env::current_dir().map_err(|error| Failed::because("directory")(error.to_string()))?;
    namespaces::join(layers)?;
    namespaces::enter(own_network)?;
    mounts::set_up(plan)?;
    let mut listening = Listening::default();
    if own_network {
        loopback::up()?;
        // First the one whose number is fixed.
        listening.port = plan.port.map(listen).transpose()?;
        listening.proxy = Some(listen(0)?);
    }
    rustix::process::chdir(&cwd).map_err(Failed::on("directory", &cwd))?;
    Ok(listening)
}

fn listen(port: u16) -> Result<TcpListener, Failed> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    listener.map_err(|error| Failed::because("network proxy")(error.to_string()))
}

/// Gives up what is left: capabilities, new privileges, access to files, system calls.
fn restrict(plan: &Plan) -> Result<(), Failed> {
    let gave_up = capabilities::give_up();
    if plan.promises(Guarantee::Privilege) {
        gave_up?;
    }
    rustix::thread::set_no_new_privs(true).map_err(Failed::at("privileges"))?;
    let abi = access::restrict(plan)?;
    system_calls::restrict(plan, abi)
}
