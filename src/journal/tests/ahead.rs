//! The fast path through records, and long journals that are read ahead: both find the same as the thorough
//! path, one record after the other.

use super::examples::every_event;
use super::{envelope, file, fixture, id, lines};
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::{Event, RunEvent};
use crate::journal::{Link, Place, Records, decode_line, encode_line, quick, read};

/// Every event, by an actor without a name.
fn plain() -> Vec<Envelope> {
    let mut all: Vec<_> = (1..)
        .zip(every_event())
        .map(|(n, event)| envelope(n, event))
        .collect();
    for envelope in &mut all {
        if let Actor::Operator(_) = envelope.actor {
            envelope.actor = Actor::Engine;
        }
        envelope.more = envelope.seq.0 % 3 == 0;
    }
    all
}

#[test]
fn whatever_the_program_writes_goes_the_quick_way() {
    let all = plain();
    let mut prev = Link::FIRST;
    for (envelope, line) in all.iter().zip(lines(&all)) {
        let found = quick::record(line.as_bytes());
        // A name that reads like the mark of a payload needs a closer look.
        let Some(found) = found else {
            assert!(
                line.contains("$payload\\\"") || line.contains("$payload\""),
                "{line}"
            );
            prev = Link::of(line.as_bytes());
            continue;
        };
        assert_eq!(&found.envelope, envelope);
        assert_eq!(found.prev, prev);
        assert_eq!(found.run, id(1).to_string().as_bytes());
        prev = Link::of(line.as_bytes());
    }
}

/// Replaces a byte of a line and recomputes its checksum.
fn altered(line: &str, at: usize, byte: u8) -> Option<String> {
    let mut bytes = line.as_bytes().get(..line.len() - 18)?.to_vec();
    *bytes.get_mut(at)? = byte;
    let text = String::from_utf8(bytes).ok()?;
    let crc = crc32fast::hash(text.as_bytes());
    Some(format!("{text},\"crc\":\"{crc:08x}\"}}"))
}

#[test]
fn the_quick_way_takes_nothing_that_the_thorough_one_refuses() {
    let all = plain();
    let mut taken = 0;
    for (n, line) in lines(&all).iter().enumerate() {
        for at in 0..line.len() {
            let byte = b"\"{}[],:0-9x \\\n\0"[(at * 7 + n) % 15];
            let Some(other) = altered(line, at, byte) else {
                continue;
            };
            // The record of a different run is not accepted, whatever it contains.
            let own = |found: &quick::Quick| found.run == id(1).to_string().as_bytes();
            let Some(found) = quick::record(other.as_bytes()).filter(own) else {
                continue;
            };
            assert_eq!(decode_line(&other).unwrap(), (id(1), found.envelope), "{other}");
            taken += 1;
        }
    }
    assert!(taken > 100, "numbers and texts may be others: {taken}");
}

/// A journal of several batches.
fn long() -> Vec<Envelope> {
    let text = "a long reason ".repeat(400);
    let paused = |n: u64| {
        Event::Run(RunEvent::Paused {
            reason: format!("{n} {text}"),
        })
    };
    (1..=300).map(|n| envelope(n, paused(n))).collect()
}

#[test]
fn a_long_journal_is_read_like_a_short_one() {
    let all = long();
    let fixture = fixture();
    let place = fixture.session(1, &all);
    let whole = std::fs::read(place.journal()).unwrap();
    assert!(whole.len() > 1 << 20);
    assert_eq!(read(&place).unwrap().envelopes, all);
    let ends: Vec<usize> = (1..=whole.len()).filter(|at| whole[at - 1] == b'\n').collect();

    for index in [1_usize, 30, 150, 298] {
        // A flipped bit: what follows is counted, whatever was examined already.
        let mut bytes = whole.clone();
        bytes[ends[index - 1] + 200] ^= 1;
        std::fs::write(place.journal(), &bytes).unwrap();
        let seen = read(&place).unwrap();
        assert_eq!(seen.envelopes, all[..index]);
        let damage = seen.damage.unwrap();
        assert_eq!(
            (damage.line, damage.offset, damage.bytes, damage.intact_after),
            (
                index as u64 + 1,
                ends[index - 1] as u64,
                (whole.len() - ends[index - 1]) as u64,
                299 - index as u64
            )
        );
        assert_eq!(damage.why, "its checksum does not fit");

        // A cut.
        std::fs::write(place.journal(), &whole[..ends[index] - 1]).unwrap();
        let seen = read(&place).unwrap();
        assert_eq!(seen.envelopes, all[..index]);
        assert_eq!(seen.torn.unwrap().why, "it has no end");
    }
    std::fs::write(place.journal(), &whole).unwrap();
    let mut shown = Vec::new();
    let (records, _) = Records::read(&place, |envelope, _| shown.push(envelope)).unwrap();
    assert_eq!((records.len(), shown), (300, all));
}

#[test]
fn a_record_that_does_not_follow_is_found_in_a_long_journal_too() {
    let mut all = long();
    let fixture = fixture();
    for (change, why) in [
        ("seq", "it has number 101 where 100 is next"),
        ("link", "its link names another"),
        ("run", "it belongs to another run"),
        ("more", "is not whole"),
    ] {
        let mut text = lines(&all);
        let prev = Link::of(text[98].as_bytes());
        let mut other = all[99].clone();
        text[99] = match change {
            "seq" => {
                other.seq.0 += 1;
                encode_line(id(1), &other, prev).unwrap()
            }
            "link" => encode_line(id(1), &other, Link::of(b"")).unwrap(),
            "run" => encode_line(id(2), &other, prev).unwrap(),
            _ => {
                all[299].more = true;
                text = lines(&all);
                text[99].clone()
            }
        };
        let path = fixture.store.dir().join("long.jsonl");
        std::fs::create_dir_all(fixture.store.dir()).unwrap();
        std::fs::write(&path, file(&text)).unwrap();
        let seen = read(&Place::at(&path).unwrap()).unwrap();
        let said = seen
            .damage
            .map(|damage| damage.why)
            .or(seen.torn.map(|torn| torn.why));
        let said = said.unwrap();
        assert!(said.contains(why), "{change}: {said}");
        let left = if change == "more" { 299 } else { 99 };
        assert_eq!(seen.envelopes.len(), left, "{change}");
    }
}
