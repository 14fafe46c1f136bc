//! The preview of a fork of a session, before it is written.
//!
//! Must not know: what is read and written for it.

pub mod verbs;
pub(crate) mod written;

use std::sync::Arc;

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Help, Move, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::surfaces::documents;
use overrule_domain::fork::ForkPreview;

/// The preview of a fork.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "fork",
    place: "in the question before a fork",
    can: &[Move, Search, Help, Back],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "replay",
    verbs: &[verbs::WRITE_FORK, verbs::RESUME_FORK],
};

/// Preview of a fork of a session, before it is written.
#[derive(Debug, Clone, Default)]
pub struct ForkView {
    /// The preview, or why there is none; `None` until the session was read.
    pub preview: Option<Result<Arc<ForkPreview>, String>>,
    /// True once the operator requested it.
    pub sent: bool,
    /// Its document.
    pub sheet: Sheet,
}

impl ForkView {
    /// The fork to write; none if it is unknown, impossible or already requested.
    pub fn can_be_written(&self) -> Option<&ForkPreview> {
        let predicted = self.preview.as_ref()?.as_ref().ok()?;
        (!self.sent).then_some(predicted)
    }
}

impl Surface for ForkView {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let preview = self.preview.clone();
        self.sheet
            .prepare(model, |maker, _| documents::fork(maker, preview.as_ref()));
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = if self.sent {
            "a new session from here: being written"
        } else {
            "a new session from here"
        };
        self.sheet.draw(model, frame, title, Role::Decision);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Frame
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }
}
