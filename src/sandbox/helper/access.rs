//! Restricts which files this process opens and which processes it reaches, by the kernel's rules for unprivileged
//! programs (Landlock).
//!
//! Must not know: mounts, system calls.
//!
//! Rules only add: a path is readable because it, or a directory above it, is named. So all siblings of a hidden path are
//! named, and not their parent.

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::Failed;
use crate::plan::Plan;
use overrule_domain::sandbox::Guarantee;

/// The newest version of the rules that is used.
const NEWEST: ABI = ABI::V9;
/// Devices that every program may use, below `/dev`. A `*` at the end stands for the rest of a name.
const DEVICES: [&str; 8] = [
    "null", "zero", "full", "random", "urandom", "dri", "kfd", "nvidia*",
];
/// The terminals: those of a mount namespace are its own, or the child keeps that of its parent.
const TERMINALS: [&str; 3] = ["tty", "ptmx", "pts"];

/// Restricts this process for good. Returns the version of the rules that the kernel has; none where it has no such rules.
pub(super) fn restrict(plan: &Plan) -> Result<Option<ABI>, Failed> {
    let failed = |error: RulesetError| Failed::because("rules for files")(error.to_string());
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .map_err(failed)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)
        .map_err(failed)?
        .create()
        .map_err(failed)?;
    ruleset = allow(ruleset, Path::new("/"), AccessFs::ReadDir.into()).map_err(failed)?;
    let hidden: Vec<&Path> = plan.hidden().collect();
    let looks = AccessFs::from_read(NEWEST);
    let mut siblings = Vec::new();
    list_siblings(Path::new("/"), &hidden, &mut siblings);
    for path in &siblings {
        ruleset = allow(ruleset, path, looks).map_err(failed)?;
    }
    for path in writable(plan) {
        ruleset = allow(ruleset, &path, AccessFs::from_all(NEWEST)).map_err(failed)?;
    }
    let uses = AccessFs::from_file(NEWEST) | AccessFs::ReadDir;
    for path in devices(plan) {
        ruleset = allow(ruleset, &path, uses).map_err(failed)?;
    }
    let status = ruleset.restrict_self().map_err(failed)?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi),
        _ => None,
    };
    if abi.is_none() && !plan.namespaces && plan.promises(Guarantee::Writes) {
        return Err(Failed::because("rules for files")(
            "the system has none".to_owned(),
        ));
    }
    Ok(abi)
}

/// Allows access to a path. What has gone, or is no directory, gets less.
fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    // A link is followed when it is used, and what it leads to has rules of its own.
    let Ok(about) = fs::symlink_metadata(path) else {
        return Ok(ruleset);
    };
    if about.is_symlink() {
        return Ok(ruleset);
    }
    let Ok(descriptor) = PathFd::new(path) else {
        return Ok(ruleset);
    };
    let access = if about.is_dir() {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    };
    ruleset.add_rule(PathBeneath::new(descriptor, access))
}

/// Lists everything that is not hidden: each path as high as nothing below it is.
fn list_siblings(directory: &Path, hidden: &[&Path], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path == Path::new("/dev") || hidden.contains(&path.as_path()) {
            continue;
        }
        if hidden.iter().any(|one| one.starts_with(&path)) {
            list_siblings(&path, hidden, found);
        } else {
            found.push(path);
        }
    }
}

/// The directories that a child writes: those of the profile, the temporary ones, and caches with their private layer.
fn writable(plan: &Plan) -> Vec<PathBuf> {
    let own = plan.writable().into_iter().map(Path::to_path_buf);
    let temporary: Vec<PathBuf> = if plan.namespaces {
        ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from).to_vec()
    } else {
        vec![plan.temporary()]
    };
    let caches = plan.caches.iter().map(|cache| {
        if plan.namespaces {
            cache.lower.clone()
        } else {
            cache.upper.clone()
        }
    });
    own.chain(temporary).chain(caches).collect()
}

fn devices(plan: &Plan) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let has_terminals = plan.namespaces || plan.keeps_terminal;
    let terminals = TERMINALS.iter().filter(|_| has_terminals);
    let listed: Vec<&str> = DEVICES.iter().chain(terminals).copied().collect();
    for entry in fs::read_dir("/dev").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_listed = |one: &str| match one.strip_suffix('*') {
            Some(start) => name.as_encoded_bytes().starts_with(start.as_bytes()),
            None => name == *one,
        };
        if listed.iter().any(|one| is_listed(one)) {
            found.push(entry.path());
        }
    }
    found
}
