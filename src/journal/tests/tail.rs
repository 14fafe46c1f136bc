//! The newest records, found from the end of the file.

use super::{envelope, file, fixture, lines, small};
use crate::domain::envelope::Envelope;
use crate::domain::event::{Event, RunEvent};
use crate::journal::{BIG, Place, tail};

/// A journal longer than the part that is searched first.
fn long() -> Vec<Envelope> {
    let paused = |n: u64| {
        Event::Run(RunEvent::Paused {
            reason: format!("{n} {}", "a long reason ".repeat(150)),
        })
    };
    (1..=400).map(|n| envelope(n, paused(n))).collect()
}

#[test]
fn the_end_is_found_without_the_rest() {
    let all = long();
    let fixture = fixture();
    let place = fixture.session(1, &all);
    let whole = std::fs::read(place.journal()).unwrap();
    assert_eq!(tail(&place, 5).unwrap(), all[395..]);
    assert_eq!(
        tail(&place, 300).unwrap(),
        all[100..],
        "more than is looked at first"
    );
    assert_eq!(tail(&place, 4000).unwrap(), all);

    // What precedes the searched part is not read.
    let mut bytes = whole.clone();
    bytes[3000] ^= 1;
    std::fs::write(place.journal(), &bytes).unwrap();
    assert_eq!(tail(&place, 5).unwrap(), all[395..]);

    // Cut anywhere in the last record: the whole records before it remain.
    let last = whole[..whole.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    for cut in [last, last + 1, last + 700, whole.len() - 1] {
        std::fs::write(place.journal(), &whole[..cut]).unwrap();
        assert_eq!(tail(&place, 5).unwrap(), all[394..399], "cut at {cut}");
    }

    // Damage near the end: nothing after it is trusted.
    let mut bytes = whole.clone();
    bytes[last - 300] ^= 1;
    std::fs::write(place.journal(), &bytes).unwrap();
    assert_eq!(tail(&place, 5).unwrap(), all[393..398]);
}

#[test]
fn what_does_not_follow_is_no_part_of_the_end() {
    let mut all = small();
    let fixture = fixture();
    std::fs::create_dir_all(fixture.store.dir()).unwrap();
    let path = fixture.store.dir().join("single.jsonl");
    let place = || Place::at(&path).unwrap();
    std::fs::write(&path, file(&lines(&all))).unwrap();
    assert_eq!(
        tail(&place(), 400).unwrap(),
        all,
        "a short session in a single file"
    );
    let mut left_out = lines(&all);
    left_out.remove(2);
    std::fs::write(&path, file(&left_out)).unwrap();
    assert_eq!(tail(&place(), 400).unwrap(), all[..2]);
    all[3].more = true;
    all[4].more = true;
    std::fs::write(&path, file(&lines(&all))).unwrap();
    assert_eq!(tail(&place(), 400).unwrap(), all[..3], "half a decision");
    std::fs::write(&path, b"").unwrap();
    assert_eq!(tail(&place(), 400).unwrap(), []);
    std::fs::write(&path, b"no journal\n").unwrap();
    assert_eq!(tail(&place(), 400).unwrap(), []);
}

#[test]
fn a_long_text_that_was_put_into_a_file_is_there() {
    let mut all = small();
    all[4].event = Event::Run(RunEvent::Paused {
        reason: "x".repeat(BIG + 1),
    });
    let fixture = fixture();
    let place = fixture.session(1, &all);
    assert_eq!(tail(&place, 2).unwrap(), all[3..]);
}
