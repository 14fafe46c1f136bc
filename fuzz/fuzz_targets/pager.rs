//! Rows of any text at any width: every row is there, and no character is lost.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|input: (u16, bool, &str)| fuzzed::paged(input.0, input.1, input.2));
