//! Proves the guarantees on this machine.
//!
//! Must not know: how a guarantee is held, where results are shown.

pub(crate) mod attempts;
mod trial;

use std::io;
use std::path::Path;

pub(crate) use trial::{PROBE, Targets, Tried};

use crate::start::Helper;
use overrule_domain::sandbox::Missing;

/// What a machine can do for a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// True where children get namespaces of their own; else they are confined without.
    pub namespaces: bool,
    /// True where caches can have a private layer.
    pub overlays: bool,
    /// Guarantees that could not be proven.
    pub missing: Vec<Missing>,
}

/// Finds out what this machine can do. `store` is the directory of all sandboxes; a directory below it is made for the time
/// of the probe. Without `with_namespaces` none are tried.
#[cfg(target_os = "linux")]
pub async fn examine(helper: &Helper, store: &Path, with_namespaces: bool) -> io::Result<Machine> {
    trial::examine(helper, store, with_namespaces).await
}

/// Finds out what this machine can do. `store` is the directory of all sandboxes; a directory below it is made for the time
/// of the probe. This system has no namespaces.
#[cfg(not(target_os = "linux"))]
pub async fn examine(helper: &Helper, store: &Path, _: bool) -> io::Result<Machine> {
    trial::without_namespaces(helper, store).await
}
