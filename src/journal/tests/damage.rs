//! Tests of broken files: cut, flipped, random, endless.
//!
//! Must not know: what events mean.
//!
//! Intact records stay, and nothing is accepted silently.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{append_one, envelope, file, fixture, id, lines, small};
use crate::{self as journal, Error, Place, SessionStatus, Writer, read, verify};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, RunEvent};

fn whole_lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

#[test]
fn a_journal_cut_at_any_byte_preserves_intact_records_and_can_be_resumed() {
    let bytes = file(&lines(&small()));
    for cut in 0..=bytes.len() {
        let fixture = fixture();
        let place = fixture.session(1, &[]);
        std::fs::write(place.journal(), &bytes[..cut]).unwrap();
        let whole = whole_lines(&bytes[..cut]);
        let rest = cut
            - bytes[..cut]
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1);

        // Reading changes nothing.
        let seen = read(&place).unwrap();
        assert_eq!(seen.envelopes, small()[..whole], "cut at {cut}");
        assert_eq!(seen.torn.as_ref().map_or(0, |torn| torn.bytes), rest as u64);
        assert_eq!(std::fs::read(place.journal()).unwrap(), bytes[..cut]);

        // Reopening waits for the disk many times, so it is done for every byte near line ends and only now
        // and then elsewhere.
        let near_an_end = rest < 3 || bytes.get(cut..cut + 2).is_some_and(|next| next.contains(&b'\n'));
        if !near_an_end && cut % 17 != 0 {
            continue;
        }
        let loaded = append_one(&place);
        assert_eq!(loaded.envelopes, small()[..whole]);
        match loaded.torn {
            Some(torn) => {
                assert_eq!(torn.line, whole as u64 + 1);
                assert_eq!(
                    std::fs::read(torn.moved_to.unwrap()).unwrap(),
                    bytes[cut - rest..cut]
                );
            }
            None => assert_eq!(rest, 0),
        }
        // A second crash right away keeps both remains.
        let mut again = std::fs::read(place.journal()).unwrap();
        again.extend_from_slice(b"{\"v\":2");
        std::fs::write(place.journal(), &again).unwrap();
        let torn = append_one(&place).torn.unwrap();
        let n = if rest == 0 { 1 } else { 2 };
        assert!(torn.moved_to.unwrap().ends_with(format!("journal.torn-{n}")));
    }
}

#[test]
fn no_flipped_byte_is_taken_silently() {
    let bytes = file(&lines(&small()));
    let fixture = fixture();
    let place = fixture.session(1, &[]);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x04, 0x20, 0x80] {
            let mut broken = bytes.clone();
            broken[at] ^= flip;
            std::fs::write(place.journal(), &broken).unwrap();
            let whole = whole_lines(&bytes[..at]);
            match read(&place) {
                Ok(loaded) => {
                    assert!(
                        loaded.torn.is_some() != loaded.damage.is_some(),
                        "byte {at} ^ {flip}"
                    );
                    assert_eq!(loaded.envelopes, small()[..whole]);
                }
                Err(error) => {
                    // The version of the first line has one digit. A flipped bit makes it a higher one.
                    let newer = matches!(error, Error::Newer { version: 6, .. }) && at == 5;
                    let not_a_journal = matches!(error, Error::NotAJournal { .. });
                    assert!(newer || not_a_journal, "byte {at}: {error}");
                    assert_eq!(whole, 0);
                }
            }
        }
    }
}

/// What a list says of a session, in the words of a reader of the whole.
fn listed(place: &Place) -> (&'static str, u64) {
    let one = place.summary();
    let events = one.last.as_ref().map_or(0, |last| last.seq);
    let word = match (one.status, one.problem.as_deref()) {
        (SessionStatus::Damaged, Some(problem)) if problem.starts_with("damaged from line") => "damaged",
        (SessionStatus::Unreadable, Some(problem)) if problem.contains("first line") => "none",
        (SessionStatus::Unreadable, Some(problem)) if problem.contains("format 6") => "newer",
        (SessionStatus::Open, Some(problem)) if problem.contains("last write") => "torn",
        (SessionStatus::Open, None) => "whole",
        other => panic!("{other:?}"),
    };
    (word, events)
}

fn found(place: &Place) -> (&'static str, u64) {
    match read(place) {
        Err(Error::NotAJournal { .. }) => ("none", 0),
        Err(Error::Newer { version: 6, .. }) => ("newer", 0),
        Err(error) => panic!("{error}"),
        Ok(loaded) => {
            let word = match (&loaded.torn, &loaded.damage) {
                (None, None) => "whole",
                (Some(_), None) => "torn",
                _ => "damaged",
            };
            (word, loaded.envelopes.len() as u64)
        }
    }
}

#[test]
fn a_session_list_reports_the_same_damage_as_a_full_read() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let (bytes, all) = (file(&lines(&small())), lines(&small()));
    let mut files: Vec<Vec<u8>> = (0..=bytes.len()).map(|cut| bytes[..cut].to_vec()).collect();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x04] {
            let mut flipped = bytes.clone();
            flipped[at] ^= flip;
            files.push(flipped);
        }
    }
    for at in 0..=all.len() {
        let (before, after) = all.split_at(at);
        // Zeros of a crash in the middle and at the end, with and without a line break; a broken line.
        for between in [&[0; 600][..], &[&[0; 600][..], b"\n"].concat(), b"{}\n", b"\n"] {
            files.push([&file(before), between, &file(after)].concat());
        }
        // A line that is missing, and one that is there twice.
        files.push(file(&[before, after.get(1..).unwrap_or_default()].concat()));
        files.push(file(&[before, &before[at.saturating_sub(1)..], after].concat()));
    }
    // A line that was replaced: intact in itself and with its number, but another than the next one names.
    let mut other = small();
    other[2].mono += 1;
    let mut replaced = all.clone();
    replaced[2].clone_from(&lines(&other)[2]);
    files.push(file(&replaced));
    files.push(b"rubbish\n\n{}\n".to_vec());
    // Half a decision.
    let mut half = small();
    half[4].more = true;
    files.push(file(&lines(&half)));
    half[3].more = true;
    files.push(file(&lines(&half)));
    let mut seen = BTreeSet::new();
    for (index, bytes) in files.iter().enumerate() {
        std::fs::write(place.journal(), bytes).unwrap();
        let found = found(&place);
        assert_eq!(listed(&place), found, "file {index}");
        seen.insert(found.0);
    }
    assert_eq!(
        seen.into_iter().collect::<Vec<_>>(),
        ["damaged", "newer", "none", "torn", "whole"]
    );
}

#[test]
fn a_list_passes_over_what_is_being_written_and_finds_payloads_that_are_gone() {
    let fixture = fixture();
    let writer = fixture.begun(1, &small());
    let place = Place::at(writer.dir()).unwrap();
    let mut journal = std::fs::OpenOptions::new()
        .append(true)
        .open(place.journal())
        .unwrap();
    std::io::Write::write_all(&mut journal, b"{\"v\":2,\"seq\":6").unwrap();
    assert_eq!(listed(&place), ("whole", 5));
    drop(writer);
    assert_eq!(listed(&place), ("torn", 5));

    let long = Event::Run(RunEvent::Paused {
        reason: "x".repeat(70_000),
    });
    let place = fixture.session(
        2,
        &[
            envelope(1, long.clone()),
            envelope(2, Event::Run(RunEvent::Resumed {})),
        ],
    );
    assert_eq!(listed(&place), ("whole", 2));
    let payload = std::fs::read_dir(place.payloads().unwrap())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::write(&payload, "x").unwrap();
    assert_eq!(place.summary().status, SessionStatus::Damaged);
    std::fs::remove_file(&payload).unwrap();
    assert_eq!(place.summary().status, SessionStatus::Damaged);
}

#[test]
fn files_of_a_session_that_are_none_are_refused_at_once() {
    let fixture = fixture();
    let fifo = |path: &std::path::Path| {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap();
    };
    let place = fixture.session(1, &small());
    let lock = fixture.store.dir().join(id(1).to_string()).join("lock");
    std::fs::remove_file(&lock).unwrap();
    fifo(&lock);
    assert!(!journal::is_held(&place) && journal::holder(&place).is_none());
    let error = Writer::open(&place).unwrap_err().to_string();
    assert!(
        error.contains("a named pipe") && error.contains("lock"),
        "{error}"
    );
    assert!(fixture.store.delete(&place).is_err());

    std::fs::remove_file(&lock).unwrap();
    std::fs::remove_file(place.journal()).unwrap();
    fifo(&place.journal());
    let error = read(&place).unwrap_err().to_string();
    assert!(
        error.contains("a named pipe") && error.contains("journal.jsonl"),
        "{error}"
    );
    assert!(Writer::open(&place).is_err());
    let [one] = &fixture.store.list().unwrap()[..] else {
        panic!()
    };
    assert_eq!(one.status, SessionStatus::Unreadable);
    assert!(one.problem.as_ref().unwrap().contains("a named pipe"));

    let single = fixture.store.dir().join("pipe.jsonl");
    fifo(&single);
    let endless = fixture.store.dir().join("zero.jsonl");
    std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
    let long = fixture.store.dir().join("long.jsonl");
    std::fs::File::create(&long).unwrap().set_len(1 << 40).unwrap();
    for (path, why) in [
        (single, "a named pipe"),
        (endless, "a device"),
        (long, "larger than 16 GiB"),
    ] {
        let error = read(&Place::at(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(
        fixture
            .store
            .list()
            .unwrap()
            .iter()
            .all(|one| one.status == SessionStatus::Unreadable)
    );
}

#[test]
fn damage_in_the_middle_is_not_changed_and_a_new_session_continues() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let mut bytes = std::fs::read(place.journal()).unwrap();
    let third = file(&lines(&small())[..2]).len();
    bytes[third + 40] ^= 1;
    std::fs::write(place.journal(), &bytes).unwrap();

    let error = Writer::open(&place).unwrap_err();
    let Error::Damaged { damage, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(
        (damage.line, damage.offset, damage.intact_after),
        (3, third as u64, 2)
    );
    assert_eq!(damage.bytes, (bytes.len() - third) as u64);
    assert!(error.to_string().contains("line 3"), "{error}");

    let loaded = read(&place).unwrap();
    assert_eq!(loaded.envelopes, small()[..2]);
    let copied = fixture.store.create_whole(super::id(2), |writer| {
        let mut envelopes = loaded.envelopes.iter();
        envelopes.try_for_each(|envelope| writer.append(envelope))
    });
    let fresh = copied.unwrap();
    assert_eq!(append_one(&fresh).envelopes, small()[..2]);
    assert_eq!(
        std::fs::read(place.journal()).unwrap(),
        bytes,
        "kept byte for byte"
    );
    let stored = std::fs::read_dir(place.journal().parent().unwrap()).unwrap();
    assert!(
        stored
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().contains("torn"))
    );
}

#[test]
fn nul_bytes_at_the_end_are_a_torn_write_and_in_the_middle_are_damage() {
    let fixture = fixture();
    let good = lines(&small());
    let place = fixture.session(1, &[]);
    let mut bytes = file(&good);
    bytes.extend(vec![0; 100_000]);
    std::fs::write(place.journal(), &bytes).unwrap();
    assert_eq!(append_one(&place).torn.unwrap().bytes, 100_000);

    let mut bytes = file(&good[..3]);
    bytes.extend(vec![0; 5_000]);
    bytes.extend(file(&good[3..]));
    std::fs::write(place.journal(), &bytes).unwrap();
    let damage = read(&place).unwrap().damage.unwrap();
    // The first line after the gap belongs to the same line.
    assert_eq!((damage.line, damage.intact_after), (4, 1));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let fixture = fixture();
    let place = fixture.session(1, &[]);
    for content in [
        &b"hello"[..],
        b"\n",
        b"{}\n",
        b"{\"v\":2,\"seq\":1,\n",
        b"{\"v\":2,\"seq\":2,\"prev\"",
        &[0; 4096],
        &[0xff; 4096],
        b"PK\x03\x04",
    ] {
        std::fs::write(place.journal(), content).unwrap();
        let error = read(&place).unwrap_err();
        assert!(matches!(error, Error::NotAJournal { .. }), "{error}");
        assert!(verify(&place).is_err());
        assert!(Writer::open(&place).is_err());
        assert_eq!(std::fs::read(place.journal()).unwrap(), content);
    }
    std::fs::write(place.journal(), b"{\"v\":4,\"id\":\"x\"}\n").unwrap();
    let error = read(&place).unwrap_err();
    assert!(matches!(error, Error::Newer { version: 4, .. }), "{error}");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let fixture = fixture();
    let place = fixture.session(1, &[]);
    std::fs::remove_file(place.journal()).unwrap();
    assert!(matches!(read(&place), Err(Error::Io { .. })));
    assert!(Writer::open(&place).is_err());
    let made = std::process::Command::new("mkfifo")
        .arg(place.journal())
        .status()
        .unwrap();
    assert!(made.success());
    assert!(matches!(read(&place), Err(Error::Io { .. })));
    std::fs::remove_file(place.journal()).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.journal()).unwrap();
    assert!(matches!(read(&place), Err(Error::Io { .. })));
    std::fs::remove_file(place.journal()).unwrap();
    std::fs::create_dir(place.journal()).unwrap();
    assert!(matches!(read(&place), Err(Error::Io { .. })));
    let zero = Place::File {
        path: "/dev/zero".into(),
    };
    assert!(matches!(read(&zero), Err(Error::Io { .. })));
}

#[test]
fn a_line_without_end_is_bounded() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    // A sparse file: long, but without bytes on disk.
    let bytes = std::fs::read(place.journal()).unwrap();
    let handle = std::fs::OpenOptions::new()
        .write(true)
        .open(place.journal())
        .unwrap();
    handle
        .set_len(bytes.len() as u64 + crate::MAX_LINE as u64 + 10_000)
        .unwrap();
    let loaded = read(&place).unwrap();
    assert_eq!(loaded.envelopes, small());
    let torn = loaded.torn.unwrap();
    assert_eq!(torn.bytes, crate::MAX_LINE as u64 + 10_000);
    assert!(torn.why.contains("more than"));
}

proptest! {
    #![proptest_config(overrule_testing::cases(16))]

    #[test]
    fn random_bytes_are_an_error(bytes in proptest::collection::vec(any::<u8>(), 1..600)) {
        let fixture = fixture();
        let place = fixture.session(1, &[]);
        std::fs::write(place.journal(), &bytes).unwrap();
        let refused = matches!(read(&place), Err(Error::NotAJournal { .. }));
        let beginning = [1, 2, 3].iter().any(|v| format!("{{\"v\":{v},\"seq\":1,").as_bytes().starts_with(&bytes));
        prop_assert!(refused || beginning);
    }

    #[test]
    fn random_bytes_after_good_records_lose_nothing(
        bytes in proptest::collection::vec(any::<u8>(), 1..600),
        keep in 1..5_usize,
    ) {
        let fixture = fixture();
        let place = fixture.session(1, &[]);
        let mut all = file(&lines(&small())[..keep]);
        all.extend(&bytes);
        std::fs::write(place.journal(), &all).unwrap();
        let loaded = append_one(&place);
        prop_assert_eq!(&loaded.envelopes, &small()[..keep]);
        prop_assert_eq!(std::fs::read(loaded.torn.unwrap().moved_to.unwrap()).unwrap(), bytes);
    }
}

/// Decisions of one, three, and two records.
fn decisions() -> Vec<Envelope> {
    let mut envelopes = small();
    envelopes.push(envelope(6, Event::Run(RunEvent::Resumed {})));
    for at in [1, 2, 4] {
        envelopes[at].more = true;
    }
    envelopes
}

#[test]
fn half_a_decision_is_none() {
    let lines = lines(&decisions());
    for (records, counts) in [(1, 1), (2, 1), (3, 1), (4, 4), (5, 4), (6, 6)] {
        for torn in [&b""[..], b"{\"v\":2,\"se"] {
            let fixture = fixture();
            let place = fixture.session(1, &[]);
            let mut bytes = file(&lines[..records]);
            bytes.extend_from_slice(torn);
            std::fs::write(place.journal(), &bytes).unwrap();
            let good = file(&lines[..counts]).len();
            let loaded = append_one(&place);
            assert_eq!(loaded.envelopes, decisions()[..counts], "{records} records");
            assert_eq!(loaded.bytes, good as u64);
            assert_eq!(loaded.damage, None);
            match loaded.torn {
                Some(torn) => {
                    assert_eq!(torn.line, counts as u64 + 1);
                    assert_eq!(std::fs::read(torn.moved_to.unwrap()).unwrap(), bytes[good..]);
                }
                None => assert_eq!(bytes.len(), good),
            }
        }
    }
}

#[test]
fn damage_in_the_middle_of_a_decision_takes_all_of_it() {
    let mut lines = lines(&decisions());
    lines[2] = lines[2].replace("reason 3", "reason 8");
    let fixture = fixture();
    let place = fixture.session(1, &[]);
    std::fs::write(place.journal(), file(&lines)).unwrap();
    let loaded = read(&place).unwrap();
    assert_eq!(loaded.envelopes, decisions()[..1]);
    let damage = loaded.damage.unwrap();
    assert_eq!((damage.line, damage.intact_after), (2, 3));
    assert!(Writer::open(&place).is_err());
}

#[test]
fn an_explicit_default_flag_is_not_an_alternative_encoding() {
    let line = lines(&small()).remove(0);
    let (head, tail) = line.split_once(",\"type\"").unwrap();
    let body = format!("{head},\"more\":false,\"type\"{tail}");
    let covered = &body[..body.rfind(",\"crc\"").unwrap()];
    let spelled = format!(
        "{covered},\"crc\":\"{:08x}\"}}",
        crc32fast::hash(covered.as_bytes())
    );
    let fixture = fixture();
    let place = fixture.session(1, &[]);
    std::fs::write(place.journal(), format!("{spelled}\n")).unwrap();
    assert!(read(&place).is_err() || read(&place).unwrap().envelopes.is_empty());
}
