//! Tests long journals: damage, cuts and misplaced records are found everywhere.

use super::{envelope, file, fixture, id, lines};
use crate::{Link, Place, Records, encode_line, read};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, RunEvent};

/// A journal of more than a megabyte.
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
        // A flipped bit: what follows is counted.
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
        assert_eq!(damage.why, "its checksum does not match");

        // A cut.
        std::fs::write(place.journal(), &whole[..ends[index] - 1]).unwrap();
        let seen = read(&place).unwrap();
        assert_eq!(seen.envelopes, all[..index]);
        assert_eq!(seen.torn.unwrap().why, "it is incomplete");
    }
    std::fs::write(place.journal(), &whole).unwrap();
    let mut shown = Vec::new();
    let (records, _) = Records::read(&place, |envelope| shown.push(envelope)).unwrap();
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
        ("more", "is incomplete"),
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
        let output = seen
            .damage
            .map(|damage| damage.why)
            .or(seen.torn.map(|torn| torn.why));
        let output = output.unwrap();
        assert!(output.contains(why), "{change}: {output}");
        let left = if change == "more" { 299 } else { 99 };
        assert_eq!(seen.envelopes.len(), left, "{change}");
    }
}
