//! Enters new namespaces.
//!
//! Must not know: what is mounted in them.
#![expect(
    unsafe_code,
    reason = "the library's only call for namespaces may close descriptors of other threads, and there are none"
)]

use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{self, Mode, OFlags};
use rustix::thread::{
    CapabilitySet, LinkNameSpaceType, UnshareFlags, capabilities, move_into_link_name_space, unshare_unsafe,
};

use super::Failed;

/// Enters namespaces for mounts and System V objects, and one for the network where the child has its own. Without the
/// privilege to do so, a user namespace in which the ids stay what they are.
pub(super) fn enter(own_network: bool) -> Result<(), Failed> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if own_network {
        flags |= UnshareFlags::NEWNET;
    }
    unshare(flags)
}

/// Enters a namespace for mounts, as [`enter`] does. Returns true if a user namespace owns it.
pub(super) fn enter_for_mounts() -> Result<bool, Failed> {
    let before = may_mount();
    unshare(UnshareFlags::NEWNS)?;
    Ok(!before)
}

/// Enters the namespaces of layers: that of the mounts comes first, then the one that owns it, if there is one.
pub(super) fn join(layers: &[OwnedFd]) -> Result<(), Failed> {
    let kinds = [LinkNameSpaceType::Mount, LinkNameSpaceType::User];
    for (layer, kind) in layers.iter().zip(kinds).rev() {
        move_into_link_name_space(layer.as_fd(), Some(kind)).map_err(Failed::at("cache"))?;
    }
    Ok(())
}

fn may_mount() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_ADMIN))
}

fn unshare(mut flags: UnshareFlags) -> Result<(), Failed> {
    let may = may_mount();
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if !may {
        flags |= UnshareFlags::NEWUSER;
    }
    // SAFETY: the flags do not change how file descriptors are shared, and the helper has one thread.
    unsafe { unshare_unsafe(flags) }.map_err(Failed::at("namespaces"))?;
    if may {
        return Ok(());
    }
    let write = |name: &str, text: String| {
        let path = format!("/proc/self/{name}");
        let written = fs::open(path.as_str(), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
            .and_then(|file| rustix::io::write(file, text.as_bytes()));
        written.map_err(Failed::on("user namespace", path.as_ref()))?;
        Ok(())
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{0} {0} 1", user.as_raw()))?;
    write("gid_map", format!("{0} {0} 1", group.as_raw()))
}
