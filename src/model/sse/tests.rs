//! Tests the event-stream decoder.
//!
//! Must not know: any provider.

use proptest::prelude::*;

use super::{Decoder, Error, Event};

fn whole(name: &str, data: &str) -> Event {
    Event {
        name: name.into(),
        data: data.into(),
        whole: true,
    }
}

/// Decodes the pieces one after the other, then the end.
fn decode<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<Event> {
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    for piece in pieces {
        decoder.feed(piece, &mut out).unwrap();
    }
    decoder.end(&mut out);
    out
}

/// Decodes in one piece, byte by byte and split at every position, and requires the same result.
fn same(bytes: &[u8]) -> Vec<Event> {
    let at_once = decode([bytes]);
    assert_eq!(decode(bytes.chunks(1)), at_once, "byte by byte");
    for cut in 0..=bytes.len() {
        let (a, b) = bytes.split_at(cut);
        assert_eq!(decode([a, b]), at_once, "cut at {cut}");
    }
    at_once
}

#[test]
fn data_lines_are_joined_and_the_name_belongs_to_its_event() {
    let events = same(b"event: first\ndata: a\ndata:b\n\ndata:  c\n\n");
    assert_eq!(events, [whole("first", "a\nb"), whole("", " c")]);
}

#[test]
fn every_line_ending_counts_alone_and_mixed() {
    let expected = [whole("", "a"), whole("", "b")];
    assert_eq!(same(b"data: a\n\ndata: b\n\n"), expected);
    assert_eq!(same(b"data: a\r\n\r\ndata: b\r\n\r\n"), expected);
    assert_eq!(same(b"data: a\r\rdata: b\r\r"), expected);
    assert_eq!(same(b"data: a\n\rdata: b\r\n\n"), expected);
}

#[test]
fn a_byte_order_mark_is_taken_off_the_start_only() {
    assert_eq!(same(b"\xEF\xBB\xBFdata: a\n\n"), [whole("", "a")]);
    assert_eq!(
        same(b"data: a\n\n\xEF\xBB\xBFdata: b\n\ndata: \xEF\xBB\xBFc\n\n"),
        [whole("", "a"), whole("", "\u{FEFF}c")]
    );
    assert_eq!(
        same(b"\xEF\xBBdata: a\n\ndata: b\n\n"),
        [whole("", "b")],
        "a broken mark spoils its line only"
    );
    assert_eq!(same(b"\xEF\xBB"), []);
}

#[test]
fn broken_utf8_is_replaced_and_the_rest_still_comes() {
    assert_eq!(
        same(b"data: a\xFFb\xE2\x82\n\ndata: ok\n\n"),
        [whole("", "a\u{FFFD}b\u{FFFD}"), whole("", "ok")]
    );
}

#[test]
fn characters_of_several_bytes_survive_any_cut() {
    assert_eq!(
        same("data: zażółć 🦀 †\n\n".as_bytes()),
        [whole("", "zażółć 🦀 †")]
    );
}

#[test]
fn comments_unknown_fields_and_empty_events_are_nothing() {
    assert_eq!(
        same(b": keep alive\n\nid: 1\nretry: 5\nfoo: x\ndata\n\n\n\nevent: lost\n\ndata: a\n\n"),
        [whole("", ""), whole("", "a")]
    );
}

#[test]
fn an_event_without_its_end_is_given_out_but_marked() {
    let unfinished = |data: &str| Event {
        name: String::new(),
        data: data.into(),
        whole: false,
    };
    assert_eq!(
        same(b"data: a\n\ndata: [DONE]"),
        [whole("", "a"), unfinished("[DONE]")]
    );
    assert_eq!(same(b"data: [DONE]\n"), [unfinished("[DONE]")]);
    assert_eq!(same(b"event: x\n"), []);
}

#[test]
fn an_endless_event_is_given_up_and_frees_its_memory() {
    for bytes in [
        b"data: 0123456789".as_slice(),
        b"data: 01\ndata: 23\ndata: 456789\n",
    ] {
        let mut decoder = Decoder::with_limit(12);
        let mut out = Vec::new();
        let mut result = Ok(());
        for byte in bytes.chunks(1) {
            result = result.and(decoder.feed(byte, &mut out));
        }
        assert_eq!(result, Err(Error::TooLong { limit: 12 }));
        assert!(
            decoder.feed(b"\n\ndata: a\n\n", &mut out).is_err(),
            "it stays given up"
        );
        decoder.end(&mut out);
        assert_eq!(out, []);
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn any_cutting_gives_the_same_events(
        bytes in prop::collection::vec(prop::sample::select(b"d:a \r\n\xEF\xBB\xBF\xE2\x80\xA0te".to_vec()), 0..80),
        glue in prop::collection::vec(prop::sample::select(vec!["data: ", "\n\n", "\r\n", "event: e\n", "\u{FEFF}"]), 0..12),
        cuts in prop::collection::vec(1usize..9, 1..40),
    ) {
        let mut stream = Vec::new();
        let mut rest = bytes.as_slice();
        for piece in &glue {
            stream.extend_from_slice(piece.as_bytes());
            let (now, later) = rest.split_at(rest.len().min(7));
            stream.extend_from_slice(now);
            rest = later;
        }
        let at_once = decode([stream.as_slice()]);
        let mut pieces = Vec::new();
        let mut rest = stream.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (piece, later) = rest.split_at(rest.len().min(*cut));
            pieces.push(piece);
            rest = later;
        }
        prop_assert_eq!(decode(pieces), at_once);
    }
}
