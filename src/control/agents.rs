//! Knows which processes are agents that this process supervises, by their connections.
//!
//! Must not know: what an agent sends.
//!
//! An agent that was started in another terminal is no descendant of this process. The process at the other end of its
//! connection is one, and so is what that process starts.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::peer::{Means, ProcessId};

/// The agents of this process.
#[derive(Debug, Clone, Default)]
pub struct Agents(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    processes: BTreeSet<ProcessId>,
    /// True if the process of a connection was not found.
    unknown: bool,
}

impl Agents {
    /// Notes who holds the other end of a connection, and returns the processes that were not known before.
    pub fn connected(&self, from: SocketAddr, to: SocketAddr) -> Vec<ProcessId> {
        let found = holders(from, to);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.unknown |= found.is_empty();
        let new = found.into_iter().filter(|one| known.processes.insert(*one));
        new.collect()
    }

    /// Notes a process.
    pub fn add(&self, process: ProcessId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.processes.insert(process);
    }

    /// True for the process of an agent.
    pub(super) fn is_agent(&self, pid: u32) -> bool {
        let processes = {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.processes.clone()
        };
        processes.iter().any(|one| one.pid == pid && one.is_running())
    }

    /// True if the process of a connection was not found, so that any process may be an agent's.
    pub(super) fn is_unknown(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).unknown
    }
}

/// The processes that hold the end `from` of a connection to `to` on this machine.
#[cfg(target_os = "linux")]
fn holders(from: SocketAddr, to: SocketAddr) -> Vec<ProcessId> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let mut inodes = tables
        .iter()
        .filter_map(|table| inode(table, from.port(), to.port()));
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
fn inode(table: &str, from: u16, to: u16) -> Option<u64> {
    let port = |address: &str| u16::from_str_radix(address.rsplit_once(':')?.1, 16).ok();
    table.lines().skip(1).find_map(|line| {
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
    fn the_process_at_the_other_end_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let stream = std::net::TcpStream::connect(to).unwrap();
        let from = stream.local_addr().unwrap();
        let agents = Agents::default();
        let me = Means::here().id(std::process::id()).unwrap();
        assert_eq!(agents.connected(from, to), [me]);
        assert_eq!(agents.connected(from, to), [], "it is known");
        assert!(agents.is_agent(me.pid) && !agents.is_unknown());
        assert!(!agents.is_agent(1));
        let other = ProcessId {
            ticks: me.ticks + 1,
            ..me
        };
        let agents = Agents::default();
        agents.add(other);
        assert!(!agents.is_agent(me.pid), "another process has the number");
        drop(stream);
        assert_eq!(
            Agents::default().connected("127.0.0.1:1".parse().unwrap(), to),
            []
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_line_of_the_table_is_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
                     0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 77 1 0\n\
                     1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 78 1 0\n\
                     2: x\n";
        assert_eq!(inode(table, 0xc001, 0x1f90), Some(78));
        assert_eq!(inode(table, 0x1f90, 0xc001), Some(77));
        assert_eq!(inode(table, 1, 2), None);
        assert_eq!(inode("", 1, 2), None);
    }
}
