//! What a confined process tries: each attempt is one way to do what the sandbox forbids.
//!
//! Must not know: how a test judges it.
//!
//! The test program starts itself again as the child of a sandbox, with the name of the attempt in a variable.
#![allow(
    unsafe_code,
    reason = "an attacker makes the calls of the system that no library offers"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the only way to tell a process of this test program its part"
)]

use std::ffi::CString;
use std::fs;
use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The variable with the attempt and its targets.
pub const PART: &str = "OVERRULE_TEST_ATTEMPT";
/// What the child prints if the attempt succeeded.
pub const DONE: &str = "the attempt succeeded";
/// What the child prints if it did not.
pub const REFUSED: &str = "the attempt failed: ";

/// What an attempt is after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Targets {
    pub name: String,
    pub home: PathBuf,
    pub workspace: PathBuf,
    /// A directory outside with a file `file`.
    pub outside: PathBuf,
    pub hidden: PathBuf,
    pub victim: i32,
    pub tcp: u16,
    pub udp: u16,
    pub socket: PathBuf,
    pub abstract_name: String,
    pub terminal: PathBuf,
    /// A descriptor that was left open in this program without close-on-exec.
    pub descriptor: i32,
}

/// What an attempt breaks if it succeeds: the number of the guarantee, which may be missing without namespaces.
pub type Attempt = (&'static str, &'static str, fn(&Targets) -> Tried);

/// Whether it succeeded; the error is what the system said.
type Tried = Result<(), String>;

fn said(error: impl ToString) -> String {
    error.to_string()
}

/// The result of a call of the system: a negative one has failed.
fn call(result: libc::c_long) -> Tried {
    match result {
        -1 => Err(said(std::io::Error::last_os_error())),
        _ => Ok(()),
    }
}

fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap()
}

fn append(path: &Path) -> Tried {
    let mut file = fs::OpenOptions::new().append(true).open(path).map_err(said)?;
    file.write_all(b"changed").map_err(said)
}

fn create(path: &Path) -> Tried {
    fs::write(path, "new").map_err(said)
}

fn read(path: impl AsRef<Path>) -> Tried {
    let found = fs::read(path).map_err(said)?;
    if found.is_empty() {
        Err("it is empty".to_owned())
    } else {
        Ok(())
    }
}

fn file(targets: &Targets) -> PathBuf {
    targets.outside.join("file")
}

fn under(root: &str, path: &Path) -> PathBuf {
    Path::new(root).join(path.strip_prefix("/").unwrap())
}

fn up(targets: &Targets) -> PathBuf {
    let mut path = PathBuf::new();
    for _ in targets.workspace.components().skip(1) {
        path.push("..");
    }
    path.join(file(targets).strip_prefix("/").unwrap())
}

fn syscall(number: libc::c_long, args: [libc::c_long; 5]) -> Tried {
    // SAFETY: an attacker's call; whatever it does, it does to this child alone.
    call(unsafe { libc::syscall(number, args[0], args[1], args[2], args[3], args[4]) })
}

fn pointer<T>(value: &T) -> libc::c_long {
    std::ptr::from_ref(value) as libc::c_long
}

fn socket(family: libc::c_int, kind: libc::c_int) -> Tried {
    syscall(libc::SYS_socket, [family.into(), kind.into(), 0, 0, 0])
}

/// Runs a function in a child of this process, so that the test program itself stays what it is.
fn forked(what: impl FnOnce() -> Tried) -> Tried {
    // SAFETY: the child only runs the attempt and leaves.
    match unsafe { libc::fork() } {
        0 => {
            let code = i32::from(what().is_err());
            // SAFETY: ends the child without the destructors of the test program.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child that was just made.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
                Ok(())
            } else {
                Err(format!("its child ended with {status:#x}"))
            }
        }
    }
}

#[repr(C)]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    rest: [u64; 10],
}

pub const ATTEMPTS: &[Attempt] = &[
    // Writes.
    ("G1", "write by its path", |t| append(&file(t))),
    ("G1", "write by a relative path", |t| append(&up(t))),
    ("G1", "write through a link that was there", |t| {
        append(&t.workspace.join("link"))
    }),
    ("G1", "write through a new link", |t| {
        symlink(file(t), t.workspace.join("new link")).map_err(said)?;
        append(&t.workspace.join("new link"))
    }),
    ("G1", "write through /proc/self/root", |t| {
        append(&under("/proc/self/root", &file(t)))
    }),
    ("G1", "write through /proc/self/cwd", |t| {
        append(&Path::new("/proc/self/cwd").join(up(t)))
    }),
    ("G1", "write through the root of another process", |t| {
        append(&under(&format!("/proc/{}/root", t.victim), &file(t)))
    }),
    ("G1", "write through a descriptor opened for reading", |t| {
        let open = fs::File::open(file(t)).map_err(said)?;
        append(Path::new(&format!("/proc/self/fd/{}", open.as_raw_fd())))
    }),
    ("G1", "create", |t| create(&t.outside.join("new"))),
    ("G1", "create a directory", |t| {
        fs::create_dir(t.outside.join("new")).map_err(said)
    }),
    ("G1", "create a link", |t| {
        symlink("x", t.outside.join("new")).map_err(said)
    }),
    ("G1", "create a pipe", |t| {
        // SAFETY: the path is a string that lives through the call.
        call(unsafe { libc::mkfifo(c(&t.outside.join("new")).as_ptr(), 0o600) }.into())
    }),
    ("G1", "create without a name, and link it", |t| {
        use std::os::unix::fs::OpenOptionsExt as _;
        let open = fs::OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_TMPFILE)
            .open(&t.outside);
        let open = open.map_err(said)?;
        let from = CString::new(format!("/proc/self/fd/{}", open.as_raw_fd())).unwrap();
        let to = c(&t.outside.join("new"));
        // SAFETY: both paths live through the call.
        call(
            unsafe {
                libc::linkat(
                    libc::AT_FDCWD,
                    from.as_ptr(),
                    libc::AT_FDCWD,
                    to.as_ptr(),
                    libc::AT_SYMLINK_FOLLOW,
                )
            }
            .into(),
        )
    }),
    ("G1", "rename out", |t| {
        create(&t.workspace.join("mine"))?;
        fs::rename(t.workspace.join("mine"), t.outside.join("new")).map_err(said)
    }),
    ("G1", "rename in", |t| {
        fs::rename(file(t), t.workspace.join("stolen")).map_err(said)
    }),
    ("G1", "exchange", |t| {
        create(&t.workspace.join("mine"))?;
        let (from, to) = (c(&t.workspace.join("mine")), c(&file(t)));
        // SAFETY: both paths live through the call.
        call(
            unsafe {
                libc::renameat2(
                    libc::AT_FDCWD,
                    from.as_ptr(),
                    libc::AT_FDCWD,
                    to.as_ptr(),
                    libc::RENAME_EXCHANGE,
                )
            }
            .into(),
        )
    }),
    ("G1", "link out", |t| {
        create(&t.workspace.join("mine"))?;
        fs::hard_link(t.workspace.join("mine"), t.outside.join("new")).map_err(said)
    }),
    ("G1", "link in and write", |t| {
        fs::hard_link(file(t), t.workspace.join("hard")).map_err(said)?;
        append(&t.workspace.join("hard"))
    }),
    ("G1", "remove", |t| fs::remove_file(file(t)).map_err(said)),
    ("G1", "truncate", |t| {
        // SAFETY: the path lives through the call.
        call(unsafe { libc::truncate(c(&file(t)).as_ptr(), 0) }.into())
    }),
    ("G1", "write a start-up file of the shell", |t| {
        append(&t.home.join(".profile"))
    }),
    ("G1", "create a start-up file of the shell", |t| {
        create(&t.home.join(".zshenv"))
    }),
    ("G1", "write to the descriptor that was left open", |t| {
        // SAFETY: the buffer is one byte long.
        call(unsafe { libc::write(t.descriptor, b"x".as_ptr().cast(), 1) } as libc::c_long)
    }),
    ("G1", "set what the kernel starts after a crash", |_| {
        let mut open = fs::OpenOptions::new();
        open.write(true)
            .open("/proc/sys/kernel/core_pattern")
            .map(|_| ())
            .map_err(said)
    }),
    ("G1", "open a raw disk", |_| {
        let disks = fs::read_to_string("/proc/partitions").map_err(said)?;
        let disk = disks
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3))
            .nth(1);
        fs::File::open(Path::new("/dev").join(disk.unwrap_or("none")))
            .map(|_| ())
            .map_err(said)
    }),
    ("G1", "open the memory of the machine", |_| {
        fs::File::open("/dev/mem").map(|_| ()).map_err(said)
    }),
    ("G1", "join another control group", |_| {
        let groups = [
            "/sys/fs/cgroup/cgroup.procs",
            "/sys/fs/cgroup/unified/cgroup.procs",
        ];
        let mut open = fs::OpenOptions::new();
        let found = groups.iter().find_map(|path| open.write(true).open(path).ok());
        found.map(|_| ()).ok_or_else(|| "none could be opened".to_owned())
    }),
    // Attributes.
    ("G2", "change permissions", |t| {
        fs::set_permissions(file(t), fs::Permissions::from_mode(0o777)).map_err(said)
    }),
    ("G2", "change times", |t| {
        let times = [libc::timespec {
            tv_sec: 1,
            tv_nsec: 0,
        }; 2];
        // SAFETY: path and times live through the call.
        call(unsafe { libc::utimensat(libc::AT_FDCWD, c(&file(t)).as_ptr(), times.as_ptr(), 0) }.into())
    }),
    ("G2", "set an attribute", |t| {
        // SAFETY: all strings live through the call.
        call(
            unsafe {
                libc::setxattr(
                    c(&file(t)).as_ptr(),
                    c"user.x".as_ptr(),
                    b"1".as_ptr().cast(),
                    1,
                    0,
                )
            }
            .into(),
        )
    }),
    ("G2", "set a flag of the file system", |t| {
        let open = fs::File::open(file(t)).map_err(said)?;
        // `FS_IOC_SETFLAGS` with the flag against access times.
        let flags: libc::c_int = 0x80;
        // SAFETY: the request reads one integer.
        call(unsafe { libc::ioctl(open.as_raw_fd(), 0x4008_6602, &raw const flags) }.into())
    }),
    // Protected paths.
    ("G3", "write a hook", |t| {
        create(&t.workspace.join(".git/hooks/post-checkout"))
    }),
    ("G3", "change a hook", |t| {
        append(&t.workspace.join(".git/hooks/present"))
    }),
    ("G3", "replace the hooks", |t| {
        let git = t.workspace.join(".git");
        fs::rename(git.join("hooks"), git.join("gone")).map_err(said)
    }),
    ("G3", "write the configuration", |t| {
        append(&t.workspace.join(".git/config"))
    }),
    ("G3", "replace the configuration", |t| {
        create(&t.workspace.join(".git/config.lock"))?;
        let git = t.workspace.join(".git");
        fs::rename(git.join("config.lock"), git.join("config")).map_err(said)
    }),
    ("G3", "remove the configuration", |t| {
        fs::remove_file(t.workspace.join(".git/config")).map_err(said)
    }),
    ("G3", "rename the repository away", |t| {
        fs::rename(t.workspace.join(".git"), t.workspace.join("gone")).map_err(said)
    }),
    ("G3", "write settings of an editor", |t| {
        create(&t.workspace.join(".vscode/tasks.json"))
    }),
    ("G3", "replace settings of an editor", |t| {
        fs::rename(t.workspace.join(".vscode"), t.workspace.join("gone")).map_err(said)
    }),
    // Hidden paths.
    ("G4", "read", |t| read(&t.hidden)),
    ("names", "list", |t| {
        let mut found = fs::read_dir(t.hidden.parent().unwrap()).map_err(said)?;
        found.next().map(|_| ()).ok_or_else(|| "it is empty".to_owned())
    }),
    ("G4", "read through /proc/self/root", |t| {
        read(under("/proc/self/root", &t.hidden))
    }),
    ("G4", "read through the root of another process", |t| {
        read(under(&format!("/proc/{}/root", t.victim), &t.hidden))
    }),
    ("G4", "read through a link", |t| {
        symlink(&t.hidden, t.workspace.join("key")).map_err(said)?;
        read(t.workspace.join("key"))
    }),
    ("G4", "link and read", |t| {
        fs::hard_link(&t.hidden, t.workspace.join("key")).map_err(said)?;
        read(t.workspace.join("key"))
    }),
    ("G4", "rename and read", |t| {
        let away = t.home.join("renamed");
        fs::rename(t.hidden.parent().unwrap(), &away).map_err(said)?;
        read(away.join("key"))
    }),
    // Network.
    ("G5", "reach a port of the machine", |t| {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], t.tcp));
        TcpStream::connect_timeout(&address, Duration::from_secs(1))
            .map(|_| ())
            .map_err(said)
    }),
    ("G5", "send to a port of the machine", |t| {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).map_err(said)?;
        // The machine's own, if it arrives there; the test looks.
        socket.send_to(b"hello", ("127.0.0.1", t.udp)).map_err(said)?;
        Err("sent, but where to?".to_owned())
    }),
    ("G5", "find a way to another machine", |_| {
        let socket = UdpSocket::bind(("0.0.0.0", 0)).map_err(said)?;
        socket.connect(("192.0.2.1", 9)).map_err(said)
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
        let devices = fs::read_to_string("/proc/net/dev").map_err(said)?;
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
        UnixStream::connect(&t.socket).map(|_| ()).map_err(said)
    }),
    ("G6", "reach a socket by a link in the workspace", |t| {
        symlink(&t.socket, t.workspace.join("socket")).map_err(said)?;
        UnixStream::connect(t.workspace.join("socket"))
            .map(|_| ())
            .map_err(said)
    }),
    ("G6", "reach a socket by its name", |t| {
        let address = SocketAddr::from_abstract_name(t.abstract_name.as_bytes()).map_err(said)?;
        UnixStream::connect_addr(&address).map(|_| ()).map_err(said)
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
            .map_err(said)
    }),
    ("G7", "open its memory", |t| {
        fs::File::open(format!("/proc/{}/mem", t.victim))
            .map(|_| ())
            .map_err(said)
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
        let open = fs::File::open(format!("/proc/{}/ns/mnt", t.victim)).map_err(said)?;
        syscall(libc::SYS_setns, [open.as_raw_fd().into(), 0, 0, 0, 0])
    }),
    // Privilege.
    ("G8", "make a user namespace", |_| {
        forked(|| syscall(libc::SYS_unshare, [libc::CLONE_NEWUSER.into(), 0, 0, 0, 0]))
    }),
    ("G8", "make one by clone", |_| {
        let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
        // SAFETY: without a stack of its own the call works like fork; the child leaves at once.
        match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
            // SAFETY: the child of that call.
            0 => unsafe { libc::_exit(0) },
            child => call(child),
        }
    }),
    ("G8", "make one by clone3", |_| {
        let args = CloneArgs {
            flags: libc::CLONE_NEWUSER as u64,
            rest: [0; 10],
        };
        // SAFETY: the structure has the size that is given.
        match unsafe { libc::syscall(libc::SYS_clone3, pointer(&args), size_of::<CloneArgs>()) } {
            // SAFETY: the child of that call.
            0 => unsafe { libc::_exit(0) },
            child => call(child),
        }
    }),
    #[cfg(target_arch = "x86_64")]
    ("G8", "call by the numbers of x32", |_| {
        syscall(0x4000_0000 | libc::SYS_getpid, [0; 5])
    }),
    #[cfg(target_arch = "x86_64")]
    ("G8", "make a user namespace by the numbers of x32", |_| {
        forked(|| {
            syscall(
                0x4000_0000 | libc::SYS_unshare,
                [libc::CLONE_NEWUSER.into(), 0, 0, 0, 0],
            )
        })
    }),
    ("G8", "remount the root", |_| {
        let flags = libc::MS_REMOUNT | libc::MS_BIND;
        syscall(
            libc::SYS_mount,
            [
                0,
                pointer(c"/".to_bytes_with_nul().first().unwrap()),
                0,
                flags as libc::c_long,
                0,
            ],
        )
    }),
    ("G8", "remove a protection", |t| {
        let place = c(&t.workspace.join(".git/hooks"));
        syscall(
            libc::SYS_umount2,
            [place.as_ptr() as libc::c_long, libc::MNT_DETACH.into(), 0, 0, 0],
        )
    }),
    ("G8", "open a file system", |_| {
        syscall(libc::SYS_fsopen, [c"tmpfs".as_ptr() as libc::c_long, 0, 0, 0, 0])
    }),
    ("G8", "take a tree of mounts", |_| {
        syscall(
            libc::SYS_open_tree,
            [-100, c"/".as_ptr() as libc::c_long, 1, 0, 0],
        )
    }),
    ("G8", "change the root", |_| {
        syscall(libc::SYS_chroot, [c"/".as_ptr() as libc::c_long, 0, 0, 0, 0])
    }),
    ("G8", "make a device", |t| {
        let place = c(&t.workspace.join("null"));
        // SAFETY: the path lives through the call.
        call(unsafe { libc::mknod(place.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(1, 3)) }.into())
    }),
    ("G8", "open by a handle", |_| {
        let handle = [8_u32, 1, 0, 0];
        syscall(libc::SYS_open_by_handle_at, [-100, pointer(&handle), 0, 0, 0]).or_else(|error| {
            // A handle that leads nowhere shows that handles are opened.
            if error.contains("Stale") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
    ("G8", "set the user id of a program", |t| {
        create(&t.workspace.join("program"))?;
        fs::set_permissions(t.workspace.join("program"), fs::Permissions::from_mode(0o4755)).map_err(said)
    }),
    ("G8", "create a program with a user id", |t| {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut open = fs::OpenOptions::new();
        open.write(true).create_new(true).mode(0o4755);
        open.open(t.workspace.join("program")).map(|_| ()).map_err(said)
    }),
    ("G8", "create one by the newer call", |t| {
        let place = c(&t.workspace.join("program"));
        let how = [(libc::O_CREAT | libc::O_WRONLY) as u64, 0o4755, 0];
        let at = libc::AT_FDCWD.into();
        syscall(
            libc::SYS_openat2,
            [at, place.as_ptr() as libc::c_long, pointer(&how), 24, 0],
        )
    }),
    ("G8", "add a key", |_| {
        let (kind, name) = (c"user".as_ptr() as libc::c_long, c"x".as_ptr() as libc::c_long);
        syscall(libc::SYS_add_key, [kind, name, name, 1, -4])
    }),
    ("G8", "load a program into the kernel", |_| {
        let attributes = [0_u64; 16];
        syscall(libc::SYS_bpf, [0, pointer(&attributes), 128, 0, 0]).or_else(|error| {
            if error.contains("Invalid") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
    ("G8", "make a ring", |_| {
        let parameters = [0_u32; 30];
        syscall(libc::SYS_io_uring_setup, [1, pointer(&parameters), 0, 0, 0])
    }),
    ("G8", "handle page faults", |_| {
        syscall(libc::SYS_userfaultfd, [0; 5])
    }),
    ("G8", "count events of the machine", |_| {
        let attributes = [0_u64; 16];
        syscall(libc::SYS_perf_event_open, [pointer(&attributes), 0, -1, -1, 0]).or_else(|error| {
            if error.contains("Invalid") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
    ("G8", "hold a capability", |_| {
        let status = fs::read_to_string("/proc/self/status").map_err(said)?;
        let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let held = u64::from_str_radix(line.unwrap_or("0").trim(), 16).map_err(said)?;
        // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE
        let kept = [0, 1, 3, 4, 5, 6, 7, 10]
            .iter()
            .fold(0, |all, bit| all | 1_u64 << bit);
        if held & !kept == 0 {
            Err("it holds none".to_owned())
        } else {
            Ok(())
        }
    }),
    ("G8", "set the clock", |_| {
        let now = libc::timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        // A time that cannot be set shows that the call is made.
        syscall(libc::SYS_clock_settime, [1, pointer(&now), 0, 0, 0]).or_else(|error| {
            if error.contains("Invalid") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
    // The terminal.
    ("G9", "open the terminal", |t| {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut open = fs::OpenOptions::new();
        let open = open.write(true).custom_flags(libc::O_NOCTTY).open(&t.terminal);
        open.and_then(|mut open| open.write_all(b"forged")).map_err(said)
    }),
    ("G9", "open its own terminal", |_| {
        fs::File::open("/dev/tty").map(|_| ()).map_err(said)
    }),
    ("G9", "type into a terminal", |_| {
        // SAFETY: opens a terminal of this child alone.
        let terminal = unsafe { libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY) };
        call(terminal.into())?;
        // SAFETY: the request reads one byte.
        call(unsafe { libc::ioctl(terminal, libc::TIOCSTI, c"x".as_ptr()) }.into()).or_else(|error| {
            if error.contains("Input/output") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
    ("G9", "type into a terminal by a longer number", |_| {
        // SAFETY: opens a terminal of this child alone.
        let terminal = unsafe { libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY) };
        call(terminal.into())?;
        let request = libc::TIOCSTI as libc::c_long | 1 << 40;
        syscall(
            libc::SYS_ioctl,
            [terminal.into(), request, c"x".as_ptr() as libc::c_long, 0, 0],
        )
        .or_else(|error| {
            if error.contains("Input/output") {
                Ok(())
            } else {
                Err(error)
            }
        })
    }),
];

/// The part of the child: makes its attempt and prints what came of it.
#[test]
fn a_part_of_an_attempt() {
    let Ok(text) = std::env::var(PART) else { return };
    let targets: Targets = serde_json::from_str(&text).unwrap();
    let (_, _, attempt) = ATTEMPTS
        .iter()
        .find(|(_, name, _)| *name == targets.name)
        .unwrap();
    match attempt(&targets) {
        Ok(()) => println!("{DONE}"),
        Err(error) => println!("{REFUSED}{error}"),
    }
}
