//! Tests that a session exists with all of its first records or not at all.
//!
//! Must not know: what the records contain.

use std::fs;
use std::io;

use super::{Fixture, envelope, fixture, id, small};
use crate::{BIG, Error, Records, Store, read, verify};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::Seq;

fn everything(fixture: &Fixture) -> Vec<String> {
    let entries = fs::read_dir(fixture.store.dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn it_is_listed_once_it_is_whole_and_has_what_was_appended() {
    let fixture = fixture();
    let long = "x".repeat(BIG + 1);
    let mut all = small();
    all[2].event = Event::Run(RunEvent::Paused { reason: long.clone() });
    all.push(envelope(
        6,
        Event::Run(RunEvent::Forked {
            session: "elsewhere".into(),
            at: Seq(5),
        }),
    ));
    let place = fixture
        .store
        .create_whole(id(1), |writer| {
            all.iter().try_for_each(|one| writer.append(one))?;
            writer.sync()?;
            assert_eq!(fixture.store.list()?, [], "nothing of it is listed yet");
            Ok::<(), Error>(())
        })
        .unwrap();
    assert_eq!(read(&place).unwrap().envelopes, all);
    assert!(verify(&place).unwrap().is_whole());
    assert_eq!(everything(&fixture), [id(1).to_string()]);
    let list = fixture.store.list().unwrap();
    assert_eq!(list[0].fork, Some(("elsewhere".to_owned(), 5)));
    assert_eq!(fs::read_dir(place.payloads().unwrap()).unwrap().count(), 1);
    // A part of it copied on takes its long texts along, and no others.
    let (records, _) = Records::read(&place, |_| ()).unwrap();
    let copied = |n: u128, count: usize| {
        fixture.store.create_whole(id(n), |writer| {
            let mut stored = Ok(());
            records.range(0, count, |one| {
                stored = stored.clone().and_then(|()| writer.append(&one));
            })?;
            stored
        })
    };
    let (short, longer) = (copied(2, 2).unwrap(), copied(3, 3).unwrap());
    assert_eq!(fs::read_dir(short.payloads().unwrap()).unwrap().count(), 0);
    assert_eq!(read(&longer).unwrap().envelopes, all[..3]);
    assert!(fixture.store.list().unwrap()[0].fork.is_none(), "these are none");
    // A long text that was changed meanwhile is not copied.
    let payload = fs::read_dir(place.payloads().unwrap())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    fs::write(payload.path(), "y".repeat(BIG + 1)).unwrap();
    assert!(copied(4, 3).unwrap_err().to_string().contains("was changed"));
    assert_eq!(everything(&fixture).len(), 3, "and nothing is left of it");
}

#[test]
fn whatever_fails_leaves_nothing() {
    let fixture = fixture();
    let fails = |at: usize| {
        fixture.store.create_whole(id(1), |writer| {
            for (n, one) in small().iter().enumerate() {
                if n == at {
                    let full = io::Error::from(io::ErrorKind::StorageFull);
                    return Err(Error::io("write the journal", writer.dir(), full));
                }
                writer.append(one)?;
            }
            Ok(())
        })
    };
    for at in 0..5 {
        let error = fails(at).unwrap_err().to_string();
        assert!(error.contains("room on the disk"), "{error}");
        assert_eq!(everything(&fixture), [] as [&str; 0], "after {at} records");
    }
    assert!(fails(9).is_ok());
    // One that is there is not written over.
    let before = read(&fixture.newest()).unwrap().envelopes;
    assert!(matches!(fails(9), Err(Error::Exists { .. })));
    assert_eq!(everything(&fixture), [id(1).to_string()]);
    assert_eq!(read(&fixture.newest()).unwrap().envelopes, before);
}

#[test]
fn a_store_that_cannot_be_created_gives_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let store = Store::open(file.join("sessions"));
    let error = store.create_whole(id(1), |_| Ok::<(), Error>(())).unwrap_err();
    assert!(error.to_string().contains("--sessions"), "{error}");
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_is_being_made_is_not() {
    let fixture = fixture();
    assert_eq!(fixture.store.sweep().unwrap(), 0, "there is no directory yet");
    let stored = fixture
        .store
        .create_whole(id(1), |_| Ok::<(), Error>(()))
        .unwrap();
    let dir = fixture.store.dir().to_owned();
    let left = |n: u128| dir.join(format!("{}.part", id(n)));
    // One is like that of a process that was killed while it wrote, one before it had its lock.
    fs::create_dir_all(left(2).join("payload")).unwrap();
    fs::write(left(2).join("lock"), "4242\n").unwrap();
    fs::write(left(2).join("journal.jsonl"), "{").unwrap();
    fs::create_dir(left(3)).unwrap();
    // These are not of this program.
    fs::create_dir(dir.join("notes.part")).unwrap();
    fs::write(left(4), "a file").unwrap();
    let made = fixture.store.create_whole(id(5), |writer| {
        assert_eq!(fixture.store.sweep().unwrap(), 0, "one is being made");
        assert!(left(2).exists() && left(5).exists());
        small().iter().try_for_each(|one| writer.append(one))
    });
    assert_eq!(read(&made.unwrap()).unwrap().envelopes, small());
    // Another process that does not know of the directory's lock holds that of the session.
    let other = fs::File::create(left(3).join("lock")).unwrap();
    other.lock().unwrap();
    assert_eq!(fixture.store.sweep().unwrap(), 1);
    assert!(!left(2).exists() && left(3).exists());
    drop(other);
    assert_eq!(fixture.store.sweep().unwrap(), 1);
    let mut names = everything(&fixture);
    names.sort();
    let mut expected = vec![
        stored.id(),
        id(5).to_string(),
        format!("{}.part", id(4)),
        "notes.part".to_owned(),
    ];
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(fixture.store.sweep().unwrap(), 0);
}
