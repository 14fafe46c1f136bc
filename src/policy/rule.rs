//! One rule: what it matches, what it says, who wrote it.
//!
//! Must not know: other rules.

use std::sync::Arc;

use crate::domain::call::Gate;
use crate::domain::rule;
use crate::text::visible;

use super::document::Place;
use super::expiry::Deadline;
use super::matcher::Matcher;
use super::preset::Preset;

/// Who wrote a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Part of the program; no setting changes it.
    Builtin,
    /// The operator, during this session.
    Session,
    /// A file of the workspace.
    Workspace {
        /// Whether the user declared that they trust this very file.
        trusted: bool,
    },
    /// A file of the user.
    User,
    /// The preset in force.
    Preset(Preset),
}

impl Origin {
    /// The origin in a word or two.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Builtin => "built in",
            Self::Session => "session",
            Self::Workspace { .. } => "workspace",
            Self::User => "user",
            Self::Preset(_) => "preset",
        }
    }

    /// Whether a rule of this origin may let a call run that would otherwise be asked for.
    pub const fn may_loosen(self) -> bool {
        !matches!(self, Self::Workspace { trusted: false })
    }
}

/// A rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Who wrote it.
    pub origin: Origin,
    /// Where it stands, for a rule from a file.
    pub place: Option<Place>,
    /// The rule as written.
    pub text: String,
    /// Which calls it is about.
    pub matcher: Matcher,
    /// Its number, for a rule of the session.
    pub no: Option<u32>,
    /// For a rule about exactly one thing: the key of that; nothing else matches.
    pub exact: Option<Arc<str>>,
    /// What it says of them.
    pub gate: Gate,
    /// Why, as its author put it.
    pub reason: Option<String>,
    /// When an unanswered question expires.
    pub deadline: Option<Deadline>,
    /// How many calls it lets run; only for allow.
    pub uses: Option<u32>,
    /// UTC milliseconds since 1970 from which on it no longer counts.
    pub expires: Option<i64>,
}

impl Rule {
    /// The rule word for word with its origin: what is shown, recorded and counted.
    pub fn cite(&self) -> String {
        if let Some(no) = self.no {
            return format!("{}: {}", rule::name(no), self.text);
        }
        match (&self.origin, &self.place) {
            (Origin::Preset(preset), _) => format!("preset {}: {}", preset.word(), self.text),
            (origin, Some(place)) => {
                let file = visible(&place.file);
                format!("{} {file}:{}: {}", origin.word(), place.line, self.text)
            }
            (origin, None) => format!("{}: {}", origin.word(), self.text),
        }
    }
}
