//! The question about a broken stream.
//!
//! Must not know: how a model is asked.

pub mod verbs;

use crate::kernel::dialog::DialogKind;
use crate::kernel::registry::Entry;
use crate::kernel::surface::Can::{Close, Help, Move, Palette};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::run::too_long;
use crate::surfaces::documents;
use crate::surfaces::stop;
use overrule_domain::pending_retry;

/// A stream that broke.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "broken stream",
    place: "in the question about: broken stream",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[verbs::ASK_AGAIN, verbs::KEEP_ARRIVED, stop::verbs::STOP_BROKEN],
};

/// What becomes of a broken stream.
pub static BROKEN_QUESTION: DialogKind = DialogKind {
    id: ID,
    title: |model, question| {
        let state = &model.run.state;
        match question {
            Question::Turn { turn, .. } if too_long::is_about(state, *turn) => {
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
            documents::broken(maker, *turn);
        }
    },
};
