//! Tests keys in all their encodings, and messages of terminals, which are no keys.

use proptest::prelude::*;

use super::*;

/// Messages as text.
fn describe(messages: &[TermMsg]) -> Vec<String> {
    let word = |message: &TermMsg| match message {
        TermMsg::Key { key, .. } => key.to_string(),
        TermMsg::Paste { text, .. } => format!("paste {text:?}"),
        TermMsg::Mouse { mouse, x, y } => format!("{mouse:?} {x},{y}"),
        TermMsg::Focus(on) => format!("focus {on}"),
        TermMsg::Background([red, green, blue]) => format!("background {red:02x}{green:02x}{blue:02x}"),
        other => format!("{other:?}"),
    };
    messages.iter().map(word).collect()
}

/// The messages of reads with a gap in milliseconds, and a long wait at the end.
fn reads(reads: &[&[u8]], gap: u64) -> Vec<String> {
    let (mut parser, mut at, mut all) = (Parser::default(), 0, Vec::new());
    for read in reads {
        all.extend(parser.wait(at));
        all.extend(parser.take(read, at));
        at += gap;
    }
    while let Some(wake) = parser.wake_at() {
        all.extend(parser.wait(wake));
    }
    describe(&all)
}

fn read(bytes: &[u8]) -> Vec<String> {
    reads(&[bytes], 0)
}

/// The same bytes in pieces of every length, at some paces.
fn in_pieces(bytes: &[u8], mut check: impl FnMut(Vec<String>, &str)) {
    for length in 1..=bytes.len() {
        for gap in [0, 1, 20, 60] {
            let pieces: Vec<&[u8]> = bytes.chunks(length).collect();
            check(reads(&pieces, gap), &format!("{length} bytes each {gap} ms"));
        }
    }
}

/// Messages that terminals send by themselves.
const MESSAGES: [&[u8]; 34] = [
    b"\x1b]11;?\x1b\\",
    b"\x1b]11;rgb:1e1e/1e1e\x1b\\",
    b"\x1b]11;rgb:1e1e/1e1e/\xe2\x9c\x93\x1b\\",
    b"\x1b]10;rgb:aaaa/aaaa/aaaa\x07",
    b"\x1b]4;1;rgb:cccc/0000/0000\x1b\\",
    b"\x1b]52;c;YWFhYWE=\x07",
    b"\x1b]l a title with \xc3\x9c and \xe2\x9c\x93 in it\x1b\\",
    b"\x1bP>|XTerm(388)\x1b\\",
    b"\x1bP1+r544e=787465726d\x1b\\",
    b"\x1bP0+r\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1b_Gi=1;OK\x1b\\",
    b"\x1b^a private message\x1b\\",
    b"\x1bXa string\x1b\\",
    b"\x1b[?1;2c",
    b"\x1b[?62;1;2;4;6;9;15;18;21;22c",
    b"\x1b[>41;388;0c",
    b"\x1b[=0;1c",
    b"\x1b[0n",
    b"\x1b[?13n",
    b"\x1b[?997;1n",
    b"\x1b[24;80R",
    b"\x1b[1;2R",
    b"\x1b[?24;80;1R",
    b"\x1b[8;24;80t",
    b"\x1b[4;480;640t",
    b"\x1b[?2026;2$y",
    b"\x1b[?1u",
    b"\x1b[?1;2;256S",
    b"\x1b[1;1;1;1*z",
    b"\x1b\\",
    b"\x1bP11;rgb:1e1e/1e1e/2e2e\x1b\\",
    b"\xc2\x9b>41;388;0c",
];

#[test]
fn what_a_terminal_sends_by_itself_is_no_key_however_it_is_torn() {
    for message in MESSAGES {
        in_pieces(message, |reported, how| {
            assert_eq!(reported, [""; 0], "{message:?}, {how}");
        });
        // Between keys, and one after the other.
        let all = [b"a", message, b"b", message, message, b"\x1b[A"].concat();
        assert_eq!(read(&all), ["a", "b", "up"], "{message:?}");
    }
}

/// The background of a terminal in all forms.
const BACKGROUNDS: [&[u8]; 5] = [
    b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
    b"\x1b]11;rgb:1e/1e/2e\x07",
    b"\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x1b\\",
    b"\x9d11;rgb:1e1e/1e1e/2e2e\x9c",
];

#[test]
fn the_background_of_the_terminal_is_a_message_and_no_key_however_it_is_torn() {
    for message in BACKGROUNDS {
        in_pieces(message, |reported, how| {
            assert_eq!(reported, ["background 1e1e2e"], "{message:?}, {how}");
        });
        let all = [b"a", message, b"b"].concat();
        assert_eq!(read(&all), ["a", "background 1e1e2e", "b"], "{message:?}");
        for at in 2..message.len() {
            let (first, second) = message.split_at(at);
            let reported = reads(&[first, second], 400);
            let expected = |word: &String| word.starts_with("background");
            assert!(
                reported.iter().all(expected),
                "{message:?} torn at {at}: {reported:?}"
            );
        }
    }
}

#[test]
fn a_torn_message_with_a_long_gap_anywhere_is_no_key_but_for_its_first_byte() {
    // After `X` for the start of a string nothing is lost: it may be the emergency stop.
    let is_reported = |message: &&&[u8]| message[0] == 0x1B && message[1] != b'X';
    for message in MESSAGES.iter().filter(is_reported) {
        for at in 1..message.len() {
            let (first, second) = message.split_at(at);
            let reported = reads(&[first, second], 400);
            // One byte alone does not tell what follows.
            let may = if at == 1 { &["esc"][..] } else { &[] };
            assert_eq!(reported, may, "{message:?} torn at {at}");
        }
    }
}

#[test]
fn a_message_without_its_end_ends_with_time_and_what_is_typed_then_counts() {
    for begun in [
        &b"\x1b]11;rgb:1e1e"[..],
        b"\x1bP>|XTerm",
        b"\x1b_Gi=1",
        b"\x1b[?1;2",
        b"\x1b[",
        b"\x1b]11;rgb:1e1e\x1b",
    ] {
        let reported = reads(&[begun, b"t"], UNFINISHED_MS);
        assert_eq!(
            reported.last().map(String::as_str),
            Some("t"),
            "{begun:?}: {reported:?}"
        );
        assert!(
            reported.iter().all(|key| key == "t" || key == "alt-["),
            "{reported:?}"
        );
    }
    // Keys are not lost forever while the operator keeps typing.
    let mut all: Vec<&[u8]> = vec![b"\x1b]11;rgb:"];
    all.extend([&b"t"[..]; 20]);
    let reported = reads(&all, 300);
    assert!(
        !reported.is_empty() && reported.iter().all(|key| key == "t"),
        "{reported:?}"
    );
}

#[test]
fn ctrl_c_counts_in_the_middle_of_anything_but_a_paste() {
    for begun in [
        &b""[..],
        b"\x1b",
        b"\x1b]11;rgb",
        b"\x1bP",
        b"\x1b_G",
        b"\x1b[?1;",
        b"\x1b[",
        b"\x1bO",
        b"\xe2\x9c",
        b"\x9d1",
    ] {
        let reported = read(&[begun, b"\x03\x03"].concat());
        let keys: Vec<&str> = reported
            .iter()
            .map(String::as_str)
            .filter(|key| *key != "esc")
            .collect();
        assert_eq!(keys, ["ctrl-c", "ctrl-c"], "{begun:?}");
    }
    assert_eq!(read(b"\x1b[200~a\x03\x1b[201~"), ["paste \"a\\u{3}\""]);
}

#[test]
fn another_sequence_ends_an_unfinished_one() {
    assert_eq!(read(b"\x1b]11;rgb\x1b[A"), ["up"]);
    assert_eq!(read(b"\x1bP1\x1b]2;x\x07q"), ["q"]);
    assert_eq!(read(b"\x1b[12\x1b[B"), ["down"]);
    assert_eq!(read(b"\x1b]11;\x18q"), ["q"]);
}

/// Keys as terminals send them, with their names.
const KEYS: [(&[u8], &str); 50] = [
    (b"a", "a"),
    (b"A", "A"),
    (b" ", "space"),
    (b"\r", "enter"),
    (b"\t", "tab"),
    (b"\x7f", "backspace"),
    (b"\x01", "ctrl-a"),
    (b"\x08", "ctrl-h"),
    (b"\x1f", "ctrl-7"),
    (b"\0", "ctrl-space"),
    (b"\x1b", "esc"),
    (b"\x1bb", "alt-b"),
    (b"\x1bB", "alt-B"),
    (b"\x1b\r", "alt-enter"),
    (b"\x1b\x7f", "alt-backspace"),
    (b"\x1b\x01", "ctrl-alt-a"),
    (b"\x1b[A", "up"),
    (b"\x1b[B", "down"),
    (b"\x1b[C", "right"),
    (b"\x1b[D", "left"),
    (b"\x1bOA", "up"),
    (b"\x1b[H", "home"),
    (b"\x1b[F", "end"),
    (b"\x1bOF", "end"),
    (b"\x1b[1~", "home"),
    (b"\x1b[3~", "delete"),
    (b"\x1b[5~", "pgup"),
    (b"\x1b[6~", "pgdn"),
    (b"\x1b[6;5~", "ctrl-pgdn"),
    (b"\x1b[Z", "shift-tab"),
    (b"\x1b[1;5C", "ctrl-right"),
    (b"\x1b[1;2D", "shift-left"),
    (b"\x1b[1;3A", "alt-up"),
    (b"\x1b\x1b[A", "alt-up"),
    (b"\x1bOP", "f1"),
    (b"\x1b[P", "f1"),
    (b"\x1bOR", "f3"),
    (b"\x1b[[A", "f1"),
    (b"\x1b[11~", "f1"),
    (b"\x1b[15~", "f5"),
    (b"\x1b[17~", "f6"),
    (b"\x1b[24~", "f12"),
    (b"\x1b[24;2~", "shift-f12"),
    (b"\x1b[97u", "a"),
    (b"\x1b[97;5u", "ctrl-a"),
    (b"\x1b[97;2u", "A"),
    (b"\x1b[27;5;105~", "ctrl-i"),
    (b"\x1b[13;3u", "alt-enter"),
    ("é".as_bytes(), "é"),
    ("\u{1f600}".as_bytes(), "\u{1f600}"),
];

#[test]
fn keys_come_through_whole_and_torn() {
    for (bytes, name) in KEYS {
        in_pieces(bytes, |reported, how| {
            assert_eq!(reported, [name], "{bytes:?}, {how}");
        });
    }
}

#[test]
fn keys_in_one_read_come_in_their_order() {
    assert_eq!(
        read("aé\x1b[A\rq\x1bb\u{1f600}".as_bytes()),
        ["a", "é", "up", "enter", "q", "alt-b", "\u{1f600}"]
    );
    assert_eq!(read(b"\x1b\x1b"), ["esc", "esc"]);
    // A key that was let go is none.
    assert_eq!(read(b"\x1b[97;1:3uq"), ["q"]);
}

#[test]
fn escape_is_a_key_when_nothing_follows_and_keeps_its_press_time() {
    let mut parser = Parser::default();
    assert!(parser.take(b"\x1b", 1_000).is_empty());
    assert_eq!(parser.wake_at(), Some(1_000 + ESCAPE_MS));
    assert!(parser.wait(1_000 + ESCAPE_MS - 1).is_empty());
    let reported = parser.wait(1_000 + ESCAPE_MS);
    assert!(
        matches!(reported.as_slice(), [TermMsg::Key { key, at: 1_000 }] if *key == Key::plain(Code::Esc)),
        "{reported:?}"
    );
    assert_eq!(parser.wake_at(), None);
    // What is typed after it stands for itself, two keys in one read as well.
    assert_eq!(describe(&parser.take(b"x", 1_200)), ["x"]);
    assert_eq!(reads(&[b"\x1b", b"XX"], 300), ["esc", "X", "X"]);
    assert_eq!(reads(&[b"\x1b", b"["], 300), ["esc", "["]);
    assert_eq!(reads(&[b"\x1b", b"P"], 300), ["esc", "P"]);
    assert_eq!(
        reads(&[b"\x1b", b"[A"], 300),
        ["esc", "up"],
        "the rest of an arrow over a slow line"
    );
}

#[test]
fn what_begins_a_message_and_nothing_more_was_typed_with_alt() {
    for c in ["O", "P", "X", "[", "]", "^", "_"] {
        let name = format!("alt-{c}");
        assert_eq!(read(format!("\x1b{c}").as_bytes()), [name]);
    }
}

#[test]
fn a_paste_is_one_text_however_it_is_torn() {
    let text = "q\u{3}a\nX \x1b]11;x\x07 \x1b[A é";
    let bytes = format!("\x1b[200~{text}\x1b[201~");
    in_pieces(bytes.as_bytes(), |reported, how| {
        assert_eq!(reported, [format!("paste {text:?}")], "{how}");
    });
    assert_eq!(read(b"\x1b[200~\x1b[201~q"), ["paste \"\"", "q"]);
    // Without its end it ends with time; its end alone is nothing.
    assert_eq!(reads(&[b"\x1b[200~abc", b"q"], PASTE_MS), ["paste \"abc\"", "q"]);
    assert_eq!(read(b"\x1b[201~q"), ["q"]);
}

#[test]
fn mouse_and_focus_events_are_parsed_however_they_are_split() {
    for (bytes, name) in [
        (&b"\x1b[<0;5;8M"[..], Some("Press 4,7")),
        (b"\x1b[<0;5;8m", Some("Release 4,7")),
        (b"\x1b[<32;5;8M", Some("Drag 4,7")),
        (b"\x1b[<16;5;8M", Some("Press 4,7")),
        (b"\x1b[<64;5;8M", Some("WheelUp 4,7")),
        (b"\x1b[<65;5;8M", Some("WheelDown 4,7")),
        (b"\x1b[<2;5;8M", None),
        (b"\x1b[<35;5;8M", None),
        (b"\x1b[<0;0;8M", None),
        (b"\x1b[<0;99999;8M", None),
        (b"\x1b[M !!", None),
        (b"\x1b[I", Some("focus true")),
        (b"\x1b[O", Some("focus false")),
    ] {
        in_pieces(bytes, |reported, how| {
            let expected: Vec<&str> = name.into_iter().collect();
            assert_eq!(reported, expected, "{bytes:?}, {how}");
        });
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn bytes_mean_the_same_in_any_pieces(
        bytes in prop::collection::vec(
            prop_oneof![
                Just(0x1B_u8), Just(b'['), Just(b']'), Just(b'O'), Just(b'P'), Just(b'\\'), Just(b'M'),
                // Bytes that are no text cancel the keys of their read.
                Just(7), Just(b'~'), Just(b'2'), Just(b';'), 0_u8..0x80, Just(0x9B), Just(0x9D)
            ],
            0..60,
        ),
        cuts in prop::collection::vec(0_usize..60, 0..6),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut <= bytes.len()).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|two| &bytes[two[0]..two[1]]).collect();
        prop_assert_eq!(reads(&pieces, 1), read(&bytes));
    }
}

#[test]
fn keys_in_one_read_with_bytes_that_are_no_text_decide_nothing() {
    for noise in [
        &b"\xff"[..],
        b"\xfe\xff",
        b"\x80",
        b"\xc3",
        b"\xe2\x82",
        b"\xf5\x80\x80\x80",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
    ] {
        for key in [&b"a"[..], b"\r", b"y", b"\x1b[A", b"A"] {
            for read in [[noise, key].concat(), [key, noise, key].concat()] {
                assert_eq!(self::read(&read), [""; 0], "{read:?}");
            }
        }
        // What is typed afterwards counts, and so does the key that must always work.
        assert_eq!(reads(&[noise, b"a"], 5_000), ["a"], "{noise:?}");
        assert_eq!(read(&[noise, b"\x03"].concat()), ["ctrl-c"], "{noise:?}");
    }
    // A torn character is no noise: its second half comes with the next read.
    assert_eq!(reads(&[b"\xc3", b"\xa9"], 5), ["é"]);
}
