//! Typed text in the visible form: reading it never panics, and the result shows the same text again.
#![no_main]

#[path = "../../tests/support/fuzzed.rs"]
#[allow(dead_code, reason = "the other targets need the rest")]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|typed: &str| fuzzed::typed(typed));
