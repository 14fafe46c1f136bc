//! The question about an execution with an unknown outcome.
//!
//! Must not know: what an answer changes.

pub mod verbs;

use crate::kernel::dialog::DialogKind;
use crate::kernel::registry::Entry;
use crate::kernel::surface::Can::{Close, Help, Move, Palette};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::surfaces::documents;

/// An execution with an unknown outcome.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "outcome unknown",
    place: "in the question about: outcome unknown",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[
        verbs::IT_HAPPENED,
        verbs::IT_DID_NOT,
        verbs::DID_NOT_FINISH,
        verbs::ABANDON_CALL,
    ],
};

/// Whether an execution happened.
pub static OUTCOME_QUESTION: DialogKind = DialogKind {
    id: ID,
    title: |_, _| "did it happen?",
    text: |maker, question| {
        if let Question::Call { call, .. } = question {
            documents::decision(maker, *call);
        }
    },
};
