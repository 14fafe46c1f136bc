//! A live run from the place at which a recorded one stands: asked about first, then written, and gone on with where
//! that is wanted.
//!
//! Must not know: keys, what is read and written for it.

use std::sync::Arc;

use super::open;
use crate::console::link::{Forking, NewSession, ReplayControl};
use crate::console::model::Model;
use crate::console::model::log::Line;
use crate::console::model::overlay::{ForkView, Overlay};
use crate::console::msg::{Leave, Out};
use crate::domain::fork::Foreseen;

/// Asks for what it would be. The recording holds still meanwhile: it is about this place.
pub(super) fn ask(model: &mut Model, out: &mut Vec<Out>) {
    if std::mem::take(&mut model.run.playing) {
        out.push(Out::Replay(ReplayControl::Pause));
    }
    open(model, Overlay::Fork(Box::default()));
    out.push(Out::Fork(Forking::Foresee));
}

fn view(model: &mut Model) -> Option<&mut ForkView> {
    // The help may have been opened over it.
    model.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Fork(view) => Some(&mut **view),
        _ => None,
    })
}

/// It is known what it would be; who closed the question has no use for it any more.
pub(super) fn foreseen(model: &mut Model, found: Result<Arc<Foreseen>, String>) {
    if let Some(view) = view(model) {
        (view.foreseen, view.made) = (Some(found), None);
    }
}

/// Has it written, as it was shown.
pub(super) fn write(model: &mut Model, go_on: bool, out: &mut Vec<Out>) {
    let Some(view) = view(model) else { return };
    let at = match &view.foreseen {
        _ if view.sent => return model.say("it is being written: a moment"),
        None => return model.say("the recording is still being read for it: a moment"),
        Some(Err(_)) => return model.complain("there is nothing to write here"),
        Some(Ok(foreseen)) => foreseen.at,
    };
    view.sent = true;
    out.push(Out::Fork(Forking::Write { at, go_on }));
}

/// It is written, or it is not.
pub(super) fn written(
    model: &mut Model,
    session: Result<NewSession, String>,
    go_on: bool,
    out: &mut Vec<Out>,
) {
    match session {
        Ok(session) if go_on => out.push(Out::Quit(Leave::GoOn(session.id))),
        Ok(session) => {
            model
                .overlays
                .retain(|overlay| !matches!(overlay, Overlay::Fork(_)));
            let words = format!("written: {}", session.resume);
            model.log.add(Line::Note(words.clone()));
            model.say(words);
        }
        Err(why) => {
            if let Some(view) = view(model) {
                view.sent = false;
            }
            let words = format!("no fork was written: {why}");
            model.log.add(Line::Trouble(words.clone()));
            model.complain(words);
        }
    }
}
