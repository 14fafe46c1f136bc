//! The page on why the run needs the operator.
//!
//! Must not know: when a run needs attention, how a fix is carried out.

use ratatui::Frame;

use crate::cards::ATTENTION;
use crate::model::Model;
use crate::sheet::Sheet;
use crate::stack::Surface;
use crate::surface::SurfaceId;
use crate::tabs;
use crate::theme::Role;

/// Why the run needs attention.
#[derive(Debug, Clone)]
pub struct AttentionPage {
    title: String,
    /// Its document.
    pub sheet: Sheet,
}

impl AttentionPage {
    /// The page with this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            sheet: Sheet::default(),
        }
    }
}

impl Surface for AttentionPage {
    fn id(&self) -> SurfaceId {
        ATTENTION
    }

    fn prepare(&mut self, model: &mut Model) {
        self.sheet.prepare(model, |maker, parts| {
            tabs::needed(maker, parts.log, parts.offered(maker.run));
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
}
