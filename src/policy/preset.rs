//! The presets: gates for calls that no rule matches.
//!
//! Must not know: rules of files.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use overrule_base::text::visible;
use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::tags::IRREVERSIBLE;

use super::matcher::Matcher;
use super::rule::{Origin, Rule};

/// A named base policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Asks about every call.
    Supervised,
    /// Allows calls of class pure and read that do not reach outside, and asks about the rest.
    #[default]
    Guarded,
    /// Allows what guarded allows, and changes of files in the workspace by the tools for files; asks about the rest.
    Edits,
    /// Allows what guarded allows, and changes that can be undone while files are tracked: of files in the workspace, and by
    /// commands in a full sandbox that reach no host. Asks about the rest.
    Reversible,
    /// Allows every call but those of tools tagged irreversible, unless a rule asks about or denies it.
    Auto,
    /// Allows calls of class pure and read, and denies the rest.
    ReadOnly,
}

/// There is no preset of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown policy `{0}`; use supervised, guarded, edits, reversible, auto or read-only")]
pub struct UnknownPreset(pub String);

const LOOKS: &[EffectClass] = &[EffectClass::Pure, EffectClass::Read];
const CHANGES: &[EffectClass] = &[EffectClass::Idempotent, EffectClass::Write, EffectClass::Unknown];

/// The rule about changes that can be undone. What it allows starts with read-only paths, see
/// [`UNDOABLE`](overrule_domain::sandbox::UNDOABLE).
pub(super) const UNDOABLE_CHANGES: &str = "changes that can be undone go";
/// The rule about all other changes under presets that allow some.
pub(super) const OTHER_CHANGES: &str = "other changes ask";

impl Preset {
    /// All presets, in the order in which they are offered.
    pub const ALL: [Self; 6] = [
        Self::Supervised,
        Self::Guarded,
        Self::Edits,
        Self::Reversible,
        Self::Auto,
        Self::ReadOnly,
    ];

    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Supervised => "supervised",
            Self::Guarded => "guarded",
            Self::Edits => "edits",
            Self::Reversible => "reversible",
            Self::Auto => "auto",
            Self::ReadOnly => "read-only",
        }
    }

    /// Returns what it asks about, in a few words.
    pub const fn asks_about(self) -> &'static str {
        match self {
            Self::Supervised => "every call",
            Self::Guarded => "changes to files, commands, other machines",
            Self::Edits => "commands, no file edits",
            Self::Reversible => "what cannot be undone",
            Self::Auto => "irreversible tools",
            Self::ReadOnly => "nothing, changes are denied",
        }
    }

    fn rule(self, text: &str, matcher: Matcher, gate: Gate) -> Rule {
        Rule {
            origin: Origin::Preset(self),
            place: None,
            text: text.into(),
            no: None,
            exact: None,
            matcher,
            gate,
            reason: None,
            deadline: None,
            uses: None,
            expires: None,
        }
    }

    /// Returns the rule that holds under every preset: a tag for irreversible effects outweighs the
    /// preset's gate for the effect class.
    pub fn common(self) -> Rule {
        let matcher = Matcher::default().tagged(IRREVERSIBLE);
        self.rule("what cannot be undone asks", matcher, Gate::Ask)
    }

    /// Returns its own rules. Together they match every call.
    pub fn rules(self) -> Vec<Rule> {
        let rule = |text: &str, matcher: Matcher, gate: Gate| self.rule(text, matcher, gate);
        let looks = || Matcher::effects(LOOKS);
        let changes = || Matcher::effects(CHANGES);
        match self {
            Self::Supervised => vec![rule("everything asks", Matcher::default(), Gate::Ask)],
            Self::Guarded => vec![
                rule("pure and read go", looks(), Gate::Allow),
                rule(
                    "reads that reach outside ask",
                    looks().tagged("external"),
                    Gate::Ask,
                ),
                rule("changes ask", changes(), Gate::Ask),
            ],
            Self::Edits => vec![
                rule("pure and read go", looks(), Gate::Allow),
                rule(
                    "reads that reach outside ask",
                    looks().tagged("external"),
                    Gate::Ask,
                ),
                rule(
                    "changes of files in the workspace go",
                    changes().edits(true),
                    Gate::Allow,
                ),
                rule(OTHER_CHANGES, changes().edits(false), Gate::Ask),
            ],
            Self::Reversible => vec![
                rule("pure and read go", looks(), Gate::Allow),
                rule(
                    "reads that reach outside ask",
                    looks().tagged("external"),
                    Gate::Ask,
                ),
                rule(UNDOABLE_CHANGES, changes().undoable(true), Gate::Allow),
                rule(OTHER_CHANGES, changes().undoable(false), Gate::Ask),
            ],
            Self::Auto => vec![rule("everything goes", Matcher::default(), Gate::Allow)],
            Self::ReadOnly => vec![
                rule("pure and read go", looks(), Gate::Allow),
                rule("changes are denied", changes(), Gate::Deny),
            ],
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.label() == name)
            .ok_or_else(|| UnknownPreset(visible(name)))
    }
}
