//! Knows which processes are agents that this process supervises, by their connections.
//!
//! Must not know: what an agent sends.
//!
//! An agent that was started in another terminal is no descendant of this process. The process at the other end of its
//! connection is one, and so is what that process starts.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::peer::{Means, ProcessId};
#[cfg(target_os = "linux")]
use overrule_regular_file::{self as regular_file, Links};
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Read as _};

/// Maximum size of the table of connections, in bytes.
#[cfg(target_os = "linux")]
const TABLE: u64 = 64 * 1024 * 1024;

/// The agents of this process, and those that other processes of this user noted.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    own: Arc<Mutex<Known>>,
    /// Where each process of an agent has a file `PID-TICKS`.
    dir: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Known {
    processes: BTreeSet<ProcessId>,
    /// True if the process of a connection was not found.
    unknown: bool,
}

impl Agents {
    /// Agents that are noted in a directory, for every process of this user.
    pub fn noted_in(dir: Option<PathBuf>) -> Self {
        Self {
            own: Arc::default(),
            dir,
        }
    }

    /// Notes who holds the other end of a connection. A note outlives this process, as the agent may; those about
    /// processes that have ended are removed.
    pub fn connected(&self, from: SocketAddr, to: SocketAddr) -> io::Result<()> {
        self.add(holders(from, to))
    }

    /// Notes a process that is an agent, or becomes one: it has no connection of this network.
    pub fn started(&self, pid: u32) -> io::Result<()> {
        self.add(Means::here().id(pid).into_iter().collect())
    }

    fn add(&self, found: Vec<ProcessId>) -> io::Result<()> {
        let new: Vec<ProcessId> = {
            let mut known = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            known.unknown |= found.is_empty();
            found
                .into_iter()
                .filter(|one| known.processes.insert(*one))
                .collect()
        };
        if new.is_empty() {
            return Ok(());
        }
        self.note(&new)
    }

    fn note(&self, new: &[ProcessId]) -> io::Result<()> {
        let Some(dir) = &self.dir else {
            return Ok(());
        };
        fs::create_dir_all(dir)?;
        for entry in dir.read_dir()?.flatten() {
            let id = entry.file_name().to_str().and_then(ProcessId::from_name);
            if !id.is_some_and(ProcessId::is_running) {
                fs::remove_file(entry.path())?;
            }
        }
        new.iter().try_for_each(|one| fs::write(file(dir, *one), ""))
    }

    /// True for the process of an agent of any run.
    pub fn is_noted(&self, process: ProcessId) -> bool {
        let is_own = || {
            let known = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            known.processes.contains(&process)
        };
        is_own() || self.dir.as_ref().is_some_and(|dir| file(dir, process).exists())
    }

    /// True for the process of an agent of this run.
    pub(super) fn is_own(&self, process: ProcessId) -> bool {
        let known = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        known.processes.contains(&process)
    }

    /// True if the process of a connection was not found, so that any process may be an agent's.
    pub(super) fn is_unknown(&self) -> bool {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).unknown
    }
}

fn file(dir: &Path, process: ProcessId) -> PathBuf {
    dir.join(process.name())
}

/// The processes that hold the end `from` of a connection to `to` on this machine.
#[cfg(target_os = "linux")]
fn holders(from: SocketAddr, to: SocketAddr) -> Vec<ProcessId> {
    // The system takes long for the end of a table: nothing is read after the line.
    let mut inodes = ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
        .iter()
        .filter_map(|table| {
            let table = regular_file::open(Path::new(table), Links::Follow).ok()?;
            inode(BufReader::new(table.take(TABLE)), from.port(), to.port())
        });
    let Some(inode) = inodes.next() else {
        return Vec::new();
    };
    let link = format!("socket:[{inode}]");
    let processes = std::fs::read_dir("/proc").into_iter().flatten();
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
        files.flatten().any(|file| {
            let target = std::fs::read_link(file.path());
            target.is_ok_and(|target| target.as_os_str() == link.as_str())
        })
    };
    numbers
        .filter(holds)
        .filter_map(|pid| Means::here().id(pid))
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn holders(_from: SocketAddr, _to: SocketAddr) -> Vec<ProcessId> {
    Vec::new()
}

/// Returns the inode of a connection, from a table as in `/proc/net/tcp` (proc(5)): `sl local remote state … inode`.
#[cfg(target_os = "linux")]
fn inode(table: impl BufRead, from: u16, to: u16) -> Option<u64> {
    let port = |address: &str| u16::from_str_radix(address.rsplit_once(':')?.1, 16).ok();
    let mut lines = table.lines().skip(1).map_while(Result::ok);
    lines.find_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_it = port(fields.get(1)?)? == from && port(fields.get(2)?)? == to;
        is_it.then(|| fields.get(9)?.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_started_is_noted() {
        let dir = tempfile::tempdir().unwrap();
        let agents = Agents::noted_in(Some(dir.path().join("agents")));
        let own = Means::here().id(std::process::id()).unwrap();
        assert!(!agents.is_noted(own));
        agents.started(std::process::id()).unwrap();
        assert!(agents.is_noted(own) && agents.is_own(own));
        // Also for another process of this user.
        assert!(Agents::noted_in(Some(dir.path().join("agents"))).is_noted(own));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_at_the_other_end_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let stream = std::net::TcpStream::connect(to).unwrap();
        let from = stream.local_addr().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let agents = Agents::noted_in(Some(dir.path().join("agents")));
        let me = Means::here().id(std::process::id()).unwrap();
        let gone = ProcessId {
            ticks: me.ticks + 1,
            ..me
        };
        agents.note(&[gone]).unwrap();
        agents.connected(from, to).unwrap();
        assert!(agents.is_own(me) && agents.is_noted(me) && !agents.is_unknown());
        assert!(
            !agents.is_noted(gone),
            "a note about a process that has ended is removed"
        );
        let other = Agents::noted_in(Some(dir.path().join("agents")));
        assert!(other.is_noted(me) && !other.is_own(me));
        drop(stream);
        let agents = Agents::default();
        agents.connected("127.0.0.1:1".parse().unwrap(), to).unwrap();
        assert!(agents.is_unknown());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_line_of_the_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                     0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 77 1 0\n\
                     1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 78 1 0\n\
                     2: x\n";
        let table = table.as_bytes();
        assert_eq!(inode(table, 0xc001, 0x1f90), Some(78));
        assert_eq!(inode(table, 0x1f90, 0xc001), Some(77));
        assert_eq!(inode(table, 1, 2), None);
        assert_eq!(inode(&b""[..], 1, 2), None);
    }
}
