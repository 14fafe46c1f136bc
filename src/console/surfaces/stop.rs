//! The question before an emergency stop.
//!
//! Must not know: how a run is stopped.

pub mod verbs;

use ratatui::Frame;

use crate::kernel::draw::dialog;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Help};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;

/// The confirmation of an emergency stop.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "emergency stop",
    can: &[Help, Back],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "run",
    verbs: &[verbs::STOP_NOW],
};

/// The emergency stop.
#[derive(Debug, Clone)]
pub struct StopQuestion;

impl Surface for StopQuestion {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let key = |name| model.settings.keymap.first(name);
        let lines = [
            "Everything stops: the open stream, running and waiting calls.".to_owned(),
            "An interrupted call may have had an effect; it is marked so.".to_owned(),
            format!(
                "{} stops everything now, {} goes back.",
                key("stop-now"),
                key("back")
            ),
        ];
        dialog::lines(model, frame, "emergency stop", &lines);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Frame
    }

    fn visible(&self, _model: &Model) -> Option<Visibility> {
        Some(Visibility::words(Question::Stop))
    }
}
