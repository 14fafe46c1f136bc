//! The visible form of any text: it reads back, and holds visible characters only.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzed::shown(bytes));
