//! Gives up capabilities.
//!
//! Must not know: namespaces, files.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    remove_capability_from_bounding_set, set_capabilities,
};

use super::Failed;

/// What root keeps: builds and package managers change owners and users, and servers of tests take ports.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Gives up every capability that a command does not need; one that does not run as root has none.
pub(super) fn give_up() -> Result<(), Failed> {
    let failed = || Failed::at("capabilities");
    let held = capabilities(None).map_err(failed())?;
    let kept = if rustix::process::geteuid().is_root() {
        KEPT
    } else {
        CapabilitySet::empty()
    };
    // What is not in the bounding set is not gained by a program that begins.
    for bit in 0..64 {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        match capability_is_in_bounding_set(one) {
            // The system has no more.
            Err(Errno::INVAL) => break,
            Ok(true) if !kept.contains(one) => {}
            _ => continue,
        }
        match remove_capability_from_bounding_set(one) {
            // Whoever has none cannot gain any: no program gives new privileges.
            Err(Errno::PERM) if held.permitted.is_empty() => break,
            removed => removed.map_err(failed())?,
        }
    }
    let sets = CapabilitySets {
        effective: held.effective.intersection(kept),
        permitted: held.permitted.intersection(kept),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets).map_err(failed())
}

/// Returns true if this process holds and can gain no more than what is kept.
pub(super) fn are_given_up() -> bool {
    let Ok(held) = capabilities(None) else {
        return false;
    };
    let mut gains = (0..64).filter_map(|bit| {
        let one = CapabilitySet::from_bits_retain(1 << bit);
        (!KEPT.contains(one)).then(|| capability_is_in_bounding_set(one))
    });
    let has_all = held.effective.union(held.permitted).union(held.inheritable);
    // Whoever is not root and holds none gains none, whatever the bounding set says.
    let is_bare = !rustix::process::geteuid().is_root() && has_all.is_empty();
    KEPT.contains(has_all) && (is_bare || !gains.any(|gain| gain == Ok(true)))
}
