//! Attempts to reach a network, the sockets of others, and other processes.
//!
//! Must not know: how a test judges it.

use std::fs;
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use super::Attempt;
use super::support::{call, describe, pointer, read, socket, syscall};

pub(super) const ATTEMPTS: &[Attempt] = &[
    // Network.
    ("G5", "reach a port of the machine", |t| {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], t.tcp));
        TcpStream::connect_timeout(&address, Duration::from_secs(1))
            .map(|_| ())
            .map_err(describe)
    }),
    ("G5", "send to a port of the machine", |t| {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).map_err(describe)?;
        // The machine's own, if it arrives there; the test looks.
        socket.send_to(b"hello", ("127.0.0.1", t.udp)).map_err(describe)?;
        Err("sent, but where to?".to_owned())
    }),
    ("G5", "find a way to another machine", |_| {
        let socket = UdpSocket::bind(("0.0.0.0", 0)).map_err(describe)?;
        socket.connect(("192.0.2.1", 9)).map_err(describe)
    }),
    ("G5", "make a packet socket", |_| {
        socket(libc::AF_PACKET, libc::SOCK_RAW)
    }),
    ("G5", "make a raw socket", |_| {
        socket(libc::AF_INET, libc::SOCK_RAW)
    }),
    ("G5", "make a socket to the host of this machine", |_| {
        socket(libc::AF_VSOCK, libc::SOCK_STREAM)
    }),
    ("G5", "make a socket of the kernel's ciphers", |_| {
        socket(libc::AF_ALG, libc::SOCK_SEQPACKET)
    }),
    ("G5", "see the devices of the machine", |_| {
        socket(libc::AF_NETLINK, libc::SOCK_RAW)?;
        let devices = fs::read_to_string("/proc/net/dev").map_err(describe)?;
        let other = devices
            .lines()
            .skip(2)
            .any(|line| !line.trim_start().starts_with("lo:"));
        if other {
            Ok(())
        } else {
            Err("there are no others".to_owned())
        }
    }),
    // Unix sockets.
    ("G6", "reach a socket by its path", |t| {
        UnixStream::connect(&t.socket).map(|_| ()).map_err(describe)
    }),
    ("G6", "reach a socket by a link in the workspace", |t| {
        symlink(&t.socket, t.workspace.join("socket")).map_err(describe)?;
        UnixStream::connect(t.workspace.join("socket"))
            .map(|_| ())
            .map_err(describe)
    }),
    ("G6", "reach a socket by its name", |t| {
        let address = SocketAddr::from_abstract_name(t.abstract_name.as_bytes()).map_err(describe)?;
        UnixStream::connect_addr(&address).map(|_| ()).map_err(describe)
    }),
    // Other processes.
    ("G7", "send a signal", |t| {
        // SAFETY: a signal to a process of this test.
        call(unsafe { libc::kill(t.victim, libc::SIGTERM) }.into())
    }),
    ("G7", "send a signal by a descriptor", |t| {
        // SAFETY: opens a descriptor for a process of this test.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, t.victim, 0) };
        call(descriptor)?;
        syscall(
            libc::SYS_pidfd_send_signal,
            [descriptor, libc::SIGTERM.into(), 0, 0, 0],
        )
    }),
    ("G7", "take a descriptor", |t| {
        // SAFETY: opens a descriptor for a process of this test.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, t.victim, 0) };
        call(descriptor)?;
        syscall(libc::SYS_pidfd_getfd, [descriptor, 0, 0, 0, 0])
    }),
    ("G7", "read its environment", |t| {
        read(format!("/proc/{}/environ", t.victim))
    }),
    ("G7", "read its files", |t| {
        fs::read_link(format!("/proc/{}/fd/0", t.victim))
            .map(|_| ())
            .map_err(describe)
    }),
    ("G7", "open its memory", |t| {
        fs::File::open(format!("/proc/{}/mem", t.victim))
            .map(|_| ())
            .map_err(describe)
    }),
    ("G7", "read its memory", |t| {
        let buffer = [0_u8; 8];
        let here = libc::iovec {
            iov_base: buffer.as_ptr().cast_mut().cast(),
            iov_len: 8,
        };
        let there = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(0x1000),
            iov_len: 8,
        };
        // SAFETY: one buffer of 8 bytes; the other address is the victim's.
        let read = unsafe { libc::process_vm_readv(t.victim, &raw const here, 1, &raw const there, 1, 0) };
        // An address that is not there shows that the process may be read.
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::EFAULT) if read < 0 => Ok(()),
            _ => call(read as libc::c_long),
        }
    }),
    ("G7", "trace it", |t| {
        // SAFETY: asks to trace a process of this test.
        call(unsafe { libc::ptrace(libc::PTRACE_SEIZE, t.victim, 0, 0) })
    }),
    ("G7", "enter its namespaces", |t| {
        let open = fs::File::open(format!("/proc/{}/ns/mnt", t.victim)).map_err(describe)?;
        syscall(libc::SYS_setns, [open.as_raw_fd().into(), 0, 0, 0, 0])
    }),
    ("G7", "limit its processor time", |t| {
        let limit = libc::rlimit {
            rlim_cur: libc::RLIM_INFINITY,
            rlim_max: libc::RLIM_INFINITY,
        };
        let args = [t.victim.into(), libc::RLIMIT_CPU.into(), pointer(&limit), 0, 0];
        syscall(libc::SYS_prlimit64, args)
    }),
    ("G7", "change its priority", |t| {
        syscall(
            libc::SYS_setpriority,
            [libc::PRIO_PROCESS.into(), t.victim.into(), 0, 0, 0],
        )
    }),
    ("G7", "change the priority of all", |_| {
        syscall(libc::SYS_setpriority, [libc::PRIO_USER.into(), 0, 0, 0, 0])
    }),
    ("G7", "change its scheduling", |t| {
        let priority = 0_i32;
        let args = [
            t.victim.into(),
            libc::SCHED_OTHER.into(),
            pointer(&priority),
            0,
            0,
        ];
        syscall(libc::SYS_sched_setscheduler, args)
    }),
    ("G7", "choose its processors", |t| {
        let all = [u64::MAX; 16];
        let args = [
            t.victim.into(),
            size_of_val(&all) as libc::c_long,
            pointer(&all),
            0,
            0,
        ];
        syscall(libc::SYS_sched_setaffinity, args)
    }),
];
