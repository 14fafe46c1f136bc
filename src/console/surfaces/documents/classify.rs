//! The page to correct the class of an error: the error, the rule to save and the answers.
//!
//! Must not know: how an error is classified.

use super::note;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::model::Settings;
use crate::run::maker::Maker;
use crate::surfaces::classify::Classifying;
use overrule_base::text::visible_head;

/// The most shown bytes of an error.
const MOST: usize = 2000;

/// The answers: the name of the command, and its label.
const ANSWERS: [(&str, &str); 3] = [
    ("error-permanent", "permanent: do not retry errors like this"),
    (
        "error-temporary",
        "temporary: retry errors like this where that is harmless",
    ),
    ("error-pattern", "change the pattern"),
];

/// The error and the rule.
pub fn classify(maker: &mut Maker<'_>, shown: &Classifying, settings: &Settings) {
    let (failed, error) = (&shown.failed, &shown.failed.error);
    maker.own(
        Role::Title,
        format!("{} {}", failed.call, overrule_present::failing(error.class)),
    );
    note(maker, &visible_head(&error.message, MOST));
    maker.field("evidence", &error.evidence);
    maker.doc.line(Styled::new());
    maker.own(Role::Title, "the rule to save");
    maker.field("tool", &failed.tool);
    maker.field("pattern", &shown.pattern);
    let place = settings
        .files
        .path
        .as_deref()
        .unwrap_or("there is no file for settings");
    maker.field("in", place);
    maker.doc.line(Styled::new());
    for (name, what) in ANSWERS {
        let keys: Vec<String> = settings
            .keymap
            .keys_of(name)
            .iter()
            .map(ToString::to_string)
            .collect();
        let row = Styled::new()
            .own(Role::Key, format!("  {:<8} ", keys.join(" ")))
            .own(Role::Text, what);
        maker.over(row, 11);
    }
    maker.doc.line(Styled::new());
    note(
        maker,
        "The failure that is there stays as it is. The rule counts from the next one on, in this session and in later \
         ones.",
    );
}
