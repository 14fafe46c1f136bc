//! What somebody types in the visible form: reading it never panics, and what was read shows the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use overrule::text::{parse_visible, parse_visible_bytes, place_in, visible};

fuzz_target!(|typed: &str| {
    // Counted blanks may ask for more memory than a run of the fuzzer has.
    if typed.contains(" space") && typed.bytes().filter(u8::is_ascii_digit).count() > 5 {
        return;
    }
    let _ = parse_visible_bytes(typed);
    if let Ok(text) = parse_visible(typed) {
        assert_eq!(parse_visible(&visible(&text)), Ok(text.clone()));
        let chars = typed.chars().count();
        let mut before = 0;
        for at in 0..=text.len().min(200) {
            let place = place_in(typed, at);
            assert!(place <= chars && place >= before, "{at} of {typed:?}");
            before = place;
        }
    }
});
