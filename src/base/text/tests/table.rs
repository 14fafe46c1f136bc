//! Tests every code point.

use unicode_general_category::{GeneralCategory as G, get_general_category};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::{MAX_CLUSTER, parse_visible, visible, visible_lines};

/// Ranges that a terminal or a drawing library drops, hides, or lets change their surroundings.
const HIDDEN: &[(u32, u32)] = &[
    (0x00, 0x1F),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFC),
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
    (0xF_FF00, 0xF_FFFF),
    (0x10_FF00, 0x10_FFFF),
];

/// Fails unless a text in the visible form contains only visible characters.
#[track_caller]
pub(super) fn assert_closed(shown: &str) {
    let mut before = ' ';
    for c in shown.chars() {
        // In an emoji of several characters what joins them stays.
        let joins = matches!(
            c,
            '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{E0062}'..='\u{E007F}'
        );
        // The emoji that count as letters are named.
        let letter = matches!(
            before,
            '\u{2139}' | '\u{24C2}' | '\u{1F170}' | '\u{1F171}' | '\u{1F17E}' | '\u{1F17F}'
        );
        let sign = !before.is_ascii() && !before.is_alphanumeric();
        let follows = sign || letter || matches!(before, '0'..='9' | '#' | '*');
        before = c;
        if c.is_ascii_graphic() || c == ' ' || (joins && follows) {
            continue;
        }
        let ok = !matches!(
            get_general_category(c),
            G::Control
                | G::Format
                | G::LineSeparator
                | G::ParagraphSeparator
                | G::SpaceSeparator
                | G::PrivateUse
                | G::Surrogate
                | G::Unassigned
        );
        let listed = HIDDEN
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&(c as u32)));
        assert!(ok && !listed, "U+{:04X} in {shown:?}", c as u32);
    }
    // The text between the marks, each with the bracket before it.
    let pieces = shown
        .split('⟨')
        .map(|piece| piece.find('⟩').map_or(piece, |end| &piece[end..]));
    for cluster in pieces.flat_map(|piece| piece.graphemes(true)) {
        assert!(cluster.width() > 0, "{cluster:?} has no width in {shown:?}");
        // An ASCII character after a prepended letter can add one.
        assert!(
            cluster.chars().count() <= usize::from(MAX_CLUSTER) + 2,
            "{cluster:?}"
        );
    }
}

/// Returns true for ideographs, Hangul syllables, surrogates and private use: thousands of equal cases.
fn uniform(n: u32) -> bool {
    matches!(n, 0x3400..0xA000 | 0xAC00..0xF900 | 0x1_7000..0x1_8D00)
}

#[test]
fn every_code_point_is_seen_and_reads_back() {
    // Whole planes where there is variety, and samples of ideographs, syllables and the empty planes.
    let all: Vec<char> = (0..=0x10_FFFFu32)
        .filter(|n| (matches!(n >> 16, 0 | 1 | 14) && !uniform(*n)) || n % 61 == 0)
        .filter_map(char::from_u32)
        .collect();
    for block in all.chunks(512) {
        // Each alone between letters, and all in a row.
        let separate: String = block.iter().flat_map(|c| ['x', *c, 'y']).collect();
        let row: String = block.iter().collect();
        for text in [separate, row] {
            let shown = visible(&text);
            assert_closed(&shown);
            assert_eq!(parse_visible(&shown).as_deref(), Ok(text.as_str()));
        }
    }
}

#[test]
fn listed_code_points_are_marks() {
    for (from, to) in HIDDEN {
        for c in (*from..=*to).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let shown = visible(&text);
            assert!(
                shown.starts_with("a⟨") && shown.ends_with("⟩b"),
                "U+{:04X}: {shown}",
                c as u32
            );
            let lines = visible_lines(&text);
            assert!(c == '\n' || lines[0] == shown);
        }
    }
}
