//! Runs the bodies of the fuzz targets on random inputs.
//!
//! Must not know: what the targets check.
//!
//! So the targets and the code that they call cannot rot while the fuzzer is not used.

use crate::support::fuzzed;

use proptest::prelude::*;

/// Text with much of what is dangerous: marks, blanks, directions, quotes, other scripts.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ -~]{0,12}",
        "[ \\n\\t\\r\\x0b\\x0c]{1,5}",
        Just("⟨".to_owned()),
        "⟨(U\\+[0-9A-F]{1,6}|[0-9]{1,4} space|[0-9A-F]{2})⟩",
        "[\u{202a}-\u{202e}\u{200b}-\u{200f}\u{fe00}-\u{fe0f}日本❯┃✖†]{1,4}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Text with sequences of a terminal, whole and torn.
fn coloured() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\u{1b}\\[[0-9;:]{0,12}m",
        "\u{1b}[\\[\\]P_]?[0-9;?]{0,4}[mHJK\u{7}]?",
        text(),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Something like JSON, whole or cut off.
fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just("\"a\":".to_owned()),
        Just("\"b\": {".to_owned()),
        Just("\"c\": [".to_owned()),
        "\"[ -~]{0,5}\"?",
        "-?[0-9]{1,3}(\\.[0-9])?",
        Just("true".to_owned()),
        text(),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

#[test]
fn blanks_that_json_does_not_know_are_read_to_their_end() {
    for at in 0..12 {
        fuzzed::json_text(at, "\u{c}'");
        fuzzed::json_text(at, "{\u{c}\"a\":\u{b}[\u{c}1]}");
    }
}

proptest! {
    #[test]
    fn shown(text in text(), bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        fuzzed::shown(text.as_bytes());
        fuzzed::shown(&bytes);
    }

    #[test]
    fn typed(text in text()) {
        fuzzed::typed(&text);
    }

    #[test]
    fn paged(width: u16, words: bool, text in text()) {
        fuzzed::paged(width, words, &text);
    }

    #[test]
    fn ansi(width: u16, words: bool, text in coloured()) {
        fuzzed::ansi(width, words, &text);
    }

    #[test]
    fn json_text(at: u16, text in json()) {
        fuzzed::json_text(at, &text);
    }
}

#[test]
fn every_target_calls_what_is_tried_here() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/fuzz_targets");
    let own = include_str!("fuzzed.rs");
    let mut targets = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let body = text.split("fuzzed::").nth(1).unwrap();
        let name: String = body
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        assert!(own.contains(&format!("fn {name}(")), "{name} is tried by no test");
        targets += 1;
    }
    assert_eq!(targets, 15);
}

/// The files below a directory with seeds.
fn seeds(kind: &str) -> Vec<Vec<u8>> {
    let dir = format!("{}/tests/seeds/{kind}", env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for wire in std::fs::read_dir(dir).unwrap() {
        for file in std::fs::read_dir(wire.unwrap().path()).unwrap() {
            paths.push(file.unwrap().path());
        }
    }
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (most.max(1) as u64)).unwrap()
    }
}

/// Changes a seed in some places: bytes, pieces of it, pieces of another.
fn mutated(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const PIECES: &[&[u8]] = &[
        b"null",
        b"\"",
        b"{",
        b"]",
        b",",
        b"\\u",
        b"\n\n",
        b"\r",
        b"-1e999",
        b"\xff",
        b"data: ",
        b"\xef\xbb\xbf",
    ];
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let from = numbers.below(bytes.len());
        let to = (from + numbers.below(40)).min(bytes.len());
        match numbers.below(6) {
            0 if from < bytes.len() => bytes[from] ^= 1 << numbers.below(8),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(to..to, piece);
            }
            3 => {
                let piece = PIECES[numbers.below(PIECES.len())];
                bytes.splice(from..from, piece.iter().copied());
            }
            4 => bytes.truncate(from),
            _ => {
                let begin = numbers.below(other.len());
                let end = (begin + numbers.below(80)).min(other.len());
                bytes.splice(from..to, other[begin..end].iter().copied());
            }
        }
    }
    bytes
}

const WIRES: &[&str] = &["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"];

/// Runs a target on all seeds, whole and changed, in every format.
fn on_seeds(kind: &str, times: usize, target: fn(&str, &[u8])) {
    let seeds = seeds(kind);
    assert!(seeds.len() >= 8);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for seed in &seeds {
        for wire in WIRES {
            target(wire, seed);
        }
        for _ in 0..times {
            let other = &seeds[numbers.below(seeds.len())];
            let bytes = mutated(seed, other, &mut numbers);
            for wire in WIRES {
                target(wire, &bytes);
            }
        }
    }
}

#[test]
fn stream() {
    on_seeds("streams", 24, fuzzed::stream);
}

#[test]
fn request() {
    on_seeds("requests", 24, fuzzed::request);
}
