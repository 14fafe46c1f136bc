//! The question about a broken stream.
//!
//! Must not know: how a model is asked.

use crate::cards::BROKEN;
use crate::dialog::DialogKind;
use crate::model::arming::Question;
use crate::tabs;
use crate::verbs::shorten;
use overrule_domain::pending_retry;

/// What becomes of a broken stream.
pub static BROKEN_QUESTION: DialogKind = DialogKind {
    id: BROKEN,
    title: |model, question| {
        let state = &model.run.state;
        match question {
            Question::Turn { turn, .. } if shorten::is_about(state, *turn) => {
                "the request is too long: make it shorter, or stop"
            }
            Question::Turn { turn, .. } if pending_retry::has_arrived(state, *turn) => {
                "the stream broke: ask again, keep what arrived, or stop"
            }
            _ => "the stream broke: ask again, or stop",
        }
    },
    text: |maker, question| {
        if let Question::Turn { turn, .. } = question {
            tabs::broken(maker, *turn);
        }
    },
};
