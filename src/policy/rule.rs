//! One rule: what it matches, its gate, and who wrote it.
//!
//! Must not know: other rules.

use std::sync::Arc;

use overrule_base::document::Place;
use overrule_base::text::visible;
use overrule_domain::call::Gate;
use overrule_domain::rule;

use super::expiry::Deadline;
use super::matcher::Matcher;
use super::preset::Preset;

/// Who wrote a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The program itself; no setting changes the rule.
    Builtin,
    /// The operator, during this session.
    Session,
    /// A file of the workspace.
    Workspace {
        /// True if the user has declared this very file as trusted.
        trusted: bool,
    },
    /// A file of the user.
    User,
    /// The preset in force.
    Preset(Preset),
}

impl Origin {
    /// Returns a word or two for the origin.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Builtin => "built in",
            Self::Session => "session",
            Self::Workspace { .. } => "workspace",
            Self::User => "user",
            Self::Preset(_) => "preset",
        }
    }

    /// Returns true if a rule of this origin may allow a call that would otherwise need approval.
    pub const fn may_loosen(self) -> bool {
        !matches!(self, Self::Workspace { trusted: false })
    }
}

/// A rule of a policy.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Who wrote it.
    pub origin: Origin,
    /// Its place, if it comes from a file.
    pub place: Option<Place>,
    /// The rule as written.
    pub text: String,
    /// Which calls it matches.
    pub matcher: Matcher,
    /// Its number, if it belongs to the session.
    pub no: Option<u32>,
    /// The key of the only call that it matches, if it is about exactly one.
    pub exact: Option<Arc<str>>,
    /// What it decides about them.
    pub gate: Gate,
    /// The reason, as its author wrote it.
    pub reason: Option<String>,
    /// When an unanswered question expires.
    pub deadline: Option<Deadline>,
    /// How many calls it may allow; only for allow rules.
    pub uses: Option<u32>,
    /// UTC milliseconds since 1970 from which it is no longer active.
    pub expires: Option<i64>,
}

impl Rule {
    /// Returns the text of the rule with its origin, as it is shown, recorded and counted.
    pub fn cite(&self) -> String {
        if let Some(no) = self.no {
            return format!("{}: {}", rule::name(no), self.text);
        }
        match (&self.origin, &self.place) {
            (Origin::Preset(preset), _) => format!("preset {}: {}", preset.label(), self.text),
            (origin, Some(place)) => {
                let file = visible(&place.file);
                format!("{} {file}:{}: {}", origin.label(), place.line, self.text)
            }
            (origin, None) => format!("{}: {}", origin.label(), self.text),
        }
    }
}
