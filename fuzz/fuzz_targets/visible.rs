//! The visible form of anything: reads back, and holds nothing but what can be seen.
#![no_main]

use libfuzzer_sys::fuzz_target;
use overrule::text::{FRAME, parse_lines, parse_visible, parse_visible_bytes, visible, visible_bytes, visible_lines};

/// The console's own glyphs, controls, directions, fillers: nothing of it may come out.
fn closed(shown: &str) {
    for c in shown.chars() {
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

fuzz_target!(|bytes: &[u8]| {
    let shown = visible_bytes(bytes);
    closed(&shown);
    assert_eq!(parse_visible_bytes(&shown).as_deref(), Ok(bytes));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    assert_eq!(shown, visible(text));
    assert_eq!(parse_visible(&shown).as_deref(), Ok(text));
    let lines = visible_lines(text);
    lines.iter().for_each(|line| closed(line));
    assert_eq!(parse_lines(&lines).as_deref(), Ok(text));
});
