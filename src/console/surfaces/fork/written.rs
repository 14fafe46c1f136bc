//! Takes the preview of a fork when it is there, and the answer whether the fork was written.
//!
//! Must not know: keys, what is read and written for it.

use std::sync::Arc;

use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::msg::{Leave, Out};
use crate::run::link::NewSession;
use crate::surfaces::fork::ForkView;
use overrule_domain::fork::ForkPreview;

pub(crate) fn view(model: &mut Model) -> Option<&mut ForkView> {
    // The help may have been opened over it.
    model.stack.find_mut()
}

/// Stores the preview, if the question is still open.
pub(crate) fn set_preview(model: &mut Model, found: Result<Arc<ForkPreview>, String>) {
    if let Some(view) = view(model) {
        (view.preview, view.sheet.made) = (Some(found), None);
    }
}

/// Handles the reply: the fork was written, or it failed.
pub(crate) fn written(
    model: &mut Model,
    session: Result<NewSession, String>,
    resumes: bool,
    out: &mut Vec<Out>,
) {
    match session {
        Ok(session) if resumes => out.push(Out::Quit(Leave::Resume(session.id))),
        Ok(session) => {
            model.stack.close::<ForkView>();
            let words = format!("Written: {}", session.resume);
            model.log.add(Line::Note(words.clone()));
            model.set_status(words);
        }
        Err(why) => {
            if let Some(view) = view(model) {
                view.sent = false;
            }
            let words = format!("Cannot write the fork: {why}");
            model.log.add(Line::Problem(words.clone()));
            model.complain(words);
        }
    }
}
