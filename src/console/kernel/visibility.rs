//! What a frame shows of open questions: only what was on screen can be approved.
//!
//! Must not know: how anything is drawn, which questions there are.

use super::decide;
use crate::kernel::model::Model;
use crate::kernel::model::arming::{Cover, FrameVisibility, Visibility};
use crate::kernel::model::screen::inside;
use crate::run::question::Question;

/// What the frame that was just drawn shows of open questions.
pub(crate) fn visibility(model: &Model) -> FrameVisibility {
    let Some(surface) = model.stack.last() else {
        return (frame(model), None, Cover::None);
    };
    if surface.is_palette() && model.stack.len() > 1 {
        return (None, None, Cover::PaletteOverSurface);
    }
    (None, surface.visible(model), Cover::Surface)
}

fn frame(model: &Model) -> Option<Visibility> {
    let area = inside(model.screen.places.inspector?);
    if area.is_empty() {
        return None;
    }
    let question = decide::question(model)?;
    let inspector = &model.inspector;
    // What the head of the decision covers is not on screen.
    let rows = inspector.shown(usize::from(area.height));
    let (rows, total, width) = match &question {
        Question::Call { .. } => {
            let (rows, total) = inspector.doc.decided_rows(&rows)?;
            (rows, total, area.width)
        }
        _ => (0..1, 1, 0),
    };
    Some(Visibility {
        question,
        rows,
        total,
        width,
        stamp: inspector.doc.stamp(),
    })
}
