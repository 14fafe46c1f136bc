//! Tests writing: order, locks, failures of the system.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};

use super::{envelope, fixture, id, small};
use crate::writer::Sink;
use crate::{Error, Link, Store, Writer, read};
use overrule_domain::event::{Event, RunEvent};

#[test]
fn nothing_reaches_the_file_before_it_is_asked_for() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    let size = || std::fs::metadata(fixture.journal(1)).unwrap().len();
    writer.append(&small()[0]).unwrap();
    assert_eq!(size(), 0);
    writer.flush().unwrap();
    let one = size();
    assert!(one > 0);
    writer.append(&small()[1]).unwrap();
    writer.append(&small()[2]).unwrap();
    assert_eq!(size(), one);
    writer.sync().unwrap();
    assert!(size() > one);
    assert_eq!(writer.next().0, 4);
    assert_ne!(writer.head(), Link::FIRST);
    // A writer that is dropped properly leaves nothing in memory.
    writer.append(&small()[3]).unwrap();
    drop(writer);
    let place = fixture.newest();
    assert_eq!(read(&place).unwrap().envelopes, small()[..4]);
}

#[test]
fn the_first_records_are_acknowledged_with_the_names_of_the_session_and_later_ones_alone() {
    let fixture = fixture();
    let session = fixture.journal(1).parent().unwrap().to_owned();
    let moved = session.with_extension("moved");
    let mut writer = fixture.store.create(id(1)).unwrap();
    writer.append(&small()[0]).unwrap();
    std::fs::rename(&session, &moved).unwrap();
    let error = writer.sync().unwrap_err();
    assert!(error.to_string().contains("names"), "{error}");
    assert!(writer.append(&small()[1]).is_err(), "nothing follows");
    drop(writer);
    std::fs::remove_dir_all(&moved).unwrap();

    let mut writer = fixture.store.create(id(1)).unwrap();
    writer.append(&small()[0]).unwrap();
    writer.sync().unwrap();
    std::fs::rename(&session, &moved).unwrap();
    writer.append(&small()[1]).unwrap();
    writer.sync().unwrap();
}

#[test]
fn events_out_of_order_are_refused_and_change_nothing() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    writer.append(&small()[0]).unwrap();
    for wrong in [1, 3, 4] {
        let event = Event::Run(RunEvent::Resumed {});
        let error = writer.append(&envelope(wrong, event)).unwrap_err();
        assert!(matches!(error, Error::Order { expected: 2, .. }), "{error}");
    }
    writer.append(&small()[1]).unwrap();
    writer.sync().unwrap();
    let place = fixture.newest();
    assert_eq!(read(&place).unwrap().envelopes, small()[..2]);
}

#[test]
fn files_are_for_the_owner_alone() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = place.journal().parent().unwrap().to_owned();
    assert_eq!(mode(fixture.store.dir()), 0o700);
    assert_eq!(mode(&dir), 0o700);
    assert_eq!(mode(&dir.join("payload")), 0o700);
    assert_eq!(mode(&place.journal()), 0o600);
    assert_eq!(mode(&dir.join("lock")), 0o600);
    // So is what was moved aside.
    std::fs::OpenOptions::new()
        .append(true)
        .open(place.journal())
        .unwrap()
        .set_len(900)
        .unwrap();
    let torn = super::append_one(&place).torn.unwrap();
    assert_eq!(mode(&torn.moved_to.unwrap()), 0o600);
}

#[test]
fn a_second_writer_gets_the_process_holding_the_session() {
    let fixture = fixture();
    let writer = fixture.begun(1, &small());
    let place = fixture.newest();
    let error = Writer::open(&place).unwrap_err();
    let me = std::process::id();
    assert!(
        matches!(&error, Error::Locked { pid: Some(pid), .. } if *pid == me),
        "{error}"
    );
    assert!(error.to_string().contains(&format!("process {me}")));
    assert!(matches!(fixture.store.delete(&place), Err(Error::Locked { .. })));
    // Anybody may read.
    assert_eq!(read(&place).unwrap().envelopes, small());
    drop(writer);
    assert!(Writer::open(&place).is_ok());
}

#[test]
fn of_many_that_open_at_once_one_gets_it() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let start = std::sync::Barrier::new(16);
    let got: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    let opened = Writer::open(&place);
                    // No thread releases the lock before every thread has tried.
                    start.wait();
                    match opened {
                        Ok(_) => true,
                        Err(Error::Locked { .. }) => false,
                        Err(error) => panic!("{error}"),
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(got.iter().filter(|got| **got).count(), 1);
}

/// A file that accepts a number of bytes and of syncs, then fails; it counts the requests.
struct Failing {
    bytes: usize,
    syncs: usize,
    asked: Arc<Mutex<(usize, usize)>>,
}

impl Sink for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.asked.lock().unwrap().0 += 1;
        match self.bytes.checked_sub(bytes.len()) {
            Some(rest) => self.bytes = rest,
            None => return Err(io::Error::from_raw_os_error(28)),
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.asked.lock().unwrap().1 += 1;
        match self.syncs.checked_sub(1) {
            Some(rest) => self.syncs = rest,
            None => return Err(io::Error::from_raw_os_error(5)),
        }
        Ok(())
    }
}

fn failing(store: &Store, bytes: usize, syncs: usize) -> (Writer, Arc<Mutex<(usize, usize)>>) {
    let mut writer = store.create(id(1)).unwrap();
    let asked = Arc::new(Mutex::new((0, 0)));
    writer.replace_sink(Box::new(Failing {
        bytes,
        syncs,
        asked: Arc::clone(&asked),
    }));
    (writer, asked)
}

#[test]
fn after_a_failed_write_everything_fails_with_the_first_error() {
    let fixture = fixture();
    let (mut writer, asked) = failing(&fixture.store, 300, 9);
    writer.append(&small()[0]).unwrap();
    writer.sync().unwrap();
    writer.append(&small()[1]).unwrap();
    writer.append(&small()[2]).unwrap();
    let first = writer.sync().unwrap_err();
    assert!(first.to_string().contains("room on the disk"), "{first}");
    for _ in 0..3 {
        assert_eq!(
            writer.append(&small()[3]).unwrap_err().to_string(),
            first.to_string()
        );
        assert_eq!(writer.flush().unwrap_err().to_string(), first.to_string());
        assert_eq!(writer.sync().unwrap_err().to_string(), first.to_string());
    }
    drop(writer);
    assert_eq!(*asked.lock().unwrap(), (2, 1), "nothing was tried again");
}

#[test]
fn a_failed_sync_is_not_tried_again() {
    let fixture = fixture();
    let (mut writer, asked) = failing(&fixture.store, 10_000, 0);
    writer.append(&small()[0]).unwrap();
    let first = writer.sync().unwrap_err();
    assert!(!first.to_string().contains("room on the disk"), "{first}");
    assert_eq!(writer.sync().unwrap_err().to_string(), first.to_string());
    assert!(writer.append(&small()[1]).is_err());
    assert_eq!(*asked.lock().unwrap(), (1, 1));
}

#[test]
fn a_full_device_is_named_as_such() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    writer.replace_sink(Box::new(full));
    writer.append(&small()[0]).unwrap();
    let error = writer.sync().unwrap_err();
    assert!(error.to_string().contains("room on the disk"), "{error}");
}

#[test]
fn a_payload_that_cannot_be_written_stops_the_writer() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    std::fs::remove_dir(writer.dir().join("payload")).unwrap();
    let event = Event::Run(RunEvent::Paused {
        reason: "x".repeat(crate::BIG + 1),
    });
    let first = writer.append(&envelope(1, event)).unwrap_err();
    assert!(matches!(first, Error::Io { .. }), "{first}");
    assert_eq!(
        writer.append(&small()[0]).unwrap_err().to_string(),
        first.to_string()
    );
    drop(writer);
    assert_eq!(std::fs::metadata(fixture.journal(1)).unwrap().len(), 0);
}

#[test]
fn much_in_memory_is_given_to_the_system_unasked() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    for seq in 1..=10 {
        let reason = "r".repeat(60_000);
        writer
            .append(&envelope(seq, Event::Run(RunEvent::Paused { reason })))
            .unwrap();
    }
    assert!(std::fs::metadata(fixture.journal(1)).unwrap().len() > 250_000);
}
