//! Recognizes emoji that invisible characters join: families, professions, flags, keycaps.
//!
//! Must not know: how others are shown.
//!
//! A joiner, a selector or a tag counts as part of an emoji only where Unicode gives it a meaning
//! there.

use icu_properties::CodePointSetData;
use icu_properties::props::{EmojiModifier, ExtendedPictographic};

const JOINER: char = '\u{200D}';
const AS_TEXT: char = '\u{FE0E}';
const AS_EMOJI: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';
/// The flag that tags make that of a region.
const BLACK_FLAG: char = '\u{1F3F4}';
/// The regions that have such a flag: England, Scotland and Wales. Any other tags would be
/// invisible text.
const REGIONS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];
/// Joiners in one emoji; no emoji has more.
const JOINERS: usize = 4;

/// Returns the bytes of the emoji at the start of a text, if it contains a character without a
/// glyph of its own; else 0.
pub(super) fn joined(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    if first.is_ascii() {
        let is_key = matches!(first, '0'..='9' | '#' | '*');
        let is_keycap = is_key && chars.next() == Some(AS_EMOJI) && chars.next() == Some(KEYCAP);
        return if is_keycap {
            text.len() - chars.as_str().len()
        } else {
            0
        };
    }
    if !is_picture(first) {
        return 0;
    }
    let mut rest = chars.as_str();
    if first == BLACK_FLAG
        && let Some(after) = REGIONS.iter().find_map(|region| rest.strip_prefix(region))
    {
        return text.len() - after.len();
    }
    let mut hidden = styled(&mut rest);
    for _ in 0..JOINERS {
        let Some(after) = rest.strip_prefix(JOINER) else {
            break;
        };
        let mut next = after.chars();
        if !next.next().is_some_and(is_picture) {
            break;
        }
        rest = next.as_str();
        hidden = true;
        styled(&mut rest);
    }
    if hidden { text.len() - rest.len() } else { 0 }
}

/// Skips the style of a picture: a skin tone, or whether it is an emoji. Returns true for an
/// invisible character.
fn styled(rest: &mut &str) -> bool {
    let mut chars = rest.chars();
    let next = chars.next();
    let is_hidden = matches!(next, Some(AS_TEXT | AS_EMOJI));
    if is_hidden || next.is_some_and(is_skin_tone) {
        *rest = chars.as_str();
    }
    is_hidden
}

fn is_picture(c: char) -> bool {
    !c.is_ascii() && CodePointSetData::new::<ExtendedPictographic>().contains(c)
}

fn is_skin_tone(c: char) -> bool {
    CodePointSetData::new::<EmojiModifier>().contains(c)
}
