//! The page of the terms on the marked row and of all keys, those of a surface first.
//!
//! Must not know: what a key does.

mod marked;
pub mod verbs;

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::Surface;
use crate::kernel::surface::SurfaceId;
use crate::surfaces;
use crate::surfaces::documents;
use crate::surfaces::documents::{HelpMode, HelpTerms};

/// The page of terms and keys.
#[derive(Debug, Clone)]
pub struct HelpPage {
    /// The surface whose keys come first.
    here: SurfaceId,
    /// The terms that were on the screen when it opened.
    terms: HelpTerms,
    /// Its document.
    pub sheet: Sheet,
}

impl HelpPage {
    /// The page with the keys of this surface first.
    pub fn new(model: &Model, here: SurfaceId) -> Self {
        Self {
            here,
            terms: HelpTerms {
                on_row: marked::on_row(model),
                in_header: marked::in_header(model),
            },
            sheet: Sheet::default(),
        }
    }
}

impl Surface for HelpPage {
    fn id(&self) -> SurfaceId {
        surfaces::page::ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let (here, terms) = (self.here, &self.terms);
        self.sheet.prepare(model, |maker, parts| {
            let settings = parts.settings;
            let mode = match (settings.is_replay(), settings.is_recorded()) {
                (true, _) => HelpMode::Replayed,
                (false, true) => HelpMode::Read,
                (false, false) if maker.run.halted.is_some() => HelpMode::Halted {
                    busy: maker.run.is_busy(),
                },
                (false, false) => HelpMode::Live,
            };
            documents::help(maker, &settings.keymap, (mode, here), terms);
        });
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw(model, frame, "keys", Role::Focus);
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }
}
