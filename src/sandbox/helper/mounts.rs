//! Arranges what a mount namespace shows: everything read only, some places writable, private or covered.
//!
//! Must not know: why a place is in the plan.

use std::ffi::{CString, OsStr};
use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, StatVfsMountFlags, fstat, mkdirat, openat, statvfs};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};

use super::{Failed, mount_table};
use crate::plan::{Cache, Plan};
use overrule_domain::sandbox::Guarantee;

/// Directories in whose place a child sees private ones: the path, and the name in the private directory.
const REPLACED: [(&str, &str); 3] = [("/tmp", "tmp"), ("/var/tmp", "var-tmp"), ("/run", "run")];

/// Arranges the mounts of this namespace.
pub(super) fn set_up(plan: &Plan) -> Result<(), Failed> {
    let propagation = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", propagation).map_err(Failed::at("private mounts"))?;
    // Before a directory below is bound: it would be that of the layer.
    for lower in &plan.layered {
        if !plan.caches.iter().any(|cache| cache.lower == *lower) {
            unmount(lower, UnmountFlags::DETACH).map_err(Failed::on("cache", lower))?;
        }
    }
    let writable = plan.writable();
    for place in &writable {
        mount_bind_recursive(*place, *place).map_err(Failed::on("writable directory", place))?;
    }
    // A private layer is on a file system that can be written while it is mounted.
    if plan.layered.is_empty() {
        plan.caches.iter().try_for_each(overlay)?;
    }
    let cover = Cover::make(&plan.scratch.join("cover"))?;
    let mut kept_writable: Vec<&Path> = writable.clone();
    kept_writable.extend(plan.caches.iter().map(|cache| cache.lower.as_path()));
    let mut replaced = Vec::new();
    for (place, own) in REPLACED {
        replaced.extend(Replaced::prepare(
            plan,
            Path::new(place),
            &plan.scratch.join(own),
        )?);
    }
    for one in replaced {
        one.show()?;
        if one.is_writable {
            kept_writable.push(one.place);
        }
    }
    shared_memory()?;
    kept_writable.push(Path::new("/dev/shm"));
    read_only(plan, &kept_writable)?;
    for place in &plan.pinned {
        mount_bind_recursive(place, place).map_err(Failed::on("repository", place))?;
    }
    for place in &plan.read_only {
        // A pipe or a socket takes what is written to it, also where its mount is read-only.
        if fs::symlink_metadata(place).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            cover.over(place).map_err(Failed::on("protected path", place))?;
            continue;
        }
        mount_bind(place, place)
            .and_then(|()| remount_read_only(place))
            .map_err(Failed::on("protected path", place))?;
    }
    for place in plan.hidden() {
        cover.over(place).map_err(Failed::on("hidden path", place))?;
    }
    if !plan.keeps_terminal {
        terminals()?;
    }
    Ok(())
}

/// Mounts the layers of a plan, for the namespaces that are copies of this one. What is mounted outside later is seen in them.
pub(super) fn layers(plan: &Plan) -> Result<(), Failed> {
    let propagation = MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM;
    mount_change("/", propagation).map_err(Failed::at("private mounts"))?;
    plan.caches.iter().try_for_each(overlay)
}

/// A private directory that is shown in place of another one.
struct Replaced {
    place: &'static Path,
    /// The private directory, by its descriptor: where it lies may be replaced before it.
    own: OwnedFd,
    is_writable: bool,
}

impl Replaced {
    /// Prepares a private directory: what a child needs below the place stays where it is. Returns none where there is no
    /// such place.
    fn prepare(plan: &Plan, place: &'static Path, own: &Path) -> Result<Option<Self>, Failed> {
        // A link leads to a directory that is replaced itself, or read only.
        if !fs::symlink_metadata(place).is_ok_and(|about| about.is_dir()) {
            return Ok(None);
        }
        let lost = |path: &Path, error: &std::io::Error| {
            Failed::because("private directory")(format!("{}: {error}", path.display()))
        };
        let is_writable = place != Path::new("/run");
        if !is_writable {
            links_of(place, own);
        }
        let writable = plan.writable();
        // At level 2 the workspace is read.
        let read = plan
            .profile
            .write
            .iter()
            .map(Path::new)
            .chain(plan.home.as_deref());
        let kept = writable.iter().copied().chain(read);
        let mut done: Vec<&Path> = Vec::new();
        let directory = opened("private directory", own)?;
        for path in kept {
            let Ok(rest) = path.strip_prefix(place) else {
                continue;
            };
            if rest.as_os_str().is_empty() || done.iter().any(|one| path.starts_with(one)) {
                continue;
            }
            let point = MountPoint {
                directory: &directory,
                rest,
            };
            let shown = own.join(rest);
            let is_dir = fs::metadata(path).map_err(|error| lost(path, &error))?.is_dir();
            let made = point
                .make(is_dir)
                .map_err(Failed::on("private directory", &shown))?;
            mount_bind_recursive(path, named(&made)).map_err(Failed::on("private directory", &shown))?;
            if !writable.contains(&path) {
                let caches = plan.caches.iter().map(|cache| cache.lower.as_path());
                let stays: Vec<&Path> = writable.iter().copied().chain(caches).collect();
                point.read_only(&shown, |below| {
                    let place = path.join(below);
                    stays.iter().any(|one| place.starts_with(one))
                })?;
            }
            done.push(path);
        }
        Ok(Some(Self {
            place,
            own: directory,
            is_writable,
        }))
    }

    fn show(&self) -> Result<(), Failed> {
        mount_bind_recursive(named(&self.own), self.place)
            .map_err(Failed::on("private directory", self.place))
    }
}

/// Opens a path as a place to mount from.
fn opened(step: &'static str, path: &Path) -> Result<OwnedFd, Failed> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(Failed::on(step, path))
}

/// The path of an open place, whatever is mounted over it.
fn named(place: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", place.as_raw_fd())
}

/// A place below a private directory. The commands of the session write there, so no link on the way is followed.
struct MountPoint<'a> {
    directory: &'a OwnedFd,
    /// The path below it.
    rest: &'a Path,
}

impl MountPoint<'_> {
    /// Makes what can be mounted on, a directory or an empty file, and opens it.
    fn make(&self, is_dir: bool) -> Result<OwnedFd, Errno> {
        let mut at = rustix::io::dup(self.directory)?;
        let mut names = self.rest.iter().peekable();
        while let Some(name) = names.next() {
            let made = if is_dir || names.peek().is_some() {
                mkdirat(&at, name, Mode::RWXU)
            } else {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                openat(&at, name, flags, Mode::RUSR | Mode::WUSR).map(drop)
            };
            match made {
                Ok(()) | Err(Errno::EXIST) => at = below(&at, name)?,
                Err(error) => return Err(error),
            }
        }
        Ok(at)
    }

    /// Opens what is mounted there, or a path below it.
    fn open(&self, below_it: &Path) -> Result<OwnedFd, Errno> {
        let mut names = self.rest.iter().chain(below_it);
        names.try_fold(rustix::io::dup(self.directory)?, |at, name| below(&at, name))
    }

    /// Makes what is mounted there read only, with every mount below but those that stay. `shown` is its path.
    fn read_only(&self, shown: &Path, stays: impl Fn(&Path) -> bool) -> Result<(), Failed> {
        let table = mount_table::mount_points().map_err(Failed::because("list of mounts"))?;
        let mounts = table.iter().filter_map(|place| place.strip_prefix(shown).ok());
        for mount in mounts.filter(|mount| !stays(mount)) {
            self.open(mount)
                .and_then(|place| remount_read_only(Path::new(&named(&place))))
                .map_err(Failed::on("private directory", &shown.join(mount)))?;
        }
        Ok(())
    }
}

/// Opens an entry of a directory that is no link.
fn below(directory: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let entry = openat(directory, name, flags, Mode::empty())?;
    match FileType::from_raw_mode(fstat(&entry)?.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(entry),
    }
}

/// Keeps the links of `/run` that lead out of it: some systems find their programs by them.
fn links_of(run: &Path, own: &Path) {
    for entry in fs::read_dir(run).into_iter().flatten().flatten() {
        if let Ok(target) = fs::read_link(entry.path())
            && target.is_absolute()
            && !target.starts_with(run)
        {
            let _ = symlink(&target, own.join(entry.file_name()));
        }
    }
}

/// Shows an own file system for shared memory.
fn shared_memory() -> Result<(), Failed> {
    let place = Path::new("/dev/shm");
    if !fs::symlink_metadata(place).is_ok_and(|about| about.is_dir()) {
        return Ok(());
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", place, "tmpfs", flags, c"mode=1777").map_err(Failed::on("shared memory", place))
}

/// Makes every mount read only that is not below a writable place. One that stays writable is left to the rules about
/// paths, and the probes tell whether those hold.
fn read_only(plan: &Plan, writable: &[&Path]) -> Result<(), Failed> {
    let table = mount_table::mount_points().map_err(Failed::because("list of mounts"))?;
    for place in table {
        if writable.iter().any(|one| place.starts_with(one)) {
            continue;
        }
        if let Err(error) = remount_read_only(&place)
            && place == Path::new("/")
            && plan.promises(Guarantee::Writes)
        {
            return Err(Failed::on("read-only mounts", &place)(error));
        }
    }
    Ok(())
}

/// Makes a mount read only. Its other flags stay: in a user namespace they cannot be taken away.
fn remount_read_only(place: &Path) -> Result<(), Errno> {
    let held = statvfs(place)?.f_flag;
    if held.contains(StatVfsMountFlags::RDONLY) {
        return Ok(());
    }
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    for (flag, same) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if held.contains(flag) {
            flags |= same;
        }
    }
    mount_remount(place, flags, c"")
}

/// An empty file system whose directory and file stand in place of others.
struct Cover {
    dir: OwnedFd,
    file: OwnedFd,
}

impl Cover {
    fn make(place: &Path) -> Result<Self, Failed> {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount("tmpfs", place, "tmpfs", flags, c"mode=755,size=64k").map_err(Failed::on("cover", place))?;
        let lost = |error: std::io::Error| Failed::because("cover")(error.to_string());
        let (dir, file) = (place.join("dir"), place.join("file"));
        fs::DirBuilder::new().mode(0o000).create(&dir).map_err(lost)?;
        let made = overrule_regular_file::create(&file).map_err(lost)?;
        made.set_permissions(fs::Permissions::from_mode(0o000))
            .map_err(lost)?;
        Ok(Self {
            dir: opened("cover", &dir)?,
            file: opened("cover", &file)?,
        })
    }

    fn over(&self, place: &Path) -> Result<(), Errno> {
        // What does not exist cannot be read.
        let Ok(about) = fs::symlink_metadata(place) else {
            return Ok(());
        };
        if about.is_symlink() {
            return Ok(());
        }
        let by = if about.is_dir() { &self.dir } else { &self.file };
        // By its descriptor: its own place may be covered already.
        mount_bind(named(by), place).and_then(|()| remount_read_only(place))
    }
}

/// Shows a cache through a private layer.
fn overlay(cache: &Cache) -> Result<(), Failed> {
    let part = |path: &Path| -> Vec<u8> {
        let mut text = Vec::new();
        for byte in path.as_os_str().as_encoded_bytes() {
            if matches!(byte, b'\\' | b',' | b':') {
                text.push(b'\\');
            }
            text.push(*byte);
        }
        text
    };
    let options = [
        b"userxattr,lowerdir=".as_slice(),
        &part(&cache.lower),
        b",upperdir=",
        &part(&cache.upper),
        b",workdir=",
        &part(&cache.work),
    ];
    let options =
        CString::new(options.concat()).map_err(|error| Failed::because("cache")(error.to_string()))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("overlay", &cache.lower, "overlay", flags, options.as_c_str())
        .map_err(Failed::on("cache", &cache.lower))
}

/// Shows terminals of its own, so that those of others cannot be opened.
fn terminals() -> Result<(), Failed> {
    let place = Path::new("/dev/pts");
    if !place.is_dir() {
        return Ok(());
    }
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    mount(
        "devpts",
        place,
        "devpts",
        flags,
        c"newinstance,ptmxmode=0666,mode=0620",
    )
    .map_err(Failed::on("terminals", place))?;
    let multiplexer = Path::new("/dev/ptmx");
    if fs::symlink_metadata(multiplexer).is_ok_and(|about| about.file_type().is_char_device()) {
        mount_bind(place.join("ptmx"), multiplexer).map_err(Failed::on("terminals", multiplexer))?;
    }
    Ok(())
}
