//! The legend on the page of help: the meaning of signs and labels.
//!
//! Must not know: keys.

use super::Maker;
use crate::console::doc::Styled;
use crate::console::symbols::Symbol;
use crate::console::theme::Role;
use crate::text::in_ascii;

/// Signs and their meanings, in the order of a run.
const SIGNS: [(Symbol, &str); 30] = [
    (Symbol::Prompt, "what the operator asked"),
    (Symbol::Thought, "what the model thought"),
    (Symbol::Answer, "the answer"),
    (Symbol::Intervention, "an edit by an operator or a guard"),
    (Symbol::Repair, "arguments were repaired"),
    (Symbol::Proposed, "a call that is not checked yet"),
    (Symbol::Invalid, "an invalid call"),
    (Symbol::Blocked, "a call that needs the result of another one"),
    (Symbol::Awaiting, "a call that waits for you"),
    (Symbol::Queued, "an approved call that waits to run"),
    (Symbol::Running, "a running call"),
    (Symbol::OutcomeUnknown, "outcome unknown"),
    (Symbol::Ok, "a call that succeeded"),
    (Symbol::Failed, "a call that failed"),
    (Symbol::Rejected, "a call that you rejected or the policy denied"),
    (Symbol::Expired, "a call without an answer in time"),
    (Symbol::Skipped, "a skipped call: its input will never exist"),
    (Symbol::History, "a call superseded before it had an outcome"),
    (Symbol::Edited, "text, arguments or result from an operator"),
    (Symbol::Fan, "several calls in one row"),
    (Symbol::Loop, "a repetition"),
    (Symbol::Closed, "folded: unfold it to see the rows"),
    (Symbol::Opened, "unfolded"),
    (Symbol::Pointer, "the selected row, which the inspector shows"),
    (Symbol::Resting, "the selected row of the other pane"),
    (Symbol::Ancestor, "at the edge: the selected row depends on this"),
    (
        Symbol::Descendant,
        "at the edge: this depends on the selected row",
    ),
    (Symbol::MoreBelow, "something new below"),
    (Symbol::ModelText, "before text of the model or an operator"),
    (Symbol::Ellipsis, "something was left out here"),
];

/// The digits in the strip of the whole run.
const STRIP: (&str, &str) = (
    "1 to 9",
    "in the strip of the whole run at the right: the number of failures in that part",
);
/// The signs around a mark.
const MARKS: [&str; 2] = ["\u{27e8} \u{27e9}", "< >"];
const MARKED: &str = "around the name of an invisible or deceptive character; never part of the text itself";

/// The label of the header about commands.
const CONFINED: (&str, &str) = (
    "sandbox",
    "in the header: how commands of the agent are confined; level 0 is not at all: what you approve can do what you can",
);

/// Adds the signs and their meanings.
pub fn legend(maker: &mut Maker<'_>) {
    maker.own(Role::Title, "signs");
    for (symbol, words) in SIGNS {
        let glyph = symbol.glyph(maker.charset).to_string();
        sign(maker, (&glyph, symbol.role()), words);
    }
    sign(maker, (STRIP.0, Role::Accent), STRIP.1);
    let [unicode, ascii] = MARKS;
    let marks = if in_ascii() { ascii } else { unicode };
    sign(maker, (marks, Role::Escaped), MARKED);
    sign(maker, (CONFINED.0, Role::Dim), CONFINED.1);
}

/// Columns before the text.
const BEFORE: usize = 10;

fn sign(maker: &mut Maker<'_>, (glyph, role): (&str, Role), words: &str) {
    let line = Styled::new()
        .own(Role::Text, "  ")
        .own(role, format!("{glyph:<7} "))
        .own(Role::Text, words);
    maker.over(line, BEFORE);
}

#[cfg(test)]
mod tests {
    use super::*;

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
