//! Defines how the children of a run are confined: level, guarantees, profile, and what was refused.
//!
//! Must not know: how a kernel holds a guarantee, what a path holds.

mod confinement;
mod hosts;
mod outside;
mod placement;
mod read_only;

use serde::{Deserialize, Serialize};

use crate::id::NodeId;

pub use confinement::Confinement;
pub use hosts::{HostError, Hosts, Target, parse_port};
pub use outside::{ask_outside, outside, outside_fault};
pub use placement::Placement;
pub use read_only::{MOST_READ_ONLY, ReadOnly, Tracking, UNDOABLE};

/// How much a child may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Level {
    /// Everything that the operator may do.
    #[default]
    Off,
    /// It writes in the workspace and its temporary directory, and reaches no network.
    Workspace,
    /// It writes in its temporary directory only, and reaches no network.
    Scratch,
}

impl Level {
    /// Every level, the loosest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Workspace, Self::Scratch];

    /// Returns its number: 0, 1 or 2.
    pub const fn number(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Workspace => 1,
            Self::Scratch => 2,
        }
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.number()
    }
}

impl TryFrom<u8> for Level {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|level| level.number() == number);
        found.ok_or_else(|| format!("`{number}` is no sandbox level; write 0, 1 or 2"))
    }
}

/// One of the nine things that a level promises. Each is proven or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guarantee {
    /// No writes outside.
    Writes,
    /// No change of permissions, times or extended attributes outside.
    Attributes,
    /// No change of protected paths of the workspace.
    Protected,
    /// Hidden paths are not read.
    Hidden,
    /// No network but the own loopback and the hosts that are allowed.
    Network,
    /// No Unix sockets of others.
    Sockets,
    /// No signals to other processes, and no look into them.
    Processes,
    /// No privilege.
    Privilege,
    /// No access to the terminal.
    Terminal,
}

impl Guarantee {
    /// Every guarantee, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Writes,
        Self::Attributes,
        Self::Protected,
        Self::Hidden,
        Self::Network,
        Self::Sockets,
        Self::Processes,
        Self::Privilege,
        Self::Terminal,
    ];

    /// Returns its number as people name it: `G1` to `G9`.
    pub const fn number(self) -> &'static str {
        match self {
            Self::Writes => "G1",
            Self::Attributes => "G2",
            Self::Protected => "G3",
            Self::Hidden => "G4",
            Self::Network => "G5",
            Self::Sockets => "G6",
            Self::Processes => "G7",
            Self::Privilege => "G8",
            Self::Terminal => "G9",
        }
    }

    /// Returns what holds while it is proven.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Writes => "no writes outside",
            Self::Attributes => "no change of permissions or times outside",
            Self::Protected => "protected files of the workspace stay",
            Self::Hidden => "keys and other hidden files are not read",
            Self::Network => "no network",
            Self::Sockets => "no sockets of other programs",
            Self::Processes => "no access to other processes",
            Self::Privilege => "no privileges",
            Self::Terminal => "no access to the terminal",
        }
    }

    /// Returns what is possible while it is missing.
    pub const fn loss(self) -> &'static str {
        match self {
            Self::Writes => "files outside can be written",
            Self::Attributes => "permissions and times of files outside can be changed",
            Self::Protected => "protected files can be changed; a change is undone after the call",
            Self::Hidden => "hidden files can be read",
            Self::Network => "the network can be reached",
            Self::Sockets => "sockets of other programs can be reached",
            Self::Processes => "other processes can be signalled or read",
            Self::Privilege => "privileges can be used",
            Self::Terminal => "the terminal can be opened",
        }
    }
}

/// A guarantee that could not be proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Which.
    pub guarantee: Guarantee,
    /// Why, in a few words.
    pub why: String,
}

/// How the children of a run are confined, as it is recorded and decided on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// The level.
    #[serde(default)]
    pub level: Level,
    /// Directories that a child may write, resolved: the workspace first, then those of the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// Paths that a child cannot read, resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// Hosts that a child reaches, as written in the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<String>,
    /// True where a child may use Unix sockets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unix_sockets: bool,
    /// Guarantees that could not be proven.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// What one call cannot write because it could not be restored; empty in the profile of a run.
    #[serde(default, skip_serializing_if = "ReadOnly::is_empty")]
    pub read_only: ReadOnly,
}

impl Profile {
    /// What stands in `network` where everything is reached.
    pub const ALL_HOSTS: &'static str = "all";

    /// Returns true where a child is confined at all.
    pub fn confines(&self) -> bool {
        self.level > Level::Off
    }

    /// Returns true if this guarantee is proven.
    pub fn holds(&self, guarantee: Guarantee) -> bool {
        self.confines() && !self.missing.iter().any(|one| one.guarantee == guarantee)
    }

    /// Returns true if every guarantee is proven but that of the terminal, which is not about files.
    pub fn is_full(&self) -> bool {
        let mut needed = Guarantee::ALL
            .into_iter()
            .filter(|one| *one != Guarantee::Terminal);
        needed.all(|one| self.holds(one)) && !self.reaches_all()
    }

    /// Returns true where the network is not confined.
    pub fn reaches_all(&self) -> bool {
        self.network.iter().any(|host| host == Self::ALL_HOSTS)
    }

    /// Returns the hosts that a proxy serves to a child: none where it reaches all by itself.
    ///
    /// # Errors
    ///
    /// Returns which entry is none, and what to write.
    pub fn hosts(&self) -> Result<Hosts, HostError> {
        if self.reaches_all() {
            return Ok(Hosts::default());
        }
        Hosts::parse(&self.network)
    }

    /// Returns the words of the header: `no sandbox`, `sandbox 1`, `sandbox 1 partial`.
    pub fn label(&self) -> String {
        match self.level {
            Level::Off => "no sandbox".to_owned(),
            level if self.missing.is_empty() => format!("sandbox {}", level.number()),
            level => format!("sandbox {} partial", level.number()),
        }
    }

    /// Adds what the operator allowed for the rest of the session.
    pub fn widened<'a>(mut self, by: impl IntoIterator<Item = &'a Widening>) -> Self {
        for widening in by {
            let (list, what) = match widening {
                Widening::Host(host) => (&mut self.network, host),
                Widening::Directory(directory) => (&mut self.write, directory),
            };
            if !list.contains(what) {
                list.push(what.clone());
            }
        }
        self
    }
}

/// What the operator allows the children of a session in addition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Widening {
    /// A host that they reach: `host` or `host:port`.
    Host(String),
    /// A directory that they write, resolved.
    Directory(String),
}

/// What kind of access was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedKind {
    /// A file outside was to be written.
    Write,
    /// A hidden file was to be read.
    Read,
    /// A host was to be reached.
    Network,
    /// A protected file was changed, and the change was undone.
    Protected,
}

impl RefusedKind {
    /// Returns the kind in a word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Network => "network",
            Self::Protected => "protected",
        }
    }
}

/// What the sandbox refused a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Refused {
    /// The kind of access.
    pub kind: RefusedKind,
    /// The path or the host with its port.
    pub what: String,
    /// True where the sandbox itself saw it; false where it follows from the output of the call.
    #[serde(default)]
    pub exact: bool,
    /// Where the content of an undone change lies, if it can be given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// A change of a protected path that was undone, and that the operator wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChange {
    /// The call that made it.
    pub call: NodeId,
    /// The path, as it was reported.
    pub path: String,
    /// Where its content lies.
    pub from: String,
}

impl Refused {
    /// What was refused for certain.
    pub fn exact(kind: RefusedKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            exact: true,
            kept: None,
        }
    }

    /// Returns what allows it for the rest of the session: the host with its port, or the directory of the file. None for
    /// what is never allowed: hidden and protected paths, and hosts that no list has, such as an address in an odd spelling.
    pub fn widening(&self) -> Option<Widening> {
        match self.kind {
            RefusedKind::Network => {
                let can = Hosts::parse(std::slice::from_ref(&self.what)).is_ok();
                can.then(|| Widening::Host(self.what.clone()))
            }
            RefusedKind::Write => {
                let above = std::path::Path::new(&self.what).parent()?;
                let above = above.to_str().filter(|above| *above != "/")?;
                Some(Widening::Directory(above.to_owned()))
            }
            RefusedKind::Read | RefusedKind::Protected => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(missing: &[Guarantee]) -> Profile {
        let missing = missing.iter().map(|guarantee| Missing {
            guarantee: *guarantee,
            why: "no user namespaces".into(),
        });
        Profile {
            level: Level::Workspace,
            write: vec!["/w".into()],
            missing: missing.collect(),
            ..Profile::default()
        }
    }

    #[test]
    fn a_profile_is_read_back_as_it_was_written() {
        for profile in [
            Profile::default(),
            one(&[]),
            one(&[Guarantee::Attributes, Guarantee::Terminal]),
            one(&[]).widened(&[Widening::Host("a.example:443".into())]),
        ] {
            let text = serde_json::to_string(&profile).unwrap();
            assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile, "{text}");
        }
        assert_eq!(
            serde_json::to_string(&Profile::default()).unwrap(),
            r#"{"level":0}"#
        );
        for level in ["3", "-1", "\"1\"", "null", "1.5"] {
            assert!(serde_json::from_str::<Level>(level).is_err(), "{level}");
        }
    }

    #[test]
    fn a_missing_guarantee_is_told() {
        let label = |missing: &[Guarantee]| (one(missing).label(), one(missing).is_full());
        assert_eq!(label(&[]), ("sandbox 1".to_owned(), true));
        // The terminal is not about files: what the call changes can be taken back.
        assert_eq!(
            label(&[Guarantee::Terminal]),
            ("sandbox 1 partial".to_owned(), true)
        );
        for guarantee in Guarantee::ALL
            .into_iter()
            .filter(|one| *one != Guarantee::Terminal)
        {
            assert_eq!(
                label(&[guarantee]),
                ("sandbox 1 partial".to_owned(), false),
                "{guarantee:?}"
            );
        }
        assert_eq!(Profile::default().label(), "no sandbox");
        assert!(!Profile::default().is_full() && !Profile::default().holds(Guarantee::Writes));
    }

    #[test]
    fn a_network_without_bounds_is_not_full() {
        let open = one(&[]).widened(&[Widening::Host("all".into())]);
        assert!(open.reaches_all() && !open.is_full());
        let listed = one(&[]).widened(&[
            Widening::Host("a.example".into()),
            Widening::Host("a.example".into()),
        ]);
        assert_eq!(listed.network, ["a.example"]);
    }
}
