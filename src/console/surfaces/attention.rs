//! The page on why the run needs the operator.
//!
//! Must not know: when a run needs attention, how a fix is carried out.

pub mod fix;
pub mod verbs;

use std::hash::{DefaultHasher, Hasher as _};

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::interrupted_restore::InterruptedRestore;
use crate::run::question::Question;
use crate::surfaces::documents;

/// The page on why the run needs the operator.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "why the run waits",
    place: "on the page on why the run waits",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["help", "close"],
    reads: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "fix",
    verbs: fix::VERBS,
};

/// Why the run needs attention.
#[derive(Debug, Clone)]
pub struct AttentionPage {
    title: String,
    /// Changes with what is known of the interrupted restore; none without one.
    pub stamp: Option<u64>,
    /// Its document.
    pub sheet: Sheet,
}

impl AttentionPage {
    /// The page with this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            stamp: None,
            sheet: Sheet::default(),
        }
    }
}

impl Surface for AttentionPage {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        if self.sheet.is_stale(model) {
            self.stamp = InterruptedRestore::of(&model.run).map(|restore| {
                let mut hasher = DefaultHasher::new();
                restore.hash_into(&mut hasher);
                hasher.finish()
            });
        }
        self.sheet.prepare(model, |maker, parts| {
            documents::needed(maker, parts.log, parts.offered(maker.run));
        });
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw(model, frame, &self.title, Role::Focus);
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }

    fn visible(&self, model: &Model) -> Option<Visibility> {
        let stamp = self.stamp?;
        self.sheet.visible(model, Question::Review { stamp })
    }
}
