//! Plans how one child is confined, and the profile of a child that has settings of its own.
//!
//! Must not know: what a child is for, who watches it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overrule_base::text::visible;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile, ReadOnly};

use super::{PrepareError, Sandbox};
use crate::places;
use crate::plan::Plan;
use crate::protected::Protected;
use crate::start::Confinement;

/// How a child is started that no call belongs to: nobody watches what it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// How it is confined.
    pub confinement: Confinement,
    /// Variables that it gets in addition.
    pub variables: Vec<(&'static str, PathBuf)>,
}

/// What the settings say of one program alone.
#[derive(Debug, Clone, Copy)]
pub struct Own<'a> {
    /// Its level, 1 or 2.
    pub level: Level,
    /// Directories that it writes besides the workspace.
    pub write: &'a [PathBuf],
    /// Hosts that it reaches.
    pub network: &'a [String],
}

impl Sandbox {
    /// Plans the confinement of a child that no call belongs to. The protected paths that exist are read only as in a call;
    /// those that do not exist are not watched.
    pub fn plan(&self, profile: &Profile) -> Planned {
        let is_written = profile.level == Level::Workspace;
        let protected = is_written.then(|| Protected::find(&self.workspace));
        self.planned(profile, protected.as_ref())
    }

    /// Does the same with what is protected; none where nothing of the workspace is written.
    pub(super) fn planned(&self, profile: &Profile, protected: Option<&Protected>) -> Planned {
        let of = |list: fn(&Protected) -> Vec<PathBuf>| protected.map(list).unwrap_or_default();
        // A layer over a directory that is written would take what is written.
        let is_free = |lower: &Path| {
            !profile
                .write
                .iter()
                .any(|path| Path::new(path).starts_with(lower))
        };
        let layers = self.layers();
        let caches = layers.iter().flat_map(|one| &one.caches);
        let caches = caches.filter(|cache| is_free(&cache.lower)).cloned();
        // A child could make one that is missing.
        for path in self
            .own
            .iter()
            .filter(|path| is_inside(path, profile) && !path.exists())
        {
            let _ = overrule_regular_file::make_directories(path);
        }
        let own: Vec<PathBuf> = self
            .own
            .iter()
            .chain(&self.newly_hidden(profile))
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        let mut pinned = of(Protected::git_directories);
        let hidden = profile.hidden.iter().map(Path::new);
        pinned.extend(parents(hidden.chain(own.iter().map(PathBuf::as_path)), profile));
        let mut read_only = of(Protected::existing);
        read_only.extend(not_restorable(&profile.read_only, protected));
        let plan = Plan {
            profile: profile.clone(),
            namespaces: self.machine.namespaces,
            scratch: self.scratch.clone(),
            own,
            pinned,
            read_only,
            linked: of(Protected::linked),
            caches: caches.collect(),
            layered: layers
                .iter()
                .flat_map(|one| &one.caches)
                .map(|cache| cache.lower.clone())
                .collect(),
            home: self.home.clone(),
            keeps_terminal: false,
            port: None,
        };
        let temporary = plan.temporary();
        Planned {
            confinement: Confinement {
                plan,
                helper: self.helper.clone(),
                layers: layers.map(|one| Arc::clone(&one.layers)),
            },
            variables: if layers.is_some() {
                Vec::new()
            } else {
                places::private_caches(&temporary)
            },
        }
    }

    /// Names the profile of a program that has a level, directories and hosts of its own. What is hidden from the run stays
    /// hidden.
    ///
    /// # Errors
    ///
    /// Returns an error for a directory that does not exist, or is hidden.
    pub fn profile_of(&self, run: &Profile, own: Own<'_>) -> Result<Profile, PrepareError> {
        let mut write = vec![self.workspace.clone()];
        for path in own.write {
            let resolved = path
                .canonicalize()
                .map_err(|error| PrepareError::directory(path, error))?;
            let is_hidden = |hidden: &Path| resolved.starts_with(hidden);
            let hidden = run.hidden.iter().map(Path::new);
            if hidden.chain(self.own.iter().map(PathBuf::as_path)).any(is_hidden) {
                return Err(PrepareError::HiddenDirectory(resolved));
            }
            write.push(resolved);
        }
        let profile = Profile {
            level: own.level,
            write: write
                .iter()
                .map(|path| path.to_string_lossy().into_owned())
                .collect(),
            hidden: run.hidden.clone(),
            network: own.network.to_vec(),
            // Its settings have no such value.
            unix_sockets: false,
            missing: Vec::new(),
            read_only: ReadOnly::default(),
        };
        let hidden: Vec<&Path> = run.hidden.iter().map(Path::new).collect();
        Ok(self.with_missing(profile, &hidden, &write))
    }

    /// Adds what the machine lacks, and what the profile itself gives up.
    pub(super) fn with_missing(&self, profile: Profile, hidden: &[&Path], write: &[PathBuf]) -> Profile {
        let mut missing = self.machine.missing.clone();
        let mut lacks = |guarantee: Guarantee, why: &str| {
            if !missing.iter().any(|one| one.guarantee == guarantee) {
                missing.push(Missing {
                    guarantee,
                    why: why.to_owned(),
                });
            }
        };
        if profile.reaches_all() {
            lacks(Guarantee::Network, "the settings allow every host");
        }
        if profile.unix_sockets {
            lacks(Guarantee::Sockets, "the settings allow Unix sockets");
        }
        let is_above = |path: &PathBuf| hidden.iter().any(|hidden| hidden.starts_with(path));
        // Rules for files of Linux only add; a profile of macOS takes off what is hidden.
        let only_adds = cfg!(target_os = "linux") && !self.machine.namespaces;
        if only_adds && write.iter().any(is_above) {
            lacks(
                Guarantee::Hidden,
                "a writable directory has hidden paths in it, and there are no namespaces",
            );
        }
        missing.sort_by_key(|one| one.guarantee);
        Profile { missing, ..profile }
    }
}

/// Returns the directories that hold a path and can be written, the outermost first. One that could be renamed would take
/// the path with it.
fn parents<'p>(paths: impl Iterator<Item = &'p Path>, profile: &Profile) -> BTreeSet<PathBuf> {
    let above = paths.flat_map(|path| path.ancestors().skip(1));
    above
        .filter(|path| is_inside(path, profile))
        .map(Path::to_path_buf)
        .collect()
}

/// True for a path inside of a directory that is written.
fn is_inside(path: &Path, profile: &Profile) -> bool {
    let mut write = profile.write.iter().map(Path::new);
    write.any(|one| path != one && path.starts_with(one))
}

/// Returns the existing paths that a call cannot write because they could not be restored, resolved.
fn not_restorable(read_only: &ReadOnly, protected: Option<&Protected>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = read_only.paths.iter().map(PathBuf::from).collect();
    if let Some(protected) = protected.filter(|_| read_only.repositories) {
        places.extend(protected.git_directories());
        places.extend(protected.git_files());
        places.extend(protected.linked());
    }
    // What has gone meanwhile cannot be lost.
    let real = places.iter().filter_map(|path| path.canonicalize().ok());
    let mut real: Vec<PathBuf> = real.collect();
    // The outer ones first: a mount on a directory covers those in it.
    real.sort();
    real.dedup();
    real
}

impl PrepareError {
    pub(super) fn directory(path: &Path, error: std::io::Error) -> Self {
        Self::Directory {
            path: path.to_owned(),
            error,
        }
    }
}

pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
