//! Decides which characters may appear on a screen as they are.
//!
//! Must not know: how the others are shown.

use unicode_general_category::{GeneralCategory, get_general_category};

/// How a character appears to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It has a glyph of its own: letters, numbers, punctuation, symbols.
    Base,
    /// It is drawn onto the character before it.
    Mark,
    /// It has no glyph, changes the direction, looks like a blank, or has no agreed meaning.
    Hidden,
}

/// The glyphs of the decision frame, and those that look like them. Untrusted text cannot produce any of
/// them: it shows them as marks.
pub const FRAME: [char; 9] = ['┃', '┏', '┗', '┓', '┛', '┣', '╏', '┇', '┋'];

/// Classifies a character.
pub(super) fn class(c: char) -> Class {
    use GeneralCategory as G;
    if c.is_ascii() {
        return if c.is_ascii_graphic() {
            Class::Base
        } else {
            Class::Hidden
        };
    }
    if is_unseen(c) || is_bracket(c) || FRAME.contains(&c) {
        return Class::Hidden;
    }
    match get_general_category(c) {
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => Class::Mark,
        G::UppercaseLetter
        | G::LowercaseLetter
        | G::TitlecaseLetter
        | G::ModifierLetter
        | G::OtherLetter
        | G::DecimalNumber
        | G::LetterNumber
        | G::OtherNumber
        | G::ConnectorPunctuation
        | G::DashPunctuation
        | G::OpenPunctuation
        | G::ClosePunctuation
        | G::InitialPunctuation
        | G::FinalPunctuation
        | G::OtherPunctuation
        | G::MathSymbol
        | G::CurrencySymbol
        | G::ModifierSymbol
        | G::OtherSymbol => Class::Base,
        // Controls, formats, separators, private use, unassigned, and anything that a later version
        // of Unicode adds.
        _ => Class::Hidden,
    }
}

/// Returns true for characters that show nothing or only an empty cell, although their category is letter,
/// mark or symbol.
const fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{034F}' // combining grapheme joiner
        | '\u{115F}'..='\u{1160}' | '\u{3164}' | '\u{FFA0}' // Hangul fillers
        | '\u{17B4}'..='\u{17B5}' // Khmer inherent vowels
        | '\u{180B}'..='\u{180F}' // Mongolian variation selectors
        | '\u{2800}' // braille pattern without a dot
        | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' // variation selectors
        | '\u{FFFC}' // stands for an absent object
        | '\u{13441}'..='\u{13442}' // Egyptian blanks
        | '\u{16FE4}' // Khitan filler
        | '\u{1D159}' // empty note head
    )
}

/// Returns true for the brackets of marks, and for characters that look like them.
pub(super) const fn is_bracket(c: char) -> bool {
    matches!(
        c,
        '\u{27E8}' | '\u{27E9}' | '\u{2329}' | '\u{232A}' | '\u{276C}' | '\u{276D}' | '\u{29FC}' | '\u{29FD}'
    )
}

/// Returns true for the large scripts whose characters never join with one another, which saves the exact
/// test.
pub(super) const fn is_isolated(c: char) -> bool {
    matches!(c, '\0'..'\u{0300}' | '\u{0370}'..='\u{0482}' | '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{9FFF}')
}
