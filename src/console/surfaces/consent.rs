//! The question about a repeated effect.
//!
//! Must not know: when an effect is repeated.

use crate::cards::CONSENT;
use crate::dialog::DialogKind;
use crate::model::arming::Question;
use crate::tabs;

/// Consent to a repeated effect.
pub static CONSENT_QUESTION: DialogKind = DialogKind {
    id: CONSENT,
    title: |_, _| "this effect may have happened already",
    text: |maker, question| {
        if let Question::Call { call, .. } = question {
            tabs::decision(maker, *call);
        }
    },
};
