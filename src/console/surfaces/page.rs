//! Text to read: a page whose content a verb makes.
//!
//! Must not know: what is on it.

use std::fmt;
use std::sync::Arc;

use ratatui::Frame;

use crate::cards::PAGE;
use crate::model::Model;
use crate::sheet::{Parts, Sheet};
use crate::stack::Surface;
use crate::surface::SurfaceId;
use crate::tabs::Maker;
use crate::theme::Role;

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
        PAGE
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
