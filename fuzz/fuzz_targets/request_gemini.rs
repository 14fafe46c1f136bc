//! A Gemini request of any bytes. Seeds: `tests/seeds/requests/gemini`.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzed::request("gemini", input));
