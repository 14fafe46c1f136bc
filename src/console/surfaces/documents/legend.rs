//! The legend on the page of help: the meaning of signs.
//!
//! Must not know: keys.

use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;

/// Signs and their meanings, those of calls first: what the operator looks up most often.
const SIGNS: [(Symbol, &str); 33] = [
    (Symbol::Awaiting, "waits for you"),
    (Symbol::Running, "running"),
    (Symbol::Ok, "succeeded"),
    (Symbol::Exited, "exit code, conflict"),
    (Symbol::Failed, "failed"),
    (Symbol::Rejected, "rejected or denied"),
    (Symbol::OutcomeUnknown, "outcome unknown"),
    (Symbol::Queued, "approved, waits to run"),
    (Symbol::Blocked, "needs another result"),
    (Symbol::Proposed, "not checked yet"),
    (Symbol::Invalid, "invalid arguments"),
    (Symbol::Expired, "no answer in time"),
    (Symbol::Skipped, "skipped"),
    (Symbol::History, "superseded, never ran"),
    (Symbol::Edited, "text of an operator"),
    (Symbol::Prompt, "prompt"),
    (Symbol::Thought, "thought"),
    (Symbol::Answer, "answer"),
    (Symbol::Intervention, "edit"),
    (Symbol::Repair, "repaired arguments"),
    (Symbol::Ancestor, "selected depends on it"),
    (Symbol::Descendant, "depends on selected"),
    (Symbol::Pointer, "selected"),
    (Symbol::Resting, "selected, other pane"),
    (Symbol::Closed, "folded"),
    (Symbol::Opened, "unfolded"),
    (Symbol::Fan, "several calls"),
    (Symbol::Restore, "file restored"),
    (Symbol::Loop, "repetition"),
    (Symbol::MoreBelow, "new rows below"),
    (Symbol::ModelText, "of model or operator"),
    (Symbol::Ellipsis, "text left out"),
    (Symbol::LineBreak, "line break"),
];

/// The digits in the strip of the whole run.
const STRIP: (&str, &str) = ("1-9", "failures, right edge");
/// The signs around a mark.
const MARKS: [&str; 2] = ["\u{27e8} \u{27e9}", "< >"];
const MARKED: &str = "hidden character";

/// Columns of the signs and their meanings.
pub const COLUMNS: usize = 24;

/// The signs and their meanings, one a row.
pub fn rows(charset: Charset) -> Vec<Styled> {
    let sign = |(glyph, role): (&str, Role), words: &str| {
        let line = Styled::new().own(role, format!("{glyph} "));
        line.own(Role::Text, words)
    };
    let marks = MARKS[usize::from(charset == Charset::Ascii)];
    let signs = SIGNS.iter().map(|(symbol, words)| {
        let glyph = symbol.glyph(charset).to_string();
        sign((&glyph, symbol.role()), words)
    });
    std::iter::once(Styled::new().own(Role::Title, "signs"))
        .chain(signs)
        .chain([
            sign((STRIP.0, Role::Accent), STRIP.1),
            sign((marks, Role::Escaped), MARKED),
        ])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_fits() {
        for charset in [Charset::Unicode, Charset::Ascii] {
            let wide = rows(charset).iter().map(Styled::columns).max();
            assert!(wide <= Some(COLUMNS), "{wide:?}");
        }
    }

    #[test]
    fn every_sign_is_explained_but_what_explains_itself() {
        let explained: Vec<Symbol> = SIGNS.iter().map(|(symbol, _)| *symbol).collect();
        let left: Vec<Symbol> = Symbol::ALL
            .iter()
            .copied()
            .filter(|symbol| !explained.contains(symbol))
            .collect();
        assert_eq!(left, [Symbol::Arrow, Symbol::Bar, Symbol::Rest]);
    }
}
