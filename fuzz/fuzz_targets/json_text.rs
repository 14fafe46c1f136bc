//! JSON as text: layout, packing, places and completion on anything.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|input: (u16, &str)| fuzzed::json_text(input.0, input.1));
