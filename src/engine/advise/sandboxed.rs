//! How the children of a run are confined, and what that adds to digests and keys.
//!
//! Must not know: how a child is confined, who decides.

use std::sync::Arc;

use overrule_base::canon;
use overrule_domain::event::run::Confinement;
use overrule_domain::sandbox::{Placement, Profile, Widening};

/// The confinement of a run, as an adviser knows it.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// What digests include of a call that nothing confines.
    words: Arc<str>,
    /// What the header says in addition.
    note: Option<Arc<str>>,
    /// As the run is set up, without what the operator allowed since.
    base: Profile,
    /// In force now.
    active: Arc<Profile>,
    /// What digests include of a confined call.
    text: Arc<str>,
}

impl Sandbox {
    /// A sandbox with this profile; none where its level is 0.
    pub fn new(profile: Profile) -> Self {
        Self {
            base: profile,
            ..Self::from(Confinement::NONE)
        }
        .refreshed()
    }

    fn refreshed(mut self) -> Self {
        if *self.active != self.base {
            self.active = Arc::new(self.base.clone());
        }
        self.written()
    }

    fn written(mut self) -> Self {
        let text = serde_json::to_string(&*self.active).unwrap_or_default();
        let mut text = canon::canonical_text(&text).unwrap_or(text);
        if let Some(note) = &self.note {
            text = format!("{text}, {note}");
        }
        self.text = text.into();
        self
    }

    /// Adds a note about the run, for the header and every digest.
    #[must_use]
    pub fn noted(mut self, note: &str) -> Self {
        self.words = format!("{}, {note}", self.words).into();
        self.note = Some(note.into());
        self.written()
    }

    /// Allows the children of the run more.
    #[must_use]
    pub fn widened(mut self, by: &[Widening]) -> Self {
        let wider = (*self.active).clone().widened(by);
        if wider == *self.active {
            return self;
        }
        self.active = Arc::new(wider);
        self.written()
    }

    /// Returns the same with another profile in force, for the calls of one tool.
    #[must_use]
    pub fn replaced(&self, profile: Profile) -> Self {
        let mut other = self.clone();
        other.active = Arc::new(profile);
        other.written()
    }

    /// Returns the profile in force.
    pub fn profile(&self) -> &Arc<Profile> {
        &self.active
    }

    /// Returns what a digest includes of a call that starts there.
    pub(super) fn part(&self, placement: Placement) -> &str {
        if placement.is_inside() {
            &self.text
        } else {
            &self.words
        }
    }

    /// Returns what is recorded of it.
    pub fn recorded(&self) -> Confinement {
        if !self.base.confines() {
            return (&*self.words).into();
        }
        let mut recorded = Confinement::from(self.base.clone());
        if let Some(note) = &self.note {
            recorded.label = format!("{}, {note}", recorded.label);
        }
        recorded
    }
}

impl From<&str> for Sandbox {
    /// No sandbox, in these words.
    fn from(words: &str) -> Self {
        Self {
            words: words.into(),
            note: None,
            base: Profile::default(),
            active: Arc::default(),
            text: "".into(),
        }
        .written()
    }
}
