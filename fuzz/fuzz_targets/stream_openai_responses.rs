//! A Responses reply of any bytes. Seeds: `tests/seeds/streams/openai-responses`.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzed::stream("openai-responses", input));
