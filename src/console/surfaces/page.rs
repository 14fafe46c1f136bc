//! Text to read: a page whose content a verb makes.
//!
//! Must not know: what is on it.

use std::fmt;
use std::sync::Arc;

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::draw::sheet::Parts;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;

/// Text to read: help, a refusal.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "page",
    can: &[Move, Search, Palette, Help, Close],
    reads: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "view",
    verbs: &[],
};

/// Makes the content of a page.
type Make = Arc<dyn Fn(&mut Maker<'_>, &mut Parts<'_>) + Send + Sync>;

/// Text to read.
#[derive(Clone)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its document.
    pub sheet: Sheet,
    make: Make,
}

impl Page {
    /// A page without rows yet.
    pub fn new(
        title: impl Into<String>,
        make: impl Fn(&mut Maker<'_>, &mut Parts<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            sheet: Sheet::default(),
            make: Arc::new(make),
        }
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

impl Surface for Page {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        self.sheet
            .prepare(model, |maker, parts| (self.make)(maker, parts));
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
