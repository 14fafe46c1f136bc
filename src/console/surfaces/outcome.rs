//! The question about an execution with an unknown outcome.
//!
//! Must not know: what an answer changes.

use crate::cards::UNKNOWN_OUTCOME;
use crate::dialog::DialogKind;
use crate::model::arming::Question;
use crate::tabs;

/// Whether an execution happened.
pub static OUTCOME_QUESTION: DialogKind = DialogKind {
    id: UNKNOWN_OUTCOME,
    title: |_, _| "did it happen?",
    text: |maker, question| {
        if let Question::Call { call, .. } = question {
            tabs::decision(maker, *call);
        }
    },
};
