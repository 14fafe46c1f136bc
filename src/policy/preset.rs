//! The presets: what holds where no rule has spoken.
//!
//! Must not know: rules of files.

use std::fmt;
use std::str::FromStr;

use crate::domain::call::{EffectClass, Gate};
use crate::domain::tags::IRREVERSIBLE;
use crate::text::visible;

use super::matcher::Matcher;
use super::rule::{Origin, Rule};

/// A named starting point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Preset {
    /// Everything asks.
    Supervised,
    /// Pure and read go, unless they reach outside; the rest asks.
    #[default]
    Guarded,
    /// Everything goes that can be undone and that no rule asks for or denies.
    Auto,
    /// Pure and read go; the rest is denied.
    ReadOnly,
}

/// A preset of this name does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown policy `{0}`; use supervised, guarded, auto or read-only")]
pub struct UnknownPreset(pub String);

const LOOKS: &[EffectClass] = &[EffectClass::Pure, EffectClass::Read];
const CHANGES: &[EffectClass] = &[EffectClass::Idempotent, EffectClass::Write, EffectClass::Unknown];

impl Preset {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Supervised, Self::Guarded, Self::Auto, Self::ReadOnly];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Supervised => "supervised",
            Self::Guarded => "guarded",
            Self::Auto => "auto",
            Self::ReadOnly => "read-only",
        }
    }

    /// What it does, in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Supervised => "everything asks",
            Self::Guarded => "what only looks goes, the rest asks",
            Self::Auto => "everything goes that can be undone and that no rule asks for or denies",
            Self::ReadOnly => "what only looks goes, the rest is denied",
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

    /// What holds under every preset: the tag of a tool whose effect nothing takes back is stronger than
    /// what the preset says of its class.
    pub fn common(self) -> Rule {
        let matcher = Matcher::default().tagged(IRREVERSIBLE);
        self.rule("what cannot be undone asks", matcher, Gate::Ask)
    }

    /// Its own rules. Together they match every call.
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
                rule("the rest asks", changes(), Gate::Ask),
            ],
            Self::Auto => vec![rule("everything goes", Matcher::default(), Gate::Allow)],
            Self::ReadOnly => vec![
                rule("pure and read go", looks(), Gate::Allow),
                rule("the rest is denied", changes(), Gate::Deny),
            ],
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.word() == name)
            .ok_or_else(|| UnknownPreset(visible(name)))
    }
}
