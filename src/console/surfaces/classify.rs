//! The question about the class of an error: the error, the rule to save, and two answers.
//!
//! Must not know: how an error is classified.

use ratatui::Frame;

use crate::cards::CLASSIFY;
use crate::model::Model;
use crate::sheet::Sheet;
use crate::stack::Surface;
use crate::surface::SurfaceId;
use crate::tabs;
use crate::theme::Role;
use overrule_resilience::correction::Corrigible;

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
        CLASSIFY
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        sheet.prepare(model, |maker, parts| tabs::classify(maker, self, parts.settings));
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
