//! What any change of a node would do: its preview, and the rows of the graph that it affects.
//!
//! Must not know: how a plan is made.

pub mod verbs;

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::SurfaceId;
use crate::run::edit_preview::Change;
use crate::surfaces;
use crate::surfaces::documents;
use crate::surfaces::graph::view::row_preview::touched;
use overrule_domain::command::Edit;

/// Preview of any change of a node.
#[derive(Debug, Clone)]
pub struct Impact {
    title: String,
    /// An edit like any of the node.
    pub edit: Edit,
    /// Its document.
    pub sheet: Sheet,
}

impl Impact {
    /// The preview of an edit that is not made.
    pub fn new(title: String, edit: Edit) -> Self {
        Self {
            title,
            edit,
            sheet: Sheet::default(),
        }
    }
}

impl Surface for Impact {
    fn id(&self) -> SurfaceId {
        surfaces::page::ID
    }

    fn prepare(&mut self, model: &mut Model) {
        self.sheet.prepare(model, |maker, parts| {
            let change = Change::Any(self.edit.clone());
            documents::impact(maker, parts.cached.edit_preview(&maker.run.state, change));
        });
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw(model, frame, &self.title, Role::Focus);
        let known = model.cached.last_edit_preview();
        let plan = known.and_then(|edit_preview| edit_preview.plan.as_ref().ok());
        touched(model, frame, &self.sheet.doc, plan);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Panes
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }
}
