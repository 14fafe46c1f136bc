//! The question before an emergency stop.
//!
//! Must not know: how a run is stopped.

use ratatui::Frame;

use crate::cards::CONFIRM;
use crate::model::Model;
use crate::model::arming::{Question, Visibility};
use crate::stack::{Erases, Surface};
use crate::surface::SurfaceId;
use crate::view::dialog;

/// The emergency stop.
#[derive(Debug, Clone)]
pub struct StopQuestion;

impl Surface for StopQuestion {
    fn id(&self) -> SurfaceId {
        CONFIRM
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
