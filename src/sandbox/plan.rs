//! Defines what the helper receives: the profile, and the places on this machine that carry it out.
//!
//! Must not know: how a kernel confines.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use overrule_domain::sandbox::{Guarantee, Level, Profile};

/// How one child is started. All paths are resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What is promised.
    pub profile: Profile,
    /// False where the helper makes no namespaces, because the system refuses them.
    pub namespaces: bool,
    /// The private directory of the session. It exists, with the directories of [`Plan::PRIVATE`] in it.
    pub scratch: PathBuf,
    /// Files and directories of this program, which a child cannot read.
    pub own: Vec<PathBuf>,
    /// Directories of repositories that cannot be renamed, though what is in them can.
    pub pinned: Vec<PathBuf>,
    /// Existing paths inside of the writable directories that are read only.
    pub read_only: Vec<PathBuf>,
    /// Directories outside of the workspace that a repository in it writes: the main one of a linked worktree.
    pub linked: Vec<PathBuf>,
    /// Directories that are read and written through a private layer. Of layers that are there already, the others are taken
    /// off.
    pub caches: Vec<Cache>,
    /// Directories over which there are layers already.
    #[serde(default)]
    pub layered: Vec<PathBuf>,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// True where the child keeps the terminal of its parent.
    pub keeps_terminal: bool,
    /// A port of the child's own loopback that is served by this process, besides the proxy for allowed hosts.
    #[serde(default)]
    pub port: Option<u16>,
}

/// A directory of a cache: reads reach it, writes go to a private directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// The real one.
    pub lower: PathBuf,
    /// Where writes go.
    pub upper: PathBuf,
    /// An empty directory next to `upper`, for the kernel.
    pub work: PathBuf,
}

impl Plan {
    /// Returns the plan of a helper that mounts layers over these caches and ends.
    pub(crate) fn of_layers(caches: &[Cache]) -> Self {
        Self {
            profile: Profile::default(),
            namespaces: true,
            scratch: PathBuf::new(),
            own: Vec::new(),
            pinned: Vec::new(),
            read_only: Vec::new(),
            linked: Vec::new(),
            caches: caches.to_vec(),
            layered: Vec::new(),
            home: None,
            keeps_terminal: false,
            port: None,
        }
    }

    /// The directories in `scratch`: what stands for `/tmp`, `/var/tmp` and `/run`, and the mount point of the empty file
    /// system that covers hidden paths.
    pub const PRIVATE: [&'static str; 4] = ["tmp", "var-tmp", "run", "cover"];

    /// Returns the temporary directory of the session, as a child names it.
    pub fn temporary(&self) -> PathBuf {
        if self.namespaces {
            PathBuf::from("/tmp")
        } else {
            self.scratch.join("tmp")
        }
    }

    /// Returns the directories that a child may write, the workspace first.
    pub fn writable(&self) -> Vec<&Path> {
        if self.profile.level == Level::Scratch {
            return Vec::new();
        }
        let own = self.profile.write.iter().map(Path::new);
        own.chain(self.linked.iter().map(PathBuf::as_path)).collect()
    }

    /// Returns the paths that a child cannot read.
    pub fn hidden(&self) -> impl Iterator<Item = &Path> {
        let own = self.own.iter().map(PathBuf::as_path);
        self.profile.hidden.iter().map(Path::new).chain(own)
    }

    /// Returns true if this guarantee was promised, so that a step that fails must end the start.
    pub fn promises(&self, guarantee: Guarantee) -> bool {
        self.profile.holds(guarantee)
    }
}
