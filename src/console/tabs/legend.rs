//! What the signs and words of the console mean, for the page of help. Must not know: keys.

use super::Maker;
use crate::console::doc::Styled;
use crate::console::symbols::Symbol;
use crate::console::theme::Role;
use crate::text::in_ascii;

/// Signs with what they say, in the order in which one meets them.
const SIGNS: [(Symbol, &str); 30] = [
    (Symbol::Prompt, "what the operator asked"),
    (Symbol::Thought, "what the model thought"),
    (Symbol::Answer, "the answer"),
    (Symbol::Intervention, "an edit of a person or of a guard"),
    (Symbol::Repair, "arguments were mended"),
    (Symbol::Proposed, "a call that nobody checked yet"),
    (Symbol::Invalid, "a call with faults"),
    (Symbol::Blocked, "a call that waits for another one"),
    (Symbol::Awaiting, "a call that waits for you"),
    (Symbol::Queued, "a call that was let run and waits for its turn"),
    (Symbol::Running, "a call that runs"),
    (
        Symbol::OutcomeUnknown,
        "a call of which nobody knows whether it happened",
    ),
    (Symbol::Ok, "a call that went well"),
    (Symbol::Failed, "a call that failed"),
    (Symbol::Rejected, "a call that you or the policy refused"),
    (Symbol::Expired, "a call about which nobody answered in time"),
    (Symbol::Skipped, "a call that needed something that has no value"),
    (
        Symbol::History,
        "a call that an edit replaced before anything came of it",
    ),
    (Symbol::Edited, "a person wrote its words, arguments or result"),
    (Symbol::Fan, "several calls in one row"),
    (Symbol::Loop, "the same again and again"),
    (Symbol::Closed, "folded: the key that opens takes it apart"),
    (Symbol::Opened, "open: the key that closes folds it"),
    (Symbol::Pointer, "the selected row, which the inspector shows"),
    (Symbol::Resting, "the selected row of the other pane"),
    (
        Symbol::Ancestor,
        "at the edge: the selected row hangs on this one",
    ),
    (
        Symbol::Descendant,
        "at the edge: this one hangs on the selected row",
    ),
    (Symbol::MoreBelow, "something new below"),
    (Symbol::ModelText, "beside what the model or a person said"),
    (Symbol::Ellipsis, "something was left out here"),
];

/// What stands in the strip of the whole run.
const STRIP: (&str, &str) = (
    "1 to 9",
    "in the strip at the right, which is the whole run: so many failures in that part of it",
);
/// What stands around a mark.
const MARKS: [&str; 2] = ["\u{27e8} \u{27e9}", "< >"];
const MARKED: &str =
    "around the name of a character that would not be seen or would deceive; never part of the text itself";

/// What the header says of commands.
const CONFINED: (&str, &str) = (
    "sandbox",
    "in the header: how commands of the agent are confined; level 0 is not at all: what you let run can do what you can",
);

/// The signs with what they mean.
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

/// Columns before the words.
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
