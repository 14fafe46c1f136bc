//! The question about the class of an error: the error, the rule to save, and two answers.
//!
//! Must not know: how an error is classified.

pub(crate) mod stored;
pub mod verbs;

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::surfaces::documents;
use overrule_resilience::correction::Corrigible;

/// The class of an error.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "class of an error",
    place: "in the question about: class of an error",
    can: &[Move, Search, Palette, Help, Close],
    reads: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "run",
    verbs: &[
        verbs::ERROR_PERMANENT,
        verbs::ERROR_TEMPORARY,
        verbs::ERROR_PATTERN,
    ],
};

/// An error whose class the operator corrects.
#[derive(Debug, Clone)]
pub struct Classifying {
    /// The error.
    pub failed: Corrigible,
    /// The pattern of the new rule.
    pub pattern: String,
    /// Its document.
    pub sheet: Sheet,
}

impl Surface for Classifying {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        sheet.prepare(model, |maker, parts| {
            documents::classify(maker, self, parts.settings);
        });
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = "is this error permanent or temporary?";
        self.sheet.draw(model, frame, title, Role::Focus);
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }
}
