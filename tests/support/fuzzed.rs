//! States what must hold for any input, one function for each target in `fuzz`.
//!
//! Must not know: who makes the inputs.
//!
//! The fuzzer searches for a counterexample without a limit; `tests/fuzzed.rs` tries some inputs
//! with every run of the tests.

use overrule::canon::Lexer;
use overrule::console::json;
use overrule::console::pager::{Pager, Row, Wrap};
use overrule::console::sgr;
use overrule::schema::Checker;
use overrule::text::{
    FRAME, Kind, parse_lines, parse_visible, shown_in_ascii, visible, visible_line, visible_lines,
};

/// The console's own glyphs, controls, directions, fillers: nothing of it may come out.
fn closed(shown: &str) {
    let mut before = ' ';
    for c in shown.chars() {
        // In an emoji of several characters what joins them stays.
        let joins = matches!(
            c,
            '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{e0062}'..='\u{e007f}'
        );
        // The emoji that count as letters are named.
        let letter = matches!(
            before,
            '\u{2139}' | '\u{24C2}' | '\u{1F170}' | '\u{1F171}' | '\u{1F17E}' | '\u{1F17F}'
        );
        let sign = !before.is_ascii() && !before.is_alphanumeric();
        let follows = sign || letter || matches!(before, '0'..='9' | '#' | '*');
        before = c;
        if joins && follows {
            continue;
        }
        assert!(!c.is_control() && !FRAME.contains(&c), "{c:?} in {shown:?}");
        assert!(!c.is_whitespace() || c == ' ', "{c:?} in {shown:?}");
        let hidden = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}');
        assert!(!hidden, "{c:?} in {shown:?}");
    }
    assert!(!shown.ends_with(' '), "{shown:?}");
}

/// The visible form of anything: reads back, and holds nothing but what can be seen; on a screen that shows
/// nothing but ASCII nothing else.
pub fn shown(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for ascii in [false, true] {
        let _shown = shown_in_ascii(ascii);
        shown_so(text);
        assert!(!ascii || visible(text).is_ascii());
    }
}

fn shown_so(text: &str) {
    let shown = visible(text);
    closed(&shown);
    assert_eq!(parse_visible(&shown).as_deref(), Ok(text));
    let lines = visible_lines(text);
    for line in &lines {
        closed(line);
    }
    assert_eq!(parse_lines(&lines).as_deref(), Ok(text));
}

/// Typed text in the visible form: reading it never panics, and the result shows the same text again.
pub fn typed(typed: &str) {
    // Counted blanks may ask for more memory than a run of the fuzzer has.
    if typed.contains(" space") && typed.bytes().filter(u8::is_ascii_digit).count() > 5 {
        return;
    }
    if let Ok(text) = parse_visible(typed) {
        assert_eq!(parse_visible(&visible(&text)), Ok(text.clone()));
    }
}

/// Rows of any text at any width: every row is there, and no character is lost.
pub fn paged(width: u16, words: bool, text: &str) {
    let width = width % 200 + 1;
    let wrap = if words { Wrap::Words } else { Wrap::Chars };
    let pager = Pager::new(text.into(), width, wrap);
    let rows = pager.window(0, usize::MAX, None);
    assert_eq!(rows.len(), pager.rows());
    let pieces = rows.iter().flat_map(|row| &row.pieces);
    let shown: String = pieces.map(|piece| piece.text.as_str()).collect();
    let whole: String = text.split('\n').map(visible_line).collect();
    // A line that is cut into blocks may count its blanks in two parts.
    if text.len() < 4096 {
        assert_eq!(shown, whole);
    }
}

/// A text in the colours that it asks for: as rows it is what is left of it, whatever was asked for; what is left
/// holds no part of a sequence that was understood, and the text itself is kept byte for byte.
pub fn ansi(width: u16, words: bool, text: &str) {
    let width = width % 200 + 1;
    let wrap = if words { Wrap::Words } else { Wrap::Chars };
    let Some(painted) = sgr::painted(text) else {
        assert!(!sgr::has_any(text));
        assert!(Pager::coloured(&text.into(), width, wrap).is_none());
        return;
    };
    assert!(sgr::has_any(text) && painted.text.len() < text.len());
    let rows = |pager: Pager| -> Vec<Row> { pager.window(0, usize::MAX, None) };
    let shown = |rows: &[Row]| -> Vec<String> {
        let text = |row: &Row| row.pieces.iter().map(|piece| piece.text.as_str()).collect();
        rows.iter().map(text).collect()
    };
    let pager = Pager::coloured(&text.into(), width, wrap).unwrap();
    assert_eq!(&**pager.text(), text);
    let coloured = rows(pager);
    let plain = rows(Pager::new(painted.text.as_str().into(), width, wrap));
    assert_eq!(shown(&coloured), shown(&plain));
    let pieces = coloured.iter().flat_map(|row| &row.pieces);
    for piece in pieces.filter(|piece| piece.ink.kind != Kind::Plain) {
        assert_eq!(piece.ink.sgr, sgr::Sgr::default(), "a mark in colours: {piece:?}");
    }
    for run in &painted.runs {
        assert!(painted.text.is_char_boundary(run.from));
    }
}

const SCHEMA: &str = r##"{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"$ref":"#"},"c":{"items":{"$ref":"#"}}}}"##;

/// JSON as text: layout, packing, places and completion on anything.
pub fn json_text(at: u16, text: &str) {
    let tokens: String = Lexer::new(text).map(|token| token.text).collect();
    assert_eq!(tokens, text);
    let laid = json::pretty(text);
    if json::is_valid(text) {
        assert_eq!(json::compact(&laid), json::compact(text));
    } else {
        assert_eq!(laid, text);
    }
    let _ = (
        json::members(text),
        json::place_of(text, "/a/0"),
        json::fault(text),
    );
    let at = usize::from(at) % (text.len() + 1);
    let checker = Checker::new(SCHEMA).ok();
    if let Some(found) = checker.and_then(|checker| checker.complete(text, at)) {
        assert!(found.from <= at && at <= found.to && found.to <= text.len());
        assert!(text.is_char_boundary(found.from) && text.is_char_boundary(found.to));
    }
}
