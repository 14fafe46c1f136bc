//! Confines the process of a server: its own level, directories and hosts, with the sandbox of the run as base.
//!
//! Must not know: the protocol, how a kernel confines.

use std::sync::Arc;

use overrule_base::text::visible;
use overrule_domain::sandbox::{Guarantee, Level, Profile};
use overrule_sandbox::network::Hosts;
use overrule_sandbox::session::{Own, Planned, Sandbox};

use super::setup::{Confinement, ServerConfig, Via};

/// The sandbox of the run, with its profile.
pub type OfRun = (Arc<Sandbox>, Arc<Profile>);

/// How a process is confined.
pub(super) struct Confined {
    pub(super) planned: Planned,
    pub(super) hosts: Hosts,
}

/// What is shown of a server that is confined.
pub(super) const CONFINED: &str = "confined";
/// What is shown where a guarantee is missing.
const PARTIAL: &str = "confined, partial";
/// What is shown of a server that may do everything.
const NOT_CONFINED: &str = "not confined";
/// What is shown of a server that would have to be confined, and is not started.
const NOT_STARTED: &str = "not started";

/// Says how a server is confined; none where it is no program of this machine.
pub(super) fn label(config: &ServerConfig, run: Option<&OfRun>) -> Option<&'static str> {
    if matches!(config.via, Via::Http { .. }) {
        return None;
    }
    if config.confinement.level == Level::Off {
        return Some(NOT_CONFINED);
    }
    Some(match profile(&config.confinement, run) {
        Ok((_, profile)) if profile.missing.is_empty() => CONFINED,
        Ok(_) => PARTIAL,
        Err(_) => NOT_STARTED,
    })
}

/// Says what a confined server may do although its level forbids it; none if nothing.
pub(super) fn losses(config: &ServerConfig, run: Option<&OfRun>) -> Option<String> {
    if config.confinement.level == Level::Off || matches!(config.via, Via::Http { .. }) {
        return None;
    }
    let (_, profile) = profile(&config.confinement, run).ok()?;
    let lost = |one: Guarantee| match one {
        // Nobody watches what it changes.
        Guarantee::Protected => "protected files can be changed",
        one => one.loss(),
    };
    let losses: Vec<&str> = profile.missing.iter().map(|one| lost(one.guarantee)).collect();
    (!losses.is_empty()).then(|| format!("{}: {}", profile.label(), losses.join("; ")))
}

/// Plans how the process of a server is confined; none where it may do everything.
///
/// # Errors
///
/// Says why it cannot be confined as the settings want. Then it must not be started.
pub(super) async fn plan(own: &Confinement, run: Option<&OfRun>) -> Result<Option<Confined>, String> {
    if own.level == Level::Off {
        return Ok(None);
    }
    let (sandbox, profile) = profile(own, run)?;
    let hosts = profile.hosts().map_err(|error| not_started(&error.to_string()))?;
    let sandbox = Arc::clone(sandbox);
    // It looks at files, which may take its time.
    let planned = tokio::task::spawn_blocking(move || sandbox.plan(&profile)).await;
    let planned = planned.map_err(|error| not_started(&error.to_string()))?;
    Ok(Some(Confined { planned, hosts }))
}

fn profile<'r>(own: &Confinement, run: Option<&'r OfRun>) -> Result<(&'r Arc<Sandbox>, Profile), String> {
    let number = own.level.number();
    let (sandbox, profile) = run.ok_or_else(|| {
        format!(
            "not started: it asks for sandbox {number}, and this run has no sandbox; hint: run with --sandbox 1, see \
             `overrule doctor`, or remove `sandbox` from its settings"
        )
    })?;
    let own = Own {
        level: own.level,
        write: &own.write,
        network: &own.network,
    };
    let profile = sandbox
        .profile_of(profile, own)
        .map_err(|error| not_started(&error.to_string()))?;
    Ok((sandbox, profile))
}

fn not_started(why: &str) -> String {
    format!("not started: {}", visible(why))
}
