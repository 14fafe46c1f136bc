//! A tool's output in the colours that it asks for: the rest of the output stays as it is.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|input: (u16, bool, &str)| fuzzed::ansi(input.0, input.1, input.2));
