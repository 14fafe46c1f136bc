//! Attempts to gain privileges, and to reach the terminal.
//!
//! Must not know: how a test judges it.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use super::Attempt;
use super::support::{c, call, create, describe, forked, pointer, syscall};

#[repr(C)]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    rest: [u64; 10],
}
pub(super) const ATTEMPTS: &[Attempt] = &[
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
    ("G8", "make a set-user-id file as a node", |t| {
        let path = c(&t.workspace.join("node"));
        let mode = libc::S_IFREG | libc::S_ISUID | 0o755;
        let at = libc::c_long::from(libc::AT_FDCWD);
        let args = [at, path.as_ptr() as libc::c_long, mode.into(), 0, 0];
        syscall(libc::SYS_mknodat, args)
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
        fs::set_permissions(t.workspace.join("program"), fs::Permissions::from_mode(0o4755)).map_err(describe)
    }),
    ("G8", "create a program with a user id", |t| {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut open = fs::OpenOptions::new();
        open.write(true).create_new(true).mode(0o4755);
        open.open(t.workspace.join("program"))
            .map(|_| ())
            .map_err(describe)
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
        let status = fs::read_to_string("/proc/self/status").map_err(describe)?;
        let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        let held = u64::from_str_radix(line.unwrap_or("0").trim(), 16).map_err(describe)?;
        // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE
        let retained = [0, 1, 3, 4, 5, 6, 7, 10]
            .iter()
            .fold(0, |all, bit| all | 1_u64 << bit);
        if held & !retained == 0 {
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
        open.and_then(|mut open| open.write_all(b"forged"))
            .map_err(describe)
    }),
    ("G9", "open its own terminal", |_| {
        fs::File::open("/dev/tty").map(|_| ()).map_err(describe)
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
