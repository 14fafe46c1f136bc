//! JSON as text: layout, packing, places and completion on anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use overrule::console::json;
use overrule::schema::Checker;

const SCHEMA: &str = r##"{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"$ref":"#"},"c":{"items":{"$ref":"#"}}}}"##;

fuzz_target!(|input: (u16, &str)| {
    let (at, text) = input;
    let laid = json::pretty(text);
    if json::is_valid(text) {
        assert_eq!(json::compact(&laid), json::compact(text));
    } else {
        assert_eq!(laid, text);
    }
    let _ = (json::members(text), json::place_of(text, "/a/0"), json::fault(text));
    let at = usize::from(at) % (text.len() + 1);
    if let Some(found) = Checker::new(SCHEMA).ok().and_then(|checker| checker.complete(text, at)) {
        assert!(found.from <= at && at <= found.to && found.to <= text.len());
        assert!(text.is_char_boundary(found.from) && text.is_char_boundary(found.to));
    }
});
