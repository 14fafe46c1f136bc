//! States what must hold for any input, one function for each target in `fuzz`.
//!
//! Must not know: who makes the inputs.
//!
//! The fuzzer searches for a counterexample without a limit; `tests/it/fuzzed.rs` tries some inputs
//! with every run of the tests.

use overrule::canon::{Lexer, depths};
use overrule::console::ground::json;
use overrule::console::ground::pager::{Pager, Row, Wrap};
use overrule::console::ground::sgr;
use overrule::model::decode::chunks;
use overrule::model::http::body::Body;
use overrule::model::wire::agent::{PartEdit, PartKind, ReplyHead, Rewrite, decode_request, encode_stream};
use overrule::model::wire::{Target, Wire};
use overrule::model::{Chunk, Quirks};
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

/// A reply of any bytes: the chunks are no larger than the bytes can make them, the same in pieces, and can be written
/// again.
pub fn stream(wire: &str, bytes: &[u8]) {
    let wire = Wire::named(wire).unwrap();
    let whole = chunks(wire, bytes);
    let size = |chunk: &Chunk| format!("{chunk:?}").len();
    let total: usize = whole.0.iter().map(size).sum();
    assert!(total <= 64 * bytes.len() + 4096, "{total} of {}", bytes.len());
    for piece in [1, 7] {
        let mut reader = Body::new(wire);
        let mut out = Vec::new();
        let mut result = Ok(());
        for piece in bytes.chunks(piece) {
            result = result.and_then(|()| reader.feed(piece, &mut out));
        }
        result = result.and_then(|()| reader.end(&mut out));
        assert_eq!(out, whole.0);
        assert_eq!(result.is_ok(), whole.1.is_ok());
    }
    let again = encode_stream(wire, ReplyHead::default(), &whole.0);
    let _ = chunks(wire, again.as_bytes());
}

/// A request of any bytes: refused, or the same bytes without a change. After any edit, and in every other format, it
/// can be read.
pub fn request(wire: &str, bytes: &[u8]) {
    let wire = Wire::named(wire).unwrap();
    let request = match decode_request(wire, bytes) {
        Ok(request) => request,
        Err(error) => {
            assert!(
                error.to_string().starts_with("cannot read the request"),
                "{error}"
            );
            return;
        }
    };
    assert_eq!(Rewrite::new(&request).body().as_bytes(), bytes);
    for line in request.to_lines() {
        closed(line.trim_start());
    }
    // What is put around a deep value makes it too deep.
    let is_shallow = depths(&request.body).all(|(_, depth)| depth < 100);
    assert!(json::is_valid(&request.to_json()) || !is_shallow);
    let canonical = |message| json::is_valid(&request.canonical(message));
    assert!(request.messages.iter().all(|message| canonical(message)) || !is_shallow);
    let messages = request.messages.iter().enumerate();
    let parts =
        messages.flat_map(|(at, message)| message.parts.iter().enumerate().map(move |part| (at, part)));
    for (message, (number, part)) in parts.take(8) {
        let edit = match &part.kind {
            PartKind::Text { .. } | PartKind::Reasoning { .. } => PartEdit::Text("other".into()),
            PartKind::Call { .. } => PartEdit::Call {
                name: Some("other".into()),
                args: Some("{\"a\":1}".into()),
                keeps_opaque: false,
            },
            PartKind::Result { .. } => PartEdit::Result {
                text: "other".into(),
                is_error: true,
                tool: None,
            },
            PartKind::Other { .. } => PartEdit::Remove,
        };
        for edit in [edit, PartEdit::Remove] {
            let mut rewrite = Rewrite::new(&request);
            rewrite.part(message, number, edit);
            let body = rewrite.body();
            assert!(json::is_valid(&body), "{body}");
            assert!(decode_request(wire, body.as_bytes()).is_ok(), "{body}");
        }
    }
    let neutral = request.neutral();
    for other in Wire::all() {
        let body = other.body(Target::plain("m"), &neutral, &Quirks::new());
        let read = decode_request(other, body.as_bytes());
        assert!(read.is_ok() || !is_shallow, "{wire} in {other}: {body}");
    }
}
