//! Attempts on files: writes, attributes, protected and hidden paths.
//!
//! Must not know: how a test judges it.

use std::ffi::CString;
use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::Attempt;
use super::support::{append, c, call, create, describe, file, read, under, up};

pub(super) const ATTEMPTS: &[Attempt] = &[
    // Writes.
    ("G1", "write by its path", |t| append(&file(t))),
    ("G1", "write by a relative path", |t| append(&up(t))),
    ("G1", "write through a link that was there", |t| {
        append(&t.workspace.join("link"))
    }),
    ("G1", "write through a new link", |t| {
        symlink(file(t), t.workspace.join("new link")).map_err(describe)?;
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
        let open = fs::File::open(file(t)).map_err(describe)?;
        append(Path::new(&format!("/proc/self/fd/{}", open.as_raw_fd())))
    }),
    ("G1", "create", |t| create(&t.outside.join("new"))),
    ("G1", "create a directory", |t| {
        fs::create_dir(t.outside.join("new")).map_err(describe)
    }),
    ("G1", "create a link", |t| {
        symlink("x", t.outside.join("new")).map_err(describe)
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
        let open = open.map_err(describe)?;
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
        fs::rename(t.workspace.join("mine"), t.outside.join("new")).map_err(describe)
    }),
    ("G1", "rename in", |t| {
        fs::rename(file(t), t.workspace.join("stolen")).map_err(describe)
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
        fs::hard_link(t.workspace.join("mine"), t.outside.join("new")).map_err(describe)
    }),
    ("G1", "link in and write", |t| {
        fs::hard_link(file(t), t.workspace.join("hard")).map_err(describe)?;
        append(&t.workspace.join("hard"))
    }),
    ("G1", "remove", |t| fs::remove_file(file(t)).map_err(describe)),
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
            .map_err(describe)
    }),
    ("G1", "open a raw disk", |_| {
        let disks = fs::read_to_string("/proc/partitions").map_err(describe)?;
        let disk = disks
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3))
            .nth(1);
        fs::File::open(Path::new("/dev").join(disk.unwrap_or("none")))
            .map(|_| ())
            .map_err(describe)
    }),
    ("G1", "open the memory of the machine", |_| {
        fs::File::open("/dev/mem").map(|_| ()).map_err(describe)
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
        fs::set_permissions(file(t), fs::Permissions::from_mode(0o777)).map_err(describe)
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
        let open = fs::File::open(file(t)).map_err(describe)?;
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
        fs::rename(git.join("hooks"), git.join("gone")).map_err(describe)
    }),
    ("G3", "write the configuration", |t| {
        append(&t.workspace.join(".git/config"))
    }),
    ("G3", "replace the configuration", |t| {
        create(&t.workspace.join(".git/config.lock"))?;
        let git = t.workspace.join(".git");
        fs::rename(git.join("config.lock"), git.join("config")).map_err(describe)
    }),
    ("G3", "remove the configuration", |t| {
        fs::remove_file(t.workspace.join(".git/config")).map_err(describe)
    }),
    ("G3", "rename the repository away", |t| {
        fs::rename(t.workspace.join(".git"), t.workspace.join("gone")).map_err(describe)
    }),
    ("G3", "write settings of an editor", |t| {
        create(&t.workspace.join(".vscode/tasks.json"))
    }),
    ("G3", "replace settings of an editor", |t| {
        fs::rename(t.workspace.join(".vscode"), t.workspace.join("gone")).map_err(describe)
    }),
    // Hidden paths.
    ("G4", "read", |t| read(&t.hidden)),
    ("names", "list", |t| {
        let mut found = fs::read_dir(t.hidden.parent().unwrap()).map_err(describe)?;
        found.next().map(|_| ()).ok_or_else(|| "it is empty".to_owned())
    }),
    ("G4", "read through /proc/self/root", |t| {
        read(under("/proc/self/root", &t.hidden))
    }),
    ("G4", "read through the root of another process", |t| {
        read(under(&format!("/proc/{}/root", t.victim), &t.hidden))
    }),
    ("G4", "read through a link", |t| {
        symlink(&t.hidden, t.workspace.join("key")).map_err(describe)?;
        read(t.workspace.join("key"))
    }),
    ("G4", "link and read", |t| {
        fs::hard_link(&t.hidden, t.workspace.join("key")).map_err(describe)?;
        read(t.workspace.join("key"))
    }),
    ("G4", "rename and read", |t| {
        let away = t.home.join("renamed");
        fs::rename(t.hidden.parent().unwrap(), &away).map_err(describe)?;
        read(away.join("key"))
    }),
];
