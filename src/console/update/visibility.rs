//! What a frame shows of open questions: only what was on screen can be approved.
//!
//! Must not know: how anything is drawn.

use super::{decide, ledger};
use crate::doc::Doc;
use crate::model::Model;
use crate::model::arming::{Cover, FrameVisibility, Question, Visibility};
use crate::model::overlay::{ListPurpose, Overlay};
use crate::model::screen::inside;

/// What the frame that was just drawn shows of open questions.
pub(crate) fn visibility(model: &Model) -> FrameVisibility {
    let Some(overlay) = model.overlays.last() else {
        return (frame(model), None, Cover::None);
    };
    if let Overlay::List(list) = overlay
        && list.purpose == ListPurpose::Palette
        && model.overlays.len() > 1
    {
        return (None, None, Cover::PaletteOverOverlay);
    }
    // A document that is still being laid out is no question yet.
    let whole = |question: Question, doc: &Doc, top: usize| {
        let height = usize::from(inside(model.screen.overlay(doc.rows())).height);
        (!doc.is_waiting()).then(|| Visibility {
            question,
            // What the head of a decision covers is not on screen.
            rows: doc.shown(top, height),
            total: doc.rows(),
            width: model.screen.overlay_width(),
            stamp: doc.stamp(),
        })
    };
    let words = |question: Question| Visibility {
        question,
        rows: 0..1,
        total: 1,
        width: 0,
        stamp: 0,
    };
    let visible_part = match overlay {
        Overlay::Review(review) => {
            let question = Question::Review { stamp: review.stamp };
            whole(question, &review.doc, review.top)
        }
        Overlay::Bulk(bulk) => whole(Question::Bulk { stamp: bulk.stamp }, &bulk.doc, bulk.top),
        Overlay::Rule(view) => whole(Question::Bulk { stamp: view.stamp }, &view.doc, view.top),
        Overlay::Dialog(dialog) if model.run.still_asks(&dialog.question).is_err() => None,
        Overlay::Dialog(dialog) => {
            // For a call only the rows of its arguments matter.
            whole(dialog.question.clone(), &dialog.doc, dialog.top).map(|visible_part| {
                match dialog.doc.decided_rows(&visible_part.rows) {
                    Some((rows, total)) => Visibility {
                        rows,
                        total,
                        ..visible_part
                    },
                    None => visible_part,
                }
            })
        }
        Overlay::Listing(_) => ledger::selected(model).map(|seq| words(Question::Effect { seq })),
        Overlay::Stop => Some(words(Question::Stop)),
        Overlay::Leave => Some(words(Question::Leave)),
        _ => None,
    };
    (None, visible_part, Cover::Overlay)
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
