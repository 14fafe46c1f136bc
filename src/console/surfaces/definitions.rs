//! The question about changed definitions of a server of tools.
//!
//! Must not know: how definitions are compared or stored.

pub mod verbs;

use crate::kernel::dialog::DialogKind;
use crate::kernel::registry::Entry;
use crate::kernel::surface::Can::{Close, Help, Move, Palette};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::surfaces::documents;

/// Changed definitions of a server of tools.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "changed definitions",
    place: "in the question about: changed definitions",
    can: &[Move, Palette, Help, Close],
    asks: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "run",
    verbs: &[verbs::ACCEPT_SHOWN],
};

/// Whether changed definitions are accepted.
pub static DEFINITIONS_QUESTION: DialogKind = DialogKind {
    id: ID,
    title: |_, _| "changed definitions of a server",
    text: |maker, question| {
        if let Question::Definitions { difference, .. } = question {
            documents::changed_definitions(maker, difference);
        }
    },
};
