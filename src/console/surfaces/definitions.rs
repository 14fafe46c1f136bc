//! The question about changed definitions of a server of tools.
//!
//! Must not know: how definitions are compared or stored.

use crate::cards::DEFINITIONS;
use crate::dialog::DialogKind;
use crate::model::arming::Question;
use crate::tabs;

/// Whether changed definitions are accepted.
pub static DEFINITIONS_QUESTION: DialogKind = DialogKind {
    id: DEFINITIONS,
    title: |_, _| "changed definitions of a server",
    text: |maker, question| {
        if let Question::Definitions { difference, .. } = question {
            tabs::changed_definitions(maker, difference);
        }
    },
};
