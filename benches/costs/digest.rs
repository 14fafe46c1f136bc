//! Measures the digest of an output against a hash of the same bytes.
//!
//! Must not know: how a digest is made.

use divan::Bencher;
use overrule::domain::call::Outcome;
use overrule::domain::output_digest::OutputDigest;

/// Bytes of an output.
const LENGTH: usize = 512 * 1024;

/// Lines of a kind, up to the length of an output.
fn output(kind: &str) -> String {
    let mut text = String::new();
    let mut no = 0_u64;
    while text.len() < LENGTH {
        no += 1;
        let line = match kind {
            "compiler" => format!(
                "error[E0308]: mismatched types --> src/module_{no}/parse.rs:{}:{}\n",
                no % 900,
                no % 80
            ),
            "log" => format!(
                "2026-11-26T00:{:02}:{:02}.123Z INFO request {:08x}-aa12 served in {no} ms by pid {no} from /tmp/w{no}/a\n",
                no / 60 % 60,
                no % 60,
                no.wrapping_mul(2_654_435_761) as u32
            ),
            "digits" => format!("{no:06x}a {no} {no:02} {}:{}\n", no % 24, no % 60),
            _ => "The quick brown fox jumps over the lazy dog and does not look back at its id or port\n"
                .to_owned(),
        };
        text.push_str(&line);
    }
    text.truncate(LENGTH);
    serde_json::to_string(&text).unwrap()
}

/// The kinds of output.
const KINDS: [&str; 4] = ["compiler", "log", "digits", "prose"];

/// Floor: a hash of the bytes.
#[divan::bench(args = KINDS)]
fn floor_hash_of_512_kib(bencher: Bencher<'_, '_>, kind: &str) {
    let text = output(kind);
    bencher.bench_local(|| blake3::hash(divan::black_box(text.as_bytes())));
}

/// The digest.
#[divan::bench(args = KINDS)]
fn digest_of_512_kib(bencher: Bencher<'_, '_>, kind: &str) {
    let outcome = Outcome::ok(output(kind));
    bencher.bench_local(|| OutputDigest::of(divan::black_box(&outcome)));
}
