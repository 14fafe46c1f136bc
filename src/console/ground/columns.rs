//! Computes how many columns a text takes on the screen.
//!
//! Must not know: what is shown, where.
//!
//! Characters of ambiguous width (Greek and Cyrillic letters, curly quotes, arrows and many signs)
//! take one or two columns, by the terminal and its font. The operator sets which.

use std::cell::Cell;
use std::marker::PhantomData;
use std::num::NonZeroU16;

use icu_properties::CodePointMapData;
use icu_properties::props::EastAsianWidth;
use ratatui::buffer::{CellDiffOption, CellWidth as _};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

thread_local! {
    static WIDE: Cell<bool> = const { Cell::new(false) };
}

/// While this lives, texts on this thread are measured for one screen.
#[derive(Debug)]
#[must_use = "the measure holds as long as this lives"]
pub struct WidthGuard {
    before: bool,
    /// Tied to this thread.
    _thread: PhantomData<*const ()>,
}

/// Measures for a screen that draws ambiguous characters two columns wide, or for any other.
pub fn measured(wide: bool) -> WidthGuard {
    WidthGuard {
        before: WIDE.replace(wide),
        _thread: PhantomData,
    }
}

impl Drop for WidthGuard {
    fn drop(&mut self) {
        WIDE.set(self.before);
    }
}

/// True while the screen draws ambiguous characters two columns wide.
pub(crate) fn is_wide() -> bool {
    WIDE.get()
}

/// The columns of a text on the current screen.
pub trait Columns {
    /// Number of columns.
    fn columns(&self) -> usize;
}

impl Columns for str {
    fn columns(&self) -> usize {
        measure(self, is_wide())
    }
}

/// The sum over its graphemes, each by itself, as each has its own cells.
fn measure(text: &str, wide: bool) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let columns = parts(text).map(|part| match part {
        Part::Ascii(text) => text.len(),
        Part::Grapheme(grapheme) => of_grapheme(grapheme, wide),
    });
    columns.sum()
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// Printable ASCII characters: each byte is a grapheme of one column.
    Ascii(&'t str),
    /// Any other grapheme.
    Grapheme(&'t str),
}

/// Splits a text into runs of printable ASCII characters and other graphemes.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let run = ascii_run(rest);
        let end = match run {
            0 => lone_char(rest).or_else(|| rest.graphemes(true).next().map(str::len))?,
            run => run,
        };
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(if run > 0 {
            Part::Ascii(part)
        } else {
            Part::Grapheme(part)
        })
    })
}

/// The length of the first character if printable ASCII or nothing follows, and it is no character that joins what follows:
/// then it is a grapheme. None if it may not be one.
fn lone_char(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let len = first.len_utf8();
    let next = text.as_bytes().get(len);
    let is_single = next.is_none_or(|next| (0x20..0x7f).contains(next));
    // Those that join what follows are letters and marks of some scripts, see `Prepend` in UAX 29.
    let joins = !matches!(first, '\u{20}'..'\u{600}' | '\u{2000}'..='\u{d7ff}');
    (is_single && !joins).then_some(len)
}

/// The number of characters at the start of a text that are printable ASCII and graphemes by themselves.
fn ascii_run(text: &str) -> usize {
    let is_other = |byte: u8| !(0x20..0x7f).contains(&byte);
    let run = text.bytes().position(is_other).unwrap_or(text.len());
    let joins_next = text.as_bytes().get(run).is_some_and(|next| !next.is_ascii());
    // What follows may change the last of them, like an accent.
    run - usize::from(joins_next && run > 0)
}

fn of_grapheme(grapheme: &str, wide: bool) -> usize {
    let mut chars = grapheme.chars();
    let first = chars.next();
    let lone = first.filter(|_| chars.as_str().is_empty());
    // As in a text, a control character takes a column.
    let width = lone.map_or_else(|| grapheme.width(), |lone| lone.width().unwrap_or(1));
    match width {
        1 if wide && first.is_some_and(is_ambiguous) => 2,
        width => width,
    }
}

/// The width library ignores letters, such as those of Greek and Cyrillic; terminals do not.
fn is_ambiguous(c: char) -> bool {
    !c.is_ascii() && CodePointMapData::<EastAsianWidth>::new().get(c) == EastAsianWidth::Ambiguous
}

/// The width of a cell's text in the library. It adds a column for each sound mark of narrow
/// Katakana, which is counted already.
fn of_cell(symbol: &str) -> usize {
    if symbol.is_ascii() {
        symbol.len()
    } else {
        usize::from(symbol.cell_width())
    }
}

/// Writes a grapheme into cells of one row; the first cell shows it. Returns its columns; none if
/// it has no width or does not fit.
pub fn fill(
    cells: &mut [ratatui::buffer::Cell],
    grapheme: &str,
    style: ratatui::style::Style,
) -> Option<usize> {
    let columns = of_grapheme(grapheme, is_wide());
    let (first, hidden) = cells.get_mut(..columns)?.split_first_mut()?;
    first.set_symbol(grapheme).set_style(style);
    first.set_diff_option(if columns == of_cell(grapheme) {
        CellDiffOption::None
    } else {
        CellDiffOption::ForcedWidth(NonZeroU16::new(u16::try_from(columns).ok()?)?)
    });
    hidden.iter_mut().for_each(ratatui::buffer::Cell::reset);
    Some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_width_characters_are_measured_as_configured() {
        let texts = ["“a”", "→ б", "é日…", "─·①", "⟨U+202E⟩", "plain"];
        assert_eq!(texts.map(Columns::columns), [3, 3, 4, 3, 8, 5]);
        let wide = measured(true);
        assert_eq!(texts.map(Columns::columns), [5, 5, 6, 6, 8, 5]);
        drop(wide);
        assert!(!is_wide());
    }

    #[test]
    fn a_character_takes_alone_what_a_text_of_it_takes_and_is_a_grapheme_before_a_letter() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            assert_eq!(
                of_grapheme(&text, false),
                unicode_width::UnicodeWidthStr::width(&*text),
                "{c:?}"
            );
            let before = format!("{c}a");
            let first = before.graphemes(true).next().map(str::len);
            assert!(lone_char(&before).is_none_or(|len| Some(len) == first), "{c:?}");
        }
    }

    proptest::proptest! {
        #![proptest_config(overrule_testing::cases(256))]

        #[test]
        fn the_parts_of_a_text_are_its_graphemes(text in "[ -~é日👩\u{200d}\u{301}\r\n\t🇩🇪ｶﾞลก็क्षि…→]{0,24}") {
            let mut found = Vec::new();
            for part in parts(&text) {
                match part {
                    Part::Ascii(run) => found.extend(run.split("").filter(|one| !one.is_empty())),
                    Part::Grapheme(grapheme) => found.push(grapheme),
                }
            }
            let graphemes: Vec<&str> = text.graphemes(true).collect();
            proptest::prop_assert_eq!(found, graphemes);
        }
    }

    #[test]
    fn a_text_takes_what_its_letters_take_one_by_one() {
        // Sound marks, and letters that are narrower together than one after the other.
        assert_eq!("ｶﾞｷﾟ".columns(), 4);
        assert_eq!("لا".columns(), 2);
        assert_eq!("e\u{301}日👩\u{200d}👩".columns(), 5);
    }
}
