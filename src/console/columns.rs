//! How many columns a text takes. Characters that are neither narrow nor wide by themselves (Greek and Cyrillic
//! letters, curly quotes, arrows and many signs) take one or two, by the terminal and its font; the operator says
//! which.
//!
//! Must not know: what is shown, where.

use std::cell::Cell;
use std::marker::PhantomData;
use std::num::NonZeroU16;

use icu_properties::CodePointMapData;
use icu_properties::props::EastAsianWidth;
use ratatui::buffer::{Buffer, CellDiffOption, CellWidth as _};
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

thread_local! {
    static WIDE: Cell<bool> = const { Cell::new(false) };
}

/// As long as this lives, texts on this thread are measured for the screen it was asked for.
#[derive(Debug)]
#[must_use = "the measure holds as long as this lives"]
pub struct Measured {
    before: bool,
    /// It is of this thread.
    _thread: PhantomData<*const ()>,
}

/// Begins to measure for a screen that draws such characters two columns wide, or for any other.
pub fn measured(wide: bool) -> Measured {
    Measured {
        before: WIDE.replace(wide),
        _thread: PhantomData,
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        WIDE.set(self.before);
    }
}

/// True while the screen draws such characters two columns wide.
pub(super) fn is_wide() -> bool {
    WIDE.get()
}

/// The columns of a text on the screen that is drawn.
pub trait Columns {
    /// How many they are.
    fn columns(&self) -> usize;
}

impl Columns for str {
    fn columns(&self) -> usize {
        measure(self, is_wide())
    }
}

/// The sum of what its graphemes take, each by itself, as each is put into cells of its own.
fn measure(text: &str, wide: bool) -> usize {
    let mut chars = text.chars();
    chars.next();
    if text.is_ascii() {
        text.len()
    } else if chars.as_str().is_empty() {
        of_grapheme(text, wide)
    } else {
        text.graphemes(true).map(|one| of_grapheme(one, wide)).sum()
    }
}

fn of_grapheme(grapheme: &str, wide: bool) -> usize {
    match grapheme.width() {
        1 if wide && grapheme.chars().next().is_some_and(is_ambiguous) => 2,
        width => width,
    }
}

/// The library that measures texts leaves letters out, such as those of Greek and Cyrillic; terminals do not.
fn is_ambiguous(c: char) -> bool {
    !c.is_ascii() && CodePointMapData::<EastAsianWidth>::new().get(c) == EastAsianWidth::Ambiguous
}

/// True where the editor widget measures a text as less than what it takes when it is drawn.
pub fn grows(text: &str) -> bool {
    !text.is_ascii()
        && text
            .graphemes(true)
            .any(|one| one.columns().max(of_cell(one)) > one.width())
}

/// What the library takes a cell's text for. It adds a column for each sound mark of narrow Katakana, which are counted
/// already.
fn of_cell(symbol: &str) -> usize {
    if symbol.is_ascii() {
        symbol.len()
    } else {
        usize::from(symbol.cell_width())
    }
}

/// Puts a grapheme into cells of one row, the first of which shows it. Gives the columns that it takes; none where it
/// takes no room or too much.
pub fn fill(
    cells: &mut [ratatui::buffer::Cell],
    grapheme: &str,
    style: ratatui::style::Style,
) -> Option<usize> {
    let columns = grapheme.columns();
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

/// Gives each grapheme in an area that the editor widget has drawn the room that it takes: each row is laid out anew,
/// and ends in a sign where not all of it fits any more.
pub fn widen(buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    // Laid out for a wider screen than there is now, it has rows here and no columns.
    if area.is_empty() {
        return;
    }
    for y in area.top()..area.bottom() {
        let from = buffer.index_of(area.left(), y);
        let Some(row) = buffer.content.get_mut(from..from + usize::from(area.width)) else {
            continue;
        };
        if row
            .iter()
            .all(|cell| cell.symbol().columns().max(1) == of_cell(cell.symbol()).max(1))
        {
            continue;
        }
        let drawn = row.to_vec();
        let (mut at, mut next) = (0, 0);
        while let Some(cell) = drawn.get(next) {
            let columns = cell.symbol().columns().max(1);
            let Some(room) = row.get_mut(at..at + columns) else {
                break;
            };
            if !cell.symbol().is_ascii() {
                fill(room, cell.symbol(), cell.style());
            } else if let [one] = room {
                one.clone_from(cell);
            }
            at += columns;
            next += of_cell(cell.symbol()).max(1);
        }
        // What did not fit stands there no more.
        let left = row.get_mut(at..).unwrap_or_default();
        for cell in left {
            cell.set_char(' ').set_diff_option(CellDiffOption::None);
        }
        let lost = drawn.get(next..).unwrap_or_default();
        if lost.iter().any(|cell| cell.symbol() != " ")
            && let Some(end) = row.get_mut(drawn.len() - 1)
        {
            end.set_char('~').set_diff_option(CellDiffOption::None);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn what_is_neither_narrow_nor_wide_is_measured_as_the_operator_says() {
        let texts = ["“a”", "→ б", "é日…", "─·①", "⟨U+202E⟩", "plain"];
        assert_eq!(texts.map(Columns::columns), [3, 3, 4, 3, 8, 5]);
        let wide = measured(true);
        assert_eq!(texts.map(Columns::columns), [5, 5, 6, 6, 8, 5]);
        drop(wide);
        assert!(!is_wide());
    }

    #[test]
    fn a_text_takes_what_its_letters_take_one_by_one() {
        // Sound marks, and letters that together are narrower than one after the other.
        assert_eq!("ｶﾞｷﾟ".columns(), 4);
        assert_eq!("لا".columns(), 2);
        assert_eq!("e\u{301}日👩\u{200d}👩".columns(), 5);
    }

    #[test]
    fn what_was_laid_out_for_a_wider_screen_is_left_alone() {
        let mut buffer = Buffer::with_lines(["日ab", "cd"]);
        let before = buffer.clone();
        for (x, y, width, height) in [(45, 0, 10, 2), (0, 9, 4, 3), (4, 2, 1, 1), (0, 0, 0, 2)] {
            widen(&mut buffer, Rect { x, y, width, height });
            assert_eq!(buffer, before);
        }
    }

    fn rows(buffer: &Buffer) -> Vec<String> {
        let width = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(width);
        rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect())
            .collect()
    }

    #[test]
    fn a_row_of_the_editor_is_given_the_room_that_it_takes() {
        let area = Rect::new(0, 0, 8, 3);
        let mut buffer = Buffer::empty(area);
        buffer.set_string(0, 0, "“a”", Style::default());
        buffer.set_string(0, 1, "“日→bcd", Style::default());
        buffer.set_string(0, 2, "plain日", Style::default());
        let before = buffer.clone();
        widen(&mut buffer, area);
        assert_eq!(buffer, before, "nothing to do on another screen");
        let _wide = measured(true);
        widen(&mut buffer, area);
        assert_eq!(rows(&buffer), ["“ a”    ", "“ 日 → b~", "plain日  "]);
    }

    #[test]
    fn a_row_of_the_editor_has_no_room_for_what_is_not_there() {
        let area = Rect::new(0, 0, 8, 1);
        let mut buffer = Buffer::empty(area);
        buffer.set_string(0, 0, "ｶﾞa", Style::default());
        assert_eq!(rows(&buffer), ["ｶﾞ  a    "]);
        widen(&mut buffer, area);
        assert_eq!(rows(&buffer), ["ｶﾞ a     "]);
    }

    proptest! {
        #[test]
        fn no_row_is_longer_than_its_room(text in "([a“”→日 б]|ｶﾞ){0,12}", width in 1..10_u16) {
            let area = Rect::new(0, 0, width, 1);
            let mut buffer = Buffer::empty(area);
            buffer.set_string(0, 0, &text, Style::default());
            let _wide = measured(true);
            widen(&mut buffer, area);
            // What the terminal is sent: each cell, and nothing of those behind a wide one.
            let empty = Buffer::empty(area);
            let mut free = 0;
            for (x, _, cell) in empty.diff(&buffer) {
                prop_assert!(x >= free, "{:?}", rows(&buffer));
                free = x + u16::try_from(cell.symbol().columns()).unwrap();
                prop_assert!(free <= width, "{:?}", rows(&buffer));
            }
        }
    }
}
