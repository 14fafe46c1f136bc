//! The question about a repeated effect.
//!
//! Must not know: when an effect is repeated.

pub mod verbs;

use crate::kernel::dialog::DialogKind;
use crate::kernel::registry::Entry;
use crate::kernel::surface::Can::{Close, Help, Move, Palette};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::surfaces::documents;
use crate::verbs::reject;

/// A repeated effect.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "repeated effect",
    place: "in the question about: repeated effect",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[verbs::REUSE, verbs::RUN_AGAIN, reject::REJECT_REPEAT],
};

/// Consent to a repeated effect.
pub static CONSENT_QUESTION: DialogKind = DialogKind {
    id: ID,
    title: |_, _| "this effect may have happened already",
    text: |maker, question| {
        if let Question::Call { call, .. } = question {
            documents::decision(maker, *call);
        }
    },
};
