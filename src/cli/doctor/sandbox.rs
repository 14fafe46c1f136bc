//! Checks what sandbox this machine can hold, and names the remedy for what is missing.
//!
//! Must not know: how a guarantee is held or proven.

use std::path::{Path, PathBuf};

use super::{Check, Status};
use crate::build::AppContext;
use crate::exit::Failure;
use crate::run;
use crate::sandbox;
use overrule_base::text::visible;
use overrule_domain::sandbox::{Guarantee, Level};
use overrule_regular_file as regular_file;
use overrule_sandbox::probe::{self, Machine};

/// What a confined command cannot do.
const HELD: &str = "a command of the agent cannot open your terminal";

/// Probes this machine and checks every guarantee. The last check is about the terminal, which `reach` describes where it is
/// reached.
pub(super) fn checks(context: &AppContext, reach: &str) -> Vec<Check> {
    let level = context.settings.sandbox.level.value;
    let mut checks = Vec::new();
    let is_held = match examined(context) {
        Ok(machine) => {
            checks.extend(of_machine(&machine, &Facts::read()));
            machine
                .missing
                .iter()
                .all(|one| one.guarantee != Guarantee::Terminal)
        }
        Err(failure) => {
            checks.push(Check::new("sandbox", Status::Failed, failure.message));
            false
        }
    };
    if level == Level::Off {
        let why = "the settings want none: a command that runs can do all that you can; hint: `level = 1` in [sandbox]";
        checks.push(Check::new("sandbox", Status::Warning, why));
    }
    checks.push(if is_held && level > Level::Off {
        Check::new(
            "reach of tools",
            Status::Warning,
            format!("{HELD}. Outside of the sandbox, {reach}"),
        )
    } else {
        Check::new("reach of tools", Status::Warning, reach)
    });
    checks
}

/// Tries what the sandbox forbids, in a directory of its own.
fn examined(context: &AppContext) -> Result<Machine, Failure> {
    let helper = AppContext::helper()?;
    let lost = |error: std::io::Error| {
        Failure::new(crate::exit::Code::Other, format!("it cannot be tried: {error}"))
    };
    // The file system of the private directories decides whether caches get layers.
    let store = sandbox::store(context).filter(|store| store.is_dir());
    let own = std::env::temp_dir().join(format!("overrule-doctor-{}", std::process::id()));
    if store.is_none() {
        regular_file::make_directory(&own).map_err(lost)?;
    }
    let runtime = run::runtime()?;
    let place = store.as_deref().unwrap_or(&own);
    let machine = runtime
        .block_on(probe::examine(&helper, place, true))
        .map_err(lost);
    if store.is_none() {
        _ = std::fs::remove_dir_all(&own);
    }
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    machine
}

fn of_machine(machine: &Machine, facts: &Facts) -> Vec<Check> {
    let check = |guarantee: Guarantee| {
        let of = format!("sandbox {} {}", guarantee.number(), guarantee.label());
        match machine.missing.iter().find(|one| one.guarantee == guarantee) {
            None => Check::new(of, Status::Ok, "held"),
            Some(one) => {
                let words = format!("missing: {}; {}", visible(&one.why), guarantee.loss());
                Check::new(of, Status::Warning, words)
            }
        }
    };
    let mut checks: Vec<Check> = Guarantee::ALL.into_iter().map(check).collect();
    checks.push(if machine.overlays {
        Check::new(
            "sandbox caches",
            Status::Ok,
            "commands read your caches and write private layers",
        )
    } else {
        let words = "no layers: commands fill private caches of their own, so first builds take longer";
        Check::new("sandbox caches", Status::Warning, words)
    });
    if !machine.missing.is_empty() {
        let remedies = remedies(machine, facts).into_iter();
        checks.extend(remedies.map(|words| Check::new("sandbox remedy", Status::Warning, words)));
    }
    checks
}

/// What is known of this machine.
#[derive(Debug, Clone, Default)]
struct Facts {
    /// True where AppArmor keeps programs without a profile from user namespaces.
    apparmor: bool,
    /// The most user namespaces.
    most: Option<u64>,
    /// True in a container of Docker or Podman.
    container: bool,
    /// What the kernel says of itself.
    version: String,
    /// Its release: `6.8.0-45-generic`.
    release: String,
    /// The path of this program.
    program: PathBuf,
}

/// The most bytes of a file of the kernel.
const MOST: u64 = 4096;

impl Facts {
    fn read() -> Self {
        let text = |path: &str| {
            let read = regular_file::read_text(Path::new(path), MOST);
            read.map(|text| text.trim().to_owned()).unwrap_or_default()
        };
        let is_there = |path: &str| Path::new(path).exists();
        Self {
            apparmor: text("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1",
            most: text("/proc/sys/user/max_user_namespaces").parse().ok(),
            container: is_there("/.dockerenv") || is_there("/run/.containerenv"),
            version: text("/proc/version"),
            release: text("/proc/sys/kernel/osrelease"),
            program: std::env::current_exe().unwrap_or_default(),
        }
    }

    /// Major and minor number of the kernel.
    fn kernel(&self) -> Option<(u32, u32)> {
        let mut numbers = self.release.split(|c: char| !c.is_ascii_digit());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// The kernel before which rules for files do not cover truncation.
const TRUNCATES: (u32, u32) = (6, 2);
/// How the kernel of gVisor names itself.
const GVISOR: &str = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016";

/// What to do about what is missing, the likeliest first.
fn remedies(machine: &Machine, facts: &Facts) -> Vec<String> {
    let mut all = Vec::new();
    let is_wsl1 = facts.version.contains("Microsoft") && !facts.version.contains("WSL2");
    if is_wsl1 {
        all.push(
            "WSL1 has neither namespaces nor rules for files: nothing can be confined; hint: `wsl --set-version NAME 2`"
                .to_owned(),
        );
        return all;
    }
    if facts.version.starts_with(GVISOR) {
        all.push(
            "gVisor has no rules for files: what namespaces do not hold is lost; gVisor itself confines this container, so \
             --sandbox 0 is an answer"
                .to_owned(),
        );
    }
    if !machine.namespaces {
        all.extend(namespaces(facts));
    }
    if facts.kernel().is_some_and(|kernel| kernel < TRUNCATES) {
        all.push(format!(
            "kernel {} is older than 6.2: without namespaces, files outside can be emptied; hint: a newer kernel",
            visible(&facts.release)
        ));
    }
    if all.is_empty() {
        all.push("none is known for this machine; --sandbox 0 runs without a sandbox".to_owned());
    }
    all
}

/// What keeps programs from user namespaces.
fn namespaces(facts: &Facts) -> Vec<String> {
    let mut all = Vec::new();
    if facts.container {
        all.push(
            "this container forbids namespaces; start it with --security-opt seccomp=unconfined --security-opt \
             apparmor=unconfined, or use --sandbox 0 here: the container confines the agent"
                .to_owned(),
        );
    }
    if facts.apparmor {
        let program = visible(&facts.program.to_string_lossy());
        all.push(format!(
            "AppArmor forbids user namespaces (Ubuntu 24.04 and later). Write these lines to /etc/apparmor.d/overrule, then \
             `sudo apparmor_parser -r /etc/apparmor.d/overrule`:\n\
             abi <abi/4.0>,\n\
             include <tunables/global>\n\
             profile overrule \"{program}\" flags=(unconfined) {{\n  userns, }}"
        ));
    }
    if facts.most == Some(0) {
        all.push(
            "user namespaces are switched off; hint: `sudo sysctl user.max_user_namespaces=15000`, and the same in \
             /etc/sysctl.d"
                .to_owned(),
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::sandbox::Missing;

    fn machine(namespaces: bool) -> Machine {
        let missing = Missing {
            guarantee: Guarantee::Attributes,
            why: "no namespaces".into(),
        };
        Machine {
            namespaces,
            overlays: namespaces,
            missing: if namespaces { Vec::new() } else { vec![missing] },
        }
    }

    #[test]
    fn every_guarantee_is_listed_with_what_is_lost() {
        let line = |check: &Check| format!("{} {}: {}", check.status.label(), check.of, check.detail);
        let full: Vec<String> = of_machine(&machine(true), &Facts::default())
            .iter()
            .map(line)
            .collect();
        assert_eq!(full.len(), Guarantee::ALL.len() + 1);
        assert!(full.iter().all(|line| line.starts_with("ok ")), "{full:?}");
        assert_eq!(full[0], "ok sandbox G1 no writes outside: held");
        let partial: Vec<String> = of_machine(&machine(false), &Facts::default())
            .iter()
            .map(line)
            .collect();
        assert_eq!(
            partial[1],
            "warning sandbox G2 no change of permissions or times outside: missing: no namespaces; permissions and times of \
             files outside can be changed"
        );
        let warnings = partial.iter().filter(|line| line.starts_with("warning")).count();
        assert_eq!(
            warnings, 3,
            "the guarantee, the caches and the remedy: {partial:?}"
        );
    }

    #[test]
    fn the_remedy_fits_the_machine() {
        let of = |facts: &Facts| remedies(&machine(false), facts).join("\n");
        let ubuntu = of(&Facts {
            apparmor: true,
            program: "/opt/overrule".into(),
            ..Facts::default()
        });
        assert!(
            ubuntu.contains("profile overrule \"/opt/overrule\" flags=(unconfined)")
                && ubuntu.contains("userns,"),
            "{ubuntu}"
        );
        assert!(
            !ubuntu.contains("--security-opt") && !ubuntu.contains("sysctl"),
            "{ubuntu}"
        );
        let docker = of(&Facts {
            container: true,
            ..Facts::default()
        });
        assert!(
            docker.contains("--security-opt seccomp=unconfined --security-opt apparmor=unconfined")
                && docker.contains("--sandbox 0"),
            "{docker}"
        );
        let switched_off = of(&Facts {
            most: Some(0),
            ..Facts::default()
        });
        assert!(
            switched_off.contains("user.max_user_namespaces"),
            "{switched_off}"
        );
        let old = of(&Facts {
            release: "5.15.0-91-generic".into(),
            ..Facts::default()
        });
        assert!(old.contains("5.15.0-91-generic is older than 6.2"), "{old}");
        let new = of(&Facts {
            release: "6.10.1".into(),
            most: Some(9),
            ..Facts::default()
        });
        assert!(new.starts_with("none is known"), "{new}");
        let wsl1 = of(&Facts {
            version: "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)".into(),
            container: true,
            ..Facts::default()
        });
        assert!(
            wsl1.contains("WSL1") && !wsl1.contains("--security-opt"),
            "{wsl1}"
        );
        let gvisor = of(&Facts {
            version: GVISOR.into(),
            ..Facts::default()
        });
        assert!(gvisor.contains("gVisor"), "{gvisor}");
    }
}
